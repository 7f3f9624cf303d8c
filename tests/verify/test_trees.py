"""The hierarchies that the recount reads for itself are those of the policy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hierarchy_strategies import tree_rows
from incrowd.errors import VerificationError
from incrowd.hierarchies import (
    Dates,
    auto,
    fixed,
    from_file,
    groups,
    hierarchy_from_rows,
    intervals,
    masking,
    ordered,
    suppression,
)
from incrowd.verify.trees import read_tree, tree_of

DISEASES = [
    ("Cancer", "Cancer", "Cancer", "Disease"),
    ("HIV", "HIV", "Virus", "Disease"),
    ("Flu", "Respiratory", "Virus", "Disease"),
    ("Pneumonia", "Respiratory", "Virus", "Disease"),
]
EDGES = "Cancer;Disease\nVirus;Disease\nHIV;Virus\nRespiratory;Virus\nFlu;Respiratory\n"
EDGES += "Pneumonia;Respiratory\nDisease;Disease\n"


def shared_leaves(tree, texts):
    """Return by pair of texts how many leaves the lowest node above both has."""
    found = {}
    for one in texts:
        above, at = {tree.leaf(one)}, tree.leaf(one)
        while at:
            at = int(tree.parent[at])
            above.add(at)
        for other in texts:
            node = tree.leaf(other)
            while node not in above:
                node = int(tree.parent[node])
            found[one, other] = int(tree.n_leaves[node])
    return found


def expected_leaves(hierarchy, texts):
    codes = dict(zip(texts, hierarchy.match(texts).tolist(), strict=True))
    assert -1 not in codes.values()
    found = {}
    for one in texts:
        for other in texts:
            same = hierarchy.index_at[:, codes[one]] == hierarchy.index_at[:, codes[other]]
            found[one, other] = int(hierarchy.leaves_under[np.argmax(same), codes[one]])
    return found


@given(rows=tree_rows(max_leaves=8, max_height=4))
def test_rows_are_read_like_the_policy_reads_them(rows):
    hierarchy = hierarchy_from_rows(rows)
    tree = read_tree(fixed(hierarchy), hierarchy.leaves, "s")
    assert not tree.shared
    assert shared_leaves(tree, hierarchy.leaves) == expected_leaves(hierarchy, hierarchy.leaves)


@pytest.mark.parametrize(
    ("spec", "texts", "shared"),
    [
        (groups({"Senior": ["11th", "12th"], "Other": {"Low": ["1st"]}}), ["12th", "1st"], False),
        (groups({"Few": [1, 2.0], "Many": [10]}), ["1", "2", "10.0", "7", "07", "x"], False),
        (suppression(), ["b", "a", "39", "39.0"], False),
        (intervals(5, 10), ["17", "20", "24", "-3"], True),
        (masking(), ["10115", "10117", "20095"], True),
        (ordered(2), ["1", "2", "3", "4", "5"], True),
        (Dates(("month", "year")), ["2020-01-01", "2020-02-29", "2021-01-01"], True),
        (auto(), [str(age) for age in range(17, 60)], True),
    ],
    ids=lambda value: getattr(value, "key", ""),
)
def test_builders_are_read_like_the_policy_reads_them(spec, texts, shared):
    hierarchy = spec.build(texts, column="s")
    tree = read_tree(spec, texts, "s")
    assert tree.shared is shared
    assert int(tree.n_leaves[0]) == hierarchy.n_leaves
    assert shared_leaves(tree, texts) == expected_leaves(hierarchy, texts)


def test_no_hierarchy_is_no_tree():
    assert read_tree(None, ["a"], "s") is None


@pytest.mark.parametrize("form", ["rows", "edges"])
@pytest.mark.parametrize("separator", [";", "|"])
def test_files_of_both_forms(form, separator, tmp_path):
    text = EDGES if form == "edges" else "\n".join(";".join(row) for row in DISEASES) + "\n\n"
    path = tmp_path / "tree.csv"
    path.write_text("\ufeff" + text.replace(";", separator), encoding="utf-8")
    tree = read_tree(from_file(path, separator=separator), [], "s")
    texts = ["Cancer", "HIV", "Flu", "Pneumonia"]
    assert int(tree.n_leaves[0]) == 4
    assert int(tree.height[0]) == 3
    hierarchy = hierarchy_from_rows(DISEASES)
    assert shared_leaves(tree, texts) == expected_leaves(hierarchy, texts)
    above = tree.parent[tree.leaves(texts[2:])]
    assert tree.height[above].tolist() == [1, 1]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("abcd"), st.sampled_from("AB"), st.sampled_from("*xA")),
        min_size=1,
        max_size=6,
    )
)
def test_files_are_refused_unless_they_are_trees(rows, tmp_path):
    path = tmp_path / "tree.csv"
    path.write_text("\n".join(";".join(row) for row in rows), encoding="utf-8")
    parents = {(level, row[level]): set() for row in rows for level in (0, 1)}
    for row in rows:
        for level in (0, 1):
            parents[level, row[level]].add(row[level + 1])
    if all(len(each) == 1 for each in parents.values()):
        tree = read_tree(from_file(path), [], "s")
        assert int(tree.n_leaves[0]) == len({row[0] for row in rows})
    else:
        with pytest.raises(VerificationError, match="'s' cannot be used for a recount"):
            read_tree(from_file(path), [], "s")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"secret\n", "the same number of labels"),
        (b"secret;a;*\nb;*\n", "the same number of labels"),
        (b"secret;\xff\n", "not UTF-8"),
        (b'secret;"a\n', "quote"),
        (b"secret;a\na;b\nb;a\n", "circle"),
        (b"secret;a\na;c\nb;d\nd;b\n", "circle"),
        (b"secret;a\na;b\nsecret;b\n", "two parents"),
        (None, "cannot be read"),
    ],
)
def test_broken_files_are_refused(content, said, tmp_path):
    path = tmp_path / "tree.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(VerificationError, match=said) as caught:
        read_tree(from_file(path), [], "s")
    assert "secret" not in str(caught.value)


def test_a_builder_that_fails_is_named_without_its_words():
    class Odd:
        key = "odd"

        def build(self, texts, *, column):
            raise ValueError(f"cannot read {texts}")

    with pytest.raises(
        VerificationError, match=r"column 's' cannot be built.*ValueError"
    ) as caught:
        read_tree(Odd(), ["secret"], "s")
    assert "secret" not in str(caught.value)
    with pytest.raises(VerificationError, match="not numbers") as caught:
        read_tree(intervals(5), ["secret"], "s")
    assert "secret" not in str(caught.value)


def test_repeated_labels_are_no_steps():
    rows = [("a", "A", "A", "*"), ("b", "A", "A", "*"), ("c", "c", "C", "*"), ("d", "d", "C", "*")]
    tree = tree_of(rows)
    assert int(tree.height[0]) == 2
    alone = tree_of([("x", "x")])
    assert (int(alone.height[0]), int(alone.n_leaves[0])) == (1, 1)
    assert int(tree_of([("x", "y", "*", "*")]).height[0]) == 2


def test_a_node_called_like_one_of_its_leaves():
    tree = tree_of([("1", "1", "*"), ("01", "1", "*"), ("2", "2", "*")])
    assert int(tree.height[0]) == 2
    assert tree.leaf("1") != tree.leaf("01")
    assert tree.leaf("1.0") == tree.leaf("1")
    assert (tree.leaf("3"), tree.leaf("x")) == (-1, -1)


def test_a_tree_prints_no_label():
    assert "secret" not in repr(tree_of([("secret", "*")]))
