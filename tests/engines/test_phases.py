"""Whoever waits is told which part of a run it is, and how many rows are done."""

import pyarrow.parquet as pq
import pytest

import incrowd as ic
from incrowd.cli.progress import TerminalProgress
from incrowd.datasets import census
from incrowd.engines import Space, engine_for
from incrowd.release import anonymize_file
from incrowd.watched import ShownProgress

PHASES = ("count", "search", "apply", "write", "verify")


class Told:
    """Keeps what it is told."""

    def __init__(self):
        self.parts, self.done = [], {}

    def start(self, task, *, total=None, detail=""):
        self.parts.append((task, total))

    def update(self, done, *, best=None, bound=None):
        self.done.setdefault(self.parts[-1][0], []).append(done)

    def finish(self):
        pass


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    path = tmp_path_factory.mktemp("census") / "people.parquet"
    pq.write_table(census(20_000), path)
    return path


def policy():
    return ic.policy(quasi_identifiers=["age", "sex"], k=5, other_columns="drop")


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_every_part_is_named_in_its_order(engine, people, tmp_path):
    told = Told()
    anonymize_file(people, tmp_path / "out.parquet", policy(), engine=engine, progress=told)
    named = [part for part, _ in told.parts if part in PHASES]
    assert list(dict.fromkeys(named)) == list(PHASES)
    assert told.done["verify"][0] == 20_000


def test_duckdb_knows_how_many_rows_there_are(people, tmp_path):
    told = Told()
    with ic.anonymize(people, policy(), engine="duckdb", progress=told):
        assert ("count", 20_000) in told.parts
        assert ("write", 20_000) in told.parts


def test_the_rows_of_a_long_query_are_told(people):
    told = Told()
    opened = engine_for(people, "duckdb", space=Space(progress=told))
    with opened.workplace.telling("count", 30_000_000):
        opened.workplace.run("SELECT sum(i * i % 7) FROM range(30000000) numbers(i)")
    assert told.done["count"] == sorted(told.done["count"])
    assert 0 < told.done["count"][0] <= 30_000_000
    opened.workplace.close()


def test_a_part_that_says_nothing_is_shown_by_its_name(monkeypatch):
    import io
    import time

    from rich.console import Console

    monkeypatch.setattr("incrowd.watched.PATIENCE", 0.01)
    screen = io.StringIO()
    progress = TerminalProgress(Console(file=screen, force_terminal=True, width=120))
    progress.start("write", total=1_000)
    while "write" not in screen.getvalue():
        time.sleep(0.01)
    progress.update(500)
    progress.finish()
    assert "500 of 1,000" in screen.getvalue()


def test_tasks_that_are_short_by_themselves_are_shown_once_they_add_up(monkeypatch):
    now, shown = [100.0], []
    monkeypatch.setattr("incrowd.watched.time.monotonic", lambda: now[0])

    class Shown(ShownProgress):
        def announce(self, task, detail):
            pass

        def show(self):
            shown.append(self.task)

        def draw(self, done, facts):
            pass

        def hide(self):
            shown.append("")

    listener = Shown()
    for task in ("read", "count", "search", "apply"):
        listener.start(task)
        now[0] += 0.4  # of the second for which nothing need be shown
        listener.finish()
    assert shown == ["search", ""]
    listener.start("write")
    listener.finish()
    assert shown == ["search", ""]


def test_what_is_measured_is_told_too(people):
    told = Told()
    with ic.anonymize(people, policy(), progress=told) as release:
        assert "measure" not in [part for part, _ in told.parts]
        assert release.summary()
        assert "measure" in [part for part, _ in told.parts]
        assert len(told.done["measure"]) >= 10
