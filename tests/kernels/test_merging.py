"""The merging of classes that break a requirement, against slow twins."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diversity import DistinctDiversity
from guarded_problems import dealt, guarded_problems, members_of, violates
from incrowd import kernels
from incrowd.algorithms import Problem
from incrowd.algorithms.shared.merging import merged_in_buckets
from incrowd.counts import FrequencyTable, Parts
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.requirements import KAnonymity, LDiversity
from kernel_columns import class_columns, shapes_of
from naive import merging as naive

pytestmark = pytest.mark.kernel


def as_sets(classes):
    """Return classes as records by tuple."""
    found = []
    for members in classes:
        own = {}
        for _, at, n in members:
            own[at] = own.get(at, 0) + n
        found.append(own)
    return found


def columns_of(problem):
    return class_columns(problem, "loss", (problem.weights / problem.weights.sum()).tolist())


@settings(max_examples=100)
@given(data=st.data(), problem=guarded_problems())
def test_classes_are_merged_as_the_slow_twin_does(data, problem):
    parts, bucket_of = data.draw(dealt(problem))
    given_classes = members_of(problem, parts)
    found, buckets = merged_in_buckets(problem, parts, bucket_of)
    expected, numbers = naive.merged(
        columns_of(problem),
        given_classes,
        bucket_of.tolist(),
        lambda members: violates(problem, members),
    )
    assert as_sets(members_of(problem, found)) == as_sets(expected)
    assert not problem.requirements.violating(found).any()
    if found is not parts:
        assert buckets.tolist() == numbers


@settings(max_examples=60)
@given(data=st.data(), problem=guarded_problems())
def test_requirements_that_only_python_can_ask_are_merged_in_pairs(data, problem):
    least = data.draw(st.integers(1, len(set(problem.table.carried["disease"].tolist()))))
    asked = DistinctDiversity(least, "disease", on=problem.columns)
    problem = replace(problem, requirements=(problem.requirements[0], asked))
    parts, bucket_of = data.draw(dealt(problem))

    def breaks(members):
        values = {int(problem.table.carried["disease"][at]) for _, at, _ in members}
        k = problem.requirements[0].k
        return len(values) < least or naive.records_of(members) < k

    found, buckets = merged_in_buckets(problem, parts, bucket_of)
    expected, numbers = naive.merged_in_pairs(
        columns_of(problem), members_of(problem, parts), bucket_of.tolist(), breaks
    )
    assert as_sets(members_of(problem, found)) == as_sets(expected)
    if found is not parts:
        assert buckets.tolist() == numbers


def line_of(n, diseases):
    """A problem of one column of numbers in a row, one record each, in need of two diseases."""
    tree = hierarchy_from_rows([(f"{at:02}", f"{at // 2}x", f"{at // 4}y", "*") for at in range(n)])
    table = FrequencyTable(
        ("place",),
        np.arange(n, dtype=np.int32)[None],
        np.ones(n, np.int64),
        {"c": np.array(diseases, np.int32)},
    )
    asked = (KAnonymity(1), LDiversity(2, "c"))
    return Problem(table, (tree,), asked, np.ones(1))


def test_chains_do_not_fall_together():
    # every class violates, and every other one has what its neighbour lacks
    problem = line_of(8, [0, 1] * 4)
    parts = Parts.whole(np.arange(8, dtype=np.int32), problem.table.records)
    found, _ = merged_in_buckets(problem, parts, np.zeros(8, np.int32))
    assert found.class_of.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_class_alone_in_its_bucket_joins_the_nearest_of_all():
    problem = line_of(8, [0, 0, 1, 1, 0, 1, 0, 1])
    class_of = np.array([0, 0, 1, 1, 2, 2, 3, 3], np.int32)
    parts = Parts.whole(class_of, problem.table.records)
    found, buckets = merged_in_buckets(problem, parts, np.array([0, 1, 2, 2], np.int32))
    assert found.class_of.tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    assert buckets.tolist() == [0, 1, 1]


def random_problem(draw):
    """A table of a few hundred records over three trees, with six diseases."""
    tree = hierarchy_from_rows(
        [(f"{at:02}", f"{at // 3}x", f"{at // 9}y", "*") for at in range(27)]
    )
    n = 240
    codes = np.sort(draw.integers(0, 27, (3, n)).astype(np.int32), axis=1)
    codes[1:] = draw.integers(0, 27, (2, n))
    diseases = np.minimum(draw.geometric(0.5, n) - 1, 5).astype(np.int32)
    table = FrequencyTable(("x", "y", "z"), codes, np.ones(n, np.int64), {"c": diseases})
    asked = (KAnonymity(3), LDiversity(3, "c"))
    return Problem(table, (tree,) * 3, asked, np.ones(3))


def test_less_is_lost_than_by_merging_chains():
    now, before = [], []
    for seed in range(3):
        problem = random_problem(np.random.default_rng(seed))
        class_of = (np.arange(240) // 3).astype(np.int32)
        parts = Parts.whole(class_of, problem.table.records)
        columns, diseases = columns_of(problem), problem.table.carried["c"]
        found, _ = merged_in_buckets(problem, parts, np.zeros(80, np.int32))
        chained = naive.merged_in_chains(
            columns,
            members_of(problem, parts),
            lambda members: len({int(diseases[at]) for _, at, _ in members}) < 3,  # noqa: B023
        )
        now.append(naive.total_loss(columns, members_of(problem, found)))
        before.append(naive.total_loss(columns, chained))
    assert sum(now) < sum(before)


@pytest.mark.parametrize(
    "damage",
    [
        {"class_of": np.array([0, 9], np.int32)},
        {"tuple_of": np.array([0, 9], np.int32)},
        {"records": np.array([1, 0], np.int64)},
        {"class_of": np.array([1, 1], np.int32)},
        {"bucket_of": np.array([0, 2], np.int32)},
        {"records": np.ones(1, np.int64)},
        {"codes": np.zeros((2, 2), np.int32)},
        {"codes": np.full((1, 2), 9, np.int32)},
    ],
)
def test_damaged_classes_are_refused(damage):
    problem = line_of(2, [0, 1])
    arguments = {
        "codes": problem.table.codes,
        "tuple_of": np.arange(2, dtype=np.int32),
        "class_of": np.arange(2, dtype=np.int32),
        "records": np.ones(2, np.int64),
        "bucket_of": np.zeros(2, np.int32),
        "report": print,
    } | damage
    table = kernels.Table(arguments.pop("codes"), problem.table.records)
    shapes, asked = shapes_of(columns_of(problem)), problem.requirements.kernel
    with pytest.raises(ValueError, match="merge_violating"):
        kernels.merge_violating(table, shapes, asked, **arguments)


def test_one_mark_per_class_is_needed():
    problem = line_of(2, [0, 1])
    numbers = np.arange(2, dtype=np.int32)
    arrays = numbers, numbers, np.ones(2, np.int64), np.zeros(2, np.int32)
    with pytest.raises(ValueError, match="one mark"):
        kernels.merge_pairs(
            problem.table.kernel,
            shapes_of(columns_of(problem)),
            np.ones(1, np.uint8),
            *arrays,
            print,
        )
