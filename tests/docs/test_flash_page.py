"""The figures that the page on Flash works with are those of the search."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest

import incrowd as ic
from adult_data import adult_folder, adult_hierarchy
from incrowd.algorithms.full_domain import Lattice
from incrowd.engines import engine_for
from incrowd.release.problem import state_problem

ALGORITHMS = Path(__file__).parents[2] / "docs" / "algorithms"
FLASH = (ALGORITHMS / "flash.md").read_text("utf-8")
INDEX = (ALGORITHMS / "index.md").read_text("utf-8")


@pytest.fixture(scope="module")
def lattice():
    people = pa.table(
        {
            "age": [34, 56, 34, 34, 49, 56, 58, 49],
            "sex": ["m", "m", "m", "f", "f", "m", "m", "f"],
            "zip": ["102", "101", "112", "102", "105", "118", "118", "111"],
        }
    )
    columns = {"age": ic.intervals(10, 20), "sex": ic.suppression(), "zip": ic.masking(levels=1)}
    policy = ic.policy(quasi_identifiers=columns, k=2)
    problem = state_problem(engine_for(people), policy).problem
    return Lattice(problem, objective="loss", suppression_limit=0.25)


def entries(lattice, node):
    """Return, per column and level, what a count of `node` says of everything below it."""
    excess, start, found = lattice.count(node).excess, 0, []
    for j, height in enumerate(lattice.top):
        slots = range(start, start + height + 1)
        factor = lattice.costs.weight[j] * lattice.costs.scale[j]
        found.append([float(factor * (lattice.base[at] + excess[at])) for at in slots])
        start += height + 1
    return found


def test_the_entries_of_the_counted_node(lattice):
    top = (2, 0, 2)
    known = entries(lattice, top)
    for j, name in enumerate(("age", "sex", "zip")):
        [row] = re.findall(rf"^\| {name} \|(.*)\|$", FLASH, flags=re.MULTILINE)
        shown = [cell.strip() for cell in row.split("|") if cell.strip()]
        assert shown == [f"{known[j][level]:.4f}" for level in range(top[j] + 1)]
    assert lattice.value(top) == pytest.approx(sum(known[j][at] for j, at in enumerate(top)))


def test_the_walk_through_the_box(lattice):
    known = entries(lattice, (2, 0, 2))
    assert lattice.value((3, 0, 1)) == pytest.approx(0.5333, abs=5e-5)
    assert sum(min(known[j][: at + 1]) for j, at in enumerate((2, 0, 2))) == pytest.approx(0.125)
    assert (lattice.suppressed((2, 0, 1)), lattice.limit) == (6, 2)
    assert known[0][0] + known[1][0] + known[2][2] == pytest.approx(0.4167, abs=5e-5)
    assert lattice.value((1, 0, 2)) == pytest.approx(0.4583, abs=5e-5)
    assert lattice.value((0, 0, 2)) == pytest.approx(0.5)


def test_the_records_suppressed_at_every_node(lattice):
    shown = {
        tuple(int(at) for at in node): int(suppressed)
        for node, suppressed in re.findall(r"(?<!\d)(\d\d\d): (\d)", INDEX)
    }
    assert shown == {node: lattice.suppressed(node) for node in lattice.nodes()}


def test_the_figures_on_adult():
    cells = r"^\| (\d+) \| ([\d.]+) \| (0\.\d+) \| ([\d,]+) \| (\d+) \| (.*)% \|$"
    rows = re.findall(cells, FLASH, flags=re.MULTILINE)
    assert len(rows) == 6
    for k, limit, optimum, suppressed, counted, percent in rows:
        search = ic.Flash(suppression_limit=float(limit), objective="loss_geometric")
        recoding = search.solve(adult(int(k)))
        found = recoding.found
        assert found.optimal
        assert (f"{found.bound:.6f}", found.nodes) == (optimum, 12_960)
        assert found.checked == int(counted)
        assert f"{100 * found.checked / found.nodes:.1f}" == percent
        assignment = recoding.assign(adult(int(k)).table)
        assert f"{assignment.n_suppressed:,}" == suppressed


@cache
def adult(k):
    names = ["sex", "age", "race", "marital-status", "education", "native-country"]
    names += ["workclass", "occupation", "salary-class"]
    files = {name: adult_hierarchy(name) for name in names}
    policy = ic.policy(quasi_identifiers=files, k=k, other_columns="drop")
    return state_problem(engine_for(adult_folder() / "adult.csv"), policy).problem
