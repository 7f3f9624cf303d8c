"""Arrow columns that own their bytes: no buffer, dictionary or type holds more than the cells.

A buffer may hold what no cell shows: rows that were left out behind a view or a slice, a value
under a null, an entry of a dictionary that nobody uses, a note in the metadata of a field.  Written
to a file or pickled, it is published with the table.  So the rows of a release are rebuilt here,
type by type; a type that cannot be rebuilt is refused.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from incrowd.arrays import Integers, Mask, Positions, blocks, narrowest
from incrowd.errors import InputError
from incrowd.frame.buffers import bits_of, numbers_as_arrow, positions_in
from incrowd.frame.coding import used_in_order
from incrowd.frame.values import with_one_nan

_FLOATS = {16: np.float16, 32: np.float32, 64: np.float64}
_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_KNOWN_EXTENSIONS = ("pyarrow", "pandas")


def owned_rows(column: Any, rows: Positions, name: str, *, judge_order: bool = True) -> Any:
    """Return rows of a column, as a chunked array that holds nothing else.

    Dictionaries are sorted and have the entries that occur.  An ordered one keeps its order,
    unless that is the order in which the entries appear in the input: it would undo a shuffle.

    Parameters
    ----------
    column
        A chunked array; its type stays, without the metadata of its fields.
    rows
        Positions.
    name
        For the message, if the column is refused.
    judge_order
        Whether the order of the rows is the owner's; that of a release says nothing.

    Raises
    ------
    InputError
        If the type cannot be rebuilt: unions, runs, dictionaries of lists.
    """
    kind = column.type
    try:
        movable = _as_type(column, _movable(kind))
        before = movable.combine_chunks() if judge_order and _has_order(kind) else None
        taken = movable.take(numbers_as_arrow(rows))
        if pt.is_nested(kind) or pt.is_dictionary(kind):  # one dictionary for all chunks
            taken = pa.chunked_array([taken.combine_chunks()], type=taken.type)
        found = [owned(part, before) for part in taken.chunks]
        return _as_type(pa.chunked_array(found, type=bare(movable.type)), bare(kind))
    except pa.ArrowNotImplementedError:
        raise InputError(
            f"column {name!r} of type {kind} cannot be put in another order.",
            hint="make it a column of a plain type, or leave it out.",
        ) from None


def owned(array: Any, before: Any = None) -> Any:
    """Return the same cells in buffers that hold them alone.

    Parameters
    ----------
    array
        An Arrow array without views of texts.
    before
        The column of the input, to know an order of appearance by; None where there is none.

    Raises
    ------
    pyarrow.ArrowNotImplementedError
        If the type cannot be rebuilt.
    """
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        storage = owned(array.storage, None if before is None else before.storage)
        return pa.ExtensionArray.from_storage(kind, storage) if _is_known(kind) else storage
    if pt.is_null(kind) or not len(array):
        return pa.nulls(len(array), bare(kind))
    for holds, rebuild in _REBUILDERS:
        if holds(kind):
            return rebuild(array, before)
    if pt.is_primitive(kind) or pt.is_decimal(kind) or pt.is_interval(kind):
        return _fixed_width(array)
    raise pa.ArrowNotImplementedError(str(kind))


def _as_type(column: Any, kind: Any) -> Any:
    return column if column.type == kind else column.cast(kind)


def bare(kind: Any) -> Any:
    """Return a type without the metadata of the fields inside it."""
    return _mapped(kind, lambda leaf: leaf)


def bare_schema(schema: Any) -> Any:
    """Return a schema without the metadata of the table and of its fields."""
    return pa.schema(
        [pa.field(each.name, bare(each.type), nullable=each.nullable) for each in schema]
    )


def _movable(kind: Any) -> Any:
    """Return a type that Arrow can take rows of: it takes no views of texts or bytes."""
    views = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    return _mapped(kind, lambda leaf: views.get(leaf, leaf))


def _is_known(kind: Any) -> bool:
    """Whether an extension type comes from a library: the parameters of others may be anything."""
    return type(kind).__module__.partition(".")[0] in _KNOWN_EXTENSIONS


def _mapped(kind: Any, leaf: Callable[[Any], Any]) -> Any:
    """Return a type with its innermost types replaced and the metadata of its fields left out."""

    def field(one: Any) -> Any:
        return pa.field(one.name, _mapped(one.type, leaf), nullable=one.nullable)

    if isinstance(kind, pa.BaseExtensionType):
        return kind if _is_known(kind) else _mapped(kind.storage_type, leaf)
    if pt.is_struct(kind):
        return pa.struct([field(kind.field(i)) for i in range(kind.num_fields)])
    if pt.is_map(kind):
        return pa.map_(field(kind.key_field), field(kind.item_field), kind.keys_sorted)
    if pt.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _mapped(kind.value_type, leaf), kind.ordered)
    if pt.is_fixed_size_list(kind):
        return pa.list_(field(kind.value_field), kind.list_size)
    for holds, build in _LISTS:
        if holds(kind):
            return build(field(kind.value_field))
    return leaf(kind)


_LISTS = (
    (pt.is_list, pa.list_),
    (pt.is_large_list, pa.large_list),
    (pt.is_list_view, pa.list_view),
    (pt.is_large_list_view, pa.large_list_view),
)


def _has_order(kind: Any) -> bool:
    """Whether there is an ordered dictionary in a type, however deep."""
    if isinstance(kind, pa.BaseExtensionType):
        return _has_order(kind.storage_type)
    if pt.is_dictionary(kind):
        return bool(kind.ordered)
    if pt.is_map(kind):
        return _has_order(kind.key_type) or _has_order(kind.item_type)
    return any(_has_order(kind.field(i).type) for i in range(kind.num_fields))


def _valid(array: Any) -> Mask | None:
    """Return which cells are there; None if all are."""
    if not array.null_count:
        return None
    valid: Mask = array.is_valid().to_numpy(zero_copy_only=False)
    return valid


def _fixed_width(array: Any) -> Any:
    """Return numbers, dates and the like, with zeros under nulls and one kind of NaN."""
    kind, n = array.type, len(array)
    buffer, width = array.buffers()[1], kind.bit_width // 8
    word = _WORDS.get(width, np.dtype((np.void, width)))
    old = np.frombuffer(buffer, word, count=array.offset + n)[array.offset :]
    values, valid = old, _valid(array)
    if valid is not None:
        values = np.where(valid, old, np.zeros(1, old.dtype))
    if pt.is_floating(kind):
        values = with_one_nan(values.view(_FLOATS[kind.bit_width]))
    if valid is None and np.may_share_memory(values, old) and buffer.size == values.nbytes:
        return array  # nothing else is in it
    return pa.Array.from_buffers(kind, n, [bits_of(valid), pa.py_buffer(values.tobytes())])


def _booleans(array: Any, before: Any) -> Any:
    truths = array.fill_null(False).to_numpy(zero_copy_only=False)
    buffers = [bits_of(_valid(array)), bits_of(truths)]
    return pa.Array.from_buffers(array.type, len(array), buffers)


def _texts(array: Any, before: Any) -> Any:
    """Return texts or bytes; what Arrow took row by row is compact already."""
    if _is_compact(array):
        return array
    return array.take(pa.array(np.arange(len(array))))


def _is_compact(array: Any) -> bool:
    _, starts, data = array.buffers()
    wide = pt.is_large_string(array.type) or pt.is_large_binary(array.type)
    offsets = np.frombuffer(starts, np.int64 if wide else np.int32)
    if array.offset or len(offsets) != len(array) + 1 or offsets[0]:
        return False
    valid = _valid(array)
    under_nulls = 0 if valid is None else np.diff(offsets)[~valid].sum()
    return not under_nulls and int(offsets[-1]) == (0 if data is None else data.size)


def _struct(array: Any, before: Any) -> Any:
    inside = array.flatten()  # a null struct makes null fields
    befores = [None] * len(inside) if before is None else before.flatten()
    children = [owned(*pair) for pair in zip(inside, befores, strict=True)]
    return _nested(array, [], children)


def _list(array: Any, before: Any) -> Any:
    wide = pt.is_large_list(array.type)
    lengths = _lengths(array, np.diff(array.offsets.to_numpy()))
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int64 if wide else np.int32)
    return _nested(array, [offsets], [_inside(array, before)])


def _list_view(array: Any, before: Any) -> Any:
    whole = np.int64 if pt.is_large_list_view(array.type) else np.int32
    lengths = _lengths(array, array.sizes.to_numpy())
    offsets = np.cumsum(lengths) - lengths
    parts = [offsets.astype(whole), lengths.astype(whole)]
    return _nested(array, parts, [_inside(array, before)])


def _fixed_size_list(array: Any, before: Any) -> Any:
    inside, valid = array.flatten(), _valid(array)
    if valid is not None:  # flattening leaves out the cells of null lists
        there = np.repeat(valid, array.type.list_size)
        inside = inside.take(pa.array(np.cumsum(there) - 1, mask=~there))
    return _nested(array, [], [owned(inside, None if before is None else _flat(before))])


def _inside(array: Any, before: Any) -> Any:
    return owned(_flat(array), None if before is None else _flat(before))


def _flat(array: Any) -> Any:
    """Return the cells of the lists that are there, end to end; Arrow flattens no maps."""
    kind = array.type
    if not pt.is_map(kind):
        return array.flatten()
    pairs = [array.keys, array.items]
    entries = pa.StructArray.from_arrays(pairs, fields=[kind.key_field, kind.item_field])
    buffers, as_list = array.buffers()[:2], pa.list_(entries.type)
    return pa.Array.from_buffers(
        as_list, len(array), buffers, offset=array.offset, children=[entries]
    ).flatten()


def _lengths(array: Any, lengths: npt.NDArray[Any]) -> npt.NDArray[Any]:
    valid = _valid(array)
    return lengths if valid is None else np.where(valid, lengths, 0)


def _nested(array: Any, parts: list[npt.NDArray[Any]], children: list[Any]) -> Any:
    buffers = [bits_of(_valid(array)), *(pa.py_buffer(part.tobytes()) for part in parts)]
    return pa.Array.from_buffers(bare(array.type), len(array), buffers, children=children)


def _dictionary(array: Any, before: Any) -> Any:
    """Return a dictionary with the entries that occur, each once."""
    kind, at = array.type, positions_in(array.indices)
    occurs = np.zeros(len(array.dictionary) + 1, dtype=bool)
    for block in blocks(len(at)):
        occurs[at[block]] = True  # -1, a null, is the last
    used = np.flatnonzero(occurs[:-1])
    entries = owned(array.dictionary.take(numbers_as_arrow(used))).dictionary_encode()
    distinct = entries.dictionary
    keeps = kind.ordered and not (before is not None and _in_order_of_rows(distinct, before))
    order = np.arange(len(distinct)) if keeps else _sorted(distinct)
    rank = np.append(np.argsort(order), -1)  # the last one is for entries that are null
    moved = np.full(len(array.dictionary) + 1, -1, dtype=narrowest(len(distinct)))
    moved[used] = rank[positions_in(entries.indices)]
    found = moved[at]
    held = None
    if (moved[used] < 0).any() or occurs[-1]:
        held = found >= 0
        found[~held] = 0
    indices = numbers_as_arrow(found, held).cast(kind.index_type)
    values = distinct.take(numbers_as_arrow(order))
    return pa.DictionaryArray.from_arrays(indices, values, ordered=kind.ordered)


def _sorted(values: Any) -> Integers:
    """Return the positions of values in ascending order."""
    try:
        found: Integers = positions_in(pc.sort_indices(values)).astype(np.int64)
    except pa.ArrowNotImplementedError:  # half floats, calendar intervals
        texts = [str(value) for value in values.to_pylist()]
        return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    return found


def _in_order_of_rows(entries: Any, before: Any) -> bool:
    """Whether entries stand in the order in which a column of the input first has them."""
    first = used_in_order(positions_in(before.indices), len(before.dictionary))
    appearing = before.dictionary.take(pa.array(first))
    places = pc.index_in(appearing, value_set=entries).drop_null().unique().to_numpy()
    return bool((np.diff(places) > 0).all())


def _is_text(kind: Any) -> bool:
    return any(
        holds(kind)
        for holds in (pt.is_string, pt.is_large_string, pt.is_binary, pt.is_large_binary)
    )


_REBUILDERS: tuple[tuple[Callable[[Any], bool], Callable[[Any, Any], Any]], ...] = (
    (pt.is_dictionary, _dictionary),
    (pt.is_boolean, _booleans),
    (_is_text, _texts),
    (pt.is_fixed_size_binary, lambda array, before: _fixed_width(array)),
    (pt.is_struct, _struct),
    (lambda kind: pt.is_list(kind) or pt.is_large_list(kind) or pt.is_map(kind), _list),
    (lambda kind: pt.is_list_view(kind) or pt.is_large_list_view(kind), _list_view),
    (pt.is_fixed_size_list, _fixed_size_list),
)
