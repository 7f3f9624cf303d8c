"""The classes of a released table, as a formula sees them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from incrowd.private import private_dataclass
from incrowd.verify.counting import Counts, Distribution
from incrowd.verify.trees import Tree


@private_dataclass
class Carried:
    """A column that a requirement is about, over the whole released table.

    Parameters
    ----------
    name
        Its name.
    texts
        Its distinct texts; a `Distribution` has positions in them, and -1 for missing cells.
    reference
        The records of the released table that hold each text, and last, where -1 points, those
        whose cell is missing.  Masked records are among them.
    read_tree
        Reads the hierarchy that the policy gives the column; None if it gives none.
    """

    name: str
    texts: tuple[str, ...]
    reference: Counts
    read_tree: Callable[[], Tree | None]

    @cached_property
    def tree(self) -> Tree | None:
        """The hierarchy of the column, read when a formula first asks for it."""
        return self.read_tree()

    @property
    def has_missing(self) -> bool:
        """Whether a cell of the column is missing."""
        return bool(self.reference[-1])

    @property
    def n_values(self) -> int:
        """How many values the released column has; a missing cell is one of them."""
        return int(np.count_nonzero(self.reference))


@dataclass(frozen=True, eq=False)
class Classes:
    """The equivalence classes of a released table, as a formula sees them.

    Parameters
    ----------
    sizes
        The records of each class.
    distributions
        How the columns that the requirement carries are spread over the classes.
    carried
        Those columns over the whole table.
    persons
        The different persons of each class, if it was told whose the records are.
    """

    sizes: Counts
    distributions: Mapping[str, Distribution]
    carried: Mapping[str, Carried] = field(default_factory=dict)
    persons: Counts | None = None

    @property
    def crowds(self) -> Counts:
        """How many hide in each class: persons if it is known whose the records are."""
        return self.sizes if self.persons is None else self.persons
