"""One table in every kind of database."""

import sqlite3
from contextlib import closing

import duckdb
import pyarrow as pa

import incrowd as ic
from incrowd.frame.sql import named

KINDS = ("duckdb", "sqlite", "postgresql")


class Place:
    """A database that tables are put into."""

    def __init__(self, kind, folder, server=None):
        self.kind, self._server = kind, server
        self.file = None if server else folder / "people.db"
        self.url = server.url() if server else f"{kind}:///{self.file}"

    def put(self, name, table):
        if self._server:
            self._server.put(name, table)
        elif self.kind == "duckdb":
            with duckdb.connect(str(self.file)) as connection:
                connection.execute("SET TimeZone = 'UTC'")
                connection.register("given", table)
                connection.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM given")
        else:
            with closing(sqlite3.connect(self.file)) as connection:
                columns = ", ".join(map(named, table.column_names))
                places = ", ".join("?" * table.num_columns)
                connection.execute(f"DROP TABLE IF EXISTS {name}")
                connection.execute(f"CREATE TABLE {name} ({columns})")
                rows = zip(*(each.to_pylist() for each in table.columns), strict=True)
                connection.executemany(f"INSERT INTO {name} VALUES ({places})", rows)
                connection.commit()

    def run(self, *statements):
        if self._server:
            self._server.run(*statements)
        elif self.kind == "duckdb":
            with duckdb.connect(str(self.file)) as connection:
                for each in statements:
                    connection.execute(each)
        else:
            with closing(sqlite3.connect(self.file)) as connection:
                for each in statements:
                    connection.execute(each)
                connection.commit()

    def read(self, query):
        """The rows of a query, as a list of tuples."""
        if self._server:
            found = self._server.rows(query)
            return list(zip(*(each.to_pylist() for each in found.columns), strict=True))
        if self.kind == "duckdb":
            with duckdb.connect(str(self.file), read_only=True) as connection:
                return connection.execute(query).fetchall()
        with closing(sqlite3.connect(self.file)) as connection:
            return connection.execute(query).fetchall()

    def tables(self):
        if self._server:
            return self._server.tables()
        if not self.file.exists():
            return []
        source = "sqlite_master WHERE type = 'table'"
        if self.kind == "duckdb":
            source = "(SELECT table_name AS name FROM duckdb_tables())"
        return sorted(name for (name,) in self.read(f"SELECT name FROM {source}"))

    def table(self, name):
        return ic.database(self.url, table=name)

    def query(self, query):
        return ic.database(self.url, query=query)


def typed(kind, table):
    """A table with what a database can hold: SQLite has numbers, texts and bytes only."""
    if kind != "sqlite":
        return table
    columns = {}
    for name in table.column_names:
        column = table.column(name)
        plain = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
        texts = [None if each is None else str(each) for each in column.to_pylist()]
        columns[name] = column if plain else pa.array(texts, pa.string())
    return pa.table(columns)
