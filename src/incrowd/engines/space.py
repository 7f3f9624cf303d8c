"""How much memory a run may take, where its temporary files go, and whom it tells of itself."""

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from incrowd.errors import ParameterError
from incrowd.progress import QUIET, Progress

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
    """

    memory: int | str | None = None
    temporary: str | os.PathLike[str] | None = None
    progress: Progress = QUIET

    def __post_init__(self) -> None:
        if isinstance(self.memory, str):
            object.__setattr__(self, "memory", bytes_of(self.memory))

    @property
    def given(self) -> bool:
        """Whether anything was asked for."""
        return self.memory is not None or self.temporary is not None

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
