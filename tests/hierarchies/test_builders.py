import copy
import tomllib
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hierarchy_strategies import check_tree, levels_of, paths_of
from incrowd.errors import HierarchyError, IncrowdError, ParameterError, PolicyError
from incrowd.hierarchies import (
    BUILDERS,
    AutoHierarchy,
    HierarchySpec,
    auto,
    dates,
    fixed,
    from_file,
    groups,
    hierarchy_from_rows,
    intervals,
    masking,
    ordered,
    spec_from_policy,
    suppression,
    write_hierarchy,
)

SECRET = "s3cret"


def labels(spec, *texts):
    """The labels of each level above the leaves."""
    tree = spec.build(texts, column="c")
    check_tree(tree)
    return [level.labels for level in tree.levels[1:]]


# intervals


def test_intervals_by_hand():
    tree = intervals(5, 10, 20, unit="year").build(["39", "17", "20", "24", "39.0"], column="age")
    assert tree.leaves == ("17", "20", "24", "39")
    assert [level.labels for level in tree.levels[1:]] == [
        ("[15, 20)", "[20, 25)", "[35, 40)"),
        ("[10, 20)", "[20, 30)", "[30, 40)"),
        ("[0, 20)", "[20, 40)"),
        ("*",),
    ]
    assert tree.levels[1].bounds.tolist() == [[15, 20], [20, 25], [35, 40]]
    assert tree.levels[3].description == "20-year intervals"
    assert tree.levels[4].bounds is None
    assert intervals(5).build(["1"], column="c").levels[1].description == "5-wide intervals"


def test_intervals_may_begin_anywhere_and_hold_negative_and_broken_numbers():
    assert labels(intervals(5, 10, origin=3), "2", "3", "-2", "-2.5")[0] == (
        "[-7, -2)",
        "[-2, 3)",
        "[3, 8)",
    )
    assert labels(intervals(0.1, 0.5), "0.3", "0.29", "-0")[0] == (
        "[0, 0.1)",
        "[0.2, 0.3)",
        "[0.3, 0.4)",
    )
    assert labels(intervals(2.5, origin=0.25), "0.25", "0.2499999999999999999999999")[0] == (
        "[-2.25, 0.25)",
        "[0.25, 2.75)",
    )


numbers = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9)


@given(
    st.lists(numbers, max_size=20),
    st.integers(1, 50),
    st.integers(0, 3),
    st.lists(st.integers(2, 5), max_size=2),
    st.integers(-20, 20),
)
def test_every_number_lies_in_its_interval_and_intervals_are_aligned(
    values, first, places, factors, origin
):
    widths = [first]
    for factor in factors:
        widths.append(widths[-1] * factor)
    spec = intervals(*(width / 10**places for width in widths), origin=origin)
    tree = spec.build([f"{value:f}" for value in values], column="c")
    check_tree(tree)
    assert tree.height == len(widths) + 1
    for leaf, path in paths_of(tree).items():
        for label, width in zip(path[1:-1], widths, strict=True):
            low, high = map(Decimal, label[1:-1].split(", "))
            exact = Decimal(width).scaleb(-places)
            assert low <= Decimal(leaf) < high
            assert high - low == exact
            assert (low - origin) % exact == 0


def test_numbers_too_long_for_a_float_keep_exact_labels_and_lose_their_bounds():
    tree = intervals(10).build(["12345678901234567891", "12345678901234567899.9"], column="id")
    assert tree.levels[1].labels == ("[12345678901234567890, 12345678901234567900)",)
    assert tree.levels[1].bounds is None


def test_text_among_numbers_is_counted_not_shown():
    with pytest.raises(HierarchyError, match=r"'age'.* 3 of its 5 distinct values") as caught:
        intervals(5).build(["1", "2", SECRET, "nan", "1e999"], column="age")
    assert SECRET not in str(caught.value)
    assert caught.value.values == (SECRET, "nan", "1e999")


@pytest.mark.parametrize(
    "widths",
    [(), (0,), (-5,), ("5",), (True,), (float("nan"),), (float("inf"),), (10**400,), (None,)],
)
def test_widths_that_make_no_sense(widths):
    with pytest.raises(ParameterError, match="widths"):
        intervals(*widths)


