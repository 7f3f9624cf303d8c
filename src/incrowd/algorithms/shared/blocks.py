"""Searches for regions and classes that keep to the highest levels: block by block.

Where a column may not be released above some level, records under different nodes of that level
never share a class.  So the table falls into blocks, one for each combination of such nodes, and
each is searched for itself.  A block that cannot hold what is asked is left as one class: it breaks
a requirement, and whoever releases the recoding suppresses it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from incrowd.algorithms.problem import Problem
from incrowd.arrays import Places
from incrowd.counts import Parts, group
from incrowd.errors import UnsatisfiableError
from incrowd.recoding import (
    ColumnValues,
    Found,
    LocalRecoding,
    MultidimensionalRecoding,
    SplitTree,
)
from incrowd.recoding.released_values import members_inside

Classes = LocalRecoding | MultidimensionalRecoding
Solve = Callable[[Problem], Classes]


class _Block(NamedTuple):
    """Tuples that may share classes, with what was found for them; None if nothing was."""

    tuples: Places
    nodes: tuple[int, ...]  # by limited column, its node at the highest level
    problem: Problem
    found: Classes | None


def limited_columns(problem: Problem) -> list[int]:
    """Return the columns that may not be released as their root."""
    return [j for j, each in enumerate(problem.hierarchies) if each.highest < each.height]


def solved_in_blocks(solve: Solve, problem: Problem) -> Classes:
    """Return the recoding that a search finds for each block of a table, put together."""
    columns = limited_columns(problem)
    blocks = [_held(problem, _solved(solve, each)) for each in _blocks(problem, columns)]
    results = [each.found for each in blocks if each.found is not None]
    found = _told(results, len(blocks))
    if results and all(isinstance(each, MultidimensionalRecoding) for each in results):
        return _in_regions(problem, columns, blocks, found)
    return _in_classes(problem, blocks, found)


def _blocks(problem: Problem, columns: Sequence[int]) -> Iterator[_Block]:
    """Yield the blocks, in the order of their nodes."""
    table, trees = problem.table, problem.hierarchies
    at_highest = [trees[j].index_at[trees[j].highest][table.codes[j]] for j in columns]
    block_of, first = group(
        np.stack(at_highest), [trees[j].domain_size(trees[j].highest) for j in columns]
    )
    nodes = [tuple(int(each[at]) for each in at_highest) for at in first.tolist()]
    order = np.argsort(block_of, kind="stable")
    ends = np.cumsum(np.bincount(block_of, minlength=len(first)))
    members = np.split(order, ends[:-1])
    for at in sorted(range(len(nodes)), key=nodes.__getitem__):
        part = replace(problem, table=table.at(members[at]))
        yield _Block(members[at], nodes[at], part, None)


def _solved(solve: Solve, block: _Block) -> _Block:
    try:
        return block._replace(found=solve(block.problem))
    except UnsatisfiableError:
        return block


def _held(problem: Problem, block: _Block) -> _Block:
    """Return a block as one class, if that holds where the classes that were found do not.

    A distribution is compared with that of the whole table, which a block does not know.
    """
    asked = problem.requirements
    if block.found is None or asked.only_sizes:
        return block
    parts = _classes_of(block).parts
    tuples = block.tuples.astype(np.int32)
    classes = Parts(tuples[parts.tuple_of], parts.class_of, parts.records, parts.n_classes)
    alone = np.zeros(len(tuples), dtype=np.int32)
    whole = Parts(tuples, alone, problem.table.records[block.tuples], 1)
    if asked.violating(classes).any() and not asked.violating(whole).any():
        return block._replace(found=None)
    return block


def _told(results: Sequence[Classes], n_blocks: int) -> Found:
    """Return how a recoding was found whose blocks were found like this."""
    if not results:
        return Found("levels", facts={"blocks": n_blocks})
    first = results[0].found
    notes = [note for each in results for note in each.found.facts.get("notes", ())]
    proven = [each.found.optimal for each in results]
    optimal = None if None in proven else all(proven) and len(results) == n_blocks
    checked = [each.found.checked for each in results]
    return Found(
        first.algorithm,
        first.search,
        optimal=optimal,
        checked=None if None in checked else sum(each or 0 for each in checked),
        facts={"blocks": n_blocks, "notes": list(dict.fromkeys(notes))},
    )


# ---- classes -------------------------------------------------------------------------------------


def _in_classes(problem: Problem, blocks: Sequence[_Block], found: Found) -> LocalRecoding:
    """Put the classes of all blocks together."""
    dealt = [_classes_of(each) for each in blocks]
    offsets = np.cumsum([0, *(each.parts.n_classes for each in dealt)])
    parts = Parts(
        np.concatenate([b.tuples[d.parts.tuple_of] for b, d in zip(blocks, dealt, strict=True)])
        .astype(np.int32),
        np.concatenate([d.parts.class_of + at for d, at in zip(dealt, offsets[:-1], strict=True)])
        .astype(np.int32),
        np.concatenate([each.parts.records for each in dealt]),
        int(offsets[-1]),
    )  # fmt: skip
    if all(each.values is None for each in dealt):
        return problem.in_classes(parts, found)
    by_column = zip(*(each.column_values for each in dealt), strict=True)
    return problem.in_classes(parts, found, [_joined(each) for each in by_column])


def _classes_of(block: _Block) -> LocalRecoding:
    """Return the classes of a block; all of it as one if nothing was found."""
    if isinstance(block.found, LocalRecoding):
        return block.found
    table = block.problem.table
    regions = np.zeros(table.n_tuples, dtype=np.int32)
    if block.found is not None:
        tree = block.found.tree
        regions = group(tree.regions_of(table.codes)[None], [tree.n_regions])[0]
    return block.problem.in_classes(Parts.whole(regions, table.records), Found("levels"))


def _joined(columns: Sequence[ColumnValues]) -> ColumnValues:
    """Return the released values of one column, of the classes of several blocks in a row."""
    numbered: dict[str | None, int] = {}
    label_of = [
        np.array([numbered.setdefault(label, len(numbered)) for label in each.labels], np.int32)[
            each.label_of
        ]
        for each in columns
    ]

    def together(name: str) -> Any:
        figures = [getattr(each, name) for each in columns]
        return None if any(each is None for each in figures) else np.concatenate(figures)

    return ColumnValues(
        together("low"),
        together("high"),
        np.concatenate(label_of).astype(np.int32),
        tuple(numbered),
        together("levels"),
        together("leaves"),
    )


# ---- regions -------------------------------------------------------------------------------------


def _in_regions(
    problem: Problem, columns: Sequence[int], blocks: Sequence[_Block], found: Found
) -> MultidimensionalRecoding:
    """Put the regions of all blocks under cuts that part the blocks."""
    regions = [_regions_of(problem, columns, each) for each in blocks]
    offsets = np.cumsum([0, *(each.tree.n_regions for each in regions)])
    low = np.concatenate([each.low for each in regions])
    high = np.concatenate([each.high for each in regions])
    members = None
    if problem.labels == "set":
        members = tuple(
            np.concatenate(
                [
                    each.members[j] + at * problem.hierarchies[j].n_codes
                    for each, at in zip(regions, offsets[:-1].tolist(), strict=True)
                    if each.members is not None
                ]
            )
            for j in range(len(problem.columns))
        )
    tree = _parted(problem, columns, blocks, [each.tree for each in regions], offsets)
    return MultidimensionalRecoding(
        problem.columns,
        problem.hierarchies,
        tree,
        low,
        high,
        problem.labels,
        found,
        members=members,
    )


def _regions_of(
    problem: Problem, columns: Sequence[int], block: _Block
) -> MultidimensionalRecoding:
    """Return the regions of a block, which span no more than it does; one if none were found."""
    table, trees = block.problem.table, problem.hierarchies
    none = np.zeros(0, dtype=np.int32)
    whole = SplitTree(none, none, none, none)
    found = block.found
    if not isinstance(found, MultidimensionalRecoding):
        return MultidimensionalRecoding.of_table(
            table, trees, whole, problem.labels, Found("levels")
        )
    low, high = found.low.copy(), found.high.copy()
    some = high[:, 0] > 0
    for j, node in zip(columns, block.nodes, strict=True):
        inside = np.flatnonzero(trees[j].index_at[trees[j].highest] == node)
        low[some, j] = np.maximum(low[some, j], inside[0])
        high[some, j] = np.minimum(high[some, j], inside[-1] + 1)
    if found.members is None:
        return replace(found, low=low, high=high)
    members = list(found.members)
    for j in columns:  # released as nodes, whatever their members are
        members[j] = members_inside(low[:, j], high[:, j], trees[j].n_codes)
    return replace(found, low=low, high=high, members=tuple(members))


def _parted(
    problem: Problem,
    columns: Sequence[int],
    blocks: Sequence[_Block],
    trees: Sequence[SplitTree],
    offsets: Places,
) -> SplitTree:
    """Return the tree that leads to each block, and on to its regions."""
    rows: list[list[int]] = []  # column, cut, left, right; children stand after their parents
    waiting: list[tuple[list[int], int, int]] = [(list(range(len(blocks))), -1, 0)]
    while waiting:
        some, parent, side = waiting.pop()
        place = len(rows)
        if len(some) > 1:
            depth, middle = _first_difference([blocks[at].nodes for at in some])
            tree = problem.hierarchies[columns[depth]]
            node = blocks[some[middle]].nodes[depth]
            cut = int(np.flatnonzero(tree.index_at[tree.highest] == node)[0])
            rows.append([columns[depth], cut, 0, 0])
            waiting += [(some[middle:], place, 3), (some[:middle], place, 2)]
        else:
            at = some[0]
            place = _appended(rows, trees[at], int(offsets[at]))
        if parent >= 0:
            rows[parent][side] = place
    filled = np.array(rows, dtype=np.int32).reshape(-1, 4).T
    return SplitTree(*(np.ascontiguousarray(each) for each in filled))


def _first_difference(nodes: Sequence[tuple[int, ...]]) -> tuple[int, int]:
    """Return the first place in which tuples in order differ, and where to part them there.

    They are parted before the middle one of those that differ from the one before.

    >>> _first_difference([(1, 2), (1, 2), (1, 5), (1, 7)])
    (1, 3)
    """
    depth = next(at for at in range(len(nodes[0])) if nodes[0][at] != nodes[-1][at])
    starts = [at for at in range(1, len(nodes)) if nodes[at][depth] != nodes[at - 1][depth]]
    return depth, starts[len(starts) // 2]


def _appended(rows: list[list[int]], tree: SplitTree, first_region: int) -> int:
    """Append the cuts of a block; return its first one, or its only region as a child is told."""
    if not len(tree.column):
        return ~first_region
    start = len(rows)
    for column, cut, *children in zip(
        tree.column.tolist(), tree.cut.tolist(), tree.left.tolist(), tree.right.tolist(),
        strict=True,
    ):  # fmt: skip
        placed = [each + start if each >= 0 else each - first_region for each in children]
        rows.append([column, cut, *placed])
    return start
