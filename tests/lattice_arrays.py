"""Random lattices as the kernels see them: arrays, and the same as nested lists."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from carried_rows import only_sizes
from incrowd import kernels


@dataclass
class LatticeArrays:
    """Tuples, `nodes[j][level][code]`, `excess[j][level][code]`, and requirements.

    A requirement is a pair of the columns it covers and the smallest class it allows.  `stops` are
    the highest levels that the columns may rise to, if not to their roots.
    """

    rows: list
    records: list
    nodes: list
    excess: list
    requirements: list
    stops: tuple = ()

    @property
    def heights(self):
        return [len(levels) - 1 for levels in self.nodes]

    def counter(self, judge=None):
        width, records = len(self.nodes), np.array(self.records, dtype=np.int64)
        codes = np.array(self.rows, dtype=np.int32).reshape(-1, width).T.copy()
        table, levels = kernels.Table(codes, records), kernels.LevelTables()
        for j, (nodes, excess) in enumerate(zip(self.nodes, self.excess, strict=True)):
            levels.column(np.array(nodes, np.int32), np.array(excess, np.int64))
            if self.stops:
                levels.stop_at(self.stops[j])
        asked = only_sizes(table, records)
        for covered, size in self.requirements:
            asked.minimum_size(np.isin(np.arange(width), list(covered)).astype(np.uint8), size)
        return kernels.NodeCounter(table, levels, asked, masks=True, judge=judge)


def levels_array(levels):
    return np.array(levels, dtype=np.uint8)


@st.composite
def columns(draw, max_codes=5, max_height=3):
    """The node of each code at each level: each level merges nodes of the one below."""
    codes = draw(st.integers(1, max_codes))
    levels = [list(range(codes))]
    for _ in range(draw(st.integers(1, max_height)) - 1):
        parent = [draw(st.integers(0, node)) for node in range(max(levels[-1]) + 1)]
        dense = {node: at for at, node in enumerate(dict.fromkeys(parent))}
        levels.append([dense[parent[node]] for node in levels[-1]])
    levels.append([0] * codes)
    return levels


@st.composite
def lattices(draw, max_columns=4, max_tuples=15, max_requirements=3):
    nodes = draw(st.lists(columns(), min_size=1, max_size=max_columns))
    key = st.tuples(*(st.integers(0, len(levels[0]) - 1) for levels in nodes))
    rows = draw(st.lists(key, max_size=max_tuples, unique=True))
    records = draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    excess = [[[draw(st.integers(0, 9)) for _ in level] for level in levels] for levels in nodes]
    covered = st.lists(st.integers(0, len(nodes) - 1), min_size=1, unique=True)
    requirements = draw(
        st.lists(st.tuples(covered, st.integers(1, 8)), min_size=1, max_size=max_requirements)
    )
    return LatticeArrays(rows, records, nodes, excess, requirements)


def some_levels(lattice):
    return st.tuples(*(st.integers(0, height) for height in lattice.heights))
