"""Metrics of releases by classes, for each way of writing them, against a loop over people."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.algorithms import Problem
from incrowd.counts import FrequencyTable, Parts
from incrowd.hierarchies import Hierarchy, Level, hierarchy_from_rows, intervals
from incrowd.metrics import METRICS, Outcome, measure
from incrowd.metrics.utility.columns import span_costs
from incrowd.recoding import Found, LocalRecoding
from incrowd.requirements import KAnonymity
from naive import counting as naive
from naive import labels as naive_labels
from strategies import parts_of, problems

LABELS = ["node", "grid", "range", "set"]


def released(problem, parts, labels):
    """Return what the library and the twin make of some classes."""
    recoding = LocalRecoding.of_table(
        problem.table, problem.hierarchies, parts, labels, Found("test")
    )
    outcome = Outcome(
        problem.table,
        problem.hierarchies,
        recoding.assign(problem.table),
        problem.weights,
        problem.smallest_k,
    )
    rows = problem.table.codes.T.tolist()
    of_part = list(zip(parts.tuple_of.tolist(), parts.class_of.tolist(), strict=True))
    held = {}
    for at, number in of_part:
        held.setdefault(number, []).append(rows[at])
    cells = {
        number: [
            naive_labels.release_class(tree, [row[j] for row in inside], labels)
            for j, tree in enumerate(problem.hierarchies)
        ]
        for number, inside in held.items()
    }
    people = naive.expand(of_part, parts.records.tolist())
    twin = naive_labels.outcome(
        problem,
        [tuple(rows[at]) for at, _ in people],
        [own_cells(problem, rows[at], cells[number]) for at, number in people],
    )
    return outcome, twin


def own_cells(problem, row, cells):
    """Return the cells of one person: under a node each leaf has steps of its own."""
    return [
        naive.Cell(cell.label, cell.leaves, steps_of(tree, code, cell), cell.label)
        for tree, code, cell in zip(problem.hierarchies, row, cells, strict=True)
    ]


def steps_of(tree, code, cell):
    if code == tree.unknown_code:
        return 1
    return int(not any(naive_labels.same(cell.label, own) for own in own_labels(tree, code)))


def own_labels(tree, code):
    return [None if code == tree.missing_code else tree.leaves[code]]


def entropy(twin):
    """As `naive.entropy`, but what a cell may be is in its leaves, whatever its label."""
    everyone = [[person[j] for person in twin.people] for j in range(len(twin.trees))]

    def cost(tree, cell, j, person):
        whole = cell.label == tree.root_label and len(cell.leaves) == tree.n_leaves
        missing = naive.MISSING in cell.leaves
        inside = {tree.n_leaves} if missing else set(cell.leaves)
        possible = [code for code in everyone[j] if whole or code in inside]
        own = everyone[j].count(twin.people[person][j])
        return -np.log2(own / len(possible))

    totals = naive.column_cost(twin, cost, None)
    return sum(w * each for w, each in zip(twin.weights, totals, strict=True))


def has_grid(tree):
    """Whether there are intervals between the leaves and the root; nodes are written without."""
    return any(level.bounds is not None for level in tree.levels[1:-1])


def read_alike(problem):
    """Whether one text stands for different leaves in some column.

    The root stands for unknown values too, which no other node does.
    """
    for tree in problem.hierarchies:
        meanings = {}
        below = {label for level in tree.levels[:-1] for label in level.labels}
        if tree.n_codes > tree.n_leaves and tree.root_label in below:
            return True
        for level, each in enumerate(tree.levels):
            for code, node in enumerate(each.node_of.tolist()):
                leaves = naive.leaves_under(tree, code, level)
                if meanings.setdefault(each.labels[node], leaves) != leaves:
                    return True
    return False


@settings(max_examples=150)
@given(problem=problems(), data=st.data(), labels=st.sampled_from(LABELS))
def test_metrics_of_classes(problem, data, labels):
    parts = data.draw(parts_of(problem.table))
    outcome, twin = released(problem, parts, labels)
    assert METRICS["discernibility"].function(outcome) == naive.discernibility(twin)
    expected = naive.average_class_size(twin)
    assert METRICS["average_class_size"].function(outcome) == pytest.approx(expected)
    if read_alike(problem):
        return  # one text stands for several nodes, and a class for the widest of them
    for name in ("loss", "loss_geometric", "iloss", "iloss_mean"):
        value = METRICS[name].function(outcome)
        assert value == pytest.approx(getattr(naive, name)(twin), abs=1e-9), name
    assert METRICS["ncp"].function(outcome) == pytest.approx(
        naive_labels.ncp(twin, labels), abs=1e-9
    )
    assert METRICS["entropy"].function(outcome) == pytest.approx(entropy(twin), abs=1e-9)
    assert METRICS["generalised_cells"].function(outcome) == naive.generalised_cells(twin)
    if labels != "node":
        lines = [
            naive_labels.rising(tree) and (labels != "grid" or has_grid(tree))
            for tree in problem.hierarchies
        ]
        assert (METRICS["precision"].function(outcome) is None) == (labels == "set" or any(lines))


def people_of(tree, classes):
    """Return a problem and parts: one person per code, class by class."""
    codes = [code for inside in classes for code in inside]
    table = FrequencyTable(("x",), np.array([codes], np.int32), np.ones(len(codes), np.int64))
    problem = Problem(table, (tree,), (KAnonymity(1, on=("x",)),), np.ones(1))
    of_class = np.array([at for at, inside in enumerate(classes) for _ in inside], np.int32)
    return problem, Parts.whole(of_class, table.records)


def test_the_same_classes_written_in_four_ways():
    """Ages 17, 18, 22, 31 in one class and 32, 34 in another, of 17, 18, 19, 22, 31 ... 34."""
    texts = ["17", "18", "19", "22", "31", "32", "33", "34"]
    tree = intervals(5, 10).build(texts, column="age")
    problem, parts = people_of(tree, [[0, 1, 3, 4], [5, 7]])
    found = {labels: measure(released(problem, parts, labels)[0]) for labels in LABELS}
    # [15, 35) holds all eight leaves and [30, 35) four; [17, 31] holds five and [32, 34] three
    assert found["node"]["loss"] == pytest.approx((4 * 7 + 2 * 3) / 7 / 6)
    assert found["grid"]["loss"] == pytest.approx((4 * 7 + 2 * 3) / 7 / 6)
    assert found["range"]["loss"] == pytest.approx((4 * 4 + 2 * 2) / 7 / 6)
    assert found["set"]["loss"] == pytest.approx((4 * 3 + 2 * 1) / 7 / 6)
    assert found["range"]["ncp"] == pytest.approx((4 * 14 + 2 * 2) / 17 / 6)
    assert found["set"]["ncp"] == pytest.approx((4 * 4 + 2 * 2) / 8 / 6)
    assert found["set"]["entropy"] == pytest.approx(4 * 2 + 2 * 1)
    assert found["range"]["entropy"] == pytest.approx(4 * 2 + 2 * 1)
    assert [labels for labels in LABELS if "precision" in found[labels]] == ["node"]


def test_a_set_with_gaps_counts_its_members_only():
    tree = hierarchy_from_rows([(text, "*") for text in "abcdefgh"])
    problem, parts = people_of(tree, [[0, 7], [3, 4]])
    found = measure(released(problem, parts, "set")[0])
    assert found["loss"] == pytest.approx(1 / 7)
    assert found["entropy"] == pytest.approx(4.0)


@pytest.mark.parametrize("ends", [("1", "1e999"), ("-1.7e308", "1.7e308"), ("1e998", "1e999")])
def test_numbers_without_a_finite_spread_cost_as_values(ends):
    order = np.arange(2, dtype=np.int32)
    tree = Hierarchy((Level(order, ends), Level(order * 0, ("*",))))
    low, high = np.array([0, 0, 1], np.int32), np.array([1, 2, 2], np.int32)
    assert span_costs(tree, low, high).tolist() == [0.0, 1.0, 0.0]
