"""Global recodings as the searches over levels and subtrees return them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from incrowd.algorithms.base import Problem
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
) -> GlobalRecoding:
    """Return the recoding under these cuts that suppresses as little as possible.

    Where everything would have to be suppressed, every column is released as its root: the same
    table, but as a class of its own that meets what the table as a whole meets.

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
    """
    table, trees = problem.table, problem.hierarchies if hierarchies is None else hierarchies
    asked = problem.requirements
    if hidden is None:
        recoding = GlobalRecoding.meeting(asked, table, trees, cuts, found)
    else:
        recoding = GlobalRecoding.hiding(asked, table, trees, cuts, hidden, found)
    if len(recoding.released):
        return recoding
    roots = [np.full(each.n_codes, each.height, dtype=np.int32) for each in trees]
    return GlobalRecoding.meeting(asked, table, trees, roots, found)


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
