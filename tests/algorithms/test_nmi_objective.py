"""Levels chosen for all columns jointly by what their classes tell about the target."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import ALGORITHMS, Exhaustive, Flash, Problem
from incrowd.algorithms.base import parameters_of
from incrowd.counts import FrequencyTable, Target
from incrowd.errors import ParameterError, PolicyError, UnsatisfiableError
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.requirements import KAnonymity
from naive import counting as naive
from naive import iac as naive_iac
from strategies import LIMITS, k_anonymities, tables, trees

SUPPORT = {"exhaustive", "flash"}


@st.composite
def targeted(draw):
    hierarchies = tuple(draw(st.lists(trees(max_height=2), min_size=1, max_size=3)))
    table = draw(tables(hierarchies, carried=3, max_tuples=10))
    asked = draw(k_anonymities(table.columns, table.n_records, max_requirements=2))
    return Problem(
        table, hierarchies, asked, np.ones(len(hierarchies)), target=Target("c", ("a", "b", None))
    )


def values_by_node(problem, limit):
    """Return 1 - I/H at each satisfying node, with the suppressed as one more class."""
    people, found = naive_iac.people_of(problem), {}
    allowed = naive.allowed(limit, len(people.codes))
    for node in product(*(range(tree.height + 1) for tree in problem.hierarchies)):
        people.generalise(node)
        gone = naive.suppress(people.rows, people.requirements)
        if len(gone) <= allowed:
            rows = ["*" if at in gone else row for at, row in enumerate(people.rows)]
            found[node] = 1.0 - naive_iac.normalised(rows, people.classes)
    return found


@settings(max_examples=60)
@given(problem=targeted(), limit=st.sampled_from(LIMITS))
def test_all_searches_find_the_lowest_of_the_best_nodes(problem, limit):
    values = values_by_node(problem, limit)
    best = min(values.values())
    equal = [node for node, value in values.items() if value <= best + 1e-10]
    lowest = min(equal, key=lambda node: (sum(node), node))
    options = {"objective": "nmi", "suppression_limit": limit}
    for algorithm in (
        Exhaustive(**options),
        Flash(**options, search="published"),
        Flash(**options),
    ):
        assert algorithm.carries == ("target",)
        recoding = algorithm.solve(problem)
        assert recoding.levels == lowest
        assert recoding.found.optimal
        assert recoding.found.bound == pytest.approx(best, abs=1e-9)
    assert recoding.found.facts["satisfying"] == len(values)


def one_of_many_columns():
    columns = tuple(f"q{j}" for j in range(9))
    tree = hierarchy_from_rows([(str(v), f"two {v // 2}", f"four {v // 4}", "*") for v in range(8)])
    generator = np.random.default_rng(1)
    rows = np.unique(generator.integers(0, 8, (300, 9)), axis=0).astype(np.int32)
    table = FrequencyTable(
        columns,
        np.ascontiguousarray(rows.T),
        np.ones(len(rows), np.int64),
        {"c": (rows[:, 3] >= 4).astype(np.int32)},
    )
    return Problem(
        table, (tree,) * 9, (KAnonymity(5, on=columns),), np.ones(9), target=Target("c", ("0", "1"))
    )


def test_limits_leave_a_node_without_a_proof():
    problem = one_of_many_columns()
    for limits in ({"node_limit": 30}, {"time_limit": 1e-9}):
        recoding = Flash(objective="nmi", suppression_limit=0.2, **limits).solve(problem)
        assert recoding.found.optimal is False
        assert recoding.found.bound == 0.0
        assert 1 <= recoding.found.checked <= 30
        assert recoding.assign(problem.table).n_suppressed <= 0.2 * problem.table.n_records


def test_the_joint_optimum_gives_up_every_column_but_the_one_that_tells():
    recoding = Flash(objective="nmi", node_limit=60).solve(one_of_many_columns())
    assert recoding.levels == (3, 3, 3, 2, 3, 3, 3, 3, 3)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_other_algorithms_refuse_it(name):
    if "objective" not in parameters_of(ALGORITHMS[name]) or name in SUPPORT:
        return
    with pytest.raises(ParameterError, match=r"objective|cost"):
        ALGORITHMS[name](objective="nmi")


@pytest.mark.parametrize("classes", ["one", "missing", "each"])
def test_targets_with_little_or_much_to_tell(classes):
    frame = pd.DataFrame({"a": list("001122"), "b": list("010101")})
    frame["c"] = {"one": ["x"] * 6, "missing": [None, "x"] * 3, "each": list("uvwxyz")}[classes]
    for algorithm in (Flash(objective="nmi"), Exhaustive(objective="nmi")):
        release = ic.anonymize(
            frame, quasi_identifiers=["a", "b"], target="c", k=2, algorithm=algorithm
        )
        told = 1.0 - release.recoding.found.bound
        assert release.metric("nmi") == pytest.approx(told, abs=1e-9)
        assert told == pytest.approx({"one": 0.0, "missing": 1.0, "each": 1.0}[classes])


def test_a_target_is_needed_and_requirements_come_first():
    frame = pd.DataFrame({"a": list("001122")})
    with pytest.raises(PolicyError, match=r"'flash'.*names no target"):
        ic.anonymize(frame, quasi_identifiers=["a"], k=2, algorithm=Flash(objective="nmi"))
    with pytest.raises(UnsatisfiableError):
        ic.anonymize(frame, quasi_identifiers=["a"], k=7, algorithm=Flash(objective="nmi"))
