"""Requirements that nobody compiled, monotone or not: the searches ask them class by class."""

import gc
import weakref

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from diversity import DistinctDiversity, EntropyDiversity
from incrowd.algorithms import OLA, Exhaustive, Flash, Incognito, Problem, Samarati
from incrowd.algorithms.full_domain import Lattice
from incrowd.counts import FrequencyTable
from incrowd.errors import IncrowdError, ParameterError
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.metrics.objectives import OBJECTIVES, TARGET_OBJECTIVES
from incrowd.requirements import KAnonymity
from naive import counting as naive
from strategies import LIMITS, k_anonymities, tables, trees

ROUNDED = {"entropy": 1e-6, "ncp": 1e-8}

BLIND = [name for name in OBJECTIVES if name not in TARGET_OBJECTIVES]  # to the target


@st.composite
def diverse_problems(draw, kinds=(DistinctDiversity, EntropyDiversity)):
    hierarchies = tuple(draw(st.lists(trees(max_height=2), min_size=1, max_size=3)))
    table = draw(tables(hierarchies, carried=3, max_tuples=12))
    kind = draw(st.sampled_from(kinds))
    on = tuple(draw(st.lists(st.sampled_from(table.columns), min_size=1, unique=True)))
    diversity = kind(draw(st.integers(2, 3)), on=draw(st.sampled_from([table.columns, on])))
    others = draw(k_anonymities(table.columns, table.n_records, max_requirements=2))
    asked = draw(st.permutations([diversity, *draw(st.sampled_from([(), others]))]))
    problem = Problem(table, hierarchies, tuple(asked), np.ones(len(hierarchies)))
    try:
        problem.check_reachable()
    except IncrowdError:
        assume(False)
    return problem


@settings(max_examples=25)
@given(problem=diverse_problems(), limit=st.sampled_from(LIMITS))
def test_the_bounded_search_is_optimal(problem, limit):
    outcomes = naive.all_outcomes(problem)
    # with several requirements even the root may have to suppress
    assume(naive.satisfying(outcomes, limit))
    for objective in BLIND:
        least = naive.optimum(outcomes, limit, objective)
        lattice = Lattice(problem, objective=objective, suppression_limit=limit)
        for algorithm in (Flash, Exhaustive):
            found = algorithm(objective=objective, suppression_limit=limit).solve(problem)
            assert found.found.optimal is True
            value = lattice.value(found.levels)
            assert value == pytest.approx(least, rel=1e-9, abs=ROUNDED.get(objective, 1e-9))
            suppressed = found.assign(problem.table).n_suppressed
            assert suppressed == len(outcomes[found.levels].suppressed)


@settings(max_examples=25)
@given(problem=diverse_problems(), limit=st.sampled_from(LIMITS))
def test_counts_are_those_of_people(problem, limit):
    lattice = Lattice(problem, objective="discernibility", suppression_limit=limit)
    for node, outcome in naive.all_outcomes(problem).items():
        counted = lattice.count(node)
        assert counted.suppressed == len(outcome.suppressed)
        assert counted.classes == len(outcome.class_sizes(outcome.kept()))
        assert counted.certain <= counted.suppressed


def test_fewer_can_be_suppressed_at_a_finer_node():
    # x and y together fail for a frequent value; alone, x holds.
    tree = hierarchy_from_rows([("x", "A", "*"), ("y", "A", "*"), ("z", "B", "*")])
    table = FrequencyTable(
        ("place",),
        np.array([[0, 0, 1, 2]], np.int32),
        np.array([1, 1, 6, 6], np.int64),
        {"c": np.array([0, 1, 0, 1], np.int32)},
    )
    asked = (EntropyDiversity(2, on=("place",)), KAnonymity(2, on=("place",)))
    problem = Problem(table, (tree,), asked, np.ones(1))
    lattice = Lattice(problem, objective="loss", suppression_limit=0.9)
    assert [lattice.suppressed((level,)) for level in range(3)] == [12, 14, 0]
    assert lattice.count((1,)).certain == 0  # what k-anonymity alone asks for


def test_a_search_that_asks_python_leaves_nothing_behind():
    tree = hierarchy_from_rows([("x", "*"), ("y", "*")])
    codes, values = np.array([[0, 1]], np.int32), np.array([0, 1], np.int32)
    table = FrequencyTable(("place",), codes, np.array([1, 1], np.int64), {"c": values})
    problem = Problem(table, (tree,), (DistinctDiversity(2, on=("place",)),), np.ones(1))
    lattice = Lattice(problem, objective="loss", suppression_limit=0.0)
    assert lattice.suppressed((0,)) == 2
    left = weakref.ref(lattice)
    del lattice
    gc.collect()
    assert left() is None


@pytest.mark.parametrize("algorithm", [Incognito, OLA, Samarati, Flash])
def test_searches_that_prune_refuse_what_is_not_monotone(algorithm):
    tree = hierarchy_from_rows([("x", "*"), ("y", "*")])
    codes, values = np.array([[0, 0, 1, 1]], np.int32), np.array([0, 1, 0, 1], np.int32)
    table = FrequencyTable(("place",), codes, np.array([1, 1, 2, 2], np.int64), {"c": values})
    problem = Problem(table, (tree,), (EntropyDiversity(2, on=("place",)),), np.ones(1))
    options = {"search": "published"} if algorithm is Flash else {}
    assert algorithm(**options).solve(problem).levels == (0,)
    with pytest.raises(ParameterError, match="monotone"):
        algorithm(suppression_limit=0.5, **options).solve(problem)
