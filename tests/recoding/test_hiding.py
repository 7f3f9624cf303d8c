"""Cells hidden on top of a global recoding: what is shown meets the requirements."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.algorithms.shared.cuts import released_at
from incrowd.recoding import SUPPRESSED, Found, GlobalRecoding
from naive import counting as naive
from strategies import cuts_through, problems


@st.composite
def hidings(draw):
    problem = draw(problems())
    cuts = [draw(cuts_through(tree)) for tree in problem.hierarchies]
    shape = problem.table.codes.shape
    n_cells = shape[0] * shape[1]
    flags = draw(st.lists(st.booleans(), min_size=n_cells, max_size=n_cells))
    return problem, cuts, np.array(flags, dtype=bool).reshape(shape)


def hiding(problem, cuts, hidden):
    arrays = [np.array(cut, dtype=np.int32) for cut in cuts]
    return GlobalRecoding.hiding(
        problem.requirements, problem.table, problem.hierarchies, arrays, hidden, Found("test")
    )


def shown_cell(tree, code, level):
    """Return what a cell shows; whatever covers all codes says as much as the root."""
    cell = naive.release_cell(tree, code, level)
    everything = tree.n_codes == tree.n_leaves and len(cell.leaves) == tree.n_leaves
    root = everything or cell.value in (naive.TOP, naive.UNKNOWN)
    return naive.TOP if root else cell.value


def naive_shown(problem, cuts, hidden):
    """Return what each record shows, and whether hiding leaves it with nothing but roots."""
    table, trees = problem.table, problem.hierarchies
    rows = [
        [
            shown_cell(tree, int(code), cuts[j][code])
            for j, (tree, code) in enumerate(zip(trees, codes, strict=True))
        ]
        for codes in table.codes.T
    ]
    shown, bare = [], []
    for row, count in zip(rows, table.records.tolist(), strict=True):
        flags = hidden[:, [at for at, other in enumerate(rows) if other == row]].any(axis=1)
        cells = [naive.TOP if flag else cell for cell, flag in zip(row, flags, strict=True)]
        shown += [cells] * count
        bare += [set(cells) == {naive.TOP} and bool(flags.any())] * count
    return shown, bare


@settings(max_examples=150)
@given(hidings())
def test_what_is_shown_meets_the_requirements_and_no_more_is_suppressed(drawn):
    problem, cuts, hidden = drawn
    shown, bare = naive_shown(problem, cuts, hidden)
    kept = [at for at, nothing in enumerate(bare) if not nothing]
    names = problem.columns
    asked = [
        ([names.index(name) for name in each.on], naive.at_least(each.k))
        for each in problem.requirements
    ]
    falling = {kept[at] for at in naive.suppress([shown[at] for at in kept], asked)}
    expected = Counter(tuple(shown[at]) for at in kept if at not in falling)
    assignment = hiding(problem, cuts, hidden).assign(problem.table)
    assert sorted(assignment.class_sizes.tolist()) == sorted(expected.values())
    person = 0
    for part, records in enumerate(assignment.records.tolist()):
        suppressed = bare[person] or person in falling
        assert (assignment.class_of[part] == SUPPRESSED) == suppressed
        person += records


@settings(max_examples=50)
@given(hidings())
def test_hiding_nothing_changes_nothing_and_something_is_always_released(drawn):
    problem, cuts, hidden = drawn
    arrays = [np.array(cut, dtype=np.int32) for cut in cuts]
    plain = GlobalRecoding.meeting(
        problem.requirements, problem.table, problem.hierarchies, arrays, Found("test")
    ).assign(problem.table)
    same = hiding(problem, cuts, np.zeros_like(hidden)).assign(problem.table)
    assert same.class_of.tolist() == plain.class_of.tolist()
    found = released_at(problem, arrays, Found("test"), hidden=hidden).assign(problem.table)
    assert found.n_classes > 0
