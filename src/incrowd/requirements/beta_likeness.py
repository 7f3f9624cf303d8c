"""beta-likeness: in no class a value is much more frequent than in the table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from incrowd.counts import FrequencyTable, SensitiveColumn
from incrowd.requirements.about_values import AboutValues
from incrowd.requirements.base import Requirement, one_of, requirement
from incrowd.requirements.forms import Form, LikeTable
from incrowd.requirements.parameters import exact, number

Variant = Literal["basic", "enhanced"]


@requirement
@dataclass(frozen=True)
class BetaLikeness(AboutValues):
    r"""No value's share grows by more than beta times its share in the release.

    Parameters
    ----------
    beta
        Greater than 0; :math:`(p - q) / q` must be at most this where :math:`p > q`.
    column
        The sensitive column.
    variant
        ``"basic"``, or ``"enhanced"``: also at most :math:`-\ln q`, so that no frequent value
        becomes certain.
    known
        Released columns that an attacker knows beside the quasi-identifiers.
    on
        The quasi-identifiers that make up the classes; all of them if not given.

    References
    ----------
    .. [1] Cao, Karras: "Publishing microdata with a robust privacy guarantee", PVLDB 5(11), 2012

    Examples
    --------
    >>> BetaLikeness(2, "diagnosis", variant="enhanced").describe()
    'enhanced 2-likeness of diagnosis'
    """

    beta: int | float
    column: str
    variant: Variant = "basic"
    known: tuple[str, ...] = ()
    on: tuple[str, ...] | None = None

    name: ClassVar[str] = "beta_likeness"

    def __post_init__(self) -> None:
        hint = "give a number above 0; 1 lets a share at most double."
        object.__setattr__(self, "beta", number(self.beta, "beta of beta_likeness", hint, above=0))
        one_of(self.variant, "variant of beta_likeness", ("basic", "enhanced"))
        self._check_names()

    def forms(self, columns: Mapping[str, SensitiveColumn]) -> tuple[Form, ...]:
        """Return the promise in compiled forms."""
        return (LikeTable(exact(self.beta), self.variant == "enhanced"),)

    def implies(self, other: Requirement) -> bool:
        """Whether shares that grow so little grow as little as the other asks for."""
        if not isinstance(other, BetaLikeness) or not self.covers(other):
            return False
        stricter = self.variant == "enhanced" or other.variant == "basic"
        same = self.column == other.column
        return same and stricter and exact(self.beta) <= exact(other.beta)

    def reachable(self, table: FrequencyTable) -> str:
        """Return what a table that cannot meet it can meet, as a hint."""
        return self.smallest("beta", table, table.n_records)

    def describe(self) -> str:
        """Return the promise in words."""
        return self._told(f"{self.variant} {self.beta:g}-likeness of {self.column}")
