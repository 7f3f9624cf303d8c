"""Multidimensional recoding: the space of tuples is split into regions, each released as one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from incrowd import kernels
from incrowd.arrays import Codes, Mask, Places
from incrowd.counts import FrequencyTable, Parts
from incrowd.errors import InputError
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import private_dataclass
from incrowd.recoding.assignment import Assignment
from incrowd.recoding.base import Found
from incrowd.recoding.coverage import neighbours
from incrowd.recoding.files import number_rows, recoding_kind, whole_numbers
from incrowd.recoding.partition import LABELS_IN_WORDS, PartitionRecoding, columns_from_json
from incrowd.recoding.recoded import Recoded
from incrowd.recoding.released_values import (
    ColumnValues,
    Labels,
    Members,
    class_values,
    members_inside,
    members_of,
    spans,
)


@private_dataclass
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

    def is_sound(self, n_columns: int) -> bool:
        """Whether each node but the first, and each region, is the child of one node before it."""
        nodes = np.arange(len(self.column))
        children = np.concatenate([self.left, self.right])
        wanted = np.concatenate([~np.arange(self.n_regions)[::-1], nodes[1:]])
        if not len(nodes):
            return True
        return bool(
            np.array_equal(np.sort(children), wanted)
            and ((self.left < 0) | (self.left > nodes)).all()
            and ((self.right < 0) | (self.right > nodes)).all()
            and ((self.column >= 0) & (self.column < n_columns)).all()
        )

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
@private_dataclass
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
        without records has low = high = 0 and is not released.
    labels
        How regions are written.
    found, context
        As in every recoding.
    members
        The values that each region had, for sets: what `members_of` returns.
    kept
        Columns in which each record keeps its own value.
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
    kept: tuple[str, ...] = ()

    @classmethod
    def of_table(
        cls,
        table: FrequencyTable,
        hierarchies: Sequence[Hierarchy],
        tree: SplitTree,
        labels: Labels,
        found: Found,
    ) -> Self:
        """Return the recoding that releases the regions of a table."""
        regions = tree.regions_of(table.codes)
        tuples = np.arange(table.n_tuples, dtype=np.int32)
        parts = Parts(tuples, regions, table.records, tree.n_regions)
        low, high = spans(table, parts)
        empty = low >= high
        low[empty] = high[empty] = 0
        members = members_of(table, hierarchies, parts) if labels == "set" else None
        return cls(
            table.columns, tuple(hierarchies), tree, low, high, labels, found, members=members
        )

    def among(
        self,
        table: FrequencyTable,
        hierarchies: Sequence[Hierarchy],
        within: Places,
        tuple_of: Codes,
    ) -> Self:
        """Return the same regions of a table with more columns, which are left as they are.

        The parameters are those of `LocalRecoding.among`.  What was found on the lowest allowed
        levels goes for all that they stand for: a cut there moves to where their next node begins.
        """
        cut = self.tree.cut.copy()
        for at, j in enumerate(within.tolist()):
            here = self.tree.column == at
            cut[here] = _node_starts(hierarchies[j])[cut[here]]
        tree = replace(self.tree, column=within[self.tree.column].astype(np.int32), cut=cut)
        sizes = [each.n_codes for each in hierarchies]
        low = np.zeros((self.tree.n_regions, len(sizes)), dtype=np.int32)
        high = np.where(self._empty[:, None], 0, np.array(sizes, dtype=np.int32))
        none = np.zeros(0, np.int64)
        members = None if self.members is None else [none] * len(sizes)
        for at, j in enumerate(within.tolist()):
            low[:, j] = self.low[:, at]
            high[:, j] = _node_starts(hierarchies[j])[self.high[:, at]]
            if members is not None and self.members is not None:
                members[j] = self.members[at]
                if hierarchies[j].lowest:  # released as a node, whatever its members are
                    members[j] = members_inside(low[:, j], high[:, j], sizes[j])
        kept = tuple(name for name in table.columns if name not in self.columns)
        return replace(
            self,
            columns=table.columns,
            hierarchies=tuple(hierarchies),
            tree=tree,
            low=low,
            high=high.astype(np.int32),
            members=None if members is None else tuple(members),
            kept=kept,
        )

    @property
    def n_regions(self) -> int:
        """The number of regions with records; some may be released alike."""
        return int((~self._empty).sum())

    @property
    def _empty(self) -> Mask:
        empty: Mask = self.high[:, 0] == 0
        return empty

    @cached_property
    def column_values(self) -> list[ColumnValues]:
        """Per column, what each region is released as; one without records as anything."""
        some = np.where(self._empty[:, None], 1, self.high)
        return class_values(self.hierarchies, self.low, some, self.labels, self.members)

    def assign(
        self, table: FrequencyTable, hierarchies: Sequence[Hierarchy] | None = None
    ) -> Assignment:
        """Return the class of every tuple; one that its region's value is not true of has none.

        Parameters
        ----------
        table
            Tuples over the columns of the recoding.
        hierarchies
            What the codes of `table` mean, if not the recoding's own hierarchies: these with more
            leaves.
        """
        given = self.hierarchies if hierarchies is None else hierarchies
        region_of = self._regions_of(table, given)
        outside = self._empty[region_of]
        for true in self._true_cells(table, given, region_of):
            outside |= ~true
        tuples = np.arange(table.n_tuples, dtype=np.int32)
        parts = Parts(tuples, region_of, table.records, self.tree.n_regions)
        return self.assigned(parts, table, given).suppressing(outside)

    def recode(self, table: FrequencyTable, hierarchies: Sequence[Hierarchy]) -> Recoded:
        """Return what every tuple of new rows is shown as to learn from; none is suppressed.

        Each cell is shown as its region is released, or as the root where that is not true of it.
        """
        region_of = self._regions_of(table, hierarchies)
        some = ~self._empty[region_of]
        true_cells = (true & some for true in self._true_cells(table, hierarchies, region_of))
        return self.shown(table, hierarchies, region_of, true_cells)

    def _regions_of(self, table: FrequencyTable, hierarchies: Sequence[Hierarchy]) -> Codes:
        """Return the region of each tuple; unseen values go the way of their neighbours."""
        near = map(neighbours, self.hierarchies, hierarchies)
        codes = np.vstack([each.nearest[table.codes[j]] for j, each in enumerate(near)])
        return self.tree.regions_of(codes)

    def _true_cells(
        self, table: FrequencyTable, hierarchies: Sequence[Hierarchy], region_of: Codes
    ) -> Iterator[Mask]:
        return self.true_cells(table, hierarchies, region_of, self.low, self.high, self.members)

    def explain(self) -> list[str]:
        """Return how many regions there are and which columns were cut, in words."""
        cuts = np.bincount(self.tree.column, minlength=len(self.columns))
        lines = [f"{self.n_regions:,} regions, written as {LABELS_IN_WORDS[self.labels]}"]
        lines += [
            f"{name}: cut {n:,} {'time' if n == 1 else 'times'}"
            for name, n in zip(self.columns, cuts.tolist(), strict=True)
            if name not in self.kept
        ]
        return lines + self.explain_kept()

    def to_json(self) -> dict[str, Any]:
        """Return the decision as plain data: hierarchies, cuts, and the spans of the regions."""
        tree = self.tree
        return {
            "columns": self.columns_to_json(),
            "labels": self.labels,
            "tree": np.stack([tree.column, tree.cut, tree.left, tree.right], axis=1).tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "members": None if self.members is None else [each.tolist() for each in self.members],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], found: Found, context: Mapping[str, Any]) -> Self:
        """Read the decision back."""
        columns, hierarchies, kept = columns_from_json(data["columns"])
        tree = number_rows(data["tree"], 4, low=-(2**31)).T
        members = data["members"]
        if members is not None:
            members = tuple(whole_numbers(each, below=2**62) for each in members)
        recoding = cls(
            columns,
            hierarchies,
            SplitTree(*(np.ascontiguousarray(row) for row in tree)),
            number_rows(data["low"], len(columns)),
            number_rows(data["high"], len(columns)),
            data["labels"],
            found,
            context,
            members,
            kept,
        )
        recoding._check()
        return recoding

    def _check(self) -> None:
        """Raise if the parts of a recoding that was read do not fit together."""
        if not self.columns or len(set(self.columns)) < len(self.columns):
            raise InputError("the recoding names no column, or one of them twice.")
        if self.labels not in LABELS_IN_WORDS or (self.labels == "set") != (
            self.members is not None
        ):
            raise InputError("the recoding does not say how its regions are written.")
        if not self.tree.is_sound(len(self.columns)):
            raise InputError("the recoding does not reach each of its regions once.")
        shape = (self.tree.n_regions, len(self.columns))
        if self.low.shape != shape or self.high.shape != shape:
            raise InputError("the recoding does not say what each region spans.")
        sizes = np.array([each.n_codes for each in self.hierarchies])
        none = ((self.low == 0) & (self.high == 0)).all(axis=1)
        some = ((self.low < self.high) & (self.high <= sizes)).all(axis=1)
        if not (none | some).all() or none.all():
            raise InputError("the recoding spans values that do not exist.")
        if self.members is not None and not self._members_fit():
            raise InputError("the recoding names members that its regions do not span.")

    def _members_fit(self) -> bool:
        """Whether the members of each region are distinct, in order, and just what it spans."""
        members = self.members or ()
        if len(members) != len(self.columns):
            return False
        for j, (cells, own) in enumerate(zip(members, self.hierarchies, strict=True)):
            if self.columns[j] in self.kept:
                continue
            region, code = np.divmod(cells, own.n_codes)
            first = np.flatnonzero(np.diff(region, prepend=-1))
            last = np.append(first[1:], len(region)) - 1
            some = np.flatnonzero(~self._empty)
            if cells.ndim != 1 or (np.diff(cells) <= 0).any():
                return False
            if not np.array_equal(region[first], some):
                return False
            spanned = (self.low[some, j], self.high[some, j] - 1)
            if not np.array_equal((code[first], code[last]), spanned):
                return False
        return True


def _node_starts(hierarchy: Hierarchy) -> Codes:
    """Return by code where the next node of the lowest level begins, there or after it.

    >>> from incrowd.hierarchies.intervals import intervals
    >>> ages = intervals(5, 20).build(["17", "18", "24"], column="age")
    >>> _node_starts(ages).tolist(), _node_starts(ages.within(1, 2)).tolist()
    ([0, 1, 2, 3], [0, 2, 2, 3])
    """
    index = hierarchy.index_at[0]
    starts = np.append(np.flatnonzero(np.diff(index, prepend=-1)), hierarchy.n_codes)
    return starts[np.searchsorted(starts, np.arange(hierarchy.n_codes + 1))].astype(np.int32)
