"""Engines: where the rows are counted and recoded.

Each has a folder of its own with the same file names, and one line below.
"""

import incrowd.engines.memory.engine  # noqa: F401
from incrowd.engines.base import (
    Coding as Coding,
    Counted as Counted,
    DistinctValues as DistinctValues,
    Engine as Engine,
    Plan as Plan,
    Applied as Applied,
    engine_for as engine_for,
)
