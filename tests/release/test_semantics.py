"""What a release means: suppression, missing cells, spellings, requirements, columns."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

import incrowd as ic
from incrowd.errors import HierarchyError, PolicyError, UnsatisfiableError

EVERYTHING = ic.Flash(suppression_limit=0.3)


def released(data, hierarchies, **more):
    described = {"k": 2, "algorithm": EVERYTHING, **more}
    return ic.anonymize(pl.DataFrame(data), quasi_identifiers=hierarchies, **described)


AGES = [30] * 4 + [40] * 4


def test_masked_records_keep_the_rest_of_the_record():
    data = {"age": [*AGES, 1, 99], "disease": list("abcdefghij")}
    release = released(data, {"age": ic.intervals(5)}, sensitive="disease")
    assert (release.facts["suppressed"], release.facts["dropped"]) == (2, 0)
    assert release.facts["released"] == 10
    masked = release.table.filter(pl.col("age") == "*")
    assert sorted(masked["disease"].to_list()) == ["i", "j"]
    assert release.verdict.masked == 2


def test_too_few_masked_records_are_dropped_and_said_so():
    release = released({"age": [*AGES, 1]}, {"age": ic.intervals(5)})
    assert (release.facts["suppressed"], release.facts["dropped"]) == (1, 1)
    assert (release.facts["released"], len(release.table)) == (8, 8)
    assert any("were dropped" in note for note in release.notes)
    assert "were dropped" in release.summary()
    assert release.to_json()["notes"] == list(release.notes)


@pytest.mark.parametrize(
    ("values", "algorithm", "said"),
    [
        ("aabbe", ic.Mondrian(), True),
        ("aabbe", ic.Mondrian(split="hierarchy"), True),
        ("aabbe", ic.Mondrian(split="gain"), False),
        ("abe", ic.Mondrian(), False),  # too few for two classes
        ("aaaaaa", ic.Mondrian(), False),  # nothing was lost
    ],
)
def test_a_table_that_fell_into_one_class_is_said_so(values, algorithm, said):
    data = pl.DataFrame({"letter": list(values)})
    release = ic.anonymize(
        data, quasi_identifiers={"letter": ic.suppression()}, k=2, algorithm=algorithm
    )
    assert any("one class" in note for note in release.notes) == said


@pytest.mark.parametrize("algorithm", [ic.Mondrian(), ic.TopDownGreedy()])
def test_classes_that_are_only_written_alike_name_the_labels_that_tell_them_apart(algorithm):
    """Each half of the numbers lies across the end of a node, so both are written as the root."""
    data = ic.datasets.normal(100, 1)

    def released(labels):
        return ic.anonymize(
            data, quasi_identifiers={"x1": None}, k=40, algorithm=algorithm, labels=labels
        )

    (note,) = (each for each in released("node").notes if "one class" in each)
    assert f"{algorithm.name} formed 2" in note
    assert 'labels = "grid"' in note
    assert released("grid").facts["classes"] == 2


def test_masked_records_must_meet_every_requirement():
    """Three of them are enough for 2-anonymity, and too few for 4-anonymity on sex."""
    data = {"age": [*AGES, 1, 60, 99], "sex": ["f"] * 4 + ["m"] * 4 + ["f"] * 3}
    release = ic.anonymize(
        pl.DataFrame(data),
        quasi_identifiers={"age": ic.intervals(5), "sex": ic.suppression()},
        requirements=[ic.KAnonymity(2), ic.KAnonymity(4, on=("sex",))],
        algorithm=EVERYTHING,
    )
    assert release.facts["suppressed"] == release.facts["dropped"] == 3


def test_drop_leaves_suppressed_records_out():
    release = released({"age": [*AGES, 1, 99]}, {"age": ic.intervals(5)}, suppressed="drop")
    assert (release.facts["suppressed"], release.facts["dropped"]) == (2, 2)
    assert release.table["age"].to_list().count("*") == 0
    assert release.table["age"].dtype == pl.Int64  # level 0 and no masked cell


def test_the_suppression_limit_is_a_share_of_all_records():
    data = {"age": [*AGES, 1, 99]}
    hierarchies = {"age": ic.intervals(5)}
    for limit, suppressed in ((0.2, 2), (0.19, 0), (0.0, 0)):
        release = released(data, hierarchies, algorithm=ic.Flash(suppression_limit=limit))
        assert release.facts["suppressed"] == suppressed


def test_unsatisfiable_requirements_say_what_is_reachable():
    with pytest.raises(UnsatisfiableError, match="largest k that this table can meet is 8"):
        released({"age": AGES}, {"age": ic.intervals(5)}, k=9)


def test_missing_cells_are_a_value_of_their_own():
    data = {"age": [*AGES, None, None]}
    release = released(data, {"age": ic.intervals(5)}, algorithm=ic.Flash(suppression_limit=0))
    assert Counter(release.table["age"].to_list()) == {30: 4, 40: 4, None: 2}
    lonely = released({"age": [*AGES, None]}, {"age": ic.intervals(5)})
    assert lonely.facts["suppressed"] == 1


def test_several_spellings_of_missing_become_one():
    data = {"sex": ["f", "f", "m", "m", "?", "", None]}
    release = released(data, {"sex": ic.suppression()}, missing=["", "?"])
    assert Counter(release.table["sex"].to_list()) == {"f": 2, "m": 2, None: 3}


def test_one_spelling_of_missing_stays():
    data = {"sex": ["f", "f", "m", "m", "?", "?"]}
    release = released(data, {"sex": ic.suppression()}, missing=["", "?"])
    assert Counter(release.table["sex"].to_list()) == {"f": 2, "m": 2, "?": 2}


def test_a_text_that_the_hierarchy_lists_is_not_missing(tmp_path):
    path = tmp_path / "sex.csv"
    path.write_text("f;known;*\nm;known;*\n?;unknown;*\n")
    data = {"sex": ["f", "f", "m", "?", "?", ""]}
    release = released(
        {**data, "x": ["a"] * 6},
        {"sex": str(path), "x": ic.suppression()},
        missing=["", "?"],
        algorithm=ic.Flash(suppression_limit=0.2),
    )
    assert release.facts["levels"] == {"sex": 1, "x": 0}
    assert Counter(release.table["sex"].to_list()) == {"known": 3, "unknown": 2}
    assert release.facts["dropped"] == 1  # the empty cell


@pytest.mark.parametrize("spelled", [["39", "39.0"], ["39", "+39"], ["1e1", "10"], ["0", "-0.0"]])
def test_two_spellings_of_a_number_are_released_as_one(tmp_path, spelled):
    path = tmp_path / "people.csv"
    path.write_text("age\n" + "".join(f"{text}\n" for text in [*spelled * 2, "77", "77"]))
    release = ic.anonymize(path, quasi_identifiers={"age": ic.intervals(5)}, k=2)
    assert release.facts["levels"] == {"age": 0}
    assert sorted(Counter(release.table["age"].to_pylist()).values()) == [2, 4]


def test_quotes_do_not_tell_records_apart(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text('age,sex,note\n30,f,x\n"30",f,"x"\n30,"f",x\n,m,x\n"",m,x\n')
    policy = ic.policy(
        quasi_identifiers={"age": ic.intervals(5), "sex": ic.suppression()}, insensitive="note", k=2
    )
    release = ic.anonymize_file(path, tmp_path / "out.csv", policy)
    assert release.facts["levels"] == {"age": 0, "sex": 0}
    lines = (tmp_path / "out.csv").read_text().splitlines()[1:]
    assert Counter(lines) == {"30,f,x": 2, '30,f,"x"': 1, ",m,x": 2}


def test_values_that_the_hierarchy_does_not_list(tmp_path):
    path = tmp_path / "sex.csv"
    path.write_text("f;*\nm;*\n")
    data = {"sex": ["f", "f", "m", "m", "S3CRET1", "S3CRET2"]}
    with pytest.raises(HierarchyError, match="covers 2 of 4") as caught:
        released(data, {"sex": str(path)})
    assert "S3CRET" not in str(caught.value)
    assert set(caught.value.values) == {"S3CRET1", "S3CRET2"}
    release = released(data, {"sex": str(path)}, unknown={"sex": "suppress"})
    assert Counter(release.table["sex"].to_list()) == {"f": 2, "m": 2, "*": 2}


def test_weights_steer_the_search():
    data = {"a": [1, 1, 2, 2] * 2, "b": [1, 2, 1, 2] * 2}
    hierarchies = {"a": ic.suppression(), "b": ic.suppression()}
    for precious, other in (("a", "b"), ("b", "a")):
        release = released(
            data, hierarchies, k=4, weights={precious: 5.0}, algorithm=ic.Flash(suppression_limit=0)
        )
        assert release.facts["levels"] == {precious: 0, other: 1}


def test_several_requirements_hold_at_once_and_implied_ones_are_said():
    data = {"age": [30, 31, 32, 33] * 4, "sex": list("ffmm") * 4, "zip": ["1", "2"] * 8}
    asked = [ic.KAnonymity(4), ic.KAnonymity(8, on=["sex"]), ic.KAnonymity(3, on=["age", "zip"])]
    release = ic.anonymize(
        pl.DataFrame(data),
        quasi_identifiers={
            "age": ic.intervals(2),
            "sex": ic.suppression(),
            "zip": ic.suppression(),
        },
        requirements=asked,
        algorithm=ic.Flash(suppression_limit=0),
    )
    [note] = [note for note in release.notes if "implied" in note]
    assert "3-anonymity on age, zip is implied by 4-anonymity" in note
    assert release.summary().count("anonymity") >= 4
    assert [finding.holds for finding in release.verdict.findings] == [True] * 3
    for requirement in asked:
        names = list(requirement.on or data)
        sizes = release.table.group_by(names).len()["len"]
        assert sizes.min() >= requirement.k


def test_columns_without_a_role():
    data = {"age": AGES, "shoe": list(range(8))}
    hierarchies = {"age": ic.intervals(5)}
    with pytest.raises(PolicyError, match="no role: 'shoe'"):
        released(data, hierarchies)
    assert released(data, hierarchies, other_columns="drop").table.columns == ["age"]
    kept = released(data, hierarchies, other_columns="keep").table
    assert sorted(kept["shoe"].to_list()) == list(range(8))


def test_identifiers_and_entities_are_dropped():
    data = {"id": list("abcdefgh"), "age": AGES, "patient": list(range(8))}
    release = released(data, {"age": ic.intervals(5)}, identifiers=["id"], entity="patient")
    assert release.table.columns == ["age"]


def test_the_summary_tells_before_and_after():
    release = released({"age": [*AGES, 1, 99]}, {"age": ic.intervals(5)})
    summary = release.summary()
    for words in ("10 records", "2 were unique", "age: level 0", "loss", "2-anonymity holds"):
        assert words.replace("were", "records were") in summary or words in summary, words
