"""A server that others use too: one snapshot, connections that end, passwords."""

import os
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import incrowd as ic
import incrowd.engines.database.engine as engine_module
from command_line import PATIENCE, Process, environment, incrowd, refused
from incrowd.errors import InputError, OutputError
from incrowd.frame.databases import postgresql
from postgres_server import PASSWORD

ASKED = {"quasi_identifiers": {"age": ic.intervals(10)}, "insensitive": ["pay"], "k": 3}
PEOPLE = pa.table({"age": [31, 32, 33, 41, 42, 43] * 50, "pay": list(range(300))})
FLAGS = ("--qi", "age", "--other-columns", "keep", "-k", 3)


@pytest.fixture
def server(postgres, monkeypatch):
    postgres.run("DROP SCHEMA public CASCADE", "CREATE SCHEMA public",
                 "GRANT ALL ON SCHEMA public TO public")  # fmt: skip
    postgres.put("people", PEOPLE)
    return postgres


def rows(server, name="people"):
    return ic.database(server.url(), table=name)


def test_all_passes_see_one_snapshot(server, monkeypatch):
    """Somebody writes between the passes: after the tallies, before the rows are streamed."""
    stream = engine_module.DatabaseEngine._stream
    tallies = []
    tally = engine_module.DatabaseEngine.kept_tally

    def write():
        server.run("INSERT INTO people VALUES (99, 1)", "UPDATE people SET age = 31 WHERE age > 40",
                   "DELETE FROM people WHERE age < 32")  # fmt: skip

    def streamed(self, names):
        write()
        return stream(self, names)

    def tallied(self, names, count):
        write()
        tallies.append(names)
        return tally(self, names, count)

    monkeypatch.setattr(engine_module.DatabaseEngine, "_stream", streamed)
    monkeypatch.setattr(engine_module.DatabaseEngine, "kept_tally", tallied)
    release = ic.anonymize_file(rows(server), rows(server, "released"), ic.policy(**ASKED))
    assert tallies
    assert release.facts["records"] == 300
    paid = server.rows("SELECT pay FROM released").column("pay").to_pylist()
    assert sorted(paid) == list(range(300))
    assert server.rows("SELECT 1 FROM people").num_rows != 300


def test_notices_of_the_server_are_not_printed(server, capfd):
    server.run(
        "CREATE FUNCTION told(x bigint) RETURNS bigint LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE WARNING 'S3CRET %', x; RETURN x; END $$",
        "CREATE VIEW loud AS SELECT told(age) AS age, pay FROM people",
    )
    with ic.anonymize(rows(server, "loud"), **ASKED) as release:
        assert release.facts["records"] == 300
    assert "S3CRET" not in capfd.readouterr().err


@pytest.fixture
def queries(monkeypatch):
    """What a server is asked."""
    seen, batches = [], postgresql.PostgreSQL.batches

    def watched(self, query):
        seen.append(query)
        return batches(self, query)

    monkeypatch.setattr(postgresql.PostgreSQL, "batches", watched)
    return seen


def test_identifiers_never_leave_the_server(server, queries):
    described = {**ASKED, "insensitive": [], "identifiers": ["pay"]}
    with ic.anonymize(rows(server), **described) as release:
        assert release.facts["released"] == 300
    assert not any('"pay"' in query for query in queries)


def test_rows_of_a_release_are_asked_for_once_and_all_else_is_counted_there(server, queries):
    with ic.anonymize(rows(server), **ASKED):
        assert [query for query in queries if '"people"' in query and "AS c1" in query]
    assert not any("GROUP BY" in query for query in queries)
    assert sum('FROM "people"' in query for query in queries) == 1
    queries.clear()
    assert ic.measure_release(rows(server), rows(server), ic.policy(**ASKED))
    assert any("GROUP BY" in query for query in queries)


def ended(server, monkeypatch, where, while_it):
    """End the connections of a run once it does something."""
    before = getattr(postgresql.PostgreSQL, while_it)

    def ending(self, *given):
        if any(where in str(each) for each in given):
            assert server.terminate("%") >= 1
        return before(self, *given)

    monkeypatch.setattr(postgresql.PostgreSQL, while_it, ending)


