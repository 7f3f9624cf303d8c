"""l-diversity: every class has l well-represented values of a sensitive column."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from incrowd.counts import FrequencyTable, SensitiveColumn
from incrowd.errors import ParameterError
from incrowd.requirements.about_values import (
    AboutValues,
    fewest_values,
    first_that,
    missing_code,
)
from incrowd.requirements.base import Monotone, Requirement, one_of, requirement, whole_number
from incrowd.requirements.forms import NO_VALUE, Distinct, Entropy, Form, Recursive
from incrowd.requirements.parameters import exact, number

Variant = Literal["distinct", "entropy", "recursive"]
Missing = Literal["value", "nothing"]
MISSING_CELLS: tuple[Missing, ...] = ("value", "nothing")


@requirement
@dataclass(frozen=True)
class LDiversity(AboutValues):
    r"""Every class has at least l well-represented values of a sensitive column.

    Parameters
    ----------
    l
        How many; 2 or more.  A whole number, but any number above 1 for the entropy.
    column
        The sensitive column.
    variant
        ``"distinct"``: l different values.  ``"entropy"``: an entropy of at least
        :math:`\ln l`.  ``"recursive"``: the most frequent value has fewer records than c times all
        from the l-th most frequent on.
    c
        For the recursive variant, and only for it.
    known
        Released columns that an attacker knows beside the quasi-identifiers.
    missing
        Whether a missing cell is a ``"value"`` like any other, or ``"nothing"``.
    on
        The quasi-identifiers that make up the classes; all of them if not given.

    References
    ----------
    .. [1] Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: "l-diversity: privacy beyond
       k-anonymity", TKDD 1(1), 2007

    Examples
    --------
    >>> LDiversity(3, "diagnosis").describe()
    'distinct 3-diversity of diagnosis'
    >>> LDiversity(2.5, "diagnosis", variant="entropy").to_policy()
    {'l_diversity': {'l': 2.5, 'column': 'diagnosis', 'variant': 'entropy'}}
    """

    l: int | float  # noqa: E741 - the letter of the paper
    column: str
    variant: Variant = "distinct"
    c: int | float | None = None
    known: tuple[str, ...] = ()
    missing: Missing = "value"
    on: tuple[str, ...] | None = None

    name: ClassVar[str] = "l_diversity"

    def __post_init__(self) -> None:
        one_of(self.variant, "variant of l_diversity", ("distinct", "entropy", "recursive"))
        one_of(self.missing, "missing of l_diversity", MISSING_CELLS)
        object.__setattr__(self, "l", self._checked_l())
        if self.variant == "recursive":
            hint = "give a number above 0, for example 2: the smaller, the stricter."
            object.__setattr__(self, "c", number(self.c, "c of l_diversity", hint, above=0))
        elif self.c is not None:
            raise ParameterError(
                f"c has no meaning in {self.variant} l_diversity.",
                hint='leave it out, or use variant = "recursive".',
            )
        self._check_names()

    def _checked_l(self) -> int | float:
        if self.variant == "entropy":
            hint = "give a number above 1: 1 promises nothing."
            return number(self.l, "l of l_diversity", hint, above=1)
        found = whole_number(self.l, "l of l_diversity", at_least=1)
        if found == 1:
            raise ParameterError(
                "l of l_diversity is 1, which promises nothing.",
                hint="give a whole number of 2 or more.",
            )
        return found

    @property
    def monotone(self) -> Monotone:
        """Of fewer different values no part has more; a part can be more even than the whole."""
        falls_apart = self.variant == "distinct" and not self.known
        return Monotone(without_suppression=True, with_suppression=falls_apart)

    @property
    def minimum_size(self) -> int:
        """As many records as different values."""
        return math.ceil(exact(self.l))

    def forms(self, columns: Mapping[str, SensitiveColumn]) -> tuple[Form, ...]:
        """Return the promise in compiled forms."""
        column = columns[self.column]
        ignored = missing_code(column) if self.missing == "nothing" else NO_VALUE
        if self.variant == "entropy":
            return (Entropy(exact(self.l), ignored),)
        if self.variant == "recursive":
            assert self.c is not None
            return (Recursive(exact(self.c), int(self.l), ignored),)
        return (Distinct(int(self.l), ignored),)

    def implies(self, other: Requirement) -> bool:
        """Whether each class with these values has those of the other."""
        if not isinstance(other, LDiversity) or not self.covers(other):
            return False
        if other.column != self.column:
            return False
        if other.variant == "distinct":  # which every variant promises
            stricter = self.missing == "nothing" or other.missing == "value"
            return stricter and other.l <= self.minimum_size
        alike = (self.variant, self.missing) == (other.variant, other.missing)
        wider = self.c is None or (other.c is not None and exact(self.c) <= exact(other.c))
        return alike and wider and exact(other.l) <= exact(self.l)

    def reachable(self, table: FrequencyTable) -> str:
        """Return what a table that cannot meet it can meet, as a hint."""
        most = fewest_values(self.everyone(table), ignored_in(table, self))
        if most < self.minimum_size:
            return values_reachable(self, table, "l")
        if self.variant == "recursive":
            return self.smallest("c", table, table.n_records)

        def breaks(thousandths: int) -> bool:
            return not replace(self, l=thousandths / 1000).holds_together(table)

        first = first_that(breaks, 1001, 1000 * (most + 1))
        if first is None or first == 1001:
            return "nothing is reachable: nearly all records have the same value."
        return f"the largest l that one class of all records meets is {(first - 1) / 1000:g}."

    def describe(self) -> str:
        """Return the promise in words."""
        which = f"({self.c:g}, {self.l:g})" if self.variant == "recursive" else f"{self.l:g}"
        promise = f"{self.variant} {which}-diversity of {self.column}"
        return self._told(promise + without_missing(self.missing))


def values_reachable(asked: Any, table: FrequencyTable, parameter: str) -> str:
    """Return how many different values there are, as a hint."""
    most = fewest_values(asked.everyone(table), ignored_in(table, asked))
    where = f" among records that are alike on {', '.join(asked.known)}" if asked.known else ""
    values = "1 value" if most == 1 else f"{most:,} different values"
    said = f"column {asked.column!r} has {values}{where}"
    if most < 2:
        return f"{said}: nothing is reachable."
    return f"{said}: the largest {parameter} that can be met is {most:,}."


def without_missing(missing: Missing) -> str:
    """Return what is said of missing cells in the words of a promise."""
    return "" if missing == "value" else ", missing cells not counted"


def ignored_in(table: FrequencyTable, asked: Any) -> int:
    """Return the code of a missing cell, if it counts for nothing."""
    texts = table.carried_values.get(asked.column, ())
    if asked.missing == "value" or None not in texts:
        return NO_VALUE
    return tuple(texts).index(None)
