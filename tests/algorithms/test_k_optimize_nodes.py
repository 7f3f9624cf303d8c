"""K-Optimize where the policy gives a hierarchy: its nodes, and the best of all cuts through it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import Problem
from incrowd.counts import FrequencyTable, Target
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.requirements import KAnonymity
from naive import counting as naive
from naive import cuts as naive_cuts
from naive import subtree as naive_subtree
from strategies import LIMITS, k_anonymities, tables, trees


@st.composite
def some_given(draw, *, carried=0):
    """Problems of which the policy gives some hierarchies, or all."""
    hierarchies = tuple(draw(st.lists(trees(), min_size=1, max_size=2)))
    table = draw(tables(hierarchies, carried=carried))
    asked = draw(k_anonymities(table.columns, table.n_records))
    flags = tuple(draw(st.sampled_from([True, True, False])) for _ in hierarchies)
    target = Target("c", ("a", "b", "c")) if carried else None
    return Problem(
        table, hierarchies, asked, np.ones(len(flags)), given=flags, target=target
    )  # fmt: skip


@settings(max_examples=80)
@given(problem=some_given(), limit=st.sampled_from(LIMITS))
def test_no_cut_through_the_given_hierarchies_costs_less(problem, limit):
    recoding = ic.KOptimize(suppression_limit=limit).solve(problem)
    most = naive.allowed(limit, problem.table.n_records)
    least = naive_cuts.least_cost(problem, most)
    assert recoding.found.facts["cost"] == recoding.found.bound == least
    for j, flag in enumerate(problem.given):
        if flag:
            assert recoding.hierarchies[j] is problem.hierarchies[j]
    if all(problem.given):
        assert recoding.found.optimal is True


@settings(max_examples=40)
@given(problem=some_given(carried=3), limit=st.sampled_from(LIMITS))
def test_no_cut_tells_the_targets_apart_better(problem, limit):
    found = ic.KOptimize(metric="classification", suppression_limit=limit).solve(problem).found
    targets = naive_subtree.carried(problem, "c")
    least = naive_cuts.least_cost(problem, naive.allowed(limit, len(targets)), targets)
    assert found.facts["cost"] == pytest.approx(least / len(targets))


@settings(max_examples=40)
@given(problem=some_given())
def test_the_sets_are_counted(problem):
    assume(problem.is_covered.all())
    found = ic.KOptimize().solve(problem).found
    assert found.nodes == len(list(naive_cuts.all_recodings(problem)))


def test_exact_salaries_do_not_become_bounds():
    draw = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"salary": draw.integers(20_000, 90_000, 3_000), "sex": draw.choice(["f", "m"], 3_000)}
    )
    columns = {"salary": ic.intervals(100, 1_000), "sex": ic.suppression()}
    release = ic.anonymize(frame, quasi_identifiers=columns, k=20, algorithm="k-optimize")
    shown = set(release.table["salary"].astype(str)) - {"*"}
    assert shown
    ends = {int(end) for label in shown for end in label.strip("[)").split(", ")}
    assert {end % 100 for end in ends} == {0}


def test_words_become_nodes_and_never_sets():
    towns = {"north": ["Hamm", "Kiel", "Lehe"], "south": ["Bonn", "Ulm", "Wien"]}
    town = ["Hamm"] * 9 + ["Kiel"] * 2 + ["Lehe"] + ["Bonn"] * 8 + ["Ulm"] * 5 + ["Wien"]
    release = ic.anonymize(
        pd.DataFrame({"town": town}),
        quasi_identifiers={"town": ic.groups(towns)},
        k=3,
        algorithm="k-optimize",
    )
    assert set(release.table["town"]) <= {*town, *towns, "*"}
    assert release.facts["optimal"] is True


def test_a_node_that_divides_no_class_is_opened_for_those_below_it():
    """Countries are told by the first column; to part the towns costs nothing but helps."""
    lands = {"x": {"x1": ["xa", "xb"], "x2": ["xc"]}, "y": {"y1": ["ya", "yb"], "y2": ["yc"]}}
    land = ic.groups({"all": ["x", "y"]})
    town = [name for name in ("xa", "xb", "ya", "yb") for _ in range(4)]
    frame = pd.DataFrame({"land": [name[0] for name in town], "town": town})
    release = ic.anonymize(
        frame, quasi_identifiers={"land": land, "town": ic.groups(lands)}, k=4,
        algorithm="k-optimize",
    )  # fmt: skip
    assert set(release.table["town"]) == {"xa", "xb", "ya", "yb"}


@pytest.mark.parametrize("closed", [True, False])
def test_missing_and_unknown_cells_are_themselves_or_make_the_root(closed):
    tree = hierarchy_from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")])
    tree = tree.extended(missing=True, unknown=True)
    codes = np.array([[0, 1, 2, tree.unknown_code, tree.missing_code]], np.int32)
    records = np.array([1, 4, 4, 4, 1 if closed else 4], np.int64)
    problem = Problem(
        FrequencyTable(("x",), codes, records), (tree,), (KAnonymity(4, on=("x",)),), np.ones(1),
        given=(True,),
    )  # fmt: skip
    recoding = ic.KOptimize(suppression_limit=0).solve(problem)
    assignment = recoding.assign(problem.table)
    shown = [assignment.labels[0][assignment.label_of[of, 0]] for of in assignment.class_of]
    assert shown == (["*"] * 5 if closed else ["ab", "ab", "c", "*", None])
    again = replace(problem, given=(False,))
    assert ic.KOptimize(suppression_limit=0).solve(again).found.nodes == 16


def test_many_words_under_one_root_end_soon():
    words = [f"word {at:04}" for at in range(3_000)]
    frame = pd.DataFrame({"word": words * 2, "other": words[::-1] * 2})
    columns = dict.fromkeys(frame, ic.suppression())
    release = ic.anonymize(frame, quasi_identifiers=columns, k=2, algorithm="k-optimize")
    assert release.facts["optimal"] is True
    assert release.facts["classes"] == 3_000
