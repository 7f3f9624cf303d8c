"""Multidimensional recoding: the space of tuples is split into regions, each released as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from incrowd import kernels
from incrowd.errors import InputError
from incrowd.frame.frequency import Codes, FrequencyTable
from incrowd.hierarchies import hierarchy_from_json, hierarchy_to_json
from incrowd.hierarchies.tree import Hierarchy
from incrowd.recoding.assignment import Assignment, Parts
from incrowd.recoding.base import Found
from incrowd.recoding.files import recoding_kind
from incrowd.recoding.partition import LABELS_IN_WORDS, PartitionRecoding
from incrowd.recoding.released_values import (
    ColumnValues,
    Labels,
    Members,
    assignment_of,
    class_values,
    members_of,
    spans,
)

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SplitTree:
    """Regions of the space of tuples: a binary tree of cuts between adjacent leaf codes.

    Children stand after their parent.  A hierarchy node split into its children is a chain of cuts,
    because children are intervals of codes too.

    Parameters
    ----------
    column, cut
        By node: a tuple whose code in `column` is below `cut` goes left.
    left, right
        By node: the child; below 0 it is the region ``~child``.
    """

    column: Codes
    cut: Codes
    left: Codes
    right: Codes

    @property
    def n_regions(self) -> int:
        """The number of regions; one without any cut."""
        return len(self.column) + 1

    def regions_of(self, codes: Codes) -> Codes:
        """Return the region of each tuple of a ``(columns, tuples)`` code array."""
        return kernels.regions_of(
            np.ascontiguousarray(codes, dtype=np.int32),
            self.column,
            self.cut,
            self.left,
            self.right,
        )


@recoding_kind
@dataclass(frozen=True, eq=False)
class MultidimensionalRecoding(PartitionRecoding):
    """Regions, and what each is released as.

    Parameters
    ----------
    columns, hierarchies
        The quasi-identifiers and their hierarchies.
    tree
        Which region a tuple lies in.
    low, high
        By region and column: the leaf codes ``[low, high)`` that its records had.  A region
        without records has low = high and is not released.
    labels
        How regions are written.
    found, context
        As in every recoding.
    members
        The values that each region had, for sets: what `members_of` returns.
    """

    kind: ClassVar[str] = "multidimensional"

    columns: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    tree: SplitTree
    low: Codes
    high: Codes
    labels: Labels
    found: Found
    context: Mapping[str, Any] = field(default_factory=dict)
    members: tuple[Members, ...] | None = None

    @classmethod
    def of_table(
        cls,
        table: FrequencyTable,
        hierarchies: Sequence[Hierarchy],
        tree: SplitTree,
        labels: Labels,
        found: Found,
    ) -> MultidimensionalRecoding:
        """Return the recoding that releases the regions of a table."""
        parts = Parts.whole(tree.regions_of(table.codes), table.records)
        low, high = spans(table, parts)
        members = members_of(table, hierarchies, parts) if labels == "set" else None
        return cls(
            table.columns, tuple(hierarchies), tree, low, high, labels, found, members=members
        )

    @property
    def n_regions(self) -> int:
        """The number of regions; some may be released alike."""
        return self.tree.n_regions

    @cached_property
    def values(self) -> list[ColumnValues]:
        """What each column of each region is released as."""
        return class_values(self.hierarchies, self.low, self.high, self.labels, self.members)

    def assign(
        self, table: FrequencyTable, hierarchies: Sequence[Hierarchy] | None = None
    ) -> Assignment:
        """Return the class of every tuple; one that its region's value does not cover has none.

        Parameters
        ----------
        table
            Tuples over the columns of the recoding.
        hierarchies
            What the codes of `table` mean, if not the recoding's own hierarchies: these with more
            leaves.
        """
        codes, outside = table.codes, np.zeros(table.n_tuples, dtype=bool)
        stands = [
            stands_for(own, own if hierarchies is None else hierarchies[j])
            for j, own in enumerate(self.hierarchies)
        ]
        codes = np.vstack([each.nearest[codes[j]] for j, each in enumerate(stands)])
        region_of = self.tree.regions_of(codes)
        for j, each in enumerate(stands):
            outside |= ~self._covers(j, region_of, each, table.codes[j])
        parts = Parts(
            np.arange(table.n_tuples, dtype=np.int32), region_of, table.records, self.n_regions
        )
        return assignment_of(parts, self.values).suppressing(outside)

    def _covers(self, j: int, region_of: Codes, stands: StandsFor, codes: Codes) -> Mask:
        """Whether the released value of a region is true of each code."""
        values = self.values[j]
        covered: Mask = (values.low[region_of] <= stands.low[codes]) & (
            stands.high[codes] <= values.high[region_of]
        )
        if self.members is None:
            return covered
        own = self.hierarchies[j]
        wanted = region_of.astype(np.int64) * own.n_codes + stands.nearest[codes]
        listed = np.isin(wanted, self.members[j]) & stands.known[codes]
        whole = (values.high - values.low == own.n_codes) & (values.leaves == own.n_leaves)
        return np.where(whole[region_of], covered, covered & listed)

    def explain(self) -> list[str]:
        """Return how many regions there are and which columns were cut, in words."""
        cuts = np.bincount(self.tree.column, minlength=len(self.columns))
        lines = [f"{self.n_regions:,} regions, written as {LABELS_IN_WORDS[self.labels]}"]
        return lines + [
            f"{name}: cut {n:,} {'time' if n == 1 else 'times'}"
            for name, n in zip(self.columns, cuts.tolist(), strict=True)
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the decision as plain data: hierarchies, cuts, and the spans of the regions."""
        tree = self.tree
        return {
            "columns": [
                {"name": name, "hierarchy": hierarchy_to_json(hierarchy)}
                for name, hierarchy in zip(self.columns, self.hierarchies, strict=True)
            ],
            "labels": self.labels,
            "tree": np.stack([tree.column, tree.cut, tree.left, tree.right], axis=1).tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "members": None if self.members is None else [each.tolist() for each in self.members],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], found: Found, context: Mapping[str, Any]) -> Self:
        """Read the decision back."""
        columns = data["columns"]
        tree = np.array(data["tree"], dtype=np.int32).reshape(-1, 4).T
        members = data["members"]
        recoding = cls(
            tuple(str(each["name"]) for each in columns),
            tuple(hierarchy_from_json(each["hierarchy"]) for each in columns),
            SplitTree(*(np.ascontiguousarray(row) for row in tree)),
            np.array(data["low"], dtype=np.int32).reshape(-1, len(columns)),
            np.array(data["high"], dtype=np.int32).reshape(-1, len(columns)),
            data["labels"],
            found,
            context,
            None if members is None else tuple(np.array(each, dtype=np.int64) for each in members),
        )
        recoding._check()
        return recoding

    def _check(self) -> None:
        """Raise if the parts of a recoding that was read do not fit together."""
        n, d = self.n_regions, len(self.columns)
        sizes = np.array([each.n_codes for each in self.hierarchies])
        if len(set(self.columns)) < d:
            raise InputError("the recoding names a column twice.")
        if self.labels not in LABELS_IN_WORDS or (self.labels == "set") != (
            self.members is not None
        ):
            raise InputError("the recoding does not say how its regions are written.")
        if self.low.shape != (n, d) or self.high.shape != (n, d):
            raise InputError("the recoding does not say what each region spans.")
        if ((self.low < 0) | (self.low >= self.high) | (self.high > sizes)).any():
            raise InputError("the recoding spans values that do not exist.")
        children = np.concatenate([self.tree.left, self.tree.right])
        if n > 1 and sorted(~children[children < 0]) != list(range(n)):
            raise InputError("the recoding does not reach each of its regions once.")
        self.tree.regions_of(np.zeros((d, 1), dtype=np.int32))  # refuses a tree that is none
        for own, cells in zip(self.hierarchies, self.members or (), strict=False):
            if len(cells) and (cells.min() < 0 or cells.max() >= n * own.n_codes):
                raise InputError("the recoding names members that do not exist.")


