"""What classes are released as, worked out one class at a time; and whether a label is true."""

import csv
import math
from decimal import Decimal, InvalidOperation
from itertools import pairwise

from naive import counting as naive


def release_class(tree, codes, labels):
    """Return the cell that the records of a class with these leaf codes share."""
    codes, n_leaves = set(codes), tree.n_leaves
    grid = finest_intervals(tree)
    if (
        labels == "node"
        or (labels != "set" and not rising(tree))
        or (labels == "grid" and not grid)
    ):
        return lowest_node(tree, codes)
    missing = n_leaves if tree.has_missing else None
    unknown = n_leaves + tree.has_missing if tree.has_unknown else None
    if unknown in codes or (missing in codes and len(codes) > 1):
        root = tree.levels[-1].labels[0]
        return naive.Cell(naive.TOP, frozenset(range(n_leaves)), 0, root)
    if codes == {missing}:
        return naive.Cell(naive.MISSING, frozenset([naive.MISSING]), 0, None)
    texts = [tree.leaves[code] for code in sorted(codes)]
    if len(codes) == 1:
        return naive.Cell(texts[0], frozenset(codes), 0, texts[0])
    if labels == "set":
        label = "{" + ", ".join(map(quoted, texts)) + "}"
        return naive.Cell(label, frozenset(codes), 1, label)
    if labels == "range":
        label = f"[{texts[0]}, {texts[-1]}]"
        return naive.Cell(label, frozenset(range(min(codes), max(codes) + 1)), 1, label)
    return on_grid(tree, codes, grid)


def lowest_node(tree, codes):
    for level in range(len(tree.levels)):
        cells = {naive.release_cell(tree, code, level) for code in codes}
        if len({cell.value for cell in cells}) == 1:
            cell = max(cells, key=lambda cell: cell.steps)
            return cell
    raise AssertionError("the root covers everything")


def finest_intervals(tree):
    found = [level.bounds.tolist() for level in tree.levels[1:-1] if level.bounds is not None]
    return found[0] if found else None


def on_grid(tree, codes, grid):
    """Return the union of the intervals from the lowest to the highest that is hit."""
    numbers = [float(leaf) for leaf in tree.leaves]
    hit = [ends for ends in grid if any(ends[0] <= numbers[code] < ends[1] for code in codes)]
    start, end = min(low for low, _ in hit), max(high for _, high in hit)
    leaves = frozenset(at for at, number in enumerate(numbers) if start <= number < end)
    if math.isinf(start) and math.isinf(end):
        root = tree.levels[-1].labels[0]
        return naive.Cell((start, end), leaves, 1, root)
    if math.isinf(start):
        label = f"< {plain(end)}"
    else:
        label = f">= {plain(start)}" if math.isinf(end) else f"[{plain(start)}, {plain(end)})"
    return naive.Cell(label, leaves, 1, label)


def plain(number):
    return format(Decimal(repr(number)).normalize() + 0, "f")


def rising(tree):
    try:
        numbers = [Decimal(leaf) for leaf in tree.leaves]
    except InvalidOperation:
        return False
    return bool(numbers) and all(low < high for low, high in pairwise(numbers))


def quoted(text):
    if text and text == text.strip() and not set(text) & set(',{}"'):
        return text
    return '"' + text.replace('"', '""') + '"'


# ---- reading labels ----------------------------------------------------------------------------


def true_of(tree, code, label):
    """Whether a released label may stand for a leaf code, from the text alone."""
    nodes = {naive.release_cell(tree, code, level).label for level in range(tree.height + 1)}
    if any(same(label, node) for node in nodes):
        return True
    if label is None or code >= tree.n_leaves:
        return False
    leaf = tree.leaves[code]
    if label.startswith("{"):
        return leaf in members(label)
    try:
        number = Decimal(leaf)
    except InvalidOperation:
        return False
    return in_interval(number, label)


def in_interval(number, label):
    if label.startswith("< "):
        return number < Decimal(label[2:])
    if label.startswith(">= "):
        return number >= Decimal(label[3:])
    if not label.startswith("["):
        return False
    low, high = label[1:-1].split(", ")
    below = number <= Decimal(high) if label[-1] == "]" else number < Decimal(high)
    return Decimal(low) <= number and below


def members(label):
    (row,) = csv.reader([label[1:-1]], skipinitialspace=True)
    return row


def same(released, label):
    """Whether a cell is a label; 7 and 7.0 are one leaf."""
    if released is None or label is None or released == label:
        return released == label
    try:
        return Decimal(released) == Decimal(label)
    except InvalidOperation:
        return False


# ---- what it costs -----------------------------------------------------------------------------


def outcome(problem, people, cells):
    """Return a release for the metrics of `naive`: everybody's codes, and everybody's cells."""
    k = min(each.minimum_size for each in problem.requirements)
    return naive.Outcome(problem.hierarchies, people, cells, set(), problem.weights.tolist(), k)


def ncp(outcome, labels):
    """The normalised certainty penalty; of a set it is the share of the values that are in it."""
    if labels != "set":
        return naive.ncp(outcome)

    def cost(tree, cell, j, person):
        single = len(cell.leaves) <= 1 or naive.MISSING in cell.leaves
        return 0.0 if single else len(cell.leaves) / tree.n_leaves

    totals = naive.column_cost(outcome, cost, lambda tree, j, person: 1.0)
    return sum(w * each for w, each in zip(outcome.weights, totals, strict=True)) / (
        outcome.n * sum(outcome.weights)
    )
