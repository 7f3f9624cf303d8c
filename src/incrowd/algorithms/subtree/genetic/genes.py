"""Where a column can be cut, as genes: between numbers, or at the nodes of a hierarchy."""

from collections.abc import Iterable
from typing import Self

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.algorithms.subtree.family.places import (
    ColumnCut,
    Flags,
    PlacedTable,
    legal_splits,
    row_cut,
)
from incrowd.arrays import Codes, Floats, Places
from incrowd.hierarchies.tree import Hierarchy
from incrowd.kernels import Chromosomes
from incrowd.private import private_dataclass


@private_dataclass
class RowGenes:
    """A gene between each two neighbouring numbers, set where they are parted; if they may be."""

    hierarchy: Hierarchy
    codes: Codes
    weight: float
    domain: tuple[float, float] | None
    legal: Flags

    @property
    def n_genes(self) -> int:
        """How many there are."""
        return len(self.codes) - 1

    def add_to(self, genes: Chromosomes) -> None:
        """Tell the compiled search."""
        leaves = self.codes[self.codes < self.hierarchy.n_leaves]
        position = np.append(leaves, self.hierarchy.n_leaves).astype(np.float64)
        genes.row(position, _alone(self.hierarchy, self.codes), self.weight, self.legal)

    def cut(self, genes: Flags) -> ColumnCut:
        """Return what the column is released as."""
        return row_cut(self.hierarchy, self.codes, genes, self.domain)


@private_dataclass
class TreeGenes:
    """A gene for each inner node that holds several of the values, set where it is released.

    Of nodes that hold the same values the lowest is enough.  Parents come first.
    """

    hierarchy: Hierarchy
    codes: Codes
    weight: float
    nodes: Places
    low: Codes
    high: Codes
    parent: Codes

    @classmethod
    def of(cls, hierarchy: Hierarchy, codes: Codes, weight: float, top: int) -> Self:
        """Find the nodes of a hierarchy, up to a level, that tell some values apart."""
        nodes, leaves = hierarchy.nodes, codes[codes < hierarchy.n_leaves]
        low = np.searchsorted(leaves, nodes.low)
        high = np.searchsorted(leaves, nodes.high)
        high[-1] = len(codes)  # the root also holds missing and unknown cells
        lowest: dict[tuple[int, int], int] = {}
        allowed = hierarchy.lowest_level <= top
        for node in np.flatnonzero((high - low > 1) & allowed).tolist():
            lowest.setdefault((int(low[node]), int(high[node])), node)
        spans = sorted(lowest, key=lambda span: (span[0] - span[1], span[0]))
        gene_of = {lowest[span]: gene for gene, span in enumerate(spans)}
        parent = np.full(len(spans), -1, dtype=np.int32)
        for node, gene in gene_of.items():
            up = int(nodes.parent[node])
            while up not in gene_of and up != int(nodes.parent[up]):
                up = int(nodes.parent[up])
            # The lowest of several nodes with the same values stands for those above it.
            above = gene_of.get(lowest.get((int(low[up]), int(high[up])), -1), -1)
            parent[gene] = above if above != gene else -1
        ends = np.array(spans, dtype=np.int32).reshape(-1, 2).T.copy()
        which = np.array([lowest[span] for span in spans], dtype=np.intp)
        return cls(hierarchy, codes, weight, which, ends[0], ends[1], parent)

    @property
    def n_genes(self) -> int:
        """How many there are."""
        return len(self.nodes)

    def add_to(self, genes: Chromosomes) -> None:
        """Tell the compiled search."""
        nodes, n_leaves = self.hierarchy.nodes, self.hierarchy.n_leaves
        leaves = np.minimum(nodes.high, n_leaves) - nodes.low
        cost = (leaves[self.nodes] - 1) / max(n_leaves - 1, 1)
        alone = _alone(self.hierarchy, self.codes)
        genes.tree(self.low, self.high, self.parent, cost, alone, self.weight)

    def cut(self, genes: Flags) -> ColumnCut:
        """Return what the column is released as."""
        cut = np.zeros(self.hierarchy.n_codes, dtype=np.int32)
        nodes = self.hierarchy.nodes
        for node in self.nodes[genes > 0].tolist():
            cut[nodes.low[node] : nodes.high[node]] = self.hierarchy.lowest_level[node]
        return self.hierarchy, cut


ColumnGenes = RowGenes | TreeGenes


def genes_of(problem: Problem, table: PlacedTable) -> list[ColumnGenes]:
    """Return the genes of each column of a table."""
    weights = problem.weights / problem.weights.sum()
    found: list[ColumnGenes] = []
    for j, codes in zip(table.columns, table.codes, strict=True):
        hierarchy, weight = problem.hierarchies[j], float(weights[j])
        given = problem.given[j] if problem.given else True
        if hierarchy.ascending and not given:
            domain = problem.domains[j] if problem.domains else None
            legal = legal_splits(problem, j, codes)
            found.append(RowGenes(hierarchy, codes, weight, domain, legal))
        else:
            found.append(TreeGenes.of(hierarchy, codes, weight, hierarchy.highest))
    return found


def chromosomes_of(columns: Iterable[ColumnGenes]) -> Chromosomes:
    """Return the genes of all columns, as the compiled search takes them."""
    genes = Chromosomes()
    for each in columns:
        each.add_to(genes)
    return genes


def _alone(hierarchy: Hierarchy, codes: Codes) -> Floats:
    """Return the loss of each place that is released as it is: unknown values never are."""
    lost = (hierarchy.leaves_under[0][codes] - 1) / max(hierarchy.n_leaves - 1, 1)
    return np.ascontiguousarray(lost, dtype=np.float64)
