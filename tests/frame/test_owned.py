"""What is taken from a frame owns its bytes: nothing of the other rows is in any buffer."""

from __future__ import annotations

import datetime as dt
import io
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import InputError
from incrowd.frame import Replacement, open_source
from incrowd.frame.owned import owned_rows

TEXTS = [f"CANARY-{letter}-of-some-length" for letter in "fbdeac"]  # in no order
ROWS = np.array([4, 2, 0])
HIDDEN = 2  # the row that is taken and null, where a test makes one null
GONE = [TEXTS[row].encode() for row in (1, 3, 5)]


def taken(frame, rows=ROWS, new=None, names=("x",)):
    return open_source(frame).take(rows, new or {}, list(names)).to_native()


def written(frame) -> bytes:
    """Return all that a frame looks like when it is written without compression."""
    if isinstance(frame, pd.DataFrame):
        return pickle.dumps(frame)
    sink = io.BytesIO()
    if isinstance(frame, pl.DataFrame):
        frame.write_ipc(sink, compression="uncompressed", compat_level=pl.CompatLevel.newest())
    else:
        with pa.ipc.new_stream(sink, frame.schema) as writer:
            writer.write_table(frame)
    return sink.getvalue() + pickle.dumps(frame)


def dictionary(ordered=False):
    coded = pa.array(TEXTS).dictionary_encode()
    return pa.DictionaryArray.from_arrays(coded.indices, coded.dictionary, ordered=ordered)


def offsets():
    return pa.array(range(7), pa.int32())


def many(kind, make):
    return pa.array([make(text) for text in TEXTS], kind)


ARROW = {
    "string": pa.array(TEXTS),
    "large string": pa.array(TEXTS, pa.large_string()),
    "string view": pa.array(TEXTS, pa.string_view()),
    "binary": many(pa.binary(), str.encode),
    "binary view": many(pa.binary_view(), str.encode),
    "fixed binary": many(pa.binary(len(TEXTS[0])), str.encode),
    "slice": pa.array([*"xyz", *TEXTS, "end"])[3:9],
    "dictionary": dictionary(),
    "ordered dictionary": dictionary(ordered=True),
    "dictionary of views": pa.DictionaryArray.from_arrays(
        pa.array(range(6)), pa.array(TEXTS, pa.string_view())
    ),
    "list": many(pa.list_(pa.string()), lambda text: [text, "and"]),
    "large list": many(pa.large_list(pa.string()), lambda text: [text]),
    "list view": many(pa.list_view(pa.string()), lambda text: [text]),
    "large list view": many(pa.large_list_view(pa.string()), lambda text: [text]),
    "list of views": many(pa.list_(pa.string_view()), lambda text: [text]),
    "fixed list": many(pa.list_(pa.string(), 2), lambda text: [text, "and"]),
    "map": many(pa.map_(pa.string(), pa.string()), lambda text: [(text, "of " + text)]),
    "slice of a map": pa.array(
        [[("k", "v")]] * 2 + [[(text, None)] for text in TEXTS], pa.map_(pa.string(), pa.string())
    )[2:],
    "struct": pa.array([{"a": text, "b": [text]} for text in TEXTS]),
    "struct of a dictionary": pa.StructArray.from_arrays([dictionary()], ["a"]),
    "list of dictionaries": pa.ListArray.from_arrays(offsets(), dictionary()),
    "map of dictionaries": pa.MapArray.from_arrays(offsets(), pa.array(TEXTS), dictionary()),
    "json": pa.array([f'"{text}"' for text in TEXTS], pa.json_()),
    "integers": pa.array(range(6)),
    "floats": pa.array([1.0, np.nan, 2.0, np.nan, np.inf, -0.0]),
    "half floats": pa.array([1.0, np.nan, 2.0, 3.0, 4.0, 5.0], pa.float16()),
    "truths": pa.array([True, False] * 3),
    "decimals": pa.array([Decimal(n) for n in range(6)]),
    "wide decimals": pa.array([Decimal(n) for n in range(6)], pa.decimal256(50, 2)),
    "days": pa.array([dt.date(2020, 1, n + 1) for n in range(6)]),
    "calendar": pa.array([(n, 1, 2) for n in range(6)], pa.month_day_nano_interval()),
    "uuid": pa.array([b"%016d" % n for n in range(6)], pa.uuid()),
    "nothing": pa.nulls(6),
    "no fields": pa.array([{}] * 6, pa.struct([])),
}


