"""``incrowd compare``."""

from pathlib import Path
from typing import Annotated, Any

from incrowd.cli import options as flags
from incrowd.cli.declared import Argument, Option
from incrowd.cli.options import names, policy_from, say
from incrowd.cli.progress import progress_for
from incrowd.errors import ParameterError

NOTHING_WORKED = 2
FORMATS = {".csv": "csv", ".json": "json", ".txt": "text"}


AlgorithmsFlag = Annotated[
    str | None,
    Option("--algorithms", help='"flash,mondrian,iack(leftover=generalise)".'),
]
KsFlag = Annotated[str | None, Option("--k", "-k", help="Several: 2,5,10.")]
MetricsFlag = Annotated[str | None, Option("--metrics", help="loss,precision ...", metavar="NAMES")]
ClassifiersFlag = Annotated[
    str | None,
    Option("--classifiers", help="decision-tree,svm ... or none.", metavar="NAMES"),
]
FoldsFlag = Annotated[int | None, Option("--folds", help="How many: 10.")]
ProtocolFlag = Annotated[
    str | None, Option("--protocol", help="Where folds are made: refit or release.")
]
StarFlag = Annotated[str | None, Option("--star", help="A masked cell is a category or missing.")]
IntervalsFlag = Annotated[
    str | None, Option("--intervals", help="An interval is a category or its midpoint.")
]
FeaturesFlag = Annotated[
    str | None, Option("--features", help="Columns to learn from.", metavar="NAMES")
]
SampleFlag = Annotated[int | None, Option("--sample", help="Most records for svm-rbf: 5000.")]
SeedFlag = Annotated[int | None, Option("--seed", help="Another seed, other folds.")]
OutputFlag = Annotated[
    str | None, Option("--output", "-o", help="Write the table here: .csv, .json or .txt.")
]
FormatFlag = Annotated[str | None, Option("--format", help="text, csv or json.", metavar="FORMAT")]
AgainFlag = Annotated[
    Path | None, Option("--again", help="Repeat the comparison of this JSON.", metavar="FILE")
]


def compare(
    data: Annotated[str, Argument(metavar="INPUT", help=flags.TABLE)],
    algorithms: AlgorithmsFlag = None,
    k: KsFlag = None,
    l_diversity: flags.LDiversityFlag = None,
    t_closeness: flags.TClosenessFlag = None,
    policy: flags.PolicyFlag = None,
    table: flags.TableFlag = None,
    query: flags.QueryFlag = None,
    sheet: flags.SheetFlag = None,
    qi: flags.QiFlag = None,
    sensitive: flags.SensitiveFlag = None,
    identifiers: flags.IdentifierFlag = None,
    target: flags.TargetFlag = None,
    entity: flags.EntityFlag = None,
    other_columns: flags.OtherFlag = None,
    metrics: MetricsFlag = None,
    classifiers: ClassifiersFlag = None,
    folds: FoldsFlag = None,
    protocol: ProtocolFlag = None,
    star: StarFlag = None,
    intervals: IntervalsFlag = None,
    features: FeaturesFlag = None,
    sample: SampleFlag = None,
    seed: SeedFlag = None,
    output: OutputFlag = None,
    form: FormatFlag = None,
    json_to: flags.JsonFlag = None,
    again: AgainFlag = None,
    engine: flags.EngineFlag = "auto",
    quiet: flags.QuietFlag = False,
) -> int:
    """Compare algorithms on a table: loss, and what classifiers still learn.

    One row per algorithm and k, and per classifier if there is a target.
    """
    roles = {"qi": qi, "sensitive": sensitive, "identifiers": identifiers, "target": target,
             "entity": entity, "other_columns": other_columns}  # fmt: skip
    options: dict[str, Any] = {
        "metrics": None if metrics is None else names(metrics),
        "classifiers": None if classifiers is None else _classifiers(classifiers),
        "features": None if features is None else names(features),
        **{"folds": folds, "protocol": protocol, "star": star},
        **{"intervals": intervals, "sample": sample, "seed": seed},
    }
    asked = {"l_diversity": l_diversity or None, "t_closeness": t_closeness or None}
    wanted = {"algorithms": algorithms, "k": k, "policy": policy, **asked, **roles, **options}
    written, outputs = _format(output, form), [output, json_to]
    how = {"engine": engine, "progress": progress_for(quiet=quiet)}
    with flags.table_from(data, None, table=table, query=query, sheet=sheet) as rows:
        if again is not None:
            found = _repeated(rows, again, wanted, outputs, **how)
        else:
            found = _compared(rows, wanted, roles, options, outputs, **how)
    _write(found, output, written, json_to, quiet=quiet)
    return 0 if found.worked else NOTHING_WORKED


