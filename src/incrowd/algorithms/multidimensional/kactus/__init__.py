"""kACTUS, and what is its own."""
