"""What a case of the benchmarks is given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Setting:
    """How to measure.

    Parameters
    ----------
    repeats
        Runs, of which the least counts.
    folder
        A folder of the case's own, gone afterwards.
    peers
        The folder of the venvs that have the peers installed, if there is one.
    rows, seconds
        How many records every algorithm is run on, and how long it may take.
    """

    repeats: int
    folder: Path
    peers: Path | None = None
    rows: int = 1_000_000
    seconds: float = 120.0
