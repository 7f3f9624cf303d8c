"""The worked class of docs/requirements.md has what the page says."""

import pytest

from incrowd.requirements import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    PSensitive,
    RangeDisclosure,
    TCloseness,
)
from sensitive_classes import COLUMN, plain

OWN = {"flu": 3, "cold": 2, "ulcer": 1}
REST = {"flu": 1, "cold": 2, "ulcer": 3}
PATHS = (("flu", "lung", "*"), ("cold", "lung", "*"), ("ulcer", "stomach", "*"))


@pytest.mark.parametrize(
    ("holds", "breaks"),
    [
        (LDiversity(3, COLUMN), LDiversity(4, COLUMN)),
        (LDiversity(2.749, COLUMN, "entropy"), LDiversity(2.75, COLUMN, "entropy")),
        (LDiversity(2, COLUMN, "recursive", c=1.01), LDiversity(2, COLUMN, "recursive", c=1)),
        (LDiversity(3, COLUMN, "recursive", c=3.01), LDiversity(3, COLUMN, "recursive", c=3)),
        (PSensitive(3, 6, COLUMN), PSensitive(3, 7, COLUMN)),
        (AlphaK(0.5, 6, COLUMN), AlphaK(0.49, 6, COLUMN)),
        (TCloseness(0.1667, COLUMN), TCloseness(0.1666, COLUMN)),
        (
            TCloseness(0.1667, COLUMN, "hierarchical"),
            TCloseness(0.1666, COLUMN, "hierarchical"),
        ),
        (DeltaDisclosure(1.01, COLUMN), DeltaDisclosure(1, COLUMN)),
        (BetaLikeness(0.5, COLUMN), BetaLikeness(0.49, COLUMN)),
        (BetaLikeness(0.5, COLUMN, "enhanced"), BetaLikeness(0.49, COLUMN, "enhanced")),
    ],
    ids=lambda each: each.describe(),
)
def test_the_worked_class(holds, breaks):
    classes = plain(OWN, REST, paths=PATHS)
    assert classes.violating(holds)[0] is False
    assert classes.violating(breaks)[0] is True


@pytest.mark.parametrize(("r", "holds", "breaks"), [(0, 0.389, 0.388), (1, 0.797, 0.796)])
def test_its_range_disclosure(r, holds, breaks):
    classes = plain(OWN, REST)
    assert classes.violating(RangeDisclosure(holds, r, COLUMN))[0] is False
    assert classes.violating(RangeDisclosure(breaks, r, COLUMN))[0] is True
