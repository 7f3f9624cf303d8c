"""Sets of splits between neighbouring places, the slow and obvious way: one person at a time.

A table is a list of people, each with a place in every column and a target.  A split is a pair of a
column and the first place after it.  A demand is a pair of columns and the least size of a class.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import chain, combinations, pairwise


@dataclass
class SplitTable:
    people: list
    targets: list
    sizes: list
    demands: list
    by_target: bool = False
    limit: int = 10**9
    splits: list = field(init=False)

    def __post_init__(self):
        self.splits = [(j, at) for j, size in enumerate(self.sizes) for at in range(1, size)]

    @property
    def unit(self):
        """What a suppressed person costs."""
        return 1 if self.by_target else len(self.people)


def key(person, splits, columns):
    return tuple(sum(person[j] >= at for col, at in splits if col == j) for j in columns)


def classes(table, splits, columns, alive):
    found = defaultdict(list)
    for who in sorted(alive):
        found[key(table.people[who], splits, columns)].append(who)
    return list(found.values())


def alive_under(table, splits):
    """Return who is left when every class that is too small is suppressed, again and again."""
    alive = set(range(len(table.people)))
    while True:
        for columns, least in table.demands:
            for members in classes(table, splits, columns, alive):
                if len(members) < least:
                    alive -= set(members)
                    break
            else:
                continue
            break
        else:
            return alive


def minority(table, members):
    return len(members) - max(Counter(table.targets[who] for who in members).values())


def cost(table, splits):
    """Return what a set of splits costs, or None if it suppresses too many people."""
    alive = alive_under(table, splits)
    suppressed = len(table.people) - len(alive)
    if suppressed > table.limit:
        return None
    every = range(len(table.sizes))
    return table.unit * suppressed + sum(
        minority(table, members) if table.by_target else len(members) ** 2
        for members in classes(table, splits, every, alive)
    )


def optimum(table):
    """Return the least cost of all sets of splits."""
    sets = chain.from_iterable(
        combinations(table.splits, size) for size in range(len(table.splits) + 1)
    )
    return min(found for each in sets if (found := cost(table, each)) is not None)


# ---- the search of Bayardo and Agrawal ---------------------------------------------------------


def floors(table, splits, alive):
    """Return the least that each person costs if kept, whatever of these splits is made."""
    least = table.demands[0][1]
    floor = {}
    for members in classes(table, splits, range(len(table.sizes)), alive):
        if not table.by_target:
            floor |= dict.fromkeys(members, max(len(members), least))
            continue
        leader = max(
            Counter(table.targets[who] for who in members).items(),
            key=lambda item: (item[1], -min(w for w in members if table.targets[w] == item[0])),
        )[0]
        floor |= {who: int(table.targets[who] != leader) for who in members}
    return floor


def sides(table, members, split):
    left = [who for who in members if table.people[who][split[0]] < split[1]]
    right = [who for who in members if table.people[who][split[0]] >= split[1]]
    return left, right


def effects(table, head, split, alive, floor):
    """Return how much more a further split costs at least, suppresses at least, and divides."""
    more, fallen, divided = 0, 0, 0
    for columns, least in table.demands:
        if split[0] not in columns:
            continue
        halves = [sides(table, each, split) for each in classes(table, head, columns, alive)]
        small = [
            half
            for pair in halves
            if all(pair)
            for half in pair
            if len(half) < least
        ]  # fmt: skip
        more = max(more, sum(table.unit - floor[who] for half in small for who in half))
        fallen = max(fallen, sum(map(len, small)))
        divided += sum(all(pair) for pair in halves)
    return more, fallen, divided


@dataclass
class Search:
    table: SplitTable
    best: int
    visited: int = 0

    def visit(self, head, tail):
        self.visited += 1
        found = cost(self.table, head)
        if found is None:
            return
        self.best = min(self.best, found)
        later = self.opened(head, [v for v, bound in tail if bound < self.best])
        for at, (split, bound) in enumerate(later):
            if bound < self.best:
                self.visit([*head, split], later[at + 1 :])

    def opened(self, head, tail):
        """Return the tail that is left, with bounds, in the order in which it is tried."""
        alive = alive_under(self.table, head)
        suppressed = len(self.table.people) - len(alive)
        while tail:
            floor = floors(self.table, [*head, *tail], alive)
            bound = self.table.unit * suppressed + sum(floor.values())
            if bound >= self.best:
                return []
            found = {split: effects(self.table, head, split, alive, floor) for split in tail}
            kept = [
                split
                for split, (more, fallen, divided) in found.items()
                if divided and bound + more < self.best and suppressed + fallen <= self.table.limit
            ]
            if kept == tail:
                kept.sort(key=lambda split: -found[split][2])
                return [(split, bound + found[split][0]) for split in kept]
            tail = kept
        return []


def search(table):
    """Return the least cost and how many nodes K-Optimize visits after the greedy start."""
    found = Search(table, start(table)[1])
    found.visit([], [(split, -1) for split in table.splits])
    return found.best, found.visited


def start(table):
    """Return a set of splits by greedy additions, each then taken away and replaced."""
    best = climb(table, [], None)
    better = True
    while better:
        better = False
        for split in best[0]:
            tried = climb(table, [other for other in best[0] if other != split], split)
            if tried[1] < best[1]:
                best, better = tried, True
                break
    return best


def climb(table, head, without):
    now, barred, better = cost(table, head), {without}, True
    while better:
        better = False
        change = changes(table, head)
        for split in sorted((v for v in table.splits if change[v] < 0), key=change.get):
            if split in barred or better:
                continue
            barred.add(split)
            found = cost(table, [*head, split])
            if found is not None and found <= now:
                head, now, better = [*head, split], found, True
    return head, now


def changes(table, head):
    """Return by split how many pairs of people of different targets are still alike after it.

    Without targets all pairs count; a suppressed person counts for as many as there are.
    """
    least = max(size for _, size in table.demands)
    alive = alive_under(table, head)
    everyone = classes(table, head, range(len(table.sizes)), alive)

    def side(members):
        if len(members) < least:
            return len(table.people) * len(members)
        counts = Counter(table.targets[who] for who in members).values()
        return len(members) ** 2 - sum(each**2 for each in counts) * table.by_target

    return {
        split: sum(
            side(left) + side(right) - side(members)
            for members in everyone
            for left, right in [sides(table, members, split)]
            if left and right
        )
        for split in table.splits
    }


def parts_of(size, flags):
    """Return the runs of places between splits."""
    ends = [0, *(at + 1 for at, flag in enumerate(flags) if flag), size]
    return list(pairwise(ends))
