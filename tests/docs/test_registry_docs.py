"""What is registered is described, and described as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import incrowd as ic
from incrowd import errors
from incrowd.algorithms import parameters_of
from incrowd.metrics.objectives import OBJECTIVES

DOCS = Path(__file__).parents[2] / "docs"
METRICS_PAGE = (DOCS / "metrics.md").read_text("utf-8")


def rows(page: str) -> dict[str, list[list[str]]]:
    """Return the rows of a page's tables by their first cell."""
    found: dict[str, list[list[str]]] = {}
    for line in re.findall(r"^\|(.*)\|$", page, flags=re.MULTILINE):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        found.setdefault(cells[0], []).append(cells[1:])
    return found


@pytest.mark.parametrize("name", ic.algorithms())
def test_every_algorithm_has_a_page_with_what_it_needs(name):
    page = (DOCS / "algorithms" / f"{name}.md").read_text("utf-8")
    assert page.startswith(f"# {name}\n")
    for part in ("Cost", "When not to use it", "romise", "```python"):
        assert part in page, part
    described = rows(page)
    for parameter, default in parameters_of(ic.algorithms()[name]).items():
        said = described[f"`{parameter}`"][0][0]
        assert said == _shown(default), parameter


def _shown(default: object) -> str:
    if default is None:
        return "none"
    return f'`"{default}"`' if isinstance(default, str) else f"{default:g}"


@pytest.mark.parametrize("name", ic.algorithms())
def test_the_index_leads_to_every_algorithm(name):
    assert f"[`{name}`]({name}.md)" in rows((DOCS / "algorithms" / "index.md").read_text("utf-8"))


def test_no_page_is_about_an_algorithm_that_does_not_exist():
    pages = {path.stem for path in (DOCS / "algorithms").glob("*.md")} - {"index"}
    assert pages <= set(ic.algorithms())


@pytest.mark.parametrize("name", ic.metrics())
def test_every_metric_is_described_with_its_direction_and_bounds(name):
    metric = ic.metrics()[name]
    low, high = metric.bounds
    better, values, _ = rows(METRICS_PAGE)[f"`{name}`"][0]
    assert better == metric.better
    assert values == (f"{low:g} or more" if high is None else f"{low:g} to {high:g}")


@pytest.mark.parametrize("name", OBJECTIVES)
def test_every_objective_is_described(name):
    assert name in ic.metrics()
    objectives = METRICS_PAGE.split("\n## Objectives\n")[1].split("\n## ")[0]
    form = rows(objectives)[f"`{name}`"][0][1]
    assert form.startswith(("sum", "product", "classes"))


def test_no_other_objective_is_described():
    objectives = METRICS_PAGE.split("\n## Objectives\n")[1].split("\n## ")[0]
    assert {key.strip("`") for key in rows(objectives)} - {"objective", "---"} == set(OBJECTIVES)


@pytest.mark.parametrize("name", ic.requirements())
def test_every_requirement_is_described(name):
    assert f"{name} =" in (DOCS / "requirements.md").read_text("utf-8")


def _error_classes() -> list[type[errors.IncrowdError]]:
    found = [each for each in vars(errors).values() if isinstance(each, type)]
    return [each for each in found if issubclass(each, errors.IncrowdError)][1:]


@pytest.mark.parametrize("cls", _error_classes())
def test_every_error_is_described_with_its_exit_code(cls):
    page = (DOCS / "errors.md").read_text("utf-8")
    also, code, _ = rows(page)[f"`{cls.__name__}`"][0]
    assert int(code) == cls.exit_code
    builtin = [each for each in cls.__bases__ if each is not errors.IncrowdError]
    assert also == "".join(f"`{each.__name__}`" for each in builtin)


def test_rows_can_be_told_apart():
    page = "| a | b |\n| --- | --- |\n| `x` | 1 \\| 2 |\n"
    assert rows(page)["`x`"] == [["1 \\| 2"]]
