"""delta-disclosure privacy: in no class a value is much more or less frequent than in the table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from incrowd.counts import FrequencyTable, SensitiveColumn
from incrowd.requirements.about_values import AboutValues
from incrowd.requirements.base import Monotone, Requirement, one_of, requirement
from incrowd.requirements.forms import Form, SharesWithin
from incrowd.requirements.parameters import exact, number

Absent = Literal["break", "ignore"]
_MOST = 64  # no share of a table is smaller than 2^-64


@requirement
@dataclass(frozen=True)
class DeltaDisclosure(AboutValues):
    r"""The share of each value is within a factor :math:`2^\delta` of its share in the release.

    Parameters
    ----------
    delta
        Greater than 0; :math:`|\log_2(p / q)|` must be below it.
    column
        The sensitive column.
    absent
        What a value of the release that a class does not have means: ``"break"`` is the
        definition of the paper, where it breaks the promise; ``"ignore"`` looks at the values in
        the class alone.
    known
        Released columns that an attacker knows beside the quasi-identifiers.
    on
        The quasi-identifiers that make up the classes; all of them if not given.

    References
    ----------
    .. [1] Brickell, Shmatikov: "The cost of privacy: destruction of data-mining utility in
       anonymized data publishing", KDD 2008

    Examples
    --------
    >>> DeltaDisclosure(1.5, "diagnosis").describe()
    '1.5-disclosure privacy of diagnosis'
    """

    delta: int | float
    column: str
    absent: Absent = "break"
    known: tuple[str, ...] = ()
    on: tuple[str, ...] | None = None

    name: ClassVar[str] = "delta_disclosure"

    def __post_init__(self) -> None:
        hint = "give a number above 0; 1 lets a share at most double, or halve."
        delta = number(self.delta, "delta of delta_disclosure", hint, above=0)
        object.__setattr__(self, "delta", delta)
        one_of(self.absent, "absent of delta_disclosure", ("break", "ignore"))
        self._check_names()

    @property
    def monotone(self) -> Monotone:
        """A value that only one of two classes has can be too rare in both together."""
        return Monotone(without_suppression=self.absent == "break", with_suppression=False)

    def forms(self, columns: Mapping[str, SensitiveColumn]) -> tuple[Form, ...]:
        """Return the promise in compiled forms."""
        return (SharesWithin(exact(self.delta), self.absent == "ignore"),)

    def implies(self, other: Requirement) -> bool:
        """Whether shares so near are as near as the other asks for."""
        if not isinstance(other, DeltaDisclosure) or self.column != other.column:
            return False
        unites = self.absent == "break" and self.covers(other)
        alike = self.absent == other.absent and self.same_classes(other)
        return (unites or alike) and exact(self.delta) <= exact(other.delta)

    def reachable(self, table: FrequencyTable) -> str:
        """Return what a table that cannot meet it can meet, as a hint."""
        return self.smallest("delta", table, _MOST)

    def describe(self) -> str:
        """Return the promise in words."""
        ignored = "" if self.absent == "break" else ", absent values ignored"
        return self._told(f"{self.delta:g}-disclosure privacy of {self.column}{ignored}")
