"""MDAV: its classes on continuous numbers, and what it releases."""

from dataclasses import replace
from statistics import mean, stdev

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import incrowd as ic
from diversity import DistinctDiversity
from incrowd.algorithms import MDAV, Problem
from incrowd.algorithms.clustering.mdav import distance_shapes, standardised
from incrowd.counts import FrequencyTable
from incrowd.errors import IncrowdError, ParameterError
from incrowd.requirements import KAnonymity, violating_classes
from kernel_columns import told
from strategies import problems, tables, trees


def released(frame, k, algorithm=None, labels="node", **options):
    options = {"quasi_identifiers": list(frame.columns), "order": "keep", **options}
    policy = ic.policy(k=k, **options)
    policy = replace(policy, release=replace(policy.release, labels=labels))
    return ic.anonymize(frame, policy, algorithm=algorithm or MDAV())


def textbook(values, k):
    """MDAV on a matrix of numbers without ties, in the words of the paper."""
    scores = np.array([(column - mean(column)) / stdev(column) for column in values.T.tolist()
                       for column in [np.array(column)]]).T  # fmt: skip
    left, classes = list(range(len(values))), []

    def nearest(start):
        return sorted(left, key=lambda at: np.square(scores[at] - scores[start]).sum())[:k]

    def farthest(point):
        return max(left, key=lambda at: np.square(scores[at] - point).sum())

    def close(start):
        classes.append(nearest(start))
        left[:] = [at for at in left if at not in classes[-1]]

    while len(left) >= 3 * k:
        r = farthest(scores[left].mean(axis=0))
        s = farthest(scores[r])
        close(r)
        close(s)
    if len(left) >= 2 * k:
        close(farthest(scores[left].mean(axis=0)))
    return [*classes, left]


@settings(max_examples=30)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 60),
    columns=st.integers(1, 4),
    k=st.integers(2, 7),
)
def test_continuous_numbers_are_replaced_by_the_means_of_the_textbook(seed, n, columns, k):
    assume(n >= k)
    values = np.random.default_rng(seed).normal(size=(n, columns)).round(9) * 1e3
    frame = pd.DataFrame(values, columns=[f"x{j}" for j in range(columns)])
    table = released(frame, k).table.astype(float).to_numpy()
    for members in textbook(values, k):
        assert table[members] == pytest.approx(
            np.tile(values[members].mean(axis=0), (len(members), 1)), rel=1e-9, abs=1e-9
        )


def test_information_loss_is_what_the_means_leave_over():
    values = np.random.default_rng(1).normal(size=(50, 3)).round(9)
    frame = pd.DataFrame(values, columns=list("abc"))
    release = released(frame, 3)
    means = release.table.astype(float).to_numpy()
    scale = values.std(axis=0, ddof=1)
    lost = np.square((values - means) / scale).sum()
    total = np.square((values - values.mean(axis=0)) / scale).sum()
    assert release.recoding.found.facts["information_loss"] == pytest.approx(100 * lost / total)
    assert released(frame, 50).recoding.found.facts["information_loss"] == pytest.approx(100)
    assert released(frame, 1).recoding.found.facts["information_loss"] == 0


PEOPLE = pd.DataFrame(
    {
        "age": ["1", "2", "6", "70", "71", "79"],
        "job": ["miner", "miner", "cook", "cook", "judge", "judge"],
    }
)
JOBS = ic.groups({"manual": ["miner", "cook"]})


@pytest.mark.parametrize(
    ("algorithm", "labels", "expected"),
    [
        (MDAV(), "node", ["3", "3", "3", "73.3333333333", "73.3333333333", "73.3333333333"]),
        (MDAV(numbers="median"), "node", ["2", "2", "2", "71", "71", "71"]),
        (MDAV(numbers="labels"), "range", ["[1, 6]"] * 3 + ["[70, 79]"] * 3),
        (MDAV(numbers="labels"), "node", ["[0, 10)"] * 3 + ["[70, 80)"] * 3),
        (MDAV(numbers="mean"), "set", ["3", "3", "3"] + ["73.3333333333"] * 3),
    ],
)
def test_what_numbers_are_released_as(algorithm, labels, expected):
    columns = {"age": ic.intervals(10), "job": JOBS}
    table = released(PEOPLE, 3, algorithm, quasi_identifiers=columns, labels=labels).table
    assert table["age"].tolist() == expected


