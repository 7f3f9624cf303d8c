"""Tables of Spark with more different rows than may be collected: searched where they are."""

import datetime as dt
import stat
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
import spark_sessions
from frame_kinds import rows_of
from incrowd.algorithms.elsewhere import TooManyTuplesError
from incrowd.datasets import census, census_hierarchies
from incrowd.engines.spark import session
from incrowd.errors import IncrowdError, ParameterError
from incrowd.hierarchies import hierarchy_from_rows

COLUMNS = ("age", "education", "marital_status", "country", "sex")


@pytest.fixture(scope="module")
def spark():
    return spark_sessions.classic()


@pytest.fixture(scope="module")
def people():
    return census(6_000, seed=3)


@pytest.fixture(scope="module")
def path(people, tmp_path_factory):
    path = tmp_path_factory.mktemp("census") / "people.parquet"
    pq.write_table(people, path, row_group_size=1_000)
    return str(path)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A folder of its own for whatever is temporary."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def asked(*requirements, **more):
    trees = census_hierarchies()
    named = {name: hierarchy_from_rows(trees[name]) for name in COLUMNS[1:]}
    described = {
        "quasi_identifiers": {"age": None, **named},
        "sensitive": ["disease"],
        "target": "income",
        "other_columns": "drop",
        "requirements": requirements or (ic.KAnonymity(5),),
    }
    return ic.policy(**{**described, **more})


def same(here, there, names=(*COLUMNS, "disease", "income")):
    """Hold a release that was searched elsewhere to the one of tuples in memory."""
    assert any("different rows" in note for note in there.notes)
    assert not any("different rows" in note for note in here.notes)
    assert there.recoding.to_text() == here.recoding.to_text()
    assert rows_of(there.table, names) == rows_of(here.table, names)
    assert there.facts == here.facts
    assert "entropy" not in there.metrics
    wanted = {name: here.metrics[name] for name in here.metrics if name != "entropy"}
    assert there.metrics == pytest.approx(wanted, rel=1e-12)  # sums in another order
    assert there.verdict.passed


K, TOWNS = (ic.KAnonymity(5),), (ic.KAnonymity(20, on=("age", "country")),)
DIVERSE = (*K, ic.LDiversity(2, "disease"), ic.TCloseness(0.5, "disease"))


@pytest.mark.parametrize(
    ("name", "requirements", "limit"),
    [("tdr", K, 1_000), ("tdr", DIVERSE, 2_000), ("mondrian", DIVERSE, 2_600),
     ("mondrian", TOWNS, 2_300)],
)  # fmt: skip
def test_the_same_as_in_memory(spark, people, path, name, requirements, limit):
    policy = asked(*requirements)
    here = ic.anonymize(people, policy, algorithm=name)
    frame = spark.read.parquet(path)
    with ic.anonymize(frame, policy, algorithm=name, collect_limit=limit) as there:
        same(here, there)


def test_tds_and_a_frame_of_connect(people, path):
    here = ic.anonymize(people, asked(), algorithm="tds")
    frame = spark_sessions.connect().read.parquet(path)
    with ic.anonymize(frame, asked(), algorithm="tds", collect_limit=1_400) as there:
        same(here, there)
    here = ic.anonymize(people, asked(target=None), algorithm="mondrian")
    with ic.anonymize(frame, asked(target=None), algorithm="mondrian", collect_limit=700) as there:
        same(here, there, (*COLUMNS, "disease"))


def hostile():
    """A table whose cells are of all kinds, with missing ones and two zeros."""
    at = np.arange(1_500)
    chance = np.random.default_rng(7)
    heights = chance.integers(-3, 4, 1_500) / 2 * np.where(at % 2, 1.0, -1.0)
    return pa.table(
        {
            "height": pa.array(heights, mask=chance.random(1_500) < 0.1),
            "born": [dt.date(1950, 1, 1) + dt.timedelta(int(n)) for n in at * 31 % 700],
            "paid": [Decimal(int(n)) / 4 for n in chance.integers(0, 200, 1_500)],
            "town": pa.array([f"town {n}" for n in at % 7], mask=chance.random(1_500) < 0.2),
            "ward": pa.array([f"ward {n}" for n in at % 3], mask=chance.random(1_500) < 0.1),
            "n": pa.array(1 + at % 4, pa.int32()),
            "row": at,
        }
    )


@pytest.mark.parametrize("count", [None, "n"])
def test_cells_of_every_kind(spark, tmp_path, count):
    table = hostile()
    pq.write_table(table, tmp_path / "people.parquet", row_group_size=100)
    policy = ic.policy(
        quasi_identifiers={"height": None, "born": None, "paid": None, "town": None},
        sensitive=["ward"], insensitive=["row"], count=count, other_columns="drop",
        requirements=[ic.KAnonymity(4), ic.LDiversity(2, "ward")],
    )  # fmt: skip
    here = ic.anonymize(table, policy, algorithm="mondrian")
    frame = spark.read.parquet(str(tmp_path / "people.parquet"))
    with ic.anonymize(frame, policy, algorithm="mondrian", collect_limit=1_200) as there:
        assert there.recoding.to_text() == here.recoding.to_text()
        assert there.facts == here.facts
        names = ("height", "born", "paid", "town", "ward", "row")
        assert rows_of(there.table, names) == rows_of(here.table, names)


