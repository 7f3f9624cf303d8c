"""What holds for every registered algorithm, whatever the table looks like.

Tables are hostile: missing cells, ties, one row, one value, odd indexes, letters beyond ASCII,
numbers as text, values that a hierarchy does not list and leaves that no row has.
"""

import csv
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
import naive
from incrowd.algorithms import list_algorithms, parameters_of
from incrowd.errors import UnsatisfiableError
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.texts import canonical_number

ALGORITHMS = sorted(list_algorithms())
LIMITS = [0.0, 0.05, 0.4, 1.0]
CITIES = hierarchy_from_rows(
    [
        ("Köln", "DE", "Earth"),
        ("Ürümqi", "CN", "Earth"),
        ("北京", "CN", "Earth"),
        ("*", "?", "Earth"),
        ("nobody lives here", "CN", "Earth"),
    ]
)
QUASI_IDENTIFIERS = {
    "âge": ic.intervals(5, 10),
    "city": CITIES,
    "code": ic.suppression(),
}
COLUMNS = tuple(QUASI_IDENTIFIERS)

ages = st.sampled_from(["7", "07", "7.0", "8", "12", "-3", "120", None])
cities = st.sampled_from(["Köln", "Ürümqi", "北京", "*", "unheard of", None])
codes = st.sampled_from(["a", "A", " a", "*", "1", "01", "'; --", None])


@st.composite
def frames(draw, min_rows=1, max_rows=12):
    rows = draw(st.lists(st.tuples(ages, cities, codes), min_size=min_rows, max_size=max_rows))
    if draw(st.booleans()):  # ties
        rows = rows * draw(st.integers(2, 3))
    frame = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)
    if draw(st.booleans()):  # a column of one value
        frame["code"] = "a"
    frame["row"] = np.arange(len(frame))
    frame.index = draw(indexes(len(frame)))
    return frame


def indexes(n):
    return st.sampled_from(
        [
            pd.RangeIndex(n),
            pd.Index([0] * n),
            pd.Index(range(n, 0, -1), name="row"),
            pd.Index([f"é{at % 2}" for at in range(n)]),
        ]
    )


def built(name, limit, **more):
    """Return an algorithm with those of the options that it has."""
    options = {"suppression_limit": limit, "objective": "loss", **more}
    known = parameters_of(list_algorithms()[name])
    return list_algorithms()[name](**{key: value for key, value in options.items() if key in known})


def anonymized(data, algorithm, requirements, **options):
    return ic.anonymize(
        data,
        quasi_identifiers=QUASI_IDENTIFIERS,
        unknown={"city": "suppress"},
        insensitive=["row"],
        requirements=requirements,
        algorithm=algorithm,
        **{"order": "keep", "suppressed": "mask", **options},
    )


def text_of(cell):
    return None if cell is None or cell is pd.NA or cell != cell else str(cell)


def rows_of(frame, columns=COLUMNS):
    return [tuple(map(text_of, row)) for row in frame[list(columns)].itertuples(index=False)]


def check_requirements(released, requirements):
    """Count the rows of a release again; masked ones are a class like any other."""
    for requirement in requirements:
        counts = Counter(rows_of(released, requirement.on or COLUMNS))
        assert min(counts.values()) >= requirement.k


def leaf_codes(trees, row):
    """Return the leaf codes of a row; what a hierarchy does not list is unknown."""
    found = []
    for tree, text in zip(trees, row, strict=True):
        code = tree.missing_code if text is None else int(tree.match([text])[0])
        found.append(tree.unknown_code if code < 0 else code)
    return found


def labels_of(tree, code):
    return {naive.release_cell(tree, code, level).label for level in range(tree.height + 1)}


def same(released, label):
    """Whether a cell is a label; 7 and 7.0 are one leaf."""
    if released is None or label is None or released == label:
        return released == label
    number = canonical_number(released)
    return number is not None and number == canonical_number(label)


def check_cells(original, release, suppressed):
    """Each kept cell covers its original; suppressed rows are masked."""
    trees, levels = release.recoding.hierarchies, getattr(release.recoding, "levels", None)
    before = dict(zip(original["row"], rows_of(original), strict=True))
    masked = 0
    for row, after in zip(release.table["row"], rows_of(release.table), strict=True):
        if row in suppressed:
            assert after == ("*",) * len(COLUMNS)
            masked += 1
            continue
        for j, (tree, code) in enumerate(zip(trees, leaf_codes(trees, before[row]), strict=True)):
            assert any(same(after[j], label) for label in labels_of(tree, code))
            if levels is not None:
                assert same(after[j], naive.release_cell(tree, code, levels[j]).label)
    assert masked == release.facts["suppressed"] - release.facts["dropped"]


