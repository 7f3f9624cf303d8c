import doctest
from pathlib import Path

from incrowd.hierarchies import BUILDERS

PAGE = Path(__file__).parents[2] / "docs" / "hierarchies.md"


def test_the_examples_of_the_page_are_true():
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted > 3
    assert result.failed == 0


def test_the_page_names_every_builder():
    text = PAGE.read_text("utf-8")
    for key in BUILDERS:
        assert f"`{{ {key} =" in text or f'`"{key}"`' in text
