"""InfoGain Mondrian, and what is its own."""
