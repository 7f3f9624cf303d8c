"""What holds for every registered algorithm, whatever the table looks like."""

import csv
from collections import Counter

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import list_algorithms
from incrowd.errors import UnsatisfiableError
from release_checks import (
    ALGORITHMS,
    BY_LEVELS,
    COLUMNS,
    LIMITS,
    allowed,
    anonymized,
    built,
    check_release,
    frames,
    indexes,
    looks_at_the_target,
    rows_of,
    text_of,
)


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=12)
@given(frame=frames(), data=st.data())
def test_a_release_holds_what_it_promises(name, frame, data):
    k = data.draw(st.sampled_from([1, 2, 3, len(frame)]).filter(lambda k: k <= len(frame)))
    untouched = frame.copy(deep=True)
    requirements = [ic.KAnonymity(k)]
    limit = data.draw(st.sampled_from(LIMITS))
    release = anonymized(frame, built(name, limit), requirements)
    check_release(frame, release, requirements)
    pd.testing.assert_frame_equal(frame, untouched)
    assert release.facts["suppressed"] <= allowed(name, limit, len(frame))
    assert isinstance(release.table.index, pd.RangeIndex)


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=6)
@given(frame=frames(min_rows=4), data=st.data())
def test_several_requirements_hold_together(name, frame, data):
    requirements = [
        ic.KAnonymity(data.draw(st.integers(1, 3)), on=("âge", "city")),
        ic.KAnonymity(data.draw(st.integers(1, 3)), on=("city", "code")),
        ic.KAnonymity(data.draw(st.integers(1, 4)), on=("code",)),
    ]
    limit = data.draw(st.sampled_from(LIMITS))
    algorithm = built(name, limit, closeness="violations")
    check_release(frame, anonymized(frame, algorithm, requirements), requirements)


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=4)
@given(frame=frames(min_rows=2), data=st.data())
def test_suppressed_rows_can_be_dropped_and_rows_shuffled(name, frame, data):
    limit = data.draw(st.sampled_from(LIMITS))
    release = anonymized(
        frame, built(name, limit), [ic.KAnonymity(2)], suppressed="drop", order="shuffle"
    )
    check_release(frame, release, [ic.KAnonymity(2)])
    assert release.facts["dropped"] == release.facts["suppressed"]


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=4)
@given(frame=frames(min_rows=3), data=st.data())
def test_the_order_of_rows_and_the_index_change_no_class(name, frame, data):
    limit = data.draw(st.sampled_from(LIMITS))
    order = data.draw(st.permutations(range(len(frame))))
    shuffled = frame.iloc[order]
    shuffled.index = data.draw(indexes(len(frame)))
    sizes = []
    for each in (frame, shuffled):
        release = anonymized(each, built(name, limit), [ic.KAnonymity(3)])
        sizes.append(sorted(Counter(rows_of(release.table)).values()))
    assert sizes[0] == sizes[1]


@settings(max_examples=6)
@given(frame=frames(min_rows=4), limit=st.sampled_from(LIMITS))
def test_a_larger_k_never_costs_less_and_no_heuristic_less_than_the_optimum(frame, limit):
    costs = {
        (name, k): anonymized(frame, built(name, limit), [ic.KAnonymity(k)])
        for name in BY_LEVELS
        for k in (2, 3, 4)
    }
    for (name, k), release in costs.items():
        best = costs["exhaustive", k].metric("loss")
        assert release.metric("loss") >= best - 1e-12
        if release.facts["optimal"]:
            assert release.metric("loss") == pytest.approx(best, abs=1e-9)
            if k < 4:
                assert costs[name, k + 1].metric("loss") >= release.metric("loss") - 1e-12


def kinds(frame, folder):
    """The same table as every kind of input: texts, and nulls or empty cells."""
    columns = {name: [text_of(cell) for cell in frame[name]] for name in frame.columns}
    path = folder / "table.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(["" if cell is None else cell for cell in row]
                         for row in zip(*columns.values(), strict=True))  # fmt: skip
    return {
        "pandas": pd.DataFrame(columns, dtype=object),
        "polars": pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)),
        "pyarrow": pa.table(columns, schema=pa.schema([(name, pa.string()) for name in columns])),
        "csv": path,
    }


def plain_rows(table):
    """Rows of any kind of table; an empty cell of a CSV file is a missing one."""
    if isinstance(table, pd.DataFrame):
        return rows_of(table, table.columns)
    rows = table.rows() if isinstance(table, pl.DataFrame) else [
        tuple(row.values()) for row in table.to_pylist()
    ]  # fmt: skip
    return [tuple(cell or None for cell in row) for row in rows]


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=3)
@given(frame=frames(min_rows=3), data=st.data())
def test_every_kind_of_table_gives_the_same_release(tmp_path_factory, name, frame, data):
    limit = data.draw(st.sampled_from(LIMITS))
    folder = tmp_path_factory.mktemp("kinds")
    releases = {
        kind: anonymized(table, built(name, limit), [ic.KAnonymity(2)])
        for kind, table in kinds(frame, folder).items()
    }
    divided = releases["pandas"].recoding.kind == "local"  # equal records are dealt at random
    expected = plain_rows(releases["pandas"].table)
    for kind, release in releases.items():
        rows = plain_rows(release.table)
        if divided:
            quasi_identifiers = Counter(row[: len(COLUMNS)] for row in rows)
            assert quasi_identifiers == Counter(row[: len(COLUMNS)] for row in expected), kind
        else:
            assert rows == expected, kind
        assert release.recoding.to_json() == releases["pandas"].recoding.to_json(), kind


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=3)
@given(frame=frames(), beyond=st.integers(1, 10**12))
def test_more_than_there_are_is_an_error_and_no_table(name, frame, beyond):
    with pytest.raises(UnsatisfiableError, match=f"the table has {len(frame)} records") as raised:
        anonymized(frame, built(name, 0.0), [ic.KAnonymity(len(frame) + beyond)])
    for row in rows_of(frame):
        assert not any(text and len(text) > 3 and text in str(raised.value) for text in row)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_numbers_stay_numbers_where_nothing_is_changed(name):
    frame = pd.DataFrame(
        {
            "age": [30, 30, 41, 41],
            "sex": ["f", "f", "m", "m"],
            "ill": [1, 2, 1, 2],
            "income": ["little", "little", "much", "much"],
        }
    )
    release = ic.anonymize(
        frame,
        quasi_identifiers={"age": ic.intervals(10), "sex": ic.suppression()},
        sensitive=["ill"],
        target="income",
        k=2,
        order="keep",
        algorithm=built(name),
    )
    mixed = release.metric("generalised_cells")
    heuristic = list_algorithms()[name].family == "clustering"  # which may miss the best
    assert mixed == 0 or heuristic or looks_at_the_target(name)
    if not mixed:
        pd.testing.assert_frame_equal(release.table, frame)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_compressed_table_counts_its_records(name):
    frame = pd.DataFrame(
        {"sex": ["f", "m", "m", "x"], "ill": ["a"] * 4, "income": list("lmml"), "n": [3, 1, 1, 2]}
    )
    release = ic.anonymize(
        frame,
        quasi_identifiers=["sex"],
        sensitive=["ill"],
        target="income",
        count="n",
        k=2,
        algorithm=built(name),
    )
    assert release.facts["records"] == 7
    released = release.table
    counts = released.groupby("sex")["n"].sum().to_dict()
    assert sum(counts.values()) == 7
    assert min(counts.values()) >= 2
    if name in BY_LEVELS:
        assert counts == {"f": 3, "m": 2, "x": 2}
