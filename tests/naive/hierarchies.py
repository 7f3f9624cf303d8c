"""A slow, obvious twin of what makes a hierarchy of rows."""

from __future__ import annotations

from itertools import groupby


def levels(rows: list[tuple[str, ...]]) -> list[tuple[list[int], list[str]]]:
    """For each level the node of each leaf and the labels: depth-first, by first appearance."""
    distinct = list(dict.fromkeys(rows))

    def place(row: tuple[str, ...]) -> list[int]:
        height = range(len(row) - 1, -1, -1)
        return [[other[level] for other in distinct].index(row[level]) for level in height]

    columns = [list(labels) for labels in zip(*sorted(distinct, key=place), strict=True)]
    if len(set(columns[-1])) > 1:
        columns.append(["*"] * len(distinct))
    return [_level(labels) for labels in columns]


def _level(labels: list[str]) -> tuple[list[int], list[str]]:
    nodes = [(label, len(list(same))) for label, same in groupby(labels)]
    node_of = [at for at, (_, leaves) in enumerate(nodes) for _ in range(leaves)]
    return node_of, [label for label, _ in nodes]
