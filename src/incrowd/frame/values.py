"""The text of a value that is not text: one spelling for numbers, dates and truth values.

Whole numbers are plain (``39``, also from 39.0), other floats as Python writes them, dates, times
and timestamps ISO 8601 (a timestamp at midnight is a date, and no second ends in zeros behind its
point), decimals plain, truth values ``true`` and ``false``.  NaN, NaT, None and nulls have no text:
they are missing.
"""

from collections.abc import Iterable, Mapping, Set
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from incrowd.arrays import Codes
from incrowd.frame.buffers import positions_in
from incrowd.frame.source import Kind

Texts = list[str | None]

# Others can be equal and yet be told apart: 1.5 and 1.50, 0.0 and -0.0, noon here and elsewhere.
_EQUAL_IS_THE_SAME = frozenset({str, int, bool, date, type(None)})


def coded_array(array: Any) -> tuple[Codes, Texts] | None:
    """Code an Arrow array: by row a position in the texts, -1 for null; None for other types."""
    chunked = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    if not is_plain(chunked.type):
        return None
    if not len(chunked):
        return np.empty(0, dtype=np.int32), []
    if not pt.is_dictionary(chunked.type):
        chunked = _encodable(chunked).dictionary_encode()
    whole = chunked.unify_dictionaries().combine_chunks()
    return positions_in(whole.indices), texts_of(whole.dictionary)


def is_plain(kind: Any) -> bool:
    """Whether values of an Arrow type have a text: no bytes, no lists, no structs."""
    if pt.is_dictionary(kind):
        kind = kind.value_type
    return any(
        holds(kind)
        for holds in (
            *(_is_text, pt.is_integer, pt.is_floating, pt.is_decimal, pt.is_boolean),
            *(pt.is_date, pt.is_timestamp, pt.is_time, pt.is_null),
        )
    )


def kind_of(kind: Any, texts: Texts) -> Kind | None:
    """Return what a column of an Arrow type holds; None if its texts are to be asked."""
    if pt.is_dictionary(kind):
        kind = kind.value_type
    if pt.is_integer(kind) or pt.is_decimal(kind):
        return "number"
    if pt.is_floating(kind):
        return "text" if {"inf", "-inf"} & set(texts) else "number"
    if pt.is_date(kind) or pt.is_timestamp(kind):
        return "date"
    return "boolean" if pt.is_boolean(kind) else None


def _is_text(kind: Any) -> bool:
    return bool(pt.is_string(kind) or pt.is_large_string(kind) or pt.is_string_view(kind))


def _encodable(array: Any) -> Any:
    """Return the same values in a type that Arrow can dictionary-encode."""
    kind = array.type
    if pt.is_decimal(kind) and not (pt.is_decimal128(kind) or pt.is_decimal256(kind)):
        return array.cast(pa.decimal128(kind.precision, kind.scale))
    if pt.is_float16(kind):  # Arrow makes other numbers of those of several chunks
        return pa.chunked_array([array.combine_chunks()], kind)
    return array.cast(pa.large_string()) if pt.is_string_view(kind) else array


def texts_of(values: Any) -> Texts:
    """Return the text of each value of an Arrow array of a plain type; None where there is none."""
    kind = values.type
    if pt.is_boolean(kind):
        return [None if value is None else str(value).lower() for value in values.to_pylist()]
    if pt.is_floating(kind):
        floats = values.to_numpy(zero_copy_only=False)  # null becomes NaN
        wide = floats.tolist() if floats.dtype == np.float64 else floats
        return [float_text(value) for value in wide]
    if pt.is_decimal(kind):
        return [None if value is None else format(value, "f") for value in values.to_pylist()]
    if pt.is_timestamp(kind):
        return _timestamp_texts(values)
    if pt.is_time(kind):
        clocks = values.cast(pa.string()).to_pylist()
        return [None if clock is None else _without_zeros(clock) for clock in clocks]
    if pt.is_integer(kind) or pt.is_date(kind):
        values = values.cast(pa.date32()) if pt.is_date64(kind) else values
        values = values.cast(pa.string())
    texts: Texts = values.to_pylist()
    return texts