@pytest.mark.parametrize(
    ("algorithm", "labels", "expected"),
    [
        (MDAV(), "node", ["manual"] * 3 + ["*"] * 3),
        (MDAV(categories="mode"), "node", ["miner"] * 3 + ["judge"] * 3),
        (MDAV(categories="mode", numbers="labels"), "set", ["miner"] * 3 + ["judge"] * 3),
        (MDAV(), "set", ["{miner, cook}"] * 3 + ["{cook, judge}"] * 3),
    ],
)
def test_what_categories_are_released_as(algorithm, labels, expected):
    columns = {"age": ic.intervals(10), "job": JOBS}
    table = released(PEOPLE, 3, algorithm, quasi_identifiers=columns, labels=labels).table
    assert table["job"].tolist() == expected


def test_a_missing_number_is_two_apart_and_makes_its_class_the_root():
    frame = pd.DataFrame({"age": ["1", "2", "3", "4", None], "sex": ["f"] * 5})
    table = released(frame, 2).table
    assert sorted(table["age"]) == ["*", "*", "3", "3", "3"]
    alone = pd.DataFrame({"age": ["1", "1", None, None]})
    assert released(alone, 2).table["age"].isna().tolist() == [False, False, True, True]
    only = pd.DataFrame({"age": [None] * 3, "x": ["1", "2", "3"]}, dtype=object)
    assert set(released(only, 3).table["x"]) == {"2"}


def test_equal_means_are_one_class_that_spans_all_its_numbers():
    values = np.random.default_rng(0).integers(0, 6, (300, 2))
    frame = pd.DataFrame(values, columns=["x", "y"])
    release = released(frame, 4)
    searched = released(frame, 4, MDAV(numbers="labels")).recoding.parts.n_classes
    assert release.facts["classes"] == release.recoding.parts.n_classes < searched
    assignment, codes = release.outcome.assignment, release.outcome.table.codes
    for at in range(assignment.n_classes):
        inside = codes[:, assignment.tuple_of[assignment.class_of == at]]
        assert assignment.low[at].tolist() == inside.min(axis=1).tolist()
        assert assignment.high[at].tolist() == (inside.max(axis=1) + 1).tolist()


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (["1e308", "1.2e308", "1.4e308"], {"120" + "0" * 306}),
        (["1e-300", "3e-300", "5e-300"], {"0." + "0" * 299 + "3"}),
        (["-3", "0", "3"], {"0"}),
        (["0.1", "0.2", "0.3"], {"0.2"}),
        (["1", "2", "1e999"], {"*"}),  # beyond all floats: no mean, a category
        (["12345678901234567890", "12345678901234567890", "12345678901234567890"],
         {"12345678901234567890"}),
    ],
)  # fmt: skip
def test_numbers_of_any_size(numbers, expected):
    frame = pd.DataFrame({"x": numbers})
    release = released(frame, 3, quasi_identifiers={"x": ic.suppression()})
    assert set(release.table["x"]) == expected


def test_small_numbers_keep_their_digits_beside_huge_ones():
    frame = pd.DataFrame({"x": ["1e-20", "3e-20", "1e300", "1e300", "1e300", "1e300"]})
    released_ = set(released(frame, 2, quasi_identifiers={"x": ic.suppression()}).table["x"])
    assert "0.00000000000000000002" in released_


def test_a_column_of_one_number_adds_nothing():
    frame = pd.DataFrame({"x": ["5"] * 6, "y": ["1", "2", "3", "7", "8", "9"]})
    assert released(frame, 3).table.to_numpy().tolist() == [["5", "2"]] * 3 + [["5", "8"]] * 3