@pytest.mark.parametrize("widths", [(5, 12), (10, 5), (5, 5), (0.2, 0.3)])
def test_widths_that_do_not_nest(widths):
    with pytest.raises(ParameterError, match="cannot be made of"):
        intervals(*widths)


def test_widths_of_numpy_are_plain_numbers():
    spec = intervals(np.int64(5), np.float64(10.0))
    assert spec == intervals(5, 10)
    assert labels(spec, "7") == [("[5, 10)",), ("[0, 10)",), ("*",)]


# suppression, masking


def test_suppression_orders_numbers_by_size_and_texts_by_text():
    assert suppression().build(["10", "9", "9.0"], column="c").leaves == ("9", "10")
    assert suppression().build(["05", "+5"], column="c").leaves == ("+5",)
    assert suppression().build(["+5", "05"], column="c").leaves == ("+5",)
    assert suppression().build(["b", "10", "9", "a"], column="c").leaves == ("10", "9", "a", "b")
    assert labels(suppression(), "a", "b") == [("*",)]


def test_masking_by_hand():
    tree = masking().build(["12345", "12355", "12", "02345", "1"], column="zip")
    check_tree(tree)
    assert tree.height == 5
    assert paths_of(tree) == {
        "12345": ("12345", "1234*", "123**", "12***", "1****", "*"),
        "12355": ("12355", "1235*", "123**", "12***", "1****", "*"),
        "02345": ("02345", "0234*", "023**", "02***", "0****", "*"),
        "12": ("12", "12", "12", "12", "1*", "*"),
        "1": ("1", "1", "1", "1", "1", "*"),
    }
    assert tree.levels[2].description == "first 3 characters kept"


def test_masking_counts_characters_and_takes_options():
    assert labels(masking(), "äö€", "äöx") == [("äö*",), ("ä**",), ("*",)]
    assert labels(masking(levels=1, mask="#"), "abc", "abd") == [("ab#",), ("*",)]
    assert labels(masking(levels=9), "abc") == [("ab*",), ("a**",), ("*",)]
    assert labels(masking(), "0123", "123")[0] == ("012*", "123")


@given(st.lists(st.text("abc", min_size=0, max_size=6), max_size=20), st.integers(1, 7))
def test_masked_labels_are_true_and_nodes_stay_together(texts, n_levels):
    for spec in (masking(), masking(levels=n_levels)):
        tree = spec.build(texts, column="c")
        check_tree(tree)
        for leaf, path in paths_of(tree).items():
            for label in path[:-1]:
                assert len(label) == len(leaf)
                assert all(shown in (raw, "*") for shown, raw in zip(label, leaf, strict=True))
            assert path[-1] == "*"


def test_masking_refuses_masks_in_the_data_and_endless_texts():
    with pytest.raises(HierarchyError, match="'zip' has 1 distinct values with the mask") as caught:
        masking().build(["1234", f"{SECRET}*"], column="zip")
    assert SECRET not in str(caught.value)
    with pytest.raises(HierarchyError, match="would take 99 levels"):
        masking().build(["x" * 100], column="zip")
    assert masking(levels=2).build(["x" * 100], column="zip").height == 3


@pytest.mark.parametrize(
    "options",
    [
        {"levels": 0},
        {"levels": 1.5},
        {"levels": True},
        {"levels": 65},
        {"mask": "**"},
        {"mask": ""},
        {"mask": 5},
        {"mask": "\n"},
    ],
)
def test_masking_options_that_make_no_sense(options):
    with pytest.raises(ParameterError):
        masking(**options)


# groups


def test_groups_by_hand():
    spec = groups({"Senior": ["11th", "12th"], "College": ["Bachelors"]})
    tree = spec.build(["9th", "12th", "10th"], column="education")
    check_tree(tree)
    assert tree.leaves == ("11th", "12th", "Bachelors", "10th", "9th")
    assert [level.labels for level in tree.levels[1:]] == [
        ("Senior", "College", "10th", "9th"),
        ("*",),
    ]


