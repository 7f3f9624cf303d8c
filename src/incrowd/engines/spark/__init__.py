"""Tables of Spark: counted, recoded and written by its workers."""
