"""HeuristicMin, and what is its own."""
