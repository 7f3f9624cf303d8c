"""What an algorithm is given."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self

import numpy as np

from incrowd.arrays import Codes, Floats, Mask
from incrowd.counts import FrequencyTable, Parts, SensitiveColumn, Target
from incrowd.errors import PolicyError, UnsatisfiableError
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import Private, private_dataclass
from incrowd.recoding import (
    ColumnValues,
    Found,
    Labels,
    LocalRecoding,
    MultidimensionalRecoding,
    SplitTree,
)
from incrowd.requirements import BoundRequirements, Requirement, covered_by


@private_dataclass
class Problem(Private):
    """A table to be recoded, and what the recoding must hold.

    Parameters
    ----------
    table
        Distinct tuples with counts.
    hierarchies
        One per generalised column, in the table's column order.
    requirements
        What every class must hold.  Their columns are spelled out here, whoever built them, one
        that covers none is refused, and they are bound to the table.
    weights
        How much each column counts in a loss.
    labels
        How regions and classes are to be written.
    given
        Per column, whether its hierarchy was given; otherwise it was chosen from the values.
    sensitive
        The sensitive columns, for algorithms that declare to carry them.
    target
        The column to be predicted, for algorithms that declare to carry it; None if there is none.
    domains
        Per column the smallest and the largest number that it can hold, where the policy says.
    described
        The carried columns that requirements are about, with their trees.
    masks
        Whether suppressed records stay in the release as a class of their own, if they hold
        everything; otherwise they are dropped.
    whole
        The table that `table` is a part of, if it is one: what distributions are compared with.
    """

    table: FrequencyTable
    hierarchies: tuple[Hierarchy, ...]
    requirements: BoundRequirements
    weights: Floats
    labels: Labels = "node"
    given: tuple[bool, ...] = ()
    sensitive: tuple[SensitiveColumn, ...] = ()
    target: Target | None = None
    domains: tuple[tuple[float, float] | None, ...] = ()
    described: tuple[SensitiveColumn, ...] = ()
    masks: bool = True
    whole: FrequencyTable | None = None

    def __post_init__(self) -> None:
        for each in self.requirements:
            self.covered(each)
        resolved = tuple(each.resolved(self.columns) for each in self.requirements)
        bound = BoundRequirements.of(
            resolved, self.table, self.described, masks=self.masks, whole=self.whole
        )
        object.__setattr__(self, "requirements", bound)

    @property
    def columns(self) -> tuple[str, ...]:
        """The generalised columns."""
        return self.table.columns

    @property
    def smallest_k(self) -> int:
        """The smallest k that a requirement names, or the smallest class that one allows."""
        asked = [each for each in self.requirements if hasattr(each, "k")] or self.requirements
        return min((each.minimum_size for each in asked), default=1)

    @property
    def class_size(self) -> int:
        """The size that a class over all columns must have for every requirement."""
        return max((each.minimum_size for each in self.requirements), default=1)

    @property
    def crowd(self) -> int:
        """The smallest crowd that somebody may be left in; a label may name what so many share.

        Of requirements on the same columns the largest size counts; of different ones, the least.
        """
        largest: dict[tuple[int, ...], int] = {}
        for each in self.requirements:
            columns = self.covered(each)
            largest[columns] = max(each.minimum_size, largest.get(columns, 1))
        return min(largest.values(), default=1)

    def needed_target(self, algorithm: str) -> tuple[Target, Codes]:
        """Return the column to be predicted and the class of each tuple, or say who misses it."""
        if self.target is None:
            raise PolicyError(
                f"algorithm {algorithm!r} keeps what tells the classes of a target apart, and the "
                "policy names no target.",
                hint='give a column role = "target" (--target NAME on the command line).',
            )
        return self.target, self.table.carried[self.target.name]

    def covered(self, requirement: Requirement) -> tuple[int, ...]:
        """Return the columns, by position, that make up the classes of a requirement."""
        return covered_by(requirement, self.columns)

    @cached_property
    def is_covered(self) -> Mask:
        """By column whether some requirement covers it; a search leaves the others as they are."""
        found = np.zeros(len(self.columns), dtype=bool)
        for each in self.requirements:
            found[list(self.covered(each))] = True
        return found

    @property
    def is_told_apart(self) -> bool:
        """Whether some requirement covers every column, and each may be released as it is."""
        return bool(self.is_covered.all()) and not any(each.lowest for each in self.hierarchies)

    def where_covered(self) -> tuple[Self, Codes]:
        """Return the problem on the covered columns alone, and which of its tuples each tuple is.

        Classes over all covered columns that meet the largest minimum size meet each requirement on
        some of them.  A value stands as the first one under its node at the lowest level that may
        be released: what is not told apart there is one tuple.
        """
        columns = np.flatnonzero(self.is_covered).tolist()
        table, tuple_of = self.at_lowest_levels().over(
            columns, [self.hierarchies[j].n_codes for j in columns]
        )
        return self.on(columns, table), tuple_of

    def on(self, columns: Sequence[int], table: FrequencyTable) -> Self:
        """Return the problem on some columns alone, of which there is this table."""
        given, domains = self.given, self.domains
        return replace(
            self,
            table=table,
            hierarchies=tuple(self.hierarchies[j] for j in columns),
            weights=self.weights[list(columns)],
            given=tuple(given[j] for j in columns) if given else (),
            domains=tuple(domains[j] for j in columns) if domains else (),
        )

    def at_lowest_levels(self) -> FrequencyTable:
        """Return the table with each value as the first one under its lowest allowed node."""
        codes = [each.first_codes[own] for each, own in self._with_codes()]
        return replace(self.table, codes=np.stack(codes))

    def _with_codes(self) -> Iterator[tuple[Hierarchy, Codes]]:
        return zip(self.hierarchies, self.table.codes, strict=True)

    def in_classes(
        self, parts: Parts, found: Found, values: Sequence[ColumnValues] | None = None
    ) -> LocalRecoding:
        """Return the decision to release the table in these classes."""
        return LocalRecoding.of_table(
            self.table, self.hierarchies, parts, self.labels, found, values
        )

    def in_regions(
        self, tree: SplitTree, low: Codes, high: Codes, found: Found
    ) -> MultidimensionalRecoding:
        """Return the decision to release the table in regions; `low` and `high` are their spans."""
        table, trees, labels = self.table, self.hierarchies, self.labels
        if labels == "set":  # needs more than the spans
            return MultidimensionalRecoding.of_table(table, trees, tree, labels, found)
        return MultidimensionalRecoding(table.columns, trees, tree, low, high, labels, found)

    def check_reachable(self) -> None:
        """Raise `UnsatisfiableError` if no recoding can meet the requirements."""
        crowd = self.requirements.least_crowd
        if self.table.persons is not None and self.table.n_persons < crowd:
            raise UnsatisfiableError(
                f"a crowd of {crowd} cannot be reached: the table is about "
                f"{self.table.n_persons:,} persons, in {self.table.n_records:,} records.",
                hint=f"the largest k that this table can meet is {self.table.n_persons}.",
            )
        # Asked once, with what the search will ask; only otherwise who it was.
        broken = not self.requirements.compiled or not self.requirements.hold_together
        for each in self.requirements:
            each.check_reachable(self.table)
            # Where classes that hold do so together, all records as one class are the last resort.
            unites = self.requirements.unites(each)
            if broken and unites and not self.requirements.only(each).hold_together:
                raise UnsatisfiableError(
                    f"{each.describe()} cannot be reached: not even all records as one class do.",
                    hint="weaken it, or leave it out.",
                )
