"""A PostgreSQL server of the tests' own: a private folder, a Unix socket, gone when they end."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa

OWNERS = ("postgres", "nobody")  # PostgreSQL refuses root
PASSWORD = "S3CRET-pssst"
ACCESS = "local all guarded scram-sha-256\nlocal all all trust\n"
SETTINGS = ("listen_addresses=", "fsync=off", "synchronous_commit=off", "max_connections=20")


def why_not() -> str | None:
    """Say why there is no server here; None if there can be one."""
    if find_spec("adbc_driver_postgresql") is None:
        return "adbc-driver-postgresql is not installed (extra postgresql)"
    if _programs() is None:
        return "PostgreSQL is not installed (scripts/install_servers.sh)"
    return None


def _programs() -> Path | None:
    found = shutil.which("initdb")
    places = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    places += [os.path.realpath(found)] if found else []
    return Path(places[-1]).parent if places else None


class Server:
    """A running server; `stop` removes everything."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # sockets need short paths
        self._as: dict[str, object] = {}
        if os.geteuid() == 0:
            owner = next(pwd.getpwnam(name) for name in OWNERS if _is_user(name))
            os.chown(self._folder, owner.pw_uid, owner.pw_gid)
            self._as = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        self._started: subprocess.Popen[bytes] | None = None
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def _start(self) -> None:
        programs, data = _programs(), self._folder / "data"
        made = [programs / "initdb", "-D", data, "-U", "incrowd", "-A", "trust", "-E", "UTF8"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": self._folder}
        plain = ["--locale=C", "--no-sync"]
        subprocess.run([*made, *plain], check=True, **quiet, **self._as)
        (data / "pg_hba.conf").write_text(ACCESS)
        settings = [word for each in SETTINGS for word in ("-c", each)]
        self._started = subprocess.Popen(
            [programs / "postgres", "-D", data, "-k", self._folder, *settings], **quiet, **self._as
        )
        for _ in range(1200):
            try:
                return self.run(f"CREATE ROLE guarded LOGIN PASSWORD '{PASSWORD}'")
            except Exception:
                if self._started.poll() is not None:
                    raise
                time.sleep(0.05)
        raise TimeoutError("PostgreSQL does not start")

    def url(self, user: str = "incrowd", password: str | None = None) -> str:
        """Return its address."""
        secret = "" if password is None else f":{password}"
        return f"postgresql://{user}{secret}@/postgres?host={self._folder}"

    def connect(self):
        """Return a connection of its own."""
        from adbc_driver_postgresql import dbapi

        return dbapi.connect(self.url())

    def run(self, *statements: str) -> None:
        """Run statements, each at once."""
        with self.connect() as connection:
            for statement in statements:
                with connection.cursor() as cursor:
                    cursor.execute(statement)
            connection.commit()

    def rows(self, query: str):
        """Return the rows of a query as an Arrow table."""
        with self.connect() as connection, connection.cursor() as cursor:
            cursor.execute(query)
            return cursor.fetch_arrow_table()

    def put(self, name: str, table) -> None:
        """Make a table of an Arrow table, in place of another."""
        with self.connect() as connection:
            with connection.cursor() as cursor:
                cursor.execute(f"DROP TABLE IF EXISTS {name}")
                cursor.adbc_ingest(name, table, mode="create")
                for field in table.schema:  # the driver forgets the scale
                    if pa.types.is_decimal(field.type):
                        kind = f"numeric({field.type.precision}, {field.type.scale})"
                        cursor.execute(f"ALTER TABLE {name} ALTER {field.name} TYPE {kind}")
            connection.commit()

    def tables(self) -> list[str]:
        """Return the names of all tables."""
        found = self.rows("SELECT tablename::text AS t FROM pg_tables WHERE schemaname = 'public'")
        return sorted(found.column("t").to_pylist())

    def terminate(self, where: str) -> int:
        """End the connections of others whose last statement is like that; return how many."""
        found = self.rows(
            "SELECT pg_terminate_backend(pid, 10000)::int AS one FROM pg_stat_activity "
            f"WHERE query ILIKE '{where}' AND pid <> pg_backend_pid() "
            "AND backend_type = 'client backend'"
        )
        return len(found)

    def cpu(self) -> float:
        """Return the seconds of CPU that ended connections took."""
        words = Path(f"/proc/{self._started.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(words[13]) + int(words[14])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """End the server and remove its folder."""
        if self._started is not None:
            self._started.terminate() if self._started.poll() is None else None
            try:
                self._started.wait(20)
            except subprocess.TimeoutExpired:
                self._started.kill()
                self._started.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def _is_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
