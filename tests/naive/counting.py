"""Slow, obvious twins of everything that counts: plain loops over people, one at a time.

Nothing here is shared with the library but the shape of a hierarchy (its levels): classes,
suppression, objectives and metrics are worked out again from their definitions.
"""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import product

import numpy as np

MISSING, UNKNOWN, TOP = "missing", "unknown", "root"


def group(columns, n):
    """Number the distinct rows of some columns by first appearance."""
    number, group_of, first = {}, [], []
    for at in range(n):
        key = tuple(column[at] for column in columns)
        if key not in number:
            number[key] = len(number)
            first.append(at)
        group_of.append(number[key])
    return group_of, first


# ---- who is suppressed -------------------------------------------------------------------------


def suppress(keys, requirements):
    """Return which people are suppressed: in rounds, all requirements at once.

    `keys` holds the released values of each person; a requirement is a pair of the columns it
    covers and a function that says whether a class, given as a list of people, holds.
    """
    suppressed = set()
    while True:
        falling = set()
        for covered, holds in requirements:
            classes = defaultdict(list)
            for person, key in enumerate(keys):
                if person not in suppressed:
                    classes[tuple(key[j] for j in covered)].append(person)
            for members in classes.values():
                if not holds(members):
                    falling.update(members)
        if not falling:
            return suppressed
        suppressed |= falling


def at_least(size):
    return lambda members: len(members) >= size


@dataclass
class NodeFigures:
    suppressed: int
    classes: int
    smallest: int
    squares: int
    all_classes: int
    all_squares: int
    excess: list
    class_sizes: list


def count_node(rows, records, nodes, levels, requirements, excess):
    """Count a node the way `kernels.NodeCounter` does.

    `nodes[j][level][code]` and `excess[j][level][code]` describe the columns; a requirement is a
    pair of the columns it covers and the smallest class it allows.
    """
    people = expand(rows, records)
    keys = [tuple(nodes[j][levels[j]][code] for j, code in enumerate(row)) for row in people]
    gone = suppress(keys, [(covered, at_least(size)) for covered, size in requirements])
    everyone = Counter(keys)
    kept = Counter(key for person, key in enumerate(keys) if person not in gone)
    sums = [
        sum(table[level][people[person][j]] for person in gone)
        for j, table in enumerate(excess)
        for level in range(len(table))
    ]
    return NodeFigures(
        suppressed=len(gone),
        classes=len(kept),
        smallest=min(kept.values(), default=0),
        squares=sum(size**2 for size in kept.values()),
        all_classes=len(everyone),
        all_squares=sum(size**2 for size in everyone.values()),
        excess=sums,
        class_sizes=sorted(everyone.values()),
    )


def expand(rows, records):
    """Return one row per person."""
    return [row for row, count in zip(rows, records, strict=True) for _ in range(count)]


# ---- released cells ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """A released value: what tells it from others, the real leaves it may be, steps, its label."""

    value: object
    leaves: frozenset
    steps: int
    label: str | None


def release_cell(tree, code, level):
    """Return what a leaf code is released as at a level."""
    height, n_leaves = len(tree.levels) - 1, len(tree.levels[0].labels)
    everything = frozenset(range(n_leaves))
    root = tree.levels[-1].labels[0]
    if code == n_leaves + tree.has_missing:  # the last code of a tree with unknown values
        return Cell(TOP if level == height else UNKNOWN, everything, height, root)
    if level == height:
        steps = height - (0 if code == n_leaves else _waits(tree, code))
        return Cell(TOP, everything, steps, root)
    if code == n_leaves:
        return Cell(MISSING, frozenset([MISSING]), 0, None)
    node = int(tree.levels[level].node_of[code])
    under = leaves_under(tree, code, level)
    steps = max(0, level - _waits(tree, code))
    return Cell((level, node), under, steps, tree.levels[level].labels[node])


def leaves_under(tree, code, level):
    node_of = tree.levels[level].node_of
    return frozenset(np.flatnonzero(node_of == node_of[code]).tolist())


