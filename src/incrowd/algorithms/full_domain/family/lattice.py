"""The lattice of full-domain generalisations: a node is a level for each quasi-identifier."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from math import expm1, inf, log1p, prod

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.algorithms.parameters import records_allowed
from incrowd.arrays import Bytes, Codes, Integers, Mask
from incrowd.counts import group, sum_by_group
from incrowd.errors import ParameterError, UnsatisfiableError
from incrowd.hierarchies.tree import Hierarchy
from incrowd.kernels import LevelTables, NodeCount, NodeCounter
from incrowd.metrics.information import normalised_information
from incrowd.metrics.objectives import ClassCosts, ColumnCosts, Costs, TargetCosts, costs_of
from incrowd.progress import Progress
from incrowd.recoding import Found, GlobalRecoding, suppressed_by
from incrowd.requirements import Requirement

Node = tuple[int, ...]

# What the counting kernel's searches call the class objectives.
CLASS_OBJECTIVES = {"discernibility": 2, "discernibility_star": 3, "average_class_size": 4}
COLUMN_SUM, COLUMN_GEOMETRIC = 0, 1

# Searches that keep a mark for every node refuse larger lattices.
LARGEST_MARKED = 5_000_000


class Lattice:
    """All nodes between the original table (bottom) and the root in every column (top).

    Nodes are made on demand; only those that were asked for are counted, each once.  Where a
    hierarchy is to be released within certain levels, the bottom is its lowest and the top its
    highest one.

    Parameters
    ----------
    problem
        The table and its requirements.
    objective
        What a node's `value` is.
    suppression_limit
        The share of the records that may be suppressed.
    """

    def __init__(self, problem: Problem, *, objective: str, suppression_limit: float) -> None:
        self.problem = problem
        self.objective = objective
        self.bottom: Node = tuple(each.lowest for each in problem.hierarchies)
        self.top: Node = tuple(each.highest for each in problem.hierarchies)
        self.limit = records_allowed(suppression_limit, problem.table.n_records)
        self._counts: dict[Node, NodeCount] = {}
        self._target_values: dict[Node, float] = {}
        self._refuse_unreachable()

    def _refuse_unreachable(self) -> None:
        """Raise if no node can meet the requirements, whoever is suppressed.

        What one class of all records breaks can be met where the right ones are left out.
        """
        try:
            self.problem.check_reachable()
        except UnsatisfiableError:
            if not self.limit or self.count(self.top).certain > self.limit:
                raise

    # ---- shape -------------------------------------------------------------------------------

    @property
    def steps(self) -> Node:
        """By column, how many levels the top lies above the bottom."""
        return tuple(high - low for low, high in zip(self.bottom, self.top, strict=True))

    @property
    def lowest(self) -> int:
        """The level of the bottom: the sum of the columns' lowest levels."""
        return sum(self.bottom)

    @property
    def height(self) -> int:
        """The level of the top: the sum of the columns' highest levels."""
        return sum(self.top)

    @property
    def size(self) -> int:
        """The number of nodes: the product of the columns' numbers of levels."""
        return prod(steps + 1 for steps in self.steps)

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """The number of nodes at each level, from that of the bottom on.

        The coefficients of the product over the columns of (1 + x + ... + x^h).
        """
        coefficients = [1]
        for steps in self.steps:
            longer = [0] * (len(coefficients) + steps)
            for at, count in enumerate(coefficients):
                for step in range(steps + 1):
                    longer[at + step] += count
            coefficients = longer
        return tuple(coefficients)

    def width(self, level: int) -> int:
        """Return the number of nodes at a level."""
        return self.widths[level - self.lowest] if self.lowest <= level <= self.height else 0

    def describe(self) -> str:
        """Return the size of the lattice in words."""
        return f"{self.size:,} nodes, at most {max(self.widths):,} at one level"

    def nodes_at(self, level: int) -> Iterator[Node]:
        """Yield the nodes of a level, in order."""
        return nodes_between(self.bottom, self.top, level)

    def nodes(self) -> Iterator[Node]:
        """Yield all nodes, level by level from the bottom."""
        for level in range(self.lowest, self.height + 1):
            yield from self.nodes_at(level)

    def successors(self, node: Node) -> list[Node]:
        """Return the nodes one step more general, by column."""
        return [
            (*node[:j], at + 1, *node[j + 1 :]) for j, at in enumerate(node) if at < self.top[j]
        ]

    def predecessors(self, node: Node) -> list[Node]:
        """Return the nodes one step more specific, by column."""
        return [
            (*node[:j], at - 1, *node[j + 1 :]) for j, at in enumerate(node) if at > self.bottom[j]
        ]

    def refuse_larger_than(self, most: int, name: str) -> None:
        """Raise if the lattice has more nodes than a search can keep in mind."""
        if self.size > most:
            raise ParameterError(
                f"{name} looks at every node of the lattice, and this one has {self.size:,} "
                f"(at most {most:,} are allowed).",
                hint='use algorithm "flash", which need not look at every node, or fewer '
                "quasi-identifiers.",
            )

    def monotone(self, requirement: Requirement) -> bool:
        """Whether a requirement that a node meets is met by all its generalisations."""
        if self.limit:
            return requirement.monotone.with_suppression
        return self.problem.requirements.unites(requirement)

    def refuse_not_monotone(self, name: str) -> None:
        """Raise if a search that prunes by the order of nodes cannot trust a requirement."""
        for each in self.problem.requirements:
            if not self.monotone(each):
                raise ParameterError(
                    f"{name} relies on monotone requirements, which {each.describe()} is not here.",
                    hint='use algorithm "flash" with search = "bounded".',
                )

    # ---- counting ----------------------------------------------------------------------------

    @property
    def checked(self) -> int:
        """How many nodes were counted."""
        return len(self._counts)

    @cached_property
    def costs(self) -> Costs:
        """The objective in the form that searches work with."""
        problem = self.problem
        return costs_of(self.objective, problem.table, problem.hierarchies, problem.weights)

    @cached_property
    def counter(self) -> NodeCounter:
        """The kernel that counts nodes; it numbers the levels from those of the bottom on."""
        problem, levels = self.problem, LevelTables()
        for hierarchy, excess in zip(problem.hierarchies, self._excess(), strict=True):
            lowest, highest = hierarchy.lowest, hierarchy.highest
            levels.column(hierarchy.index_at[lowest:], np.ascontiguousarray(excess[lowest:]))
            if highest < hierarchy.height:
                levels.stop_at(highest - lowest)  # the root stays, for columns that nobody covers
        return NodeCounter(
            problem.table.kernel,
            levels,
            problem.requirements.kernel,
            problem.masks,
            None if problem.requirements.compiled else partial(_judged, problem, self.bottom),
        )

    def _covers(self, requirement: Requirement) -> list[bool]:
        covered = self.problem.covered(requirement)
        return [j in covered for j in range(len(self.top))]

    def _excess(self) -> list[Integers]:
        """Return what suppressing a record costs more than generalising it, by level and code."""
        if not isinstance(self.costs, ColumnCosts):
            return [np.zeros_like(each.leaves_under) for each in self.problem.hierarchies]
        pairs = zip(self.costs.suppressed, self.costs.numerators, strict=True)
        return [suppressed - released for suppressed, released in pairs]

    def count(self, node: Node) -> NodeCount:
        """Count a node, or return what is known of it."""
        known = self._counts.get(node)
        if known is None:
            classes = isinstance(self.costs, ClassCosts)
            known = self.counter.count(self._counted(node), classes, self.limit)
            self._counts[node] = known
        return known

    def class_sizes(self, node: Node) -> Integers:
        """Return the sizes of a node's classes, before suppression."""
        return self.counter.class_sizes(self._counted(node))

    def _counted(self, node: Node) -> Bytes:
        """Return a node as the kernel numbers its levels."""
        return (np.array(node) - self.bottom).astype(np.uint8)

    def node_of(self, levels: Bytes) -> Node:
        """Return the node with these levels, as the kernel numbers them."""
        return tuple((levels + np.array(self.bottom)).tolist())

    def seen(self, node: Node) -> Node:
        """Return a node as the first requirement sees it: other columns stand at the root."""
        covers = self._covers(self.problem.requirements[0])
        pairs = zip(node, self.problem.hierarchies, covers, strict=True)
        return tuple(at if covered else tree.height for at, tree, covered in pairs)

    def table_satisfies(self) -> bool:
        """Whether the table itself satisfies: its classes are known without counting a node."""
        bottom = np.array(self.bottom, np.uint8)
        suppressed = _suppressed_at(self.problem, bottom, self.problem.requirements)
        return int(self.problem.table.records[suppressed].sum()) <= self.limit

    def suppressed(self, node: Node) -> int:
        """Return how many records are suppressed at a node."""
        return self.count(node).suppressed

    def suppressed_for(self, node: Node, requirement: Requirement) -> int:
        """Return how many records would be suppressed at a node if nothing else were required."""
        levels = np.array(node, dtype=np.uint8)
        fallen = _suppressed_at(self.problem, levels, [requirement])
        return int(self.problem.table.records[fallen].sum())

    def satisfies(self, node: Node) -> bool:
        """Whether no more records are suppressed at a node than the limit allows."""
        return self.suppressed(node) <= self.limit

    def satisfying(self, nodes: Iterable[Node], progress: Progress) -> list[Node]:
        """Return those of some nodes that satisfy; each is counted."""
        found = []
        for node in nodes:
            if self.satisfies(node):
                found.append(node)
            progress.update(self.checked)
        return found

    @cached_property
    def base(self) -> Integers:
        """By column and level, as the kernel has them: numerators with nothing suppressed."""
        assert isinstance(self.costs, ColumnCosts)
        table = self.problem.table
        sums = []
        for j, numerators in enumerate(self.costs.numerators):
            frequency = sum_by_group(table.codes[j], table.records, numerators.shape[1])
            sums.append(numerators[self.bottom[j] :] @ frequency)
        return np.concatenate(sums)

    def value(self, node: Node) -> float:
        """Return the objective at a node; infinity if too many records are suppressed there."""
        count = self.count(node)
        if count.suppressed > self.limit:
            return inf
        if isinstance(self.costs, ClassCosts):
            return self._class_value(self.costs.metric, count)
        if isinstance(self.costs, TargetCosts):
            if node not in self._target_values:
                self._target_values[node] = self._target_value(node, count.suppressed)
            return self._target_values[node]
        levels = [each.height + 1 - each.lowest for each in self.problem.hierarchies]
        slots = np.cumsum([0, *levels[:-1]]) + self._counted(node)
        costs = self.costs.scale * (self.base[slots] + count.excess[slots])
        if self.costs.geometric:
            terms = zip(self.costs.weight.tolist(), costs.tolist(), strict=True)
            return expm1(sum(weight * log1p(cost) for weight, cost in terms))
        return float(self.costs.weight @ costs)

    def _class_value(self, metric: str, count: NodeCount) -> float:
        records = self.problem.table.n_records
        if metric == "discernibility":
            return float(count.squares + records * count.suppressed)
        if metric == "discernibility_star":
            return float(count.all_squares)
        return records / count.classes / self.problem.smallest_k if count.classes else inf

    @cached_property
    def classes(self) -> Codes:
        """The class of the target of each tuple."""
        return self.problem.needed_target(self.objective)[1]

    def _target_value(self, node: Node, n_suppressed: int) -> float:
        """Return 1 - I(classes; target)/H(classes), with the suppressed records as one class."""
        table, requirements = self.problem.table, self.problem.requirements
        values, sizes = _values_at(self.problem, np.array(node, dtype=np.uint8))
        class_of, first = group(values, sizes)
        if n_suppressed:
            suppressed = suppressed_by(requirements, table, values, sizes)
            class_of = np.where(suppressed, np.int32(len(first)), class_of)
        return 1.0 - normalised_information(class_of, self.classes, table.records)

    def distinct_at(self, node: Node) -> list[int]:
        """Return how many different values each column has in the table at a node."""
        return [
            len(np.unique(each.index_at[at][self.present[j]]))
            for j, (each, at) in _indexed(self.problem.hierarchies, node)
        ]

    @cached_property
    def present(self) -> list[Codes]:
        """The leaf codes that occur in each column."""
        return [np.unique(column) for column in self.problem.table.codes]

    # ---- answers -----------------------------------------------------------------------------

    def best(self, nodes: Iterator[Node] | Sequence[Node]) -> Node:
        """Return the node of least value; the first of those that are equal within 1e-12."""
        chosen, least = None, inf
        for node in nodes:
            value = self.value(node)
            if chosen is None or value < least - 1e-12 * max(1.0, abs(least)):
                chosen, least = node, value
        if chosen is None or least == inf:
            raise self.unsatisfiable()
        return chosen

    def unsatisfiable(self) -> UnsatisfiableError:
        """Return the error for a table that no node can help."""
        try:
            self.problem.check_reachable()
        except UnsatisfiableError as error:  # which says what could be met
            return error
        promises = "; ".join(each.describe() for each in self.problem.requirements)
        if all(each.allowed is None for each in self.problem.hierarchies):
            return UnsatisfiableError(
                f"no full-domain generalisation meets {promises} with at most {self.limit} "
                "suppressed records.",
                hint="weaken the requirements, or raise suppression_limit.",
            )
        fewest = self.suppressed(self.top)
        return UnsatisfiableError(
            f"no full-domain generalisation within the allowed levels meets {promises} with at "
            f"most {self.limit:,} suppressed records: with every column at its highest level there "
            f"are {fewest:,}.",
            hint="raise the highest of `levels` in some column, raise suppression_limit "
            f"(to {fewest / self.problem.table.n_records:.4f}), or weaken the requirements.",
        )

    def recoding(self, node: Node, found: Found) -> GlobalRecoding:
        """Return the decision to release the table at a node."""
        cuts = [
            np.full(each.n_codes, at, dtype=np.int32)
            for _, (each, at) in _indexed(self.problem.hierarchies, node)
        ]
        problem = self.problem
        return GlobalRecoding.meeting(
            problem.requirements, problem.table, problem.hierarchies, cuts, found
        )


