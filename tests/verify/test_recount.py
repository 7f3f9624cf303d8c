"""The recount against a counter over rows, on every kind of table."""

from __future__ import annotations

import csv
import datetime as dt
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from incrowd.errors import InputError, ParameterError
from incrowd.frame import open_source
from incrowd.requirements import KAnonymity
from incrowd.schema import Column, Policy
from incrowd.verify import recount_classes, verify

FRAMES = ["pandas", "pandas-object", "pandas-category", "pandas-arrow", "polars", "pyarrow"]
KINDS = [*FRAMES, "parquet", "csv"]
CELLS = ["a", "a ", " a", "A", "*", "", "39", "39.0", "null", "nan", "None", "é", "e\u0301", None]

tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[st.sampled_from(CELLS)] * width), min_size=1, max_size=40)
)


def policy_for(width: int, *requirements, extra=(), **options) -> Policy:
    columns = [Column(f"q{at}", "quasi-identifier") for at in range(width)]
    return Policy(columns=[*columns, *extra], requirements=list(requirements), **options)


def frame_of(kind: str, rows, names=None):
    names = names or [f"q{at}" for at in range(len(rows[0]))]
    table = pa.table(
        {name: pa.array(cells) for name, cells in zip(names, zip(*rows, strict=True), strict=True)}
    )
    if kind == "pyarrow":
        return table
    if kind == "polars":
        return pl.from_arrow(table)
    if kind == "pandas-arrow":
        return table.to_pandas(types_mapper=pd.ArrowDtype)
    frame = table.to_pandas()
    if kind == "pandas-object":
        return frame.astype(object).where(frame.notna(), None)
    return frame.astype("category") if kind == "pandas-category" else frame


def released(kind: str, rows, folder: Path, names=None):
    """The rows as a frame, or as a file written by nothing of ours."""
    names = names or [f"q{at}" for at in range(len(rows[0]))]
    if kind == "parquet":
        pq.write_table(frame_of("pyarrow", rows, names), folder / "r.parquet")
        return folder / "r.parquet"
    if kind == "csv":
        with open(folder / "r.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows([names, *rows])
        return folder / "r.csv"
    return frame_of(kind, rows, names)


def expected_sizes(kind: str, rows) -> list[int]:
    if kind == "csv":  # a CSV file has no null, only the empty cell
        rows = [tuple(cell or "" for cell in row) for row in rows]
    return sorted(Counter(rows).values())


@pytest.mark.parametrize("kind", KINDS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(rows=tables, k=st.integers(1, 6))
def test_agrees_with_a_counter_over_rows(kind, rows, k, tmp_path):
    table, sizes = released(kind, rows, tmp_path), expected_sizes(kind, rows)
    policy = policy_for(len(rows[0]), KAnonymity(k))
    verdict = verify(table, policy, separator=",")
    [finding] = verdict.findings
    small = [size for size in sizes if size < k]
    assert verdict.passed is (not small)
    assert (verdict.rows, verdict.records) == (len(rows), len(rows))
    assert verdict.masked == sum(set(row) == {"*"} for row in rows)
    assert (finding.classes, finding.smallest_class) == (len(sizes), sizes[0])
    assert (finding.violating_classes, finding.violating_records) == (len(small), sum(small))
    names = list(policy.quasi_identifiers)
    assert recount_classes(table, names, separator=",").tolist() == sizes


@settings(max_examples=60)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["a", None]), st.sampled_from(["x", "*", None]), st.integers(1, 2**40)
        ),
        min_size=1,
        max_size=30,
    )
)
def test_a_count_column_makes_rows_stand_for_records(rows):
    policy = policy_for(2, KAnonymity(2**40), extra=[Column("n", "count")])
    verdict = verify(frame_of("pyarrow", rows, ["q0", "q1", "n"]), policy)
    sizes = Counter()
    for *cells, n in rows:
        sizes[tuple(cells)] += n
    [finding] = verdict.findings
    assert verdict.records == sizes.total()
    assert verdict.rows == len(rows)
    assert (finding.classes, finding.smallest_class) == (len(sizes), min(sizes.values()))
    assert finding.violating_classes == sum(size < 2**40 for size in sizes.values())


def test_counts_beyond_the_precision_of_a_float_are_summed_exactly():
    rows = [("a", 2**53), ("a", 1), ("b", 2**53 + 1)]
    policy = policy_for(1, KAnonymity(2**53 + 1), extra=[Column("n", "count")])
    table = frame_of("pyarrow", rows, ["q0", "n"])
    assert verify(table, policy).passed
    assert recount_classes(table, ["q0"], count="n").tolist() == [2**53 + 1, 2**53 + 1]


@pytest.mark.parametrize("counts", [[0, 1], [-1, 2], [1.5, 2], [None, 2], ["x", "2"]])
def test_bad_counts_are_refused(counts):
    table = pa.table({"q0": ["secret", "secret"], "n": counts})
    with pytest.raises(InputError, match="'n' counts records") as caught:
        verify(table, policy_for(1, KAnonymity(1), extra=[Column("n", "count")]))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alone", ["a ", " a", "A", "", "39.0", "e\u0301", "*", "new", None])