def test_tables_that_are_too_large_to_be_sent(spark, people, path, monkeypatch):
    monkeypatch.setattr(session, "BROADCAST", 0)
    here = ic.anonymize(people, asked(), algorithm="mondrian")
    with ic.anonymize(
        spark.read.parquet(path), asked(), algorithm="mondrian", collect_limit=700
    ) as there:
        same(here, there)


@pytest.mark.parametrize(
    ("algorithm", "more", "says"),
    [
        ("flash", {}, "'flash' looks at every different row"),
        ("auto", {}, "every different row"),
        ("local-search", {}, "mondrian, tdr, tds"),
        (ic.Mondrian(variant="relaxed"), {}, "strict"),
        (ic.TDR(suppression_limit=0.1), {}, "suppression_limit"),
        ("tdr", {"target": None}, "target"),
        ("mondrian", {"labels": "set"}, "set"),
        ("tdr", {"levels": {"education": (0, 1)}}, "highest level"),
    ],
)
def test_what_needs_every_row_is_refused(spark, path, temporary, algorithm, more, says):
    frame = spark.read.parquet(path)
    with pytest.raises(IncrowdError) as caught:
        ic.anonymize(frame, asked(**more), algorithm=algorithm, collect_limit=700)
    assert says in f"{caught.value.message} {caught.value.hint}"
    assert caught.value.hint
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("unknown", ["suppress", "missing"])
def test_cells_that_are_mended(unknown, spark, tmp_path):
    """What was counted already is counted once more when odd cells are mended."""
    table = hostile().append_column(
        "size", pa.array([str(at % 90) if at % 40 else "tall" for at in range(1_500)])
    )
    pq.write_table(table, tmp_path / "people.parquet")
    policy = ic.policy(
        quasi_identifiers={"size": None, "town": None}, insensitive=["row"],
        kinds={"size": "number"}, unknown={"size": unknown}, other_columns="drop", k=3,
        cleaning={"town": {"case": "upper"}},
    )  # fmt: skip
    here = ic.anonymize(table, policy, algorithm="mondrian")
    frame = spark.read.parquet(str(tmp_path / "people.parquet"))
    with ic.anonymize(frame, policy, algorithm="mondrian", collect_limit=400) as there:
        assert any("different rows" in note for note in there.notes)
        assert there.recoding.to_text() == here.recoding.to_text()
        names = ("size", "town", "row")
        assert rows_of(there.table, names) == rows_of(here.table, names)
        assert "'row' is released as it is, and has too many" in there.summary()


def test_persons_are_refused(spark, people, tmp_path):
    table = people.append_column("who", pa.array(np.arange(6_000) % 500))
    pq.write_table(table, tmp_path / "people.parquet")
    frame = spark.read.parquet(str(tmp_path / "people.parquet"))
    with pytest.raises(ParameterError, match="persons"):
        ic.anonymize(frame, asked(entity="who"), algorithm="mondrian", collect_limit=700)


def test_too_few_may_be_collected_for_the_cut(spark, path, temporary):
    with pytest.raises(TooManyTuplesError, match="at once"):
        ic.anonymize(spark.read.parquet(path), asked(), algorithm="tdr", collect_limit=200)
    assert list(temporary.iterdir()) == []


def test_whoever_looks_at_every_row_is_refused(spark, people, path, temporary):
    frame = spark.read.parquet(path)
    release = ic.anonymize(people, asked(), algorithm="tdr")
    for work in (
        lambda: ic.apply_recoding(release.recoding, frame, collect_limit=700),
        lambda: ic.measure_release(release.table, frame, asked(), collect_limit=700),
    ):
        with pytest.raises((ParameterError, TypeError)):
            work()
    assert list(temporary.iterdir()) == []


def test_nothing_is_left_behind_and_nothing_is_said(spark, path, temporary):
    frame = spark.read.parquet(path)
    release = ic.anonymize(frame, asked(), algorithm="tdr", collect_limit=1_400)
    (folder,) = temporary.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [each.name for each in folder.iterdir()] == ["rows"]
    assert release.what_if().neighbours == ()
    assert "different rows" in release.summary()
    release.close()
    assert list(temporary.iterdir()) == []


def test_no_value_stands_in_plans_and_logs(spark, tmp_path, monkeypatch):
    table = pa.table(
        {
            "age": np.arange(900) % 83,
            "town": [f"S3CRET{at % 41}" for at in range(900)],
            "ill": [f"S3CRET-{at % 5}" for at in range(900)],
            "pay": ["S3CRETlow" if at % 83 < 40 else "S3CREThigh" for at in range(900)],
        }
    )
    pq.write_table(table, tmp_path / "people.parquet")
    frame = spark.read.parquet(str(tmp_path / "people.parquet"))
    policy = ic.policy(
        quasi_identifiers=["age", "town"], sensitive=["ill"], target="pay",
        requirements=[ic.KAnonymity(6), ic.LDiversity(2, "ill")],
    )  # fmt: skip
    for name, limit in (("mondrian", 600), ("tdr", 860)):
        with ic.anonymize(frame, policy, algorithm=name, collect_limit=limit) as release:
            assert any("different rows" in note for note in release.notes)
    logged = b"".join(
        each.read_bytes() for each in spark_sessions.logs().rglob("*") if each.is_file()
    )
    assert b"SparkListenerSQLExecutionStart" in logged
    assert b"S3CRET" not in logged
