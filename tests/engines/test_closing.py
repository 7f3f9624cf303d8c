"""What is gone when a release is closed: also what was made in a connection of its owner."""

import duckdb
import ibis
import pyarrow as pa
import pytest

import incrowd as ic
from frame_kinds import rows_of

pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table")  # by Ibis

ASKED = ic.policy(quasi_identifiers={"age": ic.auto()}, insensitive=["pay"], k=2)
TABLE = pa.table({"age": [30, 30, 40, 40], "pay": [1, 2, 3, 4]})


def made_in(connection):
    found = connection.execute("SELECT table_name FROM duckdb_tables() WHERE temporary").fetchall()
    return [name for (name,) in found if name.startswith("incrowd")]


def test_a_relation_leaves_no_table_in_its_connection():
    connection = duckdb.connect()
    people = connection.from_arrow(TABLE)
    with ic.anonymize(people, ASKED) as release:
        assert len(release.table.fetchall()) == 4
        assert len(made_in(connection)) == 1
    assert made_in(connection) == []


def test_an_ibis_table_leaves_no_table_in_its_connection():
    backend = ibis.duckdb.connect()
    backend.con.register("given", TABLE)
    backend.con.execute("CREATE TABLE people AS SELECT * FROM given")
    with ic.anonymize(backend.table("people"), ASKED) as release:
        assert len(rows_of(release.table, ["age", "pay"])) == 4
        assert len(made_in(backend.con)) == 1
    assert made_in(backend.con) == []


def test_a_connection_that_was_closed_before_is_no_fault():
    connection = duckdb.connect()
    release = ic.anonymize(connection.from_arrow(TABLE), ASKED)
    assert len(release.table.fetchall()) == 4
    connection.close()
    release.close()