def _indexed(
    hierarchies: Sequence[Hierarchy], levels: Sequence[int] | Bytes
) -> Iterator[tuple[int, tuple[Hierarchy, int]]]:
    return enumerate(zip(hierarchies, (int(level) for level in levels), strict=True))


def _judged(problem: Problem, bottom: Node, above: Bytes) -> tuple[Bytes, Bytes]:
    """Ask the requirements which tuples are suppressed at a node, so many levels above the bottom.

    The second answer holds those that are suppressed at every specialisation too: what the
    requirements ask for that are monotone under suppression.  Knows the problem and not the
    lattice: a kernel that held its owner would keep both alive for ever.
    """
    requirements, levels = problem.requirements, above + np.array(bottom, dtype=np.uint8)
    certain = _suppressed_at(problem, levels, [each for each in requirements if _falls(each)])
    everything = _suppressed_at(problem, levels, requirements)
    return everything.astype(np.uint8), certain.astype(np.uint8)


def _falls(requirement: Requirement) -> bool:
    """Whether a requirement that a class violates is violated by every part of it."""
    return requirement.monotone.with_suppression


def _suppressed_at(problem: Problem, levels: Bytes, requirements: Sequence[Requirement]) -> Mask:
    values, sizes = _values_at(problem, levels)
    asked = problem.requirements.only(*requirements)
    return suppressed_by(asked, problem.table, values, sizes)


