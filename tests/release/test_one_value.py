"""A column with one value has nothing to be spread, and no requirement on it protects anybody."""

import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.errors import IncrowdError, UnsatisfiableError

ASKED = [
    ic.LDiversity(2, "dx"),
    ic.PSensitive(2, 2, "dx"),
    ic.AlphaK(1, 2, "dx"),
    ic.TCloseness(0.2, "dx"),
    ic.TCloseness(0.2, "dx", distance="ordered"),
    ic.DeltaDisclosure(1, "dx"),
    ic.BetaLikeness(1, "dx", known=["ward"]),
    ic.RangeDisclosure(1, 1, "dx"),
]
AGES = ["30", "31", "32", "33", "50", "51"]


def people(values):
    return pa.table(
        {
            "age": AGES,
            "ward": ["a", "b"] * 3,
            "dx": pa.array(values, pa.string()),
        }
    )


def policy(asked):
    return ic.policy(
        quasi_identifiers={"age": ic.intervals(10, 20)},
        sensitive=["dx"],
        insensitive=["ward"],
        requirements=[asked],
    )


@pytest.mark.parametrize(
    ("value", "told"), [("777", "has 1 value"), (None, "has missing cells alone")]
)
@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.describe())
def test_a_column_with_one_value_is_refused(asked, value, told):
    for door in (ic.anonymize, lambda *given: ic.anonymize(*given, algorithm="mondrian")):
        with pytest.raises(UnsatisfiableError, match=told) as error:
            door(people([value] * 6), policy(asked))
        assert "777" not in str(error.value)
    found = ic.check(people([value] * 6), policy(asked)).findings
    assert any(told in each.message for each in found if each.severity == "stops")


def test_new_rows_with_one_value_are_refused():
    release = ic.anonymize(people(["777", "888"] * 3), policy(ic.TCloseness(0.5, "dx")))
    with pytest.raises(IncrowdError, match="has 1 value"):
        ic.apply_recoding(release.recoding, people(["777"] * 6))