@pytest.mark.parametrize("column", [0, 2])
@pytest.mark.parametrize("row", [0, 7, 11])
def test_one_changed_cell_is_found(kind, alone, column, row, tmp_path):
    rows = [("a", "39", "é")] * 6 + [("b", "40", "e")] * 6
    policy = policy_for(3, KAnonymity(6))
    assert verify(released(kind, rows, tmp_path), policy).passed
    rows[row] = (*rows[row][:column], alone, *rows[row][column + 1 :])
    verdict = verify(released(kind, rows, tmp_path), policy)
    [finding] = verdict.findings
    assert not verdict.passed
    assert finding.smallest_class == 1
    assert (finding.violating_classes, finding.violating_records) == (2, 6)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "csv"])
def test_null_and_the_empty_text_are_two_values(kind, tmp_path):
    rows = [(None,), (None,), ("",), ("",)]
    assert recount_classes(released(kind, rows, tmp_path), ["q0"]).tolist() == [2, 2]


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_cell_is_no_wildcard(kind, tmp_path):
    rows = [("a", "x"), ("a", "x"), ("a", None)]
    verdict = verify(released(kind, rows, tmp_path), policy_for(2, KAnonymity(2)))
    assert verdict.findings[0].smallest_class == 1


@pytest.mark.parametrize(
    "index",
    [[7] * 4, [3, 1, 2, 0], list("dcba"), [None] * 4, pd.MultiIndex.from_product([[1, 2], [1, 2]])],
    ids=["duplicated", "shuffled", "texts", "nulls", "multi"],
)
def test_the_index_of_a_frame_changes_nothing(index):
    frame = pd.DataFrame({"q0": ["a", "b", "a", "b"], "q1": [1, 2, 1, None]}, index=index)
    verdict = verify(frame, policy_for(2, KAnonymity(2)))
    assert verdict.findings[0].smallest_class == 1
    assert recount_classes(frame, ["q0", "q1"]).tolist() == [1, 1, 2]


def test_unused_levels_are_no_classes():
    cells = pd.Categorical(["a", "a", None, None], categories=["z", "a", "y"])
    frame = pd.DataFrame({"q0": cells})
    assert recount_classes(frame, ["q0"]).tolist() == [2, 2]
    assert recount_classes(pl.from_pandas(frame), ["q0"]).tolist() == [2, 2]


def test_chunks_with_dictionaries_of_their_own_are_one_column():
    parts = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", "a"]).dictionary_encode()]
    table = pa.table({"q0": pa.chunked_array(parts)})
    assert recount_classes(table, ["q0"]).tolist() == [2, 2]


@pytest.mark.parametrize(
    ("cells", "sizes"),
    [
        ([0.1 + 0.2, 0.3, 0.3], [1, 2]),
        ([float("inf"), float("-inf"), float("inf")], [1, 2]),
        ([dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 0, 0, 1)], [1, 1]),
        ([True, False, True, None], [1, 1, 2]),
        ([2**63 - 1, 2**63 - 2, 2**63 - 1], [1, 2]),
    ],
)
def test_values_that_are_not_text(cells, sizes):
    for kind in ("pyarrow", "polars", "pandas"):
        assert (
            recount_classes(frame_of(kind, [(cell,) for cell in cells]), ["q0"]).tolist() == sizes
        )


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"q0": [None] * 5 + [float("nan")]}),
        pa.table({"q0": [0.0] * 5 + [-0.0]}),
        pd.DataFrame({"q0": pd.Series([1] * 5 + [1.0], dtype=object)}),
        pd.DataFrame({"q0": pd.Series([1] * 5 + ["1"], dtype=object)}),
    ],
    ids=["NaN beside null", "-0.0 beside 0.0", "1.0 beside 1", "text beside number"],
)
def test_cells_that_only_read_alike_are_no_crowd(frame, tmp_path):
    policy = policy_for(1, KAnonymity(6))
    with pytest.raises(InputError, match="'q0' of the released table holds cells that read alike"):
        verify(frame, policy)
    with pytest.raises(InputError, match="read alike"):
        recount_classes(frame, ["q0"])
    if isinstance(frame, pl.DataFrame):
        frame.write_parquet(tmp_path / "r.parquet")
        with pytest.raises(InputError, match="read alike"):
            verify(tmp_path / "r.parquet", policy)


def test_nan_alone_is_one_way_to_be_missing(tmp_path):
    table = pa.table({"q0": [1.5, 1.5, float("nan"), float("nan")]})
    assert verify(table, policy_for(1, KAnonymity(2))).passed
    for name, write in (("r.parquet", pq.write_table), ("r.arrow", pyarrow.feather.write_feather)):
        write(table, tmp_path / name)
        assert verify(tmp_path / name, policy_for(1, KAnonymity(2))).passed
        assert not verify(tmp_path / name, policy_for(1, KAnonymity(3))).passed


