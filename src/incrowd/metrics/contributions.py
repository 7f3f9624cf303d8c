"""How much one sensitive value helps to guess another: pairwise contributions."""

import numpy as np

from incrowd.arrays import Codes, Floats
from incrowd.counts import SensitiveColumn
from incrowd.errors import ParameterError
from incrowd.hierarchies.tree import Hierarchy

MOST_VALUES = 5_000
_TOLERANCE = 1e-12


def contributions(column: SensitiveColumn, estimation_range: float) -> Floats:
    r"""Return the contribution of every pair of values of a sensitive column.

    .. math::

       pc(u, v) = 1 - \frac{|u - v|}{\max - \min} \quad\text{or}\quad
       1 - \frac{leaves(lca(u, v)) - 1}{|D|}

    Numbers take the first form.  A column with a hierarchy takes the second, whatever its values;
    one without either has :math:`1 - 1/|D|` for every unequal pair.  Pairs farther apart than the
    estimation range contribute nothing.

    Parameters
    ----------
    column
        Its values, and what makes them near.
    estimation_range
        The width r, between 0 and 1, within which a guess counts as a disclosure: pairs with
        :math:`pc < 1 - r` are 0.

    Returns
    -------
    ndarray
        By carried code and carried code; symmetric, with 1 on the diagonal.

    Raises
    ------
    ParameterError
        If the column has more than 5,000 distinct values.

    Notes
    -----
    A missing value, and one that the hierarchy does not list, stands directly under the root.  It
    does not count in :math:`|D|`, and contributes nothing to a number.

    References
    ----------
    .. [1] Loukides, Shao: "Data utility and privacy protection trade-off in
       k-anonymisation", PAIS 2008, definition 2.3

    Examples
    --------
    >>> column = SensitiveColumn("salary", ("20", "30", "60", None))
    >>> contributions(column, 0.5)
    array([[1.  , 0.75, 0.  , 0.  ],
           [0.75, 1.  , 0.  , 0.  ],
           [0.  , 0.  , 1.  , 0.  ],
           [0.  , 0.  , 0.  , 1.  ]])
    """
    if len(column.texts) > MOST_VALUES:
        raise ParameterError(
            f"sensitive column {column.name!r} has {len(column.texts):,} distinct values, more "
            f"than the {MOST_VALUES:,} whose pairs can be compared.",
            hint="group the values before, for example numbers by rounding them.",
        )
    if column.hierarchy is not None:
        found = _by_hierarchy(column.hierarchy, column.texts)
    elif column.numbers is not None:
        found = _by_distance(column.numbers)
    else:
        found = np.full((len(column.texts),) * 2, 1.0 - 1.0 / max(_present(column), 1))
    found[found < 1.0 - estimation_range - _TOLERANCE] = 0.0
    np.fill_diagonal(found, 1.0)
    return found


def check_estimation_range(value: object) -> None:
    """Raise unless `value` is a number between 0 and 1."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= 1:  # type: ignore[operator]
        raise ParameterError(
            "estimation_range must be a number between 0 and 1.",
            hint="1 counts every guess, 0 only those that hit the very value.",
        )


def _present(column: SensitiveColumn) -> int:
    return sum(text is not None for text in column.texts)


def _by_distance(numbers: Floats) -> Floats:
    most = np.finfo(np.float64).max
    halves = np.clip(numbers, -most, most) / 2  # so that no difference is infinite
    spread = np.nanmax(halves) - np.nanmin(halves)
    found = np.abs(halves[:, None] - halves[None, :])
    found /= spread if spread > 0 else 1.0
    np.subtract(1.0, found, out=found)
    return np.nan_to_num(found, copy=False, nan=0.0)


def _by_hierarchy(hierarchy: Hierarchy, texts: tuple[str | None, ...]) -> Floats:
    codes = _leaf_codes(hierarchy, texts)
    size = max(hierarchy.n_leaves, 1)
    found = np.full((len(texts),) * 2, 1.0 - (size - 1) / size)
    listed = np.flatnonzero(codes >= 0)
    for level in range(hierarchy.height - 1, -1, -1):
        node = np.arange(-len(texts), 0, dtype=np.int32)  # alone, unless the hierarchy lists it
        node[listed] = hierarchy.index_at[level, codes[listed]]
        leaves = np.ones(len(texts), dtype=np.int64)
        leaves[listed] = hierarchy.leaves_under[level, codes[listed]]
        shared = node[:, None] == node[None, :]
        np.copyto(found, (1.0 - (leaves - 1) / size)[:, None], where=shared)
    return found


def _leaf_codes(hierarchy: Hierarchy, texts: tuple[str | None, ...]) -> Codes:
    """Return the leaf of each text; -1 where it is missing or not listed."""
    codes = hierarchy.match([text or "" for text in texts])
    return np.where([text is None for text in texts], -1, codes).astype(np.int32)
