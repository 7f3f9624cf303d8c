"""Whether a hierarchy covers the values of a column."""

from collections.abc import Sequence
from typing import Literal, get_args

from incrowd.arrays import Codes
from incrowd.errors import HierarchyError, ParameterError
from incrowd.hierarchies.tree import Hierarchy

Unknown = Literal["refuse", "suppress", "missing"]


def check_covers(
    hierarchy: Hierarchy,
    texts: Sequence[str],
    column: str,
    unknown: Unknown = "refuse",
    missing: bool = False,
) -> tuple[Hierarchy, Codes]:
    """Return the hierarchy with the extra codes a column needs, and the code of each text.

    Parameters
    ----------
    texts
        The distinct non-missing texts of the column.
    column
        Its name, for messages.
    unknown
        What happens to values that the hierarchy does not list: ``"refuse"`` raises,
        ``"suppress"`` gives them the unknown code, which is released as the root.  With
        ``"missing"`` they were made missing cells before, so one that is left raises too.
    missing
        Whether the column has missing cells.
    """
    if unknown not in get_args(Unknown):
        raise ParameterError(
            "unknown must be 'refuse', 'suppress' or 'missing'.",
            hint="'suppress' releases values that the hierarchy does not list as its root.",
        )
    codes = hierarchy.match(texts)
    uncovered = codes < 0
    if unknown != "suppress" and uncovered.any():  # those that count as missing are gone before
        n_covered = len(texts) - int(uncovered.sum())
        raise HierarchyError(
            f"the hierarchy covers {n_covered} of {len(texts)} distinct values of column "
            f"{column!r}.",
            hint="add the leaves listed in `error.values`, list them as missing, or set unknown = "
            "'suppress' to release them as the root, or unknown = 'missing'.",
            values=[text for text, out in zip(texts, uncovered, strict=True) if out],
        )
    wide = hierarchy.extended(missing=missing, unknown=bool(uncovered.any()))
    codes[uncovered] = wide.unknown_code
    return wide, codes
