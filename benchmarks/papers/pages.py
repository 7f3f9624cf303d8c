"""The tables of a page about a paper, each between marks that name it."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from parts import Table

PAGES = Path(__file__).parents[2] / "docs" / "papers"
PLACE = re.compile(r"<!-- table: (?P<name>[^\n]+) -->\n\n(?P<table>.*?)\n\n<!-- end -->", re.DOTALL)


def tables_in(page: Path) -> dict[str, str]:
    """Return the tables that stand in a page, by name."""
    found = [(place["name"], place["table"]) for place in PLACE.finditer(page.read_text("utf-8"))]
    if len(dict(found)) < len(found):
        raise ValueError(f"{page.name} has two tables of one name.")
    return dict(found)


def write_tables(page: Path, tables: Collection[Table], *, times: bool) -> list[str]:
    """Put tables into a page, the only way a figure gets there, and return the names of the others.

    Those with times stay as they are unless `times` are asked for.  A page need not show every
    table of a script; but if it shows none of them something is amiss.
    """
    shown = tables_in(page)
    if not any(table.name in shown for table in tables):
        names = ", ".join(table.name for table in tables)
        raise ValueError(f"{page.name} has no place for any of {names}.")
    made = {table.name: table.text for table in tables if times or not table.timed}

    def renewed(place: re.Match[str]) -> str:
        name = place["name"]
        return f"<!-- table: {name} -->\n\n{made.get(name, place['table'])}\n\n<!-- end -->"

    page.write_text(PLACE.sub(renewed, page.read_text("utf-8")), "utf-8")
    return [name for name in shown if name not in made]
