"""Flash, and what is its own."""
