"""BUG, and what is its own."""
