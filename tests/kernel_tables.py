"""Random small tables of places for the searches over cuts, as people and as arrays."""

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from incrowd import kernels
from naive.splits import Split, SplitTable


@st.composite
def split_tables(draw, *, limits=(0, 1, 3, 10**9)):
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    place = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    people = draw(st.lists(place, min_size=1, max_size=14))
    targets = [draw(st.integers(0, 2)) for _ in people]
    every = tuple(range(len(sizes)))
    demands = [(every, draw(st.integers(1, min(4, len(people)))))]
    for _ in range(draw(st.integers(0, 2))):
        columns = tuple(draw(st.lists(st.sampled_from(every), min_size=1, unique=True)))
        demands.append((columns, draw(st.integers(1, min(6, len(people))))))
    limit = min(draw(st.sampled_from(limits)), len(people) - 1)
    return SplitTable(people, targets, sizes, demands, draw(st.booleans()), limit)


@st.composite
def nested_tables(draw):
    """A table of which some columns have a tree of nodes over their places."""
    table = draw(split_tables())
    splits = []
    for column, size in enumerate(table.sizes):
        if draw(st.booleans()):
            splits += tree_splits(draw, column, size)
        else:
            kept = [at for at in range(1, size) if draw(st.integers(0, 9))]  # not all are allowed
            splits += [Split(column, (at,)) for at in kept]
    table.splits = splits
    return table


def tree_splits(draw, column, size):
    """Return the openings of the nodes of a random tree over some places, parents first."""
    found, waiting = [], [(0, size, None)]
    while waiting:
        low, high, parent = waiting.pop(0)
        if high - low < 2:
            continue
        gaps = [at for at in range(low + 1, high) if draw(st.booleans())] or [high - 1]
        found.append(Split(column, tuple(gaps), parent))
        waiting += [(*ends, found[-1]) for ends in pairwise([low, *gaps, high])]
    return found


def items(table):
    """Return by place, but the first of each column, the number of its split, and the parents."""
    number = {split: at for at, split in enumerate(table.splits)}
    item_of = [
        next((number[v] for v in table.splits if v.column == j and at in v.places), -1)
        for j, size in enumerate(table.sizes)
        for at in range(1, size)
    ]
    parent = [-1 if split.parent is None else number[split.parent] for split in table.splits]
    return np.array(item_of, np.int32), np.array(parent, np.int32)


def cut_table(places, sizes, records, target, covers, least):
    """Return a table as kernels take it; `covers` and `least` are by demand."""
    table = kernels.Table(places, records)
    asked = kernels.CutTable(table, np.array(sizes, np.int64), target, least[0])
    for demand in zip(covers[1:], least[1:], strict=True):
        asked.demand(*demand)
    return asked


def asked_table(table):
    """Return a table of people as distinct tuples, in the order in which they first appear."""
    tuples = {}
    for person, target in zip(table.people, table.targets, strict=True):
        tuples[person, target] = tuples.get((person, target), 0) + 1
    places = np.array([person for person, _ in tuples], np.int32)
    covers = [[j in columns for j in range(len(table.sizes))] for columns, _ in table.demands]
    return cut_table(
        np.ascontiguousarray(places.reshape(-1, len(table.sizes)).T),
        table.sizes,
        np.array(list(tuples.values()), np.int64),
        np.array([target for _, target in tuples], np.int32),
        np.array(covers, np.uint8),
        [least for _, least in table.demands],
    )
