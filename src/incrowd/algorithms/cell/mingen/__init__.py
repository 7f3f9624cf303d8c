"""MinGen, and what is its own."""
