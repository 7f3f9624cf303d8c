"""Searches over more distinct tuples than can be held: these are counted where the rows are.

A search of this kind looks at what it decides by and at nothing else: how often values occur in
whole columns and in regions, and tuples that stand for all those that it treats alike.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NoReturn, Protocol

from incrowd.algorithms.base import ALGORITHMS, Algorithm, Problem
from incrowd.arrays import Codes, Counts, Floats, Places
from incrowd.counts import CoarseTable, FrequencyTable, SensitiveColumn
from incrowd.errors import ParameterError
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import private_dataclass
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Recoding, SplitTree
from incrowd.requirements import BoundRequirements, Requirement


class TooManyTuplesError(ParameterError):
    """There are more distinct tuples than may be looked at here."""


@private_dataclass
class RegionMargins:
    """How often values occur in one region.

    Parameters
    ----------
    region
        Its number.
    margins
        By column: a table of that column alone, with what is carried.
    """

    region: int
    margins: tuple[FrequencyTable, ...]


@private_dataclass
class Subtree:
    """How a region was cut further.

    Parameters
    ----------
    region
        Its number.
    tree
        The cuts.
    low, high
        By region of the tree and column: the codes ``[low, high)`` that its records have.
    """

    region: int
    tree: SplitTree
    low: Codes
    high: Codes


class CutsRegions(Protocol):
    """A search that cuts the tuples of a problem into regions."""

    name: ClassVar[str]

    def cut(self, problem: Problem) -> tuple[SplitTree, Codes, Codes]:
        """Return the cuts, and by region and column the codes ``[low, high)`` of its records."""


@private_dataclass
class RegionSearch:
    """What cuts a region further where its tuples are, with all that it needs for that.

    It is written to a private file for whoever has the tuples.

    Parameters
    ----------
    search
        How regions are cut.
    hierarchies, weights, requirements, described, masks
        As in the problem.
    whole
        What distributions are compared with: a table of all records, with what is carried.
    """

    search: CutsRegions
    hierarchies: tuple[Hierarchy, ...]
    weights: Floats
    requirements: tuple[Requirement, ...]
    described: tuple[SensitiveColumn, ...]
    masks: bool
    whole: FrequencyTable

    def problem_of(self, table: FrequencyTable) -> Problem:
        """Return the problem of a part of the table."""
        return Problem(
            table,
            self.hierarchies,
            BoundRequirements(self.requirements),
            self.weights,
            described=self.described,
            masks=self.masks,
            whole=self.whole,
        )

    def __call__(self, table: FrequencyTable) -> tuple[SplitTree, Codes, Codes]:
        """Cut a part of the table; return the cuts, and what its regions span."""
        return self.search.cut(self.problem_of(table))


class CoarselyCounted(Protocol):
    """Rows, counted into tuples that stand for others; a decision about these fits the rows."""

    @property
    def table(self) -> CoarseTable:
        """The tuples."""


class TuplesElsewhere(Protocol):
    """Distinct tuples of leaf codes that are where the rows are."""

    @property
    def most(self) -> int:
        """How many tuples may be looked at at once."""

    @property
    def margins(self) -> tuple[FrequencyTable, ...]:
        """By column: a table of that column alone, with what is carried."""

    def standing_in(self, stand_in: Sequence[Codes]) -> CoarselyCounted:
        """Count the tuples of codes that stand for others: by column, the one for each code.

        Raises `TooManyTuplesError` if there are too many of these, too.
        """

    def over(self, columns: Sequence[int], stand_in: Sequence[Codes]) -> "TuplesElsewhere":
        """Return the tuples on fewer columns, of codes that stand for others."""

    def sizes(self, tree: SplitTree) -> Counts:
        """Return how many tuples each region of a tree has."""

    def margins_in(self, tree: SplitTree, regions: Places) -> Iterator[RegionMargins]:
        """Count the values in some regions of a tree."""

    def cut_further(
        self, tree: SplitTree, regions: Places, search: RegionSearch
    ) -> Iterator[Subtree]:
        """Cut some regions of a tree where the rows are; a region's tuples are in one place then.

        `search` is sent there.
        """

    def in_regions(self, tree: SplitTree, low: Codes, kept: Sequence[int]) -> CoarselyCounted:
        """Count the tuples of a table by region, and by the columns that are kept as they are.

        Parameters
        ----------
        tree
            Over the columns that are not kept, as they were handed to `over`.
        low
            By region: the smallest code of each of these columns.
        kept
            The other columns.
        """


def refuse_looking_at_each(name: str, what: str) -> NoReturn:
    """Raise because a search needs the tuples themselves for something that was asked."""
    raise ParameterError(
        f"{name} looks at every different row for {what}, and there are too many of them.",
        hint="leave that out, or allow more rows (collect_limit=).",
    )


def searches_elsewhere(algorithm: Algorithm | type[Any]) -> bool:
    """Whether a search can do without the tuples themselves."""
    return hasattr(algorithm, "solve_elsewhere")


def solved_elsewhere(
    algorithm: Algorithm, problem: Problem, tuples: TuplesElsewhere, progress: Progress = QUIET
) -> tuple[Recoding, CoarselyCounted]:
    """Return the decision of an algorithm about tuples that are elsewhere, and how they count.

    Parameters
    ----------
    algorithm
        Refused if it looks at the tuples themselves.
    problem
        Of a table whose tuples stand for others, as coarsely as you like.
    tuples
        Where they are.
    """
    if not searches_elsewhere(algorithm):
        others = [name for name, cls in ALGORITHMS.everything().items() if searches_elsewhere(cls)]
        raise ParameterError(
            f"algorithm {algorithm.name!r} looks at every different row, and there are more than "
            f"{tuples.most:,} of the columns that it looks at.",
            hint=f"allow more (collect_limit=), generalise a column beforehand, leave one out, or "
            f"use an algorithm that searches where the rows are: {', '.join(sorted(others))}.",
        )
    recoding, counted = algorithm.solve_elsewhere(problem, tuples, progress)  # type: ignore[attr-defined]
    return recoding, counted
