"""Codes that lose their last characters one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from incrowd.errors import HierarchyError, ParameterError
from incrowd.hierarchies.rows import level_over, under_root
from incrowd.hierarchies.spec import Flag, SaidByFields, builder, true_or_refuse
from incrowd.hierarchies.tree import ROOT, Hierarchy, Level

MAX_LEVELS = 64


@builder
@dataclass(frozen=True)
class Masking(SaidByFields):
    """Replace characters from the right, one more at each level: 12345, 1234*, 123** ... ``*``.

    Parameters
    ----------
    levels
        How many levels there are between the values and the root; if not given, as many as leave
        one character of the longest value.
    mask
        The character that replaces the others.

    Notes
    -----
    Values are compared as texts: 01234 and 1234 are two.  They are aligned at the left: a short
    value stays as it is until the mask reaches its last character.  Its length stays visible below
    the root.

    Examples
    --------
    >>> tree = Masking().build(["130", "131", "20"], column="zip")
    >>> [level.labels for level in tree.levels]
    [('130', '131', '20'), ('13*', '20'), ('1**', '2*'), ('*',)]
    """

    levels: int | None = None
    mask: str = ROOT

    key: ClassVar[str] = "masking"
    options: ClassVar[tuple[str, ...]] = ("levels", "mask")
    flag: ClassVar[Flag] = Flag("Mask from the right.")

    def __post_init__(self) -> None:
        levels = self.levels
        if levels is not None and (type(levels) is not int or not 1 <= levels <= MAX_LEVELS):
            raise ParameterError(
                f"masking can have 1 to {MAX_LEVELS} levels.", hint="for example masking(levels=3)."
            )
        if not isinstance(self.mask, str) or len(self.mask) != 1 or not self.mask.isprintable():
            raise ParameterError(
                "the mask must be one visible character.", hint='for example masking(mask="#").'
            )

    @classmethod
    def from_policy(cls, value: object, options: Mapping[str, Any], folder: Path) -> Self:
        """Build one from ``{ masking = true, levels = 3, mask = "#" }``."""
        true_or_refuse(cls.key, value)
        return cls(**options)

    def unfit(self, texts: Sequence[str], records: Sequence[int] | None = None) -> list[str]:
        """Return the texts that the mask stands in: they could not be told from masked ones."""
        return [text for text in texts if self.mask in text]

    def build(self, texts: Sequence[str], *, column: str) -> Hierarchy:
        """Return the masked values of a column."""
        masked = self.unfit(texts)
        if masked:
            raise HierarchyError(
                f"column {column!r} has {len(masked)} distinct values with the mask {self.mask!r} "
                "in them: masked and original values could not be told apart.",
                hint="choose another character with `mask`.",
                values=masked,
            )
        longest = max(map(len, texts), default=0)
        least = longest - self._n_levels(longest, column)
        # a masked label shows a prefix and the length: by both, its values stand together
        leaves = sorted(set(texts), key=lambda text: (text[:least], len(text), text))
        kept = range(longest - 1, least - 1, -1)
        return under_root([level_over(leaves), *(self._level(leaves, keep) for keep in kept)])

    def _n_levels(self, longest: int, column: str) -> int:
        most = max(longest - 1, 0)
        if self.levels is None and most > MAX_LEVELS:
            raise HierarchyError(
                f"masking column {column!r} would take {most} levels: its longest value has "
                f"{longest} characters.",
                hint=f"say how many are wanted, at most {MAX_LEVELS}: masking(levels=5).",
            )
        return most if self.levels is None else min(self.levels, most)

    def _level(self, leaves: Sequence[str], keep: int) -> Level:
        labels = [text[:keep] + self.mask * (len(text) - keep) for text in leaves]
        kept = "first character" if keep == 1 else f"first {keep} characters"
        return level_over(labels, description=f"{kept} kept")


def masking(*, levels: int | None = None, mask: str = ROOT) -> Masking:
    """Replace characters from the right, one more at each level: see `Masking`."""
    return Masking(levels=levels, mask=mask)
