"""A release in a notebook: what is drawn below the cell while it is made."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

import incrowd as ic
from incrowd.errors import MissingDependencyError

SHELL = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
told = []


class Kept(type(shell.display_pub)):
    def publish(self, data, metadata=None, *, transient=None, update=False, **other):
        told.append([update, (transient or {}).get("display_id"), data])


shell.display_pub = Kept(parent=shell)
ran = shell.run_cell(sys.stdin.read())
json.dump([told, repr(ran.error_in_exec)], sys.__stdout__)
"""


def drawn(cell):
    """Run a cell, and return what was published for it, and its error."""
    pytest.importorskip("IPython", reason="IPython is not installed")
    ran = subprocess.run(
        [sys.executable, "-c", SHELL], input=textwrap.dedent(cell), env=dict(os.environ),
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return json.loads(ran.stdout[ran.stdout.index("[[") :])


def test_what_is_quick_is_not_shown():
    told, error = drawn("""
        import incrowd as ic
        from incrowd.datasets import census
        release = ic.anonymize(census(500), quasi_identifiers=["sex"], other_columns="drop", k=5,
                               progress=ic.NotebookProgress())
    """)
    assert (told, error) == ([], "None")


def test_every_part_of_a_release_is_drawn_in_one_place_and_taken_away():
    told, error = drawn("""
        import incrowd as ic, incrowd.watched
        from incrowd.datasets import census
        incrowd.watched.PATIENCE = incrowd.watched._AGAIN = 0.0
        release = ic.anonymize(census(2_000), quasi_identifiers=["sex", "age", "education"],
                               other_columns="drop", k=5, progress=ic.NotebookProgress())
    """)
    assert error == "None"
    first, *others = told
    assert not first[0]
    assert all(update and place == first[1] for update, place, _ in others)
    texts = [data["text/plain"] for *_, data in told]
    for part in ("count", "search", "apply", "verify"):
        assert any(text.startswith(part) for text in texts)
    assert "verify 3 of 3, 0 s" in texts
    assert texts[-1] == ""
    assert all("<progress" in data["text/html"] for *_, data in told if data["text/plain"])


def test_an_interrupt_takes_the_bar_away_and_stops_the_work():
    told, error = drawn("""
        import signal
        import incrowd as ic, incrowd.watched
        from incrowd.datasets import census
        incrowd.watched.PATIENCE = incrowd.watched._AGAIN = 0.0

        class Interrupted(ic.NotebookProgress):
            def draw(self, done, facts):
                super().draw(done, facts)
                signal.raise_signal(signal.SIGINT)

        ic.anonymize(census(2_000), quasi_identifiers=["sex", "age", "education"],
                     other_columns="drop", k=5, progress=Interrupted())
    """)
    assert "KeyboardInterrupt" in error
    assert told[-1][2]["text/plain"] == ""


def test_without_a_notebook_it_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    with pytest.raises(MissingDependencyError, match="IPython"):
        ic.NotebookProgress()
