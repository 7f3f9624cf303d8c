"""Parquet columns of repeated texts are held as dictionaries, and nobody can tell."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import IncrowdError, InputError
from incrowd.frame import Replacement, open_source
from incrowd.frame.parquet import read_parquet
from staging import write_source

ROWS = 600


@pytest.fixture
def file(tmp_path):
    """Write two columns that repeat their texts, one that does not, and a number."""
    texts = ["aye", "nay", None, "", "ä;\n"]
    table = pa.table(
        {
            "repeated": [texts[row % 5] for row in range(ROWS)],
            "secret": ["open"] * (ROWS - 1) + ["s3cret-value"],
            "unique": [f"person {row}" for row in range(ROWS)],
            "number": range(ROWS),
        }
    )
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=ROWS // 3)
    return tmp_path / "in.parquet"


def test_only_columns_that_repeat_their_texts_are_shortened(file):
    assert read_parquet(file).shortened == {"repeated", "secret"}


def test_the_table_is_the_file(file):
    source = open_source(file)
    for found in (source.to_native(), source.to_arrow()):
        found.validate(full=True)
        assert found.equals(pq.read_table(file), check_metadata=True)


def test_odd_names_and_twins(tmp_path):
    names = ["a.b", "", "ä", "list.element"]
    table = pa.table([["x"] * 20] * 4, names=names)
    pq.write_table(table, tmp_path / "odd.parquet")
    source = open_source(tmp_path / "odd.parquet")
    assert source.names == tuple(names)
    assert source.to_native().equals(table)
    pq.write_table(table.rename_columns(["a", "b", "c", "a"]), tmp_path / "twins.parquet")
    with pytest.raises(InputError, match="several columns"):
        open_source(tmp_path / "twins.parquet")


@pytest.mark.parametrize("missing", [(), ("",), ("", "nay")])
def test_codes_are_those_of_plain_text(file, missing):
    plain = open_source(pq.read_table(file))
    for name in plain.names:
        found = open_source(file).encode(name, missing=missing)
        expected = plain.encode(name, missing=missing)
        assert found.codes.tolist() == expected.codes.tolist()
        assert (found.texts, found.kind) == (expected.texts, expected.kind)
        assert found.merged == expected.merged


def test_rows_taken_are_text_again(file):
    rows = np.array([7, 0, 2, 599])
    new = {"unique": Replacement(("x", "*"), np.array([0, 1, 1, 0], dtype=np.int32))}
    names = ["unique", "repeated", "secret", "number"]
    released = open_source(file).take(rows, new, names)
    expected = pq.read_table(file).select(names).take(rows)
    assert released.to_native().schema.types == expected.schema.types
    assert released.to_native().drop(["unique"]).equals(expected.drop(["unique"]))
    assert released.to_native()["unique"].to_pylist() == ["x", "*", "*", "x"]


def test_a_release_shows_nothing_of_records_left_out(file, tmp_path):
    released = open_source(file).take(np.arange(ROWS - 1), {}, ["secret"])
    write_source(released, tmp_path / "out.parquet")
    assert b"s3cret-value" in file.read_bytes()
    assert b"s3cret-value" not in (tmp_path / "out.parquet").read_bytes()
    assert pq.read_table(tmp_path / "out.parquet").schema.types == [pa.string()]


def test_pieces_share_one_narrow_dictionary(tmp_path):
    """Row groups have dictionaries of their own; here 126 texts still fit into one byte."""
    for texts, kind in ((126, pa.int8()), (128, pa.int16()), (40_000, pa.int32())):
        half = texts // 2
        first = [None if row % 7 == 3 else f"t{row % half}" for row in range(5 * texts)]
        second = [f"t{row % half + half}" for row in range(5 * texts)]
        table = pa.table({"x": first + second})
        pq.write_table(table, tmp_path / "x.parquet", row_group_size=5 * texts)
        source = read_parquet(tmp_path / "x.parquet")
        column = source.native.column("x")
        assert column.type == pa.dictionary(kind, pa.string())
        assert len({chunk.dictionary.buffers()[2].address for chunk in column.chunks}) == 1
        assert source.to_native().equals(table)


@pytest.mark.parametrize("unique_first", [False, True])
def test_a_column_may_stop_to_repeat_or_begin_to(tmp_path, unique_first):
    parts = [[f"name {row}" for row in range(400)], ["same"] * 400]
    cells = [cell for part in (parts if unique_first else parts[::-1]) for cell in part]
    table = pa.table({"x": cells, "n": range(800)})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=200)
    source = read_parquet(tmp_path / "x.parquet")
    assert source.shortened == frozenset()
    assert source.to_native().equals(table)


def test_a_released_file_says_that_it_holds_text(file, tmp_path):
    new = Replacement(("b", "unused", "a"), (np.arange(ROWS) % 2 * 2).astype(np.int8))
    names = ["unique", "repeated", "number"]
    released = open_source(file).take(np.arange(ROWS), {"unique": new}, names)
    write_source(released, tmp_path / "out.parquet")
    written = pq.ParquetFile(tmp_path / "out.parquet")
    assert written.schema_arrow.types == [pa.string(), pa.string(), pa.int64()]
    assert written.schema_arrow.metadata is None
    assert written.read().equals(released.to_native())
    assert b"unused" not in (tmp_path / "out.parquet").read_bytes()
    assert written.metadata.row_group(0).column(0).has_dictionary_page


def test_large_text_stays_large(tmp_path):
    table = pa.table({"x": pa.array(["a", "b"] * 20, pa.large_string()), "y": ["c"] * 40})
    pq.write_table(table, tmp_path / "x.parquet")
    new = Replacement(("*",), np.zeros(40, dtype=np.int8))
    released = open_source(tmp_path / "x.parquet").take(np.arange(40), {"x": new}, ["x", "y"])
    write_source(released, tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.schema.types == [pa.large_string(), pa.string()]
    assert found.to_pydict() == {"x": ["*"] * 40, "y": ["c"] * 40}


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_spoiled_file_is_read_or_refused(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("spoiled") / "x.parquet"
    texts = [("a", "bb", "ccc", None)[row % 4] for row in range(400)]
    pq.write_table(pa.table({"x": texts}), path, compression="none")
    spoiled = bytearray(path.read_bytes())
    where = data.draw(st.integers(0, len(spoiled) - 1))
    spoiled[where] = data.draw(st.integers(0, 255))
    path.write_bytes(spoiled)
    try:
        column = open_source(path).encode("x")
    except IncrowdError:
        return
    assert column.codes.min() >= -1
    assert column.codes.max() < len(column.texts)
