"""Who looks for the tests of an algorithm finds a file of its name."""

from pathlib import Path

import pytest

from incrowd.algorithms import list_algorithms

TESTS = Path(__file__).parents[1] / "algorithms"


@pytest.mark.parametrize("name", sorted(list_algorithms()))
def test_every_algorithm_has_a_test_file_of_its_name(name):
    path = TESTS / f"test_{name.replace('-', '_')}.py"
    assert "def test_" in path.read_text("utf-8")