def test_groups_of_groups_are_levelled_from_the_root():
    spec = groups({"Europe": {"West": ["fr", "de"], "East": ["pl"]}, "America": ["us", "br"]})
    tree = spec.build(["fr", "cn"], column="country")
    check_tree(tree)
    assert paths_of(tree) == {
        "fr": ("fr", "West", "Europe", "*"),
        "de": ("de", "West", "Europe", "*"),
        "pl": ("pl", "East", "Europe", "*"),
        "us": ("us", "us", "America", "*"),
        "br": ("br", "br", "America", "*"),
        "cn": ("cn", "cn", "cn", "*"),
    }
    assert tree.leaves == ("fr", "de", "pl", "us", "br", "cn")


def test_grouped_numbers_match_in_any_spelling():
    tree = groups({"few": [1, 2.0], "many": ["3"]}).build(["1.0", "2", "3.0", "4"], column="c")
    assert tree.leaves == ("1", "2.0", "3", "4")
    assert tree.match(["1.0", "2", "3.0"]).tolist() == [0, 1, 2]


def test_a_group_may_be_called_like_its_only_value():
    tree = groups({"White": ["White"], "other": ["Black", "Other"]}).build(["White"], column="race")
    assert paths_of(tree)["White"] == ("White", "White", "*")


def test_an_ungrouped_value_called_like_a_group_is_refused():
    with pytest.raises(HierarchyError, match="'race' has 1 ungrouped values") as caught:
        groups({SECRET: ["Black"]}).build([SECRET, "Black"], column="race")
    assert SECRET not in str(caught.value)


def test_later_changes_of_the_callers_dict_do_not_matter():
    members = {"A": ["a"]}
    spec = groups(members)
    before = copy.deepcopy(spec.to_policy())
    members["A"].append("b")
    assert spec.to_policy() == before


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({}, "must not be empty"),
        ({"A": []}, "must not be empty"),
        ({"A": {}}, "must not be empty"),
        (["a"], "list of values or further groups"),
        ({"A": "abc"}, "list of values or further groups"),
        ({"A": 5}, "list of values or further groups"),
        ({"A": [True]}, "texts or numbers, not bool"),
        ({"A": [None]}, "texts or numbers, not NoneType"),
        ({"*": ["a"]}, "name of a group"),
        ({"": ["a"]}, "name of a group"),
        ({1: ["a"]}, "name of a group"),
        ({"A": {"x": ["a"]}, "B": {"x": ["b"]}}, "1 groups have a name"),
        ({"A": [SECRET], "B": [SECRET]}, "two groups, 'A' and 'B'"),
        ({"A": ["1"], "B": ["1.0"]}, "two groups, 'A' and 'B'"),
        ({SECRET: [SECRET, "b"]}, "1 groups are called like a value"),
        ({"A": [SECRET], SECRET: ["b"]}, "1 groups are called like a value"),
    ],
)
def test_groups_that_make_no_sense(members, message):
    with pytest.raises(ParameterError, match=message) as caught:
        groups(members)
    assert SECRET not in str(caught.value)


def test_groups_without_end_are_refused():
    members = {"0": ["a"]}
    for depth in range(1, 2000):
        members = {str(depth): members}
    with pytest.raises(ParameterError, match="254 times"):
        groups(members)


# dates


def test_dates_by_hand():
    spec = dates("day", "month", "quarter", "year", "decade")
    tree = spec.build(["2024-03-15T10:30:00", "2019-12-31", "2024-03-15 08:00"], column="visit")
    check_tree(tree)
    assert tree.leaves == ("2019-12-31", "2024-03-15 08:00", "2024-03-15T10:30:00")
    assert [level.labels for level in tree.levels[1:]] == [
        ("2019-12-31", "2024-03-15"),
        ("2019-12", "2024-03"),
        ("2019-Q4", "2024-Q1"),
        ("2019", "2024"),
        ("2010s", "2020s"),
        ("*",),
    ]
    assert tree.levels[2].description == "months"


def test_dates_in_another_spelling_and_with_offsets():
    assert labels(dates("month", format="%d.%m.%Y"), "15.03.2024", "1.2.2024")[0] == (
        "2024-02",
        "2024-03",
    )
    texts = ("2024-01-01T00:30:00+05:00", "2023-12-31T23:00:00", "2023-12-31T20:00:00Z")
    assert labels(dates("year"), *texts)[0] == ("2023", "2024")


