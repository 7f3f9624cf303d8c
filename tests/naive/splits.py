"""Sets of splits between neighbouring places, the slow and obvious way: one person at a time.

A table is a list of people, each with a place in every column and a target.  A split is some places
of a column, each the first after a gap, and perhaps another split that must be made with it.  A
demand is a pair of columns and the least size of a class.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import chain, combinations, pairwise
from typing import NamedTuple


class Split(NamedTuple):
    column: int
    places: tuple
    parent: "Split | None" = None

    @property
    def above(self):
        """Those that must be made with it."""
        return () if self.parent is None else (*self.parent.above, self.parent)

    def side(self, person):
        return sum(person[self.column] >= place for place in self.places)


@dataclass
class SplitTable:
    people: list
    targets: list
    sizes: list
    demands: list
    by_target: bool = False
    limit: int = 10**9
    splits: list = None  # one between each two places if not given; parents first

    def __post_init__(self):
        if self.splits is None:
            self.splits = [
                Split(j, (at,)) for j, size in enumerate(self.sizes) for at in range(1, size)
            ]

    @property
    def unit(self):
        """What a suppressed person costs."""
        return 1 if self.by_target else len(self.people)


def key(person, splits, columns):
    return tuple(sum(each.side(person) for each in splits if each.column == j) for j in columns)


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


def all_sets(table):
    """Return all sets of splits, each with those that must be made with it."""
    every = chain.from_iterable(
        combinations(table.splits, size) for size in range(len(table.splits) + 1)
    )
    return [each for each in every if closed((), each) == list(each)]


def optimum(table):
    """Return the least cost of all sets of splits."""
    costs = [cost(table, each) for each in all_sets(table)]
    return min(found for found in costs if found is not None)


def closed(head, splits):
    """Return those that lack nothing that must be made with them."""
    return [each for each in splits if set(each.above) <= {*head, *splits}]


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


def divided(table, members, split):
    """Return the members on each side of the gaps of a split."""
    found = defaultdict(list)
    for who in members:
        found[split.side(table.people[who])].append(who)
    return list(found.values())


def effects(table, head, split, alive, floor):
    """Return how much more a further split costs at least, suppresses at least, and divides.

    Those that must be made with it are made, but what they divide does not count as its own.
    """
    more, fallen, count = 0, 0, 0
    above = [*head, *(each for each in split.above if each not in head)]
    for columns, least in table.demands:
        if split.column not in columns:
            continue
        after = classes(table, [*above, split], columns, alive)
        small = [members for members in after if len(members) < least]
        more = max(more, sum(table.unit - floor[who] for members in small for who in members))
        fallen = max(fallen, sum(map(len, small)))
        count += sum(
            len(divided(table, members, split)) > 1
            for members in classes(table, above, columns, alive)
        )
    return more, fallen, count


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
        head, later = self.opened(head, closed(head, [v for v, bound in tail if bound < self.best]))
        for at, (split, bound) in enumerate(later):
            if bound < self.best and set(split.above) <= set(head):
                self.visit([*head, split], later[at + 1 :])

    def opened(self, head, tail):
        """Return the head and the tail that is left, with bounds, in the order of the search."""
        alive = alive_under(self.table, head)
        suppressed = len(self.table.people) - len(alive)
        while tail:
            floor = floors(self.table, [*head, *tail], alive)
            bound = self.table.unit * suppressed + sum(floor.values())
            if bound >= self.best:
                return head, []
            found = {split: effects(self.table, head, split, alive, floor) for split in tail}
            kept = closed(
                head,
                [
                    split
                    for split, (more, fallen, _) in found.items()
                    if bound + more < self.best and suppressed + fallen <= self.table.limit
                ],
            )
            kept = [each for each in kept if any(found[v][2] for v in below(each, kept))]
            idle = self.idle(head, kept, found)
            head, kept = [*head, *idle], [split for split in kept if split not in idle]
            if kept == tail:
                most = {split: max(found[v][2] for v in below(split, kept)) for split in kept}
                kept.sort(key=lambda split: -most[split])
                return head, [(split, bound + found[split][0]) for split in kept]
            tail = kept
        return head, []

    def idle(self, head, tail, found):
        """Return what divides no class and can be made at once."""
        some = []
        for split in tail:
            if found[split][2] == 0 and set(split.above) <= {*head, *some}:
                some.append(split)
        return some


def below(split, splits):
    """Return a split and those that it must be made with."""
    return [split, *(each for each in splits if split in each.above)]


def search(table):
    """Return the least cost and how many nodes K-Optimize visits after the greedy start."""
    found = Search(table, start(table)[1])
    found.visit([], [(split, -1) for split in table.splits])
    return found.best, found.visited


def start(table):
    """Return a set of splits by greedy additions, each then taken away and replaced."""
    best = min(([], cost(table, [])), climb(table, [], None), key=lambda found: found[1])
    better = True
    while better:
        better = False
        for split in best[0]:
            others = closed((), [other for other in best[0] if other != split])
            tried = climb(table, others, split)
            if tried[1] < best[1]:
                best, better = tried, True
                break
    return best


def climb(table, head, without):
    now, barred, better = cost(table, head), {without}, True
    while better:
        better = False
        change = changes(table, head)
        asked = [
            each for each in change if change[each] == 0 and len(below(each, table.splits)) > 1
        ]
        tried = sorted((v for v in change if change[v] < 0), key=change.get)
        for split in [*tried, *asked]:
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
            sum(map(side, divided(table, members, split))) - side(members) for members in everyone
        )
        for split in table.splits
        if set(split.above) <= set(head) and split not in head
    }


def parts_of(size, flags):
    """Return the runs of places between splits."""
    ends = [0, *(at + 1 for at, flag in enumerate(flags) if flag), size]
    return list(pairwise(ends))
