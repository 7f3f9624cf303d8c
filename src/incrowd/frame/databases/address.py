"""Where a table is: the URL of its database, and its name or a query."""

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote

from incrowd.errors import InputError, ParameterError
from incrowd.frame.sql import named
from incrowd.private import Private

FILES = ("duckdb", "sqlite")
"""Databases that are a file."""

LONGEST_NAME = 63
"""Bytes of a name in PostgreSQL."""

SCHEMES = (*FILES, "postgresql")
_ALSO = {"postgres": "postgresql"}
_PART = re.compile(r'"((?:[^"]|"")+)"|([^".]+)')
_SERVER = re.compile(  # as the client of PostgreSQL reads it, where there are no two ways to
    r"(?:(?P<user>[^@:/?#]*)(?P<password>:[^@/?#]*)?@)?"
    r"(?P<place>(?:\[[^]@/?#]*]|[^]\[@:/?#,]*)(?::\d*)?(?:,[^@/?#]*)?(?:/[^@/?]*)?)"
    r"(?:\?(?P<more>[^@]*))?"
)
_WITH_PASSWORD = re.compile(r"[\w+.-]+://[^/]*:.*@", re.DOTALL)
_KNOWN = "write duckdb:///people.db, sqlite:///people.db or postgresql://host/database."


class DatabaseTable(Private):
    """A table of a database, or the rows of a query; build it with `incrowd.database`.

    It prints neither a password nor a user, and knows no row.

    Parameters
    ----------
    url
        Of the database; `url` is kept for whoever connects, and never shown.
    table
        Its name as parts: perhaps a schema, and the table.
    query
        The rows of a SELECT instead.
    """

    def __init__(self, url: str, table: tuple[str, ...] = (), query: str | None = None) -> None:
        self._url, self.table, self.query = url, table, query
        self.scheme = scheme_of(url) or ""
        self._told: str | None = None

    @property
    def url(self) -> str:
        """The address to connect to, with whatever secret stands in it."""
        return self._url

    @property
    def file(self) -> Path | None:
        """The file that the database is, if it is one."""
        if self.scheme not in FILES:
            return None
        path = unquote(self._url.partition("://")[2])
        return Path(path[1:])

    @property
    def has_password(self) -> bool:
        """Whether the URL holds a password, or may hold one."""
        found = self._server
        if found is None:
            return self.file is None
        more = parse_qsl(found["more"] or "", keep_blank_values=True)
        return bool(found["password"]) or any("password" in key.lower() for key, _ in more)

    @property
    def place(self) -> str:
        """The database in words: no user, no password, no parameter."""
        if self._told is not None:
            return self._told
        if self.file is not None:
            return f"{self.scheme}:///{self.file}"
        return f"{self.scheme}://{'...' if self._server is None else self._server['place']}"

    @property
    def _server(self) -> re.Match[str] | None:
        """The parts of the URL of a server; None if they cannot be told from a password."""
        if self.file is not None:
            return None
        return _SERVER.fullmatch(self._url.partition("://")[2])

    @property
    def rows(self) -> str:
        """What follows FROM."""
        if self.query is None:
            return self.name
        return f"(\n{self.query}\n) AS asked"  # a line of its own: it may end in a comment

    @property
    def name(self) -> str:
        """The name of the table, as SQL writes it."""
        return ".".join(map(named, self.table))

    def beside(self, name: str) -> "DatabaseTable":
        """Return another table of the same schema."""
        return DatabaseTable(self._url, (*self.table[:-1], name))

    def moved_to(self, file: Path) -> "DatabaseTable":
        """Return the table in another file, of which messages say that it is this one."""
        moved = DatabaseTable(f"{self.scheme}:///{quote(os.fspath(file))}", self.table)
        moved._told = self.place
        return moved

    def __repr__(self) -> str:
        what = f"table={'.'.join(self.table)!r}" if self.query is None else "query=..."
        return f"database({self.place!r}, {what})"