@dataclass(frozen=True, eq=False)
class StandsFor:
    """What the codes of a wider hierarchy are among the codes of a recoding's own.

    Parameters
    ----------
    nearest
        By wider code: the own code itself, or one close to it.
    low, high
        By wider code: own codes ``[low, high)`` that a value must cover to be true of it.
    known
        By wider code: whether it is an own code.
    """

    nearest: Codes
    low: Codes
    high: Codes
    known: Mask


def stands_for(own: Hierarchy, wider: Hierarchy) -> StandsFor:
    """Locate the codes of `wider`, which is `own` with more leaves, among those of `own`."""
    if wider is own:
        codes = np.arange(own.n_codes, dtype=np.int32)
        return StandsFor(codes, codes, codes + 1, np.ones(own.n_codes, dtype=bool))
    whole = (0, own.n_codes)
    spots: list[tuple[int, int] | None] = [
        (code, code + 1) if code >= 0 else None for code in own.match(wider.leaves).tolist()
    ]
    known = np.array([each is not None for each in spots] + [False] * 2, dtype=bool)
    for level in range(1, wider.height + 1):
        _adopt(spots, wider.levels[level].node_of)
    found = [whole if spot is None else spot for spot in spots]
    if wider.has_missing:
        known[len(found)] = own.has_missing
        found.append((own.missing_code, own.missing_code + 1) if own.has_missing else whole)
    if wider.has_unknown:
        known[len(found)] = own.has_unknown
        found.append((own.unknown_code, own.unknown_code + 1) if own.has_unknown else whole)
    low, high = np.array(found, dtype=np.int32).reshape(-1, 2).T
    return StandsFor(low.copy(), low.copy(), high.copy(), known[: len(found)])


def _adopt(spots: list[tuple[int, int] | None], node_of: Codes) -> None:
    """Give leaves without a place the place of their node: all own codes in it."""
    reach: dict[int, tuple[int, int]] = {}
    for node, spot in zip(node_of.tolist(), spots, strict=True):
        if spot is not None:
            before = reach.get(node, spot)
            reach[node] = (min(before[0], spot[0]), max(before[1], spot[1]))
    for at, node in enumerate(node_of.tolist()):
        if spots[at] is None:
            spots[at] = reach.get(node)
