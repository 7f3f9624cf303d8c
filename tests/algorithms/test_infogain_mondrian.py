"""InfoGain Mondrian against its naive twin, and what it promises."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import incrowd as ic
from diversity import DistinctDiversity, EntropyDiversity
from incrowd.algorithms import InfoGainMondrian, Problem
from incrowd.counts import FrequencyTable, Parts, Target
from incrowd.errors import IncrowdError, ParameterError, PolicyError, UnsatisfiableError
from incrowd.hierarchies import hierarchy_from_rows, intervals
from incrowd.requirements import KAnonymity, LDiversity, TCloseness, violating_classes
from naive import infogain as naive_infogain
from naive import undoing as naive_undoing
from sensitive_people import holds_in, sensitive_problems
from strategies import k_anonymities, tables, trees

THREE = Target("c", ("yes", "no", None))


@st.composite
def problems(draw, *, diverse=False):
    """Tables with three classes, one of them missing cells; k-anonymity, and perhaps diversity."""
    hierarchies = tuple(draw(st.lists(trees(), min_size=1, max_size=3)))
    table = draw(tables(hierarchies, carried=3, max_tuples=15))
    weights = draw(st.tuples(*[st.sampled_from([1.0, 1.0, 0.5, 2.0])] * len(hierarchies)))
    asked = list(draw(k_anonymities(table.columns, table.n_records)))
    if diverse:
        kind = draw(st.sampled_from([DistinctDiversity, EntropyDiversity]))
        diversity = kind(draw(st.integers(1, 3)), on=table.columns)
        asked = draw(st.permutations([diversity, *draw(st.sampled_from([[], asked]))]))
    problem = Problem(table, hierarchies, tuple(asked), np.array(weights), target=THREE)
    try:
        problem.check_reachable()
    except IncrowdError:
        assume(False)
    return problem.where_covered()[0]


def people_of(problem):
    """Return the people: their codes, then what is carried, the class at the end."""
    table = problem.table
    rows = np.vstack([table.codes, *table.carried.values()]).T.tolist()
    counts = table.records.tolist()
    return [tuple(row) for row, n in zip(rows, counts, strict=True) for _ in range(n)]


def expected_regions(problem):
    found = naive_infogain.regions(
        people_of(problem), problem.hierarchies, problem.weights.tolist(), holds_in(problem)
    )
    return [Counter(region) for region in found]


def found_regions(problem, recoding):
    """Return the people in each region of a recoding, in the order of its regions."""
    table = problem.table
    region_of = recoding.tree.regions_of(table.codes).tolist()
    rows = np.vstack([table.codes, *table.carried.values()]).T.tolist()
    found = [Counter() for _ in range(recoding.n_regions)]
    for row, region, records in zip(rows, region_of, table.records.tolist(), strict=True):
        found[region][tuple(row)] += records
    return found


@settings(max_examples=80)
@given(problem=problems())
def test_regions_are_those_of_people(problem):
    recoding = InfoGainMondrian().solve(problem)
    assert found_regions(problem, recoding) == expected_regions(problem)


@settings(max_examples=200)
@given(problem=sensitive_problems(carried=("c", "d", "t")))
def test_any_requirement_holds_in_every_region_and_no_allowable_cut_is_left(problem):
    recoding = InfoGainMondrian().solve(problem)
    found = found_regions(problem, recoding)
    assert all(holds_in(problem)(list(region.elements())) for region in found)
    assert found == expected_regions(problem)


def undone_regions(problem):
    """Return the regions of a search by sizes, after cuts were undone."""

    def cut(region):
        trees, weights = problem.hierarchies, problem.weights.tolist()
        found = naive_infogain.best_cut(
            region, trees, weights, lambda side: len(side) >= problem.class_size
        )
        return None if found is None else found["sides"]

    found = naive_undoing.regions(people_of(problem), cut, holds_in(problem), in_twos=False)
    return [Counter(region) for region in found]


@settings(max_examples=100)
@given(problem=problems(diverse=True))
def test_plug_in_requirements_hold_in_every_region(problem):
    recoding = InfoGainMondrian().solve(problem)
    found = found_regions(problem, recoding)
    assert all(holds_in(problem)(list(region.elements())) for region in found)
    assert found == undone_regions(problem)
    cuts = sum(recoding.found.facts["cuts_by_column"].values())
    assert len(recoding.found.facts["first_cuts"]) == min(cuts, 20)
    assert recoding.n_regions == 1 or 0 < cuts < recoding.n_regions


@settings(max_examples=50)
@given(problem=problems())
def test_spans_are_those_of_the_records(problem):
    recoding = InfoGainMondrian().solve(problem)
    for at, region in enumerate(found_regions(problem, recoding)):
        columns = list(zip(*region, strict=True))[:-1]
        assert recoding.low[at].tolist() == [min(codes) for codes in columns]
        assert recoding.high[at].tolist() == [max(codes) + 1 for codes in columns]


@settings(max_examples=60)
@given(problem=problems(diverse=True), data=st.data())
def test_the_order_of_tuples_and_classes_decides_nothing(problem, data):
    table = problem.table
    order = data.draw(st.permutations(range(table.n_tuples)))
    name_of = np.array(data.draw(st.permutations(range(3))), dtype=np.int32)
    shuffled = replace(
        table,
        codes=table.codes[:, order].copy(),
        records=table.records[order],
        carried={"c": name_of[table.carried["c"][order]]},
    )
    other = replace(problem, table=shuffled)
    solve = InfoGainMondrian().solve
    one, two = solve(problem), solve(other)
    assert one.to_json() == two.to_json()
    assert one.found == two.found


def large(n_columns=4, n=60_000, n_classes=2, seed=0):
    random = np.random.default_rng(seed)
    codes = np.minimum(random.geometric(0.1, (n_columns, n)), 64) - 1
    codes = np.vstack([codes, random.integers(0, n_classes, n)])
    codes, records = np.unique(codes, axis=1, return_counts=True)
    codes = codes.astype(np.int32)
    numbers = intervals(8, 32).build([str(at) for at in range(64)], column="n")
    words = hierarchy_from_rows([(f"w{at}", f"m{at // 8}", f"h{at // 16}") for at in range(64)])
    hierarchies = (numbers, words) * (n_columns // 2)
    columns = tuple(f"column {j}" for j in range(n_columns))
    table = FrequencyTable(columns, codes[:-1].copy(), records, {"c": codes[-1].copy()})
    target = Target("c", tuple(f"class {at}" for at in range(n_classes)))
    weights = np.ones(n_columns)
    return Problem(table, hierarchies, (KAnonymity(5, on=columns),), weights, target=target)


@pytest.mark.parametrize("n_classes", [2, 300])
def test_the_number_of_threads_changes_nothing(n_classes):
    problem = large(n_classes=n_classes)
    assert problem.table.n_tuples > 40_000  # so many that the regions are shared
    alone = InfoGainMondrian(threads=1).solve(problem)
    assert alone.n_regions > 1000
    for threads in (2, 5):
        other = InfoGainMondrian(threads=threads).solve(problem)
        assert other.to_json() == alone.to_json()
        assert other.found == alone.found


@pytest.mark.parametrize("asked", [LDiversity(2, "c"), TCloseness(0.3, "c")])
def test_the_number_of_threads_changes_nothing_for_any_requirement(asked):
    problem = large(n_classes=3)
    asked = (*problem.requirements, asked.resolved(problem.columns))
    problem = replace(problem, requirements=asked)
    alone = InfoGainMondrian(threads=1).solve(problem)
    assert alone.n_regions > 100
    assert InfoGainMondrian(threads=3).solve(problem).to_json() == alone.to_json()
    parts = Parts.whole(alone.tree.regions_of(problem.table.codes), problem.table.records)
    assert not problem.requirements.violating(parts).any()


def test_plug_in_requirements_are_met():
    problem = large(n=4_000, n_classes=4)
    asked = (*problem.requirements, EntropyDiversity(2, on=problem.columns))
    problem = replace(problem, requirements=asked)
    recoding = InfoGainMondrian().solve(problem)
    table = problem.table
    parts = Parts.whole(recoding.tree.regions_of(table.codes), table.records)
    assert parts.n_classes > 20
    assert not violating_classes(asked, table, parts).any()


def numbers_problem(values, classes, k, *, counts=None, texts=("a", "b", "c"), **options):
    """Each value with a class; equal pairs are counted."""
    tree = intervals(10).build(sorted({v for v in values if v is not None}, key=int), column="n")
    tree = tree.extended(missing=None in values)
    codes = [tree.missing_code if v is None else int(tree.match([v])[0]) for v in values]
    table = FrequencyTable(
        ("n",),
        np.array([codes], np.int32),
        np.ones(len(values), np.int64) if counts is None else np.array(counts, np.int64),
        {"c": np.array(classes, np.int32)},
    )
    asked = (KAnonymity(k, on=("n",)),)
    return Problem(table, (tree,), asked, np.ones(1), target=Target("c", texts), **options)


def told(recoding):
    return [
        (each["column"], each["cut"], each["entropy"])
        for each in recoding.found.facts["first_cuts"]
    ]


def test_numbers_are_cut_where_classes_part():
    # 1 1 | 2 2 2 2: the classes part after 2, the median is between 3 and 4
    problem = numbers_problem(["1", "2", "3", "4", "5", "6"], [0, 0, 1, 1, 1, 1], 2)
    recoding = InfoGainMondrian().solve(problem)
    assert told(recoding) == [("n", "< 3", 0.0), ("n", "< 5", 0.0)]
    assert recoding.tree.cut.tolist() == [2, 4]


def test_a_cut_that_gains_nothing_is_a_median():
    n = 16
    problem = numbers_problem([str(at) for at in range(n)], [0] * n, 2, texts=("only",))
    recoding = InfoGainMondrian().solve(problem)
    assert recoding.n_regions == 8
    assert told(recoding)[:3] == [("n", "< 8", 0.0), ("n", "< 4", 0.0), ("n", "< 12", 0.0)]


def test_as_many_classes_as_rows():
    n = 32
    texts = tuple(str(at) for at in range(n))
    problem = numbers_problem(texts, range(n), 4, texts=texts)
    recoding = InfoGainMondrian().solve(problem)
    region_of = recoding.tree.regions_of(problem.table.codes)
    assert np.bincount(region_of).tolist() == [4] * 8
    assert told(recoding)[0] == ("n", "< 16", 4.0)  # 16 classes on each side


def test_missing_values_are_a_side_of_their_own():
    values = ["1", "2", "3", None, None]
    problem = numbers_problem(values, [0, 0, 0, 1, 1], 2, counts=[1, 1, 1, 1, 1])
    recoding = InfoGainMondrian().solve(problem)
    assert told(recoding) == [("n", "a number", 0.0)]
    assert recoding.tree.cut.tolist() == [3]
    labels = recoding.column_values[0]
    assert [labels.labels[at] for at in labels.label_of.tolist()] == ["[0, 10)", None]


def test_a_missing_class_is_a_class():
    problem = numbers_problem(["1", "2", "3", "4"], [0, 0, 1, 1], 2, texts=("a", None))
    assert told(InfoGainMondrian().solve(problem)) == [("n", "< 3", 0.0)]


def words_problem(codes, classes, k, weights=(1.0, 1.0), counts=None):
    trees = tuple(hierarchy_from_rows([("x", "*"), ("y", "*")]) for _ in range(2))
    counts = np.full(len(classes), 2) if counts is None else np.array(counts)
    table = FrequencyTable(
        ("a", "b"), np.array(codes, np.int32), counts, {"c": np.array(classes, np.int32)}
    )
    asked = (KAnonymity(k, on=("a", "b")),)
    target = Target("c", ("p", "q"))
    return Problem(table, trees, asked, np.array(weights), target=target)


def test_a_better_cut_comes_before_a_wider_column():
    codes = [[0, 0, 1, 1], [0, 1, 0, 1]]
    for classes, column in (([0, 0, 1, 1], 0), ([0, 1, 0, 1], 1)):
        for weights in ((1.0, 5.0), (5.0, 1.0)):
            recoding = InfoGainMondrian().solve(words_problem(codes, classes, 4, weights))
            assert recoding.tree.column.tolist() == [column]


def test_of_equally_good_cuts_the_wider_column_comes_first():
    codes, classes = [[0, 0, 1, 1], [0, 1, 0, 1]], [0, 1, 1, 0]  # neither column tells them apart
    for weights, column in (((1.0, 1.0), 0), ((1.0, 2.0), 1), ((2.0, 1.0), 0)):
        recoding = InfoGainMondrian().solve(words_problem(codes, classes, 4, weights))
        assert recoding.tree.column.tolist() == [column]
        assert told(recoding) == [("ab"[column], "children of *", 1.0)]


def test_a_child_that_is_too_small_refuses_the_cut():
    # a tells the classes apart, but leaves 2 people alone
    problem = words_problem([[0, 0, 1], [0, 1, 1]], [0, 0, 1], 3, counts=[3, 1, 2])
    recoding = InfoGainMondrian().solve(problem)
    assert recoding.tree.column.tolist() == [1]


def test_counts_near_the_limit_do_not_overflow():
    problem = numbers_problem(["1", "25"], [0, 1], 2**61, counts=[2**62, 2**62 - 1])
    recoding = InfoGainMondrian().solve(problem)
    assert recoding.n_regions == 2
    assert told(recoding) == [("n", "< 25", 0.0)]


@pytest.mark.parametrize("labels", ["node", "grid", "range", "set"])
def test_every_way_to_write_regions(labels):
    problem = numbers_problem(["1", "12", "25", "50"], [0, 1, 0, 1], 2, counts=[2, 2, 2, 3])
    problem = replace(problem, labels=labels)
    assignment = InfoGainMondrian().solve(problem).assign(problem.table)
    assert assignment.class_sizes.min() >= 2
    assert assignment.n_suppressed == 0


def test_one_tuple_is_one_region():
    problem = numbers_problem(["7"], [0], 2, counts=[9])
    recoding = InfoGainMondrian().solve(problem)
    assert recoding.n_regions == 1
    assert recoding.found.facts == {
        "target": "c",
        "regions": 1,
        "cuts_by_column": {"n": 0},
        "first_cuts": [],
    }


def test_the_trace_ends_after_twenty_cuts():
    n = 100
    problem = numbers_problem([str(at) for at in range(n)], [0] * n, 1, texts=("only",))
    facts = InfoGainMondrian().solve(problem).found.facts
    assert len(facts["first_cuts"]) == 20
    assert facts["cuts_by_column"] == {"n": 99}
    assert facts["regions"] == 100


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "2"])
def test_wrong_parameters_are_refused(threads):
    with pytest.raises(ParameterError, match="threads"):
        InfoGainMondrian(threads=threads)


def test_what_cannot_be_reached_is_refused():
    with pytest.raises(UnsatisfiableError):
        InfoGainMondrian().solve(numbers_problem(["1", "2"], [0, 1], 3))


def test_without_a_target_there_is_nothing_to_tell_apart():
    frame = pd.DataFrame({"age": [1, 2, 3, 4]})
    with pytest.raises(PolicyError, match="names no target"):
        ic.anonymize(frame, quasi_identifiers=["age"], k=2, algorithm="infogain-mondrian")


def test_progress_hears_of_long_searches_and_can_stop_them():
    class Stop(Exception):
        pass

    class Impatient:
        def start(self, task, *, total=None, detail=""):
            self.total = total

        def update(self, done, *, best=None, bound=None):
            assert 0 <= done <= self.total
            raise Stop

        def finish(self):
            pass

    n = 30_000
    tree = intervals(100).build([str(at) for at in range(1000)], column="n")
    codes = np.stack([np.arange(n) % 1000, np.arange(n) // 1000]).astype(np.int32)
    classes = np.random.default_rng(0).integers(0, 2, n).astype(np.int32)
    table = FrequencyTable(("a", "b"), codes, np.ones(n, np.int64), {"c": classes})
    asked = (KAnonymity(2, on=table.columns),)
    problem = Problem(table, (tree, tree), asked, np.ones(2), target=Target("c", ("p", "q")))
    for threads in (1, 3):
        with pytest.raises(Stop):
            InfoGainMondrian(threads=threads).solve(problem, Impatient())
    asked = (*problem.requirements, DistinctDiversity(1, on=problem.columns))
    with pytest.raises(Stop):
        InfoGainMondrian().solve(replace(problem, requirements=asked), Impatient())
