"""Cells mended where the rows are: what each distinct value of a column becomes."""

from dataclasses import dataclass
from typing import cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from incrowd.errors import InputError
from incrowd.frame.native import FrameSource
from incrowd.frame.readings import Rule, about
from incrowd.frame.source import Tally
from incrowd.frame.values import is_plain, texts_of
from incrowd.private import Private


@dataclass(frozen=True, repr=False)
class Mended(Private):
    """What a rule makes of a column.

    Parameters
    ----------
    known
        Each distinct value as it stands in the table (`value`), and as it is to be (`text`); None
        if no cell changes.
    notes
        What was found out about the rule.
    """

    known: pa.Table | None
    notes: tuple[str, ...]


def mended(found: Tally, name: str, rule: Rule) -> Mended:
    """Ask a rule about the distinct values of a column.

    Parameters
    ----------
    found
        The distinct values.
    name, rule
        The column, and what mends its cells.
    """
    values = _joinable(found, name)
    texts = texts_of(values)
    after = [None if text is None else rule(text) for text in texts]
    told = tuple(about(rule, [text for text in texts if text is not None]))
    if after == texts:
        return Mended(None, told)
    return Mended(pa.table({"value": values, "text": pa.array(after, pa.string())}), told)


def _joinable(found: Tally, name: str) -> pa.Array:
    """Return the distinct values of a column; 0.0 and -0.0 are equal to a join, and so here."""
    values = cast(FrameSource, found.columns).native.column(name)
    if pt.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if not is_plain(values.type):
        raise InputError(
            f"column {name!r} of type {values.type} has values without a text.",
            hint="make it a column of numbers, texts, dates or truth values, or leave it out.",
        )
    if pt.is_floating(values.type):
        values = pc.add(values, pa.scalar(0.0, values.type))
    return values.unique()
