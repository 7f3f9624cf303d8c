"""Auto does what the algorithm does that it chooses, and names it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.algorithms import Auto, Flash
from incrowd.errors import ParameterError
from strategies import LIMITS, problems


@settings(max_examples=40)
@given(problem=problems(), limit=st.sampled_from(LIMITS))
def test_the_choice_is_flash(problem, limit):
    chosen = Auto(suppression_limit=limit).solve(problem)
    flash = Flash(suppression_limit=limit, objective="loss").solve(problem)
    assert chosen.found == flash.found
    assert chosen.levels == flash.levels


def test_what_flash_refuses_is_refused_when_it_is_built():
    with pytest.raises(ParameterError, match="suppression_limit"):
        Auto(suppression_limit=2)
    with pytest.raises(ParameterError, match="no objective"):
        Auto(objective="beauty")
