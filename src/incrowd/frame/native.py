"""Frames in memory: pandas, Polars and PyArrow in, the same kind out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Self

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from incrowd.arrays import Codes, Integers, Positions
from incrowd.errors import InputError
from incrowd.frame import arrow_frames, lazy_frames, pandas_frames, polars_frames
from incrowd.frame.coding import encoded, require_column, whole_numbers
from incrowd.frame.source import Encoded, NewCells
from incrowd.frame.values import Texts, coded_array, kind_of
from incrowd.private import private_dataclass

_TAKERS: dict[str, Callable[..., Any]] = {
    "pandas": pandas_frames.take,
    "polars": polars_frames.take,
    "pyarrow": arrow_frames.take,
    "parquet": partial(arrow_frames.take, shorten=True),
}
SUPPORTED = (
    "a path of CSV, Parquet, Arrow, JSON lines or Excel files, a frame of pandas, Polars, PyArrow, "
    "DuckDB or Ibis, Arrow record batches, or a table of a database (incrowd.database)"
)


@private_dataclass
class FrameSource:
    """A frame of pandas, Polars or PyArrow; build it with `from_frame`.

    Parameters
    ----------
    native
        The frame itself, never modified.
    kind
        ``"pandas"``, ``"polars"``, ``"pyarrow"``, or ``"parquet"`` for a file read into PyArrow.
    lazy
        Whether a Polars LazyFrame came in, or a reader of record batches, so one goes out.
    shortened
        Columns of text that are held as dictionaries only to save time and memory: whoever asks for
        the table gets text.
    released
        Whether the rows were taken from another source: their order is no longer the owner's.
    """

    native: Any
    kind: str
    notes: tuple[str, ...] = ()
    lazy: bool = False
    shortened: frozenset[str] = frozenset()
    released: bool = False

    @cached_property
    def _frame(self) -> nw.DataFrame[Any]:
        return nw.from_native(self.native, eager_only=True)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(self._frame.columns)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self._frame)

    def encode(self, name: str, *, missing: Sequence[str] = ("",)) -> Encoded:
        """Code a column by the text of its values; nulls and NaN are missing."""
        require_column(self.names, name)
        without = frozenset(missing)
        if self.kind == "pandas" and pandas_frames.is_objects(self.native[name]):
            codes, texts, merged = self._coded_objects(name)
            return encoded(codes, texts, missing=without, merged=merged)
        try:
            array = self._array(name)
            coded = coded_array(array)
        except pa.ArrowException:
            raise self._untextual(name) from None
        if coded is None:
            raise self._untextual(name)
        codes, texts = coded
        return encoded(codes, texts, missing=without, kind=kind_of(array.type, texts))

    def _array(self, name: str) -> Any:
        """Return a column for Arrow; one that is there already keeps its chunks, uncopied."""
        if isinstance(self.native, pa.Table):
            return self.native.column(name)
        return self._frame[name].to_arrow()

    def _coded_objects(self, name: str) -> tuple[Codes, Texts, bool]:
        try:
            return pandas_frames.coded(self.native[name])
        except TypeError:
            raise self._untextual(name) from None
        except UnicodeError:
            raise InputError(
                f"column {name!r} holds text that is not valid Unicode.",
                hint="decode the column anew; lone surrogates cannot be written.",
            ) from None

    def _untextual(self, name: str) -> InputError:
        return InputError(
            f"column {name!r} of type {self._frame[name].dtype} has values without a text.",
            hint="make it a column of numbers, texts, dates or truth values, or leave it out.",
        )

    def numbers(self, name: str) -> Integers:
        """Return a column of whole numbers of 1 or more; refuse all others."""
        return whole_numbers(self.encode(name), name)

    def take(self, rows: Positions, replaced: Mapping[str, NewCells], names: Sequence[str]) -> Self:
        """Return the given rows and columns as a new frame that owns its bytes.

        Some columns are replaced by text.
        """
        for name in names:
            require_column(self.names, name)
        taken = _TAKERS[self.kind](
            self.native,
            np.asarray(rows),
            replaced,
            list(names),
            judge_order=not self.released,
        )
        shortened = frozenset(
            name
            for name in (names if self.kind == "parquet" else ())
            if (name in replaced or name in self.shortened)
            and pt.is_dictionary(taken.schema.field(name).type)
        )
        return replace(self, native=taken, shortened=shortened, released=True)

    def in_place(self, replaced: Mapping[str, NewCells], names: Sequence[str]) -> Self:
        """Return all rows where they stand, with some columns replaced; pandas keeps its index.

        For frames to learn from; a release uses `take`.
        """
        shown = self.take(np.arange(self.n_rows), replaced, names)
        if self.kind == "pandas":
            shown.native.index = self.native.index
        return shown

    def holds_text(self, name: str) -> bool:
        """Whether the column can hold any text without changing its type."""
        require_column(self.names, name)
        texts = (nw.String, nw.Categorical, nw.Enum, nw.Object)
        return isinstance(self._frame.schema[name], texts)

    def to_arrow(self) -> Any:
        """Return the frame as a PyArrow table."""
        if isinstance(self.native, pa.Table):
            return self._spelled_out
        arrays = {}
        for name in self.names:
            try:
                arrays[name] = self._array(name)
            except (pa.ArrowException, UnicodeError):
                raise InputError(
                    f"column {name!r} of type {self._frame[name].dtype} has no Arrow type.",
                    hint="give the column one type, or write a CSV file.",
                ) from None
        return pa.table(arrays)

    def to_native(self) -> Any:
        """Return the frame, of the kind that came in."""
        if self.lazy and self.kind == "polars":
            return self.native.lazy()
        return self._spelled_out.to_reader() if self.lazy else self._spelled_out

    @cached_property
    def _spelled_out(self) -> Any:
        """The frame as others get it: text where dictionaries were held in its place."""
        if not self.shortened:
            return self.native
        return arrow_frames.spelled_out(self.native, self.shortened)


def from_frame(data: Any) -> FrameSource:
    """Take a frame of pandas, Polars or PyArrow as a table.

    Raises
    ------
    InputError
        If it is another kind of object, has no rows or columns, or has columns that share a name
        or whose names are not texts.
    """
    known = nw.dependencies
    if known.is_pandas_dataframe(data):
        return _checked(FrameSource(data, "pandas"), list(data.columns))
    if known.is_polars_dataframe(data):
        return _checked(FrameSource(data, "polars"), data.columns)
    if known.is_pyarrow_table(data):
        return _checked(FrameSource(data, "pyarrow"), data.column_names)
    collected = lazy_frames.collected(data)
    if collected is None:
        raise lazy_frames.no_table(data, SUPPORTED)
    return _checked(FrameSource(**collected), nw.from_native(collected["native"]).columns)


def _checked(source: FrameSource, names: list[Any]) -> FrameSource:
    if not names:
        raise InputError("the table has no columns.", hint=f"pass {SUPPORTED}.")
    if not all(isinstance(name, str) for name in names):
        raise InputError(
            "the table has columns whose names are not texts.",
            hint="rename them, for example frame.columns = [str(name) for name in frame.columns].",
        )
    if len(set(names)) < len(names):
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        raise InputError(
            f"the table has several columns named {', '.join(map(repr, twice))}.",
            hint="rename them: each column needs a name of its own.",
        )
    if source.n_rows == 0:
        raise InputError("the table has no records.", hint="a table needs at least one record.")
    return source
