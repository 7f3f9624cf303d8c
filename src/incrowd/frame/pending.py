"""Files that appear whole, once they were verified, or not at all."""

import errno
import glob
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import IO, Protocol, Self, TypeVar

from incrowd.errors import OutputError
from incrowd.frame import leftovers
from incrowd.frame.formats import local_path

AnyPath = str | os.PathLike[str]
STDOUT = "-"


class Pending(Protocol):
    """What is private until it is published."""

    @property
    def path(self) -> Path:
        """Where it is until then."""

    @property
    def target(self) -> Path | None:
        """Where it goes; None is standard output."""

    def prepare(self) -> None:
        """Do all of the publishing that can take long and be taken back."""

    def publish(self) -> None:
        """Move it to its target."""

    def discard(self) -> None:
        """Remove it if it was not published."""

    def failed(self, error: OSError) -> OutputError:
        """Return what went wrong while writing it, in words."""


_P = TypeVar("_P", bound=Pending)


class PendingFile(AbstractContextManager["PendingFile"]):
    """A file beside its target, private until it is published.

    It is made by `create`, under a name that is known before: whenever an interrupt comes, whoever
    holds the object can remove the file.  As a context manager it discards the file unless
    `publish` was called.  What a killed process leaves is removed by the next one that makes a file
    in the same folder; see `incrowd.frame.leftovers`.

    Parameters
    ----------
    path
        The file until it is published, mode 0600.
    target
        Where `publish` moves it; None is standard output.
    private
        Whether the published file too is for its owner alone.  Otherwise it gets the permissions
        of the file that it replaces, or those that a new file has (the umask decides).
    """

    def __init__(self, path: Path, target: Path | None, *, private: bool = False) -> None:
        self.path = path
        self.target = target
        self.private = private
        self._lock: int | None = None

    @classmethod
    def beside(cls, target: Path | None, suffix: str, *, private: bool = False) -> Self:
        """Name a file beside the target, or among the temporary files for standard output."""
        folder = Path(tempfile.gettempdir()) if target is None else target.parent
        return cls(leftovers.private_name(folder, suffix), target, private=private)

    @property
    def recountable(self) -> Path:
        """What a recount reads."""
        return self.path

    def create(self) -> IO[bytes]:
        """Make the file, empty, and open it for writing."""
        leftovers.remove_leftovers(self.path.parent)
        try:
            handle = leftovers.make_owned(self.path)
            self._lock = os.dup(handle)  # owned until it is published or gone
            return os.fdopen(handle, "wb")
        except OSError as error:
            raise self.failed(error) from None

    def write(self, writing: Callable[[IO[bytes]], object]) -> None:
        """Make the file and write to it; if that fails or is interrupted, it is gone."""
        try:
            with self.create() as file:
                writing(file)
                file.flush()
                os.fsync(file.fileno())
        except BaseException as error:
            self.discard()
            if isinstance(error, OSError) and not isinstance(error, OutputError):
                raise self.failed(error) from None
            raise

    def write_text(self, text: str) -> None:
        """Make the file and write a text to it."""
        self.write(lambda file: file.write(text.encode("utf-8")))

    def prepare(self) -> None:
        """Do all of the publishing that can take long and be taken back: nothing, for a file."""

    def publish(self) -> None:
        """Move the file to its target in one step, or copy it to standard output."""
        try:
            if self.target is None:
                self._copy_to_stdout()
            else:
                os.chmod(self.path, 0o600 if self.private else mode_for(self.target))
                os.replace(self.path, self.target)
                sync_folder(self.target.parent)
        except OSError as error:
            raise self.failed(error) from None
        finally:
            self.discard()

    def discard(self) -> None:
        """Remove the file if it was not published."""
        self.path.unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def failed(self, error: OSError) -> OutputError:
        """Return what went wrong while writing it, in words."""
        return unwritable(self.target or "standard output", error)

    def _copy_to_stdout(self) -> None:
        with open(self.path, "rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
        sys.stdout.buffer.flush()

    def __exit__(self, *raised: object) -> None:
        self.discard()


class PendingFiles(AbstractContextManager["PendingFiles"]):
    """Files that appear together or not at all.

    Each is written and verified under its private name first.  `publish` then puts them in place
    one after the other, in the order in which they were added but the first one last, and takes
    those back that are in place already if one of them fails.  As a context manager it discards
    what was not published.

    Notes
    -----
    What went to standard output cannot be taken back; it goes there once all files that can be
    taken back are in place.

    From the moment at which the last file moves, nothing is taken back any more unless that fails:
    `settled` says so to whoever handles signals, for a process that ends as interrupted would
    belie the files that are there.
    """

    settled = False  # of the last files that this process published

    def __init__(self) -> None:
        PendingFiles.settled = False
        self._files: list[Pending] = []
        self._before: list[tuple[Path, PendingFile | None]] = []

    def add(self, file: _P) -> _P:
        """Put a file under the care of the others; no two may go to one place."""
        if any(file.target == each.target for each in self._files):
            raise OutputError(
                "two outputs would go to the same place.",
                hint="name a file for each; only one of them can be standard output (-).",
            )
        self._files.append(file)
        return file

    def add_text(self, path: AnyPath, text: str, *, private: bool = False) -> None:
        """Write a text to a file of its own, to be published with the others."""
        self.add(reserve_text(path, private=private)).write_text(text)

    def publish(self) -> None:
        """Put all files in place, or none."""
        first, others = self._files[:1], self._files[1:]
        others.sort(key=lambda file: file.target is None)  # a stable order: files, then stdout
        for file in self._files:
            file.prepare()
        try:
            for file in others:
                self._remember(file)
                file.publish()
            for file in first:
                PendingFiles.settled = file.target is not None
                file.publish()
        except BaseException:
            PendingFiles.settled = False
            self._take_back()
            raise
        finally:
            self._forget()

    def _remember(self, file: "Pending") -> None:
        """Keep what stands where the file will stand, under a private name beside it."""
        if file.target is None:
            return
        if _mode_of(file.target) is None:
            self._before.append((file.target, None))
            return
        kept = PendingFile.beside(file.target, file.path.suffix)
        try:
            with kept.create() as copy, open(file.target, "rb") as old:
                shutil.copyfileobj(old, copy)
            shutil.copystat(file.target, kept.path)
        except BaseException as error:
            kept.discard()
            if isinstance(error, OSError) and not isinstance(error, OutputError):
                raise file.failed(error) from None
            raise
        self._before.append((file.target, kept))

    def _take_back(self) -> None:
        for target, kept in reversed(self._before):
            with suppress(OSError):
                if kept is None:
                    target.unlink(missing_ok=True)
                else:
                    os.replace(kept.path, target)

    def _forget(self) -> None:
        for _, kept in self._before:
            if kept is not None:
                kept.discard()
        self._before.clear()

    def __exit__(self, *raised: object) -> None:
        for file in self._files:
            file.discard()


def check_target(path: AnyPath, *, inputs: Sequence[AnyPath] = ()) -> Path | None:
    """Return where a file would be written, None for standard output (``-``).

    Meant to be called before long work too, so that a wrong path is told at once.

    Raises
    ------
    OutputError
        If the folder is missing or not writable, or the path is a folder, a device or an input.
    """
    target = check_place(path, inputs=inputs)
    mode = None if target is None else _mode_of(target)
    if mode is not None and stat.S_ISDIR(mode):
        raise OutputError(f"{path} is a folder.", hint="name a file in it.")
    if mode is not None and not stat.S_ISREG(mode):
        raise OutputError(f"{path} is no ordinary file.", hint="use - for standard output.")
    return target


def check_place(path: AnyPath, *, inputs: Sequence[AnyPath] = ()) -> Path | None:
    """Return where an output would stand, None for standard output; what stands there is kept.

    Raises
    ------
    OutputError
        If the folder is missing or not writable, or the path is an input or in a folder of them.
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
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise OutputError(f"the folder of {path} is not writable.", hint="choose another folder.")
    for each in inputs:
        _refuse_input(path, target, each)
    return target


def _refuse_input(path: AnyPath, target: Path, given: AnyPath) -> None:
    """Raise if an output would replace an input, or become a part of one."""
    named = os.fspath(given)
    files = glob.glob(named, recursive=True) if glob.has_magic(named) else []
    if any(_same_file(target, each) for each in (named, *files)):
        raise OutputError(
            f"{path} is an input: it would be overwritten.", hint="choose another output."
        )
    if os.path.isdir(named) and Path(os.path.realpath(named)) in target.parents:
        raise OutputError(
            f"{path} lies in the folder that is read: the next run would read it too.",
            hint="choose another folder.",
        )


def check_targets(paths: Iterable[AnyPath | None], *, inputs: Iterable[AnyPath | None]) -> None:
    """Check several outputs together: `check_target` for each, and no two in one place.

    None among the paths or inputs is one that was not asked for.
    """
    given = [each for each in inputs if each is not None]
    files = PendingFiles()
    for path in paths:
        if path is not None:
            files.add(reserve_text(path, inputs=given))


def reserve_text(
    path: AnyPath, *, inputs: Sequence[AnyPath] = (), private: bool = False
) -> PendingFile:
    """Check where a text will go, and name the private file beside it; nothing is made yet."""
    target = check_target(path, inputs=inputs)
    return PendingFile.beside(target, Path(path).suffix, private=private)


def write_text(path: AnyPath, text: str, *, private: bool = False) -> None:
    """Write a text file whole or not at all; a private one is for its owner alone (mode 0600)."""
    with PendingFiles() as files:
        files.add_text(path, text, private=private)
        files.publish()


def _mode_of(target: Path) -> int | None:
    try:
        return target.stat().st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unwritable(target, error) from None


def _same_file(target: Path, other: AnyPath) -> bool:
    try:
        return os.path.samefile(target, local_path(other) or other)
    except OSError:  # one of them does not exist
        return False


def mode_for(target: Path) -> int:
    """Return the permissions of a file, or those that it would have if it were made now."""
    mode = _mode_of(target)
    if mode is not None:
        return stat.S_IMODE(mode) & 0o777
    umask = os.umask(0o077)  # it can only be read by setting it
    os.umask(umask)
    return 0o666 & ~umask


def sync_folder(folder: Path) -> None:
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