@pytest.mark.parametrize("kind", ARROW)
@pytest.mark.parametrize("chunks", [1, 2])
def test_arrow_columns_hold_nothing_else(kind, chunks):
    whole = ARROW[kind]
    column = pa.chunked_array([whole] if chunks == 1 else [whole[:3], whole[3:]])
    found = taken(pa.table({"x": column}))
    found.validate(full=True)
    assert found["x"].type == whole.type
    assert repr(found["x"].to_pylist()) == repr([whole.to_pylist()[row] for row in ROWS])
    assert not [text for text in GONE if text in written(found)]
    arrays = pd.DataFrame({"x": pd.arrays.ArrowExtensionArray(column)})
    if not isinstance(whole.type, pa.BaseExtensionType):
        shown = taken(arrays)
        assert shown["x"].dtype == arrays["x"].dtype
        assert not [text for text in GONE if text in written(shown)]


@pytest.mark.parametrize("kind", ["string", "binary", "fixed binary", "slice", "struct", "list",
                                  "large list", "list view", "fixed list", "map"])  # fmt: skip
def test_what_stands_under_a_null_is_gone(kind):
    hidden = _hiding(ARROW[kind], HIDDEN)
    found = taken(pa.table({"x": hidden}))
    found.validate(full=True)
    assert found["x"].to_pylist() == [hidden.to_pylist()[row] for row in ROWS]
    assert found["x"].null_count == 1
    assert TEXTS[HIDDEN].encode() not in written(found)


def test_numbers_under_a_null_are_zero():
    for kind in (pa.int64(), pa.float64(), pa.decimal128(9, 2), pa.date64(), pa.time64("us")):
        secret = np.full(6 * kind.bit_width // 64, 0x0123456789ABCDEF, dtype=np.int64)
        valid = pa.py_buffer(bytes([0b111011]))
        array = pa.Array.from_buffers(kind, 6, [valid, pa.py_buffer(secret.tobytes())])
        for nested in (array, pa.StructArray.from_arrays([array], ["a"])):
            part = owned_rows(pa.chunked_array([nested]), np.array([2, 2]), "x").chunk(0)
            part = part.field(0) if isinstance(part, pa.StructArray) else part
            assert set(part.buffers()[1].to_pybytes()) == {0}


def _hiding(array, row):
    """Return an array with one cell made null in place, so that its bytes stay."""
    valid = np.ones(array.offset + len(array), dtype=bool)
    valid[array.offset + row] = False
    bits = pa.py_buffer(np.packbits(valid, bitorder="little"))
    kind = array.type
    if isinstance(array, pa.MapArray):
        fields = [kind.key_field, kind.item_field]
        children = [pa.StructArray.from_arrays([array.keys, array.items], fields=fields)]
    elif isinstance(array, pa.StructArray):
        children = [array.field(at) for at in range(kind.num_fields)]
    else:
        children = [array.values] if hasattr(array, "values") else []
    own = 0 if isinstance(array, pa.StructArray | pa.FixedSizeListArray) else 1
    own += isinstance(array, pa.ListViewArray)
    buffers = array.buffers()[1:] if not children else array.buffers()[1 : 1 + own]
    return pa.Array.from_buffers(
        kind, len(array), [bits, *buffers], offset=array.offset, children=children or None
    )


def union():
    return pa.UnionArray.from_sparse(
        pa.array([0, 1] * 3, pa.int8()), [pa.array(range(6)), pa.array(TEXTS)]
    )


@pytest.mark.parametrize(
    "array",
    [
        union(),
        pa.RunEndEncodedArray.from_arrays([3, 6], TEXTS[:2]),
        pa.DictionaryArray.from_arrays(pa.array(range(6)), pa.array([[text] for text in TEXTS])),
    ],
    ids=lambda array: str(array.type)[:12],
)
def test_what_cannot_be_rebuilt_is_refused(array):
    for frame in (
        pa.table({"x": array}),
        pd.DataFrame({"x": pd.arrays.ArrowExtensionArray(pa.chunked_array([array]))}),
    ):
        with pytest.raises(InputError, match=r"'x' of type .* cannot be put") as caught:
            taken(frame)
        assert "CANARY" not in str(caught.value)


def test_no_metadata_survives():
    inner = pa.field("a", pa.string(), metadata={"owner": "SECRET"}, nullable=False)
    field = pa.field("x", pa.list_(pa.field("e", pa.struct([inner]), metadata={"m": "SECRET"})))
    schema = pa.schema([field.with_metadata({"n": "SECRET"})], metadata={"t": "SECRET"})
    table = pa.table([pa.array([[{"a": text}] for text in TEXTS], field.type)], schema=schema)
    found = taken(table)
    assert found.schema == schema  # names and nullability stay
    assert found.schema.metadata is None
    assert b"SECRET" not in written(found)
    entries = pa.map_(inner, pa.field("i", pa.string(), metadata={"o": "SECRET"}))
    found = taken(pa.table({"x": pa.array([[(text, "v")] for text in TEXTS], entries)}))
    assert b"SECRET" not in written(found)


class Noted(pa.ExtensionType):
    """An extension type with a note of its owner."""

    def __init__(self):
        super().__init__(pa.string(), "tests.noted")

    def __arrow_ext_serialize__(self):
        return b"SECRET"

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, serialized):
        return cls()


