"""Global recodings: each leaf of a column is released as one value, wherever it occurs.

A full-domain recoding releases every leaf at the same level; a subtree recoding gives each leaf a
level of its own, along a cut through the hierarchy.  Leaves at the level of the root are released
as the root, whatever becomes of the others: a column may disclose some values and show ``*`` for
the rest.  Beyond that a class may hide single cells, which are released as the root too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from incrowd.arrays import Codes, Mask, Places
from incrowd.counts import FrequencyTable, group
from incrowd.errors import InputError
from incrowd.hierarchies import hierarchy_from_json, hierarchy_to_json
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import private_dataclass
from incrowd.recoding.assignment import Assignment
from incrowd.recoding.base import Found, Recoding
from incrowd.recoding.files import number_rows, recoding_kind, whole_numbers
from incrowd.recoding.recoded import Recoded, shown_where_true
from incrowd.recoding.suppression import suppressed_by
from incrowd.requirements import Requirement


@private_dataclass
class ReleasedValues:
    """The values that a column takes under a cut, numbered from left to right.

    Parameters
    ----------
    of_code
        By leaf code: its released value.
    labels, low, high, levels
        By released value: its text, the leaf codes ``[low, high)`` it covers, its level.
    """

    of_code: Codes
    labels: tuple[str | None, ...]
    low: Codes
    high: Codes
    levels: Codes

    @classmethod
    def under(cls, hierarchy: Hierarchy, cut: Codes) -> ReleasedValues:
        """Work out the released values of a hierarchy under a cut (a level per leaf code)."""
        codes = np.arange(hierarchy.n_codes, dtype=np.int32)
        index = hierarchy.index_at[cut, codes]
        at_root = cut == hierarchy.height
        if hierarchy.has_unknown:  # released as the root, whatever the level
            at_root = at_root | (codes == hierarchy.unknown_code)
        same = np.zeros(len(codes), dtype=bool)
        same[1:] = (index[1:] == index[:-1]) & (cut[1:] == cut[:-1])
        start = np.maximum.accumulate(np.where(same, 0, codes))  # of the run that a code is in
        start[at_root] = np.flatnonzero(at_root)[:1]
        starts, of_code = np.unique(start, return_inverse=True)
        low, levels = starts.astype(np.int32), cut[starts].astype(np.int32)
        high = np.zeros_like(low)
        np.maximum.at(high, of_code, codes + 1)
        if at_root.any():
            root = of_code[at_root][0]
            low[root], high[root], levels[root] = 0, hierarchy.n_codes, cut[at_root].max()
        labels = tuple(hierarchy.labels_at(int(cut[at]))[int(index[at])] for at in starts.tolist())
        return cls(of_code.astype(np.int32), labels, low, high, levels)

    @property
    def root(self) -> int:
        """The position of the root among the values; one too many if no leaf is released so."""
        whole = np.flatnonzero((self.low == 0) & (self.high == len(self.of_code)))
        return int(whole[0]) if len(whole) else len(self.labels)

    def with_root(self, hierarchy: Hierarchy) -> ReleasedValues:
        """Return the values and, if no leaf is released as the root, the root after them."""
        if self.root < len(self.labels):
            return self
        return ReleasedValues(
            self.of_code,
            (*self.labels, hierarchy.root_label),
            np.append(self.low, 0).astype(np.int32),
            np.append(self.high, hierarchy.n_codes).astype(np.int32),
            np.append(self.levels, hierarchy.height).astype(np.int32),
        )


@recoding_kind
@private_dataclass
class GlobalRecoding(Recoding):
    """Per column, what each leaf is released as; and which of the resulting tuples are released.

    Parameters
    ----------
    columns, hierarchies
        The quasi-identifiers and their hierarchies.
    cuts
        Per column, the level at which each leaf code is released.
    released
        The released classes: per class and column a released value.  Every other tuple, also one
        that turns up later, is suppressed.
    hidden
        By released class and column, whether the cell is released as the root; none is if this is
        not given.  Classes that then read alike are one.
    found
        How the recoding was found.
    context
        What is needed to apply it elsewhere: roles, requirements, options of the release.
    """

    kind: ClassVar[str] = "global"

    columns: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    cuts: tuple[Codes, ...]
    released: Codes
    found: Found
    context: Mapping[str, Any] = field(default_factory=dict)
    hidden: Mask | None = None

    @classmethod
    def meeting(
        cls,
        requirements: Sequence[Requirement],
        table: FrequencyTable,
        hierarchies: Sequence[Hierarchy],
        cuts: Sequence[Codes],
        found: Found,
        *,
        already: Mask | None = None,
    ) -> GlobalRecoding:
        """Return the recoding under these cuts that suppresses as little as possible.

        Tuples that are suppressed `already` count nowhere; one that reads like a released one
        belongs to it all the same.
        """
        cuts = _from_lowest(hierarchies, cuts)
        values = [
            ReleasedValues.under(each, cut) for each, cut in zip(hierarchies, cuts, strict=True)
        ]
        tuples = np.empty_like(table.codes)
        for j, each in enumerate(values):
            tuples[j] = np.take(each.of_code, table.codes[j])
        sizes = [len(each.labels) for each in values]
        suppressed = suppressed_by(requirements, table, tuples, sizes, already=already)
        kept = np.take(tuples, np.flatnonzero(~suppressed), axis=1)
        _, first = group(kept, sizes)
        released = np.ascontiguousarray(kept[:, first][:, _in_order(kept[:, first])].T)
        return cls(table.columns, tuple(hierarchies), tuple(cuts), released, found)

    @classmethod
    def hiding(
        cls,
        requirements: Sequence[Requirement],
        table: FrequencyTable,
        hierarchies: Sequence[Hierarchy],
        cuts: Sequence[Codes],
        hidden: Mask,
        found: Found,
        *,
        already: Mask | None = None,
    ) -> GlobalRecoding:
        """Return the recoding under these cuts that also hides some cells.

        Requirements are asked about what is shown, and as little as possible is suppressed beyond
        that.  A tuple that hides cells until it shows nothing but roots is a suppressed one.

        Parameters
        ----------
        requirements, table, hierarchies, cuts, found, already
            As for `meeting`.
        hidden
            By column and tuple, whether its cell is released as the root.  Tuples that are the same
            under the cuts hide the same cells: those that any of them hides.
        """
        cuts = _from_lowest(hierarchies, cuts)
        values = [
            ReleasedValues.under(each, cut).with_root(each)
            for each, cut in zip(hierarchies, cuts, strict=True)
        ]
        tuples = np.vstack([each.of_code[table.codes[j]] for j, each in enumerate(values)])
        sizes = [len(each.labels) for each in values]
        row_of, _ = group(tuples, sizes)
        hidden_by_row = np.stack([np.bincount(row_of, weights=each) > 0 for each in hidden])
        flags = hidden_by_row[:, row_of]
        roots = np.array([each.root for each in values], dtype=np.int32)[:, None]
        shown = np.where(flags, roots, tuples).astype(np.int32)
        nothing = (shown == roots).all(axis=0) & flags.any(axis=0)
        if already is not None:
            nothing |= already
        suppressed = suppressed_by(requirements, table, shown, sizes, already=nothing)
        alive = np.flatnonzero(~suppressed)
        kept = alive[np.unique(row_of[alive], return_index=True)[1]]  # one tuple of each row
        kept = kept[_in_order(tuples[:, kept])]
        return cls(
            table.columns,
            tuple(hierarchies),
            tuple(cuts),
            np.ascontiguousarray(tuples[:, kept].T),
            found,
            hidden=np.ascontiguousarray(flags[:, kept].T),
        )

    def over(
        self,
        hierarchies: Sequence[Hierarchy],
        cuts: Sequence[Codes],
        table: FrequencyTable,
        requirements: Sequence[Requirement],
        suppressed: Mask,
    ) -> GlobalRecoding:
        """Return the same decision over other nodes of the same leaves.

        Parameters
        ----------
        hierarchies, cuts
            The nodes, and the level at which each leaf code is released.
        table, requirements
            What the recoding was found on, and what it must hold.
        suppressed
            The tuples of the table that are suppressed in any case.
        """
        if self.hidden is None:
            other = GlobalRecoding.meeting(
                requirements, table, hierarchies, cuts, self.found, already=suppressed
            )
        else:
            hidden = self._hidden_in(self._rows_of(self._generalised(table, None)))
            other = GlobalRecoding.hiding(
                requirements, table, hierarchies, cuts, hidden, self.found, already=suppressed
            )
        return replace(other, context=self.context)

    @cached_property
    def values(self) -> tuple[ReleasedValues, ...]:
        """The released values of each column."""
        return tuple(
            ReleasedValues.under(each, cut)
            for each, cut in zip(self.hierarchies, self.cuts, strict=True)
        )

    @property
    def levels(self) -> tuple[int, ...] | None:
        """The level of each column, or None if a column has leaves at several levels."""
        if any((cut != cut[0]).any() for cut in self.cuts):
            return None
        return tuple(int(cut[0]) for cut in self.cuts)

    def assign(
        self, table: FrequencyTable, hierarchies: Sequence[Hierarchy] | None = None
    ) -> Assignment:
        """Return the class of every tuple; tuples outside the released ones are suppressed.

        Parameters
        ----------
        table
            Tuples over the columns of the recoding.
        hierarchies
            What the codes of `table` mean, if not the recoding's own hierarchies: these with more
            leaves, or those whose leaves it has put under nodes of its own, which then have no
            levels.
        """
        row_of = self._rows_of(self._generalised(table, hierarchies))
        outside = row_of >= len(self.released)
        shown, label_of, class_of_row = self._shown()
        every = Assignment(
            tuple_of=np.arange(table.n_tuples, dtype=np.int32),
            class_of=np.append(class_of_row, np.int32(0))[np.where(outside, -1, row_of)],
            records=table.records,
            low=_by_class([each.low for each in shown], label_of),
            high=_by_class([each.high for each in shown], label_of),
            levels=None
            if any(map(_other_nodes, self.hierarchies, hierarchies or self.hierarchies))
            else _by_class([each.levels for each in shown], label_of),
            label_of=label_of,
            labels=tuple(each.labels for each in shown),
        )
        beyond = np.append(self._beyond(shown, label_of), False)[
            np.where(outside, -1, every.class_of)
        ]
        return every.suppressing(outside).within_levels(beyond)

    def _beyond(self, shown: Sequence[ReleasedValues], label_of: Codes) -> Mask:
        """Return which classes show in some column a level that is not allowed."""
        beyond = np.zeros(len(label_of), dtype=bool)
        for j, (tree, values) in enumerate(zip(self.hierarchies, shown, strict=True)):
            outside = (values.levels < tree.lowest) | (values.levels > tree.highest)
            if tree.has_unknown and tree.highest < tree.height:
                outside[values.of_code[tree.unknown_code]] = True  # the root at every level
            beyond |= outside[label_of[:, j]]
        return beyond

    def recode(self, table: FrequencyTable, hierarchies: Sequence[Hierarchy]) -> Recoded:
        """Return what every tuple of new rows is shown as to learn from; none is suppressed.

        A leaf that the recoding has not seen is shown as the lowest released value that covers it,
        or as the root.  Cells are hidden in tuples that a released class hides them in.
        """
        tuples = self._generalised(table, hierarchies)
        shown = tuples < np.array([len(each.labels) for each in self.values])[:, None]
        if self.hidden is not None:
            shown &= ~self._hidden_in(self._rows_of(tuples))
        return Recoded.of_columns(
            [
                shown_where_true(tuples[j], own.labels, shown[j], hierarchies[j].root_label)
                for j, own in enumerate(self.values)
            ]
        )

    def _generalised(self, table: FrequencyTable, hierarchies: Sequence[Hierarchy] | None) -> Codes:
        """Return the released value of each cell, ``(columns, tuples)``; one too many for none."""
        return np.vstack(
            [
                self._values_of(j, None if hierarchies is None else hierarchies[j])[table.codes[j]]
                for j in range(len(self.columns))
            ]
        )

    def _rows_of(self, tuples: Codes) -> Codes:
        """Return which released row each generalised tuple is; others have larger numbers."""
        # Released classes come first, so that a tuple's group is its class or no class at all.
        group_of, _ = group(
            np.hstack([self.released.T, tuples]), [len(each.labels) + 1 for each in self.values]
        )
        return group_of[len(self.released) :]

    def _hidden_in(self, row_of: Codes) -> Mask:
        """Return by column and tuple which cells its released row hides; of no row none."""
        assert self.hidden is not None
        patterns = np.vstack([self.hidden, np.zeros((1, len(self.columns)), dtype=bool)])
        return patterns[np.minimum(row_of, len(self.released))].T

    def _shown(self) -> tuple[tuple[ReleasedValues, ...], Codes, Codes]:
        """Return what cells can show, what each class shows, and the class of each released row."""
        if self.hidden is None:
            rows = np.arange(len(self.released), dtype=np.int32)
            return self.values, self.released, rows
        shown = tuple(
            each.with_root(tree) for each, tree in zip(self.values, self.hierarchies, strict=True)
        )
        roots = np.array([each.root for each in shown], dtype=np.int32)
        label_of = np.where(self.hidden, roots, self.released)
        class_of_row, first = group(
            np.ascontiguousarray(label_of.T), [len(each.labels) for each in shown]
        )
        return shown, label_of[first], class_of_row

    def _values_of(self, j: int, hierarchy: Hierarchy | None) -> Codes:
        """Return the released value of each code of a hierarchy; one too many if there is none.

        A leaf that the recoding has not seen is released as the lowest value that covers it.
        """
        own = self.values[j]
        if hierarchy is None or self.hierarchies[j].codes_like(hierarchy):
            return own.of_code
        found = np.full(hierarchy.n_codes, len(own.labels), dtype=np.int32)
        for level in sorted(set(own.levels.tolist()), reverse=True):  # the lowest has the last word
            at_level = np.flatnonzero(own.levels == level)
            position = {own.labels[at]: at for at in at_level.tolist()}
            labels = hierarchy.labels_at(level)
            known = np.array([position.get(label, -1) for label in labels], np.int32)
            covering = known[hierarchy.index_at[level]]
            found = np.where(covering >= 0, covering, found)
        return found

    def unchanged(self) -> frozenset[str]:
        """Return the columns whose values are released as they are."""
        some_hidden = [
            self.hidden is not None and self.hidden[:, j].any() for j in range(len(self.columns))
        ]
        return frozenset(
            name
            for name, cut, some in zip(self.columns, self.cuts, some_hidden, strict=True)
            if not cut.any() and not some
        )

    def explain(self) -> list[str]:
        """Return what happens to each column, in words."""
        said = [
            f"{name}: {_described(hierarchy, cut)}"
            for name, hierarchy, cut in zip(self.columns, self.hierarchies, self.cuts, strict=True)
        ]
        if self.hidden is None:
            return said
        return [
            f"{each}; hidden in {count:,} of {len(self.released):,} classes" if count else each
            for each, count in zip(said, self.hidden.sum(axis=0).tolist(), strict=True)
        ]

    def spans(self) -> Iterator[tuple[Codes, Codes]]:
        """Yield per column the leaf codes of each value."""
        return ((each.low, each.high) for each in self.values)

    def summary(self) -> dict[str, Any]:
        """Return the levels, or the cuts if a column has leaves at several levels."""
        levels = self.levels
        if levels is None:
            return {"cuts": self.shown_values()}
        return {"levels": dict(zip(self.columns, levels, strict=True))}

    def shown_values(self) -> dict[str, list[str]]:
        """Return the values that the released classes show in each column, in leaf order.

        What only suppressed records have is not among them.
        """
        shown, label_of, _ = self._shown()
        return {
            name: [
                label
                for label in (values.labels[at] for at in np.unique(label_of[:, j]).tolist())
                if label is not None
            ]
            for j, (name, values) in enumerate(zip(self.columns, shown, strict=True))
        }

    def to_json(self) -> dict[str, Any]:
        """Return the decision as plain data: hierarchies, levels and released tuples."""
        return {
            "columns": [
                {
                    "name": name,
                    "hierarchy": hierarchy_to_json(hierarchy),
                    "levels": int(cut[0]) if (cut == cut[0]).all() else cut.tolist(),
                }
                for name, hierarchy, cut in zip(
                    self.columns, self.hierarchies, self.cuts, strict=True
                )
            ],
            "released": self.released.tolist(),
            **({} if self.hidden is None else {"hidden": self.hidden.astype(int).tolist()}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], found: Found, context: Mapping[str, Any]) -> Self:
        """Read the decision back."""
        columns = data["columns"]
        hierarchies = tuple(hierarchy_from_json(each["hierarchy"]) for each in columns)
        cuts = tuple(
            np.broadcast_to(whole_numbers(each["levels"]), hierarchy.n_codes).astype(np.int32)
            for each, hierarchy in zip(columns, hierarchies, strict=True)
        )
        released = number_rows(data["released"], len(columns))
        names = tuple(str(each["name"]) for each in columns)
        hidden = None
        if "hidden" in data:
            hidden = number_rows(data["hidden"], len(columns)).astype(bool)
        recoding = cls(names, hierarchies, cuts, released, found, context, hidden)
        recoding._check()
        return recoding

    def _check(self) -> None:
        if len(set(self.columns)) < len(self.columns):
            raise InputError("the recoding names a column twice.")
        for hierarchy, cut in zip(self.hierarchies, self.cuts, strict=True):
            if not len(cut) or cut.max() > hierarchy.height:
                raise InputError("the recoding names a level that its hierarchy does not have.")
            if cut.min() < hierarchy.lowest:
                raise InputError("the recoding names a level below the lowest that is allowed.")
            if not _releases_whole_nodes(hierarchy, cut):
                raise InputError("the recoding releases some leaves of a node as the node itself.")
        sizes = [len(each.labels) for each in self.values]
        if (self.released >= np.array(sizes)).any():
            raise InputError("the recoding names a released value that does not exist.")
        if len(group(self.released.T, sizes)[1]) < len(self.released):
            raise InputError("the recoding names a released class twice.")
        if self.hidden is not None and self.hidden.shape != self.released.shape:
            raise InputError("the recoding does not say for each cell whether it is hidden.")


def _releases_whole_nodes(hierarchy: Hierarchy, cut: Codes) -> bool:
    """Whether each released value covers all leaves of its node.

    An unknown value has none, and the root may stand beside values under it.
    """
    values = ReleasedValues.under(hierarchy, cut)
    node = hierarchy.node_at[cut, np.arange(hierarchy.n_codes)]
    whole = (hierarchy.nodes.low[node] == values.low[values.of_code]) & (
        hierarchy.nodes.high[node] == values.high[values.of_code]
    )
    known = np.arange(hierarchy.n_codes) != hierarchy.unknown_code
    return bool(whole[known & (cut < hierarchy.height)].all())


def _other_nodes(own: Hierarchy, other: Hierarchy) -> bool:
    """Whether the same leaves lie under other nodes."""
    return own.leaves == other.leaves and [each.labels for each in own.levels] != [
        each.labels for each in other.levels
    ]


def _from_lowest(hierarchies: Sequence[Hierarchy], cuts: Sequence[Codes]) -> list[Codes]:
    """Return cuts that name no level below the lowest that is allowed."""
    return [
        np.maximum(cut, each.lowest).astype(np.int32)
        for each, cut in zip(hierarchies, cuts, strict=True)
    ]


def _in_order(rows: Codes) -> Places:
    """Return the order of released rows: of what they say, not of the tuples they come from.

    In the order of these, the list of a saved recoding would tell which class has the smaller
    values that it hides.
    """
    return np.lexsort(rows[::-1])


def _by_class(tables: Sequence[Codes], label_of: Codes) -> Codes:
    """Look up a figure of each class and column."""
    return np.stack([table[label_of[:, j]] for j, table in enumerate(tables)], axis=1)


def _described(hierarchy: Hierarchy, cut: Codes) -> str:
    levels = sorted(set(cut.tolist()))
    if len(levels) > 1:
        return f"a cut through levels {levels[0]} to {levels[-1]} of {hierarchy.height}"
    level = levels[0]
    if level == 0:
        return f"level 0 of {hierarchy.height}, as it is"
    what = hierarchy.levels[level].description
    if level == hierarchy.height:
        what = what or "one value for all"
    n_nodes = len(hierarchy.levels[level].labels)
    return f"level {level} of {hierarchy.height}, {what or f'{n_nodes} values'}"
