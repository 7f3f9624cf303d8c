"""The public names of the package, and how wrong calls are answered."""

from __future__ import annotations

import json
import subprocess
import sys

import polars as pl
import pytest

import incrowd as ic
from command_line import environment, make_people
from incrowd.errors import IncrowdError, ParameterError, PolicyError

DATA = pl.DataFrame({"age": [30, 30, 40, 40], "sex": ["f", "f", "m", "m"]})


def test_importing_loads_next_to_nothing():
    heavy = ("numpy", "pandas", "polars", "pyarrow", "narwhals", "rich", "typer", "pyspark")
    code = (
        "import sys, incrowd; dir(incrowd); "
        f"print([name for name in {(*heavy, 'incrowd.kernels')!r} if name in sys.modules])"
    )
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_every_public_name_is_there():
    for name in ic.__all__:
        assert getattr(ic, name) is not None
    assert set(ic.__all__) <= set(dir(ic))
    with pytest.raises(AttributeError, match="no attribute 'anonymise'"):
        ic.anonymise  # noqa: B018


def test_registries_can_be_called_after_their_packages_were_imported():
    import incrowd.algorithms
    import incrowd.metrics
    import incrowd.requirements
    import incrowd.verify  # noqa: F401

    assert {"flash", "ola", "auto"} <= set(ic.algorithms())
    assert "loss" in ic.metrics()
    assert "k_anonymity" in ic.requirements()
    policy = ic.policy(quasi_identifiers=["age", "sex"], k=2)
    assert ic.verify(DATA, policy).passed
    assert not ic.verify(DATA, ic.policy(quasi_identifiers=["age", "sex"], k=3)).passed


def test_a_policy_file_a_policy_and_keywords_do_the_same(tmp_path):
    (tmp_path / "policy.toml").write_text(
        '[columns.age]\nrole = "quasi-identifier"\nhierarchy = { intervals = [20] }\n'
        '[columns.sex]\nrole = "quasi-identifier"\n[[requirements]]\nk_anonymity = 3\n'
    )
    described = {"quasi_identifiers": {"age": ic.intervals(20), "sex": None}, "k": 3}
    releases = [
        ic.anonymize(DATA, tmp_path / "policy.toml"),
        ic.anonymize(DATA, str(tmp_path / "policy.toml")),
        ic.anonymize(DATA, ic.load_policy(tmp_path / "policy.toml")),
        ic.anonymize(DATA, ic.policy(**described)),
        ic.anonymize(DATA, **described),
    ]
    assert len({json.dumps(each.facts) for each in releases}) == 1


@pytest.mark.parametrize("algorithm", [None, "flash", "ola", ic.Flash(objective="precision")])
def test_an_algorithm_by_name_or_as_an_object(algorithm):
    release = ic.anonymize(DATA, quasi_identifiers=["age", "sex"], k=2, algorithm=algorithm)
    assert release.facts["algorithm"] in ("flash", "ola")
    assert release.facts["optimal"] in (True, False)


def test_a_release_tells_about_itself(tmp_path):
    release = ic.anonymize(DATA, quasi_identifiers=["age", "sex"], k=4)
    assert release.metric("loss") == release.metrics["loss"]
    assert json.loads(json.dumps(release.to_json())) == release.to_json()
    assert "4-anonymity holds" in release.summary()
    release.recoding.save(tmp_path / "recoding.json")
    assert ic.load_recoding(tmp_path / "recoding.json").columns == ("age", "sex")
    with pytest.raises(ParameterError, match="no metric called 'los'"):
        release.metric("los")


def test_a_file_goes_in_by_its_path(tmp_path):
    make_people(tmp_path)
    release = ic.anonymize(tmp_path / "people.csv", tmp_path / "policy.toml")
    assert release.table.column_names == ["age", "sex", "zip", "disease"]


