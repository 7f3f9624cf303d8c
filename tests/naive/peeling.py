"""Slow, obvious twin of peeling: the cheapest node that forms a class, again and again."""


def peel(trees, costs, records, k, may=lambda rows: True):
    """Return the classes, each a dictionary from tuples of codes to numbers of records.

    `costs` are per column by span of codes, `records` are by tuple, and `may` says whether a class,
    given like one that is returned, holds everything else.
    """
    left, released = dict(sorted(records.items())), []
    refused = set()
    while left:
        node = _cheapest(trees, costs, left, k, may, refused)
        classes = [left] if node == _top(trees) else _formed(trees, left, node, k, may)
        back = 1
        while classes and not _is_safe(_without(left, classes), k, may):
            classes = classes[: max(len(classes) - back, 0)]
            back *= 2
        if not classes:
            refused.add(node)
            continue
        released += classes
        left, refused = _without(left, classes), set()
    return released


def _top(trees):
    return tuple(len(tree.index_at) - 1 for tree in trees)


def _without(left, classes):
    gone = {row for each in classes for row in each}
    return {row: n for row, n in left.items() if row not in gone}


def _is_safe(rest, k, may):
    return not rest or (sum(rest.values()) >= k and may(rest))


def _formed(trees, left, node, k, may):
    """Return the classes of a node that have k records and may be, in the order of their tuples."""
    classes = {}
    for row, n in left.items():
        key = tuple(
            int(tree.index_at[at][code]) for tree, at, code in zip(trees, node, row, strict=True)
        )
        classes.setdefault(key, {})[row] = n
    return [each for each in classes.values() if sum(each.values()) >= k and may(each)]


def _cost(trees, costs, left, node):
    """Return what all that is left costs at a node."""
    total = 0
    for j, (tree, at) in enumerate(zip(trees, node, strict=True)):
        for row, n in left.items():
            codes = [
                code
                for code in range(tree.n_codes)
                if tree.index_at[at][code] == tree.index_at[at][row[j]]
            ]
            total += n * costs[j][min(codes), max(codes)]
    return total


def _cheapest(trees, costs, left, k, may, refused):
    def forms(node):
        return node not in refused and bool(_formed(trees, left, node, k, may))

    def cost(node):
        return _cost(trees, costs, left, node)

    def moved(node, **by):
        return tuple(at + by.get(f"c{j}", 0) for j, at in enumerate(node))

    def descended(node):
        lower = [moved(node, **{f"c{j}": -1}) for j, at in enumerate(node) if at > 0]
        lower.sort(key=lambda each: (cost(each), [a == b for a, b in zip(each, node, strict=True)]))
        return next((each for each in lower if forms(each)), None)

    def exchanged(node):
        others = [
            moved(node, **{f"c{up}": 1, f"c{down}": -by})
            for up in range(len(node))
            for down in range(len(node))
            for by in range(1, node[down] + 1)
            if up != down and node[up] < _top(trees)[up]
        ]
        ranked = sorted((cost(each), each) for each in others)
        now = cost(node)
        return next((each for value, each in ranked if value < now and forms(each)), None)

    node = _top(trees)
    while True:
        better = descended(node) or exchanged(node)
        if better is None:
            return node
        node = better