def test_a_backend_that_ends_while_rows_are_read(server, monkeypatch):
    ended(server, monkeypatch, "AS c1 FROM", "batches")
    with pytest.raises(InputError, match="ended the connection"):
        ic.anonymize_file(rows(server), rows(server, "released"), ic.policy(**ASKED))
    assert server.tables() == ["people"]


def test_a_backend_that_ends_in_the_middle_of_a_stream(server, monkeypatch):
    query = "SELECT age, pay + length(pg_sleep(0.02)::text) AS pay FROM people"
    found = ic.database(server.url(), query=query)
    killer = Process(
        [sys.executable, "-c", KILLER, server.url(), "%pg_sleep(0.02)%"],
        env=environment(),
    )
    with killer, pytest.raises(InputError, match="ended the connection"):
        ic.anonymize(found, ic.policy(**ASKED))
    assert killer.returncode == 0


KILLER = """
import sys, time
from adbc_driver_postgresql import dbapi
with dbapi.connect(sys.argv[1], autocommit=True) as connection, connection.cursor() as cursor:
    for _ in range(600):
        cursor.execute("SELECT count(pg_terminate_backend(pid)) AS n FROM pg_stat_activity "
                       "WHERE state = 'active' AND pid <> pg_backend_pid() "
                       f"AND query LIKE '{sys.argv[2]}'")
        if cursor.fetchone()[0]:
            sys.exit(0)
        time.sleep(0.1)
sys.exit(1)
"""


@pytest.mark.parametrize("statement", ["CREATE TABLE", "AS c0 FROM", "RENAME TO", "commit"])
def test_a_backend_that_ends_while_a_release_is_written(server, monkeypatch, statement):
    """While it is made, read back, renamed and committed."""
    source = "people.parquet"
    if statement == "commit":
        commit = postgresql.PostgreSQL.commit

        def late(self):
            assert server.terminate("%") >= 1
            return commit(self)

        monkeypatch.setattr(postgresql.PostgreSQL, "commit", late)
    else:
        ended(server, monkeypatch, statement, "batches" if "FROM" in statement else "run")
    told = "not known" if statement == "commit" else "ended the connection"
    with pytest.raises(OutputError, match=told):
        ic.anonymize_file(people_file(source), rows(server, "released"), ic.policy(**ASKED))
    assert server.tables() == ["people"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def people_file(name):
    pq.write_table(PEOPLE, name)
    return name


# a run that says when it comes to a phase, and then lets the server take its time
SLOW = """
import sys
import incrowd.frame.databases.postgresql as postgresql
phase = sys.argv.pop(1)
def slow(self, what):
    print("there", flush=True)
    list(before(self, "SELECT pg_sleep(60)"))
before = postgresql.PostgreSQL.batches
def batches(self, query):
    if phase in query:
        slow(self, query)
    return before(self, query)
run = postgresql.PostgreSQL.run
def running(self, statement):
    if phase in statement:
        slow(self, statement)
    return run(self, statement)
postgresql.PostgreSQL.batches, postgresql.PostgreSQL.run = batches, running
from incrowd.cli import main
main()
"""
LISTENING = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "exec(compile(sys.stdin.read(), 'slow', 'exec'))"
)


