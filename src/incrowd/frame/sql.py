"""Names, texts and files as SQL writes them."""

import glob
import os
from collections.abc import Iterable


def quoted(text: object) -> str:
    """Return a text as SQL writes it.

    >>> quoted("it's")
    "'it''s'"
    """
    return "'" + str(text).replace("'", "''") + "'"


def named(name: str) -> str:
    """Return the name of a column or table as SQL writes it.

    >>> named('the "best" one')
    '"the ""best"" one"'
    """
    return '"' + name.replace('"', '""') + '"'


def file_named(path: str | os.PathLike[str]) -> str:
    """Return a path as SQL writes it: that file and no other, though DuckDB reads it as a pattern.

    >>> file_named("people[1].csv")
    "'people[[]1].csv'"
    """
    return quoted(glob.escape(os.fspath(path)))


def parquet_rows(files: Iterable[str | os.PathLike[str]]) -> str:
    """Return the rows of Parquet files as SQL names them.

    No folder is a column: DuckDB takes all above a file for one, and puts it in the place of a
    column of that name.
    """
    read = ", ".join(map(file_named, files))
    return f"read_parquet([{read}], hive_partitioning=false, binary_as_string=false)"
