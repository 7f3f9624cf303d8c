"""mu-Argus, person by person."""

from collections import defaultdict
from itertools import combinations

from incrowd.requirements import LDiversity
from naive import counting as naive


class MuArgus:
    """What the published method does: levels, hidden cells, and who is left unprotected."""

    def __init__(self, problem, ratings, largest, recode_above):
        self.problem, self.trees = problem, problem.hierarchies
        records = problem.table.records.tolist()
        self.people = naive.expand(problem.table.codes.T.tolist(), records)
        self.ill = naive.expand(problem.table.carried.get("c", [None] * len(records)), records)
        self.tested = list(self._tested(ratings, largest))
        self.levels = [0] * len(self.trees)
        self.hidden = [set() for _ in self.people]
        self.recoded = []
        while self._unsafe_people() > recode_above * len(self.people) + 1e-9:
            self._recode()
        self._hide()

    def _tested(self, ratings, largest):
        names = self.problem.columns
        for size in range(1, largest + 1):
            for columns in combinations(range(len(names)), size):
                first, *others = sorted(ratings[j] for j in columns)
                rated = first == 1 and (not others or others[0] <= 2)
                asked = [
                    each
                    for each in self.problem.requirements
                    if {names[j] for j in columns} <= set(each.on)
                ]
                if rated and asked:
                    yield columns, asked

    def shows(self, person, j):
        """Return what a cell shows; None for the root."""
        if j in self.hidden[person]:
            return None
        value = naive.release_cell(self.trees[j], self.people[person][j], self.levels[j]).value
        return None if value in (naive.TOP, naive.UNKNOWN) else value

    def unsafe(self):
        """Return by person the combinations that are unsafe."""
        found = [[] for _ in self.people]
        for columns, asked in self.tested:
            for key, people in self._alike(columns).items():
                if None not in key and any(self._broken(each, people) for each in asked):
                    for at in people:
                        found[at].append(columns)
        return found

    def _alike(self, columns):
        """Return by what they show who shows it."""
        found = defaultdict(list)
        for at in range(len(self.people)):
            found[tuple(self.shows(at, j) for j in columns)].append(at)
        return found

    def _broken(self, asked, people):
        if isinstance(asked, LDiversity):
            return len({self.ill[at] for at in people}) < asked.l
        return len(people) < asked.k

    def _unsafe_people(self):
        return sum(bool(each) for each in self.unsafe())

    def _recode(self):
        unsafe = self.unsafe()
        marks = [
            sum(j in columns for each in unsafe for columns in each) for j in range(len(self.trees))
        ]
        below = [j for j, tree in enumerate(self.trees) if self.levels[j] < tree.height]
        j = max(below, key=lambda column: (marks[column], -column))
        self.levels[j] += 1
        self.recoded.append([self.problem.columns[j], self.levels[j]])

    def _hide(self):
        while self._unsafe_people():
            for hidden, unsafe in zip(self.hidden, self.unsafe(), strict=True):
                if unsafe:
                    marks = [sum(j in each for each in unsafe) for j in range(len(self.trees))]
                    hidden.add(marks.index(max(marks)))

    def unprotected(self):
        """Return the people in a class that breaks some requirement."""
        found = set()
        for each in self.problem.requirements:
            on = [self.problem.columns.index(name) for name in each.on]
            for people in self._alike(on).values():
                found |= set(people) if self._broken(each, people) else set()
        return found
