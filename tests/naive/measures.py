"""Slow, obvious twins of the measures of classes: one person, one pair, one cell at a time."""

import math
from collections import Counter, defaultdict
from itertools import product

from incrowd.recoding import is_line

# ---- quasi-identifiers -------------------------------------------------------------------------


def people_of(outcome):
    """Return everybody's codes and class; a class of -1 is suppressed."""
    assignment, codes = outcome.assignment, outcome.table.codes
    parts = zip(
        assignment.tuple_of.tolist(),
        assignment.class_of.tolist(),
        assignment.records.tolist(),
        strict=True,
    )
    return [
        (tuple(int(column[at]) for column in codes), own)
        for at, own, records in parts
        for _ in range(records)
    ]


def q_diversity(tree, codes, *, given, labels):
    """Return the Q-diversity of some leaf codes, missing and unknown ones among them."""
    leaves, distinct = tree.n_leaves, set(codes)
    unknown = tree.has_unknown and tree.unknown_code in distinct
    if labels != "set" and is_line(tree) and (labels != "node" or not given):
        numbers = [float(leaf) for leaf in tree.leaves]
        if unknown or (len(distinct) > 1 and max(distinct) >= leaves):
            return 1.0
        if max(distinct) >= leaves or numbers[0] == numbers[-1]:
            return 0.0
        own = [numbers[code] for code in codes]
        return (max(own) - min(own)) / (numbers[-1] - numbers[0])
    if labels == "set" or not given:
        return len(distinct) / max(leaves, 1)
    if unknown:
        return 1.0
    for level in range(len(tree.levels) - 1):
        nodes = {
            int(tree.levels[level].node_of[code]) if code < leaves else "missing"
            for code in distinct
        }
        if len(nodes) == 1:
            (node,) = nodes
            under = sum(each == node for each in tree.levels[level].node_of.tolist())
            return max(under, 1) / max(leaves, 1)
    return max(leaves, 1) / max(leaves, 1)


def utility(outcome):
    given = outcome.given or (True,) * len(outcome.hierarchies)
    classes = defaultdict(list)
    for codes, own in people_of(outcome):
        if own >= 0:
            classes[own].append(codes)
    if not classes:
        return None
    weights = outcome.weights.tolist()
    total = 0.0
    for members in classes.values():
        for j, tree in enumerate(outcome.hierarchies):
            column = [codes[j] for codes in members]
            diversity = q_diversity(tree, column, given=given[j], labels=outcome.labels)
            total += weights[j] * len(weights) / sum(weights) * diversity
    return total / len(classes)


def kl_divergence(outcome):
    """Return the divergence in bits, cell by cell of the whole space."""
    assignment, people = outcome.assignment, people_of(outcome)
    n, spans = len(people), [range(tree.n_codes) for tree in outcome.hierarchies]
    suppressed = sum(own < 0 for _, own in people)
    estimate = dict.fromkeys(product(*spans), 0.0)
    for cell in estimate:
        estimate[cell] += suppressed / n / len(estimate)
    sizes = Counter(own for _, own in people)
    for at in range(assignment.n_classes):
        low, high = assignment.low[at].tolist(), assignment.high[at].tolist()
        region = list(product(*(range(a, b) for a, b in zip(low, high, strict=True))))
        for cell in region:
            estimate[cell] += sizes[at] / n / len(region)
    assert math.isclose(sum(estimate.values()), 1.0)
    original = Counter(codes for codes, _ in people)
    return sum(
        count / n * math.log2(count / n / estimate[cell]) for cell, count in original.items()
    )


# ---- sensitive values --------------------------------------------------------------------------


def contribution(column, first, second):
    """Return how much a value helps to guess another, by definition."""
    present = [text for text in column.texts if text is not None]
    if first == second:
        return 1.0
    if column.hierarchy is not None:
        return 1 - (_common_leaves(column.hierarchy, first, second) - 1) / len(
            column.hierarchy.leaves
        )
    try:
        numbers = [float(text) for text in present]
    except ValueError:
        return 1 - 1 / len(present)
    if not numbers:
        return 1 - 1 / max(len(present), 1)
    if first is None or second is None:
        return 0.0
    spread = max(numbers) - min(numbers)
    return 1 - abs(float(first) - float(second)) / spread if spread else 1.0


def _common_leaves(tree, first, second):
    if first in tree.leaves and second in tree.leaves:
        a, b = tree.leaves.index(first), tree.leaves.index(second)
        for level in tree.levels:
            if level.node_of[a] == level.node_of[b]:
                return sum(node == level.node_of[a] for node in level.node_of.tolist())
    return len(tree.leaves)


def s_diversity(column, values, estimation_range):
    total = 0.0
    for first in values:
        for second in values:
            worth = contribution(column, first, second)
            if worth >= 1 - estimation_range - 1e-12 or first == second:
                total += worth
    return total / len(values) ** 2


# ---- queries -----------------------------------------------------------------------------------


def places_of(tree):
    """Return where the leaves lie, and whether all lie at whole numbers."""
    if not is_line(tree):
        return list(range(tree.n_leaves)), True
    places = [float(leaf) for leaf in tree.leaves]
    return places, all(place == int(place) for place in places)


def true_answer(outcome, columns, ranges):
    """Return how many people lie in all the ranges."""
    found = 0
    for codes, _ in people_of(outcome):
        inside = True
        for j, (low, high) in zip(columns, ranges, strict=True):
            places, _ = places_of(outcome.hierarchies[j])
            inside &= codes[j] < len(places) and low <= places[codes[j]] <= high
        found += inside
    return found


def estimated_answer(outcome, columns, ranges):
    """Return how many people a reader of the release expects, class by class."""
    assignment = outcome.assignment
    sizes = Counter(own for _, own in people_of(outcome))
    total = 0.0
    for own, size in sizes.items():
        share = 1.0
        for j, asked in zip(columns, ranges, strict=True):
            tree = outcome.hierarchies[j]
            whole_domain = (0, tree.n_codes)
            span = whole_domain if own < 0 else (assignment.low[own, j], assignment.high[own, j])
            share *= _share(tree, span, asked)
        total += size * share
    return total


def _share(tree, span, asked):
    places, whole = places_of(tree)
    covered = [places[code] for code in range(*map(int, span)) if code < len(places)]
    low, high = asked
    if not covered:
        return 0.0
    if whole:
        cells = range(int(covered[0]), int(covered[-1]) + 1)
        return sum(low <= cell <= high for cell in cells) / len(cells)
    if covered[0] == covered[-1]:
        return float(low <= covered[0] <= high)
    common = min(high, covered[-1]) - max(low, covered[0])
    return max(common, 0.0) / (covered[-1] - covered[0])
