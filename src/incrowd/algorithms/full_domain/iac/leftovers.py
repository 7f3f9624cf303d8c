"""Records of classes that are too small: hide some of their cells instead of all.

A record whose class is too small may stand in one that is large enough once it shows fewer columns.
Sets of columns are tried in ascending order of the information about the target that hiding them
gives up; what then forms classes that meet every requirement is settled and leaves, the rest goes
on.  A column still shows values of one level, or the root.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any

import numpy as np

from incrowd.algorithms.full_domain.iac.generalised import Generalised
from incrowd.arrays import Mask
from incrowd.progress import Progress
from incrowd.recoding import suppressed_by

MOST_SETS = 1024
"""Sets of columns that are tried before only the least informative ones are."""


@dataclass(frozen=True, eq=False)
class SettledLeftovers:
    """Which cells are hidden so that fewer records are suppressed.

    Parameters
    ----------
    hidden
        By column and tuple.
    suppressed
        By tuple: those for which nothing helped.
    steps
        The sets of columns that helped, with the records that were settled by each.
    """

    hidden: Mask
    suppressed: Mask
    steps: tuple[dict[str, Any], ...]


def settle(
    generalised: Generalised, suppressed: Mask, information: Sequence[float], progress: Progress
) -> SettledLeftovers:
    """Hide cells of the suppressed tuples so that as many as possible can be released.

    Parameters
    ----------
    generalised
        The table at its levels.
    suppressed
        The tuples whose classes break a requirement.
    information
        Per column, the information about the target that its values hold.
    progress
        What is told about each set of columns that was tried.
    """
    table, problem = generalised.table, generalised.problem
    hidden = np.zeros(table.codes.shape, dtype=bool)
    left, steps = np.flatnonzero(suppressed), []
    may_hide = [each.highest == each.height for each in problem.hierarchies]
    candidates = np.flatnonzero(problem.is_covered & may_hide).tolist()
    for tried, columns in enumerate(sets_to_hide(candidates, information), start=1):
        if not len(left):
            break
        chosen = np.isin(np.arange(len(hidden)), columns)
        shown, nothing = generalised.hiding(table.codes[:, left], chosen[:, None])
        falls = suppressed_by(
            problem.requirements, table.at(left), shown, generalised.sizes, already=nothing
        )
        settled = left[~falls]
        if len(settled):
            hidden[:, settled] = chosen[:, None]
            names = [table.columns[j] for j in columns]
            steps.append({"hidden": names, "records": int(table.records[settled].sum())})
            left = left[falls]
        progress.update(tried)
    still = np.zeros_like(suppressed)
    still[left] = True
    hidden[:, still] = False
    return SettledLeftovers(hidden, generalised.suppressed(still, hidden), tuple(steps))


def sets_to_hide(columns: Sequence[int], information: Sequence[float]) -> Iterator[list[int]]:
    """Yield sets of columns, those first that give up the least information; never all of them.

    Of equal ones the smaller set comes first, then the first in column order.  After `MOST_SETS` of
    them only the least informative one, two, three ... columns are yielded.

    >>> list(sets_to_hide([0, 1, 2], [0.5, 0.1, 0.2]))
    [[1], [2], [1, 2], [0], [0, 1], [0, 2]]
    """
    ascending = sorted(columns, key=lambda j: (round(information[j], 12), j))
    yield from islice(_by_cost(ascending, information), MOST_SETS)
    if 2 ** len(columns) - 2 > MOST_SETS:
        yield from (sorted(each) for each in accumulate([[j] for j in ascending[:-1]]))


def _by_cost(ascending: Sequence[int], information: Sequence[float]) -> Iterator[list[int]]:
    """Yield the subsets in ascending order of their sums, without listing all of them first."""
    queue: list[tuple[float, int, list[int], tuple[int, ...]]] = []

    def push(places: tuple[int, ...]) -> None:
        chosen = sorted(ascending[at] for at in places)
        cost = round(sum(information[j] for j in chosen), 12)
        heapq.heappush(queue, (cost, len(chosen), chosen, places))

    if len(ascending) > 1:
        push((0,))
    while queue:
        _, _, chosen, places = heapq.heappop(queue)
        if len(chosen) < len(ascending):
            yield chosen
        following = places[-1] + 1
        if following < len(ascending):
            push((*places, following))
            push((*places[:-1], following))
