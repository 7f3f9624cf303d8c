"""MinGen: the best of all tables, held against all tables."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import KMembers, LocalSearch, MinGen, Problem
from incrowd.counts import FrequencyTable
from incrowd.errors import ParameterError, UnsatisfiableError
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.requirements import KAnonymity
from naive import partitions as naive_partitions
from strategies import k_anonymities, tables, trees


@st.composite
def small_problems(draw, max_tuples=5, max_count=2, max_requirements=1):
    hierarchies = tuple(draw(st.lists(trees(), min_size=1, max_size=3)))
    table = draw(tables(hierarchies, max_tuples=max_tuples, max_count=max_count))
    weights = st.sampled_from([1.0, 1.0, 0.5, 3.0])
    chosen = draw(st.lists(weights, min_size=len(hierarchies), max_size=len(hierarchies)))
    asked = draw(k_anonymities(table.columns, table.n_records, max_requirements))
    return Problem(table, hierarchies, asked, np.array(chosen))


def figures(problem, recoding):
    """Return what the precision lacks, and the generalised cells, without the uncovered columns."""
    assignment = recoding.assign(problem.table)
    lacking, cells = 0.0, 0
    shares = problem.weights / problem.weights.sum()
    for j, tree in enumerate(problem.hierarchies):
        level = assignment.levels[assignment.class_of, j]
        steps = tree.steps[level, problem.table.codes[j, assignment.tuple_of]]
        if not problem.is_covered[j]:
            assert (level == 0).all() or (steps[level > 0] == tree.height).all()  # unknown values
            continue
        lacking += shares[j] * (steps * assignment.records).sum() / max(tree.height, 1)
        cells += int(((steps > 0) * assignment.records).sum())
    return lacking / problem.table.n_records, cells


def smallest_class(problem, recoding):
    """Return the smallest class over the columns of each requirement, less what it asks for."""
    assignment = recoding.assign(problem.table)
    spare = []
    for each in problem.requirements:
        sizes = {}
        on = [problem.columns.index(name) for name in each.on]
        for at, count in zip(assignment.class_of, assignment.records, strict=True):
            key = tuple(assignment.label_of[at, on].tolist())
            sizes[key] = sizes.get(key, 0) + int(count)
        spare.append(min(sizes.values()) - each.k)
    return min(spare)


@pytest.mark.parametrize("granularity", ["tuple", "record"])
@settings(max_examples=60)
@given(problem=small_problems())
def test_no_table_is_more_precise(granularity, problem):
    divided = granularity == "record"
    assume(not divided or problem.table.n_records <= 8)
    recoding = MinGen(granularity=granularity).solve(problem)
    lacking, cells = naive_partitions.best_table(problem, problem.class_size, divided=divided)
    found = figures(problem, recoding)
    assert found[0] == pytest.approx(lacking, abs=1e-9)
    assert found[1] == cells
    assert recoding.found.optimal is True
    assert smallest_class(problem, recoding) >= 0
    assert recoding.assign(problem.table).n_suppressed == 0


@settings(max_examples=40)
@given(problem=small_problems(max_tuples=7, max_requirements=3))
def test_several_requirements_hold_and_nothing_is_claimed(problem):
    recoding = MinGen().solve(problem)
    assert smallest_class(problem, recoding) >= 0
    assert recoding.found.optimal is (len(problem.requirements) == 1)


@settings(max_examples=30)
@given(problem=small_problems(max_tuples=6))
def test_dividing_tuples_never_costs_precision(problem):
    whole, divided = (
        figures(problem, MinGen(granularity=each).solve(problem))[0] for each in ("tuple", "record")
    )
    assert divided <= whole + 1e-12


def strangers(n, counts=None):
    tree = hierarchy_from_rows([(str(v), f"four {v // 4}", "*") for v in range(max(n, 2))])
    counts = np.ones(n, np.int64) if counts is None else np.array(counts, np.int64)
    table = FrequencyTable(("x",), np.arange(n, dtype=np.int32)[None], counts)
    return Problem(table, (tree,), (KAnonymity(2, on=("x",)),), np.ones(1))


def asking(problem, k):
    asked = (KAnonymity(k, on=problem.columns),)
    return Problem(problem.table, problem.hierarchies, asked, problem.weights)


def scattered(n, seed=1):
    """Return n distinct records over three columns with hierarchies of two to four levels."""
    rng = np.random.default_rng(seed)
    sizes = ((24, (3, 6, 12)), (12, (2, 4)), (6, (3,)))
    hierarchies = tuple(
        hierarchy_from_rows([(str(v), *(f"{w}: {v // w}" for w in widths), "*") for v in range(m)])
        for m, widths in sizes
    )
    every = np.stack(np.unravel_index(rng.permutation(24 * 12 * 6)[:n], (24, 12, 6)))
    table = FrequencyTable(("x", "y", "z"), every.astype(np.int32), np.ones(n, np.int64))
    return Problem(table, hierarchies, (KAnonymity(2, on=("x", "y", "z")),), np.ones(3))


@pytest.mark.parametrize(("n", "k"), [(36, 2), (40, 3), (28, 4), (24, 5)])
def test_records_that_share_a_parent_by_fours_go_up_one_step(n, k):
    problem = asking(strangers(n), k)
    recoding = MinGen().solve(problem)
    assert recoding.found.optimal
    assert figures(problem, recoding) == (0.5 if k <= 4 else 1.0, n)
    assert smallest_class(problem, recoding) >= 0


@pytest.mark.parametrize(("n", "k"), [(24, 2), (24, 3), (30, 3), (36, 2), (36, 3)])
def test_a_few_dozen_records_lose_less_than_with_a_heuristic(n, k):
    problem = asking(scattered(n), k)
    lacking = figures(problem, MinGen().solve(problem))[0]
    for heuristic in (LocalSearch(), KMembers()):
        assert lacking <= figures(problem, heuristic.solve(problem))[0] + 1e-12


def test_what_would_take_too_long_is_refused_with_a_reason(monkeypatch):
    many = strangers(3, [10**9, 10**9, 1])
    assert MinGen().solve(many).parts.n_classes == 2
    with pytest.raises(ParameterError, match="records in 3 distinct tuples"):
        MinGen(granularity="record").solve(many)
    with pytest.raises(ParameterError, match="100,000 distinct tuples"):
        MinGen().solve(strangers(100_000))
    with pytest.raises(ParameterError, match="40 distinct tuples") as raised:
        MinGen().solve(asking(strangers(40), 9))
    assert "local-search" in str(raised.value)
    assert MinGen().solve(scattered(24)).found.checked > 20
    monkeypatch.setattr(MinGen, "most_steps", 20)
    with pytest.raises(ParameterError, match="24 distinct tuples"):
        MinGen().solve(scattered(24))


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6, 7, 9, 10, 18])
def test_eighteen_distinct_records_always_fit(k):
    n = MinGen.most_tuples
    for problem in (strangers(n), scattered(n), scattered(n, seed=2)):
        assert MinGen().solve(asking(problem, k)).found.optimal


def test_weights_of_records_that_no_bits_can_hold_are_rounded():
    heavy = strangers(8, [10**12, 10**12, 1, 1, 1, 3, 10**12, 1])
    assert MinGen().solve(heavy).found.optimal
    odd = Problem(heavy.table, heavy.hierarchies, heavy.requirements, np.array([0.1234567890123]))
    assert figures(odd, MinGen().solve(odd))[0] == figures(heavy, MinGen().solve(heavy))[0]


def test_weights_that_are_decimal_fractions_tie():
    # One step of x and one of y weigh 0.3 together, as a step of z does: three cells against two.
    tree = hierarchy_from_rows([("a", "*"), ("b", "*")])
    codes = np.array([[0, 1, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]], np.int32)
    table = FrequencyTable(("x", "y", "z"), codes, np.ones(4, np.int64))
    asked = (KAnonymity(2, on=("x", "y", "z")),)
    problem = Problem(table, (tree,) * 3, asked, np.array([0.1, 0.2, 0.3]))
    assert figures(problem, MinGen().solve(problem))[1] == 4  # z in four records, not x and y


def test_columns_that_no_requirement_covers_are_left_as_they_are():
    frame = pd.DataFrame(
        {"sex": ["f", "m", "f", "m"], "town": ["a", "b", "c", "d"], "row": [0, 1, 2, 3]}
    )
    release = ic.anonymize(
        frame,
        quasi_identifiers=["sex", "town"],
        insensitive=["row"],
        requirements=[ic.KAnonymity(3, on=("sex",))],
        algorithm="mingen",
        order="keep",
    )
    assert release.table["town"].tolist() == ["a", "b", "c", "d"]
    assert release.table["sex"].tolist() == ["*"] * 4
    assert release.recoding.explain()[0].endswith("the lowest node that covers them")


def test_other_labels_promise_no_optimum():
    frame = pd.DataFrame({"age": [10, 11, 30, 31]})
    found = {
        labels: ic.anonymize(
            frame,
            quasi_identifiers={"age": ic.intervals(5)},
            k=2,
            algorithm="mingen",
            labels=labels,
        ).recoding.found.optimal
        for labels in ("node", "range", "set")
    }
    assert found == {"node": True, "range": False, "set": False}


def test_more_than_there_are_is_unsatisfiable_before_anything_is_enumerated():
    problem = strangers(30)
    asked = (KAnonymity(31, on=("x",)),)
    with pytest.raises(UnsatisfiableError):
        MinGen().solve(Problem(problem.table, problem.hierarchies, asked, np.ones(1)))


def test_the_granularity_is_one_of_two():
    with pytest.raises(ParameterError, match="granularity"):
        MinGen(granularity="cell")