def _waits(tree, code):
    """Return how many levels a leaf that stands high in an unbalanced tree stays as it is."""
    waits = 0
    for level in range(1, len(tree.levels) - 1):
        label = tree.levels[level].labels[tree.levels[level].node_of[code]]
        if label != tree.levels[0].labels[code] or leaves_under(tree, code, level) != {code}:
            break
        waits += 1
    return waits


# ---- a whole release ---------------------------------------------------------------------------


@dataclass
class Outcome:
    """A table, released: everybody's cells, and who is suppressed."""

    trees: tuple
    people: list
    cells: list
    suppressed: set
    weights: list
    k: int
    levels: tuple | None = None

    @property
    def n(self):
        return len(self.people)

    def kept(self):
        return [person for person in range(self.n) if person not in self.suppressed]

    def class_sizes(self, people):
        return Counter(tuple(cell.value for cell in self.cells[person]) for person in people)


def outcome_at(problem, levels):
    """Release a problem at a node of the lattice."""
    cuts = [[level] * tree.n_codes for level, tree in zip(levels, problem.hierarchies, strict=True)]
    outcome = outcome_under(problem, cuts)
    outcome.levels = tuple(levels)
    return outcome


def outcome_under(problem, cuts):
    """Release a problem under cuts: a level per column and leaf code."""
    table = problem.table
    carried = {name: codes.tolist() for name, codes in table.carried.items()}
    tuples = expand(range(table.n_tuples), table.records.tolist())
    people = [tuple(int(column[at]) for column in table.codes) for at in tuples]
    cells = [
        [
            release_cell(tree, code, cut[code])
            for tree, code, cut in zip(problem.hierarchies, row, cuts, strict=True)
        ]
        for row in people
    ]
    values = {name: [codes[at] for at in tuples] for name, codes in carried.items()}
    requirements = [_plain(each, problem.columns, values) for each in problem.requirements]
    suppressed = suppress([[cell.value for cell in row] for row in cells], requirements)
    k = problem.smallest_k
    return Outcome(problem.hierarchies, people, cells, suppressed, problem.weights.tolist(), k)


def _plain(requirement, columns, carried):
    covered = [j for j, name in enumerate(columns) if name in requirement.on]
    if not requirement.carried:
        return covered, at_least(requirement.minimum_size)
    (name,) = requirement.carried
    return covered, lambda members: requirement.holds([carried[name][at] for at in members])


def column_cost(outcome, cost, suppressed_cost):
    """Return, per column, the sum over people of a cell's cost."""
    totals = []
    for j, tree in enumerate(outcome.trees):
        total = 0.0
        for person in range(outcome.n):
            if person in outcome.suppressed:
                total += suppressed_cost(tree, j, person)
            else:
                total += cost(tree, outcome.cells[person][j], j, person)
        totals.append(total)
    return totals


def _weighted(outcome, totals):
    return sum(weight * total for weight, total in zip(outcome.weights, totals, strict=True))


def _mean(outcome, totals):
    return _weighted(outcome, totals) / outcome.n / sum(outcome.weights)


def _column_losses(outcome):
    def cost(tree, cell, j, person):
        return (len(cell.leaves) - 1) / (tree.n_leaves - 1) if tree.n_leaves > 1 else 0.0

    totals = column_cost(outcome, cost, lambda tree, j, person: 1.0)
    return [total / outcome.n for total in totals]


def loss(outcome):
    return _weighted(outcome, _column_losses(outcome)) / sum(outcome.weights)


def loss_geometric(outcome):
    result = 1.0
    for weight, lost in zip(outcome.weights, _column_losses(outcome), strict=True):
        result *= (1 + lost) ** (weight / sum(outcome.weights))
    return result - 1


def precision(outcome):
    def cost(tree, cell, j, person):
        return cell.steps / tree.height

    return 1 - _mean(outcome, column_cost(outcome, cost, lambda tree, j, person: 1.0))


def iloss(outcome):
    def cost(tree, cell, j, person):
        return (len(cell.leaves) - 1) / tree.n_leaves if tree.n_leaves else 0.0

    def suppressed_cost(tree, j, person):
        return (tree.n_leaves - 1) / tree.n_leaves if tree.n_leaves else 0.0

    return _weighted(outcome, column_cost(outcome, cost, suppressed_cost))


