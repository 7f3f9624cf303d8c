"""Problems for TDR and TDS, and a check against people who refine by hand."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from incrowd.algorithms import Problem
from incrowd.counts import FrequencyTable, Target
from incrowd.hierarchies import suppression
from incrowd.requirements import KAnonymity, drop_implied
from naive import tdr as naive_tdr
from strategies import trees


@st.composite
def people_of(draw, hierarchies, n_classes):
    """A table of people, from one to some dozens; classes lean on the first column."""
    n = draw(st.sampled_from([30, 12, 1]))
    chance = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = [chance.integers(0, tree.n_codes, n) for tree in hierarchies]
    classes = np.where(chance.random(n) < 0.7, codes[0], chance.integers(0, 9, n)) % n_classes
    people = Counter(zip(*(each.tolist() for each in (*codes, classes)), strict=True))
    codes = np.array(list(people), dtype=np.int32).T
    return FrequencyTable(
        tuple(f"column {j}" for j in range(len(hierarchies))),
        np.ascontiguousarray(codes[:-1]),
        np.array(list(people.values()), dtype=np.int64),
        {"c": np.ascontiguousarray(codes[-1])},
    )


@st.composite
def problems(draw):
    """Columns with a given hierarchy, numbers without one, categories without one."""
    hierarchies = []
    for _ in range(draw(st.integers(1, 3))):
        tree = draw(trees())
        if draw(st.booleans()):
            tree = suppression().build(list("abcd")[: draw(st.integers(1, 4))], column="c")
            tree = tree.extended(missing=draw(st.booleans()), unknown=draw(st.booleans()))
        hierarchies.append(tree)
    n_classes = draw(st.sampled_from([2, 3, 1]))
    table = draw(people_of(tuple(hierarchies), n_classes))
    asked = []
    for _ in range(draw(st.integers(1, 3))):
        on = draw(st.lists(st.sampled_from(table.columns), min_size=1, unique=True))
        k = draw(st.sampled_from([1, 1, 2, 2, 3, table.n_records]))
        asked.append(KAnonymity(min(k, table.n_records), on=tuple(on)).resolved(table.columns))
    return Problem(
        table,
        tuple(hierarchies),
        drop_implied(asked)[0],
        np.ones(len(hierarchies)),
        given=tuple(draw(st.booleans()) for _ in hierarchies),
        target=Target("c", tuple(map(str, range(n_classes)))),
        domains=(None,) * len(hierarchies),
    )


def steps_of(recoding, problem):
    """Return what the search says of its steps, without names."""
    return [
        (
            problem.columns.index(step["column"]),
            len(step["children"]),
            *(step[figure] for figure in ("info_gain", "anony_loss", "score")),
        )
        for step in recoding.found.facts["trace"]
    ]


def check_against_people(problem, algorithm, disclose, promises=()):
    twin = naive_tdr.Twin(
        problem, disclose, algorithm.criterion, algorithm.average, algorithm.beneficial, promises,
        algorithm.min_child,
    )  # fmt: skip
    expected = twin.run()
    recoding = algorithm.solve(problem)
    found = steps_of(recoding, problem)
    assert [step[:2] for step in found] == [(step[0], len(step[1])) for step in expected]
    for step, other in zip(found, expected, strict=True):
        assert step[2:] == pytest.approx(other[2:], rel=1e-9, abs=1e-11)
    assert promises or recoding.found.checked == twin.scored
    assert recoding.found.optimal is None
    # the same people look alike
    shown = [values.of_code for values in recoding.values]
    for j, column in enumerate(twin.columns):
        for one in column.present:
            for other in column.present:
                alike = column.shown[one] == column.shown[other]
                assert (shown[j][one] == shown[j][other]) == alike
    assignment = recoding.assign(problem.table, problem.hierarchies)
    if len(problem.requirements) and assignment.n_suppressed == 0:
        for columns, k in twin.asked:
            assert twin.smallest(columns) >= k
    return recoding


def people(rows, columns=("age", "city", "pay")):
    return pd.DataFrame(rows, columns=list(columns))
