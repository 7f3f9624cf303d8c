"""Clusterings under requirements on sensitive values: every class holds every one of them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from class_tables import levels_of
from diversity import DistinctDiversity, EntropyDiversity
from guarded_problems import guarded_problems, members_of, violates
from incrowd import kernels
from incrowd.algorithms import Problem, list_algorithms, parameters_of
from incrowd.algorithms.base import said_by
from incrowd.algorithms.clustering.family.buckets import Buckets
from incrowd.algorithms.clustering.local_search import LocalSearch
from incrowd.algorithms.multidimensional.mondrian import Mondrian
from incrowd.algorithms.shared.gain import gain_split
from incrowd.counts import FrequencyTable, Parts
from incrowd.errors import IncrowdError
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.progress import QUIET
from incrowd.requirements import KAnonymity, LDiversity
from kernel_columns import class_columns
from naive.merging import total_loss

pytestmark = pytest.mark.kernel

CLUSTERINGS = [name for name, cls in list_algorithms().items() if cls.family == "clustering"]
CHEAP = {"effort": "fast", "search": "bucketed", "bucket_size": 4, "partition_size": 4}


def solved(name, problem, **options):
    cls = list_algorithms()[name]
    known = parameters_of(cls)
    return cls(**{each: value for each, value in options.items() if each in known}).solve(problem)


def check(problem, parts):
    """Every record is in exactly one class, and every class holds everything."""
    dealt = np.bincount(parts.tuple_of, parts.records, minlength=problem.table.n_tuples)
    assert dealt.tolist() == problem.table.records.tolist()
    assert sorted(set(parts.class_of.tolist())) == list(range(parts.n_classes))
    for members in members_of(problem, parts):
        assert not violates(problem, members)


@pytest.mark.parametrize("name", CLUSTERINGS)
@settings(max_examples=12)
@given(problem=guarded_problems())
def test_every_class_holds_every_requirement(name, problem):
    for options in ({"effort": "fast"}, CHEAP):
        found = solved(name, problem, threads=1, **options)
        check(problem, found.parts)
        again = solved(name, problem, threads=3, **options)
        assert again.to_json() == found.to_json()


@pytest.mark.parametrize("name", CLUSTERINGS)
@settings(max_examples=8)
@given(
    problem=guarded_problems(),
    asked=st.sampled_from([DistinctDiversity, EntropyDiversity]),
)
def test_requirements_that_only_python_can_ask_hold_too(name, problem, asked):
    plug_in = asked(2, "disease", on=problem.columns)
    problem = replace(problem, requirements=(*problem.requirements, plug_in))
    try:
        problem.check_reachable()
    except IncrowdError:
        return
    found = solved(name, problem, **CHEAP)
    values = problem.table.carried["disease"]
    for members in members_of(problem, found.parts):
        assert plug_in.holds([values[at] for _, at, n in members for _ in range(n)])
    assert not problem.requirements.violating(found.parts).any()


@pytest.mark.parametrize("name", CLUSTERINGS)
def test_how_requirements_are_honoured_is_said(name):
    expected = "in the search" if name == "local-search" else "by merging"
    assert said_by(list_algorithms()[name], "honours") == expected


@pytest.mark.parametrize("kernel", [kernels.local_search, kernels.carve, kernels.peel])
@settings(max_examples=20)
@given(problem=guarded_problems(max_tuples=20), seed=st.integers(0, 3))
def test_the_search_looks_at_classes_as_a_judge_does(kernel, problem, seed):
    split = gain_split(problem, 1000, 1, QUIET, "local-search")
    asked, parts = problem.requirements, split.parts
    levels = levels_of(tuple(each.index_at for each in problem.hierarchies))
    how = {
        kernels.local_search: (400, seed, 1),
        kernels.carve: (levels, 1000, seed, 1),
        kernels.peel: (levels, 4000, False, 1),
    }[kernel]

    def judge(tuple_of, class_of, records, n_classes):
        return ~asked.violating(Parts(tuple_of, class_of, records, n_classes))

    found = []
    for rules in [(asked.kernel, None), (None, judge)]:
        arrays = kernel(
            problem.table.kernel,
            split.shapes,
            problem.class_size,
            parts.tuple_of,
            parts.class_of,
            parts.records,
            split.bucket_of,
            *how,
            *rules,
            lambda done: None,
        )
        check(problem, Parts(*arrays[:3], len(arrays[3])))
        found.append([each.tolist() for each in arrays])
    assert found[0] == found[1]


@settings(max_examples=40)
@given(problem=guarded_problems(max_tuples=20), size=st.integers(1, 20))
def test_buckets_stay_right_where_classes_are_merged(problem, size):
    split = gain_split(problem, size, 1, QUIET, "local-search")
    check(problem, split.parts)
    assert len(split.bucket_of) == split.parts.n_classes
    assert sorted(set(split.bucket_of.tolist())) == list(range(split.n_buckets))


@settings(max_examples=40)
@given(problem=guarded_problems(max_tuples=20), size=st.integers(1, 6))
def test_classes_lie_in_the_bucket_of_their_tuples(problem, size):
    buckets = Buckets.of(problem, "bucketed", size, 0)
    ends = [*buckets.starts.tolist()[1:], len(buckets.order)]
    places = np.arange(len(buckets.order))
    found = buckets.of_classes(places, places, len(places))
    assert all(
        buckets.starts[bucket] <= place < ends[bucket]
        for place, bucket in enumerate(found.tolist())
    )


@settings(max_examples=40)
@given(problem=guarded_problems(max_tuples=20))
def test_splits_by_gain_hold_too(problem):
    found = Mondrian(split="gain").solve(problem)
    check(problem, found.parts)


def census(n=400):
    """A table over three trees, with six diseases of which one is common."""
    draw = np.random.default_rng(5)
    tree = hierarchy_from_rows(
        [(f"{at:02}", f"{at // 3}x", f"{at // 9}y", "*") for at in range(27)]
    )
    carried = {
        "disease": np.minimum(draw.geometric(0.5, n) - 1, 5).astype(np.int32),
        "ward": draw.integers(0, 2, n).astype(np.int32),
    }
    meant = {"disease": ("asthma", "burn", "cold", "flu", "ulcer", "gout"), "ward": ("a", "b")}
    codes = draw.integers(0, 27, (3, n)).astype(np.int32)
    table = FrequencyTable(("x", "y", "z"), codes, np.ones(n, np.int64), carried, meant)
    asked = (KAnonymity(3), LDiversity(3, "disease"))
    return Problem(table, (tree,) * 3, asked, np.ones(3))


def loss(problem, parts):
    columns = class_columns(problem, "loss", [1.0] * len(problem.columns))
    return total_loss(columns, members_of(problem, parts))


def test_the_search_gets_better_under_a_requirement():
    problem = census()
    split = gain_split(problem, 1000, 1, QUIET, "local-search")
    found = LocalSearch(effort="fast").solve(problem)
    check(problem, found.parts)
    assert loss(problem, found.parts) < loss(problem, split.parts)
