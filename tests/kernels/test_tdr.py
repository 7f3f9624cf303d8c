"""`kernels.tdr` on its own: arguments that make no sense, and large tables.

That it refines as people would is held against its twin in tests/algorithms.
"""

import numpy as np
import pytest

from incrowd import kernels

pytestmark = pytest.mark.kernel

TREE, INTERVALS, VALUES = 0, 1, 2


def codes(*values):
    return np.array(values, dtype=np.int32)


def counts(*values):
    return np.array(values, dtype=np.int64)


def flat(n_codes):
    """A root over all codes; the root is the last node."""
    leaves = np.arange(n_codes, dtype=np.int32)
    return (
        np.append(leaves, 0).astype(np.int32),
        np.append(leaves + 1, n_codes).astype(np.int32),
        np.zeros(n_codes + 1, np.int32),
        np.append(np.zeros(n_codes), n_codes).astype(np.int32),
        leaves,
    )


def column(kind=TREE, n_codes=2, n_plain=None, tree=None, margin=None):
    """A column of `n_codes` codes; code i is always in class i % 2."""
    every = np.arange(n_codes, dtype=np.int32)
    margin = margin or (every, every % 2, np.full(n_codes, 3, np.int64))
    n_plain = n_codes if n_plain is None else n_plain
    if tree is None:
        tree = (np.ones(max(n_plain, 0), np.int32),) if kind == INTERVALS else flat(n_codes)
    return (kind, n_codes, n_plain, tree, *margin)


def requirement(columns=(0,), rows=((0, 1),), records=(3, 3), k=2):
    return codes(*columns), np.array(rows, dtype=np.int32), counts(*records), k


def refine(*given, **rule):
    return refined(*given, **rule)[:7]


def refined(columns=None, requirements=None, n_classes=2, report=lambda done: None, **rule):
    rule = {"by_gain": False, "disclose_most": False, "over_all": False, "by_classes": False} | rule
    rule.setdefault("least_part", 1)
    promised = rule.pop("promised", None)
    refinements = kernels.Refinements(n_classes)
    for kind, n_codes, n_plain, tree, *margin in columns or [column()]:
        if kind == TREE:
            refinements.taxonomy(*margin, *tree)
        elif kind == INTERVALS:
            refinements.intervals(*margin, n_codes, *tree)
        else:
            refinements.disclosure(*margin, n_codes, n_plain)
    for at, rows, records, k in requirements or [requirement()]:
        refinements.size(at, kernels.Table(rows, records), k)
    if promised:
        asked, position, *arrays = promised
        refinements.promise(asked, position, kernels.Table(*arrays))
    return kernels.tdr(refinements, **rule, report=report)


@pytest.mark.parametrize("kind", [TREE, INTERVALS, VALUES])
def test_two_codes_are_told_apart(kind):
    at, value, split, gain, loss, score, scored = refine([column(kind)])
    assert at.tolist() == [0]
    assert value.tolist() == [2 if kind == TREE else 0]
    assert split.tolist() == [1 if kind == INTERVALS else -1]
    assert (gain.tolist(), loss.tolist(), score.tolist()) == ([1.0], [3.0], [0.25])
    assert scored == (2 if kind == VALUES else 1)  # either of them could be disclosed


@pytest.mark.parametrize("kind", [TREE, INTERVALS, VALUES])
def test_too_few_are_not(kind):
    *steps, scored = refine([column(kind)], [requirement(k=4)])
    assert [each.tolist() for each in steps] == [[]] * 6
    assert scored == 0


def test_an_interval_is_not_cut_where_none_may_begin():
    rows = requirement(rows=((0, 1, 2, 3),), records=(3, 3, 3, 3), k=3)

    def splits(*may):
        return refine([column(INTERVALS, 4, tree=(codes(*may),))], [rows])[2].tolist()

    assert splits(0, 1, 1, 1) == [1, 2, 3]
    assert splits(1, 0, 1, 1) == []  # no other cut is looked for
    assert splits(0, 1, 0, 1) == [1]
    with pytest.raises(ValueError, match="tdr"):
        splits(0, 1, 1, 1, 1)


