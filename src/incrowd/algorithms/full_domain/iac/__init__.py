"""IACk and IACc, and what is their own."""
