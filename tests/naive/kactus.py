"""kACTUS, one node at a time: the tree, and the way up again."""

from dataclasses import dataclass, field
from math import log2

TINY = 1e-9


@dataclass(eq=False)
class Node:
    number: int
    depth: int
    tuples: list
    spans: list
    parent: "Node | None" = None
    children: list = field(default_factory=list)
    leaf: bool = True
    lends: bool = False
    label: "Node | None" = None

    def regions(self):
        if self.leaf:
            return [self]
        return [region for child in self.children for region in child.regions()]


class Kactus:
    """The nodes are numbered level by level, those that borrowing makes after all others."""

    def __init__(self, problem, classes, k, *, borrow):
        self.trees, self.k, self.borrow = problem.hierarchies, k, borrow
        self.rows = [tuple(row) for row in problem.table.codes.T.tolist()]
        self.records = problem.table.records.tolist()
        self.classes = list(classes)
        self.nodes = []
        self.root = self._node(None, range(len(self.rows)), [(0, t.n_codes) for t in self.trees])
        waiting = [self.root]
        while waiting:
            node = waiting.pop(0)
            self._grow(node)
            waiting += node.children
        grown = list(self.nodes)
        for node in grown:
            node.lends = node.leaf and self.size(node) >= k
        for depth in range(max(node.depth for node in grown), -1, -1):
            for node in grown:
                if node.depth == depth and node.children:
                    self._comply(node)

    def _node(self, parent, tuples, spans):
        depth = 0 if parent is None else parent.depth + 1
        node = Node(len(self.nodes), depth, list(tuples), list(spans), parent)
        node.label = node
        self.nodes.append(node)
        return node

    def size(self, node):
        return sum(self.records[at] for at in node.tuples)

    # ---- down ----

    def entropy(self, tuples, key):
        counts = {}
        for at in tuples:
            counts[key(at)] = counts.get(key(at), 0) + self.records[at]
        total = sum(counts.values())
        return -sum(n / total * log2(n / total) for n in counts.values())

    def _gain(self, node, outcome):
        total = self.size(node)
        after = 0.0
        for each in {outcome(at) for at in node.tuples}:
            some = [at for at in node.tuples if outcome(at) == each]
            share = sum(self.records[at] for at in some) / total
            after += share * self.entropy(some, self.classes.__getitem__)
        return self.entropy(node.tuples, self.classes.__getitem__) - after

    def _value_test(self, node, j):
        sizes = {}
        for at in node.tuples:
            sizes[self.rows[at][j]] = sizes.get(self.rows[at][j], 0) + self.records[at]
        if sum(size >= 2 for size in sizes.values()) < 2:
            return None
        return self._gain(node, lambda at: self.rows[at][j]), None

    def _threshold_test(self, node, j):
        total = self.size(node)
        enough = min(25, max(2, total / (10 * len(set(self.classes)))))
        found = []
        for cut in sorted({self.rows[at][j] for at in node.tuples})[1:]:
            below = sum(self.records[at] for at in node.tuples if self.rows[at][j] < cut)
            if min(below, total - below) >= enough:
                found.append((self._gain(node, lambda at, c=cut: self.rows[at][j] >= c), cut))
        if not found:
            return None
        best = max(gain for gain, _ in found)
        gain, cut = next(each for each in found if each[0] > best - TINY)
        return gain - log2(len(found)) / total, cut

    def _grow(self, node):
        if self.size(node) < self.k or len({self.classes[at] for at in node.tuples}) < 2:
            return
        tests = {}
        for j, tree in enumerate(self.trees):
            test = (self._threshold_test if tree.ascending else self._value_test)(node, j)
            if test is not None and test[0] > TINY:
                tests[j] = test
        if not tests:
            return
        average = sum(gain for gain, _ in tests.values()) / len(tests)
        allowed = {j: test for j, test in tests.items() if test[0] > average - TINY}
        ratios = {}
        for j, (gain, cut) in allowed.items():
            ratios[j] = gain / self.entropy(node.tuples, self._outcome(j, cut))
        best = max(ratios.values())
        j = next(each for each, ratio in ratios.items() if ratio > best - TINY)
        self._split(node, j, allowed[j][1])

    def _outcome(self, j, cut):
        return lambda at: self.rows[at][j] if cut is None else int(self.rows[at][j] >= cut)

    def _split(self, node, j, cut):
        outcome = self._outcome(j, cut)
        node.leaf = False
        for each in sorted({outcome(at) for at in node.tuples}):
            low, high = node.spans[j]
            span = (each, each + 1) if cut is None else (cut, high) if each else (low, cut)
            spans = [*node.spans[:j], span, *node.spans[j + 1 :]]
            some = [at for at in node.tuples if outcome(at) == each]
            node.children.append(self._node(node, some, spans))

    # ---- up ----

    def _comply(self, node):
        small = [child for child in node.children if self.size(child) < self.k]
        large = [child for child in node.children if self.size(child) >= self.k]
        rest = sum(map(self.size, small))
        if not small:
            return
        if rest >= self.k and not large:
            self._make_leaf(node)
            return
        if rest < self.k and not self.borrow:
            self._make_leaf(node)
            return
        if rest < self.k and not self._lend(node, self.k - rest):
            if len(large) == 1:
                self._make_leaf(node)
                return
            joining = min(large, key=lambda child: (self.size(child), child.number))
            self._make_leaf(joining)
            joining.lends = False
            joining.label = node
        for child in small:
            child.label = node

    def _make_leaf(self, node):
        for region in node.regions():
            region.lends = False
        node.leaf, node.lends, node.label = True, True, node

    def _lend(self, node, missing):
        able = [
            region
            for region in node.regions()
            if region.lends and self.size(region) >= self.k + missing
        ]
        if not able:
            return False
        lender = min(able, key=lambda region: (-self.size(region), region.number))
        total, cuts = self.size(lender), []
        for j in range(len(self.trees)):
            for cut in sorted({self.rows[at][j] for at in lender.tuples})[1:]:
                below = sum(self.records[at] for at in lender.tuples if self.rows[at][j] < cut)
                for upper, lent in ((0, below), (1, total - below)):
                    if missing <= lent <= total - self.k:
                        cuts.append((lent, j, upper, cut))
        if not cuts:
            return False
        _, j, upper, cut = min(cuts)
        lender.leaf, lender.lends, lender.children = False, False, []
        for side in (0, 1):
            some = [at for at in lender.tuples if (self.rows[at][j] >= cut) == bool(side)]
            region = self._node(lender, some, lender.spans)
            region.label = node if side == upper else lender.label
            region.lends = side != upper
            lender.children.append(region)
        return True

    # ---- what comes out ----

    def spans(self):
        """Return by tuple the codes that its class may have in each column."""
        labels = {at: region.label for region in self.root.regions() for at in region.tuples}
        found = []
        for at in range(len(self.rows)):
            label = labels[at]
            members = [other for other in labels if labels[other] is label]
            found.append(
                [
                    self._without_missing(tree, span, [self.rows[m][j] for m in members])
                    for j, (tree, span) in enumerate(zip(self.trees, label.spans, strict=True))
                ]
            )
        return found

    @staticmethod
    def _without_missing(tree, span, codes):
        low, high = span
        return (low, tree.n_leaves) if low and high > tree.n_leaves > max(codes) else (low, high)