NOTHING = (codes(), codes(), counts())
DAMAGED_TREES = {
    "no nodes": (codes(), codes(), codes(), codes(), codes()),
    "nodes of different length": (codes(0), *flat(2)[1:]),
    "a child out of range": (*flat(2)[:4], codes(0, 9)),
    "a circle": (*flat(2)[:2], codes(0, 0, 0), codes(1, 0, 2), codes(0, 1)),
    "a span backwards": (codes(1, 1, 0), codes(0, 2, 2), *flat(2)[2:]),
    "a child beyond its parent": (codes(0, 1, 0), codes(1, 3, 2), *flat(2)[2:]),
    "children that overlap": (codes(0, 0, 0), codes(1, 2, 2), *flat(2)[2:]),
    "start beyond stop": (*flat(2)[:2], codes(0, 0, 2), codes(0, 0, 1), flat(2)[4]),
    "stop beyond the children": (*flat(2)[:3], codes(0, 0, 3), flat(2)[4]),
    "no root": (codes(0, 1), codes(1, 2), codes(0, 0), codes(0, 0), codes()),
    "records left out": (*flat(2)[:3], codes(0, 0, 1), flat(2)[4]),
}
DAMAGED_MARGINS = {
    "codes that do not ascend": (codes(1, 0), codes(0, 1), counts(3, 3)),
    "a negative code": (codes(-1, 1), codes(0, 1), counts(3, 3)),
    "a code out of range": (codes(0, 2), codes(0, 1), counts(3, 3)),
    "a class out of range": (codes(0, 1), codes(0, 2), counts(3, 3)),
    "a negative class": (codes(0, 1), codes(0, -1), counts(3, 3)),
    "no records": (codes(0, 1), codes(0, 1), counts(3, 0)),
    "too many records": (codes(0, 1), codes(0, 1), counts(2**62, 2**62)),
    "different lengths": (codes(0, 1), codes(0), counts(3, 3)),
}
DAMAGED_REQUIREMENTS = {
    "k of 0": requirement(k=0),
    "a column out of range": requirement(columns=(1,)),
    "a negative column": requirement(columns=(-1,)),
    "a column twice": requirement(columns=(0, 0), rows=((0, 1), (0, 1))),
    "columns without codes": requirement(columns=()),
    "a code out of range": requirement(rows=((0, 2),)),
    "a code that does not occur": requirement(rows=((0, -1),)),
    "no tuples": requirement(rows=((),), records=()),
    "a tuple without records": requirement(records=(3, 0)),
    "too many records": requirement(records=(2**62, 2**62)),
    "different lengths": requirement(records=(3,)),
}


@pytest.mark.parametrize("name", DAMAGED_TREES)
def test_damaged_trees_are_refused(name):
    with pytest.raises(ValueError, match="tdr"):
        refine([column(tree=DAMAGED_TREES[name])])


@pytest.mark.parametrize("kind", [TREE, INTERVALS, VALUES])
@pytest.mark.parametrize("name", DAMAGED_MARGINS)
def test_damaged_counts_are_refused(name, kind):
    with pytest.raises(ValueError, match="tdr"):
        refine([column(kind, margin=DAMAGED_MARGINS[name])])


@pytest.mark.parametrize("name", DAMAGED_REQUIREMENTS)
def test_damaged_requirements_are_refused(name):
    with pytest.raises(ValueError, match=r"tdr|Table"):
        refine(requirements=[DAMAGED_REQUIREMENTS[name]])


@pytest.mark.parametrize(
    "given",
    [
        column(VALUES, n_plain=3),
        column(VALUES, n_plain=-1),
        column(VALUES, -1, tree=(), margin=NOTHING),
    ],
    ids=["more plain codes than codes", "fewer than none", "fewer codes than none"],
)
def test_damaged_columns_are_refused(given):
    with pytest.raises(ValueError, match="tdr"):
        refine([given])


