"""Requirements bound to their table: what a search asks about its classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from incrowd import kernels
from incrowd.arrays import Bytes, Codes, Integers, Mask
from incrowd.counts import (
    FrequencyTable,
    Parts,
    SensitiveColumn,
    group,
    histogram_of,
    sum_by_group,
)
from incrowd.errors import PolicyError
from incrowd.requirements.base import Requirement, covered_by
from incrowd.requirements.forms import Distinct, Form, MinimumSize

Items = FrequencyTable
"""Tuples of the table, or parts of them, that are asked about."""


class BoundRequirements(tuple[Requirement, ...]):
    """Requirements, and the table that they are about.

    A distribution is compared with that of this table, and a value is looked up in the tree of its
    column.  Whoever asks shows classes of tuples, and nothing else.  The tuple itself holds the
    requirements, in their order.
    """

    table: FrequencyTable
    sensitive: Mapping[str, SensitiveColumn]
    masks: bool
    whole: FrequencyTable

    @classmethod
    def of(
        cls,
        requirements: Sequence[Requirement],
        table: FrequencyTable,
        sensitive: Sequence[SensitiveColumn] = (),
        *,
        masks: bool = True,
        whole: FrequencyTable | None = None,
    ) -> BoundRequirements:
        """Bind requirements to a table.

        Parameters
        ----------
        requirements, table
            What must hold of every class, and the table.
        sensitive
            The carried columns with their trees; one that is not named here has none.
        masks
            Whether suppressed records stay in the release, as a class of their own.
        whole
            What the table is a part of, if it is one: distributions are compared with those of
            this, and it has every combination of carried values that the table has.
        """
        made = cls(requirements)
        named = {each.name: each for each in sensitive}
        made.sensitive = {
            name: _as_counted(named.get(name), name, table)
            for each in requirements
            for name in each.carried
        }
        made.table, made.masks = table, masks
        made.whole = table if whole is None else whole
        return made

    def __repr__(self) -> str:
        return f"BoundRequirements({len(self)} requirements, {self.table.n_tuples} tuples)"

    def only(self, *chosen: Requirement) -> BoundRequirements:
        """Return some of the requirements, bound to the same table."""
        columns = tuple(self.sensitive.values())
        whole = None if self.whole is self.table else self.whole
        return BoundRequirements.of(chosen, self.table, columns, masks=self.masks, whole=whole)

    @cached_property
    def apart(self) -> tuple[BoundRequirements, ...]:
        """Each requirement by itself, bound to the same table."""
        return tuple(self.only(each) for each in self)

    def about(self, table: FrequencyTable) -> BoundRequirements:
        """Return the same requirements, bound to another table of the same columns."""
        columns = tuple(self.sensitive.values())
        return BoundRequirements.of(tuple(self), table, columns, masks=self.masks)

    @cached_property
    def forms(self) -> tuple[tuple[Form, ...] | None, ...]:
        """By requirement: its compiled forms; None if it has none and is to be asked itself."""
        return tuple(forms_of(each, self.sensitive) for each in self)

    @property
    def compiled(self) -> bool:
        """Whether kernels can ask every requirement by themselves."""
        return all(each is not None for each in self.forms)

    def unites(self, requirement: Requirement) -> bool:
        """Whether two classes that hold one of the requirements also hold it together."""
        said = getattr(requirement, "unites", None)
        if said is None:
            return requirement.monotone.without_suppression
        return bool(said(self.sensitive))

    @property
    def only_sizes(self) -> bool:
        """Whether nothing but a minimum size of the classes is asked for, in records."""
        return self.table.persons is None and all(
            each is not None and all(isinstance(form, MinimumSize) for form in each)
            for each in self.forms
        )

    @property
    def least_crowd(self) -> int:
        """The largest crowd that is asked for by number: of persons, where these are told apart."""
        promises = (form for forms in self.forms for form in forms or ())
        return max((form.size for form in promises if isinstance(form, MinimumSize)), default=1)

    @cached_property
    def kernel(self) -> kernels.Requirements:
        """The requirements that have compiled forms, as kernels ask them."""
        kind, first = self._kinds
        alike = len(first) == 1  # as where nothing is carried: a sum then, and no look at each kind
        records = self.whole.records
        of_kind = records.sum(keepdims=True) if alike else sum_by_group(kind, records, len(first))
        asked = kernels.Requirements(self.table.kernel, self.kinds_of(self.table), of_kind)
        spreads: dict[tuple[str, ...], int] = {}
        for each, forms in zip(self, self.forms, strict=True):
            covers = np.zeros(len(self.table.columns), dtype=np.uint8)
            covers[list(covered_by(each, self.table.columns))] = 1
            for form in forms or ():
                column, known = each.carried[:1], known_by(each)
                if self.table.persons is not None and isinstance(form, MinimumSize):
                    column, known = (self.table.persons,), known if form.apart else ()
                    form = Distinct(form.size, alone=0)
                spread = self._spread(asked, spreads, column, known) if column else -1
                _add(form, each, asked, covers, spread)
        return asked

    def kinds_of(self, items: Items) -> Codes:
        """Return by tuple what it carries, as the kernels number it."""
        if items is self.whole:
            return self._kinds[0]
        names, sizes = self._carried
        first = self._kinds[1]
        if not names:
            return np.zeros(items.n_tuples, np.int32)
        # Numbers go by first appearance: with the kinds in front each gets its own.
        both = [np.append(self.whole.carried[name][first], items.carried[name]) for name in names]
        return group(np.vstack(both), sizes)[0][len(first) :]

    @property
    def carried(self) -> tuple[str, ...]:
        """The columns that tuples carry for the requirements."""
        return tuple(self._carried[0])

    @cached_property
    def _carried(self) -> tuple[list[str], list[int]]:
        persons = [] if self.table.persons is None else [self.table.persons]
        asked = (name for each in self for name in carried_by(each))
        names = list(dict.fromkeys([*persons, *asked]))
        return names, [int(self.whole.carried[name].max(initial=0)) + 1 for name in names]

    @cached_property
    def _kinds(self) -> tuple[Codes, Integers]:
        """By tuple of the whole table its kind; by kind its first tuple."""
        names, sizes = self._carried
        if not names:
            return np.zeros(self.whole.n_tuples, np.int32), np.zeros(1, np.int64)
        return group(np.vstack([self.whole.carried[name] for name in names]), sizes)

    def _spread(
        self,
        asked: kernels.Requirements,
        spreads: dict[tuple[str, ...], int],
        column: tuple[str, ...],
        known: tuple[str, ...],
    ) -> int:
        """Return the number of a carried column, with what is known beside it."""
        names = column + known
        if names not in spreads:
            first = self._kinds[1]
            values = np.ascontiguousarray(self.whole.carried[names[0]][first], dtype=np.int32)
            beside, knowns = np.empty(0, np.int32), 1
            if known:
                rows = np.vstack([self.whole.carried[name][first] for name in known])
                beside, found = group(rows, [int(row.max(initial=0)) + 1 for row in rows])
                knowns = len(found)
            known_texts = self.sensitive.get(names[0])
            size = int(values.max(initial=0)) + 1 if known_texts is None else len(known_texts.texts)
            spreads[names] = asked.spread(values, size, beside, knowns)
        return spreads[names]

    @property
    def hold_together(self) -> bool:
        """Whether one class of all records of the whole table holds everything."""
        if self.compiled:
            return self.kernel.hold_together()
        everyone = Parts.whole(np.zeros(self.whole.n_tuples, np.int32), self.whole.records)
        return not self.violating(everyone, self.whole).any()

    def violating(self, parts: Parts, items: Items | None = None) -> Mask:
        """Return which classes break some requirement, each class taken by itself.

        Parts are of the table's tuples, or of other `items` that carry what those do.
        """
        items = self.table if items is None else items
        broken = np.zeros(parts.n_classes, dtype=bool)
        if any(each is not None for each in self.forms):
            kind = self.kinds_of(items)[parts.tuple_of]
            found = self.kernel.violating(parts.class_of, parts.n_classes, kind, parts.records)
            broken |= found.astype(bool)
        for each, forms in zip(self, self.forms, strict=True):
            if forms is None:
                broken |= _asked(each, items, parts)
        return broken


def _add(
    form: Form, of: Requirement, asked: kernels.Requirements, covers: Bytes, spread: int
) -> None:
    """Hand a form to the kernels, which compute in 128 bits."""
    try:
        form.add_to(asked, covers, spread)
    except ValueError:
        raise PolicyError(
            f"{of.describe()} cannot be decided exactly here: its numbers, or those of its column, "
            "have too many digits for so many records.",
            hint="round the parameters or the values of the column.",
        ) from None


def _asked(requirement: Requirement, table: FrequencyTable, parts: Parts) -> Mask:
    """Ask a requirement that has no compiled form."""
    histograms = {
        name: histogram_of(parts.class_of, table.carried[name][parts.tuple_of], parts.records)
        for name in requirement.carried
    }
    return requirement.violating(parts.class_sizes, histograms)


def forms_of(
    requirement: Requirement, columns: Mapping[str, SensitiveColumn]
) -> tuple[Form, ...] | None:
    """Return the compiled forms of a requirement about these carried columns, if it has any."""
    said = getattr(requirement, "forms", None)
    if said is not None:
        found: tuple[Form, ...] = said(columns)
        return found
    return None if requirement.compiled is None else (requirement.compiled,)


def known_by(requirement: Requirement) -> tuple[str, ...]:
    """Return the carried columns that an attacker knows beside the quasi-identifiers."""
    return tuple(getattr(requirement, "known", ()))


def carried_by(requirement: Requirement) -> tuple[str, ...]:
    """Return all columns that are carried for a requirement."""
    return (*requirement.carried, *known_by(requirement))


def bound_to(requirements: Sequence[Requirement], table: FrequencyTable) -> BoundRequirements:
    """Return requirements bound: to the table they are bound to already, or to this one."""
    if isinstance(requirements, BoundRequirements):
        return requirements
    return BoundRequirements.of(requirements, table)


def _as_counted(given: SensitiveColumn | None, name: str, table: FrequencyTable) -> SensitiveColumn:
    """Return a carried column whose texts are in the order of its codes, as the table has them."""
    if given is None:
        return SensitiveColumn(name, _texts(table, name))
    if name in table.carried_values and given.texts != tuple(table.carried_values[name]):
        return replace(given, texts=_texts(table, name))
    return given


def _texts(table: FrequencyTable, name: str) -> tuple[str | None, ...]:
    """Return what the codes of a carried column mean, or as many names as there are codes."""
    if name in table.carried_values:
        return tuple(table.carried_values[name])
    return tuple(map(str, range(int(table.carried[name].max(initial=0)) + 1)))


def violating_classes(
    requirements: Sequence[Requirement], table: FrequencyTable, parts: Parts
) -> Mask:
    """Return which classes of a table break some requirement, each class taken by itself."""
    return bound_to(requirements, table).violating(parts)
