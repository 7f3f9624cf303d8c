"""Folders that appear whole, once they were verified, or not at all."""

import fcntl
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from incrowd.errors import OutputError
from incrowd.frame import leftovers
from incrowd.frame.pending import AnyPath, check_place, sync_folder, unwritable


class PendingFolder:
    """A folder beside its target, private until it is published; it stands among pending files.

    Parameters
    ----------
    path
        The folder until it is published, mode 0700.
    target
        Where `publish` moves it: nothing, or an empty folder.
    """

    def __init__(self, path: Path, target: Path) -> None:
        self.path, self.target = path, target
        self._lock: int | None = None

    @property
    def recountable(self) -> Path:
        """What a recount reads."""
        return self.path

    def prepare(self) -> None:
        """Do nothing: a folder is moved in one step."""

    def write(self, writing: Callable[[Path], object]) -> None:
        """Make the folder and write into it; if that fails or is interrupted, it is gone."""
        leftovers.remove_leftovers(self.path.parent)
        try:
            os.mkdir(self.path, 0o700)
            self._lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            with suppress(OSError):  # a file system without locks
                fcntl.flock(self._lock, fcntl.LOCK_EX)
            writing(self.path)
            _sync_all(self.path)
        except BaseException as error:
            self.discard()
            if isinstance(error, OSError) and not isinstance(error, OutputError):
                raise self.failed(error) from None
            raise

    def publish(self) -> None:
        """Move the folder to its target in one step."""
        try:
            _open_to_others(self.path)
            os.replace(self.path, self.target)  # fails if somebody has put something there
            sync_folder(self.target.parent)
        except OSError as error:
            raise self.failed(error) from None
        finally:
            self.discard()

    def discard(self) -> None:
        """Remove the folder if it was not published."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def failed(self, error: OSError) -> OutputError:
        """Return what went wrong while writing it, in words."""
        return unwritable(self.target, error)


def reserve_folder(path: AnyPath, *, inputs: Sequence[AnyPath] = ()) -> PendingFolder:
    """Check where a folder will go, and name the private one beside it; nothing is made yet."""
    target = check_place(path, inputs=inputs)
    if target is None:
        raise OutputError("a folder cannot go to standard output.", hint="name a folder.")
    if target.is_dir():
        if any(target.iterdir()):
            raise OutputError(
                f"the folder {path} is not empty.", hint="name a new one, or empty it yourself."
            )
    elif os.path.lexists(target):
        raise OutputError(f"{path} is a file, and a folder is asked for.", hint="name a folder.")
    return PendingFolder(leftovers.private_name(target.parent, ""), target)


def _sync_all(folder: Path) -> None:
    """Make all files survive a power cut."""
    for here, _, files in os.walk(folder):
        for name in files:
            with open(os.path.join(here, name), "rb") as file:
                os.fsync(file.fileno())
        sync_folder(Path(here))


def _open_to_others(folder: Path) -> None:
    """Give everything the permissions that new files and folders have."""
    umask = os.umask(0o077)  # it can only be read by setting it
    os.umask(umask)
    for here, _, files in os.walk(folder, topdown=False):
        for name in files:
            os.chmod(os.path.join(here, name), 0o666 & ~umask)
        os.chmod(here, 0o777 & ~umask)
