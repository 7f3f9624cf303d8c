"""Tables of Spark: the same decision, the same rows, nothing said and nothing left behind."""

import datetime as dt
import os
import stat
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
import spark_sessions
from frame_kinds import rows_of
from incrowd.datasets import census, census_hierarchies
from incrowd.engines import engine_for
from incrowd.engines.spark import applying, session
from incrowd.errors import InputError, ParameterError
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.release import anonymize_file
from incrowd.release.problem import state_problem

NAN = float("nan")
COLUMNS = ("sex", "age", "marital_status", "education")


@pytest.fixture(scope="module")
def spark():
    return spark_sessions.classic()


@pytest.fixture(scope="module")
def people():
    table = census(3_000)
    return table.append_column("row", pa.array(range(len(table))))


@pytest.fixture(scope="module")
def frame(spark, people, tmp_path_factory):
    """The same people, from a file: no plan of the frame itself quotes a cell."""
    path = tmp_path_factory.mktemp("census") / "people.parquet"
    pq.write_table(people, path, row_group_size=1_000)
    return spark.read.parquet(str(path))


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A folder of its own for whatever is temporary."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def asked(**more):
    trees = census_hierarchies()
    described = {
        "quasi_identifiers": {name: hierarchy_from_rows(trees[name]) for name in COLUMNS},
        "sensitive": ["disease"],
        "target": "income",
        "k": 10,
        "other_columns": "drop",
    }
    return ic.policy(**{**described, **more})


def same(here, there, names):
    assert there.recoding.to_text() == here.recoding.to_text()
    assert rows_of(there.table, names) == rows_of(here.table, names)
    assert there.facts == here.facts


@pytest.mark.parametrize("name", ["mondrian", "local-search", "mu-argus"])
def test_the_recoding_and_the_released_rows_are_the_same(name, people, frame):
    policy = asked()
    here = ic.anonymize(people, policy, algorithm=name)
    with ic.anonymize(frame, policy, algorithm=name) as there:
        same(here, there, (*COLUMNS, "disease") if name != "local-search" else COLUMNS)
        assert there.metrics == here.metrics


@pytest.mark.parametrize("suppressed", ["mask", "drop"])
def test_suppressed_records_and_what_is_carried(suppressed, people, frame):
    policy = asked(k=25, suppressed=suppressed)
    flash = ic.Flash(suppression_limit=0.3)
    here = ic.anonymize(people, policy, algorithm=flash)
    assert here.facts["suppressed"]
    with ic.anonymize(frame, policy, algorithm=flash) as there:
        same(here, there, (*COLUMNS, "disease"))


def test_persons_and_counts(spark):
    table = pa.table(
        {
            "age": [31, 31, 32, 33, 41, 42, 43, 43] * 4,
            "who": [f"p{at % 11}" for at in range(32)],
            "pay": list("babcabca") * 4,
        }
    )
    described = {"quasi_identifiers": {"age": ic.intervals(5, 10)}, "insensitive": ["pay"]}
    policy = ic.policy(**described, entity="who", k=3)
    here = ic.anonymize(table, policy)
    with ic.anonymize(spark.createDataFrame(table), policy) as there:
        same(here, there, ["age", "pay"])
        assert there.facts["persons"] == 11
    counted = table.drop(["who"]).append_column("n", pa.array([1, 2, 3, 4] * 8, pa.int32()))
    policy = ic.policy(**described, count="n", k=7)
    for name in ("flash", "local-search"):
        here = ic.anonymize(counted, policy, algorithm=name)
        with ic.anonymize(spark.createDataFrame(counted), policy, algorithm=name) as there:
            assert there.recoding.to_text() == here.recoding.to_text()
            assert there.facts == here.facts
            total = there.table.selectExpr("sum(n)").collect()[0][0]
            assert total == sum(counted.column("n").to_pylist())


def test_a_join_that_is_too_large_to_be_sent_to_every_worker(people, frame, monkeypatch):
    here = ic.anonymize(people, asked(), algorithm="local-search")
    monkeypatch.setattr(session, "BROADCAST", 0)
    with ic.anonymize(frame, asked(), algorithm="local-search") as there:
        same(here, there, COLUMNS)


