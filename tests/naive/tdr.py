"""Top-down refinement, the slow and obvious way: records one by one, everything anew each step."""

from collections import Counter
from math import fsum, log2

from naive.bounds import number_bound

EQUAL = 1e-12


class Column:
    """A column as people would refine it: each code shows a value, a name for a set of codes.

    `shown` maps codes to values; a value is a tuple whose first part is its kind.
    """

    def __init__(self, tree, kind, counts, k, min_child=1):
        self.min_child = min_child
        self.tree, self.kind, self.present = tree, kind, sorted(counts)
        self.counts, self.k = counts, k
        self.shown = dict.fromkeys(self.present, ("root",))
        if kind == "level 0":
            self.shown = {code: ("leaf", code) for code in self.present}

    def codes_of(self, value):
        return [code for code in self.present if self.shown[code] == value]

    def candidates(self, gain):
        """Yield (value, what each of its codes would show), in leaf order."""
        values = sorted(set(self.shown.values()), key=lambda value: min(self.codes_of(value)))
        for value in values:
            if self.kind == "tree":
                yield value, self.children_in_tree(value)
            elif self.kind == "intervals":
                yield value, self.halves(value, gain)
            elif self.kind == "values" and value == ("root",):
                for code in self.codes_of(value):
                    if code != self.tree.unknown_code:
                        yield value, {code: ("leaf", code)}

    def children_in_tree(self, value):
        """Go down until the codes part ways; nodes are named by the codes they cover."""
        codes = self.codes_of(value)
        for level in range(self.tree.height - 1, -1, -1):
            index = self.tree.index_at[level].tolist()
            parts = {index[code] for code in codes}
            if len(parts) > 1:
                return {code: ("node", level, index[code]) for code in codes}
        return {}

    def halves(self, value, gain):
        codes = self.codes_of(value)
        numbers = [code for code in codes if code < self.tree.n_leaves]
        beside = {code: ("beside", code) for code in codes if code >= self.tree.n_leaves}
        best, most = None, None
        for split in numbers[1:]:
            below = sum(self.counts[code] for code in numbers if code < split)
            above = sum(self.counts[code] for code in numbers if code >= split)
            if min(below, above) < self.min_child:
                continue
            halves = {code: ("from", split if code >= split else numbers[0]) for code in numbers}
            found = gain(halves)
            if most is None or found - most > EQUAL * most:
                best, most, at = halves, found, split
        if best is not None and not self.may_begin(at):
            best = None
        if best is None and beside and numbers:
            best = dict.fromkeys(numbers, ("from", numbers[0]))
        return (best or {}) | beside

    def may_begin(self, code):
        """Whether there is a bound between a code and the one before it that may be shown."""
        codes = [each for each in self.present if each < self.tree.n_leaves]
        values = [self.tree.leaves[each] for each in codes]
        counts = [self.counts[each] for each in codes]
        return number_bound(values, counts, codes.index(code) - 1, self.k) is not None


def entropy(classes):
    """Bits of the distribution of some classes."""
    total = len(classes)
    return fsum(-n / total * log2(n / total) for n in Counter(classes).values())


