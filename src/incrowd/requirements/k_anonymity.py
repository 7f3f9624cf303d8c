"""k-anonymity: every record looks like at least k - 1 others."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from incrowd.arrays import Counts, Mask
from incrowd.counts import FrequencyTable, Histogram
from incrowd.errors import ParameterError, UnsatisfiableError
from incrowd.requirements.base import Monotone, Requirement, requirement, whole_number
from incrowd.requirements.forms import MinimumSize


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

    References
    ----------
    .. [1] Samarati, Sweeney: "Protecting privacy when disclosing information: k-anonymity and its
       enforcement through generalization and suppression", SRI-CSL-98-04, 1998

    Examples
    --------
    >>> import numpy as np
    >>> KAnonymity(5).violating(np.array([3, 5, 9]), {})
    array([ True, False, False])
    """

    k: int
    on: tuple[str, ...] | None = None

    name: ClassVar[str] = "k_anonymity"
    monotone: ClassVar[Monotone] = Monotone(without_suppression=True, with_suppression=True)
    carried: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole_number(self.k, "k of k_anonymity", at_least=1))
        if self.on is not None:
            on = (self.on,) if isinstance(self.on, str) else tuple(self.on)
            if not on:
                raise ParameterError(
                    "k_anonymity has an empty list of columns (on).",
                    hint="name at least one quasi-identifier, or leave `on` out to cover them all.",
                )
            object.__setattr__(self, "on", on)

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
        return self.on is None or (other.on is not None and set(other.on) <= set(self.on))

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
        return f"{self.k}-anonymity{where}"

    def to_policy(self) -> dict[str, Any]:
        """Return the entry of a policy file that builds it."""
        return {self.name: self.k} if self.on is None else {self.name: self.k, "on": list(self.on)}

    @classmethod
    def from_policy(cls, value: Any, on: tuple[str, ...] | None) -> Self:
        """Build it from ``k_anonymity = value``."""
        return cls(value, on)


def union(requirements: Iterable[KAnonymity]) -> KAnonymity:
    """Return the one k-anonymity requirement that covers all the given ones.

    Their columns together, and the largest k.

    >>> union([KAnonymity(5, on=("age", "sex")), KAnonymity(3, on=("sex", "zip"))])
    KAnonymity(k=5, on=('age', 'sex', 'zip'))
    """
    given = list(requirements)
    if not given:
        raise ParameterError("union of no requirements.", hint="give at least one.")
    columns = [name for each in given for name in each.on or ()]
    on = None if any(each.on is None for each in given) else tuple(dict.fromkeys(columns))
    return KAnonymity(max(each.k for each in given), on=on)
