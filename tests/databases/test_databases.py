"""Tables of databases: the same decision and rows as in memory, in one transaction, or nothing."""

import datetime as dt
import os
import pickle
from collections import Counter
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import incrowd as ic
from database_tables import KINDS, Place, typed
from frame_kinds import rows_of
from incrowd.engines import base
from incrowd.errors import IncrowdError, InputError, OutputError, ParameterError

NAN = float("nan")
QI = ("age", "town", "code", "height")


@pytest.fixture(params=KINDS)
def place(request, tmp_path):
    server = None
    if request.param == "postgresql":
        server = request.getfixturevalue("postgres")
        server.run("DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    return Place(request.param, tmp_path, server)


def people(kind="memory"):
    """Hostile: missing cells, ties, -0.0, NaN, decimals, 39 beside 39.0, capitals."""
    seen = [dt.datetime(2024, 3, 30 + day % 2, day, tzinfo=dt.UTC) for day in range(12)]
    found = pa.table(
        {
            "age": pa.array([39, 39, 41, 42, 43, 39, 44, 45, 46, 47, 48, 39], pa.int64()),
            "town": ["Köln", None, "köln", "Köln", None, "北京"] * 2,
            "code": ["39", "39.0", "39", "39.0", "39", "39.0"] * 2,
            "height": [0.0, -0.0, 1.5, NAN, 0.0, -0.0, 1.5, 1.5, 2.5, NAN, 2.5, 2.5],
            "seen": pa.array(seen, pa.timestamp("us", tz="UTC")),
            "paid": pa.array([Decimal(f"{at % 5}.50") for at in range(12)], pa.decimal128(9, 2)),
            "well": [True, False, None] * 4,
            "name": [f"somebody {at}" for at in range(12)],
        }
    )
    return typed(kind, found)


def asked(**more):
    policy = {
        "quasi_identifiers": {
            "age": ic.intervals(5),
            **dict.fromkeys(["town", "code", "height"], ic.auto()),
        },
        "sensitive": ["well"],
        "insensitive": ["seen", "paid"],
        "identifiers": ["name"],
        "k": 3,
    }
    return ic.policy(**{**policy, **more})


@pytest.mark.parametrize("algorithm", ["flash", "local-search", "mondrian"])
@pytest.mark.parametrize("query", [False, True])
def test_the_same_decision_and_the_same_rows(place, algorithm, query):
    table = people(place.kind)
    place.put("people", table)
    rows = place.query("SELECT * FROM people -- all") if query else place.table("people")
    expected = ic.anonymize(table, asked(), algorithm=algorithm)
    with ic.anonymize(rows, asked(), algorithm=algorithm) as release:
        assert release.recoding.to_text() == expected.recoding.to_text()
        assert rows_of(release.table, QI) == rows_of(expected.table, QI)
        for name in ("paid", "well", "seen"):
            assert rows_of(release.table, [name]) == rows_of(table, [name])


def test_a_frame_brought_into_memory_is_the_same(place):
    place.put("people", people(place.kind))
    expected = ic.anonymize(people(place.kind), asked())
    found = ic.anonymize(place.table("people"), asked(), engine="memory")
    assert found.recoding.to_text() == expected.recoding.to_text()
    assert len(ic.compare(place.table("people"), asked(), algorithms="datafly").rows()) == 1


def test_into_the_database_and_all_that_looks_at_it(place, tmp_path):
    place.put("people", people(place.kind))
    saved = tmp_path / "r.json"
    release = ic.anonymize_file(
        place.table("people"), place.table("released"), asked(), recoding=saved
    )
    assert place.tables() == ["people", "released"]
    names = [name for name in people().column_names if name not in ("name", "seen")]
    assert len(place.read(f"SELECT {', '.join(names)} FROM released")) == 12
    assert ic.verify(place.table("released"), asked()).passed
    assert not ic.verify(place.table("released"), asked(k=13)).passed
    measured = ic.measure_release(place.table("released"), place.table("people"), asked())
    assert measured["metrics"]["loss"] == pytest.approx(release.metrics["loss"])
    ic.apply_file(saved, place.table("people"), place.table("applied"))
    assert place.tables() == ["applied", "people", "released"]


def test_a_file_goes_into_a_database_and_back(place, tmp_path):
    place.put("people", people(place.kind))
    into_file = tmp_path / "released.csv"
    ic.anonymize_file(place.table("people"), into_file, asked())
    assert ic.verify(into_file, asked()).passed
    csv = tmp_path / "people.csv"
    csv.write_text("age,sex\n" + "31,f\n32,f\n33,f\n41,m\n42,m\n43,m\n")
    simple = ic.policy(quasi_identifiers={"age": ic.intervals(5), "sex": ic.auto()}, k=3)
    ic.anonymize_file(csv, place.table("from_file"), simple)
    rows = Counter(place.read("SELECT age, sex FROM from_file"))
    assert rows == {("[30, 35)", "f"): 3, ("[40, 45)", "m"): 3}


def test_a_column_that_compares_without_capitals_keeps_them_apart(place):
    collation = {"duckdb": "COLLATE NOCASE", "sqlite": "COLLATE NOCASE"}.get(place.kind, "")
    if place.kind == "postgresql":
        place.run(
            "CREATE COLLATION no_case (provider = icu, locale = 'und-u-ks-level2', "
            "deterministic = false)"
        )
        collation = "COLLATE no_case"
    place.run(f"CREATE TABLE letters (a VARCHAR(9) {collation})")
    place.run("INSERT INTO letters VALUES ('a'), ('A'), ('a'), ('b'), ('B')")
    policy = ic.policy(quasi_identifiers={"a": ic.suppression()}, k=1)
    with ic.anonymize(place.table("letters"), policy) as release:
        assert rows_of(release.table) == {("a",): 2, ("A",): 1, ("b",): 1, ("B",): 1}


def test_no_order_is_left_and_two_runs_differ(place):
    n = 2000
    place.put("people", pa.table({"age": [at % 7 for at in range(n)], "nr": list(range(n))}))
    policy = ic.policy(quasi_identifiers={"age": ic.intervals(2)}, insensitive=["nr"], k=3)
    orders = []
    for name in ("one", "two"):
        ic.anonymize_file(place.table("people"), place.table(name), policy)
        orders.append([nr for (nr,) in place.read(f"SELECT nr FROM {name}")])
    assert orders[0] != orders[1]
    for order in orders:
        assert abs(np.corrcoef(order, range(n))[0, 1]) < 0.12  # five standard deviations


def test_persons_and_counts(place):
    rows = pa.table({"age": [31, 31, 32, 41, 41, 42], "who": ["a", "a", "b", "c", "d", "e"],
                     "n": [1, 2, 3, 1, 1, 1]})  # fmt: skip
    place.put("people", rows)
    persons = ic.policy(
        quasi_identifiers={"age": ic.intervals(10)}, entity="who", insensitive=["n"], k=2
    )
    expected = ic.anonymize(rows, persons)
    with ic.anonymize(place.table("people"), persons) as release:
        assert release.facts["persons"] == expected.facts["persons"] == 5
        assert release.recoding.to_text() == expected.recoding.to_text()
    counts = ic.policy(
        quasi_identifiers={"age": ic.intervals(10)}, identifiers=["who"], count="n", k=3
    )
    with ic.anonymize(place.table("people"), counts) as release:
        assert release.facts["records"] == 9
        assert rows_of(release.table) == rows_of(ic.anonymize(rows, counts).table)


@pytest.mark.parametrize(
    ("described", "words"),
    [
        ({}, "names no table"),
        ({"table": "people", "query": "SELECT 1"}, "a table and a query"),
        ({"table": "nobody"}, "no table 'nobody'"),
        ({"table": "no_schema.people"}, "no .*table"),
        ({"query": "SELECT age, nobody_has FROM people"}, "no such column"),
        ({"query": "SELECT age FROM nobody"}, "no such table"),
        ({"query": "SELECT FROM WHERE"}, "cannot understand"),
        ({"query": " ;"}, "empty"),
        ({"table": "a..b"}, "no name"),
    ],
)
def test_what_is_not_there_is_refused(place, described, words):
    place.put("people", people(place.kind))
    with pytest.raises(IncrowdError, match=words) as raised:
        ic.anonymize(ic.database(place.url, **described), asked())
    assert raised.value.exit_code == 2
    assert raised.value.hint


def test_a_column_of_the_policy_that_is_not_there(place):
    place.put("people", people(place.kind).drop_columns(["town"]))
    with pytest.raises(IncrowdError, match="town"):
        ic.anonymize(place.table("people"), asked())


def test_an_empty_table(place):
    place.put("people", people(place.kind).slice(0, 0))
    with pytest.raises(InputError, match="no records"):
        ic.anonymize(place.table("people"), asked())


def test_an_output_that_exists_needs_replace(place):
    place.put("people", people(place.kind))
    place.put("released", pa.table({"mine": [1]}))
    with pytest.raises(OutputError, match="already"):
        ic.anonymize_file(place.table("people"), place.table("released"), asked())
    assert place.read("SELECT mine FROM released") == [(1,)]
    ic.anonymize_file(place.table("people"), place.table("released"), asked(), replace=True)
    assert len(place.read("SELECT age FROM released")) == 12
    assert place.tables() == ["people", "released"]


def test_a_schema_that_is_not_there(place):
    place.put("people", people(place.kind))
    with pytest.raises(IncrowdError):
        ic.anonymize_file(place.table("people"), place.table("nowhere.released"), asked())
    assert place.tables() == ["people"]


def test_the_input_is_never_replaced_whatever_it_is_called(place):
    place.put("people", people(place.kind))
    schema = {"postgresql": "public.", "duckdb": "main.", "sqlite": "main."}[place.kind]
    for name in ("people", f"{schema}people"):
        with pytest.raises(OutputError, match="is an input"):
            ic.anonymize_file(place.table("people"), place.table(name), asked(), replace=True)
    assert len(place.read("SELECT name FROM people")) == 12


def test_what_a_query_or_a_view_is_made_of_is_never_replaced(place):
    place.put("people", people(place.kind))
    place.run(
        'CREATE VIEW seen AS SELECT * FROM "people" WHERE age > 0',
        "CREATE VIEW again AS SELECT * FROM seen",
    )
    for given in (
        place.query("SELECT * FROM People"),
        place.query("SELECT * FROM again"),
        place.table("seen"),
        place.table("again"),
    ):
        with pytest.raises(OutputError):
            ic.anonymize_file(given, place.table("people"), asked(), replace=True)
        assert place.read("SELECT count(*) FROM people") == [(12,)]
    ic.anonymize_file(place.table("again"), place.table("o"), asked())
    ic.anonymize_file(place.table("again"), place.table("o"), asked(), replace=True)
    place.run("DROP VIEW again", "DROP VIEW seen")
    with pytest.raises(OutputError, match="would be overwritten"):
        ic.anonymize_file(
            place.query("SELECT * FROM people"), place.table("people"), asked(), replace=True
        )


def test_a_release_that_fails_the_recount_leaves_nothing(place, monkeypatch):
    import incrowd.release.publish as publishing

    place.put("people", people(place.kind))
    seen = []

    def strict(rows, policy, **options):
        seen.append(type(rows).__name__)
        return ic.verify(rows, asked(k=13), **options)

    monkeypatch.setattr(publishing, "verify", strict)
    with pytest.raises(IncrowdError, match="13-anonymity"):
        ic.anonymize_file(place.table("people"), place.table("released"), asked())
    assert seen == ["OpenTable"]  # what the database gave back was recounted
    assert place.tables() == ["people"]


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_a_new_file_that_fails_is_gone(kind, tmp_path, monkeypatch):
    import incrowd.release.publish as publishing

    def broken(*rows, **options):
        raise InputError("no")

    monkeypatch.setattr(publishing, "verify", broken)
    with pytest.raises(InputError):
        ic.anonymize_file(
            people_file(tmp_path), ic.database(f"{kind}:///{tmp_path}/new.db", table="t"), asked()
        )
    assert [each.name for each in tmp_path.iterdir()] == ["people.parquet"]


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
@pytest.mark.parametrize("fails", [True, False])
def test_a_file_that_somebody_else_makes_meanwhile_is_kept(kind, fails, tmp_path, monkeypatch):
    import incrowd.release.publish as publishing

    (tmp_path / "out").mkdir()
    place = Place(kind, tmp_path / "out")

    def meanwhile(*rows, **options):
        assert not place.file.exists()  # nothing stands there before it was recounted
        place.put("theirs", pa.table({"a": [1, 2]}))
        if fails:
            raise InputError("no")
        return ic.verify(*rows, **options)

    monkeypatch.setattr(publishing, "verify", meanwhile)
    with pytest.raises(IncrowdError, match="no" if fails else "by somebody else"):
        ic.anonymize_file(people_file(tmp_path), place.table("ours"), asked())
    assert place.tables() == ["theirs"]
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["people.db"]


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_a_new_file_is_for_whom_other_new_files_are(kind, tmp_path):
    before = os.umask(0o027)
    try:
        made = ic.database(f"{kind}:///{tmp_path}/new%20%25.db", table="t")
        ic.anonymize_file(people_file(tmp_path), made, asked())
    finally:
        os.umask(before)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["new %.db", "people.parquet"]
    assert (tmp_path / "new %.db").stat().st_mode & 0o777 == 0o640
    assert ic.verify(made, asked()).passed


def people_file(folder):
    import pyarrow.parquet as pq

    pq.write_table(people(), folder / "people.parquet")
    return folder / "people.parquet"


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_files_that_are_no_database(kind, tmp_path):
    missing = ic.database(f"{kind}:///{tmp_path}/nothing.db", table="t")
    with pytest.raises(InputError, match="no database"):
        ic.anonymize(missing, asked())
    (tmp_path / "text.db").write_text("S3CRET,this is no database\n" * 100)
    with pytest.raises(InputError) as raised:
        ic.anonymize(ic.database(f"{kind}:///{tmp_path}/text.db", table="t"), asked())
    assert "S3CRET" not in str(raised.value)
    with pytest.raises(OutputError, match="folder"):
        ic.anonymize_file(
            people_file(tmp_path), ic.database(f"{kind}:///{tmp_path}/no/x.db", table="t"), asked()
        )


@pytest.mark.parametrize(
    ("cells", "words"),
    [(["a", 1, None], "several kinds"), ([b"a", "a", 1.5], "several kinds"),
     ([1.5, 2**60, 1], "several kinds")],
)  # fmt: skip
def test_sqlite_refuses_cells_of_several_kinds(cells, words, tmp_path):
    place = Place("sqlite", tmp_path)
    place.put("people", pa.table({"age": [1, 1, 1]}))
    for at, cell in enumerate(cells):
        import sqlite3

        with sqlite3.connect(place.file) as connection:
            connection.execute("UPDATE people SET age = ? WHERE rowid = ?", (cell, at + 1))
    with pytest.raises(InputError, match=words):
        ic.anonymize(place.table("people"), quasi_identifiers=["age"], k=1)
    text = place.query("SELECT CAST(age AS TEXT) AS age FROM people")
    assert ic.anonymize(text, quasi_identifiers=["age"], k=1).verdict.passed


def test_sqlite_takes_whole_and_other_numbers_together(tmp_path):
    place = Place("sqlite", tmp_path)
    place.put("people", pa.table({"age": [1.5, 2.0, 2.0]}))
    place.run("INSERT INTO people VALUES (2)")
    with ic.anonymize(place.table("people"), quasi_identifiers=["age"], k=1) as release:
        assert (
            release.recoding.to_text()
            == ic.anonymize(
                pa.table({"age": [1.5, 2.0, 2.0, 2.0]}), quasi_identifiers=["age"], k=1
            ).recoding.to_text()
        )


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:S3C#RET@h:5/clinic",
        "postgresql://ann:S3C?RET@h:5/clinic",
        "postgresql://ann:S3C/RET@h:5/clinic",
        "postgresql://ann:S3C@RET@h:5/clinic",
        "postgresql://ann:S3C[RET@h:5/clinic",
        "postgresql://ann:5#S3CRET@h:5/clinic",
        "postgresql://ann:5/S3CRET@h:5/clinic",
        "postgresql://ann:5,6/S3CRET?a@h:5/clinic",
        "postgresql://ann:S3CRET",
        "postgresql://h/clinic?user=a@b&password=S3CRET",
        "postgresql://h/clinic?password=x@S3CRET",
        "postgresql://h/clinic?pass%77ord=S3CRET",
    ],
)
def test_a_password_that_should_have_been_escaped_is_not_told(url):
    rows = ic.database(url, table="t")
    assert rows.has_password
    for shown in (repr(rows), rows.place):
        assert not any(part in shown for part in ("S3C", "RET", "ann"))


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("postgresql://ann@h:5/clinic?sslmode=require", "postgresql://h:5/clinic"),
        ("postgresql://[::1]:5/clinic", "postgresql://[::1]:5/clinic"),
        ("postgresql://a:1,b:2/clinic", "postgresql://a:1,b:2/clinic"),
        ("postgresql:///clinic?host=/tmp", "postgresql:///clinic"),
        ("postgres://%2Ftmp/the#clinic", "postgresql://%2Ftmp/the#clinic"),
    ],
)
def test_a_url_without_a_password(url, place):
    rows = ic.database(url, table="t")
    assert rows.place == place
    assert not rows.has_password


