"""The genetic search, and what is its own."""
