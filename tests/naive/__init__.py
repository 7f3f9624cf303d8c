"""Slow, obvious twins of what the library does fast: plain loops over people, one at a time."""