@pytest.mark.parametrize(
    "phase", ["GROUP BY", "AS c1 FROM", "CREATE TABLE", "AS c0 FROM", "RENAME TO"]
)
def test_ctrl_c_in_each_phase(server, phase, tmp_path):
    """While the server counts, and while a run streams, writes, reads back and publishes."""
    command = (
        *("anonymize", server.url(), "--table", "people", *FLAGS, "--temporary", str(tmp_path)),
        *("-o", server.url(), "--output-table", "released", "--recoding", "r.json"),
    )
    if phase == "GROUP BY":
        command = ("inspect", server.url(), "--table", "people", "-o", "policy.toml")
    with Process(
        [sys.executable, "-c", LISTENING, phase, *map(str, command)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=tmp_path, env=environment(),
    ) as run:  # fmt: skip
        run.stdin.write(SLOW.encode())
        run.stdin.close()
        run.stdin = None
        assert run.stdout.readline() == b"there\n"
        time.sleep(0.3)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 130, err
    assert b"Traceback" not in err
    assert os.listdir(tmp_path) == []
    assert server.tables() == ["people"]


def test_a_server_that_is_away_and_a_wrong_password(server, monkeypatch):
    away = ic.database("postgresql://ann:S3CRET@127.0.0.1:1/clinic", table="people")
    with pytest.raises(InputError, match="cannot be reached") as raised:
        ic.anonymize(away, **ASKED)
    assert "S3CRET" not in str(raised.value)
    wrong = ic.database(server.url("guarded", "S3CRET-wrong"), table="people")
    for work in (
        lambda: ic.anonymize(wrong, **ASKED),
        lambda: ic.anonymize_file(people_file("p.parquet"), wrong, ic.policy(**ASKED)),
    ):
        with pytest.raises((InputError, OutputError), match="user or password") as raised:
            work()
        assert "S3CRET" not in str(raised.value)
        assert raised.value.__cause__ is None
        assert raised.value.__suppress_context__
    no_rights = ic.database(server.url("guarded", PASSWORD), table="people")
    with pytest.raises(InputError, match="does not allow"):
        ic.anonymize(no_rights, **ASKED)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    server.run("GRANT SELECT ON people TO guarded")
    assert ic.anonymize(ic.database(server.url("guarded"), table="people"), **ASKED).verdict.passed


def test_the_command_line(server, tmp_path):
    url, out = server.url(), tmp_path / "released.csv"
    asked = ("anonymize", url, "--table", "people", *FLAGS)
    assert incrowd(*asked, "-o", out, "-q").code == 0
    into = (*asked, "-o", url, "--output-table", "released")
    assert incrowd(*into).code == 0
    refused(incrowd(*into), "already", "--replace")
    refused(incrowd(*asked, "-o", url), "--output-table")
    assert incrowd(*into, "--replace", "--json", "-").json["released"] == 300
    assert incrowd("verify", url, "--table", "released", *FLAGS).code == 0
    assert incrowd("verify", url, "--query", "SELECT * FROM released LIMIT 2", *FLAGS).code == 1
    measured = incrowd("measure", url, "--table", "released", "--original", url,
                       "--original-table", "people", *FLAGS, "--json", "-")  # fmt: skip
    assert measured.json["released"] == 300
    inspected = incrowd("inspect", url, "--table", "people")
    assert inspected.code == 0
    assert "[columns.age]" in inspected.out
    assert server.tables() == ["people", "released"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "names no table"),
        (("--table", "people", "--query", "SELECT 1"), "a table and a query"),
        (("--table", "nobody"), "no table 'nobody'"),
        (("--query", "SELECT nothing FROM people"), "no such column"),
        (("--table", "people", "--sheet", "x"), "no sheets"),
    ],
)
def test_the_command_line_refuses(server, words, told):
    for command in ("inspect", "verify", "anonymize"):
        output = ("-o", "o.csv") if command == "anonymize" else ()
        flags = () if command == "inspect" else FLAGS
        refused(incrowd(command, server.url(), *words, *flags, *output), told)
    assert os.listdir() == []


@pytest.mark.parametrize(
    "url", ["postgresql://ann:S3CRET@/clinic", "postgresql:///clinic?user=a&password=S3CRET"]
)
def test_a_password_on_the_command_line_is_refused(url):
    refused(incrowd("inspect", url, "--table", "people"), "PGPASSWORD")
    people_file("p.parquet")
    refused(incrowd("anonymize", "p.parquet", *FLAGS, "-o", url, "--output-table", "t"), ".pgpass")


def test_flags_of_databases_need_one():
    people_file("p.parquet")
    refused(incrowd("inspect", "p.parquet", "--table", "people"), "URL of a database")
    into = ("anonymize", "p.parquet", *FLAGS, "-o", "o.csv")
    refused(incrowd(*into, "--replace"), "--replace")
    refused(incrowd(*into, "--output-table", "t"), "--output-table")


