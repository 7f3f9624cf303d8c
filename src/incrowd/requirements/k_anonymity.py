"""k-anonymity: every record looks like at least k - 1 others."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, Self

from incrowd.arrays import Counts, Mask
from incrowd.counts import FrequencyTable, Histogram
from incrowd.errors import ParameterError, PolicyError, UnsatisfiableError
from incrowd.requirements.base import Monotone, Requirement, requirement, whole_number
from incrowd.requirements.forms import MinimumSize
from incrowd.requirements.parameters import columns_on

_MOST_CHOICES = 500


@requirement
@dataclass(frozen=True)
class KAnonymity:
    """Every equivalence class holds at least k records.

    Parameters
    ----------
    k
        The smallest class allowed; 1 or more.
    on
        The quasi-identifiers that make up the classes; all of them if not given.
    any
        How many of these an attacker knows, whichever: k records are alike on every choice of so
        many.  All of them if not given.

    References
    ----------
    .. [1] Samarati, Sweeney: "Protecting privacy when disclosing information: k-anonymity and its
       enforcement through generalization and suppression", SRI-CSL-98-04, 1998

    Examples
    --------
    >>> import numpy as np
    >>> KAnonymity(5).violating(np.array([3, 5, 9]), {})
    array([ True, False, False])
    >>> len(KAnonymity(5, on=("age", "sex", "zip"), any=2).parts())
    3
    """

    k: int
    on: tuple[str, ...] | None = None
    any: int | None = None

    name: ClassVar[str] = "k_anonymity"
    monotone: ClassVar[Monotone] = Monotone(without_suppression=True, with_suppression=True)
    carried: ClassVar[tuple[str, ...]] = ()
    beside: ClassVar[tuple[str, ...]] = ("any",)  # keys of a policy beside its own

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole_number(self.k, "k of k_anonymity", at_least=1))
        object.__setattr__(self, "on", columns_on(self.on, self.name))
        if self.any is not None:
            chosen = whole_number(self.any, "any of k_anonymity", at_least=1)
            object.__setattr__(self, "any", chosen)

    @property
    def minimum_size(self) -> int:
        """No class with fewer records can meet the requirement."""
        return self.k

    @property
    def compiled(self) -> MinimumSize:
        """The compiled form: a minimum size."""
        return MinimumSize(self.k)

    def violating(self, sizes: Counts, histograms: Mapping[str, Histogram]) -> Mask:
        """Return which classes are smaller than k."""
        return sizes < self.k

    def implies(self, other: Requirement) -> bool:
        """Whether this one is at least as strict, on at least the same columns."""
        if not isinstance(other, KAnonymity) or other.k > self.k:
            return False
        wider = self.on is None or (other.on is not None and set(other.on) <= set(self.on))
        return wider and other._together <= self._together

    @property
    def _together(self) -> float:
        """How many columns together make up its classes."""
        columns = math.inf if self.on is None else len(self.on)
        return columns if self.any is None else min(self.any, columns)

    def parts(self) -> tuple[Self, ...]:
        """Return the requirements that it stands for: on every choice of `any` of its columns.

        `on` is already spelled out.
        """
        if self.any is None or self.on is None:
            return (self,)
        size = min(self.any, len(self.on))
        if math.comb(len(self.on), size) > _MOST_CHOICES:
            raise PolicyError(
                f"{self.describe()} is about {math.comb(len(self.on), size):,} choices of columns, "
                f"more than {_MOST_CHOICES}.",
                hint="choose from fewer columns (on), or give another number of them (any).",
            )
        return tuple(replace(self, on=each, any=None) for each in combinations(self.on, size))

    def resolved(self, quasi_identifiers: tuple[str, ...]) -> Self:
        """Return the same requirement with `on` spelled out, in policy order."""
        if self.on is None:
            return replace(self, on=quasi_identifiers)
        return replace(self, on=tuple(name for name in quasi_identifiers if name in self.on))

    def check_reachable(self, table: FrequencyTable) -> None:
        """Raise if the table has fewer than k records."""
        if table.n_records < self.k:
            raise UnsatisfiableError(
                f"k = {self.k} cannot be reached: the table has {table.n_records} records.",
                hint=f"the largest k that this table can meet is {table.n_records}.",
            )

    def describe(self) -> str:
        """Return the promise in words."""
        where = "" if self.on is None else f" on {', '.join(self.on)}"
        if self.any is not None:
            columns = "columns" if self.on is None else ", ".join(self.on)
            where = f" on any {self.any} of {columns}"
        return f"{self.k}-anonymity{where}"

    def to_policy(self) -> dict[str, Any]:
        """Return the entry of a policy file that builds it."""
        beside = {"on": None if self.on is None else list(self.on), "any": self.any}
        return {self.name: self.k, **{key: v for key, v in beside.items() if v is not None}}

    @classmethod
    def from_policy(cls, value: Any, on: tuple[str, ...] | None, any: int | None = None) -> Self:
        """Build it from ``k_anonymity = value``, and ``any`` beside it."""
        return cls(value, on, any)


def union(requirements: Iterable[KAnonymity]) -> KAnonymity:
    """Return the one k-anonymity requirement that covers all the given ones.

    Their columns together, and the largest k.

    >>> union([KAnonymity(5, on=("age", "sex")), KAnonymity(3, on=("sex", "zip"))])
    KAnonymity(k=5, on=('age', 'sex', 'zip'), any=None)
    """
    given = list(requirements)
    if not given:
        raise ParameterError("union of no requirements.", hint="give at least one.")
    columns = [name for each in given for name in each.on or ()]
    on = None if any(each.on is None for each in given) else tuple(dict.fromkeys(columns))
    return KAnonymity(max(each.k for each in given), on=on)