class Twin:
    """People: their codes and their class; and what is asked."""

    def __init__(self, problem, disclose, criterion, average, beneficial="gain", promises=(),
                 min_child=1):  # fmt: skip
        table = problem.table
        self.problem, self.criterion, self.average = problem, criterion, average
        self.promises = promises  # pairs of columns and what holds of a class as a Counter
        self.by_gain, self.by_classes = disclose == "infogain", beneficial == "classes"
        self.people = [
            (tuple(table.codes[:, at].tolist()), int(table.carried["c"][at]))
            for at in range(table.n_tuples)
            for _ in range(int(table.records[at]))
        ]
        self.asked = [
            ([problem.columns.index(name) for name in each.on], each.minimum_size)
            for each in problem.requirements
        ]
        self.columns = [
            Column(
                tree,
                self.kind(j, disclose),
                Counter(codes[j] for codes, _ in self.people),
                problem.crowd,
                min_child,
            )
            for j, tree in enumerate(problem.hierarchies)
        ]

    def kind(self, j, disclose):
        if not any(j in columns for columns, _ in self.asked):
            return "level 0"
        if self.problem.given[j]:
            return "tree"
        if self.problem.hierarchies[j].ascending:
            return "intervals"
        return "values" if disclose else "tree"

    def alike(self, columns, j=None, change=None):
        """The classes of the people who look alike, if some codes of column j changed."""
        change, found = change or {}, {}
        for person in self.people:
            shown = tuple(
                change.get(person[0][at], self.columns[at].shown[person[0][at]])
                if at == j
                else self.columns[at].shown[person[0][at]]
                for at in columns
            )
            found.setdefault(shown, []).append(person[1])
        return list(found.values())

    def smallest(self, columns, j=None, change=None):
        """The smallest group of people who look alike."""
        return min(map(len, self.alike(columns, j, change)))

    def keeps_promises(self, j, change):
        """Whether every group holds what is promised of the classes of its people."""
        return all(
            holds(Counter(classes))
            for columns, holds in self.promises
            if j in columns
            for classes in self.alike(columns, j, change)
        )

    def gain(self, j, value, change):
        """The information gain of a change to some of the codes that show a value.

        What is only rounding is none.
        """
        codes = set(self.columns[j].codes_of(value))
        before = [person for person in self.people if person[0][j] in codes]
        parts = {}
        for person in before:
            parts.setdefault(change.get(person[0][j], value), []).append(person[1])
        if len(parts) < 2:
            return 0.0
        after = fsum(len(part) / len(before) * entropy(part) for part in parts.values())
        gain = entropy([person[1] for person in before]) - after
        return gain if gain > EQUAL else 0.0

    def is_beneficial(self, j, value, change, gain):
        """Whether a refinement tells something, or divides people of several classes."""
        codes = self.columns[j].codes_of(value)
        divides = len({change.get(code, value) for code in codes}) > 1
        classes = {person[1] for person in self.people if person[0][j] in codes}
        return divides and (len(classes) > 1 if self.by_classes else gain > 0)

    def candidates(self):
        """Every refinement worth considering: column, value, change, gain."""
        for j, column in enumerate(self.columns):
            shown = set(column.shown.values())
            found = []
            for value, change in column.candidates(
                lambda halves, j=j, shown=shown: max(
                    self.gain(j, value, halves)
                    for value in shown
                    if set(halves) <= set(self.columns[j].codes_of(value))
                )
            ):
                gained = self.gain(j, value, change)
                if self.is_beneficial(j, value, change, gained):
                    found.append((j, value, change, gained))
            if column.kind == "values" and self.by_gain:
                most = []
                for each in found:
                    if not most or each[3] - most[0][3] > EQUAL * most[0][3]:
                        most = [each]
                found = most
            yield from found

    def best(self):
        best = None
        for j, value, change, gain in self.candidates():
            containing = [(columns, k) for columns, k in self.asked if j in columns]
            after = [self.smallest(columns, j, change) for columns, _ in containing]
            if any(left < k for left, (_, k) in zip(after, containing, strict=True)):
                continue
            self.scored += 1
            lost = sum(
                self.smallest(c) - left for left, (c, _) in zip(after, containing, strict=True)
            )
            loss = lost / len(self.asked if self.average == "all" else containing)
            score = gain if self.criterion == "infogain" else gain / (loss + 1)
            better = best is None or score - best[-1] > EQUAL * best[-1]
            if better and self.keeps_promises(j, change):
                best = j, value, change, gain, loss, score
        return best

    def begin_within(self):
        """Let every column with a hierarchy begin at its highest level."""
        for j, column in enumerate(self.columns):
            tree = self.problem.hierarchies[j]
            if column.kind == "tree" and tree.highest < tree.height:
                index = tree.index_at[tree.highest].tolist()
                column.shown = {
                    code: ("node", tree.highest, index[code]) for code in column.present
                }

    def run(self):
        """Return the steps: column, codes of the children, gain, loss, score."""
        self.scored, steps = 0, []
        while (best := self.best()) is not None:
            j, value, change, gain, loss, score = best
            codes = self.columns[j].codes_of(value)
            parts = {}
            for code in codes:
                parts.setdefault(change.get(code, value), []).append(code)
            steps.append((j, sorted(parts.values()), gain, loss, score))
            self.columns[j].shown.update(change)
        return steps