def suppressed_rows(original, release, requirements):
    """Return the rows that must be suppressed at the levels of a full-domain release.

    Of any other release, those that are masked or left out.
    """
    trees, levels = release.recoding.hierarchies, getattr(release.recoding, "levels", None)
    if levels is None:
        shown = dict(zip(release.table["row"], rows_of(release.table), strict=True))
        return {row for row in original["row"] if set(shown.get(row, "*")) == {"*"}}
    keys = [
        [
            naive.release_cell(tree, code, level).value
            for tree, code, level in zip(trees, leaf_codes(trees, row), levels, strict=True)
        ]
        for row in rows_of(original)
    ]
    asked = [
        ([COLUMNS.index(name) for name in each.on or COLUMNS], naive.at_least(each.k))
        for each in requirements
    ]
    return set(original["row"].iloc[sorted(naive.suppress(keys, asked))])


def check_release(original, release, requirements):
    released, facts = release.table, release.facts
    assert list(released.columns) == list(original.columns)
    assert 0 < len(released) == facts["released"] <= len(original) == facts["records"]
    assert facts["dropped"] == len(original) - len(released)
    check_requirements(released, requirements)
    suppressed = suppressed_rows(original, release, requirements)
    assert facts["suppressed"] == len(suppressed)
    assert facts["dropped"] in (0, facts["suppressed"])
    check_cells(original, release, suppressed)
    assert release.verdict.passed


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=20)
@given(frame=frames(), data=st.data())
def test_a_release_holds_what_it_promises(name, frame, data):
    k = data.draw(st.sampled_from([1, 2, 3, len(frame)]).filter(lambda k: k <= len(frame)))
    untouched = frame.copy(deep=True)
    requirements = [ic.KAnonymity(k)]
    limit = data.draw(st.sampled_from(LIMITS))
    release = anonymized(frame, built(name, limit), requirements)
    check_release(frame, release, requirements)
    pd.testing.assert_frame_equal(frame, untouched)
    assert release.facts["suppressed"] <= naive.allowed(limit, len(frame))
    assert isinstance(release.table.index, pd.RangeIndex)


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=10)
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
@settings(max_examples=6)
@given(frame=frames(min_rows=2), data=st.data())
def test_suppressed_rows_can_be_dropped_and_rows_shuffled(name, frame, data):
    limit = data.draw(st.sampled_from(LIMITS))
    release = anonymized(
        frame, built(name, limit), [ic.KAnonymity(2)], suppressed="drop", order="shuffle"
    )
    check_release(frame, release, [ic.KAnonymity(2)])
    assert release.facts["dropped"] == release.facts["suppressed"]


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=6)
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
        for name in ALGORITHMS
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
@settings(max_examples=5)
@given(frame=frames(min_rows=3), data=st.data())
def test_every_kind_of_table_gives_the_same_release(tmp_path_factory, name, frame, data):
    limit = data.draw(st.sampled_from(LIMITS))
    folder = tmp_path_factory.mktemp("kinds")
    releases = {
        kind: anonymized(table, built(name, limit), [ic.KAnonymity(2)])
        for kind, table in kinds(frame, folder).items()
    }
    expected = plain_rows(releases["pandas"].table)
    for kind, release in releases.items():
        assert plain_rows(release.table) == expected, kind
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
    frame = pd.DataFrame({"age": [30, 30, 41, 41], "sex": ["f", "f", "m", "m"]})
    release = ic.anonymize(
        frame,
        quasi_identifiers={"age": ic.intervals(10), "sex": ic.suppression()},
        k=2,
        order="keep",
        algorithm=built(name, 0.0),
    )
    pd.testing.assert_frame_equal(release.table, frame)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_compressed_table_counts_its_records(name):
    frame = pd.DataFrame({"sex": ["f", "m", "m", "x"], "n": [3, 1, 1, 2]})
    release = ic.anonymize(
        frame,
        quasi_identifiers=["sex"],
        count="n",
        k=2,
        algorithm=built(name, 0.0),
    )
    assert release.facts["records"] == 7
    released = release.table
    counts = dict(zip(released["sex"], released["n"], strict=True))
    assert counts == {"f": 3, "m": 2, "x": 2}
    assert len(released) == 3
