"""Comparisons: one row for each algorithm, k and classifier; and the same again from the JSON."""

import csv
import io
import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow.csv import write_csv

import incrowd as ic
from classified_people import SECRET, people, policy
from diversity import DistinctDiversity
from incrowd.algorithms import list_algorithms
from incrowd.compare import Comparison, contenders, load_comparison, repeat
from incrowd.compare.contenders import split
from incrowd.compare.settings import check_ks
from incrowd.errors import InputError, ParameterError, PolicyError
from incrowd.metrics import list_metrics
from incrowd.schema import Column, Policy

QUICK = {"classifiers": ["naive-bayes", "decision-tree"], "folds": 2}


def compared(data=None, rules=None, algorithms=("flash", "mondrian"), **options):
    rules = rules or policy()
    untrained = rules.target is None or options.get("classifiers") == []
    return ic.compare(
        people() if data is None else data,
        rules,
        algorithms=algorithms,
        **{"k": [2, 10], **({} if untrained else QUICK), **options},
    )


def untimed(comparison):
    """Return all that a comparison says but its seconds."""

    def without(value):
        if isinstance(value, dict):
            return {key: without(each) for key, each in value.items() if key != "seconds"}
        return [without(each) for each in value] if isinstance(value, list) else value

    return without(comparison.to_dict())


def test_there_is_a_row_for_each_algorithm_k_and_classifier():
    found = compared()
    rows = found.rows()
    assert [(row["algorithm"], row["k"], row["classifier"]) for row in rows] == [
        ("original", None, "naive-bayes"),
        ("original", None, "decision-tree"),
        ("majority", None, "majority"),
        *(
            (algorithm, k, classifier)
            for algorithm in ("flash", "mondrian")
            for k in (2, 10)
            for classifier in QUICK["classifiers"]
        ),
    ]
    assert found.worked
    for row in rows[3:]:
        assert 0 <= row["loss"] <= 1
        assert row["classes"] > 0
        assert row["suppressed"] >= 0
        assert row["seconds"] > 0
        assert 0 < row["accuracy"] <= 1
        assert row["reason"] is None


def test_figures_are_those_of_a_release_and_of_the_utility():
    found = compared(algorithms=["mondrian"], k=[5])
    release = ic.anonymize(people(), policy(5), algorithm="mondrian")
    utility = ic.classification_utility(people(), policy(5), algorithm="mondrian", **QUICK)
    row = found.rows()[-1]
    assert row["loss"] == release.metrics["loss"]
    assert row["classes"] == release.facts["classes"]
    assert row["accuracy"] == utility.score("decision-tree").accuracy


def test_without_a_target_there_are_plain_figures_alone():
    rules = policy(target=None, insensitive=["hours", "income"])
    found = compared(rules=rules, metrics=["loss", "ncp", "discernibility"])
    assert len(found.rows()) == 4
    assert list(found.rows()[0]) == [
        *("algorithm", "k", "classes", "suppressed"),
        *("loss", "ncp", "discernibility", "seconds", "reason"),
    ]
    assert "accuracy" not in found.to_text()


def test_classifiers_can_be_left_out():
    assert "accuracy" not in compared(classifiers=[]).to_csv()


@pytest.mark.parametrize("protocol", ["refit", "release"])
def test_a_comparison_repeats_from_its_json(protocol):
    found = compared(algorithms=["flash", "k-members", "mondrian"], protocol=protocol, seed=3)
    read = Comparison.from_json(found.to_json())
    assert untimed(read) == untimed(found)
    assert untimed(repeat(people(), read)) == untimed(found)


def test_a_comparison_of_nothing_is_refused():
    stored = json.loads(compared(classifiers=[]).to_json())
    stored["settings"]["algorithms"] = []
    with pytest.raises(InputError, match="does not say how it was made"):
        Comparison.from_json(json.dumps(stored))


def test_another_table_is_not_compared_again(tmp_path):
    found = compared(classifiers=[])
    for other in (people(200), people().select([0, 1, 3, 2, 4])):
        with pytest.raises(InputError, match="not the table"):
            repeat(other, found)


def test_a_file_of_another_size_is_not_compared_again(tmp_path):
    path = tmp_path / "people.csv"
    write_csv(people(), path)
    found = compared(path, classifiers=[])
    assert untimed(repeat(path, found)) == untimed(found)
    path.write_bytes(path.read_bytes().replace(b"cook", b"cooks", 1))
    with pytest.raises(InputError, match="another size"):
        repeat(path, found)


def test_the_json_says_of_the_input_names_and_sizes_alone():
    """One unknown cell can be guessed from a hash of all cells; so there is none."""
    about = compared(classifiers=[]).to_dict()["input"]
    columns = people().column_names
    assert about == {"columns": columns, "rows": 240, "bytes": None, "hierarchies": {}}


