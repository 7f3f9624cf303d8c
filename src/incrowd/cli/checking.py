"""``incrowd verify`` and ``incrowd measure``."""

import sys
from typing import Annotated, Any

from incrowd.cli import options as flags
from incrowd.cli.declared import Argument, Option
from incrowd.cli.options import names, policy_from, say, write_json
from incrowd.cli.progress import progress_for
from incrowd.errors import ParameterError

ReleasedArgument = Annotated[str, Argument(metavar="RELEASED", help=flags.TABLE)]


MetricsFlag = Annotated[
    str | None, Option("--metrics", help="These, instead of all there are.", metavar="NAMES")
]
QueryColumnsFlag = Annotated[
    str | None, Option("--query-columns", help="Ask COUNT queries on these.", metavar="NAMES")
]
SelectivityFlag = Annotated[
    float | None, Option("--selectivity", help="Share of the space a query covers: 0.01.")
]
OriginalTableFlag = Annotated[
    str | None, Option("--original-table", help="Of a database.", metavar="NAME")
]
OriginalQueryFlag = Annotated[
    str | None, Option("--original-query", help="Of a database.", metavar="SQL")
]
OriginalSheetFlag = Annotated[
    str | None, Option("--original-sheet", help="Of a workbook.", metavar="NAME")
]


def verify(
    released: ReleasedArgument,
    policy: flags.PolicyFlag = None,
    table: flags.TableFlag = None,
    query: flags.QueryFlag = None,
    sheet: flags.SheetFlag = None,
    qi: flags.QiFlag = None,
    sensitive: flags.SensitiveFlag = None,
    identifiers: flags.IdentifierFlag = None,
    target: flags.TargetFlag = None,
    entity: flags.EntityFlag = None,
    k: flags.KFlag = None,
    l_diversity: flags.LDiversityFlag = None,
    t_closeness: flags.TClosenessFlag = None,
    other_columns: flags.OtherFlag = None,
    formulas: flags.FormulasFlag = None,
    json_to: flags.JsonFlag = None,
    quiet: flags.QuietFlag = False,
) -> int:
    """Recount a released table, ours or anybody's.

    The exit code is 1 if it fails.
    """
    import incrowd.verify as verification
    from incrowd.frame import check_targets
    from incrowd.frame.databases import file_behind

    chosen = policy_from(
        policy, qi=qi, sensitive=sensitive, identifiers=identifiers, target=target, entity=entity,
        other_columns=other_columns, k=k, l_diversity=l_diversity, t_closeness=t_closeness,
        formulas=formulas,
    )  # fmt: skip
    with flags.table_from(released, None, table=table, query=query, sheet=sheet) as rows:
        check_targets([json_to], inputs=[file_behind(rows), policy, *chosen.files])
        verdict = verification.verify(rows, chosen, progress=progress_for(quiet=quiet))
    for line in (*verdict.lines(), *(f"note: {each}" for each in verdict.notes)):
        say(line, quiet=quiet)
    write_json(verdict.to_json(), json_to)
    return 0 if verdict.passed else 1


def measure(
    released: ReleasedArgument,
    original: Annotated[
        str, Option("--original", help="The table that was released.", metavar="INPUT")
    ],
    policy: flags.PolicyFlag = None,
    table: flags.TableFlag = None,
    query: flags.QueryFlag = None,
    sheet: flags.SheetFlag = None,
    original_table: OriginalTableFlag = None,
    original_query: OriginalQueryFlag = None,
    original_sheet: OriginalSheetFlag = None,
    qi: flags.QiFlag = None,
    sensitive: flags.SensitiveFlag = None,
    identifiers: flags.IdentifierFlag = None,
    target: flags.TargetFlag = None,
    entity: flags.EntityFlag = None,
    k: flags.KFlag = None,
    l_diversity: flags.LDiversityFlag = None,
    t_closeness: flags.TClosenessFlag = None,
    other_columns: flags.OtherFlag = None,
    formulas: flags.FormulasFlag = None,
    metrics: MetricsFlag = None,
    query_columns: QueryColumnsFlag = None,
    selectivity: SelectivityFlag = None,
    queries: Annotated[int | None, Option("--queries", help="How many: 10000.")] = None,
    seed: Annotated[int | None, Option("--seed", help="Another seed, other queries.")] = None,
    json_to: flags.JsonFlag = None,
    engine: flags.EngineFlag = "auto",
    memory: flags.MemoryFlag = None,
    temporary: flags.TemporaryFlag = None,
    quiet: flags.QuietFlag = False,
) -> None:
    """Measure what a release lost, against the original."""
    from incrowd.engines import Space
    from incrowd.frame import check_targets
    from incrowd.frame.databases import file_behind
    from incrowd.release import measure_release

    chosen = policy_from(
        policy, qi=qi, sensitive=sensitive, identifiers=identifiers, target=target, entity=entity,
        other_columns=other_columns, k=k, l_diversity=l_diversity, t_closeness=t_closeness,
        formulas=formulas,
    )  # fmt: skip
    before = flags.table_at(
        original, original_table, original_query, original_sheet,
        "--original-table and --original-query",
    )  # fmt: skip
    workload = _workload(query_columns, selectivity=selectivity, n_queries=queries, seed=seed)
    space = Space(memory, temporary, progress_for(quiet=quiet))
    with flags.table_from(released, temporary, table=table, query=query, sheet=sheet) as after:
        files = map(file_behind, (after, before))
        check_targets([json_to], inputs=[*files, policy, *chosen.files])
        result = measure_release(
            after, before, chosen, metrics=None if metrics is None else names(metrics),
            workload=workload, engine=engine, space=space,
        )  # fmt: skip
    write_json(result, json_to)
    if not quiet:
        _print_measures(result)


def _workload(columns: str | None, **options: Any) -> Any:
    """Return the queries that were asked for, if any were."""
    from incrowd.metrics import Workload

    given = {name: value for name, value in options.items() if value is not None}
    if columns is None:
        if given:
            raise ParameterError(
                "queries are described, but not which columns they look at.",
                hint="give --query-columns age,sex beside --selectivity, --queries and --seed.",
            )
        return None
    return Workload(columns=names(columns), **{"selectivity": 0.01, **given})


def _print_measures(result: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    from incrowd.metrics import find_metric

    table = Table("metric", "value", "better", "what it is", box=None)
    for name, value in result["metrics"].items():
        if isinstance(value, dict):
            continue
        metric = find_metric(name)
        shown = f"{value:,.6g}" if isinstance(value, float) else f"{value:,}"
        table.add_row(name, shown, metric.better, metric.description)
    if "query_error" in result:
        about = "Average relative error of the COUNT queries."
        table.add_row("query_error", f"{result['query_error']:,.6g}", "lower", about)
    for note in result["notes"]:
        say(f"note: {note}")
    console = Console(stderr=True, width=None if sys.stderr.isatty() else 120)
    console.print(
        f"{result['records']:,} records, {result['released']:,} released in "
        f"{result['classes']:,} classes, {result['suppressed']:,} suppressed, "
        f"{result['dropped']:,} of them dropped.",
        highlight=False,
    )
    console.print(table)
