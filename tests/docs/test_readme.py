"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pyarrow as pa
import pytest

import incrowd as ic
from adult_data import adult_folder, adult_hierarchy
from incrowd.cli import run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
N_ALGORITHMS, N_METRICS = len(ic.algorithms()), len(ic.metrics())  # before any example adds one


def blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def tables(text: str = README) -> list[list[dict[str, str]]]:
    """Return the Markdown tables of a text, as rows by column."""
    found = []
    for lines in re.findall(r"(?:^\|.*\|\n)+", text, flags=re.MULTILINE):
        rows = [
            [cell.strip() for cell in line.strip("|\n").split("|")] for line in lines.splitlines()
        ]
        found.append([dict(zip(rows[0], row, strict=True)) for row in rows[2:]])
    return found


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of the demonstration, in which the examples are typed."""
    monkeypatch.chdir(tmp_path)
    assert run(["demo", "--rows", "2000"]) == 0
    monkeypatch.chdir(tmp_path / "incrowd-demo")
    return tmp_path / "incrowd-demo"


def test_the_table_becomes_the_other(tmp_path):
    before, after = tables()[:2]
    frame = pa.table({name: [row[name] for row in before] for name in before[0]})
    release = ic.anonymize(
        frame,
        identifiers="name",
        quasi_identifiers={
            "age": ic.intervals(5, 10, 20),
            "sex": ic.suppression(),
            "zip": ic.masking(),
        },
        sensitive="diagnosis",
        k=3,
        order="keep",
        algorithm="flash",
    )
    assert release.table.to_pylist() == after
    assert release.facts["optimal"]


def test_the_command_lines_run(folder, capsys):
    lines = [line for block in blocks("bash") for line in block.splitlines()]
    assert len(lines) == 7
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "incrowd"
        assert run(arguments) == 0, capsys.readouterr().err
    assert (folder / "released.csv").exists()
    assert (folder / "recoding.json").exists()


def test_the_python_example_runs(folder, capsys):
    pytest.importorskip("polars")
    [example] = blocks("python")
    names: dict[str, object] = {}
    exec(example, names)
    assert type(names["release"].table).__module__.startswith("polars")
    assert "5-anonymity holds" in capsys.readouterr().out
    assert ic.load_recoding("recoding.json").columns == names["policy"].quasi_identifiers


def test_the_python_example_would_fail_on_a_broken_release(folder):
    pytest.importorskip("polars")
    names: dict[str, object] = {}
    exec(blocks("python")[0], names)
    people, policy = names["people"], names["policy"]
    original = people.select(names["release"].table.columns)
    assert not ic.verify(original, policy).passed


def test_the_counts_of_what_there_is_are_right():
    from incrowd.metrics.objectives import OBJECTIVES

    words = {31: "Thirty-one", 11: "Eleven", 26: "twenty-six"}
    assert f"{words[N_ALGORITHMS]} algorithms" in README
    said = f"{words[len(OBJECTIVES)]} objectives and {words[N_METRICS]} metrics"
    assert said in README
    for name in ic.algorithms():
        assert f"`{name}`" in README


def test_links_lead_somewhere():
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert len(targets) > 10
    assert [target for target in targets if not (ROOT / target).exists()] == []


@pytest.mark.parametrize(
    "row", [row for table in tables() for row in table if "`local-search` fast" in row],
    ids=lambda row: row["k"],
)  # fmt: skip
def test_local_recoding_loses_what_it_says(row):
    columns = ("sex", "age", "race", "marital-status", "education", "native-country",
               "workclass", "occupation", "salary-class")  # fmt: skip
    release = ic.anonymize(
        adult_folder() / "adult.csv",
        quasi_identifiers={name: adult_hierarchy(name) for name in columns},
        k=int(row["k"]),
        algorithm=ic.LocalSearch(effort="fast"),
    )
    assert f"{release.metric('loss_geometric'):.4f}" == row["`local-search` fast"]
    assert float(row["best"]) <= float(row["default"]) <= float(row["`local-search` fast"])
    assert float(row["`local-search` fast"]) < float(row["ARX 3.9.2"])
