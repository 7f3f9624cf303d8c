"""What requirements ask of a class, in the forms that compiled searches understand.

A requirement says its promise in forms once it knows the column it is about.  Each form hands
itself to the kernels, where it is asked about classes (`kernels/requirements/forms.hpp` has the
formulas).
Shares are fractions: 0.2 in a policy is 1/5.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from incrowd import kernels
from incrowd.arrays import Bytes, Codes, Counts

NO_VALUE = -1
"""In the place of a value's code: there is none."""


class Form(Protocol):
    """A promise about classes, in one of the ways that compiled searches know."""

    def add_to(self, asked: kernels.Requirements, covers: Bytes, spread: int) -> None:
        """Add it to the requirements of a table.

        Parameters
        ----------
        asked
            The requirements.
        covers
            By column: whether it makes up the classes.
        spread
            The number of the carried column that the form looks at.
        """


@dataclass(frozen=True)
class MinimumSize:
    """At least `size` records.

    `apart`: in each part of a class that an attacker can tell apart by what is known of it.
    """

    size: int
    apart: bool = False

    def add_to(self, asked: kernels.Requirements, covers: Bytes, spread: int) -> None:
        """Add it to the requirements of a table."""
        if self.apart:
            asked.minimum_size(covers, self.size, spread)
        else:
            asked.minimum_size(covers, self.size)


@dataclass(frozen=True)
class Distinct:
    """At least `least` different values.

    Parameters
    ----------
    least
        So many.
    ignored
        A value that does not count.
    alone
        A value whose records all count as different ones.
    """

    least: int
    ignored: int = NO_VALUE
    alone: int = NO_VALUE

    def add_to(self, asked: kernels.Requirements, covers: Bytes, spread: int) -> None:
        """Add it to the requirements of a table."""
        asked.distinct(covers, spread, self.least, self.ignored, self.alone)


@dataclass(frozen=True)
class Entropy:
    """An entropy of at least ln(`least`), `ignored` left out."""

    least: Fraction
    ignored: int = NO_VALUE

    def add_to(self, asked: kernels.Requirements, covers: Bytes, spread: int) -> None:
        """Add it to the requirements of a table."""
        asked.entropy(covers, spread, *self.least.as_integer_ratio(), self.ignored)


@dataclass(frozen=True)
class Recursive:
    """The most frequent value has fewer than `factor` times the records of all from `least` on."""

    factor: Fraction
    least: int
    ignored: int = NO_VALUE

    def add_to(self, asked: kernels.Requirements, covers: Bytes, spread: int) -> None:
        """Add it to the requirements of a table."""
        ratio = self.factor.as_integer_ratio()
        asked.recursive(covers, spread, *ratio, self.least, self.ignored)


@dataclass(frozen=True, eq=False)
class ShareAtMost:
    """No value, or none of those `marked` by code, has a larger share than `most`."""

    most: Fraction
    marked: Bytes | None = None

    def add_to(self, asked: kernels.Requirements, covers: Bytes, spread: int) -> None:
        """Add it to the requirements of a table."""
        marked = np.empty(0, np.uint8) if self.marked is None else self.marked
        asked.share_at_most(covers, spread, *self.most.as_integer_ratio(), marked)


@dataclass(frozen=True)
class LikeTable:
    """No value's share exceeds its share in the table by more than `most` times the latter.

    `enhanced`: nor by more than minus the logarithm of that share times it.
    """

    most: Fraction
    enhanced: bool

    def add_to(self, asked: kernels.Requirements, covers: Bytes, spread: int) -> None:
        """Add it to the requirements of a table."""
        asked.beta_likeness(covers, spread, *self.most.as_integer_ratio(), self.enhanced)


@dataclass(frozen=True)
class SharesWithin:
    """Each value's share is within a factor 2^`most` of its share in the table."""

    most: Fraction
    ignores_absent: bool

    def add_to(self, asked: kernels.Requirements, covers: Bytes, spread: int) -> None:
        """Add it to the requirements of a table."""
        asked.delta_disclosure(covers, spread, *self.most.as_integer_ratio(), self.ignores_absent)


@dataclass(frozen=True)
class EqualCloseness:
    """At most a share of `most` of the records must change to have the values of the table."""

    most: Fraction

    def add_to(self, asked: kernels.Requirements, covers: Bytes, spread: int) -> None:
        """Add it to the requirements of a table."""
        asked.equal_closeness(covers, spread, *self.most.as_integer_ratio())


@dataclass(frozen=True, eq=False)
class OrderedCloseness:
    """The same for values in a row: steps count, and the whole row is 1.

    `rank` is by code: its place in the row; codes of equal rank are one value.
    """

    most: Fraction
    rank: Codes

    def add_to(self, asked: kernels.Requirements, covers: Bytes, spread: int) -> None:
        """Add it to the requirements of a table."""
        asked.ordered_closeness(covers, spread, *self.most.as_integer_ratio(), self.rank)


@dataclass(frozen=True, eq=False)
class TreeCloseness:
    """The same for values in a tree: the lowest node over two says how far apart they are.

    Parameters
    ----------
    most
        The share of the records, times the height of the root.
    parent, height
        By node, parents behind their children; the root comes last and is its own.
    leaf
        By code: its node.
    """

    most: Fraction
    parent: Codes
    height: Codes
    leaf: Codes

    def add_to(self, asked: kernels.Requirements, covers: Bytes, spread: int) -> None:
        """Add it to the requirements of a table."""
        ratio = self.most.as_integer_ratio()
        asked.tree_closeness(covers, spread, *ratio, self.parent, self.height, self.leaf)


@dataclass(frozen=True, eq=False)
class NumberDisclosure:
    """An S-diversity of at most `most`, within `width` of the range of the table's numbers.

    Parameters
    ----------
    most, width
        As written.
    place
        By code: the number, times a factor that makes all of them whole.
    unplaced
        By code: whether it is no number.
    """

    most: Fraction
    width: Fraction
    place: Counts
    unplaced: Bytes

    def add_to(self, asked: kernels.Requirements, covers: Bytes, spread: int) -> None:
        """Add it to the requirements of a table."""
        ratios = *self.most.as_integer_ratio(), *self.width.as_integer_ratio()
        asked.number_disclosure(covers, spread, *ratios, self.place, self.unplaced)


@dataclass(frozen=True, eq=False)
class TreeDisclosure:
    """An S-diversity of at most `most`, within `width` of the leaves of a tree.

    Parameters
    ----------
    most, width
        As written.
    parent, leaves_under
        By node, parents behind their children; the root comes last and is its own.
    leaf
        By code: its node.
    leaves
        How many the whole tree has; 0 if the values of the table stand under one root.
    missing
        The code of a missing cell, which is no value of the table.
    """

    most: Fraction
    width: Fraction
    parent: Codes
    leaves_under: Counts
    leaf: Codes
    leaves: int = 0
    missing: int = NO_VALUE

    def add_to(self, asked: kernels.Requirements, covers: Bytes, spread: int) -> None:
        """Add it to the requirements of a table."""
        asked.tree_disclosure(
            covers,
            spread,
            *self.most.as_integer_ratio(),
            *self.width.as_integer_ratio(),
            self.parent,
            self.leaves_under,
            self.leaf,
            self.leaves,
            self.missing,
        )
