"""t-closeness: the values of every class are spread like those of the table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from incrowd.counts import FrequencyTable, SensitiveColumn
from incrowd.requirements.about_values import AboutValues
from incrowd.requirements.base import Requirement, one_of, requirement
from incrowd.requirements.forms import EqualCloseness, Form, OrderedCloseness, TreeCloseness
from incrowd.requirements.parameters import exact, share
from incrowd.requirements.value_places import ranks_of
from incrowd.requirements.value_trees import closeness_tree

Distance = Literal["equal", "ordered", "hierarchical"]


@requirement
@dataclass(frozen=True)
class TCloseness(AboutValues):
    r"""The values of every class are at most t away from those of the whole release.

    The distance is what must be moved, and how far, to make one distribution of the other (the
    earth mover's distance).

    Parameters
    ----------
    t
        The largest distance, between 0 and 1.
    column
        The sensitive column.
    distance
        How far values are apart.  ``"equal"``: every two as far as any others.  ``"ordered"``:
        numbers, as many steps as there are values between them.  ``"hierarchical"``: as high as the
        lowest node over both in the hierarchy of the column.
    known
        Released columns that an attacker knows beside the quasi-identifiers.
    on
        The quasi-identifiers that make up the classes; all of them if not given.

    References
    ----------
    .. [1] Li, Li, Venkatasubramanian: "t-closeness: privacy beyond k-anonymity and l-diversity",
       ICDE 2007

    Examples
    --------
    >>> TCloseness(0.2, "salary", distance="ordered").describe()
    '0.2-closeness of salary by ordered distance'
    """

    t: int | float
    column: str
    distance: Distance = "equal"
    known: tuple[str, ...] = ()
    on: tuple[str, ...] | None = None

    name: ClassVar[str] = "t_closeness"

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", share(self.t, "t of t_closeness"))
        one_of(self.distance, "distance of t_closeness", ("equal", "ordered", "hierarchical"))
        self._check_names()

    def forms(self, columns: Mapping[str, SensitiveColumn]) -> tuple[Form, ...]:
        """Return the promise in compiled forms."""
        most, column = exact(self.t), columns[self.column]
        if self.distance == "ordered":
            return (OrderedCloseness(most, ranks_of(column)),)
        if self.distance == "hierarchical":
            tree = closeness_tree(column)
            return (TreeCloseness(most, tree.parent, tree.height, tree.leaf),)
        return (EqualCloseness(most),)

    def implies(self, other: Requirement) -> bool:
        """Whether classes so near are as near as the other asks for."""
        if not isinstance(other, TCloseness) or not self.covers(other):
            return False
        same = (self.column, self.distance) == (other.column, other.distance)
        return same and exact(self.t) <= exact(other.t)

    def check_reachable(self, table: FrequencyTable) -> None:
        """Raise if even one class of all records would not do: where something is known beside."""
        if self.known and self.distance != "hierarchical":  # whose tree is not at hand here
            super().check_reachable(table)

    def reachable(self, table: FrequencyTable) -> str:
        """Return what a table that cannot meet it can meet, as a hint."""
        return self.smallest("t", table, 1)

    def describe(self) -> str:
        """Return the promise in words."""
        return self._told(f"{self.t:g}-closeness of {self.column} by {self.distance} distance")
