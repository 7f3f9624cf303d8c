"""What requirements about the values of a sensitive column have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from incrowd.arrays import Counts, Mask
from incrowd.counts import (
    FrequencyTable,
    Histogram,
    SensitiveColumn,
    group,
    histogram_of,
    sum_by_group,
)
from incrowd.errors import ParameterError, UnsatisfiableError
from incrowd.requirements.base import Monotone, Requirement
from incrowd.requirements.bound import BoundRequirements
from incrowd.requirements.forms import NO_VALUE, Form
from incrowd.requirements.parameters import column_name, columns_on, keyed, names_of


class AboutValues:
    """A requirement about one sensitive column, in compiled forms.

    Subclasses are frozen dataclasses with the fields `column`, `known` and `on`; the other fields
    are their parameters.  An attacker knows the `known` columns beside the quasi-identifiers: every
    class is looked at apart for each of their values.
    """

    name: ClassVar[str]
    compiled: ClassVar[None] = None

    column: str
    known: tuple[str, ...]
    on: tuple[str, ...] | None

    def _check_names(self) -> None:
        """Check the fields that all of them have, and make tuples of lists."""
        hint = "name released columns that are not generalised, other than the column itself."
        known = names_of(self.known, f"known of {self.name}", hint)
        if column_name(self.column, self.name) in known:
            raise ParameterError(
                f"{self.name} takes its own column as known to the attacker.", hint=hint
            )
        object.__setattr__(self, "known", known)
        object.__setattr__(self, "on", columns_on(self.on, self.name))

    @property
    def monotone(self) -> Monotone:
        """Together yes, in parts no: what most of them are."""
        return Monotone(without_suppression=True, with_suppression=False)

    def unites(self, columns: Mapping[str, SensitiveColumn]) -> bool:
        """Whether two classes that hold also hold together, about a column whose values are known.

        `monotone` says it of any column.
        """
        return self.monotone.without_suppression

    @property
    def carried(self) -> tuple[str, ...]:
        """The column whose values it looks at."""
        return (self.column,)

    @property
    def minimum_size(self) -> int:
        """No class with fewer records can meet the requirement."""
        return 1

    def forms(self, columns: Mapping[str, SensitiveColumn]) -> tuple[Form, ...]:
        """Return the promise in compiled forms, about a column whose values are known."""
        raise NotImplementedError

    def violating(self, sizes: Counts, histograms: Mapping[str, Histogram]) -> Mask:
        """Refuse: without its table it cannot know."""
        raise ParameterError(
            f"{self.name} is asked without a table.",
            hint="bind it first: incrowd.requirements.BoundRequirements.of(requirements, table).",
        )

    def covers(self, other: Requirement) -> bool:
        """Whether each class of the other is a union of classes of this one.

        Then whatever two classes hold together if both hold it is held by the classes of the other.
        """
        wider = self.on is None or (other.on is not None and set(other.on) <= set(self.on))
        return wider and set(getattr(other, "known", ())) <= set(self.known)

    def same_classes(self, other: Requirement) -> bool:
        """Whether both are about the same classes."""
        if self.on is None or other.on is None:
            return self.on is other.on and set(self.known) == set(getattr(other, "known", ()))
        known = set(getattr(other, "known", ()))
        return set(self.on) == set(other.on) and set(self.known) == known

    def resolved(self, quasi_identifiers: tuple[str, ...]) -> Self:
        """Return the same requirement with `on` spelled out, in policy order."""
        on = quasi_identifiers if self.on is None else self.on
        ordered = tuple(name for name in quasi_identifiers if name in on)
        return replace(self, on=ordered)  # type: ignore[type-var]

    def _told(self, promise: str) -> str:
        """Return a promise with where it holds."""
        known = f", {', '.join(self.known)} known" if self.known else ""
        return f"{promise}{known}" + ("" if self.on is None else f" on {', '.join(self.on)}")

    def describe(self) -> str:
        """Return the promise in words."""
        raise NotImplementedError

    def to_policy(self) -> dict[str, Any]:
        """Return the entry of a policy file that builds it: what differs from the defaults."""
        given: dict[str, Any] = {}
        for each in fields(self):  # type: ignore[arg-type]
            value = getattr(self, each.name)
            if each.name != "on" and (each.default is MISSING or value != each.default):
                given[each.name] = list(value) if isinstance(value, tuple) else value
        entry: dict[str, Any] = {self.name: given}
        return entry if self.on is None else {**entry, "on": list(self.on)}

    @classmethod
    def from_policy(cls, value: Any, on: tuple[str, ...] | None) -> Self:
        """Build it from the table of its key in a policy file."""
        own = [each for each in fields(cls) if each.name != "on"]  # type: ignore[arg-type]
        given = keyed(value, cls.name, [each.name for each in own])
        lacking = [each.name for each in own if each.default is MISSING and each.name not in given]
        if lacking:
            raise ParameterError(
                f"{cls.name} lacks {', '.join(map(repr, lacking))}.",
                hint=f"its keys are {', '.join(repr(each.name) for each in own)}.",
            )
        return cls(**given, on=on)  # type: ignore[call-arg]

    def everyone(self, table: FrequencyTable) -> Histogram:
        """Return the values of all records: a class for each value known."""
        if self.known:
            rows = np.vstack([table.carried[name] for name in self.known])
            class_of, _ = group(rows, [int(row.max(initial=0)) + 1 for row in rows])
        else:
            class_of = np.zeros(table.n_tuples, np.int32)
        return histogram_of(class_of, table.carried[self.column], table.records)

    def holds_together(self, table: FrequencyTable) -> bool:
        """Whether one class of all records holds it."""
        one: Any = self
        return BoundRequirements.of([one], table).hold_together

    def unreachable(self, hint: str) -> UnsatisfiableError:
        """Return the error that even one class of all records would break it."""
        apart = f", apart by {', '.join(self.known)}," if self.known else ""
        return UnsatisfiableError(
            f"{self.describe()} cannot be reached: even one class of all records{apart} breaks it.",
            hint=hint,
        )

    def check_reachable(self, table: FrequencyTable) -> None:
        """Raise if even one class of all records would not do."""
        if not self.monotone.without_suppression or self.holds_together(table):
            return  # where unions may break it, smaller classes can do what larger ones cannot
        raise self.unreachable(self.reachable(table))

    def reachable(self, table: FrequencyTable) -> str:
        """Return what a table that cannot meet it can meet, as a hint."""
        raise NotImplementedError

    def smallest(self, parameter: str, table: FrequencyTable, most: int) -> str:
        """Return the smallest value of a parameter that one class of all records meets, as a hint.

        In thousandths, and at most `most`.
        """

        def holds(thousandths: int) -> bool:
            changed: Any = replace(self, **{parameter: thousandths / 1000})  # type: ignore[type-var]
            return bool(changed.holds_together(table))

        least = first_that(holds, 1, 1000 * most)
        if least is None:
            return f"no {parameter} of this requirement can be met here."
        return f"the smallest {parameter} that one class of all records meets is {least / 1000:g}."


def first_that(holds: Callable[[int], bool], low: int, high: int) -> int | None:
    """Return the smallest number that holds, if all larger ones do; None if none does."""
    if not holds(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def missing_code(column: SensitiveColumn) -> int:
    """Return the code of a missing cell, or `NO_VALUE` if there is none."""
    return column.texts.index(None) if None in column.texts else NO_VALUE


def fewest_values(histogram: Histogram, ignored: int = NO_VALUE) -> int:
    """Return how many different values the least diverse class has."""
    counted = np.bincount(histogram.class_of, weights=histogram.value != ignored)
    return int(counted.min()) if len(counted) else 0


def fewest_records(histogram: Histogram) -> int:
    """Return how many records the smallest class has."""
    if not len(histogram.class_of):
        return 0
    n_classes = int(histogram.class_of.max()) + 1
    return int(sum_by_group(histogram.class_of, histogram.count, n_classes).min())