def iloss_mean(outcome):
    return iloss(outcome) / outcome.n


def ncp(outcome):
    def cost(tree, cell, j, person):
        if len(cell.leaves) <= 1 or MISSING in cell.leaves:
            return 0.0
        numbers = _numbers(tree)
        if numbers is None:
            return len(cell.leaves) / tree.n_leaves
        chosen = [numbers[leaf] for leaf in cell.leaves]
        return (max(chosen) - min(chosen)) / (max(numbers) - min(numbers))

    return _mean(outcome, column_cost(outcome, cost, lambda tree, j, person: 1.0))


def _numbers(tree):
    try:
        numbers = [float(leaf) for leaf in tree.leaves]
    except ValueError:
        return None
    return numbers if numbers and max(numbers) > min(numbers) else None


def entropy(outcome):
    frequency = [Counter(row[j] for row in outcome.people) for j in range(len(outcome.trees))]

    def cost(tree, cell, j, person):
        if cell.value in (TOP, UNKNOWN):
            released = outcome.n
        elif cell.value == MISSING:
            released = frequency[j][tree.n_leaves]
        else:
            released = sum(frequency[j][leaf] for leaf in cell.leaves)
        return -math.log2(frequency[j][outcome.people[person][j]] / released)

    def suppressed_cost(tree, j, person):
        return -math.log2(frequency[j][outcome.people[person][j]] / outcome.n)

    return _weighted(outcome, column_cost(outcome, cost, suppressed_cost))


def discernibility(outcome):
    sizes = outcome.class_sizes(outcome.kept())
    return sum(size**2 for size in sizes.values()) + outcome.n * len(outcome.suppressed)


def discernibility_star(outcome):
    return sum(size**2 for size in outcome.class_sizes(range(outcome.n)).values())


def average_class_size(outcome):
    classes = len(outcome.class_sizes(outcome.kept()))
    return outcome.n / classes / outcome.k if classes else None


def height(outcome):
    return sum(outcome.levels)


def suppressed_share(outcome):
    return len(outcome.suppressed) / outcome.n


def generalised_cells(outcome):
    cells = [cell for person in outcome.kept() for cell in outcome.cells[person]]
    return sum(cell.steps > 0 for cell in cells) + len(outcome.suppressed) * len(outcome.trees)


def class_size_distribution(outcome):
    sizes = sorted(outcome.class_sizes(outcome.kept()).values())
    return {str(size): sum(each for each in sizes if each <= size) for size in sizes}


def objective_value(name, outcome):
    """Return what a search minimises: the metric, or one minus it where more is better."""
    if name == "precision":
        return 1 - precision(outcome)
    value = globals()[name](outcome)
    return math.inf if value is None else value


# ---- a whole lattice ---------------------------------------------------------------------------


def allowed(limit, n):
    """Return how many records may be suppressed: a share of them, and never all."""
    return min(math.floor(limit * n + 1e-9), n - 1)


def lattice_nodes(problem):
    return list(product(*(range(tree.height + 1) for tree in problem.hierarchies)))


def all_outcomes(problem):
    """Return the outcome at every node of the lattice."""
    return {node: outcome_at(problem, node) for node in lattice_nodes(problem)}


def satisfying(outcomes, limit):
    """Return the nodes at which few enough people are suppressed."""
    return {
        node
        for node, outcome in outcomes.items()
        if len(outcome.suppressed) <= allowed(limit, outcome.n)
    }


def minimal(nodes):
    """Return the nodes that generalise no other of them."""
    return {
        node for node in nodes if not any(other != node and _below(other, node) for other in nodes)
    }


def _below(finer, coarser):
    return all(a <= b for a, b in zip(finer, coarser, strict=True))


def optimum(outcomes, limit, objective):
    """Return the least value of an objective over the satisfying nodes."""
    return min(objective_value(objective, outcomes[node]) for node in satisfying(outcomes, limit))
