"""Whether values are numbers must not depend on who is left out."""

import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.errors import PolicyError

PAID = ["71", "72", "73", "74", "75", "79"] * 2


def released(last, **options):
    return ic.anonymize(
        pa.table({"age": ["30"] * 6 + ["40"] * 6 + ["99"], "paid": [*PAID, last]}),
        quasi_identifiers={"age": ic.suppression()},
        sensitive=["paid"],
        requirements=[ic.KAnonymity(2), ic.RangeDisclosure(0.4, 0.14, "paid")],
        algorithm=ic.Flash(suppression_limit=0.1),
        **options,
    )


def test_numbers_among_texts_are_refused():
    with pytest.raises(PolicyError, match="1 of its 7 distinct values are none") as error:
        released("much")
    assert "much" not in str(error.value)


@pytest.mark.parametrize("last", ["76", None])
def test_numbers_and_missing_cells_are_not(last):
    assert released(last).facts["dropped"] == 1
