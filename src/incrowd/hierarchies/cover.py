"""Whether a hierarchy covers the values of a column."""

from collections.abc import Sequence
from typing import Literal, Self

from incrowd.arrays import Codes
from incrowd.errors import HierarchyError, ParameterError
from incrowd.hierarchies.show import printable
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import private_dataclass

Unknown = Literal["refuse", "suppress"]


@private_dataclass
class Coverage:
    """A hierarchy held against the values of a column.

    Parameters
    ----------
    covered, missing
        The values that the hierarchy lists, and those that it does not.
    unused
        The leaves that no record has.
    """

    covered: tuple[str, ...]
    missing: tuple[str, ...]
    unused: tuple[str, ...]

    @classmethod
    def of(cls, hierarchy: Hierarchy, texts: Sequence[str]) -> Self:
        """Compare a hierarchy with the distinct values of a column."""
        codes = hierarchy.match(texts).tolist()
        used = set(codes)
        return cls(
            tuple(text for text, code in zip(texts, codes, strict=True) if code >= 0),
            tuple(text for text, code in zip(texts, codes, strict=True) if code < 0),
            tuple(leaf for code, leaf in enumerate(hierarchy.leaves) if code not in used),
        )

    def describe(self) -> str:
        """Return how many values are covered, missing and unused, and none of them.

        >>> from incrowd.hierarchies.groups import groups
        >>> tree = groups({"Senior": ["11th", "12th"]}).build(["12th"], column="education")
        >>> Coverage.of(tree, ["12th", "9th"]).describe()
        '1 value covered, 1 missing, 1 leaf unused'
        """
        covered = f"{len(self.covered):,} {'value' if len(self.covered) == 1 else 'values'} covered"
        unused = f"{len(self.unused):,} {'leaf' if len(self.unused) == 1 else 'leaves'} unused"
        return f"{covered}, {len(self.missing):,} missing, {unused}"

    def listed(self) -> str:
        """Return the missing values and the unused leaves, for the owner of both, a line each."""
        return "".join(
            f"{what}: {printable(value)}\n"
            for what, values in (("missing", self.missing), ("unused", self.unused))
            for value in values
        )


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
        ``"suppress"`` gives them the unknown code, which is released as the root.
    missing
        Whether the column has missing cells.
    """
    if unknown not in ("refuse", "suppress"):
        raise ParameterError(
            "unknown must be 'refuse' or 'suppress'.",
            hint="'suppress' releases values that the hierarchy does not list as its root.",
        )
    codes = hierarchy.match(texts)
    uncovered = codes < 0
    if unknown == "refuse" and uncovered.any():
        n_covered = len(texts) - int(uncovered.sum())
        raise HierarchyError(
            f"the hierarchy covers {n_covered} of {len(texts)} distinct values of column "
            f"{column!r}.",
            hint="add the leaves listed in `error.values`, list them as missing, or set unknown = "
            "'suppress' to release them as the root.",
            values=[text for text, out in zip(texts, uncovered, strict=True) if out],
        )
    wide = hierarchy.extended(missing=missing, unknown=bool(uncovered.any()))
    codes[uncovered] = wide.unknown_code
    return wide, codes
