"""Tables of databases: counted by their server, streamed once, recoded by DuckDB."""
