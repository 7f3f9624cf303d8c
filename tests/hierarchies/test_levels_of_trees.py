"""Trees that are released within certain levels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierarchy_strategies import hierarchies
from incrowd.errors import HierarchyError
from incrowd.hierarchies import hierarchy_from_json, hierarchy_to_json, intervals


@given(tree=hierarchies(), data=st.data())
def test_below_the_lowest_level_everything_looks_like_it(tree, data):
    lowest = data.draw(st.integers(0, tree.height))
    within = tree.within(lowest, data.draw(st.integers(lowest, tree.height)))
    for level in range(tree.height + 1):
        same = max(level, lowest)
        assert within.labels_at(level) == tree.labels_at(same)
        for table in ("index_at", "leaves_under", "steps"):
            assert (getattr(within, table)[level] == getattr(tree, table)[same]).all()
    assert within.leaves == tree.leaves
    assert within.lowest_level.min(initial=lowest) >= lowest
    spans = set(zip(tree.nodes.low.tolist(), tree.nodes.high.tolist(), strict=True))
    assert set(zip(within.nodes.low.tolist(), within.nodes.high.tolist(), strict=True)) <= spans


@given(tree=hierarchies(), data=st.data())
def test_levels_are_stored_with_the_tree(tree, data):
    lowest = data.draw(st.integers(0, tree.height))
    within = tree.within(lowest, data.draw(st.integers(lowest, tree.height)))
    stored = hierarchy_to_json(within)
    assert hierarchy_from_json(stored).allowed == within.allowed
    assert "allowed" not in hierarchy_to_json(tree)


@pytest.mark.parametrize("allowed", [[1], [2, 1], [0, 9], [-1, 2], ["0", "1"], 3, [True, 2]])
def test_damaged_levels_are_refused(allowed):
    tree = intervals(5, 20).build(["1", "8"], column="age")
    with pytest.raises(HierarchyError, match="lowest and highest"):
        hierarchy_from_json({**hierarchy_to_json(tree), "allowed": allowed})


@pytest.mark.parametrize("levels", [(2, 1), (0, 4), (-1, 2)])
def test_levels_that_a_tree_does_not_have_are_refused(levels):
    with pytest.raises(HierarchyError, match="levels of this hierarchy"):
        intervals(5, 20).build(["1", "8"], column="age").within(*levels)
