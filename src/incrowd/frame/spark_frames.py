"""Frames of Spark, classic or Connect: told by where they come from, and asked without words.

Whatever Spark raises may quote cells; it is said again here without them.  Nothing here imports
PySpark before somebody has a frame or a session.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from incrowd.errors import IncrowdError, InputError, OutputError
from incrowd.frame.interruptible import interruptible

_R = TypeVar("_R")

_NESTED = ("array", "map", "struct", "variant", "binary", "interval", "geo")
_NO_ROOM = ("No space left on device", "Disk quota exceeded")
_GONE = ("Py4JNetworkError", "ConnectionRefusedError", "ConnectionResetError", "BrokenPipeError",
         "EOFError")  # fmt: skip
_STOPPED = ("stopped SparkContext", "SparkContext was shut down", "NO_ACTIVE_SESSION",
            "SESSION_CLOSED", "SESSION_NOT_FOUND", "StatusCode.UNAVAILABLE",
            "'NoneType' object has no attribute")  # fmt: skip


def is_spark_frame(data: Any) -> bool:
    """Whether an object is a DataFrame of PySpark; none is imported to find out."""
    kind = type(data)
    return kind.__module__.startswith("pyspark.sql.") and kind.__name__ == "DataFrame"


def expression(frame: Any, text: str) -> Any:
    """Return an SQL expression as a column for that kind of frame."""
    package = "connect." if _is_remote(frame) else ""
    functions = __import__(f"pyspark.sql.{package}functions", fromlist=["expr"])
    return functions.expr(text)


def renamed(frame: Any) -> Any:
    """Return a frame whose columns are called c0, c1 ..., so that no query names what they are."""
    return asked(lambda: frame.toDF(*(f"c{at}" for at in range(len(frame.columns)))))


def plain_cell(column: str, kind: Any) -> str:
    """Return a column as SQL that compares cells by what they are, whatever its collation says."""
    name = str(kind.simpleString())
    if name.startswith("string collate"):
        return f"collate({column}, 'UTF8_BINARY')"
    return f"CAST({column} AS STRING)" if name == "void" else column


def is_floating(kind: Any) -> bool:
    """Whether a type of Spark has two zeros."""
    return kind.simpleString() in ("float", "double")


def negative_zero(column: str) -> str:
    """Return as SQL whether a number is -0.0, which compares equal to 0.0."""
    return f"coalesce({column} = 0 AND CAST({column} AS STRING) = '-0.0', false)"


def negative_zeros(numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return which numbers are -0.0."""
    zero = pc.equal(numbers, pa.scalar(0.0, numbers.type))
    negative = pc.less(pc.divide(pa.scalar(1.0, numbers.type), numbers), 0)
    return pc.fill_null(pc.and_(zero, negative), False)


def with_signs(numbers: pa.ChunkedArray, negative: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return numbers with the sign of their zeros, which Spark forgets when it groups."""
    return pc.if_else(negative, pa.scalar(-0.0, numbers.type), numbers)


def arrow_of(frame: Any) -> pa.Table:
    """Run the query of a frame, and bring its rows here."""
    found: pa.Table = asked(frame.toArrow)
    return _texts_plain(found)


def _texts_plain(table: pa.Table) -> pa.Table:
    """Return a table whose texts have the type that they have in all other frames."""
    for at, field in enumerate(table.schema):
        if pt.is_large_string(field.type):
            table = table.set_column(at, field.name, table.column(at).cast(pa.string()))
    return table


def asked(query: Callable[[], _R]) -> _R:
    """Ask Spark for something; what it says instead is told without its words."""
    try:
        return query()
    except IncrowdError:
        raise
    except Exception as error:
        raise _in_words(error) from None


def asked_under(session: Any, tag: str, query: Callable[[], _R]) -> _R:
    """Ask a session of Spark for something; it ends the query if that is interrupted.

    Parameters
    ----------
    session
        Whose query.
    tag
        What it is known by; nothing else in the session has it.
    query
        Asked in a thread of its own, which is waited for: jobs that are only being planned when
        the interrupt comes begin later, and must be ended then.
    """
    add, end = _tagging(session)

    def tagged() -> _R:
        add(tag)
        return query()

    def interrupt() -> None:
        with suppress(Exception):
            end(tag)

    return asked(lambda: interruptible(_as_here(session, tagged), interrupt))


def _tagging(session: Any) -> tuple[Callable[[str], Any], Callable[[str], Any]]:
    """Return what tags the queries of a thread, and what ends those with a tag."""
    if _is_remote(session):
        return session.addTag, session.interruptTag
    context = session.sparkContext  # the tags of a classic session itself end no query
    return context.addJobTag, context.cancelJobsWithTag


def _as_here(session: Any, work: Callable[[], _R]) -> Callable[[], _R]:
    """Return work for another thread, in which Spark knows what it knows of this one."""
    if not _is_remote(session):
        from pyspark import inheritable_thread_target

        inheriting: Callable[[], _R] = inheritable_thread_target(session)(work)
        return inheriting
    tags = session.getTags()

    def tagged() -> _R:
        for tag in tags:
            session.addTag(tag)
        return work()

    return tagged


def _is_remote(session: Any) -> bool:
    """Whether a session, or a frame, is one of Connect."""
    return ".connect." in type(session).__module__


def _in_words(error: Exception) -> IncrowdError:
    text, kind = str(error), type(error).__name__
    if any(each in text for each in _NO_ROOM):
        return OutputError(
            "the disk of the staging folder, or of Spark's own files, is full.",
            hint="make room, name another folder (staging=), or set spark.local.dir.",
        )
    if "No module named 'incrowd'" in text:
        return InputError(
            "Spark's workers have no incrowd, and they are to cut regions where the rows are.",
            hint="install incrowd where the workers run (`spark.pyspark.python` names their "
            "Python), or allow more rows here (collect_limit=).",
        )
    if kind in _GONE or any(each in text for each in _STOPPED):
        return InputError(
            f"Spark is gone, or its session was stopped ({kind}).",
            hint="start a session, and read the table with it again.",
        )
    return InputError(
        f"a query of Spark fails ({kind}{_condition(error)}).",
        hint="run the query of the frame without incrowd to see whether it fails by itself; the "
        "logs of Spark say more, and may quote cells.",
    )


def _condition(error: Exception) -> str:
    """Return the name of Spark's error condition, which quotes nothing."""
    with suppress(Exception):
        name = error.getCondition() if hasattr(error, "getCondition") else None
        return "" if not name else f", {name}"
    return ""


def refuse_nested(name: str, kind: Any) -> None:
    """Raise if the values of a column, of some type of Spark, have no text."""
    called = str(kind.simpleString())
    if called.startswith(_NESTED) or "interval" in called:
        raise InputError(
            f"column {name!r} of type {called.split('<')[0]} has values without a text.",
            hint="make texts or numbers of it, or give it another role.",
        )


def check_columns(frame: Any, names: Sequence[str]) -> None:
    """Refuse a stream, and columns that Spark itself cannot tell apart in a file."""
    if asked(lambda: frame.isStreaming):
        raise InputError(
            "the frame is a stream, which has no end to count to.",
            hint="write what has come so far to a table, and read that.",
        )
    folded: dict[str, str] = {}
    for name in names:
        other = folded.setdefault(name.lower(), name)
        if other != name:
            raise InputError(
                f"columns {other!r} and {name!r} differ in small and capital letters alone, which "
                "Spark does not tell apart.",
                hint="rename one of them.",
            )
