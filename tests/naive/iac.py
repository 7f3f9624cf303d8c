"""IACk and IACc, and the information they go by, as loops over people."""

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations

from naive import counting as naive

TIE = 1e-12


def entropy(values):
    n = len(values)
    return sum(-count / n * math.log2(count / n) for count in Counter(values).values())


def information(values, classes):
    pairs = list(zip(values, classes, strict=True))
    return entropy(values) + entropy(classes) - entropy(pairs)


def normalised(values, classes):
    own = entropy(values)
    return information(values, classes) / own if own > 1e-9 else 0.0


def divergence(before, after, zero="floor"):
    """`after` lacks what was suppressed; shares are of all of `before`."""
    own, n = entropy(before), len(before)
    if own <= 1e-9:
        return 0.0
    left, total = Counter(after), 0.0
    for value, count in Counter(before).items():
        if left[value] == 0 and zero == "skip":
            continue
        if left[value] == 0 and zero == "inf":
            return math.inf
        total += count / n * math.log2(count / (left[value] or 0.5))
    return total / own


@dataclass
class People:
    """Everybody at some levels: released values by column, and the class of the target."""

    trees: tuple
    columns: tuple
    codes: list
    classes: list
    requirements: list
    covered: list
    levels: tuple = ()
    rows: list = field(default_factory=list)

    def at(self, j, level):
        return [naive.release_cell(self.trees[j], row[j], level).value for row in self.codes]

    def generalise(self, levels):
        self.levels = levels
        columns = [self.at(j, level) for j, level in enumerate(levels)]
        self.rows = list(zip(*columns, strict=True))

    def says(self, j):
        """What a column says before anything is suppressed."""
        return [row[j] for row in self.rows]


def people_of(problem, target="c"):
    table = problem.table
    rows = list(zip(*table.codes.tolist(), table.carried[target].tolist(), strict=True))
    everybody = naive.expand(rows, table.records.tolist())
    asked = [
        ([table.columns.index(name) for name in each.on], naive.at_least(each.k))
        for each in problem.requirements
    ]
    covered = sorted({j for columns, _ in asked for j in columns})
    return People(
        problem.hierarchies,
        table.columns,
        [row[:-1] for row in everybody],
        [row[-1] for row in everybody],
        asked,
        covered,
    )


def information_by_level(people):
    return [
        [normalised(people.at(j, level), people.classes) for level in range(tree.height)] + [0.0]
        for j, tree in enumerate(people.trees)
    ]


def best_levels(people):
    levels = []
    for j, by_level in enumerate(information_by_level(people)):
        best = max(by_level)
        equal = [level for level, value in enumerate(by_level) if value >= best - 1e-11]
        levels.append(equal[0] if j in people.covered else 0)
    return tuple(levels)


def effect(people, hidden, zero="floor"):
    """Return divergence and change by column, where some cells are hidden."""
    divergences, changes = [], []
    for j in range(len(people.trees)):
        kept = [at for at in range(len(people.rows)) if (at, j) not in hidden]
        values = people.says(j)
        after = [values[at] for at in kept]
        divergences.append(divergence(values, after, zero))
        left = normalised(after, [people.classes[at] for at in kept])
        changes.append(left - normalised(values, people.classes))
    return divergences, changes


def cells_of(people, suppressed):
    return {(at, j) for at in suppressed for j in range(len(people.trees))}


# ---- iacc --------------------------------------------------------------------------------------


def thresholds(people, fraction):
    found = []
    for j in range(len(people.trees)):
        values, n = people.says(j), len(people.rows)
        own = entropy(values)
        if own <= 1e-9:
            found.append((0.0, 0.0))
            continue
        most = sum(c / n * math.log2(c) for c in Counter(values).values()) / own
        found.append((fraction * most, fraction * entropy(people.classes) / own))
    return found


def too_much(people, suppressed, limits, zero):
    found = effect(people, cells_of(people, suppressed), zero)
    for j, (moved, change) in enumerate(zip(*found, strict=True)):
        if moved > limits[j][0] + TIE:
            return j, "divergence"
        if abs(change) > limits[j][1] + TIE:
            return j, "information"
    return None


def iacc(people, limits, zero="floor"):
    """Suppress the smallest classes, batch by batch; return who is suppressed and what stopped it.

    For requirements that a batch cannot break: k-anonymity on all covered columns.
    """
    keys = [tuple(row[j] for j in people.covered) for row in people.rows]
    sizes = Counter(keys)
    suppressed = naive.suppress(people.rows, people.requirements)
    stopped = too_much(people, suppressed, limits, zero)
    floor_holds = stopped is None
    while stopped is None:
        left = [at for at in range(len(keys)) if at not in suppressed]
        smallest = min(sizes[keys[at]] for at in left)
        batch = {at for at in left if sizes[keys[at]] == smallest}
        if len(batch) == len(left):
            break
        stopped = too_much(people, suppressed | batch, limits, zero)
        if stopped is None:
            suppressed |= batch
    return suppressed, stopped, floor_holds


# ---- leftovers ---------------------------------------------------------------------------------


def settle(people):
    """Return the hidden cells and who is suppressed, trying sets of columns by what they tell."""
    bits = [information(people.says(j), people.classes) for j in range(len(people.trees))]
    sets = [
        chosen
        for size in range(1, len(people.covered))
        for chosen in combinations(people.covered, size)
    ]
    sets.sort(key=lambda chosen: (round(sum(bits[j] for j in chosen), 12), len(chosen), chosen))
    left = sorted(naive.suppress(people.rows, people.requirements))
    hidden = set()
    for chosen in sets:
        rows = {at: read(people, at, chosen) for at in left}
        silent = {at for at in left if set(rows[at]) == {naive.TOP}}
        some = [at for at in left if at not in silent]
        falls = {some[i] for i in naive.suppress([rows[at] for at in some], people.requirements)}
        for at in some:
            if at not in falls:
                hidden |= {(at, j) for j in chosen}
        left = [at for at in left if at in falls or at in silent]
    return hidden, set(left)


def read(people, person, hidden):
    """What a person's row reads like; unknown values read like the root."""
    return tuple(
        naive.TOP if j in hidden or value == naive.UNKNOWN or says_nothing(people, person, j)
        else value
        for j, value in enumerate(people.rows[person])
    )  # fmt: skip


def says_nothing(people, person, j):
    """Whether a value covers all that the column can hold, and so says as much as the root."""
    tree = people.trees[j]
    cell = naive.release_cell(tree, people.codes[person][j], people.levels[j])
    return tree.n_codes == tree.n_leaves == len(cell.leaves)


def settled(people):
    """Return what each person's row reads like in the end, None for the suppressed, and the cells
    that nobody sees.
    """
    hidden, suppressed = settle(people)
    kept = [at for at in range(len(people.rows)) if at not in suppressed]
    rows = {at: read(people, at, {j for who, j in hidden if who == at}) for at in kept}
    falls = {kept[i] for i in naive.suppress([rows[at] for at in kept], people.requirements)}
    gone = suppressed | falls
    shown = [None if at in gone else rows[at] for at in range(len(people.rows))]
    return shown, hidden | cells_of(people, gone)
