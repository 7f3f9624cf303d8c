"""Builders for codes and categories: postcodes, prefixes, frequency, likeness, open ends."""

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import incrowd as ic
from hierarchy_strategies import check_tree
from incrowd.errors import HierarchyError, IncrowdError, ParameterError, PolicyError
from incrowd.hierarchies import (
    AutoHierarchy,
    CountedValues,
    Frequency,
    Likeness,
    Postcodes,
    Prefixes,
    frequency,
    intervals,
    likeness,
    postcodes,
    prefixes,
    spec_from_policy,
    with_new_leaves,
)
from incrowd.hierarchies.likeness import joined_groups

codes = st.from_regex(r"[A-Z]{1,2}[0-9]{0,3}([.\-][A-Z0-9]{1,3})?", fullmatch=True)
zips = st.from_regex(r"[0-9]{3,5}(-[0-9]{4})?", fullmatch=True)


def path(tree, leaf):
    code = int(tree.match([leaf])[0])
    return [level.labels[level.node_of[code]] for level in tree.levels]


@given(st.lists(codes, max_size=12), st.sampled_from([(), (3, 1), (4, 2), (1,)]))
def test_prefixes_are_true_of_their_codes(texts, lengths):
    tree = Prefixes(lengths).build(texts, column="c")
    check_tree(tree)
    for text in texts:
        for label in path(tree, text)[:-1]:
            assert label == text or text.startswith(label.removesuffix("*"))


@given(st.lists(zips, max_size=12, unique=True), st.sets(st.integers(0, 999), max_size=4))
def test_postcodes_show_no_more_than_their_first_digits(texts, small):
    small = tuple(f"{each:03}" for each in small)
    tree = Postcodes(small=small).build(texts, column="c")
    check_tree(tree)
    for text in texts:
        three, two, one, root = path(tree, text)[1:]
        if text[:3] in small:
            assert (three, two, one) == ("000",) * 3
        else:
            assert (three, two, one) == (f"{text[:3]}*", f"{text[:2]}*", f"{text[:1]}*")
        assert root == "*"


def test_a_code_behind_its_point():
    tree = prefixes().build(["I50.01", "I50.0", "I50", "J20.9"], column="c")
    assert path(tree, "I50.01") == ["I50.01", "I50.0*", "I50*", "I*", "*"]
    assert path(tree, "I50")[-3:] == ["I50*", "I*", "*"]
    assert path(tree, "I50.0")[-3:] == ["I50*", "I*", "*"]


@given(st.lists(st.integers(-5, 130), min_size=1, max_size=20), st.sampled_from([90, 88, 0, 200]))
def test_everything_from_the_open_end_on_is_one_interval(numbers, above):
    tree = intervals(5, 10, 20, above=above).build([str(each) for each in numbers], column="c")
    check_tree(tree)
    for number in numbers:
        for label in path(tree, str(number))[1:-1]:
            if number >= above:
                assert label == f"{above}+"
            else:
                low, high = map(int, label[1:-1].split(", "))
                assert low <= number < high <= above


def test_new_numbers_find_the_open_end_and_the_grid():
    tree = intervals(5, 20, above=90).build(["31", "86", "93"], column="c")
    wider = with_new_leaves(tree, ["34", "38", "88", "120"])
    assert path(wider, "120") == ["120", "90+", "90+", "*"]
    assert path(wider, "38") == ["38", "[35, 40)", "[20, 40)", "*"]
    assert path(wider, "88") == ["88", "[85, 90)", "[80, 90)", "*"]


def counted(texts, spread):
    spread = np.array(spread, dtype=np.int64)
    return CountedValues(tuple(texts), spread.sum(axis=1), spread)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=12), st.sampled_from([(20,), (5, 20, 50)]))
def test_rare_values_become_one_and_are_not_named(records, least):
    texts = [f"v{at}" for at in range(len(records))]
    values = CountedValues(tuple(texts), np.array(records, dtype=np.int64))
    tree = Frequency(least).counting(values, column="c").build(texts, column="c")
    check_tree(tree)
    for text, n in zip(texts, records, strict=True):
        labels = path(tree, text)[1:-1]
        assert labels == [text if n >= each else f"rare (< {each})" for each in least]


def bits(rows):
    """How many bits it takes to tell the classes of some rows, counted one by one."""
    total = rows.sum(axis=0)
    return sum(n * np.log2(total.sum() / n) for n in total if n)


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=7),
    st.integers(2, 6),
)
def test_each_join_loses_the_least_of_all_joins(spread, size):
    rows = np.array(spread, dtype=np.float64)
    assume(size < len(rows))
    [before], [after] = joined_groups(rows, [size + 1]), joined_groups(rows, [size])
    assert len(after) == size

    def cost(groups):
        return sum(bits(rows[group]) for group in groups)

    least = min(
        bits(rows[one + other]) - bits(rows[one]) - bits(rows[other])
        for one, other in combinations(before, 2)
    )
    assert cost(after) - cost(before) == pytest.approx(least, abs=1e-6)


