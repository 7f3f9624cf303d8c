"""The script that repeats the experiments of the IAC paper still runs, and writes what it says."""

from functools import partial

import pytest

import paper_scripts
from paper_scripts import experiments_in, strangers

CLASSIFIERS = ("decision-tree", "logistic-regression", "svm", "naive-bayes")
run = partial(paper_scripts.run, "iac")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """All experiments on a few made-up people: what is printed, and the figures."""
    folder = tmp_path_factory.mktemp("iac")
    done = run("--quick", "--synthetic", "--output", folder)
    assert done.returncode == 0, done.stderr
    figures = experiments_in(folder / "iac.json")
    assert done.stdout.strip() in (folder / "iac.md").read_text("utf-8")
    return done.stdout, figures


def test_every_experiment_leaves_tables(quick):
    printed, figures = quick
    assert list(figures) == ["levels", "suppression", "runtime", "eight", "four"]
    for parts in figures.values():
        for part in parts:
            assert f"## {part['title']}\n" in printed
            assert part["rows"]


def test_every_mark_of_the_page_names_a_table_of_the_script(quick):
    assert strangers("iac.md", quick[1]) == []


def test_levels_are_counted_from_the_root(quick):
    [part] = quick[1]["levels"]
    heights = {row[0]: sum(cell is not None for cell in row[1:-1]) for row in part["rows"]}
    assert heights == {
        **{"age": 7, "workclass": 5, "education": 5, "marital-status": 4},
        **{"occupation": 3, "race": 3, "sex": 2, "native-country": 4},
    }
    for row in part["rows"]:
        assert row[1] == 0
        assert row[row[-1]] == max(cell for cell in row[1:-1] if cell is not None)


@pytest.mark.parametrize("setting", ["eight", "four"])
def test_each_classifier_is_told_of_the_original_and_of_each_algorithm(quick, setting):
    parts = quick[1][setting]
    assert len(parts) == len(CLASSIFIERS) + 1
    for part, classifier in zip(parts, CLASSIFIERS, strict=False):
        assert part["title"].endswith(classifier)
        algorithms = [each["algorithm"] for each in part["figures"]]
        assert {"original", "iack", "iack, leftover generalised"} <= set(algorithms)
        assert all(0.3 < each["accuracy"] <= 1 for each in part["figures"])


def test_four_quasi_identifiers_keep_more_than_eight(quick):
    means = [quick[1][setting][-1]["rows"][-1][2] for setting in ("eight", "four")]
    assert means[1] > means[0]


def test_suppression_only_grows(quick):
    records = [row[1] for row in quick[1]["suppression"][0]["rows"]]
    assert records == sorted(records)


def test_an_experiment_that_does_not_exist_is_refused(tmp_path):
    done = run("height", "--quick", "--synthetic", "--output", tmp_path)
    assert done.returncode == 2
    assert "there is no experiment called height" in done.stderr
    assert not list(tmp_path.iterdir())


def test_other_k_and_folds(tmp_path):
    done = run("runtime", "--quick", "--synthetic", "--k", "3", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    figures = experiments_in(tmp_path / "iac.json")
    assert [row[0] for row in figures["runtime"][0]["rows"]] == [3]
