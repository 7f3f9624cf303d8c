import copy
import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adult_data import adult_folder
from hierarchy_strategies import check_tree, hierarchies, levels_of, paths_of
from incrowd.errors import HierarchyError, OutputError, ParameterError
from incrowd.hierarchies import (
    dates,
    hierarchy_from_json,
    hierarchy_from_rows,
    hierarchy_to_json,
    intervals,
    ordered,
    read_hierarchy,
    write_hierarchy,
)
from naive import hierarchies as naive_hierarchies

FARS = Path(__file__).parents[2] / ".." / "shared" / "data" / "fars"
SECRET = "s3cret"


@pytest.fixture
def file(tmp_path):
    def write(content, name="h.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_one_row_per_leaf(file):
    tree = read_hierarchy(file("a;A;*\nb;A;*\nc;C;*\n"))
    assert paths_of(tree) == {"a": ("a", "A", "*"), "b": ("b", "A", "*"), "c": ("c", "C", "*")}


def test_an_edge_list(file):
    tree = read_hierarchy(file("a;A\nb;A\nA;*\nc;*\n"))
    assert paths_of(tree) == {"a": ("a", "A", "*"), "b": ("b", "A", "*"), "c": ("c", "c", "*")}


def test_two_columns_that_are_no_edges(file):
    tree = read_hierarchy(file("a;X\nb;Y\n"))
    assert paths_of(tree) == {"a": ("a", "X", "*"), "b": ("b", "Y", "*")}


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfa;*\r\n\xc3\xa4;*\r\n",
        "a;*\r\r\n\nä;*",
        '"a";"*"\n"ä";"*"\n',
        "\n\na;*\nä;*\n\n",
    ],
)
def test_marks_line_ends_quotes_and_blank_lines(file, content):
    assert read_hierarchy(file(content)).leaves == ("a", "ä")


def test_separators_and_newlines_inside_quoted_cells(file):
    tree = read_hierarchy(file('"a;b";*\n"c\nd";*\n"e""f";*\n'))
    assert tree.leaves == ("a;b", "c\nd", 'e"f')


def test_lines_are_counted_in_the_file(file):
    with pytest.raises(HierarchyError, match="line 6 has 3 labels, line 2 has 2"):
        read_hierarchy(file('\na;*\n\n"b\nc";*\nd;x;*\n'))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "'h.csv' is empty"),
        ("\n\r\n", "'h.csv' is empty"),
        (b"\xef\xbb\xbf", "'h.csv' is empty"),
        ("a\nb\n", "single column"),
        (f"a;*\n{SECRET};x;*\n", "line 2 has 3 labels, line 1 has 2"),
        (f"{SECRET};a;*\n{SECRET};b;*\n", "lines 1 and 2 disagree at level 1"),
        (f"a;{SECRET};A\nb;{SECRET};B\n", "lines 1 and 2 agree at level 1"),
        (f"{SECRET};A\nA;*\n{SECRET};*\n", "two parents: lines 1 and 3"),
        ("a;b\nb;a\n", "circle: lines 1, 2"),
        (b"a;*\n\xff\xfe;*\n", "line 2: not UTF-8"),
        (f'a;*\n"{SECRET};*\n', "line 2: not a line of cells"),
        (f'a;*\n"{SECRET}"x;*\n', "line 2: not a line of cells"),
        ("a;*\n" + "x" * 200_000 + ";*\n", "line 2: not a line of cells"),
        ("a;b;\nc;d;\n", "line 1: the label of level 2 is empty"),
    ],
)
def test_broken_files_are_refused_by_line(file, content, message):
    with pytest.raises(HierarchyError, match=message) as caught:
        read_hierarchy(file(content))
    assert caught.value.hint
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


def test_the_wrong_separator_is_guessed(file):
    with pytest.raises(HierarchyError, match="try that as separator") as caught:
        read_hierarchy(file("a,*\nb,*\n"))
    assert "','" in caught.value.hint


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(HierarchyError, match=r"'nowhere\.csv' does not exist"):
        read_hierarchy(tmp_path / "nowhere.csv")
    with pytest.raises(HierarchyError, match="cannot be read"):
        read_hierarchy(tmp_path)
    with pytest.raises(HierarchyError, match="cannot be read"):
        read_hierarchy("a\0b")


@pytest.mark.parametrize("separator", ["", ";;", '"', "\n", None, 5])
def test_separators_that_make_no_sense(tmp_path, separator):
    with pytest.raises(ParameterError, match="separator"):
        read_hierarchy(tmp_path / "h.csv", separator=separator)
    with pytest.raises(ParameterError, match="separator"):
        write_hierarchy(hierarchy_from_rows([("a", "*")]), io.StringIO(), separator=separator)


@given(hierarchies(extra_codes=False), st.randoms(use_true_random=False), st.booleans())
def test_a_file_is_read_as_its_rows_say(tmp_path_factory, tree, random, quoted):
    rows = list(paths_of(tree).values())
    random.shuffle(rows)
    path = tmp_path_factory.getbasetemp() / "shuffled.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=";", quoting=csv.QUOTE_ALL if quoted else 0)
        writer.writerows([*rows, *rows[:1]] if quoted else rows)
    found = [(level.node_of.tolist(), list(level.labels)) for level in read_hierarchy(path).levels]
    assert found == naive_hierarchies.levels(rows)


@given(hierarchies(extra_codes=False), st.sampled_from(";,\t|"))
def test_what_is_written_reads_back_as_the_same_tree(tmp_path_factory, tree, separator):
    path = tmp_path_factory.getbasetemp() / "round.csv"
    write_hierarchy(tree, path, separator=separator)
    assert levels_of(read_hierarchy(path, separator=separator)) == levels_of(tree)


