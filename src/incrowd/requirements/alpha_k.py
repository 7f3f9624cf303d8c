"""(alpha, k)-anonymity: every class has k records, and no sensitive value prevails in it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from incrowd.counts import FrequencyTable, SensitiveColumn
from incrowd.errors import ParameterError, PolicyError
from incrowd.requirements.about_values import AboutValues, fewest_records
from incrowd.requirements.base import Requirement, requirement, whole_number
from incrowd.requirements.forms import Form, MinimumSize, ShareAtMost
from incrowd.requirements.k_anonymity import KAnonymity
from incrowd.requirements.parameters import exact, names_of, number
from incrowd.texts import canonical_number


@requirement
@dataclass(frozen=True)
class AlphaK(AboutValues):
    """Every class has at least k records, and no value of a column has more than a share alpha.

    Parameters
    ----------
    alpha
        The largest share; above 0, at most 1.
    k
        How many records; 1 or more.
    column
        The sensitive column.
    values
        The values whose share is limited, as texts; all of them if not given.  A number is meant in
        all its spellings.
    known
        Released columns that an attacker knows beside the quasi-identifiers.
    on
        The quasi-identifiers that make up the classes; all of them if not given.

    References
    ----------
    .. [1] Wong, Li, Fu, Wang: "(alpha, k)-anonymity: an enhanced k-anonymity model for privacy
       preserving data publishing", KDD 2006

    Examples
    --------
    >>> AlphaK(0.5, 5, "diagnosis").describe()
    '(0.5, 5)-anonymity of diagnosis'
    >>> AlphaK(0.1, 5, "diagnosis").minimum_size, AlphaK(0.1, 5, "diagnosis", ["HIV"]).minimum_size
    (10, 5)
    """

    alpha: int | float
    k: int
    column: str
    values: tuple[str, ...] | None = None
    known: tuple[str, ...] = ()
    on: tuple[str, ...] | None = None

    name: ClassVar[str] = "alpha_k"

    def __post_init__(self) -> None:
        hint = "give a number above 0 and at most 1."
        alpha = number(self.alpha, "alpha of alpha_k", hint, above=0, at_most=1)
        object.__setattr__(self, "alpha", alpha)
        object.__setattr__(self, "k", whole_number(self.k, "k of alpha_k", at_least=1))
        if self.values is not None:
            hint = "list the texts of the values to be limited, or leave it out to limit all."
            values = names_of(self.values, "values of alpha_k", hint)
            if not values:
                raise ParameterError("alpha_k has an empty list of values.", hint=hint)
            object.__setattr__(self, "values", values)
        self._check_names()

    @property
    def minimum_size(self) -> int:
        """Where all values are limited there must be 1 / alpha of them at least."""
        values = math.ceil(1 / exact(self.alpha)) if self.values is None else 1
        return max(self.k, values)

    def forms(self, columns: Mapping[str, SensitiveColumn]) -> tuple[Form, ...]:
        """Return the promise in compiled forms."""
        marked = None
        if self.values is not None:
            found = [self._lists(text) for text in columns[self.column].texts]
            marked = np.array(found, dtype=np.uint8)
        return (
            MinimumSize(self.k, apart=bool(self.known)),
            ShareAtMost(exact(self.alpha), marked),
        )

    def _lists(self, text: str | None) -> bool:
        assert self.values is not None
        return text is not None and _spelled(text) in set(map(_spelled, self.values))

    def implies(self, other: Requirement) -> bool:
        """Whether classes with these records and shares have those of the other."""
        if not self.covers(other):
            return False
        if isinstance(other, KAnonymity):
            return other.k <= self.k  # so many values may be of fewer persons
        if not isinstance(other, AlphaK) or other.column != self.column:
            return False
        limited = self.values is None or (
            other.values is not None and set(other.values) <= set(self.values)
        )
        stricter = exact(self.alpha) <= exact(other.alpha)
        return limited and stricter and other.k <= self.k

    def check_reachable(self, table: FrequencyTable) -> None:
        """Raise if even one class of all records would not do, or a listed value does not exist."""
        texts = table.carried_values.get(self.column)
        there = None if texts is None else {_spelled(each) for each in texts if each is not None}
        absent = [each for each in self.values or () if there and _spelled(each) not in there]
        if absent:
            raise PolicyError(
                f"alpha_k lists {len(absent)} of {len(self.values or ())} values that column "
                f"{self.column!r} does not have, so that nothing would protect what they mean.",
                hint="correct the spelling, or take them off the list: see `error.values`.",
                values=absent,
            )
        super().check_reachable(table)

    def reachable(self, table: FrequencyTable) -> str:
        """Return what a table that cannot meet it can meet, as a hint."""
        fewest = fewest_records(self.everyone(table))
        if fewest < self.k:
            return f"the largest k that can be met is {fewest:,}."
        return self.smallest("alpha", table, 1)

    def describe(self) -> str:
        """Return the promise in words."""
        limited = "" if self.values is None else f", for {len(self.values)} of its values"
        return self._told(f"({self.alpha:g}, {self.k})-anonymity of {self.column}{limited}")


def _spelled(text: str) -> str:
    """Return the one spelling that all texts share which mean the same number."""
    return canonical_number(text) or text
