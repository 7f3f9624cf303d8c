"""TGC-B: utility and protection alike, and how its subspaces are cut."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.algorithms import TGCB
from incrowd.errors import UnsatisfiableError
from incrowd.requirements import KAnonymity
from tgc_problems import HOSTILE, check_preset, plain


def test_more_than_there_are_is_an_error():
    problem = HOSTILE["n = k"]
    with pytest.raises(UnsatisfiableError, match="7 records"):
        TGCB().solve(replace(problem, requirements=(KAnonymity(8, on=problem.columns),)))


def test_very_large_subspaces_are_cut_whatever_their_protection():
    problem = plain([np.arange(4000)], [0] * 4000, 2)
    facts = TGCB(threshold=0.9, protection_threshold=0.01).solve(problem).found.facts
    assert facts["subspaces"] == 128  # of 31 records: 5 x 5k = 50 is the most that stay whole


@pytest.mark.parametrize(("largest", "subspaces"), [(None, 128), (100, 64), (0, 1), (4000, 1)])
def test_how_large_a_protected_subspace_may_be_is_a_parameter(largest, subspaces):
    problem = plain([np.arange(4000)], [0] * 4000, 2)
    asked = TGCB(threshold=0.9, protection_threshold=0.01, largest_subspace=largest)
    assert asked.solve(problem).found.facts["subspaces"] == subspaces


def test_a_release_is_verified_and_can_be_applied_by_name():
    people = pa.table(
        {
            "age": [34, 56, 34, 34, 49, 56, 58, 49, None],
            "zip": ["102", "101", "112", "102", "105", "118", "118", "111", "111"],
            "disease": ["flu", "cold", "flu", "cancer", "flu", "cold", "flu", "flu", None],
        }
    )
    release = ic.anonymize(
        people,
        quasi_identifiers={"age": ic.intervals(10, 20), "zip": ic.masking(levels=1)},
        sensitive=["disease"],
        k=3,
        algorithm="tgc-b",
    )
    assert release.verdict.passed
    assert release.facts["smallest_class"] >= 3
    assert release.facts["suppressed"] == 0


def test_it_is_tgc_with_its_weights():
    check_preset(TGCB, 0.5)