def test_extensions_that_nobody_knows_come_out_as_what_they_store():
    array = pa.ExtensionArray.from_storage(Noted(), pa.array(TEXTS))
    found = taken(pa.table({"x": array}))
    assert found["x"].type == pa.string()
    assert found["x"].to_pylist() == [TEXTS[row] for row in ROWS]
    assert b"SECRET" not in written(found)
    series = pl.Series("x", TEXTS).ext.to(pl.Extension("tests.noted", pl.String, "SECRET"))
    found = taken(pl.DataFrame({"x": series}))
    assert found.schema["x"] == pl.String
    assert b"SECRET" not in written(found)


SORTED = sorted(TEXTS[row] for row in ROWS)


def test_dictionaries_are_sorted_and_hold_what_occurs():
    nested = {
        "dictionary": lambda part: part,
        "struct of a dictionary": lambda part: part.field(0),
        "list of dictionaries": lambda part: part.values,
        "map of dictionaries": lambda part: part.items,
    }
    for kind, inside in nested.items():
        part = inside(taken(pa.table({"x": ARROW[kind]}))["x"].chunk(0))
        assert part.dictionary.to_pylist() == SORTED


def test_entries_that_are_equal_become_one():
    entries = pa.array(["b", "a", "b", None])
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3, None]), entries)
    found = taken(pa.table({"x": column}), np.arange(5))["x"].combine_chunks()
    assert found.dictionary.to_pylist() == ["a", "b"]
    assert found.indices.to_pylist() == [1, 0, 1, None, None]


