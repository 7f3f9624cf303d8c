"""A session of Spark and a private folder: where tables are counted and written."""

import os
import re
import shutil
import subprocess
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from incrowd.engines.space import Space
from incrowd.errors import IncrowdError, ParameterError
from incrowd.frame.formats import local_path
from incrowd.frame.leftovers import private_name
from incrowd.frame.private_folder import PrivateFolder, write_privately
from incrowd.frame.spark_frames import asked, asked_under, is_spark_frame

_R = TypeVar("_R")

BROADCAST = 64 * 2**20
"""Bytes up to which a small table is sent to every worker; larger ones are shuffled."""

OLDEST_JAVA = 17
_READ_AS_PATTERN = re.compile(r"([*?\[\]{}\\])")
_AS_READ_ELSEWHERE = {
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # nanoseconds end in 2262
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
}
_SETTINGS = {
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


class Workplace:
    """A session, and a folder for what is written on the way.

    Parameters
    ----------
    session
        Whose workers count.
    space
        Where the folder goes, and how many tuples may be collected.
    """

    def __init__(self, session: Any, space: Space) -> None:
        self.session, self.space = session, space
        self.parent = _staging(space)
        self._tag = private_name(Path(), "").name.lstrip(".")
        self._made: PrivateFolder | None = None
        self._numbers = count()
        self._passing: list[str] = []

    @cached_property
    def folder(self) -> Path:
        """The private folder, made when it is asked for."""
        folder = PrivateFolder(self.parent)
        self._made = folder
        self._gone = weakref.finalize(self, folder.close)
        return folder.path

    def keep_for_session(self) -> None:
        """Leave the folder for as long as the session: frames over its files outlive a release."""
        if self._made is not None and self._gone.detach():
            self._gone = weakref.finalize(self.session, self._made.close)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the owner should know of the staging folder."""
        kind = _file_system(self.parent)
        if self.space.staging is None or not kind.startswith("fuse"):
            return ()
        return (
            f"the staging folder is on a file system of kind {kind}: renaming may not be atomic "
            "there, so look at a release only once the run has ended",
        )

    def run(self, query: Callable[[], _R]) -> _R:
        """Ask Spark; if it fails, or somebody interrupts it, nothing is left."""
        try:
            return asked_under(self.session, self._tag, query)
        except BaseException:
            self.close(patiently=True)
            raise

    def rows_in(self, path: Path) -> Any:
        """Return the frame over a Parquet file, or a folder of them."""
        return self.run(lambda: self.session.read.parquet(uri_of(path)))

    def tell(self, name: str, table: pa.Table) -> Any:
        """Let the workers know a small table: as a private file, so that no plan quotes it."""
        import pyarrow.parquet as pq

        path = self.passing(name)
        write_privately(path, lambda file: pq.write_table(table, file, coerce_timestamps="us"))
        return self.rows_in(path)

    def passing(self, name: str) -> Path:
        """Return the path of something that is needed until the rows are made."""
        self._passing.append(name)
        return self.folder / name

    def new_name(self, what: str) -> str:
        """Return a name for one more file of some kind."""
        return f"{what}-{next(self._numbers)}"

    def joinable(self, table: pa.Table, name: str, alias: str) -> Any:
        """Let the workers know a table, and how it is to be joined with."""
        hint = "broadcast" if is_sent(table) else "shuffle_hash"
        return self.tell(name, table).hint(hint).alias(alias)

    def write(self, frame: Any, name: str, *, repeating: bool = True) -> Path:
        """Write a frame into the private folder, once, to be needed on the way.

        One whose column `drawn` hardly repeats a value is written faster if that is known.
        """
        path = self.passing(name)
        writer = frame.write.mode("error")
        if not repeating:
            writer = writer.option("parquet.enable.dictionary#drawn", "false")
        with with_settings(self.session, _AS_READ_ELSEWHERE):
            self.run(lambda: writer.parquet(uri_of(path)))
        return path

    def forget(self, *, but: str) -> None:
        """Remove what was needed on the way, but for one of it."""
        for name in self._passing:
            if name == but:
                continue
            path = self.folder / name
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        self._passing = [but]

    def close(self, *, patiently: bool = False) -> None:
        """Remove the folder; if tasks may still run, until they have stopped to write into it."""
        if self._made is None:
            return
        self._gone()
        quiet = 0
        while patiently and quiet < 5:
            time.sleep(0.1)
            quiet = 0 if os.path.exists(self.folder) else quiet + 1
            shutil.rmtree(self.folder, ignore_errors=True)


def is_sent(table: pa.Table) -> bool:
    """Whether a table is small enough to be sent to every worker."""
    return int(table.nbytes) <= BROADCAST


@contextmanager
def with_settings(session: Any, settings: Mapping[str, str]) -> Iterator[None]:
    """Let a session have some settings for a while, for which there are no options."""
    before = {key: asked(partial(session.conf.get, key)) for key in settings}
    try:
        for key, value in settings.items():
            asked(partial(session.conf.set, key, value))
        yield
    finally:
        with suppress(Exception):
            for key, value in before.items():
                session.conf.set(key, value)


def workplace_for(data: Any, space: Space) -> Workplace:
    """Return where a frame or a path is worked on: the session of a frame, or the one there is."""
    if not is_spark_frame(data):
        return Workplace(_session(), space)
    session = asked(lambda: data.sparkSession)
    return Workplace(session, space)


def uri_of(path: Path) -> str:
    """Return a path as Spark takes it, wherever its default file system is."""
    return f"file://{path}"


def read_as_it_is(path: str) -> str:
    """Return a path as Spark reads it, which takes some characters for a pattern."""
    return uri_of(Path(_READ_AS_PATTERN.sub(r"\\\1", path)))


def _staging(space: Space) -> Path:
    """Return the folder in which private ones are made."""
    local = None if space.staging is None else local_path(space.staging)
    if space.staging is not None and local is None:
        raise ParameterError(
            "a staging folder that is no folder of this machine cannot be recounted from here.",
            hint="name a folder that the driver and all workers see under the same path.",
        )
    folder = Path(os.path.abspath(Space(temporary=local).folder))
    if _READ_AS_PATTERN.search(str(folder)):
        raise ParameterError(
            "the path of the staging folder has characters that Spark reads as a pattern.",
            hint="name a folder without *, ?, brackets, braces and backslashes.",
        )
    return folder


def _session() -> Any:
    """Return the session there is, or start one."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise ParameterError(
            "engine spark needs PySpark, which is not installed.",
            hint='pip install "incrowd[spark]".',
        ) from None
    found = SparkSession.getActiveSession()
    if found is not None:
        return found
    if not any(os.environ.get(name) for name in ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED")):
        check_java()
    builder: Any = SparkSession.builder
    for key, value in _SETTINGS.items():
        builder = builder.config(key, value)
    try:
        return builder.appName("incrowd").getOrCreate()
    except IncrowdError:
        raise
    except Exception as error:
        raise ParameterError(
            f"no session of Spark can be started ({type(error).__name__}).",
            hint="see what `python -c 'from pyspark.sql import SparkSession as S; "
            "S.builder.getOrCreate()'` says.",
        ) from None


def check_java() -> None:
    """Refuse to start Spark without a Java that it can use."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=os.path.join(home, "bin") if home else None)
    said = ""
    if java is not None:
        with suppress(OSError, subprocess.SubprocessError):
            ran = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)
            said = ran.stderr + ran.stdout
    version = java_version(said)
    if version is None or version < OLDEST_JAVA:
        what = "no Java is found" if version is None else f"Java {version} is too old"
        raise ParameterError(
            f"Spark needs Java {OLDEST_JAVA} or newer, and {what}.",
            hint=f"install it (Debian: openjdk-{OLDEST_JAVA}-jre-headless), or let JAVA_HOME name "
            "its folder.",
        )


def java_version(said: str) -> int | None:
    """Return the version in what ``java -version`` says.

    >>> java_version('openjdk version "17.0.15" 2025-04-15'), java_version('"1.8.0_402"')
    (17, 8)
    """
    found = re.search(r'"(?:1\.)?(\d+)', said)
    return None if found is None else int(found[1])


def _file_system(folder: Path) -> str:
    """Return the kind of file system that a folder is on; empty if the system does not say."""
    with suppress(OSError):
        lines = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
        above = {line[1]: line[2] for line in lines if folder.is_relative_to(line[1])}
        return above[max(above, key=len)] if above else ""
    return ""