@pytest.mark.parametrize("broadcast", [session.BROADCAST, 0])
def test_the_order_is_drawn_anew(broadcast, people, frame, monkeypatch):
    monkeypatch.setattr(session, "BROADCAST", broadcast)
    policy = asked(other_columns="keep", k=5, sensitive=(), target=None)
    with ic.anonymize(frame, policy) as one, ic.anonymize(frame, policy) as other:
        orders = [each.table.toArrow().column("row").to_numpy() for each in (one, other)]
    assert sorted(orders[0]) == sorted(orders[1])
    ranks = np.arange(len(orders[0]))
    for order in orders:
        assert abs(np.corrcoef(ranks, order)[0, 1]) < 0.1  # 1 / sqrt(3,000) is 0.018
        assert abs(np.corrcoef(order[1:], order[:-1])[0, 1]) < 0.1
    assert abs(np.corrcoef(np.argsort(orders[0]), np.argsort(orders[1]))[0, 1]) < 0.1


def test_values_that_were_mended_are_not_kept_with_the_rows(spark, temporary):
    table = pa.table({"sex": ["f", "w", "F", "M", "m", "M"] * 5})
    policy = ic.policy(
        quasi_identifiers={"sex": ic.suppression()},
        k=5,
        cleaning={"sex": {"case": "upper", "clean": {"F": ["W"]}}},
    )
    with ic.anonymize(spark.createDataFrame(table.to_pandas()), policy) as release:
        assert rows_of(release.table) == {("F",): 15, ("M",): 15}
        [folder] = temporary.iterdir()
        assert [each.name for each in folder.iterdir()] == ["rows"]
    assert not list(temporary.iterdir())


def test_nothing_is_said_in_plans_and_logs(spark, tmp_path, monkeypatch):
    towns = [f"CANARY-{at}-town" for at in range(6)]
    table = pa.table(
        {
            "town": towns * 10,
            "name": [f"CANARY-{at}-person" for at in range(60)],
            "ill": [f"CANARY-{at % 7}-illness" for at in range(60)],
            "age": [100_007 + at for at in range(60)],
        }
    )
    pq.write_table(table, tmp_path / "people.parquet")
    keys = []
    monkeypatch.setattr(applying, "key_text", lambda: keys.append("k3yCANARYk3y") or keys[-1])
    policy = ic.policy(
        quasi_identifiers={"town": ic.auto(), "age": ic.intervals(100)},
        identifiers=["name"], sensitive=["ill"], k=3,
    )  # fmt: skip
    for name in ("local-search", "mondrian"):
        frame = spark.read.parquet(str(tmp_path / "people.parquet"))
        with ic.anonymize(frame, policy, algorithm=name) as release:
            assert release.metrics
            assert release.table.count() == 60
            assert ic.verify(release.table, policy).passed
    assert keys
    logged = b"".join(
        path.read_bytes() for path in spark_sessions.logs().rglob("*") if path.is_file()
    )
    assert b"SparkListenerSQLExecutionStart" in logged
    assert b"CANARY" not in logged
    for digits in (b"100007", b"100011", b"100066"):
        assert digits not in logged


def test_nothing_is_left_and_what_is_handed_out_stays(frame, temporary):
    with ic.anonymize(frame, asked()):
        [folder] = temporary.iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert os.listdir(folder) == ["rows"]
    assert list(temporary.iterdir()) == []
    table = ic.anonymize(frame, asked()).table  # nobody holds the release
    assert table.where("sex is not null").count() > 0
    [folder] = temporary.iterdir()


def test_a_staging_folder(frame, tmp_path, temporary):
    staging = tmp_path / "shared"
    staging.mkdir()
    with ic.anonymize(frame, asked(), staging=staging.as_uri()) as release:
        table = release.table
        assert table.columns == release.table.columns
    [kept] = staging.iterdir()
    assert kept.name.startswith("incrowd-release-")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700
    assert table.count() == release.facts["released"]
    assert ic.verify(kept, asked()).passed