@given(st.lists(st.datetimes(min_value=datetime(1, 1, 1)), max_size=15))
def test_every_date_lies_in_its_periods(times):
    spec = dates("day", "month", "quarter", "year", "decade")
    tree = spec.build(list(dict.fromkeys(time.isoformat() for time in times)), column="c")
    check_tree(tree)
    for leaf, path in paths_of(tree).items():
        time = datetime.fromisoformat(leaf)
        assert path[1] == time.date().isoformat()
        assert path[2] == path[1][:7]
        assert path[3] == f"{path[1][:4]}-Q{(time.month - 1) // 3 + 1}"
        assert path[4:] == (path[1][:4], path[1][:3] + "0s", "*")


def test_what_is_no_date_is_counted_not_shown():
    with pytest.raises(HierarchyError, match=r"'visit'.* 2 of its 3 distinct values") as caught:
        dates("year").build(["2024-01-01", SECRET, "2024-02-30"], column="visit")
    assert SECRET not in str(caught.value)
    assert caught.value.values == (SECRET, "2024-02-30")


@pytest.mark.parametrize("periods", [(), ("week",), ("year", "month"), ("year", "year"), (None,)])
def test_periods_that_make_no_sense(periods):
    with pytest.raises(ParameterError, match="periods"):
        dates(*periods)


@pytest.mark.parametrize("format", ["%d.%m", "%Y-%Q", 5, "%Y %", "", "%Y"])
def test_formats_that_make_no_sense(format):
    with pytest.raises(ParameterError, match="format"):
        dates("month", "year", format=format)


def test_a_format_need_not_tell_more_than_the_periods():
    assert labels(dates("year", format="%Y"), "2024")[0] == ("2024",)
    assert labels(dates("quarter", format="%m/%y"), "03/24")[0] == ("2024-Q1",)


def test_a_week_is_no_date():
    with pytest.raises(HierarchyError, match="2 of its 2 distinct values are not dates"):
        dates("year").build(["2020-W01", "2020-W01-1"], column="week")


# ordered


def test_ordered_numbers_never_name_the_extremes():
    tree = ordered(2).build(["30", "13", "20.0", "17", "90"], column="visits")
    check_tree(tree)
    assert tree.leaves == ("13", "17", "20.0", "30", "90")
    assert [level.labels for level in tree.levels[1:]] == [
        ("< 20", ">= 20"),
        ("*",),
    ]
    assert tree.levels[1].bounds.tolist() == [[-np.inf, 20], [20, np.inf]]
    assert labels(ordered(2), *"1234567") == [("< 3", "[3, 5)", ">= 5"), ("< 5", ">= 5"), ("*",)]
    assert labels(ordered(2), *"123") == [("*",)]


def test_ordered_texts_and_a_given_order():
    assert labels(ordered(2), "d", "a", "c", "b")[0] == ("< c", ">= c")
    assert labels(ordered(2), "39-b", "30", "39.0", "x")[0] == ("< 39.0", ">= 39.0")
    spec = ordered(2, order=["low", "medium", "high", "extreme", "deadly"])
    assert labels(spec, "high") == [
        ("low .. medium", "high .. deadly"),
        ("*",),
    ]
    assert ordered(3, [3, 1, 2.5]).order == ("3", "1", "2.5")


@given(
    st.lists(st.integers(-100, 100).map(str) | st.text("ab", min_size=1), max_size=30),
    st.integers(2, 5),
)
def test_ordered_nodes_hold_as_many_values_as_they_should(texts, fan_out):
    tree = ordered(fan_out).build(texts, column="c")
    check_tree(tree)
    for at, level in enumerate(tree.levels[1:-1], start=1):
        sizes = np.bincount(level.node_of)
        assert (sizes[:-1] == fan_out**at).all()
        assert 2 <= sizes[-1] <= fan_out**at + 1
        assert len(sizes) > 1
        cuts = {end for label in level.labels for end in label.strip("<>=[) ").split(", ")}
        assert not cuts & {tree.leaves[0], tree.leaves[-1]}


@pytest.mark.parametrize("fan_out", [1, 0, 2.5, "3", True, None])
def test_a_fan_out_that_makes_no_sense(fan_out):
    with pytest.raises(ParameterError, match="fan-out"):
        ordered(fan_out)


@pytest.mark.parametrize("order", [[], "abc", [True], [None], ["a", "a"], ["1", 1.0], [[]]])
def test_an_order_that_makes_no_sense(order):
    with pytest.raises(ParameterError, match="order"):
        ordered(2, order)


