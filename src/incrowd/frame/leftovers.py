"""Private files of processes that were killed, and how they are told from those of living ones.

The owner of a private file or folder holds a lock on it for as long as it lives; the system drops
the lock with the process, however it ends.  So one of our naming whose lock is free has no owner.
"""

import fcntl
import os
import re
import stat
from contextlib import suppress
from pathlib import Path

_NAME = re.compile(r"\.incrowd-pending-[0-9a-f]{16}(\.\w{1,16})?")
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
_FLAGS = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def private_name(folder: Path, suffix: str) -> Path:
    """Return a name that no other process chooses."""
    return folder / f".incrowd-pending-{os.urandom(8).hex()}{suffix}"


def make_owned(path: Path) -> int:
    """Make an empty file with mode 0600 that no other process takes for a leftover; open it."""
    while True:
        handle = os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
        with suppress(OSError):  # a file system without locks: nobody removes what cannot be locked
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle
        os.close(handle)  # taken for a leftover before it was locked


def remove_leftovers(folder: Path) -> None:
    """Remove the private files and folders in one that are ours and have no owner any more."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name):
                with suppress(OSError):
                    _remove_unowned(entry.path)


def _remove_unowned(path: str) -> None:
    is_folder = stat.S_ISDIR(os.stat(path, follow_symlinks=False).st_mode)
    handle = os.open(path, _FOLDER_FLAGS if is_folder else _FLAGS)
    try:
        found = os.fstat(handle)
        ours = stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)
        if ours and found.st_uid == os.geteuid():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises if it has an owner
            if os.path.samestat(os.stat(path, follow_symlinks=False), found):
                _removed(path) if is_folder else os.unlink(path)
    finally:
        os.close(handle)


def _removed(folder: str) -> None:
    import shutil  # not needed by a run that finds nothing

    shutil.rmtree(folder)
