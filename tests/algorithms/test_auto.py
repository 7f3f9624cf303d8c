"""Auto runs what says it serves a purpose, keeps the best of it, and says so."""

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.algorithms import ALGORITHMS, Auto, Flash, Genetic, said_by
from incrowd.algorithms.auto import judges, learned
from incrowd.algorithms.base import Problem
from incrowd.algorithms.shared.clock import TimeUp, Watched
from incrowd.counts import Target, count_tuples
from incrowd.datasets import discharges
from incrowd.errors import ParameterError, PolicyError, UnsatisfiableError
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.metrics import Outcome, measure
from incrowd.progress import QUIET
from incrowd.recoding import as_read, load_recoding, settled_labels
from incrowd.requirements import BoundRequirements, KAnonymity
from strategies import LIMITS, problems

TUTORIAL = Path(__file__).parents[2] / "docs" / "first-release.md"
PURPOSES = ("publication", "general", "queries", "classification")
rng = np.random.default_rng(5)
AGES, TOWNS = rng.integers(20, 80, 400), rng.integers(0, 6, 400)
PEOPLE = pa.table(
    {
        "age": AGES,
        "town": [f"t{at}" for at in TOWNS],
        "sex": [*"fm"] * 200,
        "income": np.where(AGES + 5 * TOWNS + rng.integers(0, 20, 400) > 70, "high", "low"),
    }
)
COLUMNS = {"age": ic.intervals(10, 20, 40), "town": ic.suppression(), "sex": ic.suppression()}


def released(**options):
    algorithm = Auto(effort="fast", **options)
    described = {"quasi_identifiers": COLUMNS, "target": "income", "k": 4, "order": "keep"}
    return ic.anonymize(PEOPLE, algorithm=algorithm, **described)


def loss_of(problem, recoding):
    found = settled_labels(
        recoding, problem.table, problem.hierarchies, problem.requirements, problem.crowd
    )
    read = as_read(found.assignment, found.hierarchies)
    outcome = Outcome(problem.table, found.hierarchies, read, problem.weights)
    return measure(outcome, ("loss",))["loss"]


@settings(max_examples=40)
@given(problem=problems(), limit=st.sampled_from(LIMITS))
def test_publication_loses_no_more_than_flash_or_cuts(problem, limit):
    try:
        chosen = Auto(suppression_limit=limit, effort="fast").solve(problem)
    except UnsatisfiableError:
        with pytest.raises(UnsatisfiableError):
            Flash(suppression_limit=limit).solve(problem)
        return
    losses = [
        loss_of(problem, each.solve(problem))
        for each in (
            Flash(suppression_limit=limit),
            Genetic(suppression_limit=limit, evaluations=1_000),
        )
    ]
    assert loss_of(problem, chosen) == pytest.approx(min(losses), abs=1e-9)
    assert chosen.kind == "global"


@pytest.mark.parametrize("purpose", PURPOSES)
def test_the_best_of_its_candidates_is_chosen_and_the_same_one_twice(purpose):
    release = released(purpose=purpose)
    choice = release.facts["choice"]
    serving = {name for name, cls in ALGORITHMS.items() if purpose in said_by(cls, "purposes")}
    assert {each["algorithm"] for each in choice["candidates"]} == serving
    by = choice["judged_by"]
    figures = {each["algorithm"]: each[by] for each in choice["candidates"] if by in each}
    best = (max if by == "accuracy" else min)(figures.values())
    assert figures[release.facts["algorithm"]] == best
    again = released(purpose=purpose)
    assert again.facts["choice"] == choice
    assert again.recoding.to_text() == release.recoding.to_text()


def officers_policy(folder, purpose):
    """The policy of the tutorial; where something is to be learned, the ward is."""
    [policy] = re.findall(r"```toml\n(.*?)```", TUTORIAL.read_text("utf-8"), re.DOTALL)
    path = folder / "policy.toml"
    path.write_text(policy, "utf-8")
    policy = ic.load_policy(path)
    if purpose != "classification":
        return policy
    columns = [replace(each, role="target") if each.name == "ward" else each
               for each in policy.columns]  # fmt: skip
    return replace(policy, columns=tuple(columns))


