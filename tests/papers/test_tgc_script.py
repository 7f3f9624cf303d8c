"""The script that repeats the experiments of the TGC paper still runs, and writes what it says."""

from functools import partial

import pytest

import paper_scripts
from paper_scripts import experiments_in, strangers

run = partial(paper_scripts.run, "tgc")
EXPERIMENTS = (
    *("against-k", "seeds", "diversity", "required", "skewness", "subspaces"),
    *("estimation-range", "weights", "sampling", "runtime", "printed-rules"),
)


def figures_in(folder):
    return experiments_in(folder / "tgc.json")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """All experiments on few rows: what is printed, and where the figures are."""
    folder = tmp_path_factory.mktemp("tgc")
    done = run("--quick", "--output", folder)
    assert done.returncode == 0, done.stderr
    return done.stdout, folder


def test_every_experiment_leaves_figures_and_tables(quick):
    printed, folder = quick
    found = figures_in(folder)
    assert tuple(found) == EXPERIMENTS
    for parts in found.values():
        for part in parts:
            assert f"## {part['title']}\n" in printed
            assert part["runs"]
            assert all(run["figures"] for run in part["runs"])
    assert printed.strip() in (folder / "tgc.md").read_text("utf-8")


def test_every_mark_of_the_page_names_a_table_of_the_script(quick):
    assert strangers("tgc.md", figures_in(quick[1])) == []


def test_quality_is_told_of_all_six_algorithms(quick):
    [part] = figures_in(quick[1])["against-k"]
    figures = {run["algorithm"]: run["figures"] for run in part["runs"]}
    assert list(figures) == ["Mondrian", "K-Members", "K-Members-p", "TGC-U", "TGC-B", "TGC-P"]
    for each in figures.values():
        assert 0 < each["UM"] <= 6
        assert 0 < each["protection"] <= 2
        assert each["A.R.E. type 1"] > 0
        assert each["classes"] > 1


def test_errors_are_normalised_among_those_compared(quick):
    [part] = figures_in(quick[1])["against-k"]
    name = "A.R.E. type 2, normalised"
    shares = {run["algorithm"]: run["figures"].get(name) for run in part["runs"]}
    assert shares.pop("K-Members-p") is None
    assert min(shares.values()) == 0
    assert max(shares.values()) == 1


def test_experiments_on_made_up_numbers_need_no_other_table(tmp_path):
    done = run("weights", "--quick", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    [part] = figures_in(tmp_path)["weights"]
    assert [run["at"] for run in part["runs"]] == [0, 0.5, 1]
    assert done.stdout.count("| ") > 3


def test_an_experiment_that_does_not_exist_is_refused(tmp_path):
    done = run("height", "--quick", "--output", tmp_path)
    assert done.returncode == 2
    assert "there is no experiment called height" in done.stderr
    assert not list(tmp_path.iterdir())
