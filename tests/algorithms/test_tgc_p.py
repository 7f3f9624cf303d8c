"""TGC-P: protection alone."""

from dataclasses import replace

import numpy as np

from incrowd.algorithms import TGCP
from tgc_problems import HOSTILE, check_preset, classes_of


def test_it_is_tgc_with_its_weights():
    check_preset(TGCP, 0.0)


def test_what_a_quasi_identifier_weighs_changes_nothing():
    problem = HOSTILE["no hierarchies"]
    other = replace(problem, weights=np.array([9.0, 0.1]))
    found = [TGCP(partition_size=0).solve(each).parts for each in (problem, other)]
    assert classes_of(found[0]) == classes_of(found[1])
