"""Requirements that nobody compiled, met by algorithms over cells and over decision trees."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from diversity import DistinctDiversity, EntropyDiversity
from incrowd.algorithms import KACTUS, MinGen, MuArgus, Problem
from incrowd.counts import Target
from incrowd.errors import IncrowdError
from incrowd.recoding import SUPPRESSED
from strategies import k_anonymities, tables, trees


@st.composite
def diverse_problems(draw):
    hierarchies = tuple(draw(st.lists(trees(max_height=2), min_size=1, max_size=3)))
    table = draw(tables(hierarchies, carried=3, max_tuples=12))
    kind = draw(st.sampled_from([DistinctDiversity, EntropyDiversity]))
    on = tuple(draw(st.lists(st.sampled_from(table.columns), min_size=1, unique=True)))
    diversity = kind(draw(st.integers(2, 3)), on=draw(st.sampled_from([table.columns, on])))
    others = draw(k_anonymities(table.columns, table.n_records, max_requirements=2))
    asked = tuple(draw(st.permutations([diversity, *draw(st.sampled_from([(), others]))])))
    target = Target("c", tuple("xyz"))
    problem = Problem(table, hierarchies, asked, np.ones(len(hierarchies)), target=target)
    try:
        problem.check_reachable()
    except IncrowdError:
        assume(False)
    return problem


def classes(problem, assignment, on):
    """Return the carried values of the records that read alike on some columns."""
    columns = [problem.columns.index(name) for name in on]
    found = defaultdict(list)
    parts = zip(assignment.tuple_of, assignment.class_of, assignment.records, strict=True)
    for at, of, records in parts:
        if of != SUPPRESSED:
            key = tuple(assignment.label_of[of, columns].tolist())
            found[key] += [int(problem.table.carried["c"][at])] * int(records)
    return found.values()


@pytest.mark.parametrize(
    "algorithm",
    [
        MinGen(),
        MinGen(granularity="record"),
        MuArgus(),
        MuArgus(recode_above=1.0),
        KACTUS(),
        KACTUS(leftover="prune"),
    ],
    ids=str,
)
@settings(max_examples=40)
@given(problem=diverse_problems())
def test_every_class_is_diverse(algorithm, problem):
    assume(algorithm.name != "mingen" or problem.table.n_records <= 16)
    recoding = algorithm.solve(problem)
    assignment = recoding.assign(problem.table)
    assert assignment.n_classes > 0
    assert not recoding.found.optimal
    for each in problem.requirements:
        for values in classes(problem, assignment, each.on):
            assert len(values) >= each.minimum_size
            assert not hasattr(each, "holds") or each.holds(values)
