"""Engines: where the rows are counted and recoded."""

from incrowd.engines.base import Coding, DistinctValues, Engine, Plan
from incrowd.engines.memory.engine import MemoryEngine

__all__ = ["Coding", "DistinctValues", "Engine", "MemoryEngine", "Plan"]