def test_a_column_without_records_is_never_refined():
    given = [column(kind, 2, margin=NOTHING) for kind in (INTERVALS, VALUES)]
    *steps, scored = refine([column(), *given])
    assert steps[0].tolist() == [0]
    assert scored == 1


def test_a_report_that_throws_ends_the_search():
    n = 1_000_000
    every = np.arange(n, dtype=np.int32)
    classes = np.random.default_rng(0).integers(0, 2, n).astype(np.int32)
    wide = column(INTERVALS, n, margin=(every, classes, np.ones(n, np.int64)))
    asked = requirement(rows=(every,), records=np.ones(n, np.int64), k=1)
    done = []

    def stop(steps):
        done.append(steps)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        refine([wide], [asked], report=stop)
    assert done


def test_huge_counts_do_not_overflow():
    half = 2**61
    margin = (codes(0, 0, 1, 1), codes(0, 1, 0, 1), counts(half - 1, 1, 1, half - 1))
    *steps, _ = refine(
        [column(margin=margin)], [requirement(records=(half, half), k=half)], by_gain=True
    )
    assert steps[3].tolist() == pytest.approx([1.0])
    assert steps[4].tolist() == [float(half)]


@pytest.mark.parametrize(
    "given",
    [
        (np.zeros(1, np.int64), codes(0, 1), counts(3, 3)),  # codes must be a row per column
        (np.full(1, 5), codes(0, 1).reshape(1, -1), counts(3, 3)),
        (np.zeros(1, np.int64), codes(0, 7).reshape(1, -1), counts(3, 3)),
        (np.zeros(1, np.int64), codes(0).reshape(1, -1), counts(3)),
        (np.zeros(0, np.int64), codes(0, 1).reshape(1, -1), counts(3, 3)),
    ],
)
def test_damaged_promises_are_refused(given):
    table = kernels.Table(codes(0, 1).reshape(1, -1), counts(3, 3))
    asked = kernels.Requirements(table, codes(0, 1), counts(3, 3))
    spread = asked.spread(codes(0, 1), 2, np.empty(0, np.int32), 1)
    asked.distinct(np.ones(1, np.uint8), spread, 2, -1, False)
    whole = np.zeros(1, np.int64), codes(0, 1).reshape(1, -1), counts(3, 3)
    one = requirement(k=1)
    assert len(refine(requirements=[one])[0]) == 1
    assert len(refine(requirements=[one], promised=(asked, *whole))[0]) == 0
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        refine(requirements=[one], promised=(asked, *given))


@pytest.mark.parametrize(("least", "split"), [(1, 1), (3, 1), (4, 2), (6, 2), (7, -1)])
def test_a_cut_leaves_so_many_on_either_side(least, split):
    margin = (codes(0, 1, 1, 2, 2), codes(0, 0, 1, 0, 1), counts(3, 1, 3, 2, 4))
    given = [column(INTERVALS, 3, margin=margin)]
    asked = requirement(rows=((0, 1, 2),), records=(3, 4, 6), k=5)
    *_, gains, splits = refined(given, [asked], least_part=least)
    assert splits.tolist() == [split]
    assert (gains > 0).tolist() == [split >= 0]


def test_what_the_first_step_would_tell_is_told_of_trees_too():
    *_, gains, splits = refined([column(), column(VALUES)])
    assert gains.tolist() == [1.0, 0.0]
    assert splits.tolist() == [-1, -1]


def test_a_part_of_no_record_is_refused():
    with pytest.raises(ValueError, match="1 record or more"):
        refined(least_part=0)


@pytest.mark.parametrize("nodes", [[-1], [99]])
def test_required_nodes_that_do_not_exist_are_refused(nodes):
    refinements = kernels.Refinements(2)
    none = np.zeros(0, np.int32)
    with pytest.raises(ValueError, match="only nodes of a taxonomy"):
        refinements.must(none)
    one = np.zeros(1, np.int32)
    refinements.taxonomy(one, one, np.ones(1, np.int64), one, one + 1, one, one, none)
    with pytest.raises(ValueError, match="a node is out of range"):
        refinements.must(np.array(nodes, np.int32))