def test_a_file_of_the_release_that_somebody_changes_is_not_handed_out(frame, tmp_path):
    release = ic.anonymize(frame, asked(), staging=tmp_path)
    [file, *_] = next(tmp_path.glob(".incrowd*")).glob("rows/*.parquet")
    file.write_bytes(file.read_bytes())
    with pytest.raises(InputError, match="changed"):
        release.table  # noqa: B018
    release.close()


def test_verify_measure_inspect_and_apply(people, frame):
    policy = asked()
    with ic.anonymize(frame, policy, algorithm="mondrian") as release:
        table = release.table
        assert str(ic.verify(table, policy)) == str(ic.verify(table.toArrow(), policy))
        there = ic.measure_release(table, frame, policy)
        assert there == ic.measure_release(table.toArrow(), people, policy)
        with ic.apply_recoding(release.recoding, frame) as again:
            expected = ic.apply_recoding(release.recoding, people)
            assert rows_of(again.table, COLUMNS) == rows_of(expected.table, COLUMNS)
    with pytest.raises(Exception, match="broken"):
        ic.verify(frame.drop("row"), asked(other_columns="keep", target=None)).raise_if_failed()


def test_verify_tells_zeros_apart(spark):
    policy = ic.policy(quasi_identifiers=["height"], k=2)
    for values in ([0.0, -0.0, 1.0, 1.0], [float("nan"), None, 1.0, 1.0]):
        frame = spark.createDataFrame(pa.table({"height": values}))
        with pytest.raises(InputError, match="read alike"):
            ic.verify(frame, policy)


def test_frames_that_cannot_be_recounted(spark):
    policy = ic.policy(quasi_identifiers=["age"], k=1)
    for made in ("array(1, 2)", "map(1, 2)", "named_struct('a', 1)", "CAST('a' AS BINARY)"):
        with pytest.raises(InputError, match="without a text"):
            ic.verify(spark.sql(f"SELECT {made} AS age"), policy)
    with pytest.raises(InputError, match=r"AnalysisException|fails"):
        ic.verify(spark_sessions.connect().read.parquet("/nowhere/people"), policy)


@pytest.mark.parametrize("limit", [0, -1, 1.5, "5", True, float("nan")])
def test_a_collect_limit_that_is_none(limit, frame):
    with pytest.raises(ParameterError, match="no number of rows"):
        ic.anonymize(frame, asked(), collect_limit=limit)


def test_a_collect_limit_beyond_what_spark_can_count(frame):
    with ic.anonymize(frame, asked(), collect_limit=2**40) as release:
        assert release.verdict.passed


def test_more_tuples_than_may_be_collected(frame):
    with pytest.raises(ParameterError, match="there are more than 100 of the col") as raised:
        ic.anonymize(frame, asked(), collect_limit=100)
    assert "collect_limit" in raised.value.hint


def test_rows_that_are_others_each_time_are_refused(spark, temporary):
    frame = spark.range(400).selectExpr(
        "substr(java_method('java.util.UUID', 'randomUUID'), 1, 2) AS age",
        "CAST(id AS STRING) AS pay",
    )
    with pytest.raises(InputError, match=r"records were made|fails"):
        ic.anonymize(frame, quasi_identifiers=["age"], insensitive=["pay"], k=1)
    assert list(temporary.iterdir()) == []


def test_what_stands_beside_a_field_is_left_behind(spark, tmp_path):
    from pyspark.sql.types import LongType, StringType, StructField, StructType

    beside = {"values": ["CANARY"]}
    schema = StructType([StructField("age", LongType(), True, beside),
                         StructField("pay", StringType(), True, beside)])  # fmt: skip
    frame = spark.createDataFrame([(age, "much") for age in (31, 32, 33)], schema)
    with ic.anonymize(
        frame, quasi_identifiers=["age"], insensitive=["pay"], k=3, staging=tmp_path
    ) as release:
        assert all(not field.metadata for field in release.table.schema.fields)
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*.parquet"))
    assert b"much" in written
    assert b"CANARY" not in written


