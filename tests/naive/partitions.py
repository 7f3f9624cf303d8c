"""Every partition of a few records into classes, one after the other."""

from naive import counting as naive


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


def class_cost(members, levels, prices):
    """Return what a list of items costs as a class: all at the highest level of any two."""
    return sum(
        prices[j][max(level[a][b] for a in members for b in members)][item]
        for j, level in enumerate(levels)
        for item in members
    )


def best_partition(copies, records, levels, prices, k):
    """Return the least cost of all partitions of the copies of some items, looking at each."""
    people = [item for item, count in enumerate(copies) for _ in range(count)]
    return min(
        sum(class_cost(block, levels, prices) for block in partition)
        for partition in set_partitions(people)
        if all(sum(records[item] for item in block) >= k for block in partition)
    )


def best_by_parts(records, levels, prices, k):
    """Return the least cost of all partitions of some items, part by part: 3 to the power of them.

    The best partition of a part is a class that holds its last item, and the best one of the rest.
    """
    n = len(records)
    members = [[i for i in range(n) if part >> i & 1] for part in range(1 << n)]
    far = float("inf")
    enough = [sum(records[i] for i in each) >= k for each in members]
    cost = [
        class_cost(each, levels, prices) if many else far
        for each, many in zip(members, enough, strict=True)
    ]
    best = [0.0] + [far] * ((1 << n) - 1)
    for part in range(1, 1 << n):
        last = 1 << (part.bit_length() - 1)
        rest = others = part ^ last
        while True:
            best[part] = min(best[part], cost[others | last] + best[rest ^ others])
            if others == 0:
                break
            others = (others - 1) & rest
    return best[-1]


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
        if not problem.is_covered[j]:
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
    items = _alike(rows, problem.is_covered)
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
