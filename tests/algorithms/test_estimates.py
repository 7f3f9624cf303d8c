"""Searches that would take long say so before they begin, and what takes less."""

import warnings
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from command_line import incrowd, make_people
from incrowd.algorithms import ALGORITHMS, Problem, base, estimated_seconds, solved
from incrowd.algorithms.base import build_algorithm
from incrowd.counts import FrequencyTable, SensitiveColumn
from incrowd.errors import LongSearchWarning
from incrowd.hierarchies import intervals
from incrowd.requirements import KAnonymity

MILLION = 1_000_000
SEARCHES = ("exact", "bucketed")
QUADRATIC = ("genetic", "k-members", "mdav", "oka")


def different(n):
    """A problem of n different records, or nearly so."""
    tree = intervals(10, 100).build([str(each) for each in range(1000)], column="x")
    codes = np.stack([np.arange(n) % 1000, np.arange(n) // 1000]).astype(np.int32)
    table = FrequencyTable(("x", "y"), codes, np.ones(n, np.int64))
    return Problem(table, (tree, tree), (KAnonymity(10, on=("x", "y")),), np.ones(2))


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_small_tables_take_no_time(name):
    estimate = estimated_seconds(build_algorithm(name, {}), different(200))
    assert estimate is None or 0 <= estimate < 5


@pytest.mark.parametrize("name", QUADRATIC)
def test_what_is_quadratic_says_so(name):
    algorithm, problem = build_algorithm(name, {}), different(MILLION)
    estimate = estimated_seconds(algorithm, problem)
    assert estimate > base.LONG
    assert estimate > 5 * estimated_seconds(algorithm, different(MILLION // 10))
    assert algorithm.quicker


def test_a_limit_of_states_or_seconds_bounds_what_is_said():
    problem = different(MILLION)
    assert estimated_seconds(build_algorithm("heuristic-min", {}), problem) > base.LONG
    for limit in ({"time_limit": 5.0}, {"max_states": 100}):
        assert estimated_seconds(build_algorithm("heuristic-min", limit), problem) < base.LONG


@pytest.mark.parametrize("name", ["k-members", "k-members-p"])
def test_buckets_take_no_time(name):
    bucketed = build_algorithm(name, {"search": "bucketed"})
    assert (estimated_seconds(bucketed, different(MILLION)) or 0) < base.LONG


@pytest.mark.parametrize("name", ["tgc", "tgc-b", "tgc-p", "tgc-u"])
def test_subspaces_that_grow_with_k_count(name):
    problem, greedy = different(100_000), build_algorithm(name, {})
    assert estimated_seconds(greedy, problem) < base.LONG
    larger = replace(problem, requirements=(KAnonymity(5_000, on=("x", "y")),))
    assert estimated_seconds(greedy, larger) > base.LONG
    assert greedy.quicker
    for less in ({"partition_size": 50}, {"partition_size": 50, "sample": "records"}):
        assert estimated_seconds(build_algorithm(name, less), larger) < base.LONG * 8
    whole = build_algorithm(name, {"partition_size": 0})
    assert estimated_seconds(whole, problem) > base.LONG


def test_combinations_of_sensitive_values_count():
    problem = different(100_000)
    secret = SensitiveColumn("s", tuple(map(str, range(1000))))
    table = replace(problem.table, carried={"s": np.arange(100_000, dtype=np.int32) % 1000})
    guarded = replace(problem, table=table, sensitive=(secret,))
    exact, bucketed = (build_algorithm("k-members-p", {"search": each}) for each in SEARCHES)
    assert estimated_seconds(exact, problem) == 0
    assert estimated_seconds(exact, guarded) == pytest.approx(1.0)
    assert estimated_seconds(bucketed, guarded) == pytest.approx(0.2)


@dataclass(frozen=True, kw_only=True)
class Slow:
    """An algorithm that would take two hours, and is never begun."""

    name: ClassVar[str] = "slow"
    family: ClassVar[str] = "choice"
    quicker: ClassVar[str] = "A coffee takes less."
    seconds: float = 7200.0

    def estimated_seconds(self, problem):
        return self.seconds

    def solve(self, problem, progress):
        raise KeyboardInterrupt


def test_it_is_said_before_the_search_begins():
    with (
        pytest.raises(KeyboardInterrupt),
        pytest.warns(LongSearchWarning, match="slow will take about 2 hours") as said,
    ):
        solved(Slow(), different(2000))
    assert "2,000 records with 2,000 distinct tuples. A coffee takes less." in str(said[0].message)


def test_short_searches_say_nothing():
    with warnings.catch_warnings(action="error"), pytest.raises(KeyboardInterrupt):
        solved(Slow(seconds=59.0), different(20))


def test_the_command_line_prints_it_as_a_note(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_people(tmp_path)
    monkeypatch.setattr(base, "LONG", 0.0)
    command = (
        "anonymize",
        "people.csv",
        "--qi",
        "age,sex,zip",
        "--k",
        "5",
        "--other-columns",
        "drop",
    )
    ran = incrowd(*command, "--algorithm", "k-members", "-o", "out.csv")
    assert ran.code == 0
    assert ran.err.startswith("note: k-members will take about 0 seconds on 200 records")
    assert "bucketed" in ran.err
