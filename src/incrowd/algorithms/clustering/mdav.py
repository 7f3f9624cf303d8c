"""MDAV: microaggregation around the records farthest from the average."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from incrowd.algorithms.base import Family, Honours, Problem, algorithm
from incrowd.algorithms.parameters import check_choices
from incrowd.algorithms.shared.covered import covered_columns_alone
from incrowd.algorithms.shared.merging import meeting_all
from incrowd.algorithms.shared.shapes import add_tree, node_costs
from incrowd.arrays import Codes, Floats
from incrowd.counts import FrequencyTable, Parts, group, sum_by_group
from incrowd.hierarchies.tree import Hierarchy
from incrowd.kernels import Shapes, mdav
from incrowd.progress import QUIET, Progress
from incrowd.recoding import ColumnValues, Found, LocalRecoding, is_line
from incrowd.recoding.aggregated_values import mean_values, median_values, mode_values
from incrowd.recoding.released_values import class_values, members_of, spans

MISSING_APART = 2.0  # squared: what two standardised numbers are apart on average


@algorithm
@dataclass(frozen=True, kw_only=True)
class MDAV:
    """Gather classes of k records at the far ends of the table; release their means.

    Parameters
    ----------
    numbers
        What a class releases in a column of numbers: its ``"mean"``, its lower ``"median"``, or
        whatever the release's ``"labels"`` say (a node, an interval, a range).
    categories
        What it releases in any other column: the lowest ``"node"`` that covers it, or its
        ``"mode"``.  The mode is what [1]_ releases; it is untrue of the other records of the class,
        so it has to be asked for.

    Notes
    -----
    Squared distances are added up over the columns, each times its weight.  Numbers are
    standardised (sample standard deviation over the records); a column of one number adds nothing.
    Two categories are (leaves under their lowest common node - 1)/(all leaves - 1) apart: 0
    or 1 where the column has no hierarchy.  A missing number is no number: its squared distance to
    one is 2, what two records are apart on average, and a class with both is released as the root.
    The centroid is the mean of the numbers, the mode of the categories.

    All quasi-identifiers are aggregated together, so every class is alike on all of them.  Ties go
    to the tuple that comes first by its codes, in the order of the columns; the order of the rows
    and chance decide nothing.  `information_loss` among the facts is 100 SSE/SST over the
    standardised numbers.  Cost: O(n^2 / k).

    References
    ----------
    .. [1] Domingo-Ferrer, Torra: "Ordinal, continuous and heterogeneous k-anonymity through
       microaggregation", Data Mining and Knowledge Discovery 11(2), 2005,
       doi:10.1007/s10618-005-0007-5
    """

    name: ClassVar[str] = "mdav"
    honours: ClassVar[Honours] = "by merging"
    quicker: ClassVar[str] = (
        'Algorithm "mondrian" is linear in the records, and "k-members" with search = "bucketed".'
    )
    family: ClassVar[Family] = "clustering"
    truthful: ClassVar[bool] = False
    """A released mean is not true of each record, as a node or a range is."""

    numbers: Literal["mean", "median", "labels"] = "mean"
    categories: Literal["node", "mode"] = "node"

    def __post_init__(self) -> None:
        check_choices(self)

    def estimated_seconds(self, problem: Problem) -> float:
        """Return about how long the search takes: each class looks at every tuple."""
        table = problem.table
        classes = table.n_records / problem.class_size
        return 2e-9 * classes * table.n_tuples * len(table.columns)

    @covered_columns_alone
    def solve(self, problem: Problem, progress: Progress = QUIET) -> LocalRecoding:
        """Return the classes, and what each is released as."""
        problem.check_reachable()
        table = problem.table
        progress.start("aggregate", total=table.n_records)
        tuple_of, class_of, records = mdav(
            table.kernel,
            distance_shapes(problem),
            problem.class_size,
            lambda done: progress.update(done),
        )
        parts = Parts(tuple_of, class_of, records, int(class_of[-1]) + 1)
        parts = meeting_all(problem, parts)
        facts = {"information_loss": information_loss(problem, parts)}
        values = None
        if (self.numbers, self.categories) != ("labels", "node"):
            # What reads alike is one class: only then is the span of a mean its whole class's.
            parts = _alike_merged(parts, self._values(problem, parts))
            values = self._values(problem, parts)
        return problem.in_classes(parts, Found(self.name, facts=facts), values)

    def _values(self, problem: Problem, parts: Parts) -> list[ColumnValues]:
        low, high = spans(problem.table, parts)
        sets = problem.labels == "set"
        members = members_of(problem.table, problem.hierarchies, parts) if sets else None
        values = class_values(problem.hierarchies, low, high, problem.labels, members)
        for j, hierarchy in enumerate(problem.hierarchies):
            codes = problem.table.codes[j][parts.tuple_of]
            column = hierarchy, codes, parts, low[:, j], high[:, j]
            if hierarchy.allowed is not None:  # a mean or a mode has no level
                continue
            if not has_numbers(hierarchy):
                values[j] = mode_values(*column) if self.categories == "mode" else values[j]
            elif self.numbers == "mean":
                values[j] = mean_values(*column)
            elif self.numbers == "median":
                values[j] = median_values(*column)
        return values


def has_numbers(hierarchy: Hierarchy) -> bool:
    """Whether a column has numbers to take means of: ordered, and none beyond all floats."""
    numbers = hierarchy.numbers
    return numbers is not None and is_line(hierarchy) and bool(np.isfinite(numbers).all())


def distance_shapes(problem: Problem) -> Shapes:
    """Return the squared distances in each column, as the kernel takes them."""
    shapes = Shapes()
    columns = zip(problem.hierarchies, problem.weights.tolist(), strict=True)
    for j, (hierarchy, weight) in enumerate(columns):
        if has_numbers(hierarchy):
            places = np.full(hierarchy.n_codes, np.nan)
            scores = standardised(problem.table, j, hierarchy)
            places[: hierarchy.n_leaves] = scores * math.sqrt(weight)
            shapes.line(places, MISSING_APART * weight)
        else:
            costs = node_costs(hierarchy, "loss")
            costs[-1] = 1.0  # also where a single leaf is beside missing cells
            add_tree(shapes, hierarchy, weight * costs * costs)
    return shapes


def standardised(table: FrequencyTable, j: int, hierarchy: Hierarchy) -> Floats:
    """Return the z-score of each leaf of a column of numbers, over the records that have one."""
    assert hierarchy.numbers is not None
    exponent = int(
        np.frexp(np.abs(hierarchy.numbers).max())[1]
    )  # squares of large ones stay finite
    numbers = np.ldexp(hierarchy.numbers, -exponent)
    counts = sum_by_group(table.codes[j], table.records, hierarchy.n_codes)[: hierarchy.n_leaves]
    n = int(counts.sum())
    mean = math.fsum((numbers * counts).tolist()) / max(n, 1)
    squares = math.fsum(((numbers - mean) * (numbers - mean) * counts).tolist())
    deviation = math.sqrt(squares / max(n - 1, 1))
    return (numbers - mean) / deviation if deviation > 0 else np.zeros_like(numbers)


def information_loss(problem: Problem, parts: Parts) -> float | None:
    """Return 100 SSE/SST over the standardised numbers; None if no column has numbers."""
    within, total = [0.0], [0.0]
    columns = [j for j, each in enumerate(problem.hierarchies) if has_numbers(each)]
    for j in columns:
        hierarchy = problem.hierarchies[j]
        codes = problem.table.codes[j][parts.tuple_of]
        known = codes < hierarchy.n_leaves
        scores = standardised(problem.table, j, hierarchy)[codes[known]]
        class_of, records = parts.class_of[known], parts.records[known]
        sizes = np.bincount(class_of, records, parts.n_classes)
        means = np.bincount(class_of, records * scores, parts.n_classes) / np.maximum(sizes, 1)
        within += (records * (scores - means[class_of]) ** 2).tolist()
        total += (records * scores**2).tolist()
    if not columns:
        return None
    whole = math.fsum(total)
    return 100.0 * math.fsum(within) / whole if whole > 0 else 0.0


def _alike_merged(parts: Parts, values: Sequence[ColumnValues]) -> Parts:
    labels: Codes = np.stack([each.label_of for each in values])
    merged, first = group(labels, [max(len(each.labels), 1) for each in values])
    return Parts(parts.tuple_of, merged[parts.class_of], parts.records, len(first))
