"""Global recodings as the searches over levels and subtrees return them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.algorithms.parameters import USUAL_LIMIT, records_allowed
from incrowd.arrays import Codes, Mask
from incrowd.hierarchies.tree import Hierarchy
from incrowd.recoding import Found, GlobalRecoding
from incrowd.requirements import KAnonymity


def released_at(
    problem: Problem,
    cuts: Sequence[Codes],
    found: Found,
    hierarchies: Sequence[Hierarchy] | None = None,
    hidden: Mask | None = None,
    most: int | None = None,
) -> GlobalRecoding:
    """Return the recoding under these cuts that suppresses as little as possible.

    Where everything would have to be suppressed, every column is released as its root: the same
    table, but as a class of its own that meets what the table as a whole meets.  Where columns may
    not be released above some level, that takes the place of the root, and cuts that lie higher
    are brought down to it: see `brought_down`.

    Parameters
    ----------
    problem, found
        What was asked, and how it was found.
    cuts
        Per column, the level at which each leaf code is released.
    hierarchies
        Whose levels these are, if not the problem's.
    hidden
        By column and tuple, whether its cell is released as the root; none is if not given.
    most
        How many records may be suppressed because columns may not rise to their root.
    """
    table, trees = problem.table, problem.hierarchies if hierarchies is None else hierarchies
    asked = problem.requirements
    if any((cut > tree.highest).any() for cut, tree in zip(cuts, trees, strict=True)):
        found = replace(found, optimal=False if found.optimal else found.optimal)
        usual = records_allowed(USUAL_LIMIT, table.n_records)
        cuts = brought_down(problem, cuts, trees, usual if most is None else min(most, usual))
    if hidden is None:
        recoding = GlobalRecoding.meeting(asked, table, trees, cuts, found)
    else:
        recoding = GlobalRecoding.hiding(asked, table, trees, cuts, hidden, found)
    if len(recoding.released):
        return recoding
    return GlobalRecoding.meeting(asked, table, trees, highest_cuts(trees), found)


def brought_down(
    problem: Problem, cuts: Sequence[Codes], hierarchies: Sequence[Hierarchy], allowed: int
) -> list[Codes]:
    """Return cuts that lie nowhere above the highest level that is allowed.

    A search that starts at the roots, or may end there, leaves columns too high.  Brought down,
    classes that held may hold no longer; then other columns rise, one level at a time, each time
    the one that leaves the fewest records to be suppressed, until no more have to be than are
    `allowed`, or than were before.
    """
    table, asked = problem.table, problem.requirements

    def suppressed(some: Sequence[Codes]) -> int:
        found = GlobalRecoding.meeting(asked, table, hierarchies, some, Found("levels"))
        assigned = found.assign(table, problem.hierarchies)
        return assigned.n_suppressed - assigned.n_beyond

    most = max(suppressed(cuts), allowed)
    now = [np.minimum(cut, tree.highest) for cut, tree in zip(cuts, hierarchies, strict=True)]
    fewest = suppressed(now)
    while fewest > most:
        raised = [[*now[:j], up, *now[j + 1 :]] for j, up in _one_level_up(problem, now)]
        if not raised:
            break
        figures = [suppressed(each) for each in raised]
        fewest = min(figures)
        now = raised[figures.index(fewest)]
    return now


def _one_level_up(problem: Problem, cuts: Sequence[Codes]) -> Iterator[tuple[int, Codes]]:
    """Yield the covered columns that can rise, each with the cut whose lowest parts have risen."""
    for j, (cut, tree) in enumerate(zip(cuts, problem.hierarchies, strict=True)):
        if problem.is_covered[j] and cut.min(initial=tree.highest) < tree.highest:
            yield j, np.maximum(cut, cut.min() + 1).astype(np.int32)


def highest_cuts(hierarchies: Sequence[Hierarchy]) -> list[Codes]:
    """Return the cuts at the highest level that each column may be released at."""
    return [np.full(each.n_codes, each.highest, dtype=np.int32) for each in hierarchies]


def telling_of_suppression(problem: Problem, recoding: GlobalRecoding) -> GlobalRecoding:
    """Return a recoding with a note, if more records fall than do for the sizes of classes."""
    if problem.requirements.only_sizes:
        return recoding
    table = problem.table
    fell = recoding.assign(table, problem.hierarchies).n_suppressed
    sizes = [KAnonymity(each.minimum_size, on=each.on) for each in problem.requirements]
    alone = GlobalRecoding.meeting(
        sizes, table, recoding.hierarchies, recoding.cuts, recoding.found
    ).assign(table, problem.hierarchies)
    if fell <= alone.n_suppressed:
        return recoding
    note = (
        f"{fell:,} records ({fell / table.n_records:.1%}) are suppressed, and "
        f"{alone.n_suppressed:,} would be if nothing but the sizes of classes counted."
    )
    return with_notes(recoding, note)


def with_notes(recoding: GlobalRecoding, *notes: str) -> GlobalRecoding:
    """Return a recoding with more to tell."""
    facts = dict(recoding.found.facts)
    facts["notes"] = [*facts.get("notes", ()), *notes]
    return replace(recoding, found=replace(recoding.found, facts=facts))
