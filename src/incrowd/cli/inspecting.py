"""``incrowd inspect`` and ``incrowd check``: what a table is, and what is wrong with it."""

import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

from incrowd.cli import options as flags
from incrowd.cli.declared import Argument, Option
from incrowd.cli.options import policy_from, say, write_json
from incrowd.cli.progress import progress_for
from incrowd.errors import ParameterError


def inspect(
    data: Annotated[str, Argument(metavar="INPUT", help=flags.TABLE)],
    output: Annotated[
        Path | None,
        Option("--output", "-o", help="Write the policy here instead of to stdout."),
    ] = None,
    table: flags.TableFlag = None,
    query: flags.QueryFlag = None,
    sheet: flags.SheetFlag = None,
    k: Annotated[int, Option("--k", "-k", help="The k of the suggested policy.")] = 5,
    separator: Annotated[str | None, Option("--separator", help="Of a CSV file.")] = None,
    encoding: Annotated[str, Option("--encoding", help="Of a CSV file.")] = "utf-8",
    json_to: flags.JsonFlag = None,
    engine: flags.EngineFlag = "auto",
    memory: flags.MemoryFlag = None,
    temporary: flags.TemporaryFlag = None,
    quiet: flags.QuietFlag = False,
) -> None:
    """Tell which columns are risky.

    And write a commented policy to start from.
    """
    from shlex import quote

    from incrowd.engines import engine_for
    from incrowd.frame import check_targets, write_text
    from incrowd.frame.sniffing import check_separator
    from incrowd.requirements import KAnonymity
    from incrowd.schema import profile, starting_policy
    from incrowd.schema.first_line import refuse_without_names

    KAnonymity(k)
    check_targets([output, json_to], inputs=flags.files_behind(data, table, query))
    if separator is not None:
        separator = check_separator(separator)
    with flags.table_from(data, temporary, table=table, query=query, sheet=sheet) as path:
        space = flags.space_of(data, memory, temporary, progress_for(quiet=quiet))
        rows = engine_for(path, engine, separator=separator, encoding=encoding, space=space)
        with closing(rows):
            refuse_without_names(rows)
            found = profile(rows)
    if not quiet:
        _print_profile(found, (*rows.notes, *_about_names(rows.names)))
    policy = starting_policy(found, k=k, separator=separator, encoding=encoding)
    write_json({**found.to_json(), "policy": policy}, json_to)
    if output is None:
        if json_to != "-":
            print(policy, end="")
        return
    write_text(output, policy)
    asked = quote(data) + ("" if table is None else f" --table {quote(table)}")
    say(f"policy written to {output}; read it, correct it, then: "
        f"incrowd check {asked} --policy {output}; and once nothing is wrong: "
        f"incrowd anonymize {asked} --policy {output} -o released.csv", quiet=quiet)  # fmt: skip


def _about_names(names: tuple[str, ...]) -> list[str]:
    """Return a warning if the first line of a file may be a record."""
    from incrowd.texts import is_number

    numbers = sum(map(is_number, names))
    if not numbers:
        return []
    return [
        f"{numbers} of {len(names)} columns are called like a number: if the first line is a "
        "record, it stands in this policy now; put a line of names above it."
    ]


def _print_profile(found: Any, notes: tuple[str, ...]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(stderr=True, width=None if sys.stderr.isatty() else 120)
    for note in notes:
        console.print(note, highlight=False, markup=False)
    table = Table("column", "kind", "distinct", "missing", "unique", "suggested role", "why",
                  box=None)  # fmt: skip
    for column in found.columns:
        table.add_row(
            Text(column.name),  # a name in brackets is no markup
            column.kind,
            f"{column.n_distinct:,}",
            f"{column.missing_share:.1%}",
            f"{column.unique_share:.1%}",
            column.role,
            column.reason,
        )
    console.print(table)
    console.print(
        f"On the suggested quasi-identifiers together: {found.n_tuples:,} distinct tuples "
        f"among {found.n_records:,} records, {found.unique_share:.1%} of them are unique, the "
        f"smallest class has {found.smallest_class:,}.",
        highlight=False,
    )
    for each in found.combinations:
        named = " and ".join(each.columns)
        console.print(f"{named}: {each.unique_share:.1%} unique", highlight=False, markup=False)
    for each, columns in found.safe_harbor():
        if columns:
            told = f"Safe Harbor {each.number}, {each.title}: {', '.join(columns)}"
            console.print(told, highlight=False, markup=False)


ShowValuesFlag = Annotated[
    bool, Option("--show-values", help="Show the cells too, on the terminal and nowhere else.")
]


def check(
    data: Annotated[str, Argument(metavar="INPUT", help=flags.TABLE)],
    policy: flags.PolicyFlag = None,
    qi: flags.QiFlag = None,
    sensitive: flags.SensitiveFlag = None,
    identifiers: flags.IdentifierFlag = None,
    target: flags.TargetFlag = None,
    entity: flags.EntityFlag = None,
    k: flags.KFlag = None,
    l_diversity: flags.LDiversityFlag = None,
    t_closeness: flags.TClosenessFlag = None,
    other_columns: flags.OtherFlag = None,
    table: flags.TableFlag = None,
    query: flags.QueryFlag = None,
    sheet: flags.SheetFlag = None,
    show_values: ShowValuesFlag = False,
    json_to: flags.JsonFlag = None,
    engine: flags.EngineFlag = "auto",
    memory: flags.MemoryFlag = None,
    temporary: flags.TemporaryFlag = None,
    quiet: flags.QuietFlag = False,
) -> int:
    """Name everything that would stop or spoil a release.

    And the lines where it stands, before any search. The exit code is 2 if something stops it.
    """
    from incrowd.frame import check_targets
    from incrowd.release import check as check_table

    chosen = policy_from(
        policy, qi=qi, sensitive=sensitive, identifiers=identifiers, target=target, entity=entity,
        other_columns=other_columns, k=k, l_diversity=l_diversity, t_closeness=t_closeness,
    )  # fmt: skip
    behind = flags.files_behind(data, table, query)
    check_targets([json_to], inputs=[*behind, policy, *chosen.files])
    _refuse_values_elsewhere(show_values)
    with flags.table_from(data, temporary, table=table, query=query, sheet=sheet) as path:
        space = flags.space_of(data, memory, temporary, progress_for(quiet=quiet))
        found = check_table(path, chosen, engine=engine, space=space)
    for line in found.lines(show_values=show_values):
        say(line, quiet=quiet)
    write_json(found.to_json(), json_to)
    return 0 if found.passed else 2


def _refuse_values_elsewhere(show_values: bool) -> None:
    """Refuse to show cells where they would be kept: in a file, or in the log of a job."""
    if show_values and not sys.stderr.isatty():
        raise ParameterError(
            "--show-values shows cells on a terminal, and this is none.",
            hint="leave it out, or run the command in a terminal; lines are told anyway.",
        )
