"""TGC, and what is its own."""
