"""Engines: where the rows are counted and recoded.

Each has a folder of its own with the same file names, and one line below.
"""

import incrowd.engines.memory.engine  # noqa: F401
from incrowd.engines.base import Coding, Counted, DistinctValues, Engine, Plan, engine_for

__all__ = ["Coding", "Counted", "DistinctValues", "Engine", "Plan", "engine_for"]
