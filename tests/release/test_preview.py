"""A table as papers print it: masked records beside the crowds, and marked as no release."""

import pandas as pd

import incrowd as ic

FRAME = pd.DataFrame({"sex": ["f", "f", "f", "m"], "ill": [1, 2, 1, 2]})
DESCRIBED = {"quasi_identifiers": ["sex"], "sensitive": ["ill"], "k": 3}


def test_a_preview_masks_records_that_a_release_has_to_drop():
    algorithm = ic.Flash(suppression_limit=0.5)
    shown = ic.preview(FRAME, **DESCRIBED, algorithm=algorithm)
    assert shown.table["sex"].tolist() == ["f", "f", "f", "*"]
    assert shown.facts["suppressed"] == 1
    assert not shown.verified
    release = ic.anonymize(FRAME, **DESCRIBED, algorithm=algorithm)
    assert release.table["sex"].tolist() == ["f", "f", "f"]


def test_a_preview_does_not_pass_verification():
    shown = ic.preview(FRAME, **DESCRIBED, algorithm=ic.Flash(suppression_limit=0.5))
    assert not ic.verify(shown.table, ic.policy(**DESCRIBED)).passed