def test_nothing_tells_a_password():
    rows = ic.database("postgresql://ann:S3CRET@h:5/clinic?password=S3CRET", table="t")
    assert repr(rows) == "database('postgresql://h:5/clinic', table='t')"
    assert "S3CRET" not in str(rows)
    with pytest.raises(IncrowdError):
        pickle.dumps(rows)
    assert rows.has_password


@pytest.mark.parametrize(
    "url", ["people.csv", "mysql://h/d", "sqlite://", "duckdb:///", "duckdb:///:memory:"]
)
def test_what_is_no_database(url):
    with pytest.raises(ParameterError):
        ic.database(url, table="t")


@pytest.mark.parametrize(
    "url",
    ["mysql://ann:S3CRET@h/d", "postgresql+driver://ann:S3C/RET@h/d", "s3://a:S3CRET@h/p.csv"],
)
def test_a_url_of_something_else_is_not_told(url):
    for work in (
        lambda: ic.anonymize(url, asked()),
        lambda: ic.verify(url, asked()),
        lambda: ic.anonymize_file("people.csv", url, asked()),
    ):
        with pytest.raises(ParameterError, match="no URL of a known database") as raised:
            work()
        assert "RET" not in str(raised.value)


def test_a_name_that_a_server_would_cut_off():
    with pytest.raises(ParameterError, match="63 bytes"):
        ic.database("postgresql://h/d", table="ä" * 32)


