"""What every recoding can do."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from incrowd.counts import FrequencyTable
from incrowd.frame.pending import write_text
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import sizes_only
from incrowd.recoding.assignment import Assignment
from incrowd.recoding.recoded import Recoded

FORMAT = 1
"""Of a saved recoding."""


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
        ``notes`` is said beside the release, and so is a true ``ended_by_time_limit``.
    choice
        Between which algorithms `auto` chose, by what figures, and what another purpose would give;
        None if it did not.  No value of the table.
    suppression_limit
        The share of the records that might have been suppressed; None if nobody set a limit.
    """

    algorithm: str
    search: str | None = None
    optimal: bool | None = None
    bound: float | None = None
    checked: int | None = None
    nodes: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    choice: Mapping[str, Any] | None = None
    suppression_limit: float | None = None

    __repr__ = sizes_only


class Recoding(ABC):
    """The decision of an algorithm: small, serialisable, explains itself."""

    kind: ClassVar[str]

    columns: tuple[str, ...]
    """The quasi-identifiers."""

    hierarchies: tuple[Hierarchy, ...]
    """Their hierarchies."""

    found: Found
    """How the recoding was found."""

    context: Mapping[str, Any]
    """What is needed to apply it elsewhere: roles, requirements, options of the release."""

    carried: tuple[str, ...] = ()
    """The columns that tell tuples apart beside the quasi-identifiers, if it deals tuples."""

    def in_context(self, context: Mapping[str, Any]) -> Self:
        """Return the same decision with that context."""
        return replace(self, context=context)  # type: ignore[type-var]

    @abstractmethod
    def assign(self, table: FrequencyTable, hierarchies: Sequence[Hierarchy]) -> Assignment:
        """Return the class of every tuple; tuples outside the released ones are suppressed."""

    @abstractmethod
    def recode(self, table: FrequencyTable, hierarchies: Sequence[Hierarchy]) -> Recoded:
        """Return what every tuple of new rows is shown as to learn from; none is suppressed."""

    @abstractmethod
    def unchanged(self) -> frozenset[str]:
        """Return the columns whose values are released as they are."""

    @abstractmethod
    def explain(self) -> list[str]:
        """Return what happens to each column, in words."""

    @abstractmethod
    def summary(self) -> dict[str, Any]:
        """Return the keys that this kind adds to the JSON result."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the decision as plain data."""

    def to_text(self) -> str:
        """Return what `save` writes."""
        facts = {
            "incrowd_recoding": FORMAT,
            "kind": self.kind,
            "found": {key: value for key, value in asdict(self.found).items() if key != "facts"},
            "policy": dict(self.context),
            **self.to_json(),
        }
        return json.dumps(facts, ensure_ascii=False, indent=1)

    def save(self, path: str | Path) -> None:
        """Write the recoding as JSON, readable by its owner alone.

        The file holds the hierarchies, and with them values of the table where a hierarchy was
        built from it.  It belongs to the data owner, not beside the release.
        """
        write_text(path, self.to_text(), private=True)
