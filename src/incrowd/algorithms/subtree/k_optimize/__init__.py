"""K-Optimize, and what is its own."""
