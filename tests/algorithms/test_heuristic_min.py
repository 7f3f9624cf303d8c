"""heuristic-min against the loop as published, and against all tables that its steps reach."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import incrowd as ic
from diversity import DistinctDiversity, EntropyDiversity
from incrowd.algorithms import HeuristicMin, Problem
from incrowd.algorithms.subtree.family.cut_tree import CutTree
from incrowd.algorithms.subtree.heuristic_min.all_cuts import cuts_of
from incrowd.counts import FrequencyTable
from incrowd.errors import IncrowdError, ParameterError, UnsatisfiableError
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.requirements import KAnonymity, Monotone
from naive import subtree as naive
from strategies import problems, tables, trees


def check_cuts(problem, recoding, state):
    for tree, cut, expected in zip(problem.hierarchies, recoding.cuts, state, strict=True):
        assert cut.tolist() == naive.levels(tree, expected)


@settings(max_examples=60)
@given(problem=problems())
def test_the_tables_made_are_those_of_the_published_loop(problem):
    recoding = HeuristicMin().solve(problem)
    state, log = naive.heuristic_min(problem)
    assert recoding.found.facts["trace"] == log
    check_cuts(problem, recoding, state)
    assert recoding.found.checked == sum(not each["duplicate"] for each in log)
    assert recoding.found.facts["rows_before"] == naive.figures(problem, naive.original(problem))[1]
    assert recoding.assign(problem.table).n_suppressed == 0


@settings(max_examples=40)
@given(problem=problems(max_columns=2))
def test_no_reachable_table_that_satisfies_has_more_rows(problem):
    found = HeuristicMin().solve(problem).found
    known = naive.reachable(problem)
    most = max(rows for violating, rows in known.values() if not violating)
    assert found.facts["rows"] == most
    assert found.facts["exhausted"] is True
    assert found.checked < len(known) <= found.nodes
    cuts = [
        naive.all_cuts(tree) if covered else [cut]
        for tree, covered, cut in zip(
            problem.hierarchies, problem.is_covered, naive.original(problem), strict=True
        )
    ]
    assert found.nodes == np.prod([len(each) for each in cuts])
    best = max(
        rows
        for state in product(*cuts)
        for broken, rows in [naive.figures(problem, state)]
        if not broken
    )
    assert found.bound == best  # so few cuts are enumerated
    assert found.optimal is (found.facts["rows"] == best)


@st.composite
def pairs_of_groups(draw):
    """Two columns with groups of two: small, and with cuts that no step leads to."""
    tree = hierarchy_from_rows([(f"{a}{b}", a, "*") for a in "pqr" for b in "12"])
    cells = st.tuples(st.integers(0, 5), st.integers(0, 5))
    tuples = draw(st.lists(cells, min_size=2, max_size=9, unique=True))
    counts = draw(st.lists(st.integers(1, 2), min_size=len(tuples), max_size=len(tuples)))
    codes = np.ascontiguousarray(np.array(tuples, np.int32).T)
    table = FrequencyTable(("a", "b"), codes, np.array(counts, np.int64))
    return Problem(table, (tree, tree), (KAnonymity(2, on=("a", "b")),), np.ones(2))


@settings(max_examples=60)
@given(problem=pairs_of_groups())
def test_optimal_is_said_of_the_best_of_all_cuts_only(problem):
    cuts = [naive.all_cuts(tree) for tree in problem.hierarchies]
    rows = [
        row
        for state in product(*cuts)
        for broken, row in [naive.figures(problem, state)]
        if not broken
    ]
    found = HeuristicMin().solve(problem).found
    assert found.bound == max(rows)
    assert found.optimal is (found.facts["rows"] == max(rows))


def test_a_better_cut_that_no_step_leads_to_is_told():
    """Steps take b1 and b2 together with their group, for both violate in some row; 7 rows."""
    first = ic.groups({"ga": ["a1", "a2"], "gb": ["b1", "b2"], "gc": ["c1", "c2"]})
    second = ic.groups({"gx": ["x1", "x2"], "gy": ["y1", "y2"], "gz": ["z1", "z2"]})
    rows = ["a1 x1", "a2 x1", "b1 y1", "b1 y2"]
    rows += ["b1 z1", "b2 z1", "c1 x1", "c1 x2", "c2 z2"] * 2
    frame = pd.DataFrame([row.split() for row in rows], columns=["first", "second"])
    release = ic.anonymize(
        frame, quasi_identifiers={"first": first, "second": second}, k=2, algorithm="heuristic-min"
    )
    found = release.recoding.found
    assert (found.facts["rows"], found.bound, found.optimal) == (6, 7, False)
    assert any("up to 7" in note for note in release.notes)
    assert found.facts["exhausted"] is True


def test_nothing_is_called_optimal_where_there_are_too_many_cuts():
    random = np.random.default_rng(1)
    frame = pd.DataFrame({f"x{j}": random.integers(0, 8, 60) for j in range(4)})
    columns = {name: ic.intervals(2, 4) for name in frame.columns}
    release = ic.anonymize(frame, quasi_identifiers=columns, k=3, algorithm="heuristic-min")
    found = release.recoding.found
    assert found.nodes > 100_000
    assert (found.optimal, found.bound) == (False, found.facts["rows_before"])


@settings(max_examples=40)
@given(tree=trees())
def test_all_cuts_of_a_tree_are_enumerated(tree):
    nodes = CutTree.of(tree)
    found = [
        tuple((int(nodes.low[at]), int(nodes.high[at]), nodes.labels[at]) for at in cut.tolist())
        for cut in cuts_of(nodes)
    ]
    assert len(found) == nodes.n_cuts
    assert set(found) == set(naive.all_cuts(tree))


@settings(max_examples=40)
@given(problem=problems(), states=st.integers(1, 5))
def test_a_capped_search_still_satisfies(problem, states):
    whole = HeuristicMin().solve(problem).found
    recoding = HeuristicMin(max_states=states).solve(problem)
    found = recoding.found
    assert recoding.assign(problem.table).n_suppressed == 0
    assert found.facts["rows"] <= whole.facts["rows"] <= found.bound
    if whole.checked <= states:
        assert found == whole
    elif whole.checked > states:
        assert found.optimal is False


@st.composite
def diverse_problems(draw):
    hierarchies = tuple(draw(st.lists(trees(max_height=2), min_size=1, max_size=3)))
    table = draw(tables(hierarchies, carried=3, max_tuples=12))
    on = tuple(draw(st.lists(st.sampled_from(table.columns), min_size=1, unique=True)))
    kind = draw(st.sampled_from([DistinctDiversity, EntropyDiversity]))
    asked = [kind(draw(st.integers(2, 3)), on=on), KAnonymity(2, on=table.columns)]
    problem = Problem(table, hierarchies, tuple(asked), np.ones(len(hierarchies)))
    try:
        problem.check_reachable()
    except IncrowdError:
        assume(False)
    return problem


@settings(max_examples=40)
@given(problem=diverse_problems())
def test_requirements_of_others_are_asked(problem):
    recoding = HeuristicMin().solve(problem)
    state, log = naive.heuristic_min(problem)
    assert recoding.found.facts["trace"] == log
    check_cuts(problem, recoding, state)
    assert recoding.assign(problem.table).n_suppressed == 0


def test_columns_that_no_requirement_covers_are_counted_and_left_alone():
    # Without sex 3 rows are left, without town 4: a column outside the requirement decides.
    frame = pd.DataFrame(
        {"sex": list("fmfm"), "town": list("aabb"), "pet": ["cat", "cat", "dog", "cow"]}
    )
    release = ic.anonymize(
        frame,
        quasi_identifiers=["sex", "town", "pet"],
        requirements=[ic.KAnonymity(2, on=["sex", "town"])],
        algorithm="heuristic-min",
    )
    assert release.recoding.levels == (0, 1, 0)
    assert release.recoding.found.facts["rows"] == 4
    assert release.recoding.found.nodes == 4


def test_a_table_that_satisfies_stays_as_it_is():
    frame = pd.DataFrame({"sex": ["f", "f", "m", "m"]})
    release = ic.anonymize(frame, quasi_identifiers=["sex"], k=2, algorithm="heuristic-min")
    found = release.recoding.found
    assert release.recoding.levels == (0,)
    assert (found.checked, found.optimal, found.facts["trace"]) == (0, True, [])


def test_a_time_limit_ends_the_search():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({f"x{j}": random.integers(0, 40, 300) for j in range(6)})
    columns = {name: ic.intervals(5, 10, 20) for name in frame.columns}
    release = ic.anonymize(
        frame, quasi_identifiers=columns, k=5, algorithm=ic.HeuristicMin(time_limit=1e-9)
    )
    found = release.recoding.found
    assert found.optimal is False
    assert found.facts["trace"] == []
    assert found.bound == found.facts["rows_before"] > found.facts["rows"] > 1
    assert release.facts["suppressed"] == 0


def test_what_is_followed_after_a_limit_is_told_as_checked():
    random = np.random.default_rng(1)
    frame = pd.DataFrame({f"x{j}": random.integers(0, 8, 60) for j in range(4)})
    columns = {name: ic.intervals(2, 4) for name in frame.columns}
    capped, whole = (
        ic.anonymize(frame, quasi_identifiers=columns, k=3, algorithm=ic.HeuristicMin(max_states=n))
        for n in (4, 100_000)
    )
    assert whole.recoding.found.facts["exhausted"]
    assert not capped.recoding.found.facts["exhausted"]
    assert capped.recoding.found.checked > 4
    assert len(capped.recoding.found.facts["trace"]) == 4
    assert capped.recoding.found.facts["rows"] <= whole.recoding.found.facts["rows"]


class Impossible(KAnonymity):
    """A requirement that does not know that nothing meets it."""

    compiled = None  # or nobody would ask it
    monotone = Monotone(without_suppression=False, with_suppression=False)

    def violating(self, sizes, histograms):
        return np.ones(len(sizes), dtype=bool)


def test_what_nothing_meets_is_unsatisfiable():
    tree = hierarchy_from_rows([("x", "*"), ("y", "*")])
    table = FrequencyTable(("place",), np.array([[0, 1]], np.int32), np.array([2, 2], np.int64))
    problem = Problem(table, (tree,), (Impossible(1, on=("place",)),), np.ones(1))
    with pytest.raises(UnsatisfiableError, match="without suppressing"):
        HeuristicMin().solve(problem)


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_states": 0},
        {"max_states": 1.5},
        {"max_states": True},
        {"max_states": None},
        {"time_limit": 0},
        {"time_limit": "soon"},
        {"time_limit": float("nan")},
    ],
)
def test_parameters_are_checked(parameters):
    with pytest.raises(ParameterError):
        HeuristicMin(**parameters)


class Watched:
    def __init__(self, limit):
        self.limit = limit
        self.done = []

    def start(self, task, *, total=None, detail=""):
        self.task = task

    def update(self, done, *, best=None, bound=None):
        self.done.append(done)
        if done == self.limit:
            raise KeyboardInterrupt

    def finish(self):
        pass


def test_the_search_can_be_watched_and_stopped():
    frame = pd.DataFrame({"x": range(8), "y": range(8)})
    columns = {"x": ic.intervals(2, 4), "y": ic.intervals(2, 4)}
    watched = Watched(limit=3)
    with pytest.raises(KeyboardInterrupt):
        ic.anonymize(
            frame, quasi_identifiers=columns, k=4, algorithm="heuristic-min", progress=watched
        )
    assert watched.done[-3:] == [1, 2, 3]


def people_within(levels):
    draw = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "age": draw.integers(20, 60, 600).astype(str),
            "zip": [f"1{each:02}" for each in draw.integers(0, 40, 600)],
            "job": draw.choice(list("abcdef"), 600),
        }
    )
    columns = {"age": ic.intervals(5, 10, 20), "zip": ic.masking(), "job": ic.suppression()}
    release = ic.anonymize(
        frame, quasi_identifiers=columns, k=5, levels=levels, algorithm="heuristic-min"
    )
    return frame, release


@pytest.mark.parametrize("levels", [{"age": (0, 3)}, {"age": (1, 3), "zip": (0, 2)}])
def test_it_stays_within_the_highest_levels_and_suppresses_nobody(levels):
    frame, release = people_within(levels)
    assert release.facts["suppressed"] == 0
    assert "*" not in set(release.table["age"])
    if "zip" in levels:
        assert "*" not in set(release.table["zip"])
    free = ic.anonymize(
        frame,
        quasi_identifiers={"age": ic.intervals(5, 10, 20), "zip": ic.masking(), "job": None},
        k=5,
        algorithm="heuristic-min",
    )
    assert release.recoding.found.facts["rows"] <= free.recoding.found.facts["rows_before"]


def test_what_cannot_be_held_within_the_highest_levels_is_suppressed():
    _, release = people_within({"age": (0, 0), "job": (0, 1)})
    assert 0 <= release.facts["suppressed"] <= 30
    assert all("[" not in each for each in release.table["age"])
