"""Frames of every kind: coded by text, given back as they came."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.errors import InputError
from incrowd.frame import Replacement, open_source
from incrowd.frame.native import FrameSource

KINDS = ["pandas", "pandas-nullable", "pandas-arrow", "polars", "polars-lazy", "pyarrow"]


def make(kind: str, table: pa.Table):
    """The same table as a frame of some kind."""
    if kind == "pyarrow":
        return table
    if kind.startswith("polars"):
        frame = pl.from_arrow(table)
        return frame.lazy() if kind == "polars-lazy" else frame
    if kind == "pandas-arrow":
        return table.to_pandas(types_mapper=pd.ArrowDtype)
    frame = table.to_pandas()
    return frame.convert_dtypes() if kind == "pandas-nullable" else frame


def plain(frame) -> dict[str, list]:
    """A frame of any kind as lists of Python values."""
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, pl.DataFrame):
        frame = frame.to_arrow()
    if isinstance(frame, pd.DataFrame):
        frame = pa.Table.from_pandas(frame, preserve_index=False)
    return frame.to_pydict()


def decoded(source: FrameSource, name: str, **options) -> list[str | None]:
    column = source.encode(name, **options)
    return [None if code < 0 else column.texts[code] for code in column.codes]


TABLE = pa.table(
    {
        "age": pa.array([39, 40, None, 39]),
        "name": pa.array(["Åsa", None, "", "Åsa"]),
        "weight": pa.array([70.0, 70.5, None, 0.1]),
        "married": pa.array([True, None, False, True]),
        "born": pa.array([dt.date(1980, 2, 29), None, dt.date(1999, 12, 31), dt.date(1980, 2, 29)]),
        "seen": pa.array(
            [
                dt.datetime(2020, 1, 1),
                dt.datetime(2020, 1, 1, 12, 30),
                None,
                dt.datetime(2020, 1, 1),
            ],
            type=pa.timestamp("us"),
        ),
    }
)
TEXTS = {
    "age": ["39", "40", None, "39"],
    "name": ["Åsa", None, None, "Åsa"],
    "weight": ["70", "70.5", None, "0.1"],
    "married": ["true", None, "false", "true"],
    "born": ["1980-02-29", None, "1999-12-31", "1980-02-29"],
    "seen": ["2020-01-01", "2020-01-01T12:30:00", None, "2020-01-01"],
}


@pytest.fixture(params=KINDS)
def frame(request):
    return make(request.param, TABLE)


@pytest.mark.parametrize("name", TEXTS)
def test_values_become_their_texts(frame, name):
    source = open_source(frame)
    assert decoded(source, name) == TEXTS[name]
    column = source.encode(name)
    assert column.codes.dtype == np.int32
    assert column.texts == tuple(dict.fromkeys(text for text in TEXTS[name] if text is not None))


def test_what_a_column_holds(frame):
    source = open_source(frame)
    kinds = {name: source.encode(name).kind for name in source.names}
    assert kinds.pop("married") == "boolean"
    assert kinds == {
        "age": "number",
        "name": "text",
        "weight": "number",
        "born": "date",
        "seen": "date",
    }


def test_facts(frame):
    source = open_source(frame)
    assert source.names == tuple(TEXTS)
    assert source.n_rows == 4
    assert source.kind in ("pandas", "polars", "pyarrow")


def test_missing_texts(frame):
    source = open_source(frame)
    assert decoded(source, "name", missing=()) == ["Åsa", None, "", "Åsa"]
    assert decoded(source, "name", missing=("", "Åsa")) == [None] * 4
    assert decoded(source, "age", missing=("39",)) == [None, "40", None, None]


ROWS = np.array([3, 1, 1, 0])
NEW = Replacement(("*", "[35, 40)", None), np.array([1, 0, 2, 1], dtype=np.int32))


def test_the_same_kind_comes_out(frame):
    before = plain(frame)
    released = open_source(frame).take(ROWS, {"age": NEW}, ["seen", "age", "weight", "name"])
    native = released.to_native()
    assert type(native) is type(frame)
    found = plain(native)
    assert list(found) == ["seen", "age", "weight", "name"]
    assert found.pop("age") == ["[35, 40)", "*", None, "[35, 40)"]
    assert found == {name: [before[name][row] for row in ROWS] for name in found}
    assert plain(frame) == before
    assert released.n_rows == 4
    assert decoded(released, "age") == ["[35, 40)", "*", None, "[35, 40)"]


def test_every_column_can_be_replaced(frame):
    new = dict.fromkeys(TEXTS, NEW)
    found = plain(open_source(frame).take(ROWS, new, list(TEXTS)).to_native())
    assert found == {name: ["[35, 40)", "*", None, "[35, 40)"] for name in TEXTS}


def test_untouched_types_stay(frame):
    native = open_source(frame).take(ROWS, {}, list(TEXTS)).to_native()
    if isinstance(frame, pa.Table):
        assert native.schema == frame.schema
    elif isinstance(frame, pl.LazyFrame):
        assert native.collect_schema() == frame.collect_schema()
    elif isinstance(frame, pl.DataFrame):
        assert native.schema == frame.schema
    else:
        pd.testing.assert_series_equal(native.dtypes, frame.dtypes)


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        ("pandas", pd.Series(["x"]).dtype),
        ("pandas-nullable", pd.StringDtype()),
        ("pandas-arrow", pd.ArrowDtype(pa.string())),
    ],
)
def test_released_text_has_the_flavour_of_the_frame(kind, dtype):
    native = open_source(make(kind, TABLE)).take(ROWS, {"age": NEW}, ["age"]).to_native()
    assert native["age"].dtype == dtype


@pytest.mark.parametrize(
    "index",
    [
        pd.Index([7, 7, 7, 7], name="patient"),
        pd.Index(["s3cret", "b", "c", "d"]),
        pd.MultiIndex.from_tuples([(1, "a"), (1, "a"), (2, "b"), (2, "c")]),
        pd.date_range("2020", periods=4),
    ],
)
def test_no_index_survives(index):
    frame = TABLE.to_pandas().set_index(index)
    frame.attrs["source"] = "s3cret"
    source = open_source(frame)
    assert decoded(source, "age") == TEXTS["age"]
    native = source.take(ROWS, {"age": NEW}, list(TEXTS)).to_native()
    pd.testing.assert_index_equal(native.index, pd.RangeIndex(4), exact=True)
    assert native.index.name is None
    assert native["age"].tolist()[:2] == ["[35, 40)", "*"]
    assert native["name"].tolist()[0] == "Åsa"
    assert native.attrs == {}
    assert frame.attrs == {"source": "s3cret"}
    assert frame.index is not native.index


def test_arrow_metadata_of_the_index_is_left_behind():
    frame = TABLE.to_pandas().set_index(pd.Index(["s3cret"] * 4, name="who"))
    table = pa.Table.from_pandas(frame)
    native = open_source(table).take(ROWS, {}, ["age"]).to_native()
    assert native.schema.metadata is None
    assert "who" not in native.column_names


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_time_zones(kind):
    instants = pa.array(
        [dt.datetime(2020, 6, 30, 22), dt.datetime(2020, 1, 1, 12), None],
        type=pa.timestamp("ns", "Europe/Berlin"),
    )
    source = open_source(make(kind, pa.table({"t": instants})))
    assert decoded(source, "t") == ["2020-07-01", "2020-01-01T13:00:00+01:00", None]
    native = source.take(np.array([1]), {}, ["t"]).to_native()
    assert plain(native)["t"][0].utcoffset() == dt.timedelta(hours=1)


def test_fractions_of_seconds_and_offsets():
    values = pa.array([1, 1_500_000_000, 0], type=pa.timestamp("ns"))
    fixed = pa.array([0, 1, None], type=pa.timestamp("s", "-03:30"))
    source = open_source(pa.table({"t": values, "z": fixed}))
    assert decoded(source, "t") == [
        "1970-01-01T00:00:00.000000001",
        "1970-01-01T00:00:01.5",
        "1970-01-01",
    ]
    assert decoded(source, "z") == [
        "1969-12-31T20:30:00-03:30",
        "1969-12-31T20:30:01-03:30",
        None,
    ]


@pytest.mark.parametrize("kind", ["s", "ms", "us", "ns", "objects"])
def test_clocks_read_alike_whatever_their_unit(kind):
    clocks = [dt.time(1, 2, 3), dt.time(23, 0), dt.time(0, 0), None]
    texts = ["01:02:03", "23:00:00", "00:00:00", None]
    if kind != "s":
        clocks.append(dt.time(0, 0, 1, 500_000))
        texts.append("00:00:01.5")
    if kind == "objects":
        frame = pd.DataFrame({"t": pd.Series(clocks, dtype=object)})
    else:
        build = pa.time32 if kind in ("s", "ms") else pa.time64
        frame = pa.table({"t": pa.array(clocks, build(kind))})
    assert decoded(open_source(frame), "t") == texts


def test_half_floats_in_several_chunks():
    halves = pa.array([0.1, 0.5, None, 1.5, 0.1], pa.float16())
    table = pa.table({"half": pa.chunked_array([halves[:2], halves[2:]])})
    assert decoded(open_source(table), "half") == ["0.1", "0.5", None, "1.5", "0.1"]


def test_arrow_types():
    table = pa.table(
        {
            "half": pa.array([1.5, None], type=pa.float16()),
            "single": pa.array([0.1, float("nan")], type=pa.float32()),
            "double": pa.array([1e300, -0.0]),
            "wide": pa.array([2**63 + 1, 7], type=pa.uint64()),
            "money": pa.array([Decimal("1.50"), Decimal("0.00")], type=pa.decimal128(9, 2)),
            "small": pa.array([Decimal("1.5"), None], type=pa.decimal32(3, 1)),
            "day": pa.array([dt.date(2020, 1, 1), None], type=pa.date64()),
            "clock": pa.array([dt.time(1, 2, 3), None], type=pa.time32("s")),
            "view": pa.array(["x", "y"], type=pa.string_view()),
            "large": pa.array(["x", None], type=pa.large_string()),
            "nothing": pa.nulls(2),
        }
    )
    source = open_source(table)
    assert {name: decoded(source, name) for name in source.names} == {
        "half": ["1.5", None],
        "single": ["0.1", None],
        "double": ["1e+300", "0"],
        "wide": ["9223372036854775809", "7"],
        "money": ["1.50", "0.00"],
        "small": ["1.5", None],
        "day": ["2020-01-01", None],
        "clock": ["01:02:03", None],
        "view": ["x", "y"],
        "large": ["x", None],
        "nothing": [None, None],
    }
    assert source.encode("double").kind == "number"


def test_infinite_numbers_make_no_number_column():
    assert open_source(pl.DataFrame({"x": [1.0, float("inf")]})).encode("x").kind == "text"


def test_chunks_share_one_coding():
    chunked = pa.chunked_array([["b", "a"], [], ["c", "a", None]])
    plain_column = open_source(pa.table({"x": chunked})).encode("x")
    coded_column = open_source(pa.table({"x": chunked.dictionary_encode()})).encode("x")
    for column in (plain_column, coded_column):
        assert column.texts == ("b", "a", "c")
        assert column.codes.tolist() == [0, 1, 2, 1, -1]


def test_dictionaries_of_chunks_may_differ():
    parts = [pa.array(["b", "a"]).dictionary_encode(), pa.array(["a", "c"]).dictionary_encode()]
    column = open_source(pa.table({"x": pa.chunked_array(parts)})).encode("x")
    assert (column.texts, column.codes.tolist()) == (("b", "a", "c"), [0, 1, 1, 2])


@pytest.mark.parametrize("dtype", ["pandas", "polars", "enum", "arrow"])
def test_categoricals_by_the_levels_they_use(dtype):
    values = ["b", None, "a", "b"]
    frame = {
        "pandas": lambda: pd.DataFrame(
            {"x": pd.Categorical(values, ["z", "a", "b"], ordered=True)}
        ),
        "polars": lambda: pl.DataFrame({"x": pl.Series(values, dtype=pl.Categorical)}),
        "enum": lambda: pl.DataFrame({"x": pl.Series(values, dtype=pl.Enum(["z", "a", "b"]))}),
        "arrow": lambda: pa.table({"x": pa.array(values).dictionary_encode()}),
    }[dtype]()
    source = open_source(frame)
    assert source.encode("x").texts == ("b", "a")
    assert decoded(source, "x") == values
    native = source.take(np.arange(4), {}, ["x"]).to_native()
    assert plain(native) == {"x": values}
    if dtype == "pandas":
        assert native["x"].dtype == pd.CategoricalDtype(["a", "b"], ordered=True)


def test_dictionary_entries_of_records_left_out_do_not_survive_in_pandas():
    parts = [
        pa.array(["a", "s3cret"]).dictionary_encode(),
        pa.array(["b", "a"]).dictionary_encode(),
    ]
    column = pa.chunked_array(parts)  # each with a dictionary of its own
    frame = pd.DataFrame({"x": pd.arrays.ArrowExtensionArray(column)})
    native = open_source(frame).take(np.array([2, 0]), {}, ["x"]).to_native()
    assert native["x"].dtype == frame["x"].dtype
    table = open_source(pa.table({"x": column})).take(np.array([2, 0]), {}, ["x"]).to_native()
    for released in (native["x"].array.__arrow_array__(), table.column("x")):
        assert released.to_pylist() == ["b", "a"]
        assert released.combine_chunks().dictionary.to_pylist() == ["a", "b"]


def test_levels_of_records_left_out_do_not_survive():
    frame = pd.DataFrame({"x": pd.Categorical(["a", "s3cret", "b"], ["z", "s3cret", "b", "a"])})
    native = open_source(frame).take(np.array([2, 0]), {}, ["x"]).to_native()
    assert native["x"].cat.categories.tolist() == ["a", "b"]
    assert native["x"].tolist() == ["b", "a"]
    kind = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    table = pa.table({"x": pa.array(["a", "s3cret", None, "b"]).dictionary_encode().cast(kind)})
    column = open_source(table).take(np.array([3, 2, 0]), {}, ["x"]).to_native().column("x")
    assert column.type == kind
    assert column.to_pylist() == ["b", None, "a"]
    assert column.combine_chunks().dictionary.to_pylist() == ["a", "b"]


def test_categories_that_are_no_texts():
    frame = pd.DataFrame(
        {
            "i": pd.Categorical([2, 1, None], [1, 2, 3]),
            "f": pd.Categorical([2.0, 1.5, None]),
            "cut": pd.cut([1, 2, 30], [0, 10, 20, 30]),
            "mixed": pd.Categorical(["1", 1, None], ["1", 1, 2.5]),
        }
    )
    source = open_source(frame)
    assert decoded(source, "i") == ["2", "1", None]
    assert decoded(source, "f") == ["2", "1.5", None]
    assert decoded(source, "cut") == ["(0, 10]", "(0, 10]", "(20, 30]"]
    assert source.encode("mixed").texts == ("1",)
    assert source.encode("mixed").codes.tolist() == [0, 0, -1]


def test_mixed_objects_by_the_text_of_each():
    when = dt.datetime(2020, 1, 1)
    values = [39, "39", 39.0, True, "true", 1, None, np.nan, pd.NaT, pd.NA, Decimal("1.0")]
    values += [when, when.date(), pd.Timestamp("2020-01-01 00:00:00.000000001"), Fraction(1, 3)]
    values += [np.float32(0.1), np.int8(3), np.bool(False), Decimal("NaN"), "", "Åsa", dt.time(1)]
    texts = ["39", "39", "39", "true", "true", "1", None, None, None, None, "1.0"]
    texts += ["2020-01-01", "2020-01-01", "2020-01-01T00:00:00.000000001", "1/3"]
    texts += ["0.1", "3", "false", None, None, "Åsa", "01:00:00"]
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    assert decoded(open_source(frame), "x") == texts


def test_objects_that_are_all_texts_or_all_numbers():
    frame = pd.DataFrame(
        {
            "s": pd.Series(["b", None, "a", np.nan], dtype=object),
            "i": pd.Series([2**70, 1, None, 1], dtype=object),
            "n": pd.Series([None] * 4, dtype=object),
        }
    )
    source = open_source(frame)
    assert decoded(source, "s") == ["b", None, "a", None]
    assert decoded(source, "i") == [str(2**70), "1", None, "1"]
    assert source.encode("i").kind == "number"
    assert decoded(source, "n") == [None] * 4


def test_periods_and_intervals_of_pandas():
    frame = pd.DataFrame(
        {"p": pd.period_range("2020-01", periods=2, freq="M"), "i": pd.interval_range(0, 2)}
    )
    source = open_source(frame)
    assert decoded(source, "p") == ["2020-01", "2020-02"]
    assert decoded(source, "i") == ["(0, 1]", "(1, 2]"]


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"x": [[1], [2]]}),
        pl.DataFrame({"x": [b"s3cret", b"b"]}),
        pl.DataFrame({"x": [{"a": "s3cret"}, {"a": "b"}]}),
        pl.DataFrame({"x": pl.Series([object(), "s3cret"], dtype=pl.Object)}),
        pa.table({"x": [b"s3cret", b"b"]}),
        pd.DataFrame({"x": [["s3cret"], [2]]}),
        pd.DataFrame({"x": [b"s3cret", "b"]}),
        pd.DataFrame({"x": [("s3cret",), 1]}),
        pd.DataFrame({"x": [{"s3cret": 1}, 1]}),
        pd.DataFrame({"x": [np.array([1]), 1]}),
        pd.DataFrame({"x": pd.to_timedelta([1, 2])}),
        pd.DataFrame({"x": [Decimal("sNaN"), 1]}),
    ],
)
def test_values_without_a_text(frame):
    source = open_source(frame)
    with pytest.raises(InputError, match=r"column 'x' of type .* without a text") as caught:
        source.encode("x")
    assert "s3cret" not in str(caught.value)
    assert len(source.take(np.array([1]), {}, ["x"]).to_native()) == 1


def test_lone_surrogates():
    with pytest.raises(InputError, match="not valid Unicode"):
        open_source(pd.DataFrame({"x": pd.Series(["\ud800"], dtype=object)})).encode("x")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "several columns named 'a'"),
        (pa.table([[1], [2]], names=["a", "a"]), "several columns named 'a'"),
        (pd.DataFrame([[1, 2]]), "not texts"),
        (pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])), "not texts"),
        (pd.DataFrame({"a": []}), "no records"),
        (pl.DataFrame({"a": []}), "no records"),
        (pl.LazyFrame({"a": []}), "no records"),
        (pa.table({"a": pa.array([], pa.int8())}), "no records"),
        (pd.DataFrame(), "no columns"),
        (pd.DataFrame(index=[1, 2]), "no columns"),
        (pl.DataFrame(), "no columns"),
        (pa.table({}), "no columns"),
        ({"a": [1]}, "builtins.dict"),
        ([[1]], "builtins.list"),
        (None, "NoneType"),
        (np.ones((2, 2)), "numpy.ndarray"),
        (pd.Series([1]), "Series"),
        (pl.Series([1]), "Series"),
    ],
)
def test_what_is_no_table(frame, message):
    with pytest.raises(InputError, match=message) as caught:
        open_source(frame)
    assert caught.value.hint


def test_a_lazy_frame_that_cannot_be_computed():
    lazy = pl.LazyFrame({"x": ["s3cret"]}).with_columns(pl.col("x").cast(pl.Int8))
    with pytest.raises(InputError, match="fails by itself") as caught:
        open_source(lazy)
    assert "s3cret" not in str(caught.value)


def test_a_lazy_frame_says_that_it_was_collected():
    assert open_source(pl.LazyFrame({"x": [1]})).notes == ("the LazyFrame was collected",)


def test_an_unknown_column(frame):
    source = open_source(frame)
    with pytest.raises(InputError, match="no column 'height'"):
        source.encode("height")
    with pytest.raises(InputError, match="no column 'height'"):
        source.take(ROWS, {}, ["height"])


@pytest.mark.parametrize("kind", KINDS)
def test_counts(kind):
    source = open_source(make(kind, pa.table({"n": [3, 1, 3], "f": [1.0, 2.0, 1.5]})))
    assert source.numbers("n").tolist() == [3, 1, 3]
    with pytest.raises(InputError, match=r"1 of 3 rows .* 1 fractional"):
        source.numbers("f")


@pytest.mark.parametrize("values", [[1, 0], [1, -1], [1, None], [True, True], ["x", "1"]])
def test_counts_that_count_nothing(values):
    with pytest.raises(InputError, match="no whole number of 1 or more"):
        open_source(pl.DataFrame({"n": values})).numbers("n")


@given(
    values=st.lists(
        st.one_of(
            st.none(),
            st.integers(),
            st.floats(),
            st.booleans(),
            st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
            st.decimals().filter(lambda value: not value.is_snan()),
            st.datetimes(),
            st.dates(),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_any_mix_of_objects_can_be_coded(values):
    column = open_source(pd.DataFrame({"x": pd.Series(values, dtype=object)})).encode("x")
    assert len(set(column.texts)) == len(column.texts)
    assert sorted(set(column.codes.tolist()) - {-1}) == list(range(len(column.texts)))
    for value, code in zip(values, column.codes, strict=True):
        if isinstance(value, str):
            assert code == -1 if value == "" else column.texts[code] == value
        if isinstance(value, int):
            assert column.texts[code] == str(value).lower()


@given(values=st.lists(st.one_of(st.none(), st.floats(width=64)), min_size=1, max_size=12))
def test_floats_keep_all_their_digits(values):
    source = open_source(pl.DataFrame({"x": pl.Series(values, dtype=pl.Float64)}))
    for value, text in zip(values, decoded(source, "x"), strict=True):
        assert (text is None) if value is None or value != value else float(text) == value


def test_no_row_at_all_may_be_left(frame):
    nothing = Replacement((), np.array([], dtype=np.int32))
    source = open_source(frame).take(np.array([], dtype=np.int64), {"age": nothing}, list(TEXTS))
    assert source.n_rows == 0
    assert plain(source.to_native()) == {name: [] for name in TEXTS}
    assert source.encode("born").texts == ()


NAN = float("nan")


@pytest.mark.parametrize(
    ("frame", "merged"),
    [
        (pa.table({"x": [None, NAN, 1.0]}), True),
        (pl.DataFrame({"x": [None, NAN, 1.0]}), True),
        (pa.table({"x": [0.0, -0.0]}), True),
        (pd.DataFrame({"x": pd.Series([1, 1.0], dtype=object)}), True),
        (pd.DataFrame({"x": pd.Series(["1", 1], dtype=object)}), True),
        (pa.table({"x": [NAN, NAN, 1.0]}), False),
        (pa.table({"x": [None, None, 1.0]}), False),
        (pa.table({"x": ["", None, "nan"]}), False),
        (pd.DataFrame({"x": [None, NAN, 1.0]}), False),
        (pd.DataFrame({"x": pd.Series([None, NAN, pd.NA, "a"], dtype=object)}), True),
        (pd.DataFrame({"x": pd.Categorical(["a", None], categories=["b", "a"])}), False),
    ],
)
def test_values_that_differ_and_share_a_text_are_told(frame, merged):
    assert open_source(frame).encode("x", missing=()).merged is merged