@pytest.mark.parametrize(
    ("declared", "released"),
    [
        (["low", "unused", "middle", "high", "gone"], ["low", "middle", "high"]),
        (["high", "unused", "gone", "low", "middle"], ["high", "low", "middle"]),  # as in the rows
        (["middle", "high", "gone", "low"], ["middle", "high", "low"]),
    ],
)
def test_an_order_stays_unless_it_is_that_of_the_rows(declared, released):
    cells = ["high", "gone", "low", None, "low", "middle"]
    rows = np.array([4, 2, 3, 5, 0])
    codes = pa.array([None if cell is None else declared.index(cell) for cell in cells])
    coded = pa.DictionaryArray.from_arrays(codes, pa.array(declared), ordered=True)
    enum = pl.Series("x", cells, dtype=pl.Enum(declared))
    categorical = pd.Categorical(cells, declared, ordered=True)
    found = taken(pa.table({"x": coded}), rows)["x"].combine_chunks()
    assert (found.type, found.dictionary.to_pylist()) == (coded.type, released)
    inside = taken(pa.table({"x": pa.StructArray.from_arrays([coded], ["a"])}), rows)["x"]
    assert inside.combine_chunks().field(0).dictionary.to_pylist() == released
    assert taken(pl.DataFrame({"x": enum}), rows)["x"].dtype == pl.Enum(released)
    lists = enum.to_frame().select(x=pl.concat_list("x"))
    assert taken(lists, rows)["x"].dtype == pl.List(pl.Enum(released))
    found = taken(pd.DataFrame({"x": categorical}), rows)["x"]
    betrays = declared[0] == "high"
    assert found.dtype == pd.CategoricalDtype(released, ordered=not betrays)


def test_the_order_of_a_release_is_nobodys():
    frame = pl.DataFrame({"x": pl.Series(["b", "a"], dtype=pl.Enum(["a", "b"]))})
    once = open_source(frame).take(np.array([1, 0]), {}, ["x"])
    again = once.take(np.array([0, 1]), {}, ["x"]).to_native()
    assert again["x"].dtype == pl.Enum(["a", "b"])


def test_categories_of_pandas_are_sorted_and_hold_what_occurs():
    unordered = {
        "texts": (TEXTS, SORTED),
        "numbers": ([3, 9, 2, 8, 1, 7], [1, 2, 3]),
        "mixed": (["b", 1, "a", 2, 0.5, 3], [0.5, "a", "b"]),
    }
    for cells, released in unordered.values():
        index = pd.Index(cells, name="SECRET")
        frame = pd.DataFrame({"x": pd.Categorical(cells, index)})
        found = taken(frame)
        assert found["x"].cat.categories.tolist() == released
        assert found["x"].tolist() == [cells[row] for row in ROWS]
        assert b"SECRET" not in written(found)
    cut = pd.DataFrame({"x": pd.cut([1, 2, 30, 25], [0, 10, 20, 30])})
    found = taken(cut, np.array([3, 0]))["x"]
    assert found.cat.categories.dtype == cut["x"].cat.categories.dtype
    assert [str(each) for each in found.cat.categories] == ["(0, 10]", "(20, 30]"]


@pytest.mark.parametrize("wrap", [lambda kind: kind, pl.List, lambda kind: pl.Struct({"a": kind})])
def test_polars_categories_are_their_own_and_sorted(wrap):
    shared = pl.Categorical(pl.Categories("SECRET", physical=pl.UInt8))
    cells = {pl.List: [[text] for text in TEXTS]}.get(wrap, TEXTS)
    if isinstance(wrap(shared), pl.Struct):
        cells = [{"a": text} for text in TEXTS]
    series = pl.Series("x", cells, dtype=wrap(shared))
    found = taken(pl.DataFrame({"x": series}))
    inside = found["x"]
    if isinstance(inside.dtype, pl.Struct):
        inside = inside.struct.field("a")
    elif isinstance(inside.dtype, pl.List):
        inside = inside.explode()
    assert inside.cast(pl.String).to_list() == [TEXTS[row] for row in ROWS]
    assert inside.to_physical().to_list() == [SORTED.index(TEXTS[row]) for row in ROWS]
    assert inside.to_physical().dtype == pl.UInt8
    assert inside.dtype.categories.to_series().to_list() == SORTED
    assert not [text for text in (*GONE, b"SECRET") if text in written(found)]


