"""One label, one meaning: a released cell is nothing but its label."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from hierarchy_strategies import hierarchies
from incrowd.errors import HierarchyError, IncrowdError
from incrowd.hierarchies import (
    fixed,
    groups,
    hierarchy_from_json,
    hierarchy_from_rows,
    hierarchy_to_json,
    ordered,
    read_hierarchy,
)
from incrowd.hierarchies.edges import hierarchy_from_edges
from incrowd.hierarchies.leaves import value_key
from incrowd.hierarchies.meanings import MAX_HEIGHT
from incrowd.hierarchies.tree import Hierarchy, Level

TWO_MEANINGS = [
    [("f", "m", "*"), ("m", "f", "*")],  # each called like the other
    [("f", "m", "*"), ("m", "m", "*")],  # a node called like one of its leaves
    [("a", "a"), ("b", "a")],  # so is the root
    [("a", "x", "x", "*"), ("b", "y", "x", "*")],  # a node called like one of its parts
    [("a", "x", "u", "*"), ("b", "y", "x", "*")],  # a label at two levels, for other leaves
    [("1", "2.0", "*"), ("2", "3", "*")],  # spellings of one number
    [("a", "1", "u", "*"), ("b", "y", "1.0", "*")],
    [("1", "1.0", "*"), ("01", "one", "*")],  # two leaves, one number
]
ONE_MEANING = [
    [("a", "a", "*"), ("b", "x", "*"), ("c", "x", "*")],  # a leaf that waits
    [("a", "x", "x", "*"), ("b", "x", "x", "*"), ("c", "y", "z", "*")],  # a node that waits
    [("1", "1.0", "*"), ("2", "2", "*")],
    [("1", "1", "*"), ("01", "01", "*")],
    [("1", "1.0", "*"), ("01", "1.0", "*"), ("2", "2", "*")],
    [("*", "*"), ("a", "*")],  # a cell that was suppressed before
    [("unknown", "*", "*"), ("a", "x", "*"), ("b", "x", "*")],
    [("a", "a")],
]


@pytest.mark.parametrize("rows", TWO_MEANINGS)
def test_a_label_with_two_meanings_is_refused(rows, tmp_path):
    with pytest.raises(HierarchyError, match="two meanings") as caught:
        hierarchy_from_rows(rows)
    assert set(caught.value.values) <= {label for row in rows for label in row[1:]}
    (tmp_path / "tree.csv").write_text("\n".join(map(";".join, rows)))
    with pytest.raises(HierarchyError, match=r"hierarchy file 'tree.csv' (has|runs|gives)"):
        read_hierarchy(tmp_path / "tree.csv")
    columns = list(zip(*rows, strict=True))
    levels = [_level(column) for column in columns]
    with pytest.raises(HierarchyError, match="two meanings"):
        fixed(Hierarchy(tuple(levels)))
    with pytest.raises(HierarchyError, match="two meanings"):
        hierarchy_from_json(hierarchy_to_json(Hierarchy(tuple(levels))))


def _level(column):
    names = list(dict.fromkeys(column))
    return Level(np.array([names.index(label) for label in column], np.int32), tuple(names))


@pytest.mark.parametrize("rows", ONE_MEANING)
def test_a_label_with_one_meaning_is_taken(rows):
    tree = hierarchy_from_rows(rows)
    assert fixed(tree).hierarchy is tree
    assert hierarchy_from_json(hierarchy_to_json(tree)).leaves == tree.leaves


def test_number_spellings_in_edges_and_groups():
    with pytest.raises(HierarchyError, match="two meanings"):
        hierarchy_from_edges([("1", "2.0"), ("2.0", "*"), ("2", "x"), ("x", "*")])
    with pytest.raises(IncrowdError, match=r"called like|two meanings"):
        groups({"2.0": ["1", "3"]}).build(["1", "2"], column="n")
    with pytest.raises(IncrowdError, match=r"called like|two meanings"):
        groups({"2.0": ["2", "3"]}).build(["2"], column="n")


def test_values_that_read_like_labels_of_a_builder():
    with pytest.raises(HierarchyError, match="two meanings"):
        ordered(3).build(["a", "< c", "b", "c", "d", "e", "f"], column="x")


@given(tree=hierarchies())
def test_no_released_label_means_two_things(tree):
    meaning = {}
    for at in range(tree.height + 1):
        for code, node in enumerate(tree.levels[at].node_of.tolist()):
            label = tree.levels[at].labels[node]
            if label not in ("*", tree.leaves[code]):
                under = np.flatnonzero(tree.levels[at].node_of == node).tolist()
                assert meaning.setdefault(value_key(label), under) == under
    assert not {key for key in meaning if len(meaning[key]) > 1} & set(map(value_key, tree.leaves))


@pytest.mark.parametrize("height", [MAX_HEIGHT, MAX_HEIGHT + 1, 1000])
def test_how_high_a_hierarchy_can_be(height):
    rows = [(leaf, *(f"x{at}" for at in range(height - 1)), "*") for leaf in "fm"]
    levels = tuple(_level(column) for column in zip(*rows, strict=True))
    stored = hierarchy_to_json(Hierarchy(levels))
    if height <= MAX_HEIGHT:
        assert hierarchy_from_rows(rows).height == height
        assert hierarchy_from_json(stored).height == height
        return
    for build in (
        lambda: hierarchy_from_rows(rows),
        lambda: hierarchy_from_rows([(*row[:-1], f"r{row[0]}") for row in rows]),
        lambda: hierarchy_from_json(stored),
        lambda: fixed(Hierarchy(levels)),
    ):
        with pytest.raises(HierarchyError):
            build()
