"""K-Optimize and the genetic search with requirements on values: every set of cuts, by hand."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms.parameters import records_allowed
from incrowd.algorithms.subtree.family.places import placed
from incrowd.algorithms.subtree.k_optimize.items import items_of, joined, made_by_column
from incrowd.errors import UnsatisfiableError
from incrowd.recoding import Found, GlobalRecoding
from secret_problems import secret_problems
from split_problems import covered_classes, shows_the_root_twice
from strategies import LIMITS

PROMISES = [
    ic.LDiversity(2, "c"),
    ic.LDiversity(2, "c", variant="entropy"),
    ic.AlphaK(0.6, 2, "c"),
    ic.TCloseness(0.3, "c"),
    ic.BetaLikeness(0.8, "c"),
    ic.DeltaDisclosure(1.0, "c", absent="ignore"),
]


def discernibility(problem, recoding):
    assignment = recoding.assign(problem.table, problem.hierarchies)
    sizes = [int(assignment.records[each].sum()) for each in covered_classes(problem, assignment)]
    fell = assignment.n_suppressed
    return fell, sum(size**2 for size in sizes) + fell * problem.table.n_records


def all_releases(problem):
    """Yield how many records every set of cuts suppresses, and what it costs."""
    table = placed(problem)
    columns = items_of(problem, table)
    _, parent = joined(columns)
    for made in product([0, 1], repeat=len(parent)):
        if any(each and up >= 0 and not made[up] for each, up in zip(made, parent, strict=True)):
            continue
        trees = list(problem.hierarchies)
        cuts = [np.zeros(each.n_codes, np.int32) for each in trees]
        some = made_by_column(columns, np.array(made, np.uint8))
        for j, column, own in zip(table.columns, columns, some, strict=True):
            trees[j], cuts[j] = column.cut(own)
        found = GlobalRecoding.meeting(
            problem.requirements, problem.table, trees, cuts, Found("all")
        )
        yield discernibility(problem, found)


@st.composite
def promised_problems(draw):
    problem = draw(secret_problems(max_tuples=7))
    promised = replace(draw(st.sampled_from(PROMISES)), on=problem.columns)
    asked = (*draw(st.sampled_from([(), problem.requirements])), promised)
    problem = replace(problem, requirements=asked, masks=draw(st.booleans()), labels="node")
    try:
        problem.check_reachable()
    except UnsatisfiableError:
        assume(False)
    assume(not shows_the_root_twice(problem))
    assume(len(joined(items_of(problem, placed(problem)))[1]) <= 7)
    return problem


@pytest.mark.kernel
@settings(max_examples=120)
@given(problem=promised_problems(), limit=st.sampled_from(LIMITS))
def test_no_cuts_are_better(problem, limit):
    most = records_allowed(limit, problem.table.n_records)
    costs = [cost for fell, cost in all_releases(problem) if fell <= most]
    searches = (ic.KOptimize(suppression_limit=limit), ic.Genetic(
        suppression_limit=limit, population=10, evaluations=60))  # fmt: skip
    for search in searches:
        if not costs:
            with pytest.raises(UnsatisfiableError, match="suppress"):
                search.solve(problem)
            continue
        recoding = search.solve(problem)
        fell, cost = discernibility(problem, recoding)
        assert fell <= most
        assert cost >= min(costs)
        if search.name == "k-optimize":
            assert recoding.found.optimal is True
            assert cost == min(costs)
