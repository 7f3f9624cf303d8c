"""Levels of ranges between bounds: ``< 13``, ``[13, 20)``, ``>= 20``."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from incrowd.arrays import Codes
from incrowd.hierarchies.intervals import exact_bounds
from incrowd.hierarchies.tree import ROOT, Level, Parted


def interval_text(start: str, end: str) -> str | None:
    """Return the label of an interval; None if it is open at both ends.

    >>> interval_text("15", "25"), interval_text("-inf", "25"), interval_text("15", "inf")
    ('[15, 25)', '< 25', '>= 15')
    """
    if start == "-inf":
        return None if end == "inf" else f"< {end}"
    return f">= {start}" if end == "inf" else f"[{start}, {end})"


def range_labels(
    cuts: Sequence[str], ends: tuple[str, str] = ("-inf", "inf"), root: str = ROOT
) -> list[str]:
    """Return the labels of the ranges that some bounds part; a single open one is the root.

    >>> range_labels(["13", "20"]), range_labels(["13"], ("0", "99")), range_labels([])
    (['< 13', '[13, 20)', '>= 20'], ['[0, 13)', '[13, 99]'], ['*'])
    """
    labels = [interval_text(*each) or root for each in pairwise([ends[0], *cuts, ends[1]])]
    if ends[1] != "inf":  # the largest number belongs to the domain
        labels[-1] = labels[-1][:-1] + "]"
    return labels


def range_level(
    node_of: Codes,
    cuts: Sequence[str],
    parted: Parted,
    *,
    numbers: bool,
    root: str = ROOT,
    description: str = "",
) -> Level:
    """Return a level of ranges.

    Parameters
    ----------
    node_of
        For each leaf the range that it lies in.
    cuts
        The bounds between the ranges, ascending.
    parted
        Where the first range begins and the last one ends.
    numbers
        Whether the bounds are numbers.
    root
        What a range that is open at both ends is called.
    description
        What the ranges are, for people.
    """
    labels = range_labels(cuts, parted.ends, root)
    bounds = None
    if numbers:
        first, last = parted.ends
        if last != "inf":
            last = repr(float(np.nextafter(float(last), np.inf)))
        bounds = exact_bounds(list(pairwise([first, *cuts, last])))
    return Level(node_of.astype(np.int32), tuple(labels), bounds, description, parted)
