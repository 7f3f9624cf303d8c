"""Hierarchies as plain data for JSON: each node by its first leaf."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from incrowd.errors import HierarchyError
from incrowd.hierarchies.meanings import sound
from incrowd.hierarchies.tree import Bounds, Hierarchy, Level


def hierarchy_to_json(hierarchy: Hierarchy) -> dict[str, Any]:
    """Return the tree as data that `json.dumps` writes without loss.

    Nodes are intervals of leaves, so each is stored as its label and its first leaf.  An open end
    of a numeric interval is None.

    Examples
    --------
    >>> from incrowd.hierarchies.rows import hierarchy_from_rows
    >>> hierarchy_to_json(hierarchy_from_rows([("a", "*"), ("b", "*")]))["levels"]
    [{'labels': ['*'], 'first': [0]}]
    """
    return {
        "leaves": list(hierarchy.leaves),
        "levels": [_level_to_json(level) for level in hierarchy.levels[1:]],
        "missing": hierarchy.has_missing,
        "unknown": hierarchy.has_unknown,
        **({} if hierarchy.allowed is None else {"allowed": list(hierarchy.allowed)}),
    }


def hierarchy_from_json(data: object) -> Hierarchy:
    """Return the tree that `hierarchy_to_json` stored; anything else is refused."""
    if not isinstance(data, Mapping):
        raise _damaged("it is not an object")
    leaves = _texts(data.get("leaves"), "leaves")
    levels = [Level(np.arange(len(leaves), dtype=np.int32), leaves)]
    stored = data.get("levels")
    if not isinstance(stored, Sequence) or isinstance(stored, str):
        raise _damaged("its levels are not a list")
    for at, entry in enumerate(stored, start=1):
        levels.append(_level_from_json(entry, levels[-1], f"level {at}"))
    if len(levels[-1].labels) != 1:
        raise _damaged("its last level is not a single root")
    missing, unknown = data.get("missing", False), data.get("unknown", False)
    if not isinstance(missing, bool) or not isinstance(unknown, bool):
        raise _damaged("its flags are not true or false")
    found = Hierarchy(tuple(levels), has_missing=missing, has_unknown=unknown)
    if "allowed" in data:
        found = _within(found, data["allowed"])
    return sound(found, source="a stored hierarchy")


def _within(hierarchy: Hierarchy, stored: object) -> Hierarchy:
    whole = isinstance(stored, list) and all(type(at) is int for at in stored)
    if not whole or not isinstance(stored, list) or len(stored) != 2:
        raise _damaged("its lowest and highest level are not two whole numbers")
    if not 0 <= stored[0] <= stored[1] <= hierarchy.height:
        raise _damaged("its lowest and highest level are none of its levels")
    return hierarchy.within(*stored)


def _level_to_json(level: Level) -> dict[str, Any]:
    first = np.flatnonzero(np.diff(level.node_of, prepend=-1)).tolist()
    data: dict[str, Any] = {"labels": list(level.labels), "first": first}
    if level.bounds is not None:
        data["bounds"] = [
            [end if isfinite(end) else None for end in ends] for ends in level.bounds.tolist()
        ]
    if level.description:
        data["description"] = level.description
    return data


def _level_from_json(entry: object, below: Level, where: str) -> Level:
    if not isinstance(entry, Mapping):
        raise _damaged(f"{where} is not an object")
    labels = _texts(entry.get("labels"), f"the labels of {where}")
    first = entry.get("first")
    if not isinstance(first, list) or any(type(at) is not int for at in first):
        raise _damaged(f"the nodes of {where} are not whole numbers")
    _check_nodes(first, labels, below, where)
    description = entry.get("description", "")
    if not isinstance(description, str):
        raise _damaged(f"the description of {where} is not a text")
    n_leaves = len(below.node_of)
    node_of = np.searchsorted(np.array(first, dtype=np.int64), np.arange(n_leaves), side="right")
    bounds = _bounds(entry["bounds"], len(labels), where) if "bounds" in entry else None
    return Level((node_of - 1).astype(np.int32), labels, bounds, description)


def _check_nodes(first: list[int], labels: Sequence[str], below: Level, where: str) -> None:
    """Check that the nodes cover the leaves and that each is made of whole nodes of `below`."""
    if not len(below.node_of):
        if first or len(labels) > 1:
            raise _damaged(f"{where} has nodes without leaves")
        return
    begins = np.flatnonzero(np.diff(below.node_of, prepend=-1)).tolist()
    ascending = all(low < high for low, high in pairwise(first))
    if len(first) != len(labels) or not first or first[0] != 0 or not ascending:
        raise _damaged(f"the nodes of {where} do not match its labels")
    if not set(first) <= set(begins):
        raise _damaged(f"{where} is not made of whole nodes of the level below it")


def _bounds(stored: object, n_nodes: int, where: str) -> Bounds:
    if not isinstance(stored, list) or len(stored) != n_nodes:
        raise _damaged(f"the bounds of {where} do not match its labels")
    ends = [-np.inf, np.inf]
    table = np.empty((n_nodes, 2), dtype=np.float64)
    for node, pair in enumerate(stored):
        if not isinstance(pair, list) or len(pair) != 2 or not all(map(_is_end, pair)):
            raise _damaged(f"the bounds of {where} are not pairs of numbers")
        table[node] = [ends[at] if end is None else end for at, end in enumerate(pair)]
    if not np.all(table[:, 0] < table[:, 1]) or not np.all(table[:-1, 1] <= table[1:, 0]):
        raise _damaged(f"the bounds of {where} are not in order")
    return table


def _is_end(end: object) -> bool:
    if isinstance(end, float):
        return isfinite(end)
    return end is None or (type(end) is int and abs(end) < 2**53)


def _texts(stored: object, what: str) -> tuple[str, ...]:
    if not isinstance(stored, list) or not all(isinstance(text, str) for text in stored):
        raise _damaged(f"{what} are not a list of texts")
    if len(set(stored)) < len(stored):
        raise _damaged(f"{what} are not all different")
    return tuple(stored)


def _damaged(reason: str) -> HierarchyError:
    return HierarchyError(
        f"a stored hierarchy is damaged: {reason}.", hint="save it again from its source."
    )
