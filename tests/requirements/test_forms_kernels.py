"""From columns to forms: what has no place is refused, and what is too long for the kernels."""

import pytest

from incrowd.counts import SensitiveColumn
from incrowd.errors import ParameterError, PolicyError
from incrowd.hierarchies.rows import hierarchy_from_paths
from incrowd.requirements import AlphaK, LDiversity, PSensitive, RangeDisclosure, TCloseness
from incrowd.requirements.value_places import ranks_of, whole_places
from incrowd.requirements.value_trees import closeness_tree, disclosure_tree
from sensitive_classes import COLUMN, PATHS, plain


@pytest.mark.parametrize("own", [{"1": 1, "secret": 1}, {"1": 1, None: 1}])
def test_what_is_no_number_has_no_place_in_the_row(own):
    with pytest.raises(PolicyError, match="1 of its 2 distinct values") as caught:
        plain(own).violating(TCloseness(0.2, COLUMN, "ordered"))
    assert "secret" not in str(caught.value)


def test_what_the_tree_does_not_list_has_no_distance():
    asked = TCloseness(0.2, COLUMN, "hierarchical")
    with pytest.raises(PolicyError, match="has no hierarchy"):
        plain({"flu": 1}).violating(asked)
    for stranger in ("secret", None):
        with pytest.raises(PolicyError, match="1 distinct values") as caught:
            plain({"flu": 1, stranger: 1}, paths=PATHS).violating(asked)
        assert "secret" not in str(caught.value)


def test_numbers_that_are_too_long():
    with pytest.raises(PolicyError, match="too many digits") as caught:
        plain({"1e200": 1, "1": 1, "0": 1}).violating(RangeDisclosure(0.5, 1, COLUMN))
    assert "round the values" in str(caught.value)
    own = {
        "1e15": 10**13,
        "1": 10**13,
        "0": 1,
    }  # each fits, and their product with the records does not
    with pytest.raises(PolicyError, match="cannot be decided exactly"):
        plain(own).violating(RangeDisclosure(0.123456789, 1, COLUMN))


def test_places_are_exact():
    column = SensitiveColumn(COLUMN, ("0.1", "0.30", "-1e-1", None))
    place, unplaced = whole_places(column)
    assert place.tolist() == [1, 2, 0, 0]  # in steps of a fifth
    assert unplaced.tolist() == [0, 0, 0, 1]
    assert ranks_of(SensitiveColumn(COLUMN, ("10", "9", "9.0", "1e1"))).tolist() == [1, 0, 0, 1]


def test_heights_are_the_longest_way_down():
    column = SensitiveColumn(COLUMN, tuple(path[0] for path in PATHS), hierarchy_from_paths(PATHS))
    tree = closeness_tree(column)
    heights = tree.height[tree.leaf].tolist()
    above = tree.height[tree.parent[tree.leaf]].tolist()
    assert heights == [0] * 5
    # chronic and stomach have one leaf each: no values part there
    assert above == [2, 1, 1, 3, 3]
    assert tree.height[-1] == 3


def test_unlisted_values_stand_under_the_root():
    column = SensitiveColumn(COLUMN, ("flu", "new", None), hierarchy_from_paths(PATHS))
    tree = disclosure_tree(column)
    root = len(tree.parent) - 1
    assert tree.parent[tree.leaf[1:]].tolist() == [root, root]
    assert tree.leaves_under[[*tree.leaf, root]].tolist() == [1, 1, 1, 5]
    assert (tree.leaves, tree.missing) == (5, 2)


def test_without_a_tree_all_stand_under_one_root():
    tree = disclosure_tree(SensitiveColumn(COLUMN, ("flu", "cold", None)))
    assert tree.parent.tolist() == [3, 3, 3, 3]
    assert tree.leaves_under.tolist() == [1, 1, 1, 3]
    assert (tree.leaves, tree.missing) == (0, 2)


def test_a_minimum_size_is_asked_apart_only_where_something_is_known():
    columns = {"d": SensitiveColumn("d", ("x", "y"))}
    for asked in (PSensitive(2, 3, "d"), AlphaK(0.5, 3, "d")):
        assert asked.forms(columns)[0].apart is False
    for asked in (PSensitive(2, 3, "d", known=["w"]), AlphaK(0.5, 3, "d", known=["w"])):
        assert asked.forms(columns)[0].apart is True


def test_nobody_is_asked_without_a_table():
    with pytest.raises(ParameterError, match="without a table"):
        LDiversity(2, "d").violating([1], {})
