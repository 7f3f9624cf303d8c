"""A folder for temporary files that nobody else can read, and that does not outlive its owner."""

import fcntl
import os
import shutil
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import IO

from incrowd.errors import OutputError
from incrowd.frame import leftovers


class PrivateFolder(AbstractContextManager["PrivateFolder"]):
    """A folder of mode 0700, removed when it is closed, garbage, or its process ends.

    What a killed process left is removed by the next one that makes a folder in the same place: an
    owner holds a lock on its folder for as long as it lives.

    Parameters
    ----------
    parent
        Where it is made.
    """

    def __init__(self, parent: Path) -> None:
        leftovers.remove_leftovers(parent)
        self.path = leftovers.private_name(parent, "")
        try:
            os.mkdir(self.path, 0o700)
            lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise OutputError(
                f"no private folder can be made in {parent}: {os.strerror(error.errno or 0)}.",
                hint="name another folder for temporary files.",
            ) from None
        with suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        self._gone = weakref.finalize(self, _remove, self.path, lock, os.getpid())

    def file(self, suffix: str) -> Path:
        """Return the name of a new file in it."""
        return self.path / f"{len(os.listdir(self.path))}{suffix}"

    def close(self) -> None:
        """Remove it."""
        self._gone()

    def __exit__(self, *raised: object) -> None:
        self.close()


def write_privately(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a new file that nobody else can read."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        write(file)


def _remove(path: Path, lock: int, owner: int) -> None:
    if os.getpid() == owner:  # a forked child owns nothing
        shutil.rmtree(path, ignore_errors=True)
        with suppress(OSError):
            os.close(lock)
