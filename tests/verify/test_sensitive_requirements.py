"""Released tables against requirements on sensitive values: known columns, missing cells, words."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from incrowd.errors import InputError, ParameterError, PolicyError, VerificationError
from incrowd.hierarchies import auto, from_file, groups, intervals
from incrowd.requirements import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    KAnonymity,
    LDiversity,
    PSensitive,
    RangeDisclosure,
    TCloseness,
)
from incrowd.schema import Column, InputOptions
from incrowd.verify import FORMULAS, Judgement, verify
from verify.classes_of_values import policy_of, released

EVERYONE = [
    LDiversity(2, "s"),
    LDiversity(1.5, "s", "entropy"),
    LDiversity(2, "s", "recursive", c=2),
    PSensitive(2, 2, "s"),
    AlphaK(0.5, 2, "s"),
    TCloseness(0.2, "s"),
    DeltaDisclosure(2, "s"),
    BetaLikeness(0.9, "s"),
    BetaLikeness(2, "s", "enhanced"),
    RangeDisclosure(0.9, 0.5, "s"),
]
GROUPS = groups({"Respiratory": ["flu", "cold"], "Virus": {"Retro": ["HIV"]}})


def finding_of(table, requirement, **options):
    [finding] = verify(table, policy_of(requirement, **options)).findings
    return finding


@pytest.mark.parametrize("requirement", EVERYONE, ids=lambda each: each.name)
def test_classes_alike_hold_and_classes_of_one_value_do_not(requirement):
    alike = released([["flu", "cold"], ["cold", "flu"]])
    assert finding_of(alike, requirement).holds
    finding = finding_of(released([["flu", "flu", "flu"], ["cold", "HIV", "ulcer"]]), requirement)
    assert not finding.holds
    assert finding.measure in ("l", "c", "p", "alpha", "t", "delta", "beta", "s")
    assert finding.worst_class == 3


@pytest.mark.parametrize("requirement", EVERYONE, ids=lambda each: each.name)
def test_masked_records_are_a_class_like_any_other(requirement):
    table = pa.table({"q": ["a", "a", "*", "*", "*"], "s": ["flu", "cold", "flu", "flu", "flu"]})
    verdict = verify(table, policy_of(requirement))
    assert (verdict.masked, verdict.findings[0].classes) == (3, 2)
    assert not verdict.passed


@pytest.mark.parametrize("requirement", EVERYONE, ids=lambda each: each.name)
def test_known_columns_tell_records_apart(requirement):
    table = released([["flu", "cold", "flu", "cold"]], job=pa.array(["x", "y", "x", "y"]))
    columns = [Column("job", "insensitive")]
    assert finding_of(table, requirement, columns=columns).holds
    finding = finding_of(table, replace(requirement, known=("job",)), columns=columns)
    assert (finding.holds, finding.classes, finding.columns) == (False, 2, ("q", "job"))
    assert finding.parameters["known"] == ["job"]


def test_masked_records_are_told_apart_by_what_is_known():
    table = pa.table({"q": ["*"] * 4, "s": list("abab"), "job": ["x", "x", "y", "y"]})
    columns = [Column("job", "insensitive")]
    known = LDiversity(2, "s", known=("job",))
    assert finding_of(table, known, columns=columns).holds
    table = table.set_column(2, "job", pa.array(["x", "y", "x", "y"]))
    assert not finding_of(table, known, columns=columns).holds
    assert not finding_of(table, replace(known, on=("q",)), columns=columns).holds


@pytest.mark.parametrize("missing", [None, "", "?"])
def test_missing_cells_are_those_of_the_policy(missing):
    table = released([["flu", missing], ["cold", missing], ["flu", "cold"]])
    options = {"input": InputOptions(missing=("", "?"))}
    assert finding_of(table, LDiversity(2, "s"), **options).holds
    finding = finding_of(table, LDiversity(2, "s", missing="nothing"), **options)
    assert (finding.violating_classes, finding.reached, finding.worst_class) == (2, 1, 2)
    three = released([["flu", "cold", missing]])
    assert finding_of(three, PSensitive(2, 3, "s", missing="nothing"), **options).holds
    assert not finding_of(three, PSensitive(2, 4, "s", missing="nothing"), **options).holds


def test_all_missing_is_no_value():
    table = released([[None, None], ["flu", "cold"]])
    for variant in ("distinct", "entropy", "recursive"):
        asked = LDiversity(
            2, "s", variant, c=2 if variant == "recursive" else None, missing="nothing"
        )
        assert finding_of(table, asked).violating_classes == 1


def test_two_kinds_of_missing_cells_are_one_value():
    table = released([[None, ""], ["flu", "cold"]])
    assert finding_of(table, LDiversity(2, "s")).violating_classes == 1


def test_the_reference_is_the_whole_table():
    table = pa.table({"q": ["a", "a", "*", "*"], "s": ["flu", "flu", "cold", "cold"]})
    finding = finding_of(table, TCloseness(0.5, "s"))
    assert (finding.holds, finding.reached) == (True, 0.5)
    assert finding_of(table.slice(0, 2), TCloseness(0, "s")).reached == 0


@pytest.mark.parametrize("requirement", EVERYONE, ids=lambda each: each.name)
def test_a_count_column_makes_rows_stand_for_records(requirement):
    columns = [Column("n", "count")]
    one_each = released([["flu", "cold", "HIV", "flu"], ["flu", "cold", "HIV", "flu"]])
    counted = released([["flu", "cold", "HIV"]] * 2, n=pa.array([2, 1, 1] * 2))
    rows = finding_of(one_each, requirement)
    records = finding_of(counted, requirement, columns=columns)
    assert (records.holds, records.reached) == (rows.holds, rows.reached)
    large = released([["flu", "cold", "HIV"]] * 2, n=pa.array([2**60, 2**59, 2**59] * 2))
    found = finding_of(large, requirement, columns=columns)
    assert (found.holds, found.reached) == (rows.holds, pytest.approx(rows.reached))


# Hierarchies


def test_the_hierarchical_distance_reads_the_tree_of_the_policy(tmp_path):
    path = tmp_path / "tree.csv"
    path.write_text("flu;lung;*\ncold;lung;*\nulcer;ulcer;*\n", encoding="utf-8")
    table = released([["flu", "ulcer"], ["cold", "ulcer"]])
    requirement = TCloseness(0.125, "s", "hierarchical")  # half of the flu moves half of the way
    finding = finding_of(table, requirement, hierarchy=from_file(path))
    assert (finding.holds, finding.reached) == (True, 0.125)
    assert not finding_of(table, replace(requirement, t=0.1249), hierarchy=from_file(path)).holds
    assert finding_of(table, TCloseness(0.25, "s")).reached == 0.25


def test_a_missing_cell_has_no_place_in_a_tree():
    table = released([["flu", None], ["cold", "cold"]])
    with pytest.raises(VerificationError, match="cells of it are missing"):
        finding_of(table, TCloseness(1, "s", "hierarchical"), hierarchy=GROUPS)
    asked = RangeDisclosure(1, 1, "s")  # flu and nothing share the root of three: 1 - 2/3
    assert finding_of(table.slice(0, 2), asked, hierarchy=GROUPS).reached == pytest.approx(2 / 3)


@pytest.mark.parametrize("hierarchy", [None, "file"])
def test_values_without_a_place_in_the_tree_are_refused(hierarchy, tmp_path):
    path = tmp_path / "tree.csv"
    path.write_text("flu;*\ncold;*\n", encoding="utf-8")
    table = released([["flu", "secret"], ["cold", "secret"]])
    tree = None if hierarchy is None else from_file(path)
    with pytest.raises(VerificationError, match="gives the column no hierarchy") as caught:
        finding_of(table, TCloseness(1, "s", "hierarchical"), hierarchy=tree)
    assert "secret" not in str(caught.value)
    assert finding_of(table, RangeDisclosure(1, 1, "s"), hierarchy=tree).holds


def test_a_hierarchy_file_that_is_gone_is_refused_where_it_is_needed(tmp_path):
    gone = from_file(tmp_path / "gone.csv")
    table = released([["flu", "cold"]])
    assert finding_of(table, LDiversity(2, "s"), hierarchy=gone).holds
    with pytest.raises(VerificationError, match="'s' cannot be used for a recount"):
        finding_of(table, RangeDisclosure(1, 1, "s"), hierarchy=gone)


def test_what_a_builder_has_made_is_said():
    table = released([["17", "20"], ["24", "31"]])
    asked = policy_of(RangeDisclosure(1, 1, "s"), LDiversity(2, "s"), hierarchy=intervals(5, 10))
    [said] = verify(table, asked).not_checked
    assert said.startswith("the hierarchy of column 's'")
    for hierarchy in (None, GROUPS):
        read_here = policy_of(RangeDisclosure(1, 1, "s"), hierarchy=hierarchy)
        assert verify(table, read_here).not_checked == ()
    assert verify(table, policy_of(LDiversity(2, "s"), hierarchy=auto())).not_checked == ()


@pytest.mark.parametrize("cells", [["1", None], ["1", "one"], ["1", ""]])
def test_cells_without_a_place_in_an_order_are_refused(cells):
    with pytest.raises(VerificationError, match="have no place in an order"):
        finding_of(released([cells]), TCloseness(0.5, "s", "ordered"))


# What is refused


def test_a_column_that_a_requirement_is_about_must_be_released():
    table = released([["flu", "cold"]])
    columns = [Column("job", "insensitive"), Column("other", "sensitive")]
    for requirement in (LDiversity(2, "s", known=("job",)), LDiversity(2, "other")):
        with pytest.raises(VerificationError, match="which is not in the released table") as caught:
            finding_of(table, requirement, columns=columns)
        assert caught.value.verdict["passed"] is False


def test_a_table_of_another_policy_is_called_so():
    with pytest.raises(PolicyError, match="none of the policy's columns"):
        finding_of(pa.table({"x": ["a"]}), LDiversity(2, "s"))


def test_known_cells_that_only_read_alike_are_refused():
    job = pa.array([0.0, -0.0])
    table = released([["flu", "cold"]], job=job)
    with pytest.raises(InputError, match="'job' of the released table holds cells that read alike"):
        finding_of(
            table, LDiversity(2, "s", known=("job",)), columns=[Column("job", "insensitive")]
        )


@pytest.mark.parametrize(
    "said",
    [
        Judgement(np.zeros(1, dtype=bool)),
        Judgement(np.zeros(2)),
        Judgement(np.zeros(2, dtype=bool), np.zeros(1)),
        Judgement(np.zeros(2, dtype=bool), np.array([0.5, math.nan])),
        Judgement(np.zeros(2, dtype=bool), np.array(["a", "b"])),
        Judgement(np.zeros(2, dtype=bool), [1, 2]),
    ],
)
def test_a_judgement_that_is_none_is_refused(said, monkeypatch):
    monkeypatch.setitem(FORMULAS, "l_diversity", lambda parameters, classes: said)
    with pytest.raises(VerificationError, match="does not say which classes break it"):
        finding_of(released([["flu"], ["cold"]]), LDiversity(2, "s"))


# Any m columns


def test_every_choice_of_so_many_columns_is_counted():
    table = pa.table({"a": list("xxyy"), "b": list("xyxy"), "c": list("xxxy")})
    columns = [Column(name, "quasi-identifier") for name in "abc"]
    asked = replace(policy_of(KAnonymity(1)), columns=tuple(columns))
    found = verify(table, replace(asked, requirements=(KAnonymity(2, any=1),)))
    [finding] = found.findings
    assert (finding.classes, finding.smallest_class) == (6, 1)  # by a, by b and by c
    assert (finding.violating_classes, finding.violating_records) == (1, 1)
    assert (finding.reached, finding.worst_class, finding.columns) == (1, 1, ("a", "b", "c"))
    one_less = replace(asked, requirements=(KAnonymity(2, on=("a", "b"), any=1),))
    assert verify(table, one_less).passed
    two = verify(table, replace(asked, requirements=(KAnonymity(1, any=2), KAnonymity(1, any=9))))
    assert [each.classes for each in two.findings] == [4 + 3 + 3, 4]


def test_many_choices_are_counted_a_few_at_a_time():
    names = [f"q{at}" for at in range(12)]
    table = pa.table(
        {name: [str(row >> at & 1) for row in range(40)] for at, name in enumerate(names)}
    )
    columns = [Column(name, "quasi-identifier") for name in names]
    asked = replace(policy_of(KAnonymity(1)), columns=tuple(columns))
    rows = list(zip(*table.to_pydict().values(), strict=True))
    for size in (1, 2, 11):
        choices = list(combinations(range(12), size))
        counted = [Counter(tuple(row[at] for at in each) for row in rows) for each in choices]
        [finding] = verify(table, replace(asked, requirements=(KAnonymity(3, any=size),))).findings
        assert finding.classes == sum(map(len, counted))
        assert finding.smallest_class == min(min(each.values()) for each in counted)
        small = [n for each in counted for n in each.values() if n < 3]
        assert (finding.violating_classes, finding.violating_records) == (len(small), sum(small))


def test_a_promise_about_no_column_is_refused():
    nowhere = LDiversity(2, "s")
    object.__setattr__(nowhere, "on", ())
    # by the policy itself, or by the recount
    with pytest.raises((ParameterError, VerificationError), match=r"no column|empty list"):
        finding_of(released([["flu", "cold"]]), nowhere)


# What is said


def test_the_verdict_in_words():
    table = released([["flu", "flu", "cold"], ["flu", "HIV"]])
    asked = KAnonymity(2), TCloseness(0.4, "s"), DeltaDisclosure(1, "s")
    assert str(verify(table, policy_of(*asked))) == (
        "failed: 5 records, 0 masked\n"
        "2-anonymity holds: the smallest of 2 classes has 2 records\n"
        f"{asked[1].describe()} holds: t = 0.3 is reached in a class of 2 records; "
        "the smallest of 2 classes has 2 records\n"
        f"{asked[2].describe()} is broken by 2 classes with 5 records: delta = infinite is reached "
        "in a class of 2 records; the smallest of 2 classes has 2 records"
    )


def test_the_verdict_as_plain_data():
    table = released([["flu", "flu", "cold"], ["flu", "HIV"]])
    asked = policy_of(TCloseness(0.4, "s"), DeltaDisclosure(1, "s"), LDiversity(2, "s"))
    found = json.loads(json.dumps(verify(table, asked).to_json(), allow_nan=False))
    said = [(one["measure"], one["reached"], one["worst_class"]) for one in found["requirements"]]
    assert said == [("t", 0.3, 2), ("delta", "infinite", 2), ("l", 2, 2)]
    assert found["requirements"][0]["parameters"] == {
        "t": 0.4,
        "column": "s",
        "distance": "equal",
        "known": [],
    }


@pytest.mark.parametrize("requirement", EVERYONE, ids=lambda each: each.name)
def test_no_cell_value_in_any_word(requirement):
    secret = "Xanthippe"
    table = released([[secret, secret], [secret, None]])
    asked = policy_of(requirement, AlphaK(0.1, 1, "s", values=(secret, "s")))
    verdict = verify(table, asked)
    with pytest.raises(VerificationError) as caught:
        verdict.raise_if_failed()
    said = [str(verdict), repr(verdict), json.dumps(verdict.to_json()), repr(caught.value)]
    assert not any(secret in text for text in said)
    assert verdict.findings[1].parameters["values"] == "2 values"


def test_what_formulas_see_prints_no_cell(monkeypatch):
    seen = []
    monkeypatch.setitem(
        FORMULAS,
        "l_diversity",
        lambda parameters, classes: seen.append(classes) or classes.sizes < 0,
    )
    finding_of(released([["secret"]]), LDiversity(2, "s"))
    assert "secret" not in repr(seen[0])
    assert seen[0].carried["s"].texts == ("secret",)
