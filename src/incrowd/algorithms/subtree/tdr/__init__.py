"""TDR, and what is its own."""