def float_text(value: Any) -> str | None:
    """Return the text of a float, as short as it can be told from others of its width.

    >>> float_text(39.0), float_text(-0.0), float_text(0.1), float_text(float("nan"))
    ('39', '0', '0.1', None)
    """
    if value != value:
        return None
    text = str(value).removesuffix(".0")
    return "0" if text == "-0" else text


def with_one_nan(values: Any) -> Any:
    """Return an array in which every NaN has the same bits: they can carry a message of 51 bits."""
    if values.dtype.kind == "c":
        parts = with_one_nan(values.view(values.real.dtype))
        return parts.view(values.dtype)
    if values.dtype.kind != "f":
        return values
    nan = np.isnan(values)
    return np.where(nan, values.dtype.type(np.nan), values) if nan.any() else values


def _timestamp_texts(values: Any) -> Texts:
    zone = values.type.tz
    local = pc.local_timestamp(values) if zone else values
    shown = np.datetime_as_string(local.to_numpy(zero_copy_only=False)).tolist()
    suffixes: Iterable[str] = [""] * len(shown)
    if zone:
        to_seconds = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[values.type.unit]
        naive = values.cast(pa.timestamp(values.type.unit)).cast(pa.int64())
        offsets = pc.subtract(local.cast(pa.int64()), naive).fill_null(0).to_numpy() // to_seconds
        suffixes = map(_offset_text, offsets.tolist())
    return [
        None if text == "NaT" else _without_midnight(text, suffix)
        for text, suffix in zip(shown, suffixes, strict=True)
    ]


def _without_midnight(text: str, suffix: str) -> str:
    day, _, clock = text.partition("T")
    clock = _without_zeros(clock)
    return f"{day}T{clock}{suffix}" if clock.strip("0:") else day


def _without_zeros(clock: str) -> str:
    return clock.rstrip("0").rstrip(".") if "." in clock else clock


def _offset_text(seconds: int) -> str:
    sign, minutes = "-" if seconds < 0 else "+", abs(seconds) // 60
    return f"{sign}{minutes // 60:02}:{minutes % 60:02}"


def coded_objects(values: Iterable[Any]) -> tuple[Codes, Texts]:
    """Code Python objects of any mix of types, by their texts.

    Raises
    ------
    TypeError
        If a value is bytes or a container; the message names its type.
    """
    position_of: dict[tuple[type, object], int] = {}
    codes: list[int] = []
    texts: Texts = []
    for value in values:
        kind = value.__class__  # 1, 1.0 and True are equal, but have texts of their own
        key = (kind, value if kind in _EQUAL_IS_THE_SAME else repr(value))
        position = position_of.get(key)
        if position is None:
            position = position_of[key] = len(texts)
            texts.append(object_text(value))
        codes.append(position)
    return np.array(codes, dtype=np.int32), texts


def object_text(value: Any) -> str | None:
    """Return the text of a Python object, None if it stands for a missing value."""
    if isinstance(
        value, bytes | bytearray | memoryview | np.ndarray | Mapping | Set | list | tuple
    ):
        raise TypeError(type(value).__name__)
    if isinstance(value, Decimal):
        hash(value)  # a signaling NaN has none: it raises wherever it is used
        return None if value.is_nan() else format(value, "f")
    if value is None or type(value).__name__ == "NAType" or value != value:
        return None
    if isinstance(value, bool | np.bool):
        return str(value).lower()
    if isinstance(value, float | np.floating):
        return float_text(value)
    if isinstance(value, datetime):
        midnight = value.time() == time() and not getattr(value, "nanosecond", 0)
        return value.date().isoformat() if midnight else value.isoformat()
    if isinstance(value, time) and value.tzinfo is None:
        return _without_zeros(value.isoformat())
    text = value.isoformat() if isinstance(value, date) else str(value)
    if not text.isascii():
        text.encode()  # refuse what cannot be written: lone surrogates
    return text
