"""Labels of a release: what moves, what stays, and what the owner is told."""

import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.algorithms import ALGORITHMS
from incrowd.schema import Column

AGES = [20] * 10 + [30] * 10 + [97, 99]


def ages(values=AGES, **more):
    described = {"quasi_identifiers": {"age": ic.ordered(2)}, "k": 15}
    described["algorithm"] = ic.Flash(suppression_limit=0.2)
    return ic.anonymize(pa.table({"age": values}), **{**described, **more})


def test_a_bound_does_not_name_a_suppressed_value():
    release = ages()
    assert release.facts["suppressed"] == 2
    assert set(release.table["age"].to_pylist()) == {"*"}  # nothing that is released lies beyond


@pytest.mark.parametrize("suppressed", [24, 33, 48, 60, 83])
def test_a_bound_follows_from_what_is_released(suppressed):
    people = pa.table(
        {
            "age": [20, 21] * 5 + [suppressed] + [97, 99] * 5 + [101] * 5,
            "sex": ["f"] * 10 + ["x"] + ["f"] * 15,
        }
    )
    release = ic.anonymize(
        people, quasi_identifiers={"age": ic.ordered(3), "sex": ic.suppression()}, k=10,
        algorithm=ic.Flash(suppression_limit=0.2), suppressed="drop",
    )  # fmt: skip
    assert release.facts["suppressed"] == 1
    assert set(release.table["age"].to_pylist()) == {"< 50", ">= 50"}
    assert release.recoding.hierarchies[0].levels[1].labels == ("< 50", ">= 50")
    # the leaf of the suppressed record lies where the label is true of it
    again = ic.apply_recoding(
        release.recoding, pa.table({"age": [suppressed] * 10, "sex": ["f"] * 10})
    )
    assert set(again.table["age"].to_pylist()) == {"< 50" if suppressed < 50 else ">= 50"}


def test_sets_with_a_rare_member_become_the_covering_node():
    towns = ["Berlin"] * 3 + ["Bonn"] * 2 + ["Ulm"]
    release = ic.anonymize(
        pa.table({"town": towns}), quasi_identifiers=["town"], k=2, algorithm="k-optimize"
    )
    assert not any("Ulm" in text for text in release.table["town"].to_pylist())
    assert "Ulm" not in str(release.facts)


@pytest.mark.parametrize("labels", ["range", "set"])
def test_exact_labels_get_a_note(labels):
    table = pa.table({"age": list(range(20, 40))})
    described = {"quasi_identifiers": ["age"], "k": 5, "algorithm": "mondrian"}
    release = ic.anonymize(table, **described, labels=labels)
    assert any(f'labels = "{labels}"' in note and "values of the data" in note
               for note in release.notes)  # fmt: skip
    release = ic.anonymize(table, **described)
    assert not any("values of the data" in note for note in release.notes)


def test_means_get_a_note():
    table = pa.table({"age": list(range(20, 40))})
    release = ic.anonymize(table, quasi_identifiers=["age"], k=5, algorithm="mdav")
    assert any("exact values of their class" in note for note in release.notes)


def test_values_outside_the_domain_are_refused():
    policy = ic.Policy(
        columns=(
            Column("age", "quasi-identifier", domain=(0, 90)),
            Column("class", "target"),
        ),
        requirements=(ic.KAnonymity(5),),
    )
    table = pa.table({"age": AGES, "class": ["y"] * 10 + ["n"] * 12})
    with pytest.raises(
        ic.errors.PolicyError, match="2 distinct values outside its domain"
    ) as caught:
        ic.anonymize(table, policy, algorithm="tdr")
    assert caught.value.values == ("97", "99")
    assert "97" not in str(caught.value)


@pytest.mark.parametrize("name", ["tdr", "tds", "genetic", "k-optimize"])
def test_grown_intervals_show_round_bounds(name):
    pay = [1203.17, 1210.39, 1222.43] * 4 + [7262.57, 7300.61, 7411.79] * 4
    table = pa.table({"pay": pay, "class": ["y"] * 12 + ["n"] * 12})
    release = ic.anonymize(
        table, quasi_identifiers=["pay"], target="class", k=12, algorithm=ALGORITHMS[name]()
    )
    assert set(release.table["pay"].to_pylist()) == {"< 5000", ">= 5000"}
    assert release.facts["cuts"] == {"pay": ["< 5000", ">= 5000"]}
    assert release.facts["suppressed"] == 0


def test_ranges_of_texts_can_be_measured():
    towns = ["Berlin", "Bern", "Bonn", "Kiel", "Ulm"] * 4
    described = {"quasi_identifiers": {"town": ic.ordered(2)}, "k": 8}
    release = ic.anonymize(pa.table({"town": towns}), **described, algorithm="flash")
    assert set(release.table["town"].to_pylist()) == {"< Bo", ">= Bo"}
    policy = ic.policy(**described)
    measured = ic.measure_release(release.table, pa.table({"town": towns}), policy)
    assert measured["metrics"]["loss"] == pytest.approx(release.metrics["loss"])
