"""Numbers between NumPy and Arrow, by their buffers.

`pa.array`, `to_numpy` and `fill_null` import pandas where it is installed, which takes longer than
most tables.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from incrowd.arrays import Codes, Mask, Positions

_TYPES = {
    np.dtype(np.int8): pa.int8(),
    np.dtype(np.int16): pa.int16(),
    np.dtype(np.int32): pa.int32(),
    np.dtype(np.int64): pa.int64(),
}


def positions_in(indices: Any) -> Codes:
    """Return the positions that an Arrow array of whole numbers holds, -1 where it is null."""
    found = indices.cast(pa.int32())
    here = slice(found.offset, found.offset + len(found))
    bits, data = found.buffers()
    codes: Codes = np.frombuffer(data or b"", dtype=np.int32)[here]
    if found.null_count:
        held = np.unpackbits(np.frombuffer(bits, dtype=np.uint8), bitorder="little")[here]
        codes = np.where(held, codes, np.int32(-1))
    return codes


def numbers_as_arrow(values: Positions, held: Mask | None = None) -> Any:
    """Return whole numbers as an Arrow array, uncopied; those that are not held are null."""
    plain = np.ascontiguousarray(values)
    buffers = [bits_of(held), pa.py_buffer(plain)]
    return pa.Array.from_buffers(_TYPES[plain.dtype], len(plain), buffers)


def bits_of(truths: Mask | None) -> Any:
    """Return truth values as Arrow holds them; None, where all are true, stays None."""
    return None if truths is None else pa.py_buffer(np.packbits(truths, bitorder="little"))


def texts_as_arrow(texts: Sequence[str | None], kind: Any) -> Any:
    """Return texts as an Arrow array of strings or large strings; None is null."""
    cells = [b"" if text is None else text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, cells)], dtype=np.int64)
    if pa.types.is_string(kind):
        if ends[-1] > np.iinfo(np.int32).max:
            raise pa.ArrowCapacityError("the texts do not fit into one array of strings")
        ends = ends.astype(np.int32)
    held = None if None not in texts else np.array([text is not None for text in texts])
    buffers = [bits_of(held), pa.py_buffer(ends), pa.py_buffer(b"".join(cells))]
    return pa.Array.from_buffers(kind, len(cells), buffers)
