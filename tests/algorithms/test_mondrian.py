"""Mondrian against its naive twin, and what it promises."""

from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from diversity import DistinctDiversity, EntropyDiversity
from incrowd.algorithms import Mondrian, Problem
from incrowd.algorithms.multidimensional.family import widths
from incrowd.algorithms.multidimensional.family.widths import region_widths
from incrowd.counts import FrequencyTable
from incrowd.errors import IncrowdError, ParameterError, UnsatisfiableError
from incrowd.hierarchies import hierarchy_from_rows, intervals
from incrowd.recoding import LocalRecoding, MultidimensionalRecoding
from incrowd.requirements import KAnonymity, LDiversity
from naive import mondrian as naive_mondrian
from naive import undoing as naive_undoing
from sensitive_people import holds_in, sensitive_problems
from strategies import covered_problems, k_anonymities, tables, trees

KINDS = [("strict", "median"), ("strict", "hierarchy"), ("relaxed", "median")]
kinds = pytest.mark.parametrize(("variant", "split"), KINDS)


def people_of(problem):
    """Return the people in canonical order: their codes, then what they carry."""
    table = problem.table
    rows = [
        [*table.codes[:, at].tolist(), *(int(codes[at]) for codes in table.carried.values())]
        for at in range(table.n_tuples)
        for _ in range(int(table.records[at]))
    ]
    return [tuple(row) for row in rows]


def expected_regions(problem, variant, split):
    found = naive_mondrian.regions(
        people_of(problem),
        problem.hierarchies,
        problem.weights.tolist(),
        holds_in(problem),
        split=split,
        variant=variant,
    )
    return [Counter(region) for region in found]


def found_regions(problem, recoding):
    """Return the people in each region of a recoding, in the order of its regions."""
    table = problem.table
    if isinstance(recoding, MultidimensionalRecoding):
        region_of = recoding.tree.regions_of(table.codes)
        parts = zip(range(table.n_tuples), region_of.tolist(), table.records.tolist(), strict=True)
    else:
        dealt = recoding.parts
        columns = (dealt.tuple_of, dealt.class_of, dealt.records)
        parts = zip(*(each.tolist() for each in columns), strict=True)
    found = [Counter() for _ in range(recoding.n_regions)]
    for at, region, records in parts:
        carried = (int(codes[at]) for codes in table.carried.values())
        found[region][(*table.codes[:, at].tolist(), *carried)] += records
    return found


@kinds
@settings(max_examples=100)
@given(problem=covered_problems())
def test_regions_are_those_of_people(variant, split, problem):
    recoding = Mondrian(variant=variant, split=split).solve(problem)
    assert found_regions(problem, recoding) == expected_regions(problem, variant, split)


@kinds
@settings(max_examples=40)
@given(problem=covered_problems())
def test_the_spans_of_regions_are_those_of_their_records(variant, split, problem):
    recoding = Mondrian(variant=variant, split=split).solve(problem)
    if variant == "relaxed":
        assert isinstance(recoding, LocalRecoding)
        assert recoding.parts.records.min() >= 1
        return
    for at, region in enumerate(found_regions(problem, recoding)):
        columns = list(zip(*region, strict=True))
        assert recoding.low[at].tolist() == [min(codes) for codes in columns]
        assert recoding.high[at].tolist() == [max(codes) + 1 for codes in columns]


@kinds
@settings(max_examples=150)
@given(problem=sensitive_problems())
def test_any_requirement_holds_in_every_region_and_no_allowable_cut_is_left(
    variant, split, problem
):
    recoding = Mondrian(variant=variant, split=split).solve(problem)
    found = found_regions(problem, recoding)
    assert all(holds_in(problem)(list(region.elements())) for region in found)
    assert found == expected_regions(problem, variant, split)


@pytest.mark.parametrize("asked", [LDiversity(2, "c"), LDiversity(2, "c", variant="entropy")])
@kinds
def test_the_number_of_threads_changes_nothing(variant, split, asked):
    problem = large(asked)
    alone = Mondrian(variant=variant, split=split, threads=1).solve(problem)
    assert alone.n_regions > 500
    other = Mondrian(variant=variant, split=split, threads=3).solve(problem)
    assert found_regions(problem, other) == found_regions(problem, alone)


