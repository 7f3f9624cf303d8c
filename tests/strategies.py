"""Random tables for hypothesis: hierarchies, frequency tables and problems to solve."""

import numpy as np
from hypothesis import strategies as st

from hierarchy_strategies import tree_rows
from incrowd.algorithms import Problem
from incrowd.counts import Parts, count_tuples
from incrowd.hierarchies import hierarchy_from_rows, intervals
from incrowd.requirements import KAnonymity, drop_implied
from naive import counting as naive

LIMITS = (0.0, 0.1, 0.3, 1.0)


@st.composite
def numeric_trees(draw):
    numbers = draw(st.lists(st.integers(-20, 40), min_size=1, max_size=6, unique=True))
    widths = draw(st.sampled_from([(5,), (5, 10), (2, 10), (100,)]))
    return intervals(*widths).build([str(number) for number in numbers], column="age")


@st.composite
def trees(draw, max_height=3):
    """A tree of words or of numbers, balanced or not, with codes for missing and unknown values."""
    words = tree_rows(max_leaves=5, max_height=max_height - 1).map(hierarchy_from_rows)
    tree = draw(st.one_of(words, numeric_trees()))
    return tree.extended(missing=draw(st.booleans()), unknown=draw(st.booleans()))


@st.composite
def tables(draw, hierarchies, *, carried=0, max_tuples=9, max_count=3):
    """A frequency table over some hierarchies; `carried` is how many values "c" has."""
    key = [st.integers(0, tree.n_codes - 1) for tree in hierarchies]
    key += [st.integers(0, carried - 1)] if carried else []
    tuples = draw(st.lists(st.tuples(*key), min_size=1, max_size=max_tuples, unique=True))
    counts = draw(st.lists(st.integers(1, max_count), min_size=len(tuples), max_size=len(tuples)))
    codes = np.array(tuples, dtype=np.int32).T
    width = len(hierarchies)
    return count_tuples(
        tuple(f"column {j}" for j in range(width)),
        codes[:width],
        [tree.n_codes for tree in hierarchies],
        records=np.array(counts, dtype=np.int64),
        carried={"c": codes[width]} if carried else {},
    )[0]


@st.composite
def k_anonymities(draw, columns, n_records, max_requirements=3):
    """One to three k-anonymity requirements that the table can meet, on columns of their own."""
    asked = []
    for _ in range(draw(st.integers(1, max_requirements))):
        covered = draw(st.lists(st.sampled_from(columns), min_size=1, unique=True))
        on = draw(st.sampled_from([columns, tuple(covered)]))
        asked.append(KAnonymity(draw(st.integers(1, min(6, n_records))), on=on).resolved(columns))
    return drop_implied(asked)[0]


@st.composite
def problems(draw, *, max_columns=3, max_requirements=3):
    hierarchies = tuple(draw(st.lists(trees(), min_size=1, max_size=max_columns)))
    table = draw(tables(hierarchies))
    weights = draw(
        st.lists(
            st.sampled_from([1.0, 1.0, 0.5, 2.0, 7.0]),
            min_size=len(hierarchies),
            max_size=len(hierarchies),
        )
    )
    asked = draw(k_anonymities(table.columns, table.n_records, max_requirements))
    return Problem(table, hierarchies, asked, np.array(weights))


def covered_problems(**options):
    """Problems whose columns are all covered: what a search for regions looks at."""
    return problems(**options).map(lambda problem: problem.where_covered()[0])


@st.composite
def cuts_through(draw, tree):
    """A level per leaf code, so that each released node is whole."""
    if draw(st.booleans()) and draw(st.booleans()):
        return [tree.height] * tree.n_codes
    cut = [None] * tree.n_codes
    for code in range(tree.n_leaves):
        if cut[code] is not None:
            continue
        # the highest level at which the leaf's node holds no leaf that is settled already
        allowed = [
            level
            for level in range(tree.height)
            if all(cut[leaf] is None for leaf in naive.leaves_under(tree, code, level))
        ]
        level = draw(st.sampled_from(allowed))
        for leaf in naive.leaves_under(tree, code, level):
            cut[leaf] = level
    return [0 if level is None else level for level in cut]


@st.composite
def parts_of(draw, table, *, max_classes=4):
    """Deal the records of a table to classes; a tuple may be divided between several."""
    dealt = {}
    for at, count in enumerate(table.records.tolist()):
        for _ in range(count):
            key = at, draw(st.integers(0, max_classes - 1))
            dealt[key] = dealt.get(key, 0) + 1
    number = {}
    for _, each in dealt:
        number.setdefault(each, len(number))
    tuple_of, class_of = np.array([(at, number[each]) for at, each in dealt], np.int32).T.copy()
    return Parts(tuple_of, class_of, np.array(list(dealt.values()), np.int64), len(number))