@pytest.mark.parametrize("leaf", ["\ufeffa", "a\rb", "a\nb", '"', ";", "", " a "])
def test_delicate_leaves_survive_a_file(tmp_path, leaf):
    path = tmp_path / "h.csv"
    write_hierarchy(hierarchy_from_rows([(leaf, "*"), ("b", "*")]), path)
    assert read_hierarchy(path).leaves == (leaf, "b")


def test_writing_to_an_open_file_and_to_nowhere(tmp_path):
    tree = hierarchy_from_rows([("a", "A", "*"), ("b", "B", "*")])
    buffer = io.StringIO()
    write_hierarchy(tree, buffer)
    assert buffer.getvalue() == "a;A;*\nb;B;*\n"
    with pytest.raises(OutputError, match="does not exist"):
        write_hierarchy(tree, tmp_path / "no" / "folder.csv")
    with pytest.raises(OutputError, match="not valid Unicode"):
        write_hierarchy(hierarchy_from_rows([("\ud800", "*")]), tmp_path / "h.csv")


@given(hierarchies())
def test_json_holds_the_whole_tree(tree):
    stored = json.dumps(hierarchy_to_json(tree), allow_nan=False)
    assert levels_of(hierarchy_from_json(json.loads(stored))) == levels_of(tree)


@pytest.mark.parametrize(
    "tree",
    [
        intervals(5, 10, unit="year").build(["1", "7", "19.5"], column="c"),
        intervals(5, 10).build([], column="c").extended(missing=True),
        ordered(2).build(["1", "2", "3", "4", "5"], column="c"),
        dates("month").build(["2024-01-01"], column="c"),
    ],
)
def test_json_holds_bounds_and_descriptions(tree):
    stored = json.dumps(hierarchy_to_json(tree), allow_nan=False)
    assert levels_of(hierarchy_from_json(json.loads(stored))) == levels_of(tree)


GOOD = hierarchy_to_json(intervals(5, 10).build(["1", "7", "12", "20"], column="c"))


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ((), None),
        ((), []),
        (("leaves",), None),
        (("leaves",), ["1", "7", "12", 20]),
        (("leaves",), ["1", "7", "12", "12"]),
        (("leaves",), ["1", "7"]),
        (("leaves",), []),
        (("levels",), None),
        (("levels",), "x"),
        (("levels",), []),
        (("levels", 0), 7),
        (("levels", 0, "labels"), ["a"]),
        (("levels", 0, "labels"), ["a", "a", "b", "c"]),
        (("levels", 0, "first"), [0, 1, 2, 4]),
        (("levels", 0, "first"), [0, 2, 1, 3]),
        (("levels", 0, "first"), [1, 2, 3, 4]),
        (("levels", 0, "first"), [-1, 1, 2, 3]),
        (("levels", 0, "first"), [0, 1, 2, 10**30]),
        (("levels", 0, "first"), [False, 1, 2, 3]),
        (("levels", 0, "first"), [0.0, 1, 2, 3]),
        (("levels", 0, "first"), None),
        (("levels", 1), {"labels": ["a", "b"], "first": [0, 1], "bounds": [[0, 1]]}),
        (("levels", 0, "bounds"), [[0, 5]]),
        (("levels", 0, "bounds"), [[5, 0], [5, 10], [10, 15], [20, 25]]),
        (("levels", 0, "bounds"), [[0, 7], [5, 10], [10, 15], [20, 25]]),
        (("levels", 0, "bounds", 0), [0, float("nan")]),
        (("levels", 0, "bounds", 0), [0, "5"]),
        (("levels", 0, "bounds", 0), [0, 10**400]),
        (("levels", 0, "bounds", 0), 5),
        (("levels", 0, "description"), 5),
        (("levels", 2, "labels"), []),
        (("missing",), 1),
        (("unknown",), "yes"),
    ],
)
def test_damaged_json_is_refused(where, value):
    damaged = copy.deepcopy(GOOD)
    if not where:
        damaged = value
    else:
        *outer, last = where
        target = damaged
        for step in outer:
            target = target[step]
        target[last] = value
    with pytest.raises(HierarchyError, match="a stored hierarchy is damaged"):
        hierarchy_from_json(damaged)


def test_a_level_made_of_parts_of_nodes_is_damaged():
    data = {
        "leaves": ["a", "b", "c"],
        "levels": [
            {"labels": ["x", "y"], "first": [0, 2]},
            {"labels": ["X", "Y"], "first": [0, 1]},
            {"labels": ["*"], "first": [0]},
        ],
    }
    with pytest.raises(HierarchyError, match="level 2 is not made of whole nodes"):
        hierarchy_from_json(data)


@pytest.mark.parametrize("name", ["adult", "fars"])
def test_the_hierarchies_of_public_data_sets(name, tmp_path):
    folder = adult_folder() if name == "adult" else FARS
    paths = sorted(folder.glob("*_hierarchy_*.csv"))
    if not paths:
        pytest.skip(f"the {name} data are not here")
    for path in paths:
        tree = read_hierarchy(path)
        check_tree(tree)
        rows = [tuple(line.split(";")) for line in path.read_text("utf-8").splitlines()]
        assert paths_of(tree) == {row[0]: row for row in rows}
        write_hierarchy(tree, tmp_path / "h.csv")
        assert levels_of(read_hierarchy(tmp_path / "h.csv")) == levels_of(tree)