@st.composite
def diverse_problems(draw):
    hierarchies = tuple(draw(st.lists(trees(max_height=2), min_size=1, max_size=3)))
    table = draw(tables(hierarchies, carried=3, max_tuples=15))
    kind = draw(st.sampled_from([DistinctDiversity, EntropyDiversity]))
    diversity = kind(draw(st.integers(1, 3)), on=table.columns)
    others = draw(k_anonymities(table.columns, table.n_records, max_requirements=1))
    asked = draw(st.permutations([diversity, *draw(st.sampled_from([(), others]))]))
    problem = Problem(table, hierarchies, tuple(asked), np.ones(len(hierarchies)))
    try:
        problem.check_reachable()
    except IncrowdError:
        assume(False)
    return problem


def undone_regions(problem, split):
    """Return the regions of a search by sizes, after cuts were undone."""

    def cut(region):
        return naive_mondrian.allowable_cut(
            region, problem.hierarchies, problem.weights.tolist(), large_enough, split, "strict"
        )

    def large_enough(people):
        return len(people) >= problem.class_size

    found = naive_undoing.regions(people_of(problem), cut, holds_in(problem), in_twos=True)
    return [Counter(region) for region in found]


@kinds
@settings(max_examples=60)
@given(problem=diverse_problems())
def test_plug_in_requirements_hold_in_every_region(variant, split, problem):
    recoding = Mondrian(variant=variant, split=split).solve(problem)
    found = found_regions(problem, recoding)
    assert all(holds_in(problem)(list(region.elements())) for region in found)
    if variant == "strict":
        assert found == undone_regions(problem, split)


@settings(max_examples=40)
@given(problem=diverse_problems())
def test_the_spans_of_what_was_put_together_are_those_of_its_records(problem):
    recoding = Mondrian().solve(problem)
    for at, region in enumerate(found_regions(problem, recoding)):
        columns = list(zip(*region, strict=True))[:-1]
        assert recoding.low[at].tolist() == [min(codes) for codes in columns]
        assert recoding.high[at].tolist() == [max(codes) + 1 for codes in columns]


def large(asked, n=60_000):
    random = np.random.default_rng(0)
    trees = tuple(intervals(8, 32).build([str(n) for n in range(64)], column="n") for _ in range(3))
    codes = np.vstack([random.integers(0, 64, (3, n)), random.integers(0, 5, n)])
    codes, records = np.unique(codes, axis=1, return_counts=True)
    codes = codes.astype(np.int32)
    columns = ("a", "b", "c")
    table = FrequencyTable(columns, codes[:3].copy(), records, {"c": codes[3].copy()})
    return Problem(table, trees, (asked.resolved(columns), KAnonymity(5, on=columns)), np.ones(3))


def test_requirements_are_asked_once_a_round_and_not_once_a_class():
    class Counted(DistinctDiversity):
        asked = 0

        def violating(self, sizes, histograms):
            type(self).asked += 1
            return super().violating(sizes, histograms)

    problem = large(Counted(2), n=4000)
    recoding = Mondrian().solve(problem)
    assert recoding.n_regions > 500
    assert Counted.asked < 60


def numbers_problem(values, counts, k, **options):
    tree = intervals(10).build(sorted(set(values), key=int), column="n")
    distinct = sorted(set(values), key=int)
    codes = tree.match(distinct)[None, :]
    table = FrequencyTable(("n",), np.ascontiguousarray(codes), np.array(counts, np.int64))
    return Problem(table, (tree,), (KAnonymity(k, on=("n",)),), np.ones(1), **options)


@kinds
def test_one_tuple_is_one_region(variant, split):
    problem = numbers_problem(["7"], [9], 2)
    recoding = Mondrian(variant=variant, split=split).solve(problem)
    assert recoding.n_regions == 1
    assert recoding.assign(problem.table).class_sizes.tolist() == [9]


@kinds
@pytest.mark.parametrize("k", [6, 4])
def test_fewer_than_two_k_records_are_one_region(variant, split, k):
    problem = numbers_problem(["1", "25", "50"], [2, 2, 2], k)
    assert Mondrian(variant=variant, split=split).solve(problem).n_regions == 1


def test_relaxed_cuts_divide_equal_records():
    problem = numbers_problem(["1", "25"], [9, 1], 2)
    assert Mondrian().solve(problem).n_regions == 1
    recoding = Mondrian(variant="relaxed").solve(problem)
    # 5 | 4 + 1, then 3 | 1 + 1
    assert recoding.parts.class_sizes.tolist() == [5, 3, 2]
    assert recoding.parts.tuple_of.tolist() == [0, 0, 0, 1]
    assert recoding.parts.records.tolist() == [5, 3, 1, 1]
    assert recoding.assign(problem.table).class_sizes.tolist() == [8, 2]


