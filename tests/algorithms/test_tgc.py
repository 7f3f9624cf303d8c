"""TGC from a problem to classes: against its twins, and on tables that are hard on it."""

from dataclasses import replace
from functools import partial
from math import inf

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from diversity import DistinctDiversity
from incrowd.algorithms import TGC, TGCB, TGCP, TGCU, Problem
from incrowd.algorithms.clustering.tgc.pre_partitioning import one_subspace
from incrowd.algorithms.clustering.tgc.sampling import sampled_records, sampled_subspaces
from incrowd.algorithms.clustering.tgc.tgc import GreedyRounds, GreedyRules
from incrowd.algorithms.clustering.tgc.thresholds import choose_thresholds, middles
from incrowd.algorithms.clustering.tgc.tuples import diverse_tuples
from incrowd.counts import Parts, SensitiveColumn, histogram_of
from incrowd.errors import ParameterError
from incrowd.kernels import tgc_diversities
from incrowd.metrics import METRICS, Outcome
from incrowd.metrics.contributions import contributions
from incrowd.metrics.sensitive import SensitiveSpread
from incrowd.requirements import KAnonymity
from kernel_columns import class_columns
from naive import tgc as naive
from outcome_strategies import assigned
from strategies import tables, trees
from tgc_problems import HOSTILE, classes_of, plain

ALL = (TGC, TGCB, TGCP, TGCU)


VALUES = (("1", "2", "9", None), ("flu", "cold", "cancer", None))


@st.composite
def problems(draw):
    """A table over trees with two sensitive columns, of numbers or of words, and a k."""
    hierarchies = tuple(draw(st.lists(trees(), min_size=1, max_size=3)))
    table = draw(tables(hierarchies, carried=4, max_tuples=10))
    texts = draw(st.sampled_from(VALUES))
    k = draw(st.integers(1, min(5, table.n_records)))
    return Problem(
        replace(
            table,
            carried={"c": table.carried["c"], "d": table.carried["c"] % 2},
            carried_values={"c": texts, "d": ("yes", "no")},
        ),
        hierarchies,
        (KAnonymity(k, on=table.columns),),
        np.array([draw(st.sampled_from([0.5, 1.0, 2.0])) for _ in hierarchies]),
        labels=draw(st.sampled_from(["node", "range", "set"])),
        given=tuple(draw(st.booleans()) for _ in hierarchies),
        sensitive=(
            SensitiveColumn("c", texts, weight=draw(st.sampled_from([0.5, 1.0, 3.0]))),
            SensitiveColumn("d", ("yes", "no")),
        ),
    )


def twin_of(problem, order, weights, estimation_range):
    shares = problem.weights / problem.weights.sum()
    protected = np.array([each.weight for each in problem.sensitive])
    protected /= protected.sum()
    return naive.Tuples(
        problem.table.codes[:, order],
        [problem.table.carried[each.name][order] for each in problem.sensitive],
        class_columns(problem, "diversity", [1.0] * len(shares)),
        weights[0] * shares,
        [contributions(each, estimation_range) for each in problem.sensitive],
        weights[1] * protected,
        shares * len(shares),
        protected * len(protected),
    )


def expected_classes(problem, algorithm, weights):
    """Run the whole algorithm record by record; return the tuples of each class."""
    order = np.arange(problem.table.n_tuples)
    twin = twin_of(problem, order, weights, algorithm.estimation_range)
    k, threshold = problem.class_size, algorithm.threshold
    left = everyone = np.repeat(np.arange(len(order)), problem.table.records[order]).tolist()
    steps = [threshold]
    if algorithm.approach == "stepwise":
        steps = [each for each in sorted(middles(5)) if each < threshold] + steps
    classes, seen = [], 0
    for step in steps:
        rejected = []
        for number, records in enumerate(subspaces_of(twin, problem, algorithm, left), seen):
            accepted, lost = naive.threshold_greedy(
                twin, records, k, step,
                random=algorithm.order == "random", seed=algorithm.seed, subspace=number,
            )  # fmt: skip
            rejected += lost
            classes += [counted(members) for members in accepted]
            seen += 1
        left = sorted(rejected)
        if len(left) < k:
            break
    if not classes:
        return [sorted(order[everyone].tolist())]
    homeless = [(each, 0) for each in left]
    grown = naive.reassign(twin, classes, homeless, total=algorithm.reassign == "total")
    return [sorted(order[members].tolist()) for members in grown]


