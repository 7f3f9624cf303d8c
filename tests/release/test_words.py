"""What a release says of itself in words: exact figures, of people where people are counted."""

import numpy as np
import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.errors import ParameterError
from incrowd.release import measure_release, words

PEOPLE = pa.table(
    {
        "sex": ["f"] * 4 + ["m"] * 4,
        "town": ["Ulm", "Ulm", "Bonn", "Bonn"] * 2,
        "dx": ["flu"] * 4 + ["flu", "gout", "flu", "gout"],
        "cost": [10.5 + at for at in range(8)],
    }
)


def released(**more):
    policy = {
        "quasi_identifiers": {"sex": ic.suppression(), "town": ic.suppression()},
        "sensitive": ["dx"],
        "insensitive": ["cost"],
        "k": 4,
    }
    return ic.anonymize(PEOPLE, ic.policy(**{**policy, **more}), algorithm="flash")


def test_a_summary_says_who_is_protected_from_whom():
    summary = released().summary()
    assert (
        "Whoever knows sex and town of somebody, and nothing else, finds at least 4 records that "
        "look alike" in summary
    )
    assert "The smallest crowd has 4 records." in summary


def test_it_says_what_classes_have_in_common():
    summary = released().summary()
    assert "1 classes with 4 records have one value each in 'dx'" in summary


def test_it_names_columns_whose_values_hardly_repeat():
    summary = released().summary()
    assert "'cost' is released as it is, and 8 of its 8 records have a value that no other has" in (
        summary
    )
    assert "'dx' is released as it is" not in summary


def test_large_tables_are_not_searched_and_it_says_so(monkeypatch):
    monkeypatch.setattr(words, "LOOKED_THROUGH", 7)
    assert "dx and cost: released as they are, and in a table of this size not searched" in (
        released().summary()
    )


def test_it_says_how_much_of_each_column_is_gone():
    assert "tell apart: town 100%, sex 0%." in released().summary()


def test_a_requirement_about_values_is_said_to_be_about_them():
    summary = released(requirements=[ic.KAnonymity(2), ic.LDiversity(2, "dx")], k=None).summary()
    assert "learns little about dx: distinct 2-diversity of dx." in summary


def test_any_two_columns_are_what_an_attacker_knows():
    summary = released(requirements=[ic.KAnonymity(4, any=1)], k=None).summary()
    assert "Whoever knows any 1 of sex and town of somebody" in summary


def test_every_metric_has_its_direction_and_a_sentence():
    release = released()
    for name in release.metrics:
        [line] = [each for each in release.summary().splitlines() if each.startswith(f"  {name}:")]
        assert ic.metrics()[name].description in line
        assert ic.metrics()[name].better in line


def test_persons_are_counted_where_there_are_some():
    twice = pa.concat_tables([PEOPLE, PEOPLE]).append_column(
        "who", pa.array([str(at % 8) for at in range(16)])
    )
    policy = ic.policy(
        quasi_identifiers={"sex": ic.suppression()}, sensitive=["dx"], entity="who", k=4,
        other_columns="drop",
    )  # fmt: skip
    summary = ic.anonymize(twice, policy, algorithm="flash").summary()
    assert "finds at least 4 people that look alike" in summary
    assert "The smallest crowd has 4 people." in summary


def test_widths_of_a_recoding_are_shares_of_leaves():
    release = released()
    assert release.recoding.widths() == {"sex": 0.0, "town": 1.0}
    for name in ("mondrian", "local-search"):
        recoding = ic.anonymize(PEOPLE.drop(["cost"]), quasi_identifiers=["sex", "town"],
                                sensitive=["dx"], k=4, algorithm=name).recoding  # fmt: skip
        low, high = zip(*recoding.spans(), strict=True)
        expected = [float(np.mean(high[at] - low[at] - 1)) for at in range(2)]  # two leaves each
        assert list(recoding.widths().values()) == expected


def test_metrics_that_are_asked_for_are_never_left_out_in_silence():
    release = released()
    policy = release.draft.policy
    found = measure_release(release.table, PEOPLE, policy, metrics=["loss", "nmi"])
    assert list(found["metrics"]) == ["loss"]
    assert found["notes"] == ["nmi has a value only where there is a target."]
    with pytest.raises(ParameterError, match="which record became which"):
        measure_release(release.table, PEOPLE, policy, metrics=["entropy"])