POLARS = {
    "text": (TEXTS, None),
    "bytes": ([text.encode() for text in TEXTS], None),
    "lists": ([[text] for text in TEXTS], None),
    "lists of lists": ([[[text]] for text in TEXTS], None),
    "arrays": ([[text, text] for text in TEXTS], pl.Array(pl.String, 2)),
    "structs": ([{"a": text, "b": [text]} for text in TEXTS], None),
    "categories": (TEXTS, pl.Categorical),
    "enum": (TEXTS, pl.Enum(TEXTS)),
    "integers": ([1, None, 3, 4, None, 6], None),
    "wide integers": ([1, None, 3, 4, None, 6], pl.Int128),
    "floats": ([1.0, None, float("inf"), 4.0, None, 6.0], None),
    "decimals": ([Decimal(n) for n in range(6)], None),
    "times": ([dt.time(n) for n in range(6)], None),
    "spans": ([dt.timedelta(n) for n in range(6)], None),
    "instants": ([dt.datetime(2020, 1, n + 1, tzinfo=dt.UTC) for n in range(6)], None),
    "truths": ([True, None] * 3, None),
    "nothing": ([None] * 6, None),
    "objects": ([Decimal(n) for n in range(6)], pl.Object),
}


@pytest.mark.parametrize("kind", POLARS)
@pytest.mark.parametrize("lazy", [False, True])
def test_polars_columns_hold_nothing_else(kind, lazy):
    cells, dtype = POLARS[kind]
    frame = pl.DataFrame({"x": pl.Series(cells, dtype=dtype)})
    found = taken(frame.lazy() if lazy else frame)
    if lazy:
        assert kind == "objects" or not [text for text in GONE if text in found.serialize()]
        found = found.collect()
    assert found["x"].to_list() == [cells[row] for row in ROWS]
    if kind not in ("categories", "enum"):
        assert found.schema == frame.schema
    if kind != "objects":  # Polars writes none
        assert not [text for text in GONE if text in written(found)]


def test_polars_numbers_under_a_null_are_zero():
    numbers = pl.Series("x", [0x0123456789ABCDEF] * 3)
    hidden = pl.DataFrame({"x": numbers}).select(
        x=pl.when(pl.Series([True, False, True])).then(pl.col("x"))
    )
    found = taken(hidden, np.array([1, 1]))["x"].to_arrow()
    assert set(found.buffers()[1].to_pybytes()) == {0}


def test_labels_that_nobody_shows_are_in_no_buffer():
    new = Replacement((TEXTS[1], TEXTS[0], None), np.array([1, 2, 1], dtype=np.int32))
    for frame in (
        pa.table({"x": TEXTS}),
        pl.DataFrame({"x": TEXTS}),
        *(pd.DataFrame({"x": pd.Series(TEXTS, dtype=kind)}) for kind in ("str", "string", object)),
    ):
        found = written(taken(frame, new={"x": new}))
        assert TEXTS[0].encode() in found
        assert TEXTS[1].encode() not in found


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "boolean"])
def test_what_stands_under_the_mask_of_pandas_is_gone(dtype):
    values = np.array([True] * 6) if dtype == "boolean" else np.arange(77, 83)
    array = pd.array(values, dtype=dtype)
    array[HIDDEN] = pd.NA
    assert array._data[HIDDEN]
    found = taken(pd.DataFrame({"x": array}))["x"]
    assert found.dtype == array.dtype
    assert found.isna().tolist() == [False, True, False]
    assert not found.array._data[1]


@pytest.mark.parametrize(
    "array",
    [
        pd.array(TEXTS, dtype="string[python]"),
        pd.array(TEXTS, dtype="string[pyarrow]"),
        pd.array(TEXTS, dtype="str"),
        pd.arrays.IntervalArray.from_breaks(range(7)),
        pd.period_range("2020-01", periods=6, freq="M").array,
        pd.date_range("2020", periods=6, tz="Europe/Berlin").array,
        pd.arrays.SparseArray([0, 0, 5, 0, 7, 0]),
        np.array([1 + 2j, np.nan, 3, 4, 5, 6]),
        np.array(TEXTS, dtype=object),
    ],
    ids=lambda array: str(array.dtype),
)
def test_pandas_columns_hold_nothing_else(array):
    frame = pd.DataFrame({"x": pd.Series(array, dtype=array.dtype)})
    found = taken(frame)
    pd.testing.assert_frame_equal(found, frame.take(ROWS).reset_index(drop=True))
    assert not [text for text in GONE if text in written(found)]


