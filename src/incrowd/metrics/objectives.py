"""Objectives: metrics that a search over full-domain levels can minimise, in a form it can bound.

A *column objective* adds up, per column, an integer numerator of each record's leaf and level.
Integer sums are exact in any order, so every way of counting a node gives the same bits.  A *class
objective* depends on the sizes of the classes alone.  A *target objective* looks at the column to
be predicted; nothing bounds it but counting.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.counts import FrequencyTable
from incrowd.errors import ParameterError
from incrowd.hierarchies.tree import Hierarchy
from incrowd.metrics.utility.columns import span_costs
from incrowd.texts import did_you_mean

# Costs that are no fractions of small integers become multiples of 2**-28: exact sums up to 10**9
# records, and errors far below any difference that matters.
_FIXED_POINT = 2.0**28


@dataclass(frozen=True, eq=False)
class ColumnCosts:
    """A column objective.

    Parameters
    ----------
    numerators, suppressed
        Per column, by level and leaf code: the cost of a released and of a suppressed record.
    scale, weight
        Per column: cost = scale x sum of numerators, and what it counts in the objective.
    geometric
        The objective is the product of (1 + cost)^weight minus 1, not the weighted sum.
    """

    numerators: tuple[Counts, ...]
    suppressed: tuple[Counts, ...]
    scale: Floats
    weight: Floats
    geometric: bool = False


@dataclass(frozen=True)
class ClassCosts:
    """A class objective, by the name of its metric."""

    metric: str


@dataclass(frozen=True)
class TargetCosts:
    """An objective that depends on the classes and the target, by the name of its metric."""

    metric: str


Costs = ColumnCosts | ClassCosts | TargetCosts
Builder = Callable[[FrequencyTable, Sequence[Hierarchy], Floats], Costs]
_B = TypeVar("_B", bound=Builder)
OBJECTIVES: dict[str, Builder] = {}
TARGET_OBJECTIVES = ("nmi",)
"""Those that look at the target: for algorithms that carry it."""


def objective(name: str) -> Callable[[_B], _B]:
    """Register the searchable form of a metric."""

    def register(builder: _B) -> _B:
        OBJECTIVES[name] = builder
        return builder

    return register


def check_objective(name: object, *, target: bool = False) -> None:
    """Raise unless there is an objective of that name; `target` allows those that look at one."""
    if not isinstance(name, str) or name not in OBJECTIVES:
        raise ParameterError(
            f"there is no objective called {name!r}.",
            hint=f"{did_you_mean(name, OBJECTIVES)}There are {', '.join(OBJECTIVES)}.",
        )
    if name in TARGET_OBJECTIVES and not target:
        raise ParameterError(
            f"objective {name!r} looks at the target, and this algorithm does not.",
            hint='use algorithm "flash" or "exhaustive", or another objective.',
        )


def costs_of(
    name: str, table: FrequencyTable, hierarchies: Sequence[Hierarchy], weights: Floats
) -> Costs:
    """Return an objective in the form that searches work with."""
    check_objective(name, target=True)
    return OBJECTIVES[name](table, hierarchies, weights)


@objective("loss")
def _loss(table: FrequencyTable, hierarchies: Sequence[Hierarchy], weights: Floats) -> ColumnCosts:
    tops = [max(each.n_leaves - 1, 1) for each in hierarchies]
    return ColumnCosts(
        numerators=tuple(np.maximum(each.leaves_under - 1, 0) for each in hierarchies),
        suppressed=_everywhere(hierarchies, tops),
        scale=1.0 / (np.array(tops) * float(table.n_records)),
        weight=weights / weights.sum(),
    )


OBJECTIVES["loss_geometric"] = lambda *asked: replace(_loss(*asked), geometric=True)


@objective("precision")
def _precision(table: FrequencyTable, hierarchies: Sequence[Hierarchy], weights: Floats) -> Costs:
    tops = [max(each.height, 1) for each in hierarchies]
    return ColumnCosts(
        numerators=tuple(each.steps for each in hierarchies),
        suppressed=_everywhere(hierarchies, tops),
        scale=1.0 / (np.array(tops) * float(table.n_records)),
        weight=weights / weights.sum(),
    )


@objective("iloss")
def _iloss(table: FrequencyTable, hierarchies: Sequence[Hierarchy], weights: Floats) -> Costs:
    sizes = [max(each.n_leaves, 1) for each in hierarchies]
    return ColumnCosts(
        numerators=tuple(np.maximum(each.leaves_under - 1, 0) for each in hierarchies),
        suppressed=_everywhere(hierarchies, [size - 1 for size in sizes]),
        scale=1.0 / np.array(sizes),
        weight=weights,
    )


@objective("ncp")
def _ncp(table: FrequencyTable, hierarchies: Sequence[Hierarchy], weights: Floats) -> Costs:
    full = [int(_FIXED_POINT)] * len(hierarchies)
    return ColumnCosts(
        numerators=tuple(_ncp_numerators(each) for each in hierarchies),
        suppressed=_everywhere(hierarchies, full),
        scale=np.full(len(hierarchies), 1.0 / (_FIXED_POINT * table.n_records)),
        weight=weights / weights.sum(),
    )


def _ncp_numerators(hierarchy: Hierarchy) -> Counts:
    costs = np.zeros((hierarchy.height + 1, hierarchy.n_codes))
    for level, nodes in enumerate(hierarchy.node_at):
        costs[level] = span_costs(
            hierarchy, hierarchy.nodes.low[nodes], hierarchy.nodes.high[nodes]
        )
    if hierarchy.has_unknown:
        costs[:, hierarchy.unknown_code] = costs[-1].max(initial=0.0)
    return np.rint(costs * _FIXED_POINT).astype(np.int64)


@objective("entropy")
def _entropy(table: FrequencyTable, hierarchies: Sequence[Hierarchy], weights: Floats) -> Costs:
    bits = tuple(_bits(each, table.codes[j], table.records) for j, each in enumerate(hierarchies))
    return ColumnCosts(
        numerators=bits,
        suppressed=tuple(np.broadcast_to(each[-1], each.shape) for each in bits),
        scale=np.full(len(hierarchies), 1.0 / _FIXED_POINT),
        weight=weights,
    )


def _bits(hierarchy: Hierarchy, codes: Codes, records: Counts) -> Counts:
    """Return log2 of the frequency of each node over that of its leaf, in fixed point."""
    frequency = np.zeros(hierarchy.n_codes, dtype=np.int64)
    np.add.at(frequency, codes, records)
    bits = np.zeros((hierarchy.height + 1, hierarchy.n_codes))
    present = frequency > 0
    for level, index in enumerate(hierarchy.index_at):
        of_node = np.bincount(index, weights=frequency)[index]
        bits[level, present] = np.log2(of_node[present]) - np.log2(frequency[present])
    if hierarchy.has_unknown and present[hierarchy.unknown_code]:
        bits[:, hierarchy.unknown_code] = bits[-1, hierarchy.unknown_code]
    return np.rint(bits * _FIXED_POINT).astype(np.int64)


@objective("height")
def _height(table: FrequencyTable, hierarchies: Sequence[Hierarchy], weights: Floats) -> Costs:
    levels = tuple(
        np.tile(np.arange(each.height + 1, dtype=np.int64)[:, None], (1, each.n_codes))
        for each in hierarchies
    )
    return ColumnCosts(
        numerators=levels,
        suppressed=levels,  # a node is as high as it is, whatever is suppressed there
        scale=np.full(len(hierarchies), 1.0 / table.n_records),
        weight=np.ones(len(hierarchies)),
    )


OBJECTIVES["discernibility"] = lambda *_: ClassCosts("discernibility")
OBJECTIVES["discernibility_star"] = lambda *_: ClassCosts("discernibility_star")
OBJECTIVES["average_class_size"] = lambda *_: ClassCosts("average_class_size")
OBJECTIVES["nmi"] = lambda *_: TargetCosts("nmi")


def _everywhere(hierarchies: Sequence[Hierarchy], values: Sequence[int]) -> tuple[Counts, ...]:
    return tuple(
        np.full((each.height + 1, each.n_codes), value, dtype=np.int64)
        for each, value in zip(hierarchies, values, strict=True)
    )
