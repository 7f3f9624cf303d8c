"""`kernels.ReachedTables` beside the tables that Python counts, and against damaged arguments.

The search over both is held against the published loop in tests/algorithms.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carried_rows import only_sizes
from guarded_problems import guarded_problems
from incrowd import kernels
from incrowd.algorithms import Problem
from incrowd.algorithms.subtree.family.cut_tree import cut_trees
from incrowd.algorithms.subtree.heuristic_min import tables as reached
from incrowd.algorithms.subtree.heuristic_min.tables import AskedTables, CompiledTables
from incrowd.counts import FrequencyTable
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.requirements import KAnonymity
from strategies import problems

pytestmark = pytest.mark.kernel


def check_walk(problem, most_tables=40):
    """Go from table to table in the order in which they are made, and look at each."""
    trees = cut_trees(problem)
    ours, twin = CompiledTables(problem, trees), AskedTables(problem, trees)
    known, table = 1, 0
    while table < known <= most_tables:
        assert ours.figures(table) == twin.figures(table)
        for own, other in zip(ours.cuts(table), twin.cuts(table), strict=True):
            np.testing.assert_array_equal(own, other)
        for most_new in (1, 100):  # the second time some are known
            steps = ours.steps(table, most_new)
            assert steps == twin.steps(table, most_new)
            known = max([known, *(to + 1 for _, to in steps.made)])
        table += 1


@settings(max_examples=60)
@given(problem=st.one_of(problems(), guarded_problems()))
def test_steps_and_figures_are_those_that_python_finds(problem):
    check_walk(problem)


@settings(max_examples=20)
@given(problem=problems())
def test_rows_that_were_not_kept_are_made_anew(problem):
    kept, reached.KEPT_CELLS = reached.KEPT_CELLS, 0
    try:
        check_walk(problem)
    finally:
        reached.KEPT_CELLS = kept


def test_rows_may_take_several_words():
    random = np.random.default_rng(0)
    leaves = [(f"{i}", f"{i // 10}x", f"{i // 100}xx", "*") for i in range(1000)]
    names = tuple(f"column {j}" for j in range(13))  # 11 bits each
    codes = np.repeat(random.integers(0, 1000, (13, 40)), 2, axis=1)
    codes[12, ::2] = random.integers(0, 1000, 40)  # a row differs from the next in the last word
    table = FrequencyTable(names, codes.astype(np.int32), np.ones(80, np.int64))
    asked = (KAnonymity(2, on=names[:7]), KAnonymity(3, on=names[5:]))
    check_walk(Problem(table, (hierarchy_from_rows(leaves),) * 13, asked, np.ones(13)))


def codes(*values):
    return np.array(values, dtype=np.int32)


def tree(low=(0, 1, 0), high=(1, 2, 2), parent=(2, 2, 2), leaf=(0, 1)):
    return codes(*low), codes(*high), codes(*parent), codes(*leaf)


def made(values=((0, 1),), records=(1, 1), trees=None, n_kinds=2, covers=1):
    other = kernels.Table(np.zeros((covers, n_kinds), np.int32), np.ones(n_kinds, np.int64))
    asked = only_sizes(other, np.ones(n_kinds, np.int64))
    asked.minimum_size(np.ones(covers, np.uint8), 2)
    table = kernels.Table(np.array(values, dtype=np.int32), np.array(records, np.int64))
    described = kernels.NodeTrees()
    for each in [tree()] if trees is None else trees:
        described.tree(*each)
    return kernels.ReachedTables(table, described, asked, 100)


def test_two_values_become_their_parent():
    tables = made()
    assert tables.figures(0) == (2, 2)
    columns, steps, complete = tables.steps(0, 5)
    assert (columns.tolist(), steps.tolist(), complete) == ([0], [1], True)
    assert tables.figures(1) == (1, 0)
    assert [cut.tolist() for cut in tables.cuts(1)] == [[2, 2]]


@pytest.mark.parametrize(
    "arguments",
    [
        {"values": ((0, 2),)},
        {"values": ((0, -1),)},
        {"values": ((0, 1), (0, 1))},
        {"values": ((),), "records": (), "n_kinds": 0},
        {"records": (1,)},
        {"records": (1, 0)},
        {"records": (1, 2**63 - 1)},
        {"n_kinds": 3},
        {"covers": 2},
        {"trees": []},
        {"trees": [tree(low=(), high=(), parent=())]},
        {"trees": [tree(low=(0, 1))]},
        {"trees": [tree(high=(1, 3, 2))]},
        {"trees": [tree(low=(0, 2, 0))]},
        {"trees": [tree(low=(0, 1, -1))]},
        {"trees": [tree(low=(0, 1, 1))]},
        {"trees": [tree(parent=(1, 0, 2))]},
        {"trees": [tree(parent=(0, 0, 2))]},
        {"trees": [tree(parent=(2, 3, 2))]},
        {"trees": [tree(parent=(2, 2, 0))]},
        {"trees": [tree(leaf=(0, 3))]},
        {"trees": [tree(leaf=(0, -1))]},
    ],
)
def test_damaged_arguments_are_refused(arguments):
    with pytest.raises(ValueError, match=r"ReachedTables|Requirements|NodeTrees|Table"):
        made(**arguments)


def test_what_has_nothing_above_it_stays():
    low, high, leaf = codes(0, 1, 2, 0, 0), codes(1, 2, 3, 2, 3), codes(0, 1, 2)
    capped = low, high, codes(3, 3, 2, 3, 4), leaf  # the third value, and the node over the others
    tables = made(values=((0, 1, 2),), records=(1, 1, 1), trees=[capped], n_kinds=3)
    _, steps, complete = tables.steps(0, 5)
    assert complete
    [step] = steps.tolist()
    assert [cut.tolist() for cut in tables.cuts(step)] == [[3, 3, 2]]
    assert tables.figures(step) == (2, 1)
    assert tables.steps(step, 5)[1].tolist() == []


@pytest.mark.parametrize("table", [-1, 1, 2**40])
def test_a_table_that_was_not_reached_is_refused(table):
    tables = made()
    for ask in (tables.figures, tables.cuts, lambda at: tables.steps(at, 1)):
        with pytest.raises(ValueError, match="no such table"):
            ask(table)
