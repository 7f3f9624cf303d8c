"""What a metric is, what it measures, and the registry of them."""

import math
import operator
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np

from incrowd.arrays import Codes, Counts, Floats, Mask
from incrowd.counts import CoarseTable, FrequencyTable
from incrowd.errors import ParameterError, PluginError, PluginWarning
from incrowd.hierarchies.tree import Hierarchy
from incrowd.metrics.sensitive import SensitiveSpread
from incrowd.metrics.target import TargetSpread
from incrowd.plugins import Registry, is_ours
from incrowd.private import Private, private_dataclass
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Labels
from incrowd.recoding.assignment import Assignment
from incrowd.texts import did_you_mean

Better = Literal["lower", "higher", "neither"]
_F = TypeVar("_F", bound=Callable[..., Any])


@private_dataclass
class Outcome(Private):
    """A table, and the classes it is released in: what metrics are computed from.

    Parameters
    ----------
    table, hierarchies
        The tuples, and the hierarchies of their columns.
    assignment
        The class of each tuple.
    weights
        How much each column counts.
    k
        The smallest class that the requirements allow.
    distinct_rows, distinct_rows_before
        Distinct rows over all released columns, after and before; None where nobody counted them.
    labels, given
        How regions and classes are written, and per column whether its hierarchy was given; all
        were if this is empty.
    sensitive_of
        What counts the values of the sensitive columns in the released classes; asked only if a
        metric looks at them.
    target_of
        What counts the classes of the target in the released classes; asked only if a metric looks
        at them.
    original
        The tuples of the original, where `table` is read off a release and does not hold them.
    """

    table: FrequencyTable
    hierarchies: tuple[Hierarchy, ...]
    assignment: Assignment
    weights: Floats
    k: int = 1
    distinct_rows: int | None = None
    distinct_rows_before: int | None = None
    labels: Labels = "node"
    given: tuple[bool, ...] = ()
    sensitive_of: Callable[[], tuple[SensitiveSpread, ...]] | None = None
    target_of: Callable[[], TargetSpread] | None = None
    original: FrequencyTable | None = None

    @property
    def n_records(self) -> int:
        """All records, suppressed ones included."""
        return self.assignment.n_records

    def mean_over_columns(self, figures: Iterable[float]) -> float:
        """Return the weighted mean of a figure per column; that of ones is 1, however many."""
        weights = (self.weights / self.weights.max()).tolist()
        # Both sums are rounded once and alike, so the mean of shares cannot come out above 1
        weighted = map(operator.mul, weights, figures)
        return math.fsum(weighted) / math.fsum(weights)

    @cached_property
    def kept(self) -> Mask:
        """Which parts are released unmasked."""
        return self.assignment.class_of >= 0

    @property
    def tuples(self) -> FrequencyTable:
        """The tuples of the original table."""
        return self.table if self.original is None else self.original

    @cached_property
    def sensitive(self) -> tuple[SensitiveSpread, ...]:
        """How the values of each sensitive column are spread over the released classes."""
        return () if self.sensitive_of is None else self.sensitive_of()

    @cached_property
    def target(self) -> TargetSpread | None:
        """How the classes of the target are spread over the released classes, if there is one."""
        return None if self.target_of is None else self.target_of()

    def leaf_codes(self, j: int) -> Codes:
        """Return the leaf code of each part in column j."""
        codes: Codes = self.table.codes[j][self.assignment.tuple_of]
        return codes

    def spans(self, j: int) -> tuple[Codes, Codes]:
        """Return the leaf codes ``[low, high)`` that each kept part is released as in column j."""
        of_part = self.assignment.class_of[self.kept]
        return self.assignment.low[of_part, j], self.assignment.high[of_part, j]

    @property
    def kept_records(self) -> Counts:
        """Records of each kept part."""
        return self.assignment.records[self.kept]


@dataclass(frozen=True)
class Metric:
    """A measure of a release, with what a reader of its value must know.

    Parameters
    ----------
    name
        Its name in policies, JSON and reports.
    function
        What computes it; returns None where the metric has no meaning for a release.
    better
        Which direction is good.
    bounds
        The values it can take; None is no bound.
    in_summary
        Whether it is computed for every release, or only on request.
    needs_records
        Whether it depends on which record became which, which a released table does not tell.
    needs_tuples
        Whether it depends on the values that records had, and not on how they are released alone.
        Where tuples stand for others it has no figure.
    """

    name: str
    function: Callable[[Outcome], Any]
    better: Better
    bounds: tuple[float | None, float | None]
    in_summary: bool
    needs_records: bool = False
    needs_tuples: bool = False

    @property
    def description(self) -> str:
        """The first line of the docstring."""
        return (self.function.__doc__ or "").strip().splitlines()[0]

    @property
    def meaning(self) -> str | None:
        """Where the metric has a value, if not everywhere: what its docstring says of that."""
        words = " ".join((self.function.__doc__ or "").split())
        found = re.search(r"Has a meaning only (.+?)\.(?: |$)", words)
        return None if found is None else found[1]


METRICS: Registry[Metric] = Registry(
    "metric", "incrowd.metrics", packages=("incrowd.metrics.risk", "incrowd.metrics.utility")
)


def metric(
    *,
    better: Better,
    bounds: tuple[float | None, float | None],
    in_summary: bool = True,
    needs_records: bool = False,
    needs_tuples: bool = False,
) -> Callable[[_F], _F]:
    """Register a function as a metric; the function stays as it is."""

    def register(function: _F) -> _F:
        name = function.__name__
        needs = {"needs_records": needs_records, "needs_tuples": needs_tuples}
        METRICS.add(name, Metric(name, function, better, bounds, in_summary, **needs))
        return function

    return register


def measure(
    outcome: Outcome,
    names: Iterable[str] | None = None,
    *,
    leave_out_broken: bool = False,
    progress: Progress = QUIET,
) -> dict[str, Any]:
    """Return metrics of a release by name; those of a summary if no names are given.

    A plug-in that is broken is an error if it was asked for by name; otherwise, and with
    `leave_out_broken`, it is left out, with a warning.
    """
    chosen = [each for each in METRICS.everything().values() if each.in_summary]
    if names is not None:
        chosen = [find_metric(name) for name in names]
    values = {}
    for done, each in enumerate(chosen):
        progress.update(done)
        try:
            values[each.name] = _measured(each, outcome)
        except PluginError as error:
            if names is not None and not leave_out_broken:
                raise
            warnings.warn(f"{error.message} It is left out.", PluginWarning, stacklevel=2)
    return {name: value for name, value in values.items() if value is not None}


def find_metric(name: str) -> Metric:
    """Return the metric of that name."""
    METRICS.load([name])
    if name not in METRICS:
        known = METRICS.everything()
        raise ParameterError(
            f"there is no metric called {name!r}.",
            hint=f"{did_you_mean(name, known)}There are {', '.join(known)}.",
        )
    return METRICS[name]


def _measured(metric: Metric, outcome: Outcome) -> Any:
    """Return the value of a metric, or say whose it is that has none."""
    if metric.needs_tuples and isinstance(outcome.table, CoarseTable):
        return None
    with METRICS.blaming(metric.name, metric.function):
        value = metric.function(outcome)
    figures = value.values() if isinstance(value, Mapping) else (value,)
    if not is_ours(metric.function) and not all(map(_is_figure, figures)):
        raise PluginError(
            f"{METRICS.told(metric.name, metric.function)} returned no figure.",
            hint="a metric is a number, None, or a mapping from names to numbers.",
        )
    return value


def _is_figure(value: object) -> bool:
    return value is None or isinstance(value, int | float | np.integer | np.floating)