def test_moments_of_every_century(spark, tmp_path):
    """Readers other than Spark see what Spark sees, whatever the session writes by itself."""
    moments = [dt.datetime(year, 12, 31, 1, 30) for year in (1, 1500, 2024, 2300, 9999)] + [None]
    table = pa.table(
        {
            "age": [40] * 6,
            "left": pa.array(moments, pa.timestamp("us", tz="UTC")),
            "day": pa.array([each and each.date() for each in moments]),
        }
    )
    pq.write_table(table, tmp_path / "people.parquet")
    rebasing = "spark.sql.parquet.datetimeRebaseModeInWrite"
    before = spark.conf.get(rebasing)
    spark.conf.set(rebasing, "LEGACY")
    policy = ic.policy(quasi_identifiers=["age"], insensitive=["left", "day"], k=3)
    try:
        paths = [tmp_path / name for name in ("people.parquet", "released.parquet")]
        anonymize_file(*paths, policy, engine="spark").close()
        assert spark.conf.get(rebasing) == "LEGACY"
    finally:
        spark.conf.set(rebasing, before)
    assert rows_of(pq.read_table(tmp_path / "released.parquet")) == rows_of(table)


PATHS = ["p[1].parquet", "p?.parquet", "p{1,2}.parquet", "p\\1.parquet", "f[1]", "d/*/*.parquet"]


@pytest.mark.parametrize("name", PATHS)
def test_a_path_is_read_as_by_every_other_engine(name, spark, tmp_path):
    table = pa.table({"age": [31, 32, 33, 34]})
    for other in ("p1.parquet", "px.parquet", "f1/a.parquet"):
        (tmp_path / other).parent.mkdir(exist_ok=True)
        pq.write_table(pa.table({"age": list(range(90))}), tmp_path / other)
    files = {"f[1]": ["f[1]/a{b}.parquet", "f[1]/deep/b.parquet"],
             "d/*/*.parquet": ["d/zip=01/a.parquet", "d/zip=02/b.parquet"]}  # fmt: skip
    for file in files.get(name, [name]):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, tmp_path / file)
    (tmp_path / "f[1]").mkdir(exist_ok=True)
    (tmp_path / "f[1]" / "README.txt").write_text("no table")
    here, there = (engine_for(tmp_path / name, engine) for engine in ("memory", "spark"))
    assert there.names == here.names
    assert there.n_rows == here.n_rows
    for column in here.names:
        found = [engine.distinct(column, missing=()).texts for engine in (here, there)]
        assert sorted(found[0]) == sorted(found[1])


def test_a_folder_that_is_called_like_a_column(spark, tmp_path):
    (tmp_path / "age=31").mkdir()
    pq.write_table(pa.table({"age": [32, 33]}), tmp_path / "age=31" / "a.parquet")
    with pytest.raises(InputError, match="folders are called after it"):
        engine_for(tmp_path, "spark")


def test_names_that_need_quoting(spark):
    table = pa.table({"a.b": [1, 2, 3], "`x`": ["m", "m", "m"], "größe, (cm)": [5, 6, 7]})
    with ic.anonymize(
        spark.createDataFrame(table), quasi_identifiers=["a.b", "`x`"],
        insensitive=["größe, (cm)"], k=3,
    ) as release:  # fmt: skip
        assert release.table.columns == table.column_names


