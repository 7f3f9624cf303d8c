"""Auto: several searches on the same table, and the one that serves a purpose best."""
