"""Every partition of a few records into classes, one after the other."""

from itertools import product

import naive


def set_partitions(items):
    """Yield every partition of a list, as a list of lists."""
    if not items:
        yield []
        return
    first, *others = items
    for partition in set_partitions(others):
        yield [[first], *partition]
        for at, block in enumerate(partition):
            yield [*partition[:at], [first, *block], *partition[at + 1 :]]


def best_partition(copies, cost, cells):
    """Return the least (cost, cells) over all partitions of the copies of some items.

    `cost` and `cells` go by part, numbered in mixed radix, the first item counting fastest.
    """
    people = [item for item, count in enumerate(copies) for _ in range(count)]

    def number(block):
        found = 0
        for item in reversed(range(len(copies))):
            found = found * (copies[item] + 1) + block.count(item)
        return found

    best = (float("inf"), 0)
    for partition in set_partitions(people):
        numbers = [number(block) for block in partition]
        best = min(best, (sum(cost[at] for at in numbers), sum(cells[at] for at in numbers)))
    return best


def common_level(tree, codes):
    """Return the lowest level at which some codes are released as one value."""
    for level in range(tree.height + 1):
        if len({naive.release_cell(tree, code, level).value for code in codes}) == 1:
            return level
    raise AssertionError("the root covers everything")


def lost(problem, rows):
    """Return what a class takes from the precision, and its generalised cells."""
    weights = problem.weights / problem.weights.sum()
    cost, cells = 0.0, 0
    for j, tree in enumerate(problem.hierarchies):
        if not problem.covered[j]:
            continue
        level = common_level(tree, [row[j] for row in rows])
        steps = [naive.release_cell(tree, row[j], level).steps for row in rows]
        cost += weights[j] * sum(steps) / max(tree.height, 1)
        cells += sum(step > 0 for step in steps)
    return cost, cells


def best_table(problem, k, *, divided):
    """Return the least loss of precision over all tables, and the fewest cells of those."""
    rows = [
        [tuple(codes)] * count
        for codes, count in zip(problem.table.codes.T.tolist(), problem.table.records, strict=True)
    ]
    items = _alike(rows, problem.covered)
    if divided:
        items = [[row] for records in rows for row in records]
    best = (float("inf"), 0)
    for partition in set_partitions(list(range(len(items)))):
        blocks = [[row for at in block for row in items[at]] for block in partition]
        if min(map(len, blocks)) < k:
            continue
        costs = [lost(problem, block) for block in blocks]
        found = sum(cost for cost, _ in costs), sum(cells for _, cells in costs)
        if found[0] < best[0] - 1e-9 or (found[0] < best[0] + 1e-9 and found[1] < best[1]):
            best = found
    return best[0] / problem.table.n_records, best[1]


def _alike(rows, covered):
    """Put the records together that are alike on the covered columns."""
    found = {}
    for records in rows:
        key = tuple(code for code, some in zip(records[0], covered, strict=True) if some)
        found.setdefault(key, []).extend(records)
    return list(found.values())


def parts(copies):
    """Return every part of some copies, the first item counting fastest."""
    return [part[::-1] for part in product(*(range(count + 1) for count in reversed(copies)))]
