"""Columns as rows of the leaves that occur, and cuts between them, for compiled searches."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from incrowd import kernels
from incrowd.algorithms.base import Problem
from incrowd.algorithms.shared.cuts import released_at, telling_of_suppression, with_notes
from incrowd.arrays import Codes, Counts
from incrowd.counts import sum_by_group
from incrowd.errors import UnsatisfiableError
from incrowd.hierarchies.settling import CutsBetween
from incrowd.hierarchies.tree import Hierarchy
from incrowd.recoding import Found, GlobalRecoding, cut_at_parts, grown_hierarchy

Flags = npt.NDArray[np.uint8]
ColumnCut = tuple[Hierarchy, Codes]


@dataclass(frozen=True, eq=False)
class PlacedTable:
    """The columns that some requirement covers, each value by its place among those that occur.

    Parameters
    ----------
    columns
        Their positions among the problem's columns.
    codes
        By column, the leaf code at each place: leaves in their order (the first under each node of
        the lowest level that may be released), then the unknown code, then the missing one.  So
        whatever joins a leaf with a missing cell joins it with the unknown ones too, and all of
        that is the root.
    kernel
        Their places by tuple with all that is asked of classes, as the searches take it.
    """

    columns: tuple[int, ...]
    codes: tuple[Codes, ...]
    kernel: kernels.CutTable


def placed(problem: Problem, classes: Codes | None = None) -> PlacedTable:
    """Return the table of a problem with places for codes.

    Parameters
    ----------
    problem
        What is to be solved.
    classes
        The class of each tuple, for searches that look at it.
    """
    table = problem.at_lowest_levels()
    columns = tuple(np.flatnonzero(problem.is_covered).tolist())
    codes = tuple(_row(problem.hierarchies[j], table.codes[j]) for j in columns)
    places = np.zeros((len(columns), table.n_tuples), dtype=np.int32)
    for at, j in enumerate(columns):
        place_of = np.empty(problem.hierarchies[j].n_codes, dtype=np.int32)
        place_of[codes[at]] = np.arange(len(codes[at]), dtype=np.int32)
        places[at] = place_of[table.codes[j]]
    target = np.zeros(table.n_tuples, np.int32) if classes is None else classes
    sizes = np.array([len(each) for each in codes], dtype=np.int64)
    asked = _asked(problem, columns, kernels.Table(places, table.records), sizes, target)
    return PlacedTable(columns, codes, asked)


def _asked(
    problem: Problem, columns: Sequence[int], places: kernels.Table, sizes: Counts, target: Codes
) -> kernels.CutTable:
    """Return a table of places with what is asked of its classes, as far as kernels can ask it."""
    asked, everywhere, elsewhere = problem.requirements, 1, []
    for each in asked:
        covered = np.isin(columns, problem.covered(each))
        if covered.all():
            everywhere = max(everywhere, each.minimum_size)
        elif each.minimum_size > 1:
            elsewhere.append((covered.astype(np.uint8), each.minimum_size))
    table = kernels.CutTable(places, sizes, target, everywhere)
    for demand in elsewhere:
        table.demand(*demand)
    if asked.compiled and not asked.only_sizes:
        table.promise(asked.kernel, np.array(columns, dtype=np.int64), problem.masks)
    return table


def _row(hierarchy: Hierarchy, codes: Codes) -> Codes:
    present = np.unique(codes)
    leaves = present[present < hierarchy.n_leaves]
    extra = [each for each in (hierarchy.unknown_code, hierarchy.missing_code) if each in present]
    return np.concatenate([leaves, np.array(extra, np.int32)]).astype(np.int32)


def by_column(flags: Flags, counts: npt.ArrayLike) -> list[Flags]:
    """Return the flags of each column, given how many each has."""
    ends = np.cumsum(counts)
    return np.split(flags, ends[:-1]) if len(ends) else []


def row_cut(
    hierarchy: Hierarchy,
    codes: Codes,
    splits: Flags,
    domain: tuple[float, float] | None = None,
) -> ColumnCut:
    """Return what a column is released as if its row of values is split at some places.

    A part that is the only one with leaves, and one that joins leaves with missing or unknown
    cells, is the root.  A part with one leaf that occurs is that leaf.

    Parameters
    ----------
    hierarchy
        Of the column.
    codes
        The leaf code at each place.
    splits
        Whether there is a split before the second place, the third ...
    domain
        The smallest and the largest number that the column can hold.
    """
    own = np.zeros(hierarchy.n_codes, dtype=np.int32)
    part_of = np.concatenate([[0], np.cumsum(splits)]).astype(np.intp)
    leaf_parts = part_of[codes < hierarchy.n_leaves]
    if (splits > 0).all() or not len(leaf_parts):
        return hierarchy, own if (splits > 0).all() else own + np.int32(hierarchy.height)
    first = np.unique(leaf_parts, return_index=True)[1]
    tree, cut = hierarchy, own
    if len(first) > 1:
        tree = grown_hierarchy(hierarchy, [0, *codes[first[1:]].tolist()], domain)
        cut = cut_at_parts(tree, leaves=True)
    starts = np.append(np.append(0, codes[first[1:]]), hierarchy.n_leaves)
    in_part = np.bincount(part_of)
    for at, (low, high) in enumerate(pairwise(starts.tolist())):
        alone = in_part[at] == 1
        joined = in_part[at] > (leaf_parts == at).sum()
        if alone:
            cut[low:high] = 0
        elif joined or len(first) == 1:
            cut[low:high] = tree.height
    extra = codes[codes >= hierarchy.n_leaves]
    shared = in_part[part_of[len(leaf_parts) :]] > 1
    cut[extra] = np.where(shared, tree.height, 0)
    return tree, cut


def legal_splits(problem: Problem, j: int, codes: Codes) -> Flags:
    """Return whether a row of values may be split before the second place, the third ...

    A split of numbers needs a bound that names no value of fewer than k records: see `RoundBounds`.
    Missing and unknown cells, and texts, can be split from anything.

    Parameters
    ----------
    problem, j
        The column's place in the problem.
    codes
        The leaf code at each place.
    """
    tree, later = problem.hierarchies[j], codes[1:]
    if not tree.ascending:
        return np.ones(len(later), dtype=np.uint8)
    table = problem.table
    records = sum_by_group(table.codes[j], table.records, tree.n_codes)[: tree.n_leaves]
    legal = np.ones(tree.n_codes, dtype=np.uint8)
    legal[: tree.n_leaves] = CutsBetween(tree, records, problem.crowd).legal
    return legal[later]


def reads_alike(hierarchy: Hierarchy, codes: Codes, splits: Flags) -> bool:
    """Whether two parts of a row are both released as the root: all leaves, and unknown values."""
    n_leaves = int((codes < hierarchy.n_leaves).sum())
    unknown = hierarchy.has_unknown and bool((codes == hierarchy.unknown_code).any())
    return unknown and n_leaves > 1 and not splits[: n_leaves - 1].any() and bool(splits.any())


def proves(problem: Problem) -> bool:
    """Whether what a search over cuts counts for each set of them is what they suppress.

    Where requirements that ask for more than sizes name different columns, what one suppresses may
    help or harm the classes of another, and splits that divide no class that is left can matter.
    """
    asked = problem.requirements
    one_view = len({problem.covered(each) for each in asked}) <= 1
    return asked.only_sizes or (asked.compiled and one_view)


def released_within(
    problem: Problem, cut_of: dict[int, ColumnCut], found: Found, most: int
) -> GlobalRecoding:
    """Return the recoding under cuts of the covered columns; the others stay as they are.

    The search has counted at most `most` suppressed records.  Where it could not ask a requirement
    of another package, or two parts of a column read alike, there may be more; then each covered
    column is released as its root, and a note says so.
    """
    trees = list(problem.hierarchies)
    cuts = [np.zeros(each.n_codes, dtype=np.int32) for each in trees]
    for j, (tree, cut) in cut_of.items():
        trees[j], cuts[j] = tree, cut
    recoding = released_at(problem, cuts, found, trees, most=most)
    if _suppressed(problem, recoding) <= most:
        return telling_of_suppression(problem, recoding)
    for j in cut_of:
        trees[j] = problem.hierarchies[j]
        cuts[j] = np.full(trees[j].n_codes, trees[j].highest, dtype=np.int32)
    recoding = released_at(problem, cuts, replace(found, optimal=_not_proven(found)), trees)
    least = _suppressed(problem, recoding)
    if least > most:
        raise beyond_limit(problem, found.algorithm, least, most)
    note = (
        "the cuts that were found suppress more records than suppression_limit allows, and every "
        "covered column is released as its root instead."
    )
    return with_notes(recoding, note)


def _suppressed(problem: Problem, recoding: GlobalRecoding) -> int:
    return recoding.assign(problem.table, problem.hierarchies).n_suppressed


def _not_proven(found: Found) -> bool | None:
    return None if found.optimal is None else False


def beyond_limit(problem: Problem, algorithm: str, least: int, most: int) -> UnsatisfiableError:
    """Return the error for a table of which more records would have to be suppressed."""
    promises = "; ".join(each.describe() for each in problem.requirements)
    return UnsatisfiableError(
        f"{algorithm} finds no cuts that meet {promises} with at most {most:,} suppressed records: "
        f"with every covered column as general as it may be there are {least:,}.",
        hint=f"allow a suppression_limit of {least / problem.table.n_records:.4f}, or weaken the "
        "requirements.",
    )
