"""The door to the rows: engines by name, and counts that keep to the rows they were made of."""

import pandas as pd
import pyarrow as pa
import pytest

import incrowd as ic
from command_line import incrowd, make_people
from incrowd.engines import base, engine_for
from incrowd.engines.memory.engine import MemoryEngine
from incrowd.errors import InputError, ParameterError
from incrowd.release.problem import state_problem

PEOPLE = pd.DataFrame({"age": [31, 32, 33, 41, 42, 43], "pay": list("babcab")})
ASKED = {"quasi_identifiers": {"age": ic.intervals(10)}, "insensitive": ["pay"], "k": 3}


class Elsewhere(MemoryEngine):
    """An engine that takes what says that it is there, and remembers that it was asked."""

    name = "elsewhere"
    opened = 0

    @classmethod
    def takes(cls, data, space):
        return isinstance(data, str) and data.startswith("elsewhere:")

    @classmethod
    def open(cls, data, **options):
        cls.opened += 1
        return super().open(PEOPLE if cls.takes(data, None) else data, **options)


@pytest.fixture
def elsewhere(monkeypatch):
    monkeypatch.setattr(base, "ENGINES", dict(base.ENGINES))
    base.engine(Elsewhere)
    Elsewhere.opened = 0
    return Elsewhere


def test_an_engine_is_found_by_what_the_data_are(elsewhere):
    assert type(engine_for("elsewhere:people")) is elsewhere
    assert type(engine_for(PEOPLE)) is MemoryEngine
    assert type(engine_for(PEOPLE, "auto")) is MemoryEngine
    assert ic.anonymize("elsewhere:people", **ASKED).verdict.passed


def test_an_engine_is_found_by_its_name(elsewhere):
    release = ic.anonymize(PEOPLE, engine="elsewhere", **ASKED)
    policy = ic.policy(**ASKED)
    ic.preview(PEOPLE, policy, engine="elsewhere")
    ic.apply_recoding(release.recoding, PEOPLE, engine="elsewhere")
    assert elsewhere.opened == 3
    ic.measure_release(release.table, PEOPLE, policy, engine="elsewhere")
    ic.compare(PEOPLE, policy, algorithms="flash", engine="elsewhere")  # rows in memory, too
    assert elsewhere.opened == 6


@pytest.mark.parametrize("name", ["abacus", "Memory", ""])
def test_an_engine_that_does_not_exist_is_refused(name, elsewhere):
    with pytest.raises(ParameterError, match="no engine called") as caught:
        ic.anonymize(PEOPLE, engine=name, **ASKED)
    assert "auto, memory, duckdb, spark, database or elsewhere" in caught.value.hint


def test_what_is_no_table_is_refused_by_the_engine():
    with pytest.raises(InputError):
        engine_for(7)


@pytest.mark.parametrize(
    "command",
    [
        ("anonymize", "people.csv", "-p", "policy.toml", "-o", "o.csv"),
        ("measure", "people.csv", "--original", "people.csv", "-p", "policy.toml"),
        ("compare", "people.csv", "-p", "policy.toml", "--algorithms", "flash"),
    ],
    ids=lambda words: words[0],
)
def test_the_command_line_refuses_it_too(command, tmp_path, monkeypatch):
    make_people(tmp_path)
    monkeypatch.chdir(tmp_path)
    ran = incrowd(*command, "--engine", "abacus")
    assert ran.code == 2
    assert "auto, memory, duckdb, spark or database" in ran.err
    assert not (tmp_path / "o.csv").exists()


def test_apply_chooses_its_engine_too(tmp_path, monkeypatch, elsewhere):
    make_people(tmp_path)
    monkeypatch.chdir(tmp_path)
    made = ("anonymize", "people.csv", "-p", "policy.toml", "-o", "o.csv", "--recoding", "r.json")
    assert incrowd(*made, "--engine", "elsewhere").code == 0
    assert (
        incrowd("apply", "r.json", "people.csv", "-o", "n.csv", "--engine", "elsewhere").code == 0
    )
    assert elsewhere.opened == 2
    assert incrowd("apply", "r.json", "people.csv", "-o", "n.csv", "--engine", "x").code == 2


def test_what_was_counted_is_not_changed_by_another_count():
    engine = engine_for(PEOPLE)
    policy = ic.policy(**ASKED)
    first = state_problem(engine, policy)
    before = first.counted.tuple_of.copy()
    other = ic.policy(quasi_identifiers=["pay"], insensitive=["age"], k=1)
    second = state_problem(engine, other)
    assert second.counted.table.columns == ("pay",)
    assert first.counted.table.columns == ("age",)
    assert first.counted.tuple_of.tolist() == before.tolist()


def test_no_order_of_rows_decides_what_is_carried():
    rows = pa.table({"age": [1, 2, 1, 2, 3], "pay": ["b", None, "a", "b", "c"]})
    policy = ic.policy(quasi_identifiers=["age"], target="pay", k=1)
    for order in ([0, 1, 2, 3, 4], [4, 3, 1, 2, 0]):
        found = state_problem(engine_for(rows.take(order)), policy, ("target",)).problem
        assert found.target.texts == ("a", "b", "c", None)
        codes = found.table.carried["pay"]
        pairs = zip(found.table.codes[0].tolist(), codes.tolist(), strict=True)
        assert sorted(pairs) == [(0, 0), (0, 1), (1, 1), (1, 3), (2, 2)]


def test_a_column_is_spread_over_the_tuples():
    counted = state_problem(engine_for(PEOPLE), ic.policy(**ASKED)).counted
    spread = counted.spread("pay")
    texts = spread.carried_values["pay"]
    assert texts == ("a", "b", "c")
    rows = zip(counted.tuple_of.tolist(), map(texts.index, PEOPLE["pay"]), strict=True)
    pairs = zip(spread.codes[0].tolist(), spread.carried["pay"].tolist(), strict=True)
    assert sorted(pairs) == sorted(rows)
    assert spread.records.tolist() == [1] * 6