def test_counts_near_the_limit_do_not_overflow():
    problem = numbers_problem(["1", "25"], [2**62, 2**62 - 1], 2**61)
    for variant in ("strict", "relaxed"):
        recoding = Mondrian(variant=variant).solve(problem)
        sizes = recoding.assign(problem.table).class_sizes
        assert sum(sizes.tolist()) == 2**63 - 1


def test_nodes_are_as_wide_as_they_have_leaves():
    rows = [("a", "x", "*"), ("b", "x", "*"), ("c", "c", "*")]
    tree = hierarchy_from_rows(rows).extended(missing=True)
    table = FrequencyTable(("place",), np.array([[0, 3]], np.int32), np.ones(2, np.int64))
    with patch.object(widths, "Regions") as regions:
        region_widths(Problem(table, (tree,), (), np.array([2.0])))
    first, width = regions.return_value.tree.call_args.args
    assert first.tolist() == [[0, 1, 2, 3], [0, 0, 2, 3], [0, 0, 0, 0]]
    assert width[1].tolist() == [2 * (2 / 3), 2 * (2 / 3), 2 / 3, 2 / 3]
    assert width[2].tolist() == [2.0] * 4


@pytest.mark.parametrize("values", [("-1e308", "2", "1e308"), ("-1e308", "1e308"), ("1", "1e999")])
def test_numbers_too_far_apart_for_a_difference(values):
    tree = hierarchy_from_rows([(value, "*") for value in values])
    table = FrequencyTable(
        ("n",), np.arange(len(values), dtype=np.int32)[None], np.full(len(values), 2, np.int64)
    )
    problem = Problem(table, (tree,), (KAnonymity(2, on=("n",)),), np.ones(1))
    assert Mondrian().solve(problem).n_regions == len(values)


def test_a_heavier_column_is_cut_first():
    trees = tuple(hierarchy_from_rows([("x", "*"), ("y", "*")]) for _ in range(2))
    codes = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], np.int32)
    table = FrequencyTable(("a", "b"), codes, np.full(4, 2, np.int64))
    asked = (KAnonymity(4, on=("a", "b")),)
    for weights, column in (([1, 1], 0), ([1, 2], 1), ([2, 1], 0)):
        problem = Problem(table, trees, asked, np.array(weights, float))
        assert Mondrian().solve(problem).tree.column.tolist() == [column]


@pytest.mark.parametrize("labels", ["node", "grid", "range", "set"])
@kinds
def test_every_way_to_write_regions(variant, split, labels):
    problem = numbers_problem(["1", "12", "25", "50"], [2, 2, 2, 3], 3, labels=labels)
    assignment = Mondrian(variant=variant, split=split).solve(problem).assign(problem.table)
    assert assignment.class_sizes.min() >= 3
    assert assignment.n_suppressed == 0


def test_found_tells_what_was_done():
    recoding = Mondrian(split="hierarchy").solve(numbers_problem(["1", "25"], [2, 2], 2))
    assert recoding.found.algorithm == "mondrian"
    assert recoding.found.search == "strict"
    assert recoding.found.facts == {"variant": "strict", "split": "hierarchy", "regions": 2}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"variant": "loose"}, "variant"),
        ({"variant": True}, "variant"),
        ({"split": "gain!"}, "split"),
        ({"split": None}, "split"),
        ({"variant": "relaxed", "split": "hierarchy"}, "no meaning"),
        ({"variant": "relaxed", "split": "gain"}, "no meaning"),
        ({"threads": 0}, "threads"),
        ({"threads": True}, "threads"),
        ({"threads": 1.5}, "threads"),
    ],
)
def test_wrong_parameters_are_refused(options, said):
    with pytest.raises(ParameterError, match=said):
        Mondrian(**options)


@kinds
def test_what_cannot_be_reached_is_refused(variant, split):
    with pytest.raises(UnsatisfiableError):
        Mondrian(variant=variant, split=split).solve(numbers_problem(["1", "2"], [1, 1], 3))


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

    tree = intervals(100).build([str(n) for n in range(1000)], column="n")
    codes = np.stack([np.arange(20_000) % 1000, np.arange(20_000) // 1000 % 1000])
    table = FrequencyTable(("a", "b"), codes.astype(np.int32), np.ones(20_000, np.int64))
    problem = Problem(table, (tree, tree), (KAnonymity(2, on=("a", "b")),), np.ones(2))
    for threads in (1, 3):
        with pytest.raises(Stop):
            Mondrian(threads=threads).solve(problem, Impatient())