@pytest.mark.parametrize("purpose", PURPOSES)
def test_the_officers_file_has_the_best_of_its_candidates_for_each_purpose(purpose, tmp_path):
    table, policy = discharges(1_500).table, officers_policy(tmp_path, purpose)
    search = Auto(effort="fast", purpose=purpose, suppression_limit=0.05)
    first, second = (ic.anonymize(table, policy, algorithm=search) for _ in range(2))
    choice = first.facts["choice"]
    by = choice["judged_by"]
    figures = {each["algorithm"]: each[by] for each in choice["candidates"] if by in each}
    best = (max if by == "accuracy" else min)(figures.values())
    assert figures[first.facts["algorithm"]] == best
    assert len(figures) > 1
    assert second.facts["choice"] == choice


@pytest.mark.parametrize("purpose", ["publication", "general"])
def test_a_figure_is_that_of_the_release(purpose):
    release = released(purpose=purpose)
    [own] = [
        each
        for each in release.facts["choice"]["candidates"]
        if each["algorithm"] == release.facts["algorithm"]
    ]
    assert own["loss"] == release.metrics["loss"]
    assert own["suppressed"] == release.facts["suppressed"]


def test_what_was_tried_is_told_everywhere_and_names_no_value(tmp_path):
    release = released()
    said = "\n".join(release.notes)
    assert 'purpose = "publication" keeps one domain per column' in said
    assert 'purpose = "general" would keep the least loss' in said
    assert said in release.summary().replace("\n  ", "\n")
    written = json.dumps(release.to_json()["choice"])
    assert not any(f'"t{at}"' in written for at in range(6))
    release.recoding.save(tmp_path / "recoding.json")
    assert load_recoding(tmp_path / "recoding.json").found.choice == release.facts["choice"]


def test_other_purposes_are_told_with_their_own_figure():
    choice = released(purpose="publication").facts["choice"]
    others = {each["purpose"]: each for each in choice["other_purposes"]}
    assert set(others) == {"general", "queries"}
    assert others["general"]["loss"] <= others["general"]["chosen"]


def test_queries_keep_a_general_release_only_where_it_answers_best():
    choice = released(purpose="queries").facts["choice"]
    [general] = [each for each in choice["other_purposes"] if each["purpose"] == "general"]
    assert choice["judged_by"] == "query_error"
    losses = {each["algorithm"]: each["loss"] for each in choice["candidates"]}
    assert general["loss"] == min(losses.values())


def test_classification_needs_a_target():
    with pytest.raises(PolicyError, match="names no target") as caught:
        ic.anonymize(
            PEOPLE.drop_columns("income"),
            quasi_identifiers=COLUMNS,
            k=4,
            algorithm=Auto(purpose="classification"),
        )
    assert "--target" in caught.value.hint


def test_without_scikit_learn_entropy_decides(monkeypatch):
    monkeypatch.setattr(judges, "find_spec", lambda name: None)
    choice = released(purpose="classification").facts["choice"]
    assert choice["judged_by"] == "conditional_entropy"
    assert "pip install 'incrowd[ml]'" in choice["how"]
    figures = {each["algorithm"]: each["conditional_entropy"] for each in choice["candidates"]}
    assert figures[choice["chosen"]] == min(figures.values())


def test_entropy_is_that_of_the_target_within_the_classes(monkeypatch):
    monkeypatch.setattr(judges, "find_spec", lambda name: None)
    release = released(purpose="classification")
    [own] = [
        each
        for each in release.facts["choice"]["candidates"]
        if each["algorithm"] == release.facts["algorithm"]
    ]
    frame = release.table.to_pandas()
    within = 0.0
    for _, rows in frame.groupby(["age", "town", "sex"]):
        shares = rows["income"].value_counts(normalize=True)
        within -= len(rows) / len(frame) * float((shares * np.log2(shares)).sum())
    assert own["conditional_entropy"] == pytest.approx(within)


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ({"purpose": "generl"}, "general"),
        ({"effort": "bset"}, "best"),
        ({"suppression_limit": 2}, None),
        ({"time_limit": 0}, None),
        ({"seed": -1}, None),
    ],
)
def test_what_makes_no_sense_is_refused_when_it_is_built(wrong, meant):
    with pytest.raises(ParameterError) as caught:
        Auto(**wrong)
    assert meant is None or f"did you mean {meant!r}" in caught.value.hint