def test_collations_do_not_decide(spark):
    frame = spark.createDataFrame(pa.table({"town": ["Ulm", "ulm", "ULM"], "n": [1, 2, 3]}))
    frame = frame.selectExpr("collate(town, 'UTF8_LCASE') AS town", "n")
    found = engine_for(frame).distinct("town", missing=())
    assert sorted(found.texts) == ["ULM", "Ulm", "ulm"]
    policy = ic.policy(quasi_identifiers={"town": ic.suppression()}, insensitive=["n"], k=3)
    assert len(state_problem(engine_for(frame), policy).problem.table.records) == 3


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda spark: spark.range(3).selectExpr("id AS Age", "id AS age"), "capital letters"),
        (lambda spark: spark.range(3).selectExpr("id AS age", "id AS age"), "same name"),
        (lambda spark: spark.range(3).selectExpr("id AS age").limit(0), "no records"),
        (lambda spark: spark.readStream.format("rate").load(), "stream"),
        (lambda spark: spark.range(3).selectExpr("CAST(concat('S3C', id) AS INT) AS age"), "fails"),
        (lambda spark: spark.range(3).selectExpr("array(id) AS age"), "without a text"),
    ],
)
def test_frames_that_are_no_tables(make, match, spark):
    with pytest.raises(InputError, match=match) as raised:
        ic.anonymize(make(spark), quasi_identifiers=["age"], k=1)
    assert "S3C" not in str(raised.value)


def test_settings_that_would_do_nothing(frame, people, tmp_path):
    with pytest.raises(ParameterError, match="Spark has settings of its own"):
        ic.anonymize(frame, asked(), memory="2GB")
    for more in ({"staging": tmp_path}, {"collect_limit": 5}):
        with pytest.raises(ParameterError, match="for tables of Spark"):
            ic.anonymize(people, asked(), **more)
    for staging, match in [("s3a://bucket/x", "recounted"), (tmp_path / "no", "no folder")]:
        with pytest.raises(ParameterError, match=match):
            ic.anonymize(frame, asked(), staging=staging)
    odd = tmp_path / "a[b]"
    odd.mkdir()
    with pytest.raises(ParameterError, match="pattern"):
        ic.anonymize(frame, asked(), staging=odd)
    with pytest.raises(InputError, match="no table of Spark"):
        ic.anonymize(people, asked(), engine="spark")


def test_frames_of_two_sessions_are_counted_each_by_its_own(spark, people, frame, tmp_path):
    pq.write_table(people, tmp_path / "people.parquet")
    other = spark_sessions.connect().read.parquet(str(tmp_path / "people.parquet"))
    policy = asked()
    with ic.anonymize(frame, policy) as release:
        found = ic.measure_release(release.table, other, policy)
        assert found["records"] == len(people)


def test_java_that_is_absent_or_too_old(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(ParameterError, match="no Java is found"):
        session.check_java()
    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin" / "java"
    java.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_402\"' >&2\n")
    java.chmod(0o755)
    with pytest.raises(ParameterError, match="Java 8 is too old") as raised:
        session.check_java()
    assert "17" in raised.value.hint


def test_every_type_of_quasi_identifier(spark, tmp_path):
    days = [dt.date(1969, 12, 31) + dt.timedelta(at % 4 * 400) for at in range(23)]
    moments = [dt.datetime(1950, 3, 1, 2, at % 3, 1, at % 2) for at in range(23)]
    table = pa.table(
        {
            "day": pa.array([*days, None]),
            "moment": pa.array([*moments, None], pa.timestamp("us")),
            "zoned": pa.array([*moments, None], pa.timestamp("us", tz="UTC")),
            "paid": pa.array([Decimal(f"{at % 3}.50") for at in range(23)] + [None]),
            "well": pa.array([True, None, False, True] * 6),
            "height": pa.array([0.0, -0.0, NAN, 1.5, None, -1.5] * 4, pa.float32()),
            "small": pa.array([-128, 127, None] * 8, pa.int8()),
            "large": pa.array([2**62, -(2**63), 2**53 + 1] * 8),
        }
    )
    pq.write_table(table, tmp_path / "people.parquet")
    frame = spark.read.parquet(str(tmp_path / "people.parquet"))
    policy = ic.policy(quasi_identifiers=table.column_names, k=1)  # every row is one of the tuples
    here = ic.anonymize(table, policy, algorithm="flash")
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    try:
        with ic.anonymize(frame, policy, algorithm="flash") as there:
            assert there.recoding.to_text() == here.recoding.to_text()
            assert there.facts["released"] == len(table)
            assert rows_of(there.table) == rows_of(here.table)
        with ic.anonymize(frame, policy, algorithm="local-search") as there:
            assert there.facts["released"] == len(table)
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
