"""Rows dealt to classes at random, where a recoding divides equal records between several."""

import numpy as np

from incrowd.arrays import Codes, Counts, Integers, Places
from incrowd.engines.randomness import Chance, chance
from incrowd.private import private_dataclass
from incrowd.recoding.assignment import Assignment

_DRAWN_EXACTLY = 10**8  # records of one tuple: every one of them is drawn, which takes seconds


@private_dataclass
class Dealt:
    """Rows, or pieces of compressed ones, with their classes.

    Parameters
    ----------
    rows
        By piece: its row; None where each row is one piece.
    class_of
        By piece: the class it is released in.
    records
        By piece: how many records it stands for; None where each is one.
    """

    rows: Integers | None
    class_of: Codes
    records: Counts | None


def deal(
    assignment: Assignment, tuple_of: Codes, counts: Counts | None, seed: int | None = None
) -> Dealt:
    """Deal the records of each tuple to its parts, with randomness that nobody can repeat.

    Parameters
    ----------
    assignment
        How many records of each tuple go to which class.
    tuple_of
        By row: its tuple.
    counts
        By row: how many records it stands for; one each if not given.  The records of a row may go
        to different classes.
    seed
        Makes an experiment repeatable; no release has one.
    """
    draws = chance(seed)
    rows = draws.permutation(len(tuple_of))
    rows = rows[np.argsort(tuple_of[rows], kind="stable")]
    parts = np.argsort(assignment.tuple_of, kind="stable")
    if counts is not None:
        return _deal_compressed(draws, assignment, parts, tuple_of, rows, counts)
    class_of = np.empty(len(rows), dtype=np.int32)
    class_of[rows] = np.repeat(assignment.class_of[parts], assignment.records[parts])
    return Dealt(None, class_of, None)


def deal_whole(assignment: Assignment, tuple_of: Codes, counts: Counts | None) -> Codes:
    """Deal whole rows to the parts of their tuples, at random but the same way every time.

    For experiments that are to be repeated.  A row that stands for several records goes where the
    first of them falls.  The parameters are those of `deal`.
    """
    rows = chance(seed=0).permutation(len(tuple_of))
    rows = rows[np.argsort(tuple_of[rows], kind="stable")]
    parts = np.argsort(assignment.tuple_of, kind="stable")
    records = np.ones(len(rows), dtype=np.int64) if counts is None else counts[rows]
    before = np.cumsum(records) - records
    part_of = np.searchsorted(np.cumsum(assignment.records[parts]), before, side="right")
    class_of = np.empty(len(rows), dtype=np.int32)
    class_of[rows] = assignment.class_of[parts[part_of]]
    return class_of


def _deal_compressed(
    draws: Chance,
    assignment: Assignment,
    parts: Places,
    tuple_of: Codes,
    rows: Codes,
    counts: Counts,
) -> Dealt:
    """Deal rows that stand for several records; `rows` and `parts` are in the order of tuples."""
    first_part = np.searchsorted(assignment.tuple_of[parts], np.arange(tuple_of.max() + 2))
    first_row = np.searchsorted(tuple_of[rows], np.arange(len(first_part)))
    n_parts = np.diff(first_part)
    whole = np.flatnonzero(n_parts[tuple_of] == 1)
    class_of = assignment.class_of[parts[first_part[tuple_of[whole]]]]
    pieces = [np.stack([whole, class_of, counts[whole]], axis=1)]
    for at in np.flatnonzero(n_parts > 1).tolist():
        own = parts[first_part[at] : first_part[at + 1]]
        left = assignment.records[own].copy()
        for row in rows[first_row[at] : first_row[at + 1]].tolist():
            drawn = _drawn(draws, left, int(counts[row]))
            left -= drawn
            piece = np.stack([np.full(len(own), row), assignment.class_of[own], drawn], axis=1)
            pieces.append(piece[drawn > 0])
    dealt = np.concatenate(pieces)
    dealt = dealt[np.argsort(dealt[:, 0], kind="stable")]
    return Dealt(dealt[:, 0].copy(), dealt[:, 1].astype(np.int32), dealt[:, 2].copy())


def _drawn(draws: Chance, left: Counts, n: int) -> Counts:
    """Draw n records at random from parts with so many places left."""
    total = int(left.sum())
    if total < _DRAWN_EXACTLY:
        return draws.taken(left, n)
    # So many that chance decides next to nothing: each part gets its share, the first ones the rest
    shares = np.array([n * each // total for each in left.tolist()], dtype=np.int64)
    room, short = np.cumsum(left - shares), n - int(shares.sum())
    return shares + np.diff(np.minimum(room, short), prepend=0)
