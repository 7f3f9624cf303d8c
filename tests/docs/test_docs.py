"""Every page can be found, every example can be read, and those with prompts are true."""

from __future__ import annotations

import ast
import doctest
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
WITH_EXAMPLES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES]
BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)


def in_navigation(config: str) -> set[str]:
    """Return the pages that the navigation of mkdocs.yml names, folders opened."""
    nav = re.split(r"^\S", config.split("\nnav:\n")[1], maxsplit=1, flags=re.MULTILINE)[0]
    targets = re.findall(r":\s+([\w/.-]+(?:\.md|/))\s*(?:#.*)?$", nav, flags=re.MULTILINE)
    folders = [target for target in targets if target.endswith("/")]
    opened = {
        page.relative_to(DOCS).as_posix() for each in folders for page in DOCS.glob(f"{each}*.md")
    }
    return {target for target in targets if not target.endswith("/")} | opened


def blocks_of(text: str) -> list[tuple[int, str]]:
    """Return the Python blocks of a page, each with the line it begins in."""
    return [(text[: found.start()].count("\n") + 1, found[1]) for found in BLOCK.finditer(text)]


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


def test_the_navigation_names_every_page_and_no_other():
    named = in_navigation((ROOT / "mkdocs.yml").read_text("utf-8"))
    assert named == {page.relative_to(DOCS).as_posix() for page in PAGES}
    assert "index.md" in named


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=page_id)
def test_python_in_a_page_is_python(page):
    parser = doctest.DocTestParser()
    for line, block in blocks_of(page.read_text("utf-8")):
        examples = parser.get_examples(block)
        for source in [each.source for each in examples] or [block]:
            try:
                ast.parse(source)
            except SyntaxError as error:
                pytest.fail(f"{page_id(page)}, block of line {line}: {error}")


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=page_id)
def test_examples_with_prompts_are_true(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # an example may write files
    parser, runner, names = doctest.DocTestParser(), doctest.DocTestRunner(), dict[str, Any]()
    said: list[str] = []
    for line, block in blocks_of(page.read_text("utf-8")):
        example = parser.get_doctest(block, names, page.name, str(page), line)
        runner.run(example, out=said.append, clear_globs=False)
        names = example.globs  # the next block goes on where this one ended
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


def test_change_notes_are_named_after_an_issue_and_a_kind():
    name = re.compile(r"\d+(-[a-z-]+)?\.(breaking|feature|fix|performance|docs)\.md")
    notes = [path for path in (ROOT / "changes").iterdir() if path.name != "README.md"]
    assert [path.name for path in notes if not name.fullmatch(path.name)] == []
    assert all(path.read_text("utf-8").strip() for path in notes)


def test_prompts_are_found_in_blocks():
    [(line, block)] = blocks_of("text\n\n```python\n>>> 1 + 1\n2\n```\n")
    assert line == 3
    [example] = doctest.DocTestParser().get_examples(block)
    assert example.want == "2\n"
