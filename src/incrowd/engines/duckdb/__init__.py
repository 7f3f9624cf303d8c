"""Tables larger than memory: files and lazy frames, counted and recoded by DuckDB."""