def problem_of(rows, k=2, target=None):
    tree = hierarchy_from_rows([["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]])
    codes = np.array([[*"abc"].index(cell) for cell in rows], np.int32)[None]
    carried = {} if target is None else {"y": np.array(target, np.int32)}
    values = {} if target is None else {"y": tuple("01")}
    table, _ = count_tuples(("x",), codes, [4], carried=carried, carried_values=values)
    return Problem(
        table,
        (tree,),
        BoundRequirements((KAnonymity(k),)),
        np.ones(1),
        target=None if target is None else Target("y", ("0", "1")),
    )


def test_what_no_candidate_can_meet_is_unsatisfiable():
    with pytest.raises(UnsatisfiableError, match="cannot be reached"):
        Auto().solve(problem_of("abc", k=4))


def test_a_candidate_beyond_the_limit_is_left_out_with_its_reason():
    problem = problem_of("aabbc")
    choice = Auto(suppression_limit=0.0).solve(problem).found.choice
    assert all(each["suppressed"] == 0 for each in choice["candidates"])
    greedy = Auto(suppression_limit=0.2).solve(problem).found.choice
    assert max(each["suppressed"] for each in greedy["candidates"]) == 1


def test_every_record_is_tested_once_and_each_class_dealt_evenly():
    problem = problem_of("aaaabbbccabcabc", target=[0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0])
    table, classes = problem.table, problem.table.carried["y"]
    tested = 0
    for train, test in learned._splits(table, classes, 3, seed=1):
        assert train.n_records + test.n_records == table.n_records
        tested += test.n_records
        for value in (0, 1):
            held = test.records[test.carried["y"] == value].sum()
            assert abs(held - table.records[classes == value].sum() / 3) < 1
    assert tested == table.n_records


def test_a_table_too_small_for_folds_still_has_a_release():
    problem = problem_of("aabb", k=3, target=[0, 1, 0, 1])
    found = Auto(purpose="classification").solve(problem).found
    assert found.choice["chosen"] == "flash"
    assert all("accuracy" not in each for each in found.choice["candidates"])


def test_the_clock_ends_a_search_and_the_release_says_so():
    release = released(purpose="general", time_limit=1e-6)
    assert release.facts["ended_by_time_limit"] is True
    assert release.facts["algorithm"] == "flash"
    assert any(note.startswith("the time limit ended the search") for note in release.notes)
    assert len(release.facts["choice"]["candidates"]) == 1
    assert "ended_by_time_limit" not in released(time_limit=600.0).facts


def test_no_clock_decides_without_a_limit():
    for each in released(purpose="general").facts["choice"]["candidates"]:
        if "time_limit" in each["parameters"]:
            assert each["parameters"]["time_limit"] is None
    assert released().facts.get("ended_by_time_limit") is None


def test_a_watched_search_stops_when_its_time_is_up():
    Watched(QUIET, float("inf")).update(1)
    with pytest.raises(TimeUp):
        Watched(QUIET, 0.0).update(1)


@dataclass(frozen=True, kw_only=True)
class Coarse:
    """A plug-in that serves a purpose."""

    name: ClassVar[str] = "coarse"
    family: ClassVar[str] = "full domain"
    purposes: ClassVar[tuple[str, ...]] = ("publication",)

    def solve(self, problem, progress=QUIET):
        found = Flash().solve(problem, progress)
        return replace(found, found=replace(found.found, algorithm="coarse"))


def test_a_plug_in_that_serves_a_purpose_is_a_candidate(monkeypatch):
    monkeypatch.setitem(ALGORITHMS._entries, "coarse", Coarse)
    choice = Auto().solve(problem_of("aabbc")).found.choice
    assert "coarse" in {each["algorithm"] for each in choice["candidates"]}
