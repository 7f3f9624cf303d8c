"""The script that repeats the experiments on top-down refinement still runs."""

from functools import partial

import paper_scripts
from paper_scripts import experiments_in, strangers

run = partial(paper_scripts.run, "tdr")


def parts_in(folder):
    return experiments_in(folder / "tdr.json")


def test_times_are_told_of_people_who_do_not_exist(tmp_path):
    done = run("rows", "requirements", "--quick", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    parts = parts_in(tmp_path)
    assert list(parts) == ["rows", "requirements"]
    for [part] in parts.values():
        assert len(part["runs"]) == 2
        assert all(run["figures"]["seconds"] > 0 for run in part["runs"])
        assert f"## {part['title']}\n" in done.stdout


def test_the_searches_are_compared_by_what_classifiers_learn(tmp_path):
    done = run("--quick", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    for part in parts_in(tmp_path)["searches"]:
        accuracies = {run["algorithm"]: run["figures"] for run in part["runs"]}
        assert set(accuracies) >= {"tdr", "genetic", "k-optimize"}
        for figures in accuracies.values():
            assert 0.5 < figures["accuracy, decision-tree"] <= 1
    assert len(parts_in(tmp_path)["k"]) == 1
    assert strangers("tdr.md", parts_in(tmp_path)) == []


def test_an_experiment_that_does_not_exist_is_refused(tmp_path):
    done = run("beauty", "--output", tmp_path)
    assert done.returncode == 2
    assert "no experiment called beauty" in done.stderr