def test_labels_that_would_mean_two_nodes_are_refused():
    with pytest.raises(HierarchyError, match="same label"):
        ordered(2, ["a", "b .. c", "a .. b", "c"]).build([], column="c")


# auto


@pytest.mark.parametrize(
    ("texts", "policy"),
    [
        ([str(age) for age in range(17, 91)], {"intervals": [5, 10, 20]}),
        ([str(year) for year in range(1950, 2020)], {"intervals": [5, 10, 20]}),
        ([str(pay) for pay in range(0, 200_000, 500)], {"intervals": [10000, 20000, 100000]}),
        ([str(n) for n in range(12)], {"intervals": [2, 10]}),
        ([f"{n / 100}" for n in range(100)], {"intervals": [0.05, 0.1, 0.2]}),
        ([*map(str, range(100)), "999999999"], {"intervals": [5, 10, 20, 100]}),
        (["-40", "0", "60"], {"intervals": [20]}),
        (["1", "2", "3"], {"suppression": True}),
        (["7"], {"suppression": True}),
        (["0", "0.0"], {"suppression": True}),
        (["1e-999", "2e-999", "9e-999"], {"suppression": True}),
        (["2024-01-01", "2023-05-06"], {"dates": ["month", "year", "decade"]}),
        (["2024-01-01", "soon"], {"suppression": True}),
        (["1", "x"], {"suppression": True}),
        (["1", "1e999"], {"suppression": True}),
        ([], {"suppression": True}),
    ],
)
def test_what_auto_chooses(texts, policy):
    assert AutoHierarchy().choose(texts).to_policy() == policy
    check_tree(auto().build(texts, column="c"))


@given(st.lists(st.integers(-(10**6), 10**6).map(str) | numbers.map(str), max_size=40))
def test_auto_grids_are_round_nested_and_few(texts):
    tree = auto().build(texts, column="c")
    check_tree(tree)
    assert tree.height <= 5


@given(st.lists(st.text(max_size=5), unique=True, max_size=10))
def test_auto_takes_any_text(texts):
    assume(not any("*" in text for text in texts))
    tree = auto().build(texts, column="c")
    check_tree(tree)
    assert (tree.match(texts) >= 0).all()


# every builder


def days(n):
    return [(date(2020, 1, 1) + timedelta(day)).isoformat() for day in range(n)]


SPECS = [
    (suppression(), ["a", "b"]),
    (masking(), ["abc", "abd"]),
    (masking(levels=2, mask="#"), ["abc", "abd"]),
    (intervals(5, 10, 20), ["1", "7"]),
    (intervals(0.5, 1.0, origin=0.25, unit="km"), ["1", "7"]),
    (groups({"A": {"B": ["a", "b"]}, "C": ["c"]}), ["a", "d"]),
    (dates("month", "year"), days(50)),
    (dates("year", format="%d.%m.%Y"), ["01.02.2003"]),
    (ordered(3), ["1", "2", "3", "4"]),
    (ordered(2, order=["b", "c", "a"]), ["a"]),
    (auto(), [str(n) for n in range(80)]),
    (fixed(hierarchy_from_rows([("a", "A", "*"), ("b", "B", "*")])), ["a"]),
]


@pytest.mark.parametrize(("spec", "texts"), SPECS)
def test_each_builder_comes_back_from_its_policy(spec, texts):
    assert isinstance(spec, HierarchySpec)
    again = spec_from_policy(spec.to_policy(), folder=Path())
    assert type(again) is type(spec)
    assert levels_of(again.build(texts, column="c")) == levels_of(spec.build(texts, column="c"))


@pytest.mark.parametrize(("spec", "texts"), SPECS)
def test_the_order_of_the_rows_does_not_matter(spec, texts):
    forth, back = spec.build(texts, column="c"), spec.build(texts[::-1], column="c")
    assert levels_of(forth) == levels_of(back)


@pytest.mark.parametrize(
    "spec", [suppression(), masking(), intervals(5, 10), dates("year"), ordered(2), auto()]
)
def test_a_column_without_values_has_a_root(spec):
    tree = spec.build([], column="c")
    check_tree(tree)
    assert (tree.n_leaves, tree.root_label) == (0, "*")
    assert tree.extended(missing=True).index_at.tolist() == [[0]] * (tree.height + 1)


