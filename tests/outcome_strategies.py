"""Random releases for hypothesis: classes of any shape, divided tuples, suppressed records."""

import numpy as np
from hypothesis import strategies as st

from incrowd.counts import Parts
from incrowd.hierarchies import intervals
from incrowd.metrics import Outcome
from incrowd.recoding.released_values import assignment_of, values_of
from strategies import tables, trees

LABELS = ("node", "grid", "range", "set")


def assigned(table, hierarchies, parts, labels):
    """Return the release of classes."""
    return assignment_of(parts, values_of(table, hierarchies, parts, labels))


@st.composite
def decimal_trees(draw):
    """A tree of numbers that are not all whole."""
    numbers = draw(st.lists(st.integers(-8, 8), min_size=1, max_size=5, unique=True))
    tree = intervals(2).build([str(number / 4) for number in numbers], column="x")
    return tree.extended(missing=draw(st.booleans()), unknown=draw(st.booleans()))


@st.composite
def parts_of(draw, records):
    """Deal the records of each tuple to some classes."""
    dealt = {}
    for at, count in enumerate(records):
        for own in draw(st.lists(st.integers(0, 3), min_size=count, max_size=count)):
            dealt[at, own] = dealt.get((at, own), 0) + 1
    numbers = {own: number for number, own in enumerate(sorted({own for _, own in dealt}))}
    return Parts(
        np.array([at for at, _ in dealt], dtype=np.int32),
        np.array([numbers[own] for _, own in dealt], dtype=np.int32),
        np.array(list(dealt.values()), dtype=np.int64),
        len(numbers),
    )


@st.composite
def outcomes(draw, *, max_columns=3):
    columns = st.one_of(trees(), decimal_trees())
    hierarchies = tuple(draw(st.lists(columns, min_size=1, max_size=max_columns)))
    table = draw(tables(hierarchies, max_tuples=6, carried=draw(st.sampled_from([0, 2]))))
    parts = draw(parts_of(table.records.tolist()))
    labels = draw(st.sampled_from(LABELS))
    assignment = assigned(table, hierarchies, parts, labels)
    suppressed = draw(st.sampled_from([False, True]).flatmap(lambda some: _masks(parts, some)))
    weights = draw(
        st.lists(
            st.sampled_from([1.0, 0.5, 3.0]), min_size=len(hierarchies), max_size=len(hierarchies)
        )
    )
    given = tuple(
        draw(st.lists(st.booleans(), min_size=len(hierarchies), max_size=len(hierarchies)))
    )
    return Outcome(
        table,
        hierarchies,
        assignment.suppressing(np.array(suppressed)),
        np.array(weights),
        labels=labels,
        given=draw(st.sampled_from([given, ()])),
    )


def _masks(parts, some):
    size = len(parts.records)
    return st.lists(st.booleans() if some else st.just(False), min_size=size, max_size=size)
