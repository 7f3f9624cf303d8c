"""Tables that nobody thought of, for every registered algorithm: ``make fuzz MINUTES=10``."""
