"""Slow, obvious twins of the CSV kernels."""

from __future__ import annotations

import csv
import io


def read(text: str, separator: str) -> list[list[str]]:
    """The records of a file as texts; an empty line has no cells."""
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))


def write(records: list[list[str]], separator: str, ending: str) -> str:
    """Raw cells as a file."""
    return "".join(separator.join(record) + ending for record in records)


def codes(column: list[str]) -> tuple[list[int], list[str]]:
    """Positions in the distinct cells, which stand in order of first appearance."""
    distinct = list(dict.fromkeys(column))
    return [distinct.index(cell) for cell in column], distinct