@pytest.mark.parametrize("url", ["postgresql://h/d", "sqlite:///x.db", "duckdb:///x.db"])
def test_a_url_alone_names_no_table(url):
    for work in (
        lambda: ic.anonymize(url, asked()),
        lambda: ic.verify(url, asked()),
        lambda: ic.measure_release(url, url, asked()),
        lambda: ic.anonymize_file("people.csv", url, asked()),
        lambda: ic.compare(url, asked(), algorithms="flash"),
    ):
        with pytest.raises(ParameterError, match="names no table"):
            work()


@pytest.mark.parametrize("name", [each for each in base.ENGINES if each != "memory"])
def test_an_engine_for_something_else_says_so(name, tmp_path):
    place = Place("sqlite", tmp_path)
    place.put("people", people("sqlite"))
    if name == "database":
        with pytest.raises(ParameterError, match="is none"):
            ic.anonymize(people(), asked(), engine=name)
    else:
        with pytest.raises(IncrowdError):
            ic.anonymize(place.table("people"), asked(), engine=name)


def test_types_that_only_a_server_has(postgres):
    postgres.run(
        "DROP TABLE IF EXISTS odd",
        "CREATE TABLE odd (u uuid, n numeric, c char(5), j jsonb, d date, f real, v numeric(5,2))",
        "INSERT INTO odd SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', x::numeric, 'ab', '{}', "
        "'2024-01-02', 0.1, 1.5 FROM unnest(ARRAY['1.5', '1.50', '1.5', '1.50']) x",
    )
    rows = ic.database(postgres.url(), table="odd")
    policy = ic.policy(
        quasi_identifiers={"n": ic.suppression(), "c": ic.suppression(), "f": ic.suppression()},
        insensitive=["u", "j", "d", "v"], k=2,
    )  # fmt: skip
    with ic.anonymize(rows, policy) as release:
        assert rows_of(release.table, ["n", "c"]) == {("1.5", "ab"): 4}  # one number
        assert [str(each) for each in release.table.types[-3:]] == ["DATE", "FLOAT", "DECIMAL(5,2)"]