@pytest.mark.parametrize(
    ("keywords", "error", "words"),
    [
        ({}, PolicyError, "no column is a quasi-identifier"),
        ({"quasi_identifiers": ["age", "sex"]}, PolicyError, "no requirement"),
        ({"quasi_identifiers": ["age"], "k": 2}, PolicyError, "no role: 'sex'"),
        ({"quasi_identifiers": ["agee"], "k": 2}, PolicyError, "no column 'agee'"),
        ({"quasi_identifiers": ["age"], "sensitive": "age", "k": 2}, PolicyError, "twice"),
        ({"quasi_identifiers": ["age", "sex"], "k": 0}, ParameterError, "1 or more"),
        ({"quasi_identifiers": ["age", "sex"], "k": 2.5}, ParameterError, "whole number"),
        ({"quasi_identifiers": ["age", "sex"], "k": "five"}, ParameterError, "whole number"),
        ({"quasi_identifiers": ["age", "sex"], "k": True}, ParameterError, "whole number"),
        ({"quasi_identifiers": 5, "k": 2}, IncrowdError, "quasi_identifiers"),
        ({"quasi_identifiers": [5], "k": 2}, PolicyError, "name"),
        ({"quasi_identifiers": {"age": 5, "sex": None}, "k": 2}, PolicyError, "hierarchy"),
        ({"quasi_identifiers": {"age": ["x"], "sex": None}, "k": 2}, PolicyError, "hierarchy"),
        ({"quasi_identifiers": {"age": "no.csv", "sex": None}, "k": 2}, IncrowdError, "no.csv"),
        ({"quasi_identifiers": ["age", "sex"], "requirements": 5}, PolicyError, "requirements"),
        ({"quasi_identifiers": ["age", "sex"], "requirements": [5]}, PolicyError, "requirements"),
        ({"quasi_identifiers": ["age", "sex"], "k": 2, "sensitive": 5}, PolicyError, "sensitive"),
        ({"quasi_identifiers": ["age", "sex"], "k": 2, "weights": 5}, IncrowdError, "weight"),
        (
            {"quasi_identifiers": ["age", "sex"], "k": 2, "weights": {"x": 1}},
            ParameterError,
            "'x'",
        ),
        (
            {"quasi_identifiers": ["age", "sex"], "k": 2, "weights": {"age": -1}},
            PolicyError,
            "weight",
        ),
        ({"quasi_identifiers": ["age", "sex"], "k": 2, "missing": 5}, PolicyError, "missing"),
        ({"quasi_identifiers": ["age", "sex"], "k": 2, "missing": "?"}, PolicyError, "missing"),
        ({"quasi_identifiers": ["age", "sex"], "k": 2, "order": "up"}, PolicyError, "order"),
        ({"quasi_identifiers": ["age", "sex"], "k": 2, "algorithm": "x"}, ParameterError, "'x'"),
        (
            {"quasi_identifiers": ["age", "sex"], "k": 2, "algorithm": 5},
            ParameterError,
            "algorithm",
        ),
        (
            {"quasi_identifiers": ["age", "sex"], "k": 2, "algorithm": ic.Flash},
            ParameterError,
            "algorithm",
        ),
    ],
)
def test_wrong_keywords_are_told(keywords, error, words):
    with pytest.raises(error, match=words):
        ic.anonymize(DATA, **keywords)


def test_a_policy_and_keywords_together_are_refused():
    policy = ic.policy(quasi_identifiers=["age", "sex"], k=2)
    with pytest.raises(ParameterError, match="beside it k"):
        ic.anonymize(DATA, policy, k=3)


def test_an_unknown_keyword_is_a_type_error():
    with pytest.raises(TypeError, match="quasi_identifier"):
        ic.anonymize(DATA, quasi_identifier=["age"], k=3)


@pytest.mark.parametrize("policy", [5, {"columns": {}}, object(), ic.Policy])
def test_something_else_than_a_policy_is_refused(policy):
    with pytest.raises(IncrowdError, match="policy"):
        ic.anonymize(DATA, policy)
    with pytest.raises(IncrowdError, match="policy"):
        ic.verify(DATA, policy)