def test_policies_as_they_are_written():
    policy = tomllib.loads(
        """
        a = { intervals = [5, 10, 20] }
        b = { intervals = [5, 10], origin = 3, unit = "year" }
        c = { suppression = true }
        d = { masking = true }
        e = { groups = { Senior = ["11th", "12th"] } }
        f = { dates = ["month", "year"] }
        g = { ordered = 3 }
        h = "auto"
        """
    )
    specs = [spec_from_policy(value, folder=Path()) for value in policy.values()]
    assert specs == [
        intervals(5, 10, 20),
        intervals(5, 10, origin=3, unit="year"),
        suppression(),
        masking(),
        groups({"Senior": ["11th", "12th"]}),
        dates("month", "year"),
        ordered(3),
        auto(),
    ]


def test_paths_are_relative_to_the_policy(tmp_path):
    tree = hierarchy_from_rows([("a", "A", "*"), ("b", "A", "*")])
    write_hierarchy(tree, tmp_path / "h.csv", separator=",")
    spec = spec_from_policy("h.csv", folder=tmp_path, separator=",")
    assert levels_of(spec.build([], column="c")) == levels_of(tree)
    again = spec_from_policy(spec.to_policy(), folder=Path())
    assert again == spec == from_file(tmp_path / "h.csv", separator=",")
    assert spec_from_policy({"file": "h.csv"}, folder=tmp_path, separator=",") == spec
    assert from_file("h.csv").to_policy() == "h.csv"


def test_builders_and_hierarchies_pass_through():
    spec, tree = intervals(5), hierarchy_from_rows([("a", "*")])
    assert spec_from_policy(spec, folder=Path()) is spec
    assert spec_from_policy(tree, folder=Path()).build([], column="c") is tree


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (5, "cannot be made from a int"),
        (None, "cannot be made from a NoneType"),
        (AutoHierarchy, "cannot be made from a type"),
        (suppression, "cannot be made from a function"),
        ([], "cannot be made from a list"),
        ({}, "names nothing"),
        ("", "path of a hierarchy file"),
        ({"interval": [5]}, "names 'interval'"),
        ({"intervals": [5], "masking": True}, "names 'intervals', 'masking'"),
        ({"intervals": 5}, "takes a list, not a int"),
        ({"intervals": "510"}, "takes a list, not a str"),
        ({"intervals": [5], "units": "year"}, "no option 'units'"),
        ({"intervals": [5], "origin": "0"}, "origin"),
        ({"intervals": [5], "unit": 5}, "unit"),
        ({"intervals": []}, "widths"),
        ({"suppression": False}, "no value but true"),
        ({"suppression": 1}, "no value but true"),
        ({"suppression": True, "levels": 2}, "no option 'levels'"),
        ({"masking": 3}, "no value but true"),
        ({"masking": True, "levels": "x"}, "levels"),
        ({"groups": ["a"]}, "group"),
        ({"dates": "month"}, "takes a list"),
        ({"dates": ["hour"]}, "periods"),
        ({"dates": ["year"], "format": 5}, "format"),
        ({"ordered": "3"}, "fan-out"),
        ({"ordered": 3, "order": "abc"}, "takes a list"),
        ({"auto": False}, "no value but true"),
        ({"file": 5}, "path"),
        ({"file": "h.csv", "separator": ";;"}, "separator"),
        ({"rows": "a"}, "takes a list"),
        ({"rows": [["a"]]}, "single label"),
        ({"rows": [5]}, "sequence of texts"),
    ],
)
def test_policies_that_make_no_sense(value, message):
    with pytest.raises(IncrowdError, match=message) as caught:
        spec_from_policy(value, folder=Path())
    assert caught.value.exit_code == 2
    assert caught.value.hint


def test_an_unknown_builder_is_answered_with_the_known_ones():
    with pytest.raises(PolicyError) as caught:
        spec_from_policy({"bins": [5]}, folder=Path())
    assert all(key in caught.value.hint for key in BUILDERS)


def test_fixed_takes_hierarchies_alone():
    with pytest.raises(ParameterError, match="cannot be a str"):
        fixed("h.csv")
    with pytest.raises(HierarchyError, match="cannot be read"):
        from_file("").build([], column="c")
