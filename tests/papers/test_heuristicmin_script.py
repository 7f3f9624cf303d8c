"""The script that repeats the comparisons of the HeuristicMin paper still runs, and is right."""

import pytest

from paper_scripts import experiments_in, run, tables_in, tables_of


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """What is printed, said and measured."""
    folder = tmp_path_factory.mktemp("heuristicmin")
    done = run("heuristicmin", "--output", folder)
    assert done.returncode == 0, done.stderr
    parts = experiments_in(folder / "heuristicmin.json")
    figures = {
        case: {each["algorithm"]: each for each in part["figures"]}
        for case, [part] in parts.items()
    }
    assert done.stdout.strip() in (folder / "heuristicmin.md").read_text("utf-8")
    assert tables_of(parts) == tables_in("heuristicmin.md")
    return done, figures


def test_every_case_is_compared_and_the_stand_in_says_so(compared):
    done, figures = compared
    assert list(figures) == ["Case 1", "Case 2", "Case 3", "Case 4, stand-in"]
    for name, runs in figures.items():
        assert f"## {name}\n" in done.stdout
        assert list(runs) == [
            *("heuristic-min", "tds", "bug", "mingen", "samarati, binary", "samarati, descent")
        ]


@pytest.mark.parametrize(
    ("case", "rows"), [("Case 1", 4), ("Case 2", 6), ("Case 3", 8), ("Case 4, stand-in", 8)]
)
def test_heuristic_min_keeps_the_most_rows_of_the_subtree_searches(compared, case, rows):
    runs = compared[1][case]
    assert runs["heuristic-min"]["rows"] == rows
    assert runs["bug"]["rows"] <= rows
    assert len(runs["heuristic-min"]["result"]) == rows


def test_the_figures_of_case_1_are_those_of_the_paper(compared):
    runs = compared[1]["Case 1"]
    ours = runs["heuristic-min"]
    assert round(ours["precision"], 2) == 0.89
    assert ours["cells of rows"] == 7
    assert ours["steps of records"] == 40
    assert [runs[name]["tables looked at"] for name in runs if name.startswith("samarati")] == [
        10,
        14,
    ]
    assert ours["tables looked at"] == 9
    assert runs["samarati, descent"]["space"] == 24
    assert ours["accuracy"] == 1


def test_classes_are_mixed_in_case_3_and_not_by_bug(compared):
    runs = compared[1]["Case 3"]
    assert runs["bug"]["accuracy"] == 1
    assert 0.6 < runs["heuristic-min"]["accuracy"] < 0.8