def test_files_of_a_folder_that_are_no_part_of_the_table_are_told(tmp_path):
    table = pa.table({"q0": ["a", "a"]})
    pq.write_table(table, tmp_path / "part.parquet")
    assert verify(tmp_path, policy_for(1, KAnonymity(2))).notes == ()
    pq.write_table(table.slice(1), tmp_path / "_rest.parquet")
    (tmp_path / "names.csv").write_text("q0\nb\n")
    verdict = verify(tmp_path, policy_for(1, KAnonymity(2)))
    assert verdict.passed
    assert verdict.records == 2
    assert verdict.notes[0].startswith("2 more files lie in the folder and were not looked at")


MISSING = [None, float("nan"), pd.NA, pd.NaT]


@pytest.mark.parametrize("nothing", MISSING)
@pytest.mark.parametrize("text", ["a", 1])
def test_missing_cells_of_objects_are_one_value(nothing, text):
    frame = pd.DataFrame({"q0": pd.Series([nothing, text, nothing, text], dtype=object)})
    assert recount_classes(frame, ["q0"]).tolist() == [2, 2]


@pytest.mark.parametrize(("one", "other"), list(combinations(MISSING, 2)))
@pytest.mark.parametrize("text", ["a", 1])
def test_several_kinds_of_missing_cells_are_refused(one, other, text):
    frame = pd.DataFrame({"q0": pd.Series([one, text, other, text], dtype=object)})
    with pytest.raises(InputError, match="read alike"):
        recount_classes(frame, ["q0"])


def test_two_classes_of_one_text_are_refused():
    frame = pd.DataFrame({"q0": pd.Series(["x", "x", np.str_("x")], dtype=object)})
    with pytest.raises(InputError, match="read alike"):
        recount_classes(frame, ["q0"])
    apart = pd.DataFrame({"q0": pd.Series(["x", "x", np.str_("y")], dtype=object)})
    assert recount_classes(apart, ["q0"]).tolist() == [1, 2]


def test_numbers_of_a_file_are_texts(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text('age;sex\n39;f\n39.0;f\n+39;f\n"39";f\n', encoding="utf-8")
    assert recount_classes(path, ["age", "sex"]).tolist() == [1, 1, 2]


@pytest.mark.parametrize("counted", [False, True])
def test_keys_wider_than_64_bits_never_collide(counted):
    rng = np.random.default_rng(5)
    width, values, n = 30, 500, 3_000
    base = rng.integers(0, values, (n // 3, width))
    cells = np.vstack([base, base, base])
    cells[-1, rng.integers(width)] = values  # one cell of one record, anywhere
    cells = rng.permutation(cells)
    columns = {f"q{at}": [f"v{code}" for code in cells[:, at]] for at in range(width)}
    extra = [Column("n", "count")] if counted else []
    if counted:
        columns["n"] = [1] * len(cells)
    policy = policy_for(width, KAnonymity(3), extra=extra)
    [finding] = verify(pa.table(columns), policy).findings
    sizes = Counter(map(tuple, cells.tolist()))
    assert finding.classes == len(sizes)
    assert (finding.violating_classes, finding.violating_records) == (2, 3)


@pytest.mark.parametrize("alone", range(12))
@pytest.mark.parametrize("bits", [7, 8])
def test_no_column_is_shifted_out_of_a_wide_key(bits, alone):
    n_values = 2**bits - 1  # and one for missing cells: each column shifts the others by `bits`
    texts = [str(code) for code in range(n_values)]
    columns = {f"q{at}": [*texts, "0", "0"] for at in range(12)}
    assert recount_classes(pa.table(columns), list(columns)).tolist() == [1] * (n_values - 1) + [3]
    columns[f"q{alone}"][-1] = "1"  # only this cell tells the last two rows apart
    found = recount_classes(pa.table(columns), list(columns)).tolist()
    assert found == [1] * n_values + [2]


def test_a_release_is_a_source_too(tmp_path):
    rows = [("a", "x"), ("a", "x"), ("b", "y")]
    source = open_source(released("csv", rows, tmp_path))
    taken = source.take(np.array([0, 1]), {}, ["q0", "q1"])
    policy = policy_for(2, KAnonymity(2))
    assert not verify(source, policy).passed
    assert verify(taken, policy).passed
    with pytest.raises(InputError, match="no records"):
        verify(source.take(np.array([], dtype=np.int64), {}, ["q0", "q1"]), policy)


def test_nothing_is_changed():
    frame = pd.DataFrame({"q0": ["a", "a", None]}, index=[5, 5, 6])
    before = frame.copy(deep=True)
    verify(frame, policy_for(1, KAnonymity(2)))
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(("columns", "error"), [([], ParameterError), (["zip"], InputError)])
def test_classes_of_no_or_unknown_columns_are_refused(columns, error):
    with pytest.raises(error):
        recount_classes(pa.table({"q0": ["a"]}), columns)


def test_a_column_named_twice_or_alone():
    table = pa.table({"q0": ["a", "a", "b"]})
    assert recount_classes(table, ["q0", "q0"]).tolist() == [1, 2]
    assert recount_classes(table, "q0").tolist() == [1, 2]
