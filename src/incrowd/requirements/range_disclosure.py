"""Range disclosure: how likely a sensitive value is guessed within a range."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from incrowd.counts import FrequencyTable, SensitiveColumn
from incrowd.errors import PolicyError
from incrowd.requirements.about_values import AboutValues
from incrowd.requirements.base import Monotone, Requirement, requirement
from incrowd.requirements.forms import Form, NumberDisclosure, TreeDisclosure
from incrowd.requirements.parameters import exact, share
from incrowd.requirements.value_places import whole_places
from incrowd.requirements.value_trees import disclosure_tree
from incrowd.texts import is_number


@requirement
@dataclass(frozen=True)
class RangeDisclosure(AboutValues):
    """Every class has an S-diversity of at most s: its values are not guessed within a range r.

    Numbers are near to each other by their difference, values of a hierarchy by the leaves that
    their lowest common node has, and any others by whether they are equal.

    Parameters
    ----------
    s
        The largest S-diversity, between 0 and 1.
    r
        The range within which a guess discloses a value, as a share of the domain: between 0 (the
        very value) and 1 (any guess counts, by how near it is).
    column
        The sensitive column.
    known
        Released columns that an attacker knows beside the quasi-identifiers.
    on
        The quasi-identifiers that make up the classes; all of them if not given.

    References
    ----------
    .. [1] Loukides, Shao: "Data utility and privacy protection trade-off in k-anonymisation",
       PAIS 2008, definition 2.4

    Examples
    --------
    >>> RangeDisclosure(0.6, 0.2, "salary").describe()
    'range disclosure of salary of at most 0.6 within 0.2'
    """

    s: int | float
    r: int | float
    column: str
    known: tuple[str, ...] = ()
    on: tuple[str, ...] | None = None

    name: ClassVar[str] = "range_disclosure"

    def __post_init__(self) -> None:
        object.__setattr__(self, "s", share(self.s, "s of range_disclosure"))
        object.__setattr__(self, "r", share(self.r, "r of range_disclosure"))
        self._check_names()

    @property
    def monotone(self) -> Monotone:
        """Numbers within a range can be farther apart in each of two classes than in both."""
        return Monotone(without_suppression=exact(self.r) == 1, with_suppression=False)

    def unites(self, columns: Mapping[str, SensitiveColumn]) -> bool:
        """Values of a tree, and texts, do not lie farther apart in two classes than in both."""
        return self.monotone.without_suppression or not _on_a_line(columns[self.column])

    def forms(self, columns: Mapping[str, SensitiveColumn]) -> tuple[Form, ...]:
        """Return the promise in compiled forms."""
        most, width, column = exact(self.s), exact(self.r), columns[self.column]
        if _on_a_line(column):
            place, unplaced = whole_places(column)
            return (NumberDisclosure(most, width, place, unplaced),)
        tree = disclosure_tree(column)
        arrays = tree.parent, tree.leaves_under, tree.leaf
        return (TreeDisclosure(most, width, *arrays, tree.leaves, tree.missing),)

    def implies(self, other: Requirement) -> bool:
        """Whether what is guessed so rarely is guessed as rarely as the other asks for."""
        if not isinstance(other, RangeDisclosure) or self.column != other.column:
            return False
        unites = exact(self.r) == 1 and self.covers(other)
        wider = exact(other.r) <= exact(self.r)
        stricter = exact(self.s) <= exact(other.s)
        return (unites or self.same_classes(other)) and wider and stricter

    def check_reachable(self, table: FrequencyTable) -> None:
        """Raise if equal values alone are too many.

        Every record guesses the others with its own value, however near the others are.  Of
        several classes one has as many equal pairs as all records together, at least.
        """
        pairs = _equal_pairs(self, table)
        if pairs > exact(self.s):
            least = math.ceil(1000 * pairs) / 1000
            raise self.unreachable(
                f"s must be {least:g} or more: every record guesses those with the same value."
            )

    def describe(self) -> str:
        """Return the promise in words."""
        limits = f"at most {self.s:g} within {self.r:g}"
        return self._told(f"range disclosure of {self.column} of {limits}")


def _on_a_line(column: SensitiveColumn) -> bool:
    """Whether values are near to each other as numbers are.

    Refuses numbers among texts: dropped records may be all that had a text, and what is left would
    be recounted as numbers.
    """
    if column.hierarchy is not None or column.numbers is not None:
        return column.hierarchy is None
    strangers = sum(text is not None and not is_number(text) for text in column.texts)
    values = sum(text is not None for text in column.texts)
    if strangers < values:
        raise PolicyError(
            f"column {column.name!r} has numbers, and {strangers:,} of its {values:,} distinct "
            "values are none, so that how near they are to each other cannot be told.",
            hint="mend these cells, let them be missing, or give the column a hierarchy.",
        )
    return False


def _equal_pairs(asked: RangeDisclosure, table: FrequencyTable) -> Fraction:
    """Return the largest share of pairs of equal values, among all that is known apart."""
    histogram = asked.everyone(table)
    found = Fraction(0)
    starts = np.flatnonzero(np.diff(histogram.class_of, prepend=-1))
    for counts in np.split(histogram.count, starts[1:]):
        own = counts.tolist()
        found = max(found, Fraction(sum(count * count for count in own), sum(own) ** 2))
    return found
