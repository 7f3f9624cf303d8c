"""TGC-U: utility alone, with nothing to protect."""

from dataclasses import replace

import pytest

from incrowd.algorithms import TGC, TGCU
from incrowd.errors import ParameterError
from tgc_problems import HOSTILE, check_preset


def test_utility_alone_needs_no_sensitive_column():
    problem = replace(HOSTILE["all distinct"], sensitive=())
    expected = TGCU().solve(problem).parts.class_sizes
    assert expected.min() >= 5
    weighed = TGC(utility_weight=1.0, protection_weight=0.0).solve(problem).parts.class_sizes
    assert weighed.tolist() == expected.tolist()
    with pytest.raises(ParameterError, match="sensitive"):
        TGCU(protection_threshold=1.2).solve(problem)


def test_nothing_accepted_is_one_class_of_all_records():
    problem = HOSTILE["all distinct"]
    found = TGCU(threshold=0.0).solve(problem)
    assert found.parts.n_classes == 1
    assert found.found.facts["clusters"] == 0
    assert found.found.facts["rejected"] == 97
    assert found.found.facts["reassignment"] == "none"


def test_it_is_tgc_with_its_weights():
    check_preset(TGCU, 1.0)
