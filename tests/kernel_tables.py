"""Random small tables of places for the searches over cuts, as people and as arrays."""

import numpy as np
from hypothesis import strategies as st

from naive_splits import SplitTable


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


def arrays(table):
    """Return a table of people as distinct tuples, in the order in which they first appear."""
    tuples = {}
    for person, target in zip(table.people, table.targets, strict=True):
        tuples[person, target] = tuples.get((person, target), 0) + 1
    places = np.array([person for person, _ in tuples], np.int32)
    covers = [[j in columns for j in range(len(table.sizes))] for columns, _ in table.demands]
    return (
        np.ascontiguousarray(places.reshape(-1, len(table.sizes)).T),
        np.array(table.sizes, np.int64),
        np.array(list(tuples.values()), np.int64),
        np.array([target for _, target in tuples], np.int32),
        np.array(covers, np.uint8),
        np.array([least for _, least in table.demands], np.int64),
    )