def _compared(
    data: Any,
    wanted: dict[str, Any],
    roles: dict[str, Any],
    options: dict[str, Any],
    outputs: list[str | None],
    **how: Any,
) -> Any:
    from incrowd.compare import compare as compared
    from incrowd.frame import check_targets
    from incrowd.frame.databases import file_behind

    if not wanted["algorithms"]:
        raise ParameterError(
            "no algorithm is given to be compared.",
            hint="give --algorithms flash,mondrian; `incrowd algorithms` lists them.",
        )
    ks = None if wanted["k"] is None else [_whole(each) for each in names(wanted["k"])]
    path = wanted["policy"]
    first = ks[0] if ks and path is None else None  # a policy has a k of its own
    asked = {name: wanted[name] for name in ("l_diversity", "t_closeness")}
    chosen = policy_from(path, **roles, **asked, k=first, release=False)
    check_targets(outputs, inputs=[file_behind(data), path, *chosen.files])
    return compared(
        data,
        chosen,
        algorithms=wanted["algorithms"],
        k=ks,
        **how,
        **{key: value for key, value in options.items() if value is not None},
    )


def _repeated(
    data: Any, again: Path, wanted: dict[str, Any], outputs: list[str | None], **how: Any
) -> Any:
    from incrowd.compare import load_comparison, repeat
    from incrowd.frame import check_targets
    from incrowd.frame.databases import file_behind

    given = [key for key, value in wanted.items() if value is not None]
    if given:
        flag = given[0].replace("_", "-")
        raise ParameterError(
            f"--again repeats a comparison as it was, and --{flag} would change it.",
            hint="give one or the other.",
        )
    before = load_comparison(again)
    check_targets(outputs, inputs=[file_behind(data), again, *before.settings.policy.files])
    return repeat(data, before, **how)


def _write(found: Any, output: str | None, form: str, json_to: str | None, *, quiet: bool) -> None:
    """Put the table where it was asked for: on standard output, unless something else is there."""
    from incrowd.frame import PendingFiles
    from incrowd.texts import json_text

    text = {"csv": found.to_csv, "json": found.to_json, "text": found.to_text}[form]()
    text = text if text.endswith("\n") else f"{text}\n"
    with PendingFiles() as files:
        if output not in (None, "-"):
            files.add_text(str(output), text, private=form == "json")
        elif output == "-" or json_to != "-":
            print(text, end="", flush=True)  # before a file appears
        if json_to not in (None, "-"):
            files.add_text(str(json_to), json_text(found.to_dict()), private=True)
        elif json_to == "-":
            print(json_text(found.to_dict()), end="", flush=True)
        files.publish()
    if output not in (None, "-") or json_to == "-":
        say(found.to_text(), quiet=quiet)
    elif form != "text":
        for note in found.all_notes():
            say(f"note: {note}", quiet=quiet)


def _format(output: str | None, form: str | None) -> str:
    if form is not None and form not in FORMATS.values():
        raise ParameterError(f"--format is {form!r}.", hint="it is text, csv or json.")
    if form is not None or output in (None, "-"):
        return form or "text"
    found = FORMATS.get(Path(str(output)).suffix.lower())
    if found is None:
        raise ParameterError(
            f"{output} has no extension that tells its format.",
            hint="end it in .csv, .json or .txt, or give --format.",
        )
    return found


def _classifiers(flag: str) -> list[str]:
    return [] if flag.strip() == "none" else names(flag)


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise ParameterError("--k takes whole numbers.", hint="write for example --k 2,5,10.")
    return int(text)