def subspaces_of(twin, problem, algorithm, records):
    if algorithm.partition_size == 0:
        return [records]
    size = algorithm.partition_size or 5 * problem.class_size
    most = algorithm.protection_threshold + 1e-12
    largest = {None: 5 * size, 0: inf}.get(algorithm.largest_subspace, algorithm.largest_subspace)
    return naive.pre_partition(twin, records, problem.weights, size, most, largest)


def counted(members):
    return [(each, members.count(each)) for each in sorted(set(members))]


@settings(max_examples=150)
@given(problem=problems(), data=st.data())
def test_the_result_is_that_of_the_algorithm_run_record_by_record(problem, data):
    utility = data.draw(st.sampled_from([0.0, 0.25, 0.5, 1.0]))
    algorithm = TGC(
        utility_weight=utility,
        protection_weight=1 - utility,
        threshold=data.draw(st.sampled_from([0.1, 0.25, 0.4, 0.6, 0.9])),
        protection_threshold=data.draw(st.sampled_from([0.4171, 0.7171, 2.0])),
        approach=data.draw(st.sampled_from(["stepwise", "direct"])),
        partition_size=data.draw(st.sampled_from([None, 0, 1, 2, 3])),
        largest_subspace=data.draw(st.sampled_from([None, 0, 4])),
        estimation_range=data.draw(st.sampled_from([0.0, 0.5, 1.0])),
        reassign=data.draw(st.sampled_from(["total", "increment"])),
        order=data.draw(st.sampled_from(["random", "canonical"])),
        seed=data.draw(st.integers(0, 9)),
    )
    found = algorithm.solve(problem)
    assert classes_of(found.parts) == expected_classes(problem, algorithm, (utility, 1 - utility))
    assert found.found.facts["threshold"] == algorithm.threshold


@settings(max_examples=40)
@given(problem=problems(), seed=st.integers(0, 3), algorithm=st.sampled_from(ALL))
def test_classes_are_large_enough_and_hold_every_record_once(problem, seed, algorithm):
    parts = algorithm(seed=seed).solve(problem).parts
    assert parts.class_sizes.min() >= problem.class_size
    counted = np.bincount(parts.tuple_of, parts.records, minlength=problem.table.n_tuples)
    assert counted.tolist() == problem.table.records.tolist()
    pairs = set(zip(parts.tuple_of.tolist(), parts.class_of.tolist(), strict=True))
    assert len(pairs) == len(parts.tuple_of)


@settings(max_examples=40)
@given(problem=problems(), algorithm=st.sampled_from(ALL))
def test_threads_do_not_change_the_classes(problem, algorithm):
    one, three = (algorithm(threads=threads).solve(problem).parts for threads in (1, 3))
    assert classes_of(three) == classes_of(one)


@settings(max_examples=40)
@given(problem=problems(), k=st.integers(1, 3), algorithm=st.sampled_from([TGCB, TGCU]))
def test_other_requirements_hold_too(problem, k, algorithm):
    table = problem.table
    l_ = min(2, len(np.unique(table.carried["c"])))
    asked = (DistinctDiversity(l_, on=table.columns), *problem.requirements)
    parts = algorithm().solve(replace(problem, requirements=asked)).parts
    for members in classes_of(parts):
        assert len({int(table.carried["c"][i]) for i in members}) >= l_
        assert len(members) >= problem.class_size


@pytest.mark.parametrize("algorithm", ALL)
@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_tables_are_clustered(case, algorithm):
    problem = HOSTILE[case]
    parts = algorithm().solve(problem).parts
    assert parts.class_sizes.min() >= problem.class_size
    assert parts.records.sum() == problem.table.n_records


@pytest.mark.parametrize("algorithm", [TGC, TGCB, TGCP])
def test_protection_needs_something_to_protect(algorithm):
    problem = replace(HOSTILE["all distinct"], sensitive=())
    with pytest.raises(ParameterError, match=r"tgc.* sensitive columns, and the policy names none"):
        algorithm().solve(problem)