def test_a_fill_value_that_no_cell_has_is_gone():
    sparse = pd.DataFrame({"x": pd.arrays.SparseArray([9, 9, 3, 4], fill_value=9)})
    assert taken(sparse, np.array([2, 3]))["x"].dtype == pd.SparseDtype("int64", 0)
    assert taken(sparse, np.array([0, 3]))["x"].dtype == pd.SparseDtype("int64", 9)


class Noted2(pd.DataFrame):
    """A frame with a note of its owner."""

    _metadata = ("note",)

    @property
    def _constructor(self):
        return Noted2


def test_only_the_columns_of_a_pandas_frame_survive():
    frame = Noted2({"x": TEXTS, "y": range(6)})
    frame.note = "SECRET"
    frame.columns.name = "SECRET"
    frame.index.name = "SECRET"
    frame.attrs["note"] = "SECRET"
    frame = frame.set_flags(allows_duplicate_labels=False)
    found = taken(frame, names=("x", "y"))
    assert type(found) is pd.DataFrame
    assert found.columns.tolist() == ["x", "y"]
    assert (found.columns.name, found.index.name, found.attrs) == (None, None, {})
    assert found.flags.allows_duplicate_labels
    assert b"SECRET" not in written(found)


def nans(kind=np.float64):
    word = np.dtype(f"u{np.dtype(kind).itemsize}")
    quiet = np.array([np.nan], dtype=kind).view(word)
    return np.concatenate([quiet, quiet | 5, quiet | np.array(1 << (8 * word.itemsize - 1), word)]
                          ).astype(word).view(kind)  # fmt: skip


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_every_nan_has_the_same_bits(kind):
    odd = nans(kind)
    assert len(set(odd.tobytes()[:: odd.itemsize])) > 1 or len({*map(bytes, odd)}) > 1
    rows = np.arange(3)
    arrow = taken(pa.table({"x": pa.array(odd)}), rows)["x"].chunk(0).buffers()[1].to_pybytes()
    polars = taken(pl.DataFrame({"x": pl.Series(odd)}), rows)["x"].to_arrow()
    plain = taken(pd.DataFrame({"x": odd}), rows)["x"].to_numpy().tobytes()
    one = np.full(3, np.nan, dtype=kind).tobytes()
    assert arrow == polars.buffers()[1].to_pybytes() == plain == one


@settings(max_examples=60, deadline=None)
@given(
    cells=st.lists(
        st.none() | st.recursive(st.text(max_size=20), lambda inner: st.lists(inner), max_leaves=1),
        min_size=1,
        max_size=12,
    ),
    data=st.data(),
)
def test_cells_stay_what_they_were(cells, data):
    texts = pa.array([cell if isinstance(cell, str) else None for cell in cells])
    lists = pa.array([cell if isinstance(cell, list) else None for cell in cells],
                     pa.list_(pa.string()))  # fmt: skip
    structs = pa.StructArray.from_arrays([texts, lists, texts.dictionary_encode()], list("abc"))
    rows = np.array(data.draw(st.lists(st.integers(0, len(cells) - 1), max_size=15)), dtype=int)
    for array in (texts, lists, structs, texts.dictionary_encode(), texts.cast(pa.string_view())):
        cut = data.draw(st.integers(0, len(cells)))
        column = pa.chunked_array([array[:cut], array[cut:]])
        found = owned_rows(column, rows, "x")
        found.validate(full=True)
        assert found.type == array.type
        assert found.to_pylist() == [array[row].as_py() for row in rows.tolist()]
