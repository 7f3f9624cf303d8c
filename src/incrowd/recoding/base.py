"""What every recoding can do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

from incrowd.counts import FrequencyTable
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import sizes_only
from incrowd.recoding.assignment import Assignment
from incrowd.recoding.recoded import Recoded


@dataclass(frozen=True)
class Found:
    """How a recoding was found.

    Parameters
    ----------
    algorithm
        The name of the algorithm.
    search
        Its variant, where it has several.
    optimal
        Whether a closed bound or a finished enumeration proves that no recoding of this kind has a
        better objective; None for algorithms that promise no optimum.
    bound
        A proven bound on the objective.
    checked
        How many candidates were counted.
    nodes
        How many candidates there are; None where nobody knows.
    facts
        What else the algorithm has to tell: its trace, all minimal nodes ...  What it has as
        ``notes`` is said beside the release.
    """

    algorithm: str
    search: str | None = None
    optimal: bool | None = None
    bound: float | None = None
    checked: int | None = None
    nodes: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    __repr__ = sizes_only


class Recoding(Protocol):
    """The decision of an algorithm: small, serialisable, explains itself."""

    kind: ClassVar[str]

    @property
    def columns(self) -> tuple[str, ...]:
        """The quasi-identifiers."""

    @property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        """Their hierarchies."""

    @property
    def found(self) -> Found:
        """How the recoding was found."""

    @property
    def context(self) -> Mapping[str, Any]:
        """What is needed to apply it elsewhere: roles, requirements, options of the release."""

    @property
    def carried(self) -> tuple[str, ...]:
        """The columns that tell tuples apart beside the quasi-identifiers, if it deals tuples."""

    def in_context(self, context: Mapping[str, Any]) -> Self:
        """Return the same decision with that context."""

    def assign(self, table: FrequencyTable, hierarchies: Sequence[Hierarchy]) -> Assignment:
        """Return the class of every tuple; tuples outside the released ones are suppressed."""

    def recode(self, table: FrequencyTable, hierarchies: Sequence[Hierarchy]) -> Recoded:
        """Return what every tuple of new rows is shown as to learn from; none is suppressed."""

    def unchanged(self) -> frozenset[str]:
        """Return the columns whose values are released as they are."""

    def explain(self) -> list[str]:
        """Return what happens to each column, in words."""

    def summary(self) -> dict[str, Any]:
        """Return the keys that this kind adds to the JSON result."""

    def to_json(self) -> dict[str, Any]:
        """Return the decision as plain data."""

    def to_text(self) -> str:
        """Return what `save` writes."""

    def save(self, path: str | Path) -> None:
        """Write the recoding as JSON, readable by its owner alone."""