def test_a_comparison_with_a_hash_is_not_repeated_but_to_be_deleted():
    stored = json.loads(compared(classifiers=[]).to_json())
    stored["input"] = {"rows": 300, "table": "0" * 64, "hierarchies": {}}
    with pytest.raises(InputError, match="hash") as error:
        repeat(people(), Comparison.from_json(json.dumps(stored)))
    assert "delete" in error.value.hint


def test_a_changed_hierarchy_is_found(tmp_path):
    path = tmp_path / "job.csv"
    leaves = [f"{SECRET}-{job}" for job in ("cook", "nurse", "smith", "clerk")]
    path.write_text("".join(f"{leaf};*\n" for leaf in leaves))
    rules = policy(quasi_identifiers={"age": ic.intervals(5, 10), "job": str(path)})
    found = compared(rules=rules, classifiers=[])
    assert untimed(repeat(people(), found)) == untimed(found)
    path.write_text("".join(f"{leaf};a;*\n" for leaf in leaves))
    with pytest.raises(InputError, match="hierarchy"):
        repeat(people(), found)


def test_no_cell_of_the_table_is_in_any_form():
    found = compared()
    for text in (found.to_text(), found.to_csv(), found.to_json()):
        assert SECRET not in text


def test_what_fails_has_a_reason_and_the_others_go_on():
    found = compared(k=[5, 1000])
    good, bad = found.results[0], found.results[1]
    assert good.worked
    assert "1000" in bad.reason
    assert bad.scores == ()
    assert found.worked
    assert "cannot be reached" in found.to_text()
    assert not compared(k=[1000]).worked


def test_a_fold_too_small_for_k_leaves_the_other_figures():
    found = compared(k=[200], algorithms="mondrian")  # training folds have 120 records
    [result] = found.results
    assert result.classes == 1
    assert "200" in result.reason
    assert result.scores == ()


def test_records_without_a_class_are_told():
    table = people(60)
    values = [None if at % 6 == 0 else f"c{at % 2}" for at in range(60)]
    found = compared(table.set_column(4, "income", pa.array(values)), k=[3])
    assert any("10 records" in note for note in found.notes)
    assert "note: 10 records" in found.to_text()


def test_csv_holds_every_figure_in_full():
    found = compared()
    read = list(csv.DictReader(io.StringIO(found.to_csv())))
    for written, row in zip(read, found.rows(), strict=True):
        assert {key: "" if value is None else str(value) for key, value in row.items()} == written


def test_text_is_a_table():
    lines = compared(k=[2]).to_text().splitlines()
    assert lines[0].split() == [
        *("algorithm", "k", "classes", "suppressed", "loss", "precision", "seconds"),
        *("classifier", "accuracy", "+-", "balanced", "+-", "auc", "+-"),
    ]
    assert len(lines) == 8


def test_a_metric_told_by_column_has_a_column_for_each():
    rules = policy(sensitive=["job"], quasi_identifiers={"age": ic.intervals(5, 10)})
    found = compared(rules=rules, classifiers=[], metrics=["homogeneous_classes", "loss"])
    head = found.to_csv().splitlines()[0].split(",")
    assert head[4:6] == ["homogeneous_classes[job]", "loss"]
    shown = [row["homogeneous_classes[job]"] for row in found.rows()]
    assert shown == [each.metrics["homogeneous_classes"]["job"] for each in found.results]
    assert "homogeneous_classes[job]" in found.to_text()


def test_a_distribution_is_in_the_json_alone_and_a_note_says_so():
    found = compared(classifiers=[], metrics=["loss", "class_size_distribution"])
    assert "class_size_distribution" not in found.rows()[0]
    assert "class_size_distribution is told by size" in found.to_text()
    [first, *_] = json.loads(found.to_json())["results"]
    assert sum(first["metrics"]["class_size_distribution"].values()) > 0


@pytest.mark.parametrize("name", list_metrics())
def test_no_metric_is_left_out_without_a_word(name):
    """Every metric that is asked for has a figure in each row, or a note says which not and why."""
    found = compared(rules=policy(target=None, other_columns="drop"), k=[10], metrics=[name])
    text = found.to_text()
    for result, row in zip(found.results, found.rows(), strict=True):
        figures = [row[key] for key in row if key.partition("[")[0] == name]
        if not figures or None in figures:
            [note] = [line for line in text.splitlines() if line.startswith(f"note: {name} ")]
            assert "JSON" in note or f"{result.algorithm}, k = 10" in note
            assert "where it can be computed" not in note