@pytest.mark.parametrize(
    ("kind", "cell"), [("date", "infinity"), ("timestamp", "-infinity"), ("numeric(5,2)", "NaN")]
)
def test_cells_that_no_frame_can_hold(postgres, kind, cell):
    postgres.run(
        "DROP TABLE IF EXISTS odd",
        f"CREATE TABLE odd (x {kind})",
        f"INSERT INTO odd VALUES ('{cell}'), ('{cell}')",
    )
    with pytest.raises(InputError, match="infinity"):
        ic.anonymize(ic.database(postgres.url(), table="odd"), quasi_identifiers=["x"], k=1)


DIRTY = """
other_columns = "drop"
[columns.age]
role = "quasi-identifier"
hierarchy = { intervals = [10, 20, 40] }
unknown = "missing"
[columns.town]
role = "quasi-identifier"
hierarchy = { suppression = true }
[columns.ward]
role = "sensitive"
kind = "number"
unknown = "missing"
[columns.name]
role = "identifier"
[[requirements]]
k_anonymity = 3
"""


def test_odd_cells_are_mended_though_identifiers_stay_where_they_are(place, tmp_path):
    at = np.arange(300)
    table = pa.table(
        {
            "name": [f"somebody {n}" for n in at],
            "age": ["somewhen" if n % 150 == 0 else str(20 + n * 7 % 60) for n in at],
            "town": [f"town {n % 4}" for n in at],
            "ward": ["none" if n % 200 == 1 else str(n % 5) for n in at],
            "left_out": at,
        }
    )
    (tmp_path / "policy.toml").write_text(DIRTY)
    policy = ic.load_policy(tmp_path / "policy.toml")
    place.put("people", table)
    expected = ic.anonymize(table, policy, algorithm="flash")
    with ic.anonymize(place.table("people"), policy, algorithm="flash") as release:
        assert release.recoding.to_text() == expected.recoding.to_text()
        names = ("age", "town", "ward")
        assert rows_of(release.table, names) == rows_of(expected.table, names)
        columns = release.table.columns
        assert "somebody" not in str(columns)
        assert set(columns) == set(names)


@pytest.mark.parametrize(
    ("kind", "text"), [("UNION(a INT, b VARCHAR)", "5"), ("BIGNUM", "5"), ("VARIANT", "5")]
)
def test_types_that_only_duckdb_has(kind, text, tmp_path):
    place = Place("duckdb", tmp_path)
    place.run(f"CREATE TABLE t (age INT, odd {kind})", "INSERT INTO t VALUES (1, 5), (1, 5)")
    with ic.anonymize(place.table("t"), quasi_identifiers=["age", "odd"], k=2) as release:
        assert rows_of(release.table, ["odd"]) == Counter({(text,): 2})
