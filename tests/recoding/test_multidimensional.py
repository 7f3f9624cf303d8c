"""Regions: what they are released as, saved, and applied to rows that nobody has seen."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.counts import FrequencyTable
from incrowd.errors import IncrowdError
from incrowd.hierarchies import (
    check_covers,
    hierarchy_from_rows,
    intervals,
    ordered,
    with_new_leaves,
)
from incrowd.recoding import (
    Found,
    MultidimensionalRecoding,
    SplitTree,
    coverage,
    load_recoding,
)
from incrowd.recoding.coverage import neighbours
from naive import labels as naive_labels
from strategies import tables, trees

LABELS = ["node", "grid", "range", "set"]


@st.composite
def split_trees(draw, hierarchies):
    """Cuts at random places, some of them beyond every code."""
    rows, open_ends = [], [None]
    for _ in range(draw(st.integers(0, 5))):
        end = open_ends.pop(draw(st.integers(0, len(open_ends) - 1)))
        if end is not None:
            rows[end[0]][end[1]] = len(rows)
        column = draw(st.integers(0, len(hierarchies) - 1))
        rows.append([column, draw(st.integers(0, hierarchies[column].n_codes)), 0, 0])
        open_ends += [(len(rows) - 1, 2), (len(rows) - 1, 3)]
    for region, (node, side) in enumerate(end for end in open_ends if end is not None):
        rows[node][side] = ~region
    return SplitTree(*np.array(rows, np.int32).reshape(-1, 4).T.copy())


@st.composite
def recodings(draw, kinds=trees, max_columns=3):
    """A table and a recoding of it into regions, some of them without records."""
    hierarchies = tuple(draw(st.lists(kinds(), min_size=1, max_size=max_columns)))
    table = draw(tables(hierarchies))
    tree, labels = draw(split_trees(hierarchies)), draw(st.sampled_from(LABELS))
    return table, MultidimensionalRecoding.of_table(table, hierarchies, tree, labels, Found("test"))


def labels_by_part(assignment, j):
    texts = assignment.labels[j]
    return [
        texts[assignment.label_of[number, j]] if number >= 0 else ...
        for number in assignment.class_of.tolist()
    ]


@settings(max_examples=100)
@given(case=recodings())
def test_its_own_table_is_released_whole(case):
    table, recoding = case
    found = recoding.assign(table, recoding.hierarchies)
    assert found.n_suppressed == 0
    regions = recoding.tree.regions_of(table.codes).tolist()
    held = {}
    for at, region in enumerate(regions):
        held.setdefault(region, []).append(table.codes[:, at].tolist())
    assert recoding.summary() == {"regions": len(held)}
    for j, tree in enumerate(recoding.hierarchies):
        expected = [
            naive_labels.release_class(tree, [row[j] for row in held[region]], recoding.labels)
            for region in regions
        ]
        assert labels_by_part(found, j) == [cell.label for cell in expected]


def saved_and_loaded(recoding, folder):
    path = folder / "recoding.json"
    recoding.save(path)
    return load_recoding(path)


@settings(max_examples=50)
@given(case=recodings())
def test_round_trip(tmp_path_factory, case):
    table, recoding = case
    loaded = saved_and_loaded(recoding, tmp_path_factory.mktemp("recoding"))
    assert loaded.to_json() == recoding.to_json()
    assert loaded.explain() == recoding.explain()
    assert loaded.unchanged() == recoding.unchanged()
    ours, theirs = recoding.assign(table), loaded.assign(table)
    assert ours.labels == theirs.labels
    for name in ("class_of", "low", "high", "label_of", "levels", "leaves"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name


# ---- new rows ----------------------------------------------------------------------------------

numbers = st.one_of(st.integers(-3, 12), st.sampled_from(["0.5", "2.25", "7.0", "9.75", "11.9"]))


@st.composite
def number_trees(draw):
    texts = draw(st.lists(st.integers(0, 10).map(str), min_size=1, max_size=5, unique=True))
    builder = draw(st.sampled_from([intervals(2, 4), intervals(5), intervals(3, 12), ordered(2)]))
    tree = builder.build(texts, column="x")
    return tree.extended(missing=draw(st.booleans()), unknown=draw(st.booleans()))


@settings(max_examples=200)
@given(case=recodings(kinds=number_trees, max_columns=2), data=st.data())
def test_a_new_value_is_released_exactly_if_its_label_is_true(case, data):
    _, recoding = case
    cell = st.one_of(numbers.map(str), st.sampled_from(["x", "-1e5"]), st.none())
    row = st.tuples(*[cell] * len(recoding.columns))
    rows = data.draw(st.lists(row, min_size=1, max_size=12, unique=True))
    columns, wider = [], []
    for own, column in zip(recoding.hierarchies, zip(*rows, strict=True), strict=True):
        texts = [text for text in dict.fromkeys(column) if text is not None]
        tree, codes = check_covers(
            with_new_leaves(own, texts), texts, "x", "suppress", None in column
        )
        code_of = dict(zip(texts, codes.tolist(), strict=True))
        columns.append([tree.missing_code if text is None else code_of[text] for text in column])
        wider.append(tree)
    codes = np.array(columns, np.int32)
    table = FrequencyTable(recoding.columns, codes, np.ones(len(rows), np.int64))
    found = recoding.assign(table, wider)
    near = [neighbours(*pair).nearest for pair in zip(recoding.hierarchies, wider, strict=True)]
    routed = np.vstack([each[codes[j]] for j, each in enumerate(near)])
    regions = recoding.tree.regions_of(routed)
    for at, region in enumerate(regions.tolist()):
        texts = [values.labels[values.label_of[region]] for values in recoding.column_values]
        true = (recoding.high[region] > 0).all() and all(
            naive_labels.true_of(wider[j], int(codes[j, at]), text) for j, text in enumerate(texts)
        )
        assert (found.class_of[at] >= 0) == true
        if true:
            assert texts == [labels_by_part(found, j)[at] for j in range(len(texts))]


def ages(labels, groups, builder):
    """Return a recoding of one column into ranges of consecutive ages."""
    texts = [str(age) for group in groups for age in group]
    tree = builder.build(texts, column="age")
    cuts = np.cumsum([len(group) for group in groups])[:-1].astype(np.int32)
    n = len(cuts)
    chain = SplitTree(
        np.zeros(n, np.int32),
        cuts,
        ~np.arange(n, dtype=np.int32),
        np.array([*range(1, n), ~n][:n], np.int32),
    )
    counts = np.ones(len(texts), np.int64)
    table = FrequencyTable(("age",), np.arange(len(texts), dtype=np.int32)[None, :], counts)
    return MultidimensionalRecoding.of_table(table, (tree,), chain, labels, Found("test"))


def applied(recoding, texts):
    (own,) = recoding.hierarchies
    wider, codes = check_covers(with_new_leaves(own, texts), texts, "age", "suppress")
    counts = np.ones(len(texts), np.int64)
    found = recoding.assign(FrequencyTable(("age",), codes[None, :], counts), (wider,))
    return labels_by_part(found, 0)


def test_numbers_between_known_ones():
    groups = [[17, 23], [31], [40, 44]]
    new = ["16", "17", "17.0", "20", "23.0000000000000001", "24", "31", "32", "42", "44.5", "61"]
    assert applied(ages("range", groups, intervals(5, 10)), new) == [
        ..., "[17, 23]", "[17, 23]", "[17, 23]", ..., ..., "31", ..., "[40, 44]", ..., ...
    ]  # fmt: skip
    assert applied(ages("grid", groups, intervals(5, 10)), new) == [
        "[15, 25)", "[15, 25)", "[15, 25)", "[15, 25)", "[15, 25)", "[15, 25)", "31", ...,
        "[40, 45)", "[40, 45)", ...
    ]  # fmt: skip
    assert applied(ages("node", groups, intervals(10)), new) == [
        "*", "*", "*", "*", "*", "*", "31", ..., "[40, 50)", "[40, 50)", "*"
    ]  # fmt: skip
    assert applied(ages("set", groups, intervals(5)), new) == [
        ..., "{17, 23}", "{17, 23}", ..., ..., ..., "31", ..., ..., ..., ...
    ]  # fmt: skip


def test_a_value_alone_in_its_interval_stands_for_itself_only():
    """17 is the only leaf of [15, 20): another age of that interval is not 17."""
    for labels in LABELS:
        assert applied(ages(labels, [[17], [23, 24]], intervals(5)), ["17", "18"]) == ["17", ...]


def test_a_value_never_seen_goes_the_way_of_its_nearest_relative():
    """29 shares [25, 30) with its left neighbour, 36 [35, 40) with its right one, 31 neither."""
    recoding = ages("node", [[25, 26], [37, 38]], intervals(5, 20))
    assert applied(recoding, ["29", "31", "36"]) == ["[25, 30)", ..., "[35, 40)"]


def test_members_are_found_in_tables_and_in_lists(monkeypatch):
    recoding = ages("set", [[17, 23], [31], [40, 44]], intervals(5))
    new = ["17", "18", "23", "31", "40", "44"]
    found = applied(recoding, new)
    assert found == ["{17, 23}", ..., "{17, 23}", "31", "{40, 44}", "{40, 44}"]
    monkeypatch.setattr(coverage, "_TABLE_LIMIT", 1)
    assert applied(recoding, new) == found


# ---- files -------------------------------------------------------------------------------------

SECRET = "Kyrgyzstan"


def small(labels="set"):
    lands = [(SECRET, "Asia", "*"), ("Nepal", "Asia", "*"), ("Malta", "EU", "*")]
    years = intervals(5).build(["1", "2", "7", "8"], column="years")
    table = FrequencyTable(
        ("land", "years"),
        np.array([[0, 1, 2, 2], [0, 1, 2, 3]], np.int32),
        np.array([2, 1, 4, 1], np.int64),
    )
    cuts = SplitTree(*np.array([[0, 2, 1, ~0], [1, 1, ~1, ~2]], np.int32).T.copy())
    hierarchies = (hierarchy_from_rows(lands).extended(missing=True), years)
    recoding = MultidimensionalRecoding.of_table(table, hierarchies, cuts, labels, Found("test"))
    return table, recoding.in_context({"columns": {}})


DAMAGES = {
    "no columns": lambda data: data.update(columns=[]),
    "a column twice": lambda data: data["columns"][1].update(name="land"),
    "a column less": lambda data: data["columns"].pop(),
    "no hierarchy": lambda data: data["columns"][0].pop("hierarchy"),
    "labels of no kind": lambda data: data.update(labels="mean"),
    "labels in a list": lambda data: data.update(labels=["set"]),
    "sets without members": lambda data: data.update(members=None),
    "members without sets": lambda data: data.update(labels="node"),
    "members of one column": lambda data: data["members"].pop(),
    "members that do not exist": lambda data: data["members"][0].append(99),
    "members out of order": lambda data: data["members"][0].reverse(),
    "a member less": lambda data: data["members"][1].pop(),
    "a member as text": lambda data: data["members"][0].append("x"),
    "half a member": lambda data: data["members"].append([0.5]),
    "no tree": lambda data: data.update(tree=[]),
    "a tree in circles": lambda data: data["tree"][1].__setitem__(2, 0),
    "a region reached twice": lambda data: data["tree"][1].__setitem__(3, -2),
    "a region that does not exist": lambda data: data["tree"][1].__setitem__(3, -9),
    "a cut column that does not exist": lambda data: data["tree"][0].__setitem__(0, 2),
    "half a cut": lambda data: data["tree"][0].__setitem__(1, 0.5),
    "a huge cut": lambda data: data["tree"][0].__setitem__(1, 2**40),
    "a ragged tree": lambda data: data["tree"][0].pop(),
    "a span less": lambda data: data["low"].pop(),
    "a span of nothing": lambda data: data["low"][0].__setitem__(0, 3),
    "a span beyond the leaves": lambda data: data["high"][0].__setitem__(0, 9),
    "a negative span": lambda data: data["low"][0].__setitem__(0, -1),
    "half a span": lambda data: data["low"][0].__setitem__(0, 0.5),
    "a true span": lambda data: data.update(low=[[True, True]] * 3),
    "no records at all": lambda data: data.update(low=[[0, 0]] * 3, high=[[0, 0]] * 3),
    "the spans of other rows": lambda data: data.update(low=[[0] * 3] * 2),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused(tmp_path, damage):
    path = tmp_path / "recoding.json"
    small()[1].save(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    DAMAGES[damage](data)
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(IncrowdError, match="not a recoding that this version can read") as raised:
        load_recoding(path)
    assert SECRET not in str(raised.value)


junk = st.sampled_from([None, True, -1, 0, 1, 2, 7, 2**31, 2**70, 0.5, "", "*", [], [[]], {}, [0]])


def places(data, path=()):
    yield path
    if isinstance(data, dict | list):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield from places(data[key], (*path, key))


@settings(max_examples=200)
@given(data=st.data(), value=junk, labels=st.sampled_from(LABELS))
def test_whatever_is_changed_it_is_refused_or_still_true(tmp_path_factory, data, value, labels):
    table, recoding = small(labels)
    path = tmp_path_factory.mktemp("fuzz") / "recoding.json"
    recoding.save(path)
    stored = json.loads(path.read_text(encoding="utf-8"))
    *parents, last = data.draw(st.sampled_from([each for each in places(stored) if each]))
    holder = stored
    for key in parents:
        holder = holder[key]
    holder[last] = value
    path.write_text(json.dumps(stored), encoding="utf-8")
    try:
        loaded = load_recoding(path)
    except IncrowdError as error:
        assert SECRET not in str(error)  # noqa: PT017 - most changes are refused, some are not
        return
    if [each.n_codes for each in loaded.hierarchies] != [4, 4]:
        return
    found = loaded.assign(table)
    for j, tree in enumerate(loaded.hierarchies):
        for code, text in zip(table.codes[j].tolist(), labels_by_part(found, j), strict=True):
            assert text is ... or naive_labels.true_of(tree, code, text)
    loaded.explain()
    loaded.save(path)
    assert load_recoding(path).to_json() == loaded.to_json()


def test_columns_without_mixed_values_stay_as_they_are():
    recoding = ages("node", [[17], [23]], intervals(5))
    assert recoding.unchanged() == {"age"}
    assert ages("node", [[17], [23, 24]], intervals(5)).unchanged() == frozenset()


def test_it_explains_itself():
    _, recoding = small("range")
    assert recoding.explain() == [
        "3 regions, written as exact ranges",
        "land: cut 1 time",
        "years: cut 1 time",
    ]
    assert Counter(recoding.tree.column.tolist()) == {0: 1, 1: 1}