def test_weights_decide_which_column_matters():
    frame = pd.DataFrame({"x": ["1", "1", "9", "9"], "y": ["1", "9", "1", "9"]})
    columns = {"x": ic.intervals(10), "y": ic.intervals(10)}
    for heavy, kept in ((0, "x"), (1, "y")):
        weights = {name: 5.0 if at == heavy else 1.0 for at, name in enumerate(columns)}
        table = released(frame, 2, quasi_identifiers=columns, weights=weights).table
        assert table[kept].tolist() == frame[kept].tolist()


def test_categories_are_apart_by_their_lowest_common_node():
    tree = ic.groups({"A": ["a", "b"], "B": ["c", "d", "e"]}).build(list("abcde"), column="x")
    table = FrequencyTable(("x",), np.arange(5, dtype=np.int32)[None], np.ones(5, np.int64))
    asked = (KAnonymity(2, on=("x",)),)
    problem = Problem(table, (tree,), asked, np.array([3.0]))
    (_, _, _, _, low, high, squared), *_ = told(distance_shapes, problem)
    by_width = dict(zip((high - low).tolist(), squared.tolist(), strict=True))
    assert by_width == {1: 0.0, 2: 3 / 16, 3: 3 / 4, 5: 3.0}


def test_scores_have_mean_0_and_deviation_1():
    tree = (
        ic.intervals(10)
        .build([str(at) for at in range(0, 90, 7)], column="x")
        .extended(missing=True)
    )
    codes = np.arange(tree.n_codes, dtype=np.int32)
    counts = np.arange(1, tree.n_codes + 1)
    scores = standardised(FrequencyTable(("x",), codes[None], counts), 0, tree)
    records = np.repeat(scores, counts[:-1])
    assert records.mean() == pytest.approx(0, abs=1e-12)
    assert records.std(ddof=1) == pytest.approx(1)


@settings(max_examples=60)
@given(
    problem=problems(),
    numbers=st.sampled_from(["mean", "median", "labels"]),
    categories=st.sampled_from(["node", "mode"]),
    labels=st.sampled_from(["node", "grid", "range", "set"]),
)
def test_classes_hold_k_records(problem, numbers, categories, labels):
    problem = replace(problem, labels=labels)
    recoding = MDAV(numbers=numbers, categories=categories).solve(problem)
    parts, table = recoding.parts, problem.table
    dealt = np.bincount(parts.tuple_of, parts.records, table.n_tuples)
    assert dealt.tolist() == table.records.tolist()
    assert parts.class_sizes.min() >= problem.class_size
    assert recoding.assign(table).n_suppressed == 0


@settings(max_examples=40)
@given(data=st.data())
def test_every_other_requirement_holds_too(data):
    hierarchies = tuple(data.draw(st.lists(trees(), min_size=1, max_size=3)))
    table = data.draw(tables(hierarchies, carried=3, max_tuples=12))
    asked = (DistinctDiversity(2, on=table.columns), KAnonymity(2, on=table.columns))
    problem = Problem(table, hierarchies, asked, np.ones(len(hierarchies)))
    try:
        problem.check_reachable()
    except IncrowdError:
        assume(False)
    parts = MDAV().solve(problem).parts
    assert not violating_classes(asked, table, parts).any()


def test_means_survive_saving(tmp_path):
    release = released(PEOPLE, 3)
    release.recoding.save(tmp_path / "recoding.json")
    again = ic.load_recoding(tmp_path / "recoding.json")
    table = release.outcome.table
    for each in ("low", "high", "label_of"):
        assert (
            getattr(again.assign(table), each) == getattr(release.recoding.assign(table), each)
        ).all()


@pytest.mark.parametrize("wrong", [{"numbers": "mode"}, {"categories": "mean"}, {"numbers": None}])
def test_parameters_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ParameterError):
        MDAV(**wrong)