def test_facts_tell_how_the_classes_came_about():
    draw = np.random.default_rng(8)
    problem = plain(draw.integers(0, 5, (3, 600)), draw.integers(0, 4, 600).tolist(), 5)
    whole = TGCB(threshold=0.7, protection_threshold=1.0).solve(problem).found.facts
    assert whole["subspaces"] > 1
    assert whole["rejected"] > 0
    assert whole["reassignment"] == "all"
    assert whole["protection_threshold"] == 1.0
    nearest = TGCB(threshold=0.7, protection_threshold=1.0, exact_reassignment_limit=0)
    assert nearest.solve(problem).found.facts["reassignment"] == "nearest"
    assert TGCU(threshold=0.7).solve(problem).found.facts["protection_threshold"] is None
    together = TGCB(threshold=0.7, partition_size=0).solve(problem).found.facts
    assert together["subspaces"] == 1


RULES = GreedyRules(k=2, random=False, seed=3, total=True, exact_limit=10**9, threads=2)


def chosen(problem, weights, tried, select, stepwise=False):
    tuples, sample = diverse_tuples(problem, weights, 1.0), problem.table.records
    start = partial(GreedyRounds, tuples, sample, one_subspace, RULES, lambda done: None)
    return choose_thresholds(
        tuples, sample, start, k=RULES.k, tried=tried, stepwise=stepwise, select=select
    )


def judged(twin, classes, select):
    """Return how bad classes are, and their protection."""
    protection = np.mean(
        [naive.weighed(twin.sensitive_importance, naive.sensitive(twin, each)) for each in classes]
    )
    quasi = [naive.quasi(twin, each) for each in classes]
    if select == "sum":
        utility = np.mean([naive.weighed(twin.column_importance, each) for each in quasi])
        return utility + protection, protection
    own = [
        np.dot(twin.column_weights, q) + np.dot(twin.sensitive_weights, naive.sensitive(twin, each))
        for q, each in zip(quasi, classes, strict=True)
    ]
    return np.average(own, weights=[len(each) for each in classes]), protection


@settings(max_examples=60)
@given(problem=problems(), select=st.sampled_from(["weighted", "sum"]), data=st.data())
def test_the_best_threshold_of_all_is_chosen(problem, select, data):
    """Every threshold is tried on the sample, and its classes are judged as they would be."""
    utility, stepwise = data.draw(st.sampled_from([0.0, 0.5, 1.0])), data.draw(st.booleans())
    weights = (utility, 1 - utility)
    found = chosen(problem, weights, middles(4), select, stepwise)
    order = np.arange(problem.table.n_tuples)
    twin = twin_of(problem, order, weights, 1.0)
    left = everyone = np.repeat(np.arange(len(order)), problem.table.records[order]).tolist()
    classes, outcomes = [], {}
    for threshold in sorted(middles(4)) if stepwise else middles(4):
        if not stepwise:
            classes, left = [], everyone
        accepted, left = naive.threshold_greedy(twin, left, 2, threshold)
        left, classes = sorted(left), classes + [counted(members) for members in accepted]
        if classes:
            placed = naive.reassign(twin, classes, [(each, 0) for each in left], total=True)
            outcomes[threshold] = judged(twin, placed, select)
        if stepwise and len(left) < 2:
            break
    if not outcomes:
        assert found.rounds == (1.0,)
        assert found.protection == pytest.approx(judged(twin, [everyone], select)[1])
        return
    enough = min(badness for badness, _ in outcomes.values()) * (1.01 if stepwise else 1) + 1e-9
    good = [each for each, (badness, _) in outcomes.items() if badness <= enough]
    assert found.rounds[-1] == good[0]
    assert found.protection == pytest.approx(outcomes[good[0]][1])
    first = 0 if not stepwise else sorted(middles(4)).index(min(outcomes))
    if stepwise:  # one step before the first that accepts something, and all between
        steps = sorted(middles(4))[max(first - 1, 0) :]
        assert list(found.rounds) == steps[: len(found.rounds)]
    else:
        assert len(found.rounds) == 1


