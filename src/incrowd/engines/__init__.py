"""Engines: where the rows are counted and recoded.

Each has a folder of its own with the same file names, and one line below.
"""

from incrowd.engines.memory.engine import in_memory as in_memory
import incrowd.engines.duckdb.engine  # asked before memory, which takes everything
import incrowd.engines.spark.engine
import incrowd.engines.database.engine  # noqa: F401
from incrowd.engines.space import Space as Space
from incrowd.engines.base import (
    Coding as Coding,
    Countable as Countable,
    Counted as Counted,
    CountedInMemory as CountedInMemory,
    DistinctValues as DistinctValues,
    Engine as Engine,
    Plan as Plan,
    Applied as Applied,
    ReleasedRows as ReleasedRows,
    RowsInMemory as RowsInMemory,
    Whose as Whose,
    engine_for as engine_for,
)
