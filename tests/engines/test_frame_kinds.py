"""The same table in every kind of frame: the same decision and rows, and the kind comes back."""

import datetime as dt
from collections import Counter
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from frame_kinds import FILES, KINDS, LAZY, as_arrow, comes_out, rows_of
from incrowd.errors import InputError
from incrowd.release import anonymize_file

ARROW = ("record batches", "Arrow stream")
BERLIN = pa.timestamp("us", tz="Europe/Berlin")
NAN = float("nan")
pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table")  # by Ibis

SEARCH = "local-search"  # divides tuples


def people():
    """Twelve people, hostile: missing cells, ties, -0.0, NaN, zones, decimals, 39 beside 39.0."""
    moments = [dt.datetime(2024, 3, 30 + day % 2, day, tzinfo=dt.UTC) for day in range(12)]
    return pa.table(
        {
            "age": pa.array([39, 39, 41, 42, 43, 39, 44, 45, 46, 47, 48, 39], pa.int64()),
            "town": ["Köln", None, "Ürümqi", "Köln", None, "北京"] * 2,
            "code": ["39", "39.0", "39", "39.0", "39", "39.0"] * 2,
            "height": [0.0, -0.0, 1.5, NAN, 0.0, -0.0, 1.5, 1.5, 2.5, NAN, 2.5, 2.5],
            "seen": pa.array(moments, BERLIN),
            "paid": pa.array([Decimal(f"{at % 5}.50") for at in range(12)], pa.decimal128(9, 2)),
            "well": [True, False, None] * 4,
        }
    )


def asked(**more):
    policy = {
        "quasi_identifiers": {
            "age": ic.intervals(5),
            "town": ic.auto(),
            "code": ic.auto(),
            "height": ic.auto(),
        },
        "sensitive": ["well"],
        "insensitive": ["seen", "paid"],
        "k": 3,
    }
    return ic.policy(**{**policy, **more})


def moments(frame):
    """The moments of a frame, whichever clock they are read on."""
    return Counter(as_arrow(frame).column("seen").cast(pa.timestamp("us", tz="UTC")).to_pylist())


@pytest.fixture(scope="module")
def expected():
    return ic.anonymize(people(), asked(), algorithm=SEARCH)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_decision_and_the_same_rows(kind, expected, tmp_path):
    with ic.anonymize(KINDS[kind](people(), tmp_path), asked(), algorithm=SEARCH) as release:
        assert release.recoding.to_text() == expected.recoding.to_text()
        assert rows_of(release.table, asked().quasi_identifiers) == rows_of(
            expected.table, asked().quasi_identifiers
        )
        assert rows_of(release.table, ["paid"]) == rows_of(people(), ["paid"])
        assert rows_of(release.table, ["well"]) == rows_of(people(), ["well"])
        assert comes_out(release.table, kind)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("kind", FILES)
def test_the_same_of_files(kind, engine, expected, tmp_path):
    with ic.anonymize(
        FILES[kind](people(), tmp_path), asked(), algorithm=SEARCH, engine=engine
    ) as release:
        assert release.recoding.to_text() == expected.recoding.to_text()
        names = asked().quasi_identifiers
        assert rows_of(release.table, names) == rows_of(expected.table, names)
        assert moments(release.table) == moments(people())


@pytest.mark.parametrize("kind", KINDS)
def test_untouched_columns_keep_their_types(kind, tmp_path):
    before = people() if kind in ARROW else KINDS[kind](people(), tmp_path)
    with ic.anonymize(KINDS[kind](people(), tmp_path), asked(), algorithm=SEARCH) as release:
        for name in ("seen", "paid", "well"):
            assert as_arrow(release.table).field(name).type == as_arrow(before).field(name).type


@pytest.mark.parametrize("kind", LAZY)
def test_a_lazy_frame_gives_the_same_rows_each_time_it_runs(kind, tmp_path):
    with ic.anonymize(KINDS[kind](people(), tmp_path), asked(), algorithm=SEARCH) as release:
        lazy = release.table
        first, again = as_arrow(lazy), as_arrow(lazy)
        assert first.to_pylist() == again.to_pylist()
        assert ic.verify(first, asked()).passed


@pytest.mark.parametrize("kind", KINDS)
def test_one_row(kind, tmp_path):
    with ic.anonymize(KINDS[kind](people().slice(2, 1), tmp_path), asked(k=1)) as release:
        assert release.facts["records"] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_no_row(kind, tmp_path):
    with pytest.raises(InputError, match="no records"):
        ic.anonymize(KINDS[kind](people().slice(0, 0), tmp_path), asked())


@pytest.mark.parametrize("kind", KINDS)
def test_duplicates_are_records_of_their_own(kind, tmp_path):
    twice = pa.concat_tables([people(), people(), people()])
    with ic.anonymize(KINDS[kind](twice, tmp_path), asked(), algorithm=SEARCH) as release:
        assert release.facts["records"] == 36
        assert release.facts["suppressed"] == 0
        assert rows_of(release.table, ["town"]) == rows_of(twice, ["town"])  # nothing is lost


@pytest.mark.parametrize("kind", KINDS)
def test_a_nested_quasi_identifier_is_refused(kind, tmp_path):
    nested = pa.table({"age": [[1], [2], [1]], "pay": [1, 2, 3]})
    with pytest.raises(InputError, match="age"):
        ic.anonymize(
            KINDS[kind](nested, tmp_path), quasi_identifiers=["age"], insensitive=["pay"], k=1
        )


def test_a_lazy_frame_whose_own_query_fails():
    frame = pl.LazyFrame({"age": ["secret"]}).with_columns(pl.col("age").cast(pl.Int64))
    with pytest.raises(InputError, match="fails by itself") as raised:
        ic.anonymize(frame, quasi_identifiers=["age"], k=1)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(("module", "way"), [("modin.pandas", "_to_pandas"), ("dask", "compute")])
def test_frames_of_others_are_refused_with_a_way_out(module, way):
    frame = type("DataFrame", (), {"__module__": module})()
    with pytest.raises(InputError, match=way):
        ic.anonymize(frame, quasi_identifiers=["age"], k=1)


@pytest.mark.parametrize("kind", KINDS)
def test_what_works_in_memory_takes_every_kind(kind, tmp_path):
    names = asked().quasi_identifiers
    found = ic.compare(KINDS[kind](people(), tmp_path), asked(), algorithms="datafly")
    assert len(found.rows()) == 1
    assert set(names) < set(as_arrow(people()).column_names)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_parquet_file_keeps_the_types_of_columns_that_were_not_touched(engine, tmp_path):
    released = tmp_path / "released.parquet"
    anonymize_file(FILES["Parquet"](people(), tmp_path), released, asked(), engine=engine)
    before, after = people().schema, pq.read_schema(released)
    assert [after.field(name).type for name in ("seen", "paid", "well")] == [
        before.field(name).type for name in ("seen", "paid", "well")
    ]
