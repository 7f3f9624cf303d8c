"""Chromosomes read the slow and obvious way, and what they cost: one person at a time."""

from collections import Counter, defaultdict
from itertools import product

from naive.splits import parts_of


def parts_and_costs(column, size, genes):
    """Return the part of each place and what it costs there; `column` is as the kernel is told."""
    is_row, low, high, _, node_cost, position, alone, leaves, weight, _ = column
    part, cost = [None] * size, [0.0] * size
    if is_row:
        for number, (start, end) in enumerate(parts_of(size, genes)):
            for place in range(start, end):
                part[place] = number
                cost[place] = weight * _row_cost(start, end, position, alone, leaves)
        return part, cost
    for gene in range(len(low)):  # parents first: what is set above has the word
        if genes[gene] and part[low[gene]] is None:
            for place in range(low[gene], high[gene]):
                part[place], cost[place] = ("node", gene), weight * node_cost[gene]
    for place in range(size):
        if part[place] is None:
            part[place], cost[place] = ("place", place), weight * alone[place]
    return part, cost


def _row_cost(start, end, position, alone, leaves):
    if end - start == 1:
        return alone[start]
    if position[leaves] <= 1:
        return 0.0
    if end > leaves:
        return 1.0
    low = position[start] if start else 0
    return (position[end] - low - 1) / (position[leaves] - 1)


def cost(table, columns, genes):
    """Return the share of what all people could lose, and how many of them are suppressed."""
    released, costs, at = [], [], 0
    for column, size in zip(columns, table.sizes, strict=True):
        n_genes = size - 1 if column[0] else len(column[1])
        part, each = parts_and_costs(column, size, genes[at : at + n_genes])
        released.append(part)
        costs.append(each)
        at += n_genes
    keys = [tuple(p[place] for p, place in zip(released, who, strict=True)) for who in table.people]
    alive = _alive(table, keys)
    lost = len(table.people) - len(alive)
    if table.by_target:
        lost += _mistaken(table, keys, alive)
    else:
        lost += sum(
            sum(each[place] for each, place in zip(costs, table.people[who], strict=True))
            for who in alive
        )
    return lost / len(table.people), len(table.people) - len(alive)


def _alive(table, keys):
    alive = set(range(len(keys)))
    while True:
        before = len(alive)
        for columns, least in table.demands:
            sizes = Counter(tuple(keys[who][j] for j in columns) for who in alive)
            alive = {who for who in alive if sizes[tuple(keys[who][j] for j in columns)] >= least}
        if len(alive) == before:
            return alive


def _mistaken(table, keys, alive):
    classes = defaultdict(Counter)
    for who in alive:
        classes[keys[who]][table.targets[who]] += 1
    return sum(each.total() - max(each.values()) for each in classes.values())


def optimum(table, columns):
    """Return the least cost of all chromosomes that suppress no more than the limit.

    Rows are cut only where they may be.
    """
    n_genes = sum(
        size - 1 if column[0] else len(column[1])
        for column, size in zip(columns, table.sizes, strict=True)
    )
    may = [flag or not column[0] for column in columns for flag in column[9].tolist()]
    assert len(may) == n_genes
    choices = [(0, 1) if each else (0,) for each in may]
    found = (cost(table, columns, genes) for genes in product(*choices))
    return min(lost for lost, suppressed in found if suppressed <= table.limit)