@settings(max_examples=60)
@given(problem=problems(), utility=st.sampled_from([0.0, 0.5, 1.0]))
def test_the_search_is_measured_by_the_metrics(problem, utility):
    """Weights of columns count in the search's utility and protection as they do in the metrics."""
    # A line does not know that a class of unknown cells alone is released as the root.
    assume(not any(tree.has_unknown for tree in problem.hierarchies))
    parts = TGCB().solve(problem).parts
    table = problem.table
    tuples = diverse_tuples(problem, (utility, 1 - utility), 1.0)
    quasi, sensitive, _ = tgc_diversities(
        tuples, parts.tuple_of, parts.class_of, parts.records, parts.n_classes
    )
    spreads = tuple(
        SensitiveSpread(
            column,
            histogram_of(parts.class_of, table.carried[column.name][parts.tuple_of], parts.records),
            parts.class_sizes,
        )
        for column in problem.sensitive
    )
    assignment = assigned(table, problem.hierarchies, parts, problem.labels)
    assume(assignment.n_classes == parts.n_classes)  # classes released alike are one
    outcome = Outcome(
        table, problem.hierarchies, assignment, problem.weights,
        labels=problem.labels, given=problem.given, sensitive_of=lambda: spreads,
    )  # fmt: skip
    assert quasi.mean() == pytest.approx(METRICS["utility"].function(outcome))
    assert sensitive.mean() == pytest.approx(METRICS["protection"].function(outcome))


@pytest.mark.parametrize("stepwise", [True, False])
def test_a_threshold_that_accepts_nothing_is_passed_over(stepwise):
    problem = HOSTILE["one secret"]
    none = chosen(problem, (0.0, 1.0), [0.25, 0.75], "weighted", stepwise)
    assert none.rounds == (1.0,)
    assert none.protection == pytest.approx(1.0)
    assert chosen(problem, (0.0, 1.0), [0.25, 1.0], "weighted", stepwise).rounds[-1] == 1.0


def test_samples_depend_on_the_seed_alone():
    records = np.array([3, 1, 5000, 7], dtype=np.int64)
    first, again, other = (sampled_records(records, 5, 0.025, seed) for seed in (1, 1, 2))
    assert first.tolist() == again.tolist() != other.tolist()
    assert first.sum() == 200
    assert sampled_records(records, 20, 0.025, 1).sum() == 400
    assert sampled_records(records, 2, 0.5, 1).sum() == 1000
    assert first[2] > 150
    small = np.array([3, 1, 50], dtype=np.int64)
    assert sampled_records(small, 5, 0.025, 1) is small


def test_sampled_subspaces_are_whole():
    n = 200
    records = np.full(n, 50, dtype=np.int64)
    subspaces = Parts.whole((np.arange(n) // 4).astype(np.int32), records)
    sample = sampled_subspaces(records, subspaces, 5, 0.025, 1)
    assert sample.sum() == 1000
    assert set(sample.tolist()) == {0, 50}
    assert len(set((np.flatnonzero(sample) // 4).tolist())) == 5
    assert sample.tolist() != sampled_subspaces(records, subspaces, 5, 0.025, 2).tolist()
    assert sampled_subspaces(records, subspaces, 5, 0.9, 1).sum() == 4000
    assert sampled_subspaces(records, subspaces, 30, 0.0, 1).sum() == 2400
    assert sampled_subspaces(records, subspaces, 500, 0.0, 1) is records


@pytest.mark.parametrize(
    "wrong",
    [
        {"utility_weight": 0.7},
        {"utility_weight": -0.5, "protection_weight": 1.5},
        {"utility_weight": "much"},
        {"estimation_range": 1.5},
        {"threshold": -0.1},
        {"threshold": "low"},
        {"protection_threshold": 0},
        {"partition_size": -1},
        {"partition_size": 2.5},
        {"largest_subspace": -1},
        {"largest_subspace": inf},
        {"approach": "slowly"},
        {"sample": "all"},
        {"width": "wide"},
        {"reassign": "never"},
        {"select": "best"},
        {"max_iterations": 1},
        {"max_iterations": 40},
        {"sample_share": 2},
        {"exact_reassignment_limit": -1},
        {"order": "sorted"},
        {"seed": -1},
        {"threads": 0},
    ],
)
def test_parameters_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ParameterError):
        TGC(**wrong)