def _values_at(problem: Problem, levels: Bytes) -> tuple[Codes, list[int]]:
    """Return what each tuple is at a node, by column, and how many values the columns have."""
    table, hierarchies = problem.table, problem.hierarchies
    values = np.vstack(
        [each.index_at[at][table.codes[j]] for j, (each, at) in _indexed(hierarchies, levels)]
    )
    return values, [each.domain_size(int(at)) for _, (each, at) in _indexed(hierarchies, levels)]


def nodes_between(bottom: Node, top: Node, level: int) -> Iterator[Node]:
    """Yield the nodes of the sub-lattice from `bottom` to `top` at a level, in order.

    >>> list(nodes_between((0, 0), (2, 1), 2))
    [(1, 1), (2, 0)]
    """
    room = [high - low for low, high in zip(bottom, top, strict=True)]
    above = [sum(room[j:]) for j in range(len(room) + 1)]  # what columns j.. can take
    stack: list[tuple[Node, int]] = [((), level - sum(bottom))]
    while stack:
        node, left = stack.pop()
        j = len(node)
        if j == len(room):
            if left == 0:
                yield node
            continue
        low, high = max(0, left - above[j + 1]), min(room[j], left)
        stack.extend(((*node, bottom[j] + at), left - at) for at in range(high, low - 1, -1))
