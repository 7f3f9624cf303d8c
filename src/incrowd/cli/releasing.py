"""``incrowd anonymize`` and ``incrowd apply``."""

from pathlib import Path
from typing import Annotated

from incrowd.cli import options as flags
from incrowd.cli.declared import Argument, Option
from incrowd.cli.options import policy_from, say
from incrowd.cli.progress import progress_for
from incrowd.errors import ParameterError

OutputFlag = Annotated[str, Option("--output", "-o", help="Where the release goes; - is stdout.")]

AlgorithmFlag = Annotated[str | None, Option("--algorithm", "-a", help="See `incrowd algorithms`.")]
LimitFlag = Annotated[
    float | None,
    Option("--suppression-limit", help="Share of the records that may be suppressed."),
]
PurposeFlag = Annotated[
    str | None,
    Option("--purpose", help="For auto: publication, general, queries or classification."),
]
EffortFlag = Annotated[
    str | None, Option("--effort", help="How long to search: fast, default or best.")
]
TimeLimitFlag = Annotated[
    float | None,
    Option("--time-limit", help="Take the best that was found after so many seconds.",
           metavar="SECONDS"),
]  # fmt: skip
LabelsFlag = Annotated[
    str | None,
    Option("--labels", help="How regions and classes are written: node, grid, range or set."),
]
RecodingFlag = Annotated[
    Path | None, Option("--recoding", help="Save the decision (JSON).", metavar="FILE")
]
SeedFlag = Annotated[int | None, Option("--seed", help="For algorithms that draw at random.")]
ThreadsFlag = Annotated[
    int | None, Option("--threads", help="For algorithms that use several threads.", min=1)
]


def anonymize(
    data: Annotated[str, Argument(metavar="INPUT", help=flags.TABLE)],
    output: OutputFlag,
    policy: flags.PolicyFlag = None,
    table: flags.TableFlag = None,
    query: flags.QueryFlag = None,
    sheet: flags.SheetFlag = None,
    output_table: flags.OutputTableFlag = None,
    replace: flags.ReplaceFlag = False,
    qi: flags.QiFlag = None,
    sensitive: flags.SensitiveFlag = None,
    identifiers: flags.IdentifierFlag = None,
    target: flags.TargetFlag = None,
    entity: flags.EntityFlag = None,
    k: flags.KFlag = None,
    l_diversity: flags.LDiversityFlag = None,
    t_closeness: flags.TClosenessFlag = None,
    other_columns: flags.OtherFlag = None,
    algorithm: AlgorithmFlag = None,
    purpose: PurposeFlag = None,
    effort: EffortFlag = None,
    suppression_limit: LimitFlag = None,
    time_limit: TimeLimitFlag = None,
    labels: LabelsFlag = None,
    formulas: flags.FormulasFlag = None,
    recoding: RecodingFlag = None,
    json_to: flags.JsonFlag = None,
    engine: flags.EngineFlag = "auto",
    memory: flags.MemoryFlag = None,
    temporary: flags.TemporaryFlag = None,
    staging: flags.StagingFlag = None,
    collect_limit: flags.CollectFlag = None,
    partition_by: flags.PartitionFlag = None,
    seed: SeedFlag = None,
    threads: ThreadsFlag = None,
    quiet: flags.QuietFlag = False,
) -> None:
    """Make a verified release of a table.

    The table is recoded, the result recounted, and only then written.
    """
    from incrowd.release import algorithm_of, anonymize_file, with_runtime_options

    chosen = policy_from(
        policy, qi=qi, sensitive=sensitive, identifiers=identifiers, target=target, entity=entity,
        other_columns=other_columns, k=k, l_diversity=l_diversity, t_closeness=t_closeness,
        algorithm=algorithm, suppression_limit=suppression_limit, purpose=purpose, effort=effort,
        labels=labels, formulas=formulas,
    )  # fmt: skip
    if recoding == Path("-"):
        raise ParameterError("the recoding goes to a file.", hint="name one: --recoding F.json.")
    into = flags.output_at(output, output_table, replace=replace)
    with flags.table_from(data, temporary, table=table, query=query, sheet=sheet) as path:
        release = anonymize_file(
            path, into, chosen, recoding=recoding, result=json_to, engine=engine,
            algorithm=with_runtime_options(
                algorithm_of(chosen), seed=seed, threads=threads, time_limit=time_limit
            ),
            space=flags.space_of(data, memory, temporary, staging=staging, most=collect_limit),
            partition_by=flags.names(partition_by), keep=[] if policy is None else [policy],
            replace=replace, progress=progress_for(quiet=quiet),
        )  # fmt: skip
        with release:
            if not quiet:
                say(release.summary())


def apply(
    recoding: Annotated[str, Argument(metavar="RECODING", help="What --recoding saved.")],
    data: Annotated[str, Argument(metavar="NEW", help=f"New rows: {flags.TABLE}")],
    output: OutputFlag,
    table: flags.TableFlag = None,
    query: flags.QueryFlag = None,
    sheet: flags.SheetFlag = None,
    output_table: flags.OutputTableFlag = None,
    replace: flags.ReplaceFlag = False,
    json_to: flags.JsonFlag = None,
    engine: flags.EngineFlag = "auto",
    memory: flags.MemoryFlag = None,
    temporary: flags.TemporaryFlag = None,
    staging: flags.StagingFlag = None,
    collect_limit: flags.CollectFlag = None,
    partition_by: flags.PartitionFlag = None,
    quiet: flags.QuietFlag = False,
) -> None:
    """Apply a saved recoding to new rows.

    The result is verified before it is written.
    """
    from incrowd.release import apply_file

    into = flags.output_at(output, output_table, replace=replace)
    with flags.table_from(data, temporary, table=table, query=query, sheet=sheet) as path:
        release = apply_file(
            recoding,
            path,
            into,
            result=json_to,
            engine=engine,
            space=flags.space_of(data, memory, temporary, staging=staging, most=collect_limit),
            partition_by=flags.names(partition_by),
            replace=replace,
            progress=progress_for(quiet=quiet),
        )
        with release:
            if not quiet:
                say(release.summary())
