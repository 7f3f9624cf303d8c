"""MinGen: the best of all tables, held against all tables."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import incrowd as ic
import naive_partitions
from incrowd.algorithms import MinGen, Problem
from incrowd.errors import ParameterError, UnsatisfiableError
from incrowd.frame import FrequencyTable
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.requirements import KAnonymity
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
        if not problem.covered[j]:
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


@settings(max_examples=20)
@given(problem=small_problems(max_tuples=6), data=st.data())
def test_the_order_of_the_tuples_changes_nothing(problem, data):
    table = problem.table
    order = data.draw(st.permutations(range(table.n_tuples)))
    turned = FrequencyTable(
        table.columns, np.ascontiguousarray(table.codes[:, order]), table.records[order]
    )
    other = Problem(turned, problem.hierarchies, problem.requirements, problem.weights)
    for granularity in ("tuple", "record"):
        one, two = (MinGen(granularity=granularity).solve(each) for each in (problem, other))
        labels = []
        for recoding, each in ((one, problem), (two, other)):
            assignment = recoding.assign(each.table)
            labels.append(
                sorted(
                    (*each.table.codes[:, at], *assignment.low[of], *assignment.high[of], count)
                    for at, of, count in zip(
                        assignment.tuple_of.tolist(),
                        assignment.class_of.tolist(),
                        assignment.records.tolist(),
                        strict=True,
                    )
                )
            )
        assert labels[0] == labels[1]


def strangers(n, counts=None):
    tree = hierarchy_from_rows([(str(v), str(v // 4), "*") for v in range(max(n, 2))])
    counts = np.ones(n, np.int64) if counts is None else np.array(counts, np.int64)
    table = FrequencyTable(("x",), np.arange(n, dtype=np.int32)[None], counts)
    return Problem(table, (tree,), (KAnonymity(2, on=("x",)),), np.ones(1))


def test_larger_tables_are_refused_with_a_reason():
    assert MinGen().solve(strangers(18)).found.optimal
    with pytest.raises(ParameterError, match="19 distinct tuples") as raised:
        MinGen().solve(strangers(19))
    assert "local-search" in str(raised.value)
    many = strangers(3, [10**9, 10**9, 1])
    assert MinGen().solve(many).parts.n_classes == 2
    with pytest.raises(ParameterError, match="records in 3 distinct tuples"):
        MinGen(granularity="record").solve(many)
    with pytest.raises(ParameterError, match="100,000 distinct tuples"):
        MinGen().solve(strangers(100_000))


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
