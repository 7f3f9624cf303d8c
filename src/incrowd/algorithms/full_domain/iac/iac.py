"""IACk and IACc: generalise each column to where it tells most about a class, then suppress."""

from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, Literal

import numpy as np

from incrowd.algorithms.base import Effort, Family, Honours, Problem, Purpose, algorithm
from incrowd.algorithms.full_domain.iac.batches import Batches, ColumnThresholds
from incrowd.algorithms.full_domain.iac.best_levels import Chosen
from incrowd.algorithms.full_domain.iac.leftovers import settle
from incrowd.algorithms.parameters import as_float, check_choices
from incrowd.algorithms.shared.cuts import telling_of_suppression
from incrowd.errors import ParameterError
from incrowd.metrics.information import Zero, information
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, GlobalRecoding


@algorithm
@dataclass(frozen=True, kw_only=True)
class IACk:
    """Release each column at the level with the most information about the target, then suppress.

    The information is normalised: bits about the class over the bits of the column itself.

    Parameters
    ----------
    leftover
        What becomes of records whose class breaks a requirement at these levels.  ``"suppress"``:
        they are suppressed, as in [1]_.  ``"generalise"``: sets of their cells are hidden, those
        first that tell least about the target, until they stand in classes that meet every
        requirement; only the rest is suppressed.  Columns still show values of one level, or the
        root.
    zero
        What a value that suppression wipes out adds to the reported divergence: ``"floor"`` counts
        half a record of it, ``"skip"`` leaves it out, ``"inf"`` makes it infinite.

    Notes
    -----
    Levels are chosen column by column and do not depend on the requirements: equal ones go to the
    more specific level, the root counts as 0, and a column with one value, or one that no
    requirement covers, stays as it is.  Where everything would have to be suppressed, every column
    is released as its root, and a note says so.

    `found.facts` has the table of normalised information per column and level, and what suppression
    did: per column the `change` of that information (what is shown against all of it) and the
    normalised Kullback-Leibler `divergence`, with alpha and beta the largest of each.  An infinite
    divergence is None.  With ``leftover="generalise"`` `settled` lists the columns hidden.

    H(C|A) is weighted by the frequency of each value, which [1]_ leaves out in print.  Cost:
    one pass over the tuples per column, one to count the generalised tuples, and the rest on those;
    hiding tries at most 1,024 sets of columns and then the least informative ones together.

    References
    ----------
    .. [1] Li, Liu, Baig, Wong: "Information based data anonymization for classification utility",
       Data & Knowledge Engineering 70(12), 2011, doi:10.1016/j.datak.2011.07.001
    """

    name: ClassVar[str] = "iack"
    honours: ClassVar[Honours] = "by suppressing"
    family: ClassVar[Family] = "full domain"
    carries: ClassVar[tuple[str, ...]] = ("target",)
    purposes: ClassVar[tuple[Purpose, ...]] = ("classification",)

    leftover: Literal["suppress", "generalise"] = "suppress"
    zero: Zero = "floor"

    def __post_init__(self) -> None:
        check_choices(self)

    @classmethod
    def suited(cls, purpose: Purpose, effort: Effort, problem: Problem) -> dict[str, Any]:
        """Return what `auto` builds it with: it has no limit to suppress within."""
        return {"leftover": "generalise"}

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the decision, with alpha and beta among its facts."""
        chosen = Chosen.of(problem, self.name)
        progress.start(self.name)
        table = chosen.generalised.table
        suppressed = chosen.generalised.suppressed()
        hidden = np.zeros(table.codes.shape, dtype=bool)
        facts: dict[str, Any] = {}
        if self.leftover == "generalise" and suppressed.any():
            bits = [information(each, chosen.classes, table.records) for each in table.codes]
            settled = settle(chosen.generalised, suppressed, bits, progress)
            hidden, suppressed = settled.hidden, settled.suppressed
            facts["settled"] = list(settled.steps)
        if suppressed.all() and self.leftover == "suppress":
            facts["notes"] = [nobody_left('leftover = "generalise"')]
        effect = chosen.effect(~(hidden | suppressed), self.zero)
        facts = chosen.facts | effect.facts(problem.columns) | facts
        how = Found(self.name, self.leftover, checked=chosen.checked, facts=facts)
        found = chosen.generalised.recoding(suppressed, how, hidden)
        return telling_of_suppression(problem, found)


@algorithm
@dataclass(frozen=True, kw_only=True)
class IACc:
    """Suppress as many of the smallest classes as the columns' distributions bear.

    Levels are those of `iack`.  Classes are then suppressed in ascending order of size, all of one
    size together, while in every column the normalised Kullback-Leibler divergence and the change
    of normalised information about the target stay within their thresholds.

    Parameters
    ----------
    delta_d, delta_c
        The largest divergence and the largest change of information allowed, for every column.
        Where one is not given it is estimated, by `fraction`.
    fraction
        Thresholds per column as a share of the most that could happen to it: the divergence if
        one record of each value were left, and the entropy of the target over the column's own.
    zero
        What a value that suppression wipes out adds to the divergence: ``"floor"`` counts half a
        record of it, ``"skip"`` leaves it out, ``"inf"`` allows no value to be wiped out.

    Notes
    -----
    The policy's requirements come first: what they demand is suppressed whatever the thresholds
    say, and `found.facts["floor_holds"]` tells whether these bore it.  The largest class is never
    suppressed.  `k` is the size of the smallest class left, over the columns that requirements
    cover; `k_printed` is the number that [1]_ returns, one more than the largest size suppressed.
    `stopped_by` names the first constraint and column that the next batch would break; it is None
    if only classes of one size are left.  Where a batch makes other requirements suppress more and
    that is too much, the search goes back batch by batch.

    Cost: that of `iack`, and one sort of the generalised tuples per column, whatever the number
    of batches.

    References
    ----------
    .. [1] Li, Liu, Baig, Wong: "Information based data anonymization for classification utility",
       Data & Knowledge Engineering 70(12), 2011, doi:10.1016/j.datak.2011.07.001
    """

    name: ClassVar[str] = "iacc"
    honours: ClassVar[Honours] = "by suppressing"
    family: ClassVar[Family] = "full domain"
    carries: ClassVar[tuple[str, ...]] = ("target",)

    delta_d: float | None = None
    delta_c: float | None = None
    fraction: float = 0.05
    zero: Zero = "floor"

    def __post_init__(self) -> None:
        for what in ("delta_d", "delta_c"):
            if getattr(self, what) is not None:
                _check_number(getattr(self, what), what)
        _check_number(self.fraction, "fraction")
        check_choices(self)

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the decision with the largest k that the thresholds bear."""
        chosen = Chosen.of(problem, self.name)
        progress.start(self.name)
        generalised = chosen.generalised
        floor = generalised.suppressed()
        if floor.all():
            notes = [nobody_left('algorithm "iack" with leftover = "generalise"')]
            how = Found(self.name, checked=chosen.checked, facts=chosen.facts | {"notes": notes})
            return telling_of_suppression(problem, generalised.recoding(floor, how))
        limits = ColumnThresholds.of(chosen, self.delta_d, self.delta_c, self.fraction)
        batches = Batches.of(generalised, floor, self.zero)
        last, stopped = batches.last_within(limits)
        while True:
            asked = batches.of_tuple <= last
            suppressed = generalised.suppressed(asked)
            shown = np.broadcast_to(~suppressed, generalised.table.codes.shape)
            effect = chosen.effect(shown, self.zero)
            if last == 0 or (suppressed == asked).all() or limits.hold(effect, suppressed):
                break
            stopped = batches.stop(limits.broken(effect.divergence, effect.change), last)
            last -= 1
            progress.update(batches.n_batches - last)
        facts = {
            "thresholds": limits.facts(problem.columns),
            "floor_holds": batches.holds(limits, 0),
            "k": int(generalised.size_of[~suppressed].min()),
            "k_printed": int(generalised.size_of[suppressed].max(initial=0)) + 1,
            "stopped_by": stopped,
        }
        facts = chosen.facts | effect.facts(problem.columns) | facts
        how = Found(self.name, checked=chosen.checked, facts=facts)
        return telling_of_suppression(problem, generalised.recoding(suppressed, how))


def nobody_left(way_out: str) -> str:
    """Return the note on a table of which everything would be suppressed at the chosen levels."""
    return (
        "every column is released as its root: at the levels that tell most about the target every "
        "record would be suppressed, for a column of which single records have the finest values "
        f"looks as if it told much. {way_out} hides such cells where that helps; a coarser "
        "hierarchy for such a column does too."
    )


def _check_number(value: object, what: str) -> None:
    """Raise unless `value` is a number of 0 or more."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(
        value, bool
    )
    if not number or not 0 <= as_float(value) < inf:
        raise ParameterError(
            f"{what} must be a number of 0 or more.",
            hint=f"write for example {what} = 0.05.",
            values=[value],
        )
