"""What every recoding can do."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from incrowd.arrays import Codes
from incrowd.charts import bars
from incrowd.counts import FrequencyTable
from incrowd.frame.pending import write_text
from incrowd.hierarchies.tree import Hierarchy
from incrowd.html_tables import heading, lines, page
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
    def spans(self) -> Iterator[tuple[Codes, Codes]]:
        """Yield per column the leaf codes ``[low, high)`` of each value that it is released as."""

    def widths(self) -> dict[str, float]:
        """Return per column the mean share of its leaves that a released value may be besides one.

        Every value counts once, however many records have it: a decision knows no records.
        """
        widths = {}
        columns = zip(self.columns, self.hierarchies, self.spans(), strict=True)
        for name, tree, (low, high) in columns:
            others = np.maximum(np.minimum(high, tree.n_leaves) - low - 1, 0)
            widths[name] = float(others.mean()) / max(tree.n_leaves - 1, 1) if len(low) else 0.0
        return widths

    def plot(self) -> Any:
        """Return a chart of the `widths` of the columns, by Altair."""
        rows = [{"column": name, "width": width} for name, width in self.widths().items()]
        x = {"title": "share of the values that a released one may be", "domain": (0.0, 1.0)}
        return bars(rows, "column", "width", x)

    def _repr_html_(self) -> str:
        said = heading(f"{self.kind} recoding of {len(self.columns):,} columns")
        return page(said, lines(self.explain()))

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
