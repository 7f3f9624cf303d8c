"""Tables in memory: files read whole, and frames."""
