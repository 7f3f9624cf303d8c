"""What all records together break, a search within the suppression limit can meet."""

import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.errors import UnsatisfiableError

# Those aged 50 all have the flu: without them flu and cold are equally frequent.
PEOPLE = pa.table({"age": ["30"] * 6 + ["50"] * 3, "dx": ["flu", "cold"] * 3 + ["flu"] * 3})
ASKED = [
    ic.AlphaK(0.5, 1, "dx"),
    ic.LDiversity(2, "dx", variant="entropy"),
    ic.LDiversity(2, "dx", variant="recursive", c=1.5),
    ic.RangeDisclosure(0.5, 0, "dx"),
]


def released(asked, name, limit):
    cls = ic.algorithms()[name]
    return ic.anonymize(
        PEOPLE,
        quasi_identifiers={"age": ic.suppression()},
        sensitive=["dx"],
        requirements=[asked],
        algorithm=cls(suppression_limit=limit),
    )


@pytest.mark.parametrize("name", ["flash", "exhaustive", "datafly"])
@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.describe())
def test_records_in_the_way_are_left_out(name, asked):
    release = released(asked, name, 0.34)
    assert set(release.table["age"].to_pylist()) == {"30"}
    assert (release.facts["suppressed"], release.facts["dropped"]) == (3, 3)


@pytest.mark.parametrize("limit", [0.0, 0.3])
@pytest.mark.parametrize("name", ["flash", "exhaustive", "datafly"])
@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.describe())
def test_if_too_many_are_in_the_way_it_is_told_what_could_be_met(name, asked, limit):
    with pytest.raises(UnsatisfiableError, match="even one class of all records breaks it"):
        released(asked, name, limit)


def test_values_that_are_not_there_cannot_be_met_by_leaving_out_records():
    with pytest.raises(UnsatisfiableError, match="the largest l that can be met is 2"):
        released(ic.LDiversity(3, "dx"), "flash", 1.0)