def test_groups_of_likeness_nest_and_name_nobody():
    texts = [f"secret {at}" for at in range(9)]
    values = counted(texts, [(at, 9 - at) for at in range(9)])
    tree = Likeness((4, 2)).counting(values, column="c").build(texts, column="c")
    check_tree(tree)
    assert [len(level.labels) for level in tree.levels] == [9, 4, 2, 1]
    assert not any("secret" in label for level in tree.levels[1:] for label in level.labels)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("hierarchy", [frequency(30, 200), likeness(3, 2)])
def test_counting_builders_are_told_the_records_by_every_engine(tmp_path, engine, hierarchy):
    draw = np.random.default_rng(4)
    rows = {
        "town": draw.choice(["Bonn", "Ulm", "Kiel", "Hallig"], 400, p=[0.6, 0.3, 0.09, 0.01]),
        "class": draw.choice(["y", "n"], 400),
    }
    path = tmp_path / "people.csv"
    lines = [",".join(row) for row in zip(*rows.values(), strict=True)]
    path.write_text("town,class\n" + "\n".join(lines) + "\n", "utf-8")
    release = ic.anonymize(
        path, quasi_identifiers={"town": hierarchy}, target="class", k=20, engine=engine
    )
    [tree] = release.recoding.hierarchies
    assert release.verdict.passed
    if hierarchy == frequency(30, 200):
        assert "rare (< 30)" in tree.levels[1].labels
        assert tree.levels[2].labels[-1] == "Bonn"
    else:
        assert tree.levels[1].labels == ("group 1 of 3", "group 2 of 3", "group 3 of 3")


def test_a_count_column_counts_records():
    table = pa.table({"town": ["Bonn", "Ulm"], "n": [50, 3]})
    release = ic.anonymize(
        table, quasi_identifiers={"town": frequency(20)}, count="n", k=2, algorithm="flash"
    )
    assert release.recoding.hierarchies[0].levels[1].labels == ("rare (< 20)", "Bonn")


@pytest.mark.parametrize(
    "spec", [postcodes(3, 1, small=["036"]), prefixes(), prefixes(4, 2), frequency(20, 50),
             likeness(4, 2), intervals(5, 10, above=90)]
)  # fmt: skip
def test_builders_come_back_from_their_policy(spec, tmp_path):
    assert spec_from_policy(spec.to_policy(), folder=tmp_path) == spec


@pytest.mark.parametrize(
    "make",
    [
        lambda: prefixes(1, 3),
        lambda: prefixes(0),
        lambda: Prefixes("31"),
        lambda: Postcodes(()),
        lambda: postcodes(3, small=["36"]),
        lambda: Postcodes((3,), small="036"),
        lambda: frequency(),
        lambda: frequency(20, 10),
        lambda: frequency(1),
        lambda: likeness(2, 4),
        lambda: likeness(1),
        lambda: intervals(5, above="90"),
        lambda: intervals(5, above=float("nan")),
    ],
)
def test_wrong_parameters_are_refused(make):
    with pytest.raises(ParameterError):
        make()


def test_what_a_builder_cannot_do_is_refused_without_a_value():
    with pytest.raises(HierarchyError, match="not counted") as caught:
        frequency(20).build(["secret"], column="c")
    assert "secret" not in str(caught.value)
    with pytest.raises(HierarchyError, match="prefixes could not") as caught:
        prefixes().build(["I5*"], column="c")
    assert "I5" not in str(caught.value)
    with pytest.raises(PolicyError, match="no column is the target"):
        ic.anonymize(pa.table({"a": ["x", "y"]}), quasi_identifiers={"a": likeness(2)}, k=1)
    many = CountedValues(tuple(map(str, range(2001))), np.ones(2001, int), np.ones((2001, 2), int))
    with pytest.raises(IncrowdError, match="at most"):
        likeness(2).counting(many, column="c")


@pytest.mark.parametrize(
    ("texts", "column", "key"),
    [
        (["10115", "03601"], "x", "postcodes"),
        (["10115", "20095"], "PLZ", "postcodes"),
        (["10115", "20095"], "home_zip", "postcodes"),
        (["SW1A 1AA", "M1 1AE"], "x", "postcodes"),
        (["1012 AB"], "x", "postcodes"),
        (["I50.01", "J20.9", "I51"], "x", "prefixes"),
        (["A10", "B20"], "x", "suppression"),
        (["a1.2", "b2.3"], "x", "suppression"),
        ([str(each) for each in range(10000, 10100)], "income", "intervals"),
    ],
)
def test_auto_recognises_postcodes_and_codes(texts, column, key):
    assert key in AutoHierarchy().choose(texts, column).to_policy()
    check_tree(AutoHierarchy().build(texts, column=column))
