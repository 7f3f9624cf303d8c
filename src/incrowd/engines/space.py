"""How much memory a run may take, where its temporary files go, and whom it tells of itself."""

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from incrowd.errors import ParameterError
from incrowd.progress import QUIET, Progress

MOST_COLLECTED = 20_000_000
"""Distinct rows that come from a cluster to where the search runs, unless it is said otherwise."""

LARGEST_LIMIT = 2**31 - 2
"""Clusters count what they hand over in 32 bits, and one row more is asked for than may come."""

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
          "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}  # fmt: skip
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*")


@dataclass(frozen=True)
class Space:
    """What a run may take of the machine, and what it reports to.

    Parameters
    ----------
    memory
        Bytes that the whole process may take, or a text such as ``"2GB"``; what is at hand if None.
    temporary
        The folder in which a private folder for temporary files is made; the system's if None.
    progress
        Told how many rows are done, where that is known.
    staging
        The folder in which the workers of a cluster write a release, and where it stays.
    collect_limit
        How many distinct rows may come from a cluster to where the search runs.
    """

    memory: int | str | None = None
    temporary: str | os.PathLike[str] | None = None
    progress: Progress = QUIET
    staging: str | os.PathLike[str] | None = None
    collect_limit: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.memory, str):
            object.__setattr__(self, "memory", bytes_of(self.memory))
        if self.collect_limit is not None and not _is_count(self.collect_limit):
            raise ParameterError(
                "collect_limit is no number of rows.", hint="write a whole number of 1 or more."
            )

    @property
    def given(self) -> bool:
        """Whether anything was asked for of this machine."""
        return self.memory is not None or self.temporary is not None

    @property
    def given_to_cluster(self) -> bool:
        """Whether anything was asked for that only a cluster knows."""
        return self.staging is not None or self.collect_limit is not None

    @property
    def most_collected(self) -> int:
        """How many distinct rows may come to where the search runs."""
        return min(
            MOST_COLLECTED if self.collect_limit is None else self.collect_limit, LARGEST_LIMIT
        )

    @property
    def limit(self) -> int:
        """Bytes that the process may take."""
        return int(self.memory) if self.memory is not None else memory_at_hand()

    @property
    def folder(self) -> Path:
        """The folder for temporary files."""
        chosen = Path(self.temporary or tempfile.gettempdir())
        if not chosen.is_dir() or not os.access(chosen, os.W_OK | os.X_OK):
            raise ParameterError(
                f"{chosen} is no folder that can be written to.",
                hint="name another folder for temporary files.",
            )
        return chosen


def _is_count(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 1


def bytes_of(size: str) -> int:
    """Return a size in bytes.

    >>> bytes_of("2GB"), bytes_of("512 MiB"), bytes_of("1.5gb")
    (2000000000, 536870912, 1500000000)
    """
    found = _SIZE.fullmatch(size)
    unit = None if found is None else _UNITS.get(found[2].upper())
    if found is None or unit is None:
        raise ParameterError(
            f"{size!r} is no amount of memory.", hint="write for example 2GB, 800MB or 1.5GiB."
        )
    return int(float(found[1]) * unit)


def memory_at_hand() -> int:
    """Return how many bytes the process may still take: what is free, and what it is allowed."""
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        free = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines}
        found.append(free["MemAvailable"])
        found.append(int(Path("/sys/fs/cgroup/memory.max").read_text("ascii")))
    except (OSError, ValueError, KeyError, IndexError):
        pass  # another system, or no limit
    return min(found)
