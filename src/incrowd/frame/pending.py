"""Files that appear whole, once they were verified, or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from incrowd.errors import OutputError

AnyPath = str | os.PathLike[str]
STDOUT = "-"


class PendingFile:
    """A file beside its target, private until it is published.

    It is made by `create`, under a name that is known before: whenever an interrupt comes, whoever
    holds the object can remove the file.  As a context manager it discards the file unless
    `publish` was called.

    Parameters
    ----------
    path
        The file until it is published, mode 0600.
    target
        Where `publish` moves it; None is standard output.

    Notes
    -----
    A published file gets the permissions of the file that it replaces, or those that a new file
    has (the umask decides).
    """

    def __init__(self, path: Path, target: Path | None) -> None:
        self.path = path
        self.target = target

    @classmethod
    def beside(cls, target: Path | None, suffix: str) -> Self:
        """Name a file beside the target, or among the temporary files for standard output."""
        folder = Path(tempfile.gettempdir()) if target is None else target.parent
        return cls(folder / f".incrowd-{secrets.token_hex(8)}{suffix}", target)

    def create(self) -> IO[bytes]:
        """Make the file, empty, and open it for writing."""
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_CLOEXEC", 0)
        try:
            return os.fdopen(os.open(self.path, flags, 0o600), "wb")
        except OSError as error:
            raise unwritable(self.target or "standard output", error) from None

    def publish(self, *, private: bool = False) -> None:
        """Move the file to its target in one step, or copy it to standard output.

        A private file keeps mode 0600, whatever it replaces.
        """
        try:
            if self.target is None:
                self._copy_to_stdout()
            else:
                if not private:
                    os.chmod(self.path, _mode_for(self.target))
                os.replace(self.path, self.target)
                _sync_folder(self.target.parent)
        except OSError as error:
            raise unwritable(self.target or "standard output", error) from None
        finally:
            self.discard()

    def discard(self) -> None:
        """Remove the file if it was not published."""
        self.path.unlink(missing_ok=True)

    def _copy_to_stdout(self) -> None:
        with open(self.path, "rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
        sys.stdout.buffer.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.discard()


def check_target(path: AnyPath, *, inputs: Sequence[AnyPath] = ()) -> Path | None:
    """Return where a file would be written, None for standard output (``-``).

    Meant to be called before long work too, so that a wrong path is told at once.

    Raises
    ------
    OutputError
        If the folder is missing or not writable, or the path is a folder, a device or an input.
    """
    if os.fspath(path) == STDOUT:
        if sys.stdout is None:
            raise OutputError("standard output is closed.", hint="name a file instead of -.")
        return None
    if not os.fspath(path):
        raise OutputError("the output has no name.", hint="name a file, or - for standard output.")
    target = Path(os.path.realpath(path))  # a link is written through, not replaced
    if not os.path.isdir(target.parent):
        raise OutputError(f"the folder of {path} does not exist.", hint="make the folder first.")
    mode = _mode_of(target)
    if mode is not None and stat.S_ISDIR(mode):
        raise OutputError(f"{path} is a folder.", hint="name a file in it.")
    if mode is not None and not stat.S_ISREG(mode):
        raise OutputError(f"{path} is no ordinary file.", hint="use - for standard output.")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise OutputError(f"the folder of {path} is not writable.", hint="choose another folder.")
    for each in inputs:
        if _same_file(target, each):
            raise OutputError(
                f"{path} is an input: it would be overwritten.", hint="choose another output."
            )
    return target


def check_targets(paths: Iterable[AnyPath | None], *, inputs: Iterable[AnyPath | None]) -> None:
    """Check several outputs together: `check_target` for each, and no two in one place.

    None among the paths or inputs is one that was not asked for.
    """
    given = [each for each in inputs if each is not None]
    targets = [check_target(path, inputs=given) for path in paths if path is not None]
    if len(set(targets)) < len(targets):
        raise OutputError(
            "two outputs would go to the same place.",
            hint="name a file for each; only one of them can be standard output (-).",
        )


def write_text(path: AnyPath, text: str, *, private: bool = False) -> None:
    """Write a text file whole or not at all; a private one is its owner's alone, mode 0600."""
    with PendingFile.beside(check_target(path), Path(path).suffix) as pending:
        file = pending.create()
        try:
            with file:
                file.write(text.encode("utf-8"))
        except OSError as error:
            raise unwritable(path, error) from None
        pending.publish(private=private)


def _mode_of(target: Path) -> int | None:
    try:
        return target.stat().st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unwritable(target, error) from None


def _same_file(target: Path, other: AnyPath) -> bool:
    try:
        return os.path.samefile(target, other)
    except OSError:  # one of them does not exist
        return False


def _mode_for(target: Path) -> int:
    mode = _mode_of(target)
    if mode is not None:
        return stat.S_IMODE(mode) & 0o777
    umask = os.umask(0o077)  # it can only be read by setting it
    os.umask(umask)
    return 0o666 & ~umask


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power cut, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)


def unwritable(path: AnyPath, error: OSError) -> OutputError:
    """Return what went wrong while writing, in words."""
    what, hint = {
        errno.ENOSPC: ("the disk is full", "make room, or choose another disk."),
        errno.EDQUOT: ("the disk quota is used up", "make room, or choose another disk."),
        errno.EFBIG: ("the file would be larger than allowed", "raise the limit (ulimit -f)."),
        errno.EACCES: ("the folder is not writable", "choose another folder."),
        errno.EPERM: ("the system does not allow it", "choose another folder."),
        errno.EROFS: ("the disk is read-only", "choose another disk."),
        errno.EPIPE: ("the reader went away", "read standard output to its end."),
    }.get(error.errno or 0, (os.strerror(error.errno or errno.EIO), "choose another path."))
    return OutputError(f"{os.fspath(path)} cannot be written: {what}.", hint=hint)
