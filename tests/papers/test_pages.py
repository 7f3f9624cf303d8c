"""The tables of the pages about papers are what the scripts make today."""

import re
from dataclasses import replace

import pytest

from paper_scripts import (
    PAGES,
    PAPERS,
    cells,
    experiments_in,
    imported,
    run,
    run_script,
    tables_in,
    tables_of,
)

ALL_PAGES = sorted(path.name for path in PAGES.glob("*.md"))
TIMES = ("seconds", "milliseconds")
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)


def hold(page, part):
    """Hold the tables of a part against the page, but for times, in the rows that were made."""
    shown = tables_in(page)
    compared = [each for each in part.tables() if each.name in shown and each.measure not in TIMES]
    assert compared
    for table in compared:
        on_page, made = cells(shown[table.name]), cells(table.text)
        axis, header = next(iter(made.items()))
        for place, row in made.items():
            for name, cell in zip(header, row, strict=True):
                if name not in TIMES:
                    assert on_page[place][on_page[axis].index(name)] == cell, (table.name, place)


@pytest.mark.parametrize("page", ALL_PAGES)
def test_every_table_stands_between_marks_or_is_made_by_hand(page):
    text = (PAGES / page).read_text("utf-8")
    marked = tables_in(page)
    for table in TABLE.finditer(text):
        by_hand = text[: table.start()].endswith("<!-- by hand -->\n\n")
        assert by_hand or table[0].rstrip() in marked.values(), table[0]
    assert text.count("<!-- table: ") == text.count("<!-- end -->") == len(marked)


@pytest.mark.parametrize("page", ALL_PAGES)
def test_every_page_has_a_script_and_names_the_command_that_writes_it(page):
    paper = page.removesuffix(".md").replace("-", "_")
    assert (PAPERS / paper / "run.py").exists()
    assert f"`python benchmarks/papers/write.py {paper}`" in (PAGES / page).read_text("utf-8")


def test_one_command_writes_a_page(tmp_path):
    page = tmp_path / "heuristicmin.md"
    now = (PAGES / page.name).read_text("utf-8")
    page.write_text(now.replace("0.8889", "0.1234"), "utf-8")
    done = run_script(
        PAPERS / "write.py", "heuristicmin", "--pages", tmp_path, "--output", tmp_path / "out"
    )
    assert done.returncode == 0, done.stderr
    assert "not made anew" not in done.stderr
    assert page.read_text("utf-8") == now


def test_times_are_written_only_when_asked_and_what_is_left_is_said(tmp_path, capsys):
    table = "<!-- table: {} -->\n\n| old |\n\n<!-- end -->\n\n"
    names = "Case 1: UM", "Case 1: seconds", "Case 1"
    (tmp_path / "a-b.md").write_text("".join(map(table.format, names)), "utf-8")
    with imported("", "command") as command, imported("", "parts") as parts:
        runs = [parts.Run(1, name, {"UM": 0.5, "seconds": 2.0}) for name in ("x", "y")]
        part = parts.Part("Case 1", "k", {"UM": ".1f", "seconds": ".1f"}, runs)
        alone = replace(part, runs=runs[:1])
        options = command.parser_of("", ()).parse_args(
            ["--write", "--pages", str(tmp_path), "--output", str(tmp_path / "out")]
        )
        both = {"both": lambda: [part, alone]}
        command.run_all("a_b", both, options)
        page = (tmp_path / "a-b.md").read_text("utf-8")
        assert page.count("old") == 2
        assert "not made anew: Case 1: seconds\n" in capsys.readouterr().err
        assert "| 1 | 0.5 | 0.5 |" in page
        options.write_times = True
        command.run_all("a_b", both, options)
        assert "old" not in (tmp_path / "a-b.md").read_text("utf-8")
        assert "not made anew" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("paper", "smaller"), [("tdr", "--quick"), ("iac", "--synthetic"), ("iac", "--folds=2")]
)
def test_what_is_smaller_than_the_page_does_not_go_there(tmp_path, paper, smaller):
    done = run(paper, smaller, "--write", "--pages", tmp_path, "--output", tmp_path / "out")
    assert done.returncode == 2
    assert "is not for the page" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_page_with_places_for_other_tables_alone_is_an_error(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n\n<!-- table: x -->\n\nold\n\n<!-- end -->\n\nb\n", "utf-8")
    with imported("", "pages") as pages:
        new, more = (pages.Table(name, None, "new") for name in ("x", "y"))
        assert pages.write_tables(page, [new, more], times=False) == []
        assert page.read_text("utf-8") == "a\n\n<!-- table: x -->\n\nnew\n\n<!-- end -->\n\nb\n"
        with pytest.raises(ValueError, match="no place"):
            pages.write_tables(page, [more], times=False)
        page.write_text(page.read_text("utf-8") * 2, "utf-8")
        with pytest.raises(ValueError, match="two tables of one name"):
            pages.write_tables(page, [new], times=False)


def test_an_unknown_paper_is_refused():
    done = run_script(PAPERS / "write.py", "beauty")
    assert done.returncode == 2
    assert "no paper called beauty" in done.stderr


def test_losses_and_levels_of_the_greedy_climbs():
    with imported("improved_greedy", "experiments") as greedy:
        scale = replace(greedy.FULL, ks=(10, 25), limits=(0.01,), repeats=1)
        losses, _ = greedy.on_adult(scale)
        hold("improved-greedy.md", losses)


def test_levels_and_suppression_of_the_iac_page(tmp_path):
    done = run("iac", "levels", "suppression", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    made = tables_of(experiments_in(tmp_path / "iac.json"))
    assert len(made) == 4
    shown = tables_in("iac.md")
    assert {name: shown[name] for name in made} == made


def test_accuracies_and_refinements_of_the_tdr_page(monkeypatch):
    with imported("tdr", "experiments") as tdr:
        compared = tdr._compared(tdr.FULL)
        quick = {name: each for name, each in compared.items() if name != "k-optimize"}
        monkeypatch.setattr(tdr, "_compared", lambda scale: quick)
        hold("tdr.md", next(tdr.searches(replace(tdr.FULL, ks=(200,)))))
        scale = replace(tdr.FULL, ks=(500,), rows=(10_000,), repeats=1)
        for experiment in (tdr.against_k, tdr.against_rows):
            [part] = experiment(scale)
            hold("tdr.md", part)


def test_ranges_and_weights_of_the_tgc_page():
    with imported("tgc", "experiments") as tgc:
        for experiment in (tgc.estimation_range, tgc.weights):
            [part] = experiment(replace(tgc.FULL, steps=2))
            hold("tgc.md", part)


def test_printed_rules_of_the_tgc_page(monkeypatch):
    with imported("tgc", "experiments") as tgc:
        few = {rules: tgc.PRINTED[rules] for rules in ("default", "and both")}
        monkeypatch.setattr(tgc, "PRINTED", few)
        [part] = tgc.printed_rules(replace(tgc.FULL, few_ks=(5,)))
        hold("tgc.md", part)
