"""Slow, obvious twins of the searches for classes: costs, splits by gain, all partitions."""

UNIT = 1 << 22


def fixed_costs(trees, weights):
    """Return per column the cost of each span of codes, in the whole numbers of the kernels."""
    unit = UNIT / sum(weights)
    tables = []
    for tree, weight in zip(trees, weights, strict=True):
        nodes, table = tree.nodes, {}
        for low in range(tree.n_codes):
            for high in range(low, tree.n_codes):
                node = next(
                    at
                    for at in range(len(nodes.low))
                    if nodes.low[at] <= low and high < nodes.high[at]
                )
                leaves = max(min(int(nodes.high[node]), tree.n_leaves) - int(nodes.low[node]), 1)
                if tree.has_unknown and low == high == tree.unknown_code:
                    leaves = tree.n_leaves
                share = (leaves - 1) / max(tree.n_leaves - 1, 1)
                table[low, high] = int(share * weight * unit + 0.5)
        tables.append(table)
    return tables


def unit_cost(costs, rows):
    """Return what each record of a class costs; `rows` are the codes of its records."""
    return sum(
        table[min(column), max(column)]
        for table, column in zip(costs, zip(*rows, strict=True), strict=True)
    )


def total_cost(costs, classes):
    return sum(len(rows) * unit_cost(costs, rows) for rows in classes)


def children_of(tree, low, high):
    """Return the spans of the children of the lowest node that covers codes low to high."""
    nodes = tree.nodes
    node = next(
        at for at in range(len(nodes.low)) if nodes.low[at] <= low and high < nodes.high[at]
    )
    spans = [
        (int(nodes.low[at]), int(nodes.high[at]))
        for at in range(len(nodes.low))
        if nodes.parent[at] == node and at != node
    ]
    return sorted(spans)


def planned(trees, costs, rows, j, k):
    """Return the parts of a split by column j, the rest last, and what it is thought to cost."""
    column = [row[j] for row in rows]
    if min(column) == max(column):
        return None
    pieces = [
        [row for row in rows if low <= row[j] < high]
        for low, high in children_of(trees[j], min(column), max(column))
    ]
    large = [piece for piece in pieces if len(piece) >= k]
    rest = [row for row in rows if any(row in piece for piece in pieces if len(piece) < k)]
    cost = total_cost(costs, large)
    if not rest:
        return (cost, large, []) if len(large) > 1 else None
    spare = sum(len(piece) - k for piece in large)
    if not large:
        return None
    if len(rest) < k and spare < k - len(rest):
        return joined(costs, large, rest) if len(large) > 1 else None
    each = unit_cost(costs, rest)
    if len(rest) < k:
        of_rest = [row[j] for row in rest]
        each += costs[j][min(column), max(column)] - costs[j][min(of_rest), max(of_rest)]
    return cost + max(len(rest), k) * each, large, rest


def joined(costs, large, rest):
    """Return a split in which a rest that nobody can lend to joins the part that costs least."""
    plans = []
    for at, piece in enumerate(large):
        others, together = [*large[:at], *large[at + 1 :]], [*rest, *piece]
        plans.append((total_cost(costs, [*others, together]), others, together))
    return min(plans, key=lambda plan: plan[0])


def with_loans(costs, large, rest, k):
    """Return the parts after a small rest has borrowed the records nearest to it."""
    large, rest = [list(piece) for piece in large], list(rest)
    while rest and len(rest) < k:
        offers = [
            (unit_cost(costs, [*rest, row]), part, row)
            for part, piece in enumerate(large)
            if len(piece) > k
            for row in piece
        ]
        _, part, row = min(offers)
        large[part].remove(row)
        rest.append(row)
    return [*large, rest] if rest else large


def gain_split(trees, costs, rows, k):
    """Return the classes that splitting by gain ends with."""
    before = len(rows) * unit_cost(costs, rows)
    if len(rows) < 2 * k or before == 0:
        return [rows]
    plans = [planned(trees, costs, rows, j, k) for j in range(len(trees))]
    plans = sorted((plan for plan in plans if plan is not None), key=lambda plan: plan[0])
    for _, large, rest in plans:
        parts = with_loans(costs, large, rest, k)
        if total_cost(costs, parts) < before:
            return [each for part in parts for each in gain_split(trees, costs, part, k)]
    return [rows]


def partitions(rows, k):
    """Yield all ways to form classes of at least k records."""
    if not rows:
        yield []
        return
    first, others = rows[0], rows[1:]
    for mask in range(1 << len(others)):
        inside = [first] + [row for at, row in enumerate(others) if mask >> at & 1]
        if len(inside) >= k:
            outside = [row for at, row in enumerate(others) if not mask >> at & 1]
            if not outside or len(outside) >= k:
                yield from ([inside, *rest] for rest in partitions(outside, k))


def least_cost(costs, rows, k):
    """Return what the cheapest of all partitions costs, part by part: 3 to the power of records."""
    sets = range(1, 1 << len(rows))
    members = {part: [row for at, row in enumerate(rows) if part >> at & 1] for part in sets}
    price = {p: total_cost(costs, [each]) for p, each in members.items() if len(each) >= k}
    least = {0: 0}
    for part in sets:
        first = part & -part
        rest = others = part ^ first
        found = []
        while True:
            if others | first in price and rest ^ others in least:
                found.append(price[others | first] + least[rest ^ others])
            if others == 0:
                break
            others = (others - 1) & rest
        if found:
            least[part] = min(found)
    return least[(1 << len(rows)) - 1]