def database(url: str, *, table: str | None = None, query: str | None = None) -> DatabaseTable:
    """Return a table of a database, for wherever a table goes in or out.

    Parameters
    ----------
    url
        ``duckdb:///people.db`` and ``sqlite:///people.db`` are files (four slashes begin an
        absolute path), ``postgresql://host/database`` is a server.  A password may stand in it,
        and is better kept in ``~/.pgpass`` or the variable PGPASSWORD.
    table
        The name of a table, perhaps with its schema: ``"clinic.people"``.  Capitals count; a part
        with a dot in it stands in double quotes.
    query
        A SELECT whose rows are the table, instead of a name.

    Examples
    --------
    >>> import incrowd as ic
    >>> ic.database("postgresql://ann:pssst@db.example/clinic", table="public.people")
    database('postgresql://db.example/clinic', table='public.people')
    """
    if scheme_of(url) is None:
        raise ParameterError("this is no URL of a database.", hint=_KNOWN)
    if (table is None) == (query is None):
        raise one_of_both(both=table is not None)
    if query is not None:
        found = DatabaseTable(_plain(url), query=_one_query(query))
    else:
        found = DatabaseTable(_plain(url), parts_of(table or ""))
    if found.file is not None and str(found.file) in (".", ":memory:"):
        raise ParameterError("the URL names no file.", hint=_KNOWN)
    if found.scheme == "postgresql" and any(
        len(part.encode()) > LONGEST_NAME for part in found.table
    ):
        raise ParameterError(
            f"PostgreSQL cuts names off after {LONGEST_NAME} bytes, and this one is longer.",
            hint="give the table a shorter name.",
        )
    return found


def one_of_both(*, both: bool) -> ParameterError:
    """Return what is said if a table and a query are given, or neither."""
    what = "a table and a query are given" if both else "the URL of a database names no table"
    return ParameterError(
        f"{what}.",
        hint="give one of them: --table NAME or --query SQL (in Python, "
        "incrowd.database(url, table=...) or query=...).",
    )


def scheme_of(text: object) -> str | None:
    """Return which kind of database a URL names; None if it is no URL of one.

    >>> scheme_of("postgres://localhost/clinic"), scheme_of("people.csv")
    ('postgresql', None)
    """
    scheme, found, _ = str(text).partition("://")
    scheme = _ALSO.get(scheme.lower(), scheme.lower())
    return scheme if found and scheme in SCHEMES else None


def refuse_bare_url(path: object) -> None:
    """Raise if what should be a path is the URL of a database; paths are told, passwords never."""
    if not isinstance(path, str):
        return
    if scheme_of(path) is not None:
        raise one_of_both(both=False)
    if _WITH_PASSWORD.match(path):
        raise ParameterError(
            "this is no path of a table, and no URL of a known database.", hint=_KNOWN
        )


def parts_of(name: str) -> tuple[str, ...]:
    """Return the parts of a name: schema and table.

    >>> parts_of("clinic.people"), parts_of('"a.b"'), parts_of('main."a ""b"" c"')
    (('clinic', 'people'), ('a.b',), ('main', 'a "b" c'))
    """
    parts: list[str] = []
    at = 0
    while (found := _PART.match(name, at)) is not None:
        parts.append(found[1].replace('""', '"') if found[1] else found[2])
        at = found.end() + 1
        if name[found.end() : at] != ".":
            break
    if at != len(name) + 1 or not 1 <= len(parts) <= 3 or "\0" in name:
        raise ParameterError(
            f"{name!r} is no name of a table.",
            hint="write people or schema.people; a part with a dot stands in quotes: '\"a.b\"'.",
        )
    return tuple(parts)


def file_behind(data: Any) -> Any:
    """Return the file that a table comes from, if there is one: none may be overwritten."""
    found = data.file if isinstance(data, DatabaseTable) else data
    return found if isinstance(found, str | os.PathLike) else None


def _plain(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme_of(url) or scheme}://{rest}"


def _one_query(query: str) -> str:
    found = query.strip().rstrip(";").strip()
    if not found:
        raise ParameterError("the query is empty.", hint="write a SELECT, or name a table.")
    return found


def unknown_file(place: str) -> InputError:
    """Return what is said of a database that is not there."""
    return InputError(f"there is no database {place}.", hint="check the path of the URL.")
