"""`kernels.top_down_greedy` with lists: recursive, every cost counted from scratch."""

from naive.shapes import class_cost

MASK = 2**64 - 1
TIE = 1e-12  # costs are added up in floating point


class SplitMix:
    def __init__(self, state):
        self.state = state

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)


def top_down_greedy(rows, records, columns, k, rounds, seed):
    """Return the classes: sorted lists of (tuple, records)."""
    everything = list(enumerate(records))
    return sorted(_divided(rows, columns, k, rounds, everything, seed))


def _divided(rows, columns, k, rounds, items, seed):
    if _size(items) < 2 * k or len({rows[tuple_] for tuple_, _ in items}) == 1:
        return [items]
    random = SplitMix(seed)
    u, v = _far_pair(rows, columns, rounds, items, random)
    sides = [[items[u]], [items[v]]]
    order = [at for at in range(len(items)) if at not in (u, v)]
    for left in range(len(order), 1, -1):
        other = random.next() % left
        order[left - 1], order[other] = order[other], order[left - 1]
    for at in order:
        increases = [_increase(rows, columns, side, items[at]) for side in sides]
        if abs(increases[0] - increases[1]) <= TIE * _size([*sides[0], *sides[1], items[at]]):
            sides[_size(sides[1]) < _size(sides[0])].append(items[at])
        else:
            sides[increases[1] < increases[0]].append(items[at])
    _borrow(rows, columns, k, sides)
    return [
        found
        for side in sides
        for found in _divided(rows, columns, k, rounds, sorted(side), random.next())
    ]


def _far_pair(rows, columns, rounds, items, random):
    record = random.next() % _size(items)
    u = next(at for at in range(len(items)) if record < _size(items[: at + 1]))
    v, distance = _farthest(rows, columns, items, u)
    for _ in range(rounds - 1):
        following, farther = _farthest(rows, columns, items, v)
        if farther <= distance + TIE:
            break
        u, v, distance = v, following, farther
    return u, v


def _farthest(rows, columns, items, start):
    distances = {
        at: class_cost(columns, [rows[items[start][0]], rows[items[at][0]]])
        for at in range(len(items))
        if at != start
    }
    most = max(distances.values())
    found = min(at for at, distance in distances.items() if distance >= most - TIE)
    return found, distances[found]


def _increase(rows, columns, side, item):
    before = [rows[tuple_] for tuple_, _ in side]
    after = class_cost(columns, [*before, rows[item[0]]])
    size = _size(side)
    return float(size + item[1]) * after - float(size) * class_cost(columns, before)


def _borrow(rows, columns, k, sides):
    """Move the records that a side lacks from the other's nearest tuples, one by one."""
    small, large = sorted(sides, key=_size)  # of equal sizes neither lacks any
    before = [rows[tuple_] for tuple_, _ in small]
    near = sorted(large, key=lambda item: (class_cost(columns, [*before, rows[item[0]]]), item))
    moved, kept = {}, dict(large)
    for tuple_, records in near:
        for _ in range(records):
            if _size(small) + sum(moved.values()) < k:
                moved[tuple_] = moved.get(tuple_, 0) + 1
                kept[tuple_] -= 1
    small += moved.items()
    large[:] = [item for item in kept.items() if item[1]]


def _size(items):
    return sum(records for _, records in items)