def test_parameters_are_part_of_the_name():
    rules = policy()
    given = ["flash(suppression_limit=0.02, objective=precision)", ic.Mondrian(), "flash"]
    labels = [each.label for each in contenders(given, rules)]
    assert labels == ["flash(suppression_limit=0.02, objective=precision)", "mondrian", "flash"]


def test_the_policys_parameters_go_with_its_own_algorithm(tmp_path):
    file = tmp_path / "policy.toml"
    file.write_text(
        '[columns.age]\nrole = "quasi-identifier"\n[[requirements]]\nk_anonymity = 2\n'
        '[algorithm]\nname = "flash"\nsuppression_limit = 0.2\n'
    )
    rules = ic.load_policy(file)
    labels = [each.label for each in contenders("flash, datafly, flash(objective=ncp)", rules)]
    assert labels == [
        "flash(suppression_limit=0.2)",
        "datafly(suppression_limit=0.2)",
        "flash(suppression_limit=0.2, objective=ncp)",
    ]


def test_a_seed_goes_to_what_draws_at_random():
    of = {each.algorithm.name: each for each in contenders("k-members, flash", policy(), seed=7)}
    assert of["flash"].label == "flash"
    if "seed" in of["k-members"].parameters:
        assert of["k-members"].parameters["seed"] == 7
    [given] = contenders("tgc(seed=3)", policy(), seed=7)
    assert given.parameters["seed"] == 3


@pytest.mark.parametrize("name", sorted(list_algorithms()))
def test_every_algorithm_is_built_again_from_its_parameters(name):
    [given] = contenders(name, policy())
    described = json.loads(json.dumps(given.to_dict()))
    text = ", ".join(f"{key}={json.dumps(value)}" for key, value in described["parameters"].items()
                     if value is not None)  # fmt: skip
    [again] = contenders(f"{name}({text})", policy())
    assert again.to_dict() == given.to_dict()


def test_commas_inside_parentheses_do_not_split():
    assert split("a(b=1,c=[2,3]),, d ") == ["a(b=1,c=[2,3])", "d"]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"algorithms": []}, ParameterError, "no algorithm"),
        ({"algorithms": "nothing"}, ParameterError, "nothing"),
        ({"algorithms": "flash(x=1)"}, ParameterError, "'x'"),
        ({"algorithms": "flash(suppression_limit)"}, ParameterError, "no parameter a value"),
        ({"algorithms": "flash(suppression_limit=[)"}, ParameterError, "suppression_limit"),
        ({"algorithms": "flash)"}, ParameterError, "no algorithm"),
        ({"algorithms": [ic.Flash]}, ParameterError, "no algorithm"),
        ({"algorithms": [3]}, ParameterError, "no algorithm"),
        ({"k": [0]}, ParameterError, "each k"),
        ({"k": ["5"]}, ParameterError, "each k"),
        ({"k": [True]}, ParameterError, "each k"),
        ({"k": 2.0}, ParameterError, "each k"),
        ({"metrics": ["beauty"]}, ParameterError, "beauty"),
        ({"metrics": "loss"}, ParameterError, "list"),
        ({"classifiers": ["forest"]}, ParameterError, "forest"),
        ({"protocol": "once"}, ParameterError, "protocol"),
        ({"features": ["name"]}, ParameterError, "name"),
    ],
)
def test_wrong_use_is_refused_with_a_hint(options, error, words):
    with pytest.raises(error, match=words) as caught:
        compared(**options)
    assert caught.value.hint


def test_k_takes_the_place_of_every_k():
    rules = policy(requirements=[ic.KAnonymity(9, on=("age",))])
    assert rules.with_k(4, each=True).requirements == (
        ic.KAnonymity(4, on=("age",)),
        ic.KAnonymity(4),
    )


class Diverse(DistinctDiversity):
    @classmethod
    def from_policy(cls, value, on):
        return cls(value, on=on)


@pytest.mark.parametrize("given", [np.int64(5), np.array([5, 3]), range(3, 6, 2), {3, 5}])
def test_k_comes_in_many_kinds(given):
    assert check_ks(given)[-1] == 5
    assert all(type(k) is int for k in check_ks(given))


def test_k_needs_a_requirement_to_replace():
    columns = (Column("age", "quasi-identifier"), Column("income", "sensitive"))
    rules = Policy(columns=columns, requirements=(Diverse(2, column="income"),))
    with pytest.raises(PolicyError, match="k_anonymity"):
        rules.with_k(4, each=True)


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", '{"settings": {}}', '{"settings": {"classifiers": 3}}', "[" * 100_000],
)
def test_what_is_no_comparison_is_refused(text, tmp_path):
    with pytest.raises(InputError, match="comparison"):
        Comparison.from_json(text)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_comparison(tmp_path / "run.json")
    (tmp_path / "run.json").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="cannot be read"):
        load_comparison(tmp_path / "run.json")
