"""What the commands have in common: flags, policies from them, and where results go."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

from incrowd.cli.declared import Option
from incrowd.errors import InputError, ParameterError, PolicyError
from incrowd.progress import QUIET, Progress

TABLE = (
    "A CSV, Parquet, Arrow, JSON lines or Excel file, a folder of Parquet files, a pattern, or the "
    "URL of a database; - is CSV from stdin."
)

PolicyFlag = Annotated[
    Path | None, Option("--policy", "-p", help="The policy file (TOML).", metavar="FILE")
]
JsonFlag = Annotated[
    str | None,
    Option("--json", help="Write the result as JSON to a file, or to stdout with -.",
                 metavar="FILE"),
]  # fmt: skip
QuietFlag = Annotated[bool, Option("--quiet", "-q", help="Say nothing but errors.")]
QiFlag = Annotated[
    str | None, Option("--qi", help="Quasi-identifiers: age,sex,zip.", metavar="NAMES")
]
SensitiveFlag = Annotated[
    str | None, Option("--sensitive", help="Sensitive columns.", metavar="NAMES")
]
IdentifierFlag = Annotated[
    str | None, Option("--identifiers", help="Columns to leave out.", metavar="NAMES")
]
TargetFlag = Annotated[
    str | None, Option("--target", help="The column to be predicted.", metavar="NAME")
]
EntityFlag = Annotated[
    str | None,
    Option("--entity", help="The column that tells persons apart.", metavar="NAME"),
]
FormulasFlag = Annotated[
    str | None,
    Option("--formulas", help="Cells that spreadsheets would run: keep, escape or refuse."),
]
KFlag = Annotated[int | None, Option("--k", "-k", help="Smallest class allowed.")]
LDiversityFlag = Annotated[
    list[str] | None,
    Option("--l-diversity", help="Values in each class: 3:occupation, 3:occupation:entropy.",
                 metavar="L:COLUMN[:VARIANT]"),
]  # fmt: skip
TClosenessFlag = Annotated[
    list[str] | None,
    Option("--t-closeness", help="Distance from the table: 0.2:occupation, 0.2:age:ordered.",
                 metavar="T:COLUMN[:DISTANCE]"),
]  # fmt: skip
EngineFlag = Annotated[
    str, Option("--engine", help="Where rows are counted: auto, memory, duckdb, spark or database.")
]
MemoryFlag = Annotated[
    str | None,
    Option("--memory", help="What the process may take when rows stay outside: 2GB.",
           metavar="SIZE"),
]  # fmt: skip
TemporaryFlag = Annotated[
    str | None,
    Option("--temporary", help="Where the private folder for temporary files is made.",
           metavar="FOLDER"),
]  # fmt: skip
StagingFlag = Annotated[
    str | None,
    Option("--staging", help="For Spark: the folder that driver and workers share.",
           metavar="FOLDER"),
]  # fmt: skip
CollectFlag = Annotated[
    int | None,
    Option("--collect-limit", help="For Spark: how many different rows may come to the driver.",
           metavar="ROWS"),
]  # fmt: skip
TableFlag = Annotated[
    str | None, Option("--table", help="Of a database: people, clinic.people.", metavar="NAME")
]
QueryFlag = Annotated[
    str | None, Option("--query", help="Of a database: a SELECT instead.", metavar="SQL")
]
SheetFlag = Annotated[str | None, Option("--sheet", help="Of a workbook.", metavar="NAME")]
OutputTableFlag = Annotated[
    str | None,
    Option("--output-table", help="The table, if --output is the URL of a database.",
           metavar="NAME"),
]  # fmt: skip
ReplaceFlag = Annotated[
    bool, Option("--replace", help="Replace the table of a database, if it is there.")
]
PartitionFlag = Annotated[
    str | None,
    Option("--partition-by", help="Write a folder of Parquet files, one for each value of these.",
           metavar="NAMES"),
]  # fmt: skip
OtherFlag = Annotated[
    str | None,
    Option("--other-columns", help="Columns without a role: refuse, drop or keep."),
]


def names(flag: str | None) -> list[str]:
    """Split a list of names given as a flag."""
    return [] if flag is None else [name.strip() for name in flag.split(",") if name.strip()]


def policy_from(
    path: Path | None,
    *,
    qi: str | None = None,
    sensitive: str | None = None,
    identifiers: str | None = None,
    target: str | None = None,
    l_diversity: list[str] | None = None,
    t_closeness: list[str] | None = None,
    release: bool = True,
    **others: Any,
) -> Any:
    """Return the policy of a file, of flags, or of flags on top of a file.

    Where nothing will be released the target may be a column that the file calls sensitive.
    `others` are passed on to `policy_from_flags`.
    """
    from incrowd.schema import aimed_at, load_policy, policy_from_flags

    if path is None and not names(qi):
        raise PolicyError(
            "neither a policy nor quasi-identifiers are given.",
            hint="give --policy FILE, or --qi age,sex,zip --k 5; `incrowd inspect INPUT` writes a "
            "policy to start from.",
        )
    policy = None if path is None else load_policy(path)
    if policy is not None and not release:
        policy = aimed_at(policy, target)
    return policy_from_flags(
        policy,
        quasi_identifiers=names(qi),
        sensitive=names(sensitive),
        identifiers=names(identifiers),
        target=target,
        l_diversity=l_diversity or [],
        t_closeness=t_closeness or [],
        **others,
    )


def write_json(result: Any, json_to: str | None) -> None:
    """Write a result where ``--json`` says."""
    from incrowd.texts import json_text

    if json_to is None:
        return
    if json_to == "-":
        print(json_text(result), end="")
    else:
        from incrowd.frame import write_text

        write_text(json_to, json_text(result))


def say(text: str, *, quiet: bool = False) -> None:
    """Print words for people, to standard error."""
    if not quiet:
        with suppress(OSError):  # a full disk behind stderr must not look like a failed recount
            print(text, file=sys.stderr)


STDIN = "-"


def table_at(
    data: str,
    table: str | None = None,
    query: str | None = None,
    sheet: str | None = None,
    flags: str = "--table and --query",
) -> Any:
    """Return what the flags beside a path or URL make of it."""
    from incrowd.frame.databases.address import database, scheme_of
    from incrowd.frame.workbooks import workbook

    if scheme_of(data) is None:
        if table is not None or query is not None:
            raise ParameterError(
                f"{flags} are about the URL of a database, and the table is none.",
                hint="leave them out, or write for example postgresql://host/database.",
            )
        return data if sheet is None else workbook(data, sheet=sheet)
    found = database(data, table=table, query=query)
    if found.has_password:
        raise ParameterError(
            "a password in a URL can be read by everybody on this machine while the command runs.",
            hint="leave it out of the URL: set PGPASSWORD, or write ~/.pgpass.",
        )
    if sheet is not None:
        raise ParameterError("a database has no sheets.", hint="leave --sheet out.")
    return found


def files_behind(data: str, table: str | None, query: str | None) -> list[Any]:
    """Return the file that a table comes from, if it comes from one."""
    from incrowd.frame.databases import file_behind

    if data == STDIN:
        return []
    found = file_behind(table_at(data, table, query))
    return [] if found is None else [found]


def output_at(output: str, table: str | None, *, replace: bool) -> Any:
    """Return where a release goes."""
    from incrowd.frame.databases.address import scheme_of

    if scheme_of(output) is not None and table is None:
        raise ParameterError(
            "the output is the URL of a database, and no table is named.",
            hint="give --output-table NAME.",
        )
    found = table_at(output, table, flags="--output-table and --replace")
    if replace and found == output:
        raise ParameterError(
            "--replace is about tables of databases; a file is replaced anyway.",
            hint="leave it out.",
        )
    return found


@contextmanager
def table_from(
    data: str,
    temporary: str | None,
    table: str | None = None,
    query: str | None = None,
    sheet: str | None = None,
) -> Iterator[Any]:
    """Give a table by its path or URL; ``-`` is CSV from standard input, in a private folder.

    The rest is what `table_at` takes.
    """
    if data != STDIN:
        yield table_at(data, table, query, sheet)
        return
    table_at("standard-input.csv", table, query, sheet)  # refuses what does not fit
    import shutil

    from incrowd.engines import Space
    from incrowd.frame.private_folder import PrivateFolder

    with PrivateFolder(Space(temporary=temporary).folder) as folder:
        path = folder.path / "standard-input.csv"
        with open(path, "xb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
        if not path.stat().st_size:
            raise InputError(
                "standard input is empty.", hint="pipe a CSV file into it, or name a file."
            )
        yield str(path)


def space_of(
    data: str,
    memory: str | None,
    temporary: str | None,
    progress: Progress = QUIET,
    staging: str | None = None,
    most: int | None = None,
) -> Any:
    """Return what the run may take of the machine; the folder of what was piped in is used up."""
    from incrowd.engines import Space

    folder = temporary if data != STDIN or memory is not None else None
    return Space(memory, folder, progress, staging, most)
