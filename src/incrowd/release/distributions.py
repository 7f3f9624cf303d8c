"""How often each value of a column occurs, before and after: for the owner of the original."""

from collections.abc import Sequence

from incrowd.frame.source import Table
from incrowd.html_tables import heading, page, table
from incrowd.private import Private, private_dataclass

MOST = 10
"""Values of a column that are shown; the others are one line."""


@private_dataclass
class Distributions(Private):
    """The values of columns before and after, most frequent first.

    Parameters
    ----------
    before, after
        By column: each value, None for a missing cell, and how many records have it.
    """

    before: dict[str, dict[str | None, int]]
    after: dict[str, dict[str | None, int]]

    def __str__(self) -> str:
        parts = []
        for name, before in self.before.items():
            parts.append(name)
            for (old, n), (new, m) in zip(*self._sides(name, before), strict=True):
                parts.append(f"  {old:<30}{n:>12}    {new:<30}{m:>12}".rstrip())
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        heads = ["before", "records", "after", "records"]
        shown = []
        for name, before in self.before.items():
            rows = [(*old, *new) for old, new in zip(*self._sides(name, before), strict=True)]
            shown += [heading(name), table(heads, rows)]
        return page(*shown)

    def _sides(
        self, name: str, before: dict[str | None, int]
    ) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Return the lines of both sides, as many on each."""
        sides = _most(before), _most(self.after[name])
        longest = max(map(len, sides))
        old, new = (side + [("", "")] * (longest - len(side)) for side in sides)
        return old, new


def _most(values: dict[str | None, int]) -> list[tuple[str, str]]:
    """Return the most frequent values and their records as texts, the others together."""
    found = list(values.items())
    shown = [("(missing)" if text is None else text, f"{n:,}") for text, n in found[:MOST]]
    rest = found[MOST:]
    if rest:
        shown.append((f"({len(rest):,} others)", f"{sum(n for _, n in rest):,}"))
    return shown


def distributions(
    before: Table, after: Table, names: Sequence[str], count: str | None
) -> Distributions:
    """Count the values of some columns in two tables."""
    return Distributions(
        {name: _counted(before, name, count) for name in names},
        {name: _counted(after, name, count) for name in names},
    )


def _counted(rows: Table, name: str, count: str | None) -> dict[str | None, int]:
    tally = rows.tally([name], count=count)
    codes, texts = tally.columns.encode(name).by_text()
    found: dict[str | None, int] = dict.fromkeys(texts, 0)
    for code, records in zip(codes.tolist(), tally.records.tolist(), strict=True):
        found[texts[code]] += records
    return dict(sorted(found.items(), key=lambda each: -each[1]))
