"""p-sensitive k-anonymity: every class has k records, and p different sensitive values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from incrowd.counts import FrequencyTable, SensitiveColumn
from incrowd.errors import ParameterError
from incrowd.requirements.about_values import AboutValues, fewest_records, missing_code
from incrowd.requirements.base import Monotone, Requirement, one_of, requirement, whole_number
from incrowd.requirements.forms import NO_VALUE, Distinct, Form, MinimumSize
from incrowd.requirements.k_anonymity import KAnonymity
from incrowd.requirements.l_diversity import (
    MISSING_CELLS,
    LDiversity,
    Missing,
    values_reachable,
    without_missing,
)


@requirement
@dataclass(frozen=True)
class PSensitive(AboutValues):
    """Every class has at least k records, and at least p different values of a sensitive column.

    Parameters
    ----------
    p
        How many different values; 2 or more.
    k
        How many records; 1 or more.
    column
        The sensitive column.
    known
        Released columns that an attacker knows beside the quasi-identifiers.
    missing
        Whether a missing cell is a ``"value"`` like any other, or ``"nothing"``; its record counts
        towards k in any case.
    on
        The quasi-identifiers that make up the classes; all of them if not given.

    References
    ----------
    .. [1] Truta, Vinay: "Privacy protection: p-sensitive k-anonymity property", ICDE Workshops 2006

    Examples
    --------
    >>> PSensitive(2, 5, "diagnosis").describe()
    '2-sensitive 5-anonymity of diagnosis'
    >>> PSensitive(2, 5, "diagnosis").minimum_size
    5
    """

    p: int
    k: int
    column: str
    known: tuple[str, ...] = ()
    missing: Missing = "value"
    on: tuple[str, ...] | None = None

    name: ClassVar[str] = "p_sensitive"

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", whole_number(self.p, "p of p_sensitive", at_least=1))
        object.__setattr__(self, "k", whole_number(self.k, "k of p_sensitive", at_least=1))
        one_of(self.missing, "missing of p_sensitive", MISSING_CELLS)
        if self.p == 1:
            raise ParameterError(
                "p of p_sensitive is 1, which promises nothing about the column.",
                hint="give a whole number of 2 or more.",
            )
        self._check_names()

    @property
    def monotone(self) -> Monotone:
        """Of fewer records and fewer different values no part has more."""
        return Monotone(without_suppression=True, with_suppression=not self.known)

    @property
    def minimum_size(self) -> int:
        """As many records as different values, and k."""
        return max(self.p, self.k)

    def forms(self, columns: Mapping[str, SensitiveColumn]) -> tuple[Form, ...]:
        """Return the promise in compiled forms."""
        column = columns[self.column]
        ignored = missing_code(column) if self.missing == "nothing" else NO_VALUE
        return MinimumSize(self.k, apart=bool(self.known)), Distinct(self.p, ignored)

    def implies(self, other: Requirement) -> bool:
        """Whether each class with these records and values has those of the other."""
        if not self.covers(other):
            return False
        if isinstance(other, KAnonymity):
            return other.k <= self.k  # so many values may be of fewer persons
        if isinstance(other, PSensitive):
            values, size = other.p, other.k
        elif isinstance(other, LDiversity) and other.variant == "distinct":
            values, size = int(other.l), 0
        else:
            return False
        stricter = self.missing == "nothing" or other.missing == "value"
        same = stricter and other.column == self.column
        return same and values <= self.p and size <= self.k

    def reachable(self, table: FrequencyTable) -> str:
        """Return what a table that cannot meet it can meet, as a hint."""
        fewest = fewest_records(self.everyone(table))
        if fewest < self.k:
            return f"the largest k that can be met is {fewest:,}."
        return values_reachable(self, table, "p")

    def describe(self) -> str:
        """Return the promise in words."""
        promise = f"{self.p}-sensitive {self.k}-anonymity of {self.column}"
        return self._told(promise + without_missing(self.missing))
