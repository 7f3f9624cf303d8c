"""Top-down greedy clustering: what its classes promise."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from diversity import DistinctDiversity
from incrowd.algorithms import Problem, TopDownGreedy
from incrowd.counts import FrequencyTable
from incrowd.errors import IncrowdError, ParameterError, UnsatisfiableError
from incrowd.hierarchies import hierarchy_from_rows, intervals
from incrowd.requirements import KAnonymity, violating_classes
from strategies import problems, tables, trees


def class_lists(problem, recoding):
    """Return each class as sorted (codes, carried values, records), all classes sorted."""
    parts, table = recoding.parts, problem.table
    carried = [table.carried[name] for name in table.carried]
    classes = [[] for _ in range(parts.n_classes)]
    for tuple_, at, records in zip(parts.tuple_of, parts.class_of, parts.records, strict=True):
        row = (*table.codes[:, tuple_].tolist(), *(int(values[tuple_]) for values in carried))
        classes[at].append((row, int(records)))
    return sorted(map(sorted, classes))


def check_parts(problem, parts):
    dealt = np.bincount(parts.tuple_of, parts.records, problem.table.n_tuples)
    assert dealt.tolist() == problem.table.records.tolist()
    assert parts.records.min() >= 1
    assert parts.class_sizes.min() >= problem.class_size


@settings(max_examples=100)
@given(problem=problems(), seed=st.integers(0, 5), labels=st.sampled_from(["node", "grid", "set"]))
def test_classes_are_large_enough_and_none_could_be_divided(problem, seed, labels):
    problem = replace(problem.where_covered()[0], labels=labels)
    parts = TopDownGreedy(seed=seed).solve(problem).parts
    check_parts(problem, parts)
    for at in range(parts.n_classes):
        rows = problem.table.codes[:, parts.tuple_of[parts.class_of == at]].T
        assert parts.class_sizes[at] < 2 * problem.class_size or len(np.unique(rows, axis=0)) == 1


@settings(max_examples=50)
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
    parts = TopDownGreedy().solve(problem).parts
    check_parts(problem, parts)
    assert not violating_classes(asked, table, parts).any()


def numbers_problem(numbers, k, counts=None):
    texts = [str(number) for number in sorted(set(numbers))]
    tree = intervals(10, 100).build(texts, column="age")
    codes = np.array([tree.leaves.index(str(number)) for number in numbers], np.int32)
    counts = np.ones(len(numbers), np.int64) if counts is None else np.array(counts, np.int64)
    table = FrequencyTable(("age",), codes[None], counts)
    return Problem(table, (tree,), (KAnonymity(k, on=("age",)),), np.ones(1), labels="range")


def test_two_crowds_are_found_whatever_the_seed():
    problem = numbers_problem([1, 2, 3, 4, 91, 92, 93, 94], 4)
    for seed in range(20):
        found = class_lists(problem, TopDownGreedy(seed=seed).solve(problem))
        assert found == [[((at,), 1) for at in range(4)], [((at,), 1) for at in range(4, 8)]]


def test_a_small_side_borrows_the_nearest_records_and_divides_their_tuple():
    problem = numbers_problem([1, 50, 90], 3, counts=[4, 3, 1])
    found = class_lists(problem, TopDownGreedy().solve(problem))
    assert found == [[((0,), 4)], [((1,), 3), ((2,), 1)]]
    problem = numbers_problem([1, 90], 3, counts=[5, 1])  # 90 needs two of the five
    found = class_lists(problem, TopDownGreedy().solve(problem))
    assert found == [[((0,), 2), ((1,), 1)], [((0,), 3)]]


@pytest.mark.parametrize("records", [3, 5])
def test_fewer_than_two_classes_worth_of_records_is_one_class(records):
    problem = numbers_problem(range(records), 3)
    assert TopDownGreedy().solve(problem).parts.n_classes == 1


def test_equal_records_are_one_class():
    assert TopDownGreedy().solve(numbers_problem([7], 2, counts=[1000])).parts.n_classes == 1


def test_forty_columns_and_ten_thousand_leaves():
    generator = np.random.default_rng(0)
    rows = [(str(at), f"g{at // 100}", "*") for at in range(10_000)]
    wide = hierarchy_from_rows(rows)
    narrow = hierarchy_from_rows([("a", "*"), ("b", "*")])
    codes = np.vstack([generator.integers(0, 10_000, 300), generator.integers(0, 2, (39, 300))])
    columns = tuple(f"column {j}" for j in range(40))
    table = FrequencyTable(columns, codes.astype(np.int32), np.ones(300, np.int64))
    asked = (KAnonymity(4, on=columns),)
    problem = Problem(table, (wide,) + (narrow,) * 39, asked, np.ones(40))
    check_parts(problem, TopDownGreedy().solve(problem).parts)


def test_a_large_table_is_the_same_on_two_threads():
    generator = np.random.default_rng(3)
    problem = numbers_problem(generator.permutation(5_000).tolist(), 5)
    one, two = (TopDownGreedy(threads=threads).solve(problem).parts for threads in (1, 2))
    assert (one.tuple_of == two.tuple_of).all()
    assert (one.class_of == two.class_of).all()
    assert (one.records == two.records).all()


def test_it_says_what_it_did():
    problem = numbers_problem([1, 2, 3, 4, 91, 92, 93, 94], 4)
    found = TopDownGreedy().solve(problem).found
    assert found.algorithm == "top-down-greedy"
    assert found.facts == {"divisions": 1}


def test_too_few_records_are_an_error():
    with pytest.raises(UnsatisfiableError, match="2 records"):
        TopDownGreedy().solve(numbers_problem([1, 2], 3))


@pytest.mark.parametrize(
    "wrong",
    [
        {"rounds": 0},
        {"rounds": "3"},
        {"rounds": 2.0},
        {"rounds": True},
        {"seed": -1},
        {"seed": 2**63},
        {"seed": 0.5},
        {"threads": 0},
        {"threads": "all"},
    ],
)
def test_parameters_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ParameterError):
        TopDownGreedy(**wrong)
