"""A clock that ends a search: the best so far, verified, and the result says so."""

import numpy as np
import pyarrow as pa
import pytest

import incrowd as ic
from command_line import incrowd, make_people
from incrowd.algorithms import ALGORITHMS, build_algorithm, parameters_of
from incrowd.errors import ParameterError

LIMITED = sorted(name for name, cls in ALGORITHMS.items() if "time_limit" in parameters_of(cls))
random = np.random.default_rng(3)
PEOPLE = pa.table({f"q{j}": random.integers(0, 40, 3_000) for j in range(8)})
COLUMNS = {name: ic.intervals(5, 10, 20) for name in PEOPLE.column_names}


def released(name, **parameters):
    algorithm = build_algorithm(name, parameters)
    return ic.anonymize(PEOPLE, quasi_identifiers=COLUMNS, k=3, algorithm=algorithm)


@pytest.mark.parametrize("name", LIMITED)
def test_the_best_so_far_is_released_and_says_that_the_clock_ended_it(name):
    release = released(name, time_limit=1e-6)
    assert release.verdict.passed
    assert release.facts["ended_by_time_limit"] is True
    assert release.to_json()["ended_by_time_limit"] is True
    assert any(note.startswith("the time limit ended the search") for note in release.notes)


def test_more_time_is_no_worse():
    losses = [released("local-search", time_limit=each).metrics["loss"] for each in (1e-6, 600.0)]
    assert losses[1] < losses[0]
    assert released("local-search").metrics["loss"] == losses[1]


def test_a_search_that_ended_by_itself_says_nothing_of_a_clock():
    release = released("local-search", effort="fast", time_limit=600.0)
    assert "ended_by_time_limit" not in release.facts


@pytest.mark.parametrize("name", LIMITED)
@pytest.mark.parametrize("limit", [0, -1, "soon", True, float("nan")])
def test_a_limit_that_is_no_time_is_refused(name, limit):
    with pytest.raises(ParameterError, match="time_limit must be a number greater than 0"):
        build_algorithm(name, {"time_limit": limit})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--time-limit", "0"), "time_limit must be a number greater than 0"),
        (("-a", "mondrian", "--time-limit", "5"), "'mondrian' has no time_limit"),
    ],
)
def test_the_command_line_refuses_it(tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    make_people(tmp_path)
    ran = incrowd("anonymize", "people.csv", "-p", "policy.toml", "-o", "out.csv", *words)
    assert ran.code == 2
    assert said in ran.err
    assert "Hint: " in ran.err
    assert not (tmp_path / "out.csv").exists()
