"""mu-Argus, and what is its own."""
