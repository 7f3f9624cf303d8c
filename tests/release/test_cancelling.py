"""A progress object that raises `Cancelled` stops any part of a run, and nothing is left."""

import pyarrow.parquet as pq
import pytest

import incrowd as ic
from incrowd.algorithms import ALGORITHMS, FAMILIES
from incrowd.datasets import census, census_hierarchies
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.release import anonymize_file

PHASES = ("read", "count", "search", "apply", "write", "verify")
COLUMNS = ("sex", "age", "marital_status")
SLOW = ("mingen", "exhaustive")  # enumerate more than a test can wait for


class GivesUp:
    """Raises when a phase begins, or at its first report."""

    def __init__(self, phase, at_report=False):
        self._phase, self._at_report, self._now = phase, at_report, None

    def start(self, task, *, total=None, detail=""):
        self._now = task
        if task == self._phase and not self._at_report:
            raise ic.Cancelled

    def update(self, done, *, best=None, bound=None):
        if self._at_report and self._phase in ("any", self._now):
            raise ic.Cancelled

    def finish(self):
        pass


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    path = tmp_path_factory.mktemp("census") / "people.parquet"
    pq.write_table(census(3_000), path)
    return path


def policy():
    trees = census_hierarchies()
    return ic.policy(
        quasi_identifiers={name: hierarchy_from_rows(trees[name]) for name in COLUMNS},
        sensitive=["disease"],
        target="income",
        k=5,
        other_columns="drop",
    )


def left(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("phase", PHASES)
def test_every_part_of_a_run_can_be_stopped(phase, engine, people, tmp_path, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    with pytest.raises(ic.Cancelled):
        anonymize_file(
            people,
            tmp_path / "out.parquet",
            policy(),
            algorithm="flash",
            recoding=tmp_path / "recoding.json",
            engine=engine,
            progress=GivesUp(phase),
        )
    assert left(tmp_path) == ["temporary"]
    assert left(temporary) == []


def one_of_each_family():
    found = {cls.family: name for name, cls in ALGORITHMS.items() if name not in SLOW}
    return sorted(found.items())


def test_every_family_has_one():
    families = {each.rsplit(".", 1)[1].replace("_", " ") for each in FAMILIES}
    assert {family for family, _ in one_of_each_family()} == {"choice", *families}


@pytest.mark.parametrize(("family", "name"), one_of_each_family())
def test_a_search_of_every_family_stops_at_its_first_report(family, name, people, tmp_path):
    with pytest.raises(ic.Cancelled):
        anonymize_file(
            people, tmp_path / "out.parquet", policy(), algorithm=name,
            progress=GivesUp("any", at_report=True),
        )  # fmt: skip
    assert left(tmp_path) == []


def test_a_preview_and_new_rows_are_stopped_too(people):
    release = ic.anonymize(people, policy(), algorithm="flash")
    with pytest.raises(ic.Cancelled):
        ic.apply_recoding(release.recoding, people, progress=GivesUp("count"))
    with pytest.raises(ic.Cancelled):
        ic.preview(people, policy(), algorithm="flash", progress=GivesUp("apply"))