@pytest.fixture
def encoded(server):
    """An address of a database in some encoding."""
    made = []

    def make(encoding):
        made.append(f"in_{encoding.lower()}")
        with server.connect() as connection, connection.cursor() as cursor:
            connection.adbc_connection.set_autocommit(True)
            cursor.execute(
                f"CREATE DATABASE {made[-1]} ENCODING '{encoding}' TEMPLATE template0 "
                "LC_COLLATE 'C' LC_CTYPE 'C'"
            )
        return server.url().replace("/postgres?", f"/{made[-1]}?")

    yield make
    with server.connect() as connection, connection.cursor() as cursor:
        connection.adbc_connection.set_autocommit(True)
        for each in made:
            cursor.execute(f"DROP DATABASE {each}")


def run_at(url, *statements):
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(url, autocommit=True) as connection, connection.cursor() as cursor:
        for each in statements:
            cursor.execute(each)


TOWNS = {"quasi_identifiers": {"town": ic.auto()}, "insensitive": ["pay"], "k": 2}
KÖLN = "convert_from('\\x4bf66c6e', 'LATIN1')"


def test_texts_of_a_database_in_another_encoding(server, encoded):
    url = encoded("LATIN1")
    run_at(url, f"CREATE TABLE t AS SELECT {KÖLN} AS town, 1 AS pay FROM generate_series(1, 4)")
    with ic.anonymize(ic.database(url, table="t"), **TOWNS) as release:
        assert set(release.table.to_arrow_table().column("town").to_pylist()) == {"Köln"}
    ic.anonymize_file(ic.database(url, table="t"), ic.database(url, table="o"), ic.policy(**TOWNS))
    run_at(url, f"SELECT 1 / count(*) FROM o WHERE town = {KÖLN}")
    pq.write_table(pa.table({"town": ["北京"] * 2, "pay": [1, 1]}), "beijing.parquet")
    with pytest.raises(OutputError, match="cannot convert"):
        ic.anonymize_file("beijing.parquet", ic.database(url, table="b"), ic.policy(**TOWNS))
    pq.write_table(pa.table({"town": ["S3\0CRET"] * 2, "pay": [1, 1]}), "nul.parquet")
    with pytest.raises(OutputError, match="NUL"):
        ic.anonymize_file("nul.parquet", ic.database(url, table="b"), ic.policy(**TOWNS))


def test_texts_of_a_client_that_asks_for_another_encoding(server, monkeypatch):
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    pq.write_table(pa.table({"town": ["Köln"] * 2, "pay": [1, 1]}), "köln.parquet")
    ic.anonymize_file("köln.parquet", rows(server, "o"), ic.policy(**TOWNS))
    assert ic.verify(rows(server, "o"), ic.policy(**TOWNS)).passed
    monkeypatch.delenv("PGCLIENTENCODING")
    assert server.rows("SELECT town FROM o").column("town").to_pylist() == ["Köln"] * 2


def test_bytes_that_are_no_text_are_refused(encoded):
    url = encoded("SQL_ASCII")
    run_at(url, "CREATE TABLE t AS SELECT E'S3CRET\\xf6' AS town, 1 AS pay")
    for work in (ic.verify, ic.anonymize):
        with pytest.raises(InputError, match="text that is not valid"):
            work(ic.database(url, table="t"), ic.policy(**TOWNS))


@pytest.mark.parametrize("name", ["ä" * 32, "ctid"])
def test_names_that_the_server_would_change_are_refused(server, name):
    pq.write_table(pa.table({"town": ["Bonn"] * 2, name: [1, 1]}), "named.parquet")
    asked = ic.policy(**{**TOWNS, "insensitive": [name]})
    with pytest.raises(OutputError, match="cannot have that name"):
        ic.anonymize_file("named.parquet", rows(server, "o"), asked)
    assert server.tables() == ["people"]


@pytest.mark.parametrize("kind", ["VIEW", "MATERIALIZED VIEW"])
def test_a_view_is_read_and_never_replaced(server, kind):
    server.run(f"CREATE {kind} seen AS SELECT * FROM people")
    with ic.anonymize(rows(server, "seen"), **ASKED) as release:
        assert release.facts["records"] == 300
    with pytest.raises(OutputError, match="has a view 'seen' already") as raised:
        ic.anonymize_file(
            people_file("p.parquet"), rows(server, "seen"), ic.policy(**ASKED), replace=True
        )
    assert "--replace" not in str(raised.value)
