"""Run a comparison, and run it again."""

import inspect
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from incrowd.algorithms import Algorithm
from incrowd.compare.comparison import Comparison, Result
from incrowd.compare.contenders import Contender, contenders
from incrowd.compare.settings import PLAIN_METRICS, Settings, check_ks, check_metrics
from incrowd.compare.utility import (
    ClassificationTask,
    Protocol,
    Steps,
    about_release,
    classification_task,
    draft_in_order,
)
from incrowd.engines import Engine, RowsInMemory
from incrowd.errors import IncrowdError, InputError, ParameterError
from incrowd.metrics import measure
from incrowd.metrics.utility.classification import (
    DEFAULT_CLASSIFIERS,
    Encoding,
    Examination,
    Score,
)
from incrowd.metrics.utility.classification.encoding import IntervalsAs, Star
from incrowd.progress import QUIET, Progress
from incrowd.release.problem import Stopwatch, check_table, open_in_memory, policy_of
from incrowd.release.result import Draft
from incrowd.schema import Policy

_ANEW = "or compare anew without --again."


def compare(
    data: Any,
    policy: Policy | str | Path | None = None,
    *,
    algorithms: Iterable[Algorithm | str] | Algorithm | str,
    k: int | Iterable[int] | None = None,
    metrics: Sequence[str] = PLAIN_METRICS,
    classifiers: Sequence[str] | None = None,
    folds: int = 10,
    protocol: Protocol = "refit",
    star: Star = "category",
    intervals: IntervalsAs = "category",
    features: Sequence[str] | None = None,
    sample: int = 5_000,
    seed: int | None = None,
    engine: str | None = None,
    progress: Progress = QUIET,
    **described: Any,
) -> Comparison:
    """Run several algorithms on one table, and measure each.

    Parameters
    ----------
    data, policy, engine, progress, described
        As in `anonymize`.
    algorithms
        Algorithms, or their names: ``"flash"``, ``"iack(leftover=generalise)"``.  A bare name that
        is the policy's algorithm has the policy's parameters, any other its defaults.  The policy's
        suppression limit is everybody's who is given none.
    k
        What takes the place of every k of a k-anonymity requirement, one after the other; the
        policy's own if not given.
    metrics
        Measures of each release, by name.
    classifiers, folds, protocol, star, intervals, features, sample
        As in `classification_utility`; without a target, or with an empty list of classifiers,
        none are trained.
    seed
        Of folds and classifiers (0 if not given), and of algorithms that draw at random and are
        named without a seed.

    Returns
    -------
    Comparison
        An algorithm that fails has its reason in the place of figures; the others go on.
    """
    chosen = policy_of(policy, **described)
    listed = DEFAULT_CLASSIFIERS if classifiers is None else classifiers
    examination = None
    if chosen.target is None or not len(listed):
        _refuse_unused(classifiers, folds, protocol, star, intervals, features, sample)
    else:
        examination = Examination(
            classifiers=listed,
            folds=folds,
            encoding=Encoding(star=star, intervals=intervals),
            seed=seed or 0,
            sample=sample,
        )
    settings = Settings(
        policy=chosen,
        contenders=contenders(algorithms, chosen, seed),
        ks=check_ks(k),
        metrics=check_metrics(metrics),
        examination=examination,
        protocol=protocol,
        features=None if features is None else tuple(features),
        seed=seed or 0,
    )
    opened = open_in_memory(data, chosen, engine)
    return run(opened, settings, _about_input(data, opened, chosen), progress)


def _refuse_unused(classifiers: Sequence[str] | None, *options: Any) -> None:
    """Refuse what describes classifiers where none are trained: it would do nothing."""
    names = ("folds", "protocol", "star", "intervals", "features", "sample")
    usual = inspect.signature(compare).parameters
    given = [
        name for name, value in zip(names, options, strict=True) if value != usual[name].default
    ]
    if classifiers is not None and len(classifiers):
        given.insert(0, "classifiers")
    if given:
        raise ParameterError(
            f"{given[0]} does nothing here: no classifiers are trained.",
            hint="name the column to be predicted (target, --target) and classifiers, or leave "
            f"{given[0]} out.",
        )


def repeat(
    data: Any,
    comparison: Comparison | str | Path,
    *,
    engine: str | None = None,
    progress: Progress = QUIET,
) -> Comparison:
    """Run a comparison again on the same table; all figures but the seconds are the same.

    Parameters
    ----------
    data
        The table that was compared.
    comparison
        What `compare` returned, or the path of its JSON.
    engine
        Where the rows are counted; no figure depends on it.
    """
    before = load_comparison(comparison) if isinstance(comparison, str | Path) else comparison
    opened = open_in_memory(data, before.settings.policy, engine)
    about = _about_input(data, opened, before.settings.policy)
    _check_input(about, dict(before.input))
    return run(opened, before.settings, about, progress)


def load_comparison(path: str | Path) -> Comparison:
    """Read the JSON of a comparison."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise InputError(
            f"{path} cannot be read: {reason}.", hint="give the JSON of an earlier comparison."
        ) from None
    return Comparison.from_json(text)


def run(
    engine: RowsInMemory, settings: Settings, about: Mapping[str, Any], progress: Progress = QUIET
) -> Comparison:
    """Compare what the settings say; `about` is what the result says of the input."""
    policies = settings.policies()
    check_table(engine, settings.policy)
    task = None
    if settings.examination is not None:
        task = classification_task(
            engine, settings.policy, settings.examination, settings.protocol, settings.features
        )
    trainings = 0 if task is None else task.n_folds * len(task.examination.classifiers)
    runs = len(policies) * len(settings.contenders)
    steps = Steps(progress, trainings + runs * (1 + trainings), "comparing")
    baselines: list[Score] = []
    notes: list[str] = list(engine.notes)
    if task is not None:
        baselines, more = task.baselines(steps)
        notes += more
    results = [
        _result(engine, settings, contender, k, policy, task, steps)
        for contender in settings.contenders
        for k, policy in policies.items()
    ]
    steps.finish()
    return Comparison(settings, about, tuple(baselines), tuple(results), tuple(notes))


def _result(
    engine: RowsInMemory,
    settings: Settings,
    contender: Contender,
    k: int,
    policy: Policy,
    task: ClassificationTask | None,
    steps: Steps,
) -> Result:
    watch = Stopwatch()
    result = Result(contender.label, k)
    try:
        draft = draft_in_order(engine, policy, contender.algorithm, settings.seed, watch)
        facts = draft.facts()
        result = replace(
            result,
            classes=facts["classes"],
            suppressed=facts["suppressed"],
            dropped=facts["dropped"],
            metrics=measure(draft.outcome(), settings.metrics, leave_out_broken=True),
            seconds=round(watch.seconds["search"], 6),
        )
        steps()
        if task is None:
            return result
        scores, notes = _scores(task, draft, policy, contender.algorithm, steps)
        return replace(result, scores=tuple(scores), notes=tuple(notes))
    except IncrowdError as error:
        return replace(result, reason=error.message)


def _scores(
    task: ClassificationTask, draft: Draft, policy: Policy, algorithm: Algorithm, steps: Steps
) -> tuple[list[Score], list[str]]:
    if task.protocol == "refit":
        return task.refitted(policy, algorithm, steps)
    scores, notes, n_folds = task.released(draft.table.recountable(), steps)
    return scores, [*notes, *about_release(task, draft.dropped, n_folds)]


def _about_input(data: Any, engine: Engine, policy: Policy) -> dict[str, Any]:
    """Return the names and sizes of a table and of the hierarchy files.

    No hash of cells is kept: whoever knows all cells but one could try out what the last one is.

    Parameters
    ----------
    data, engine
        What was given, and where its rows are; only a file has a size in bytes.
    policy
        It names the hierarchy files.
    """
    is_path = isinstance(data, str | os.PathLike)
    return {
        "columns": list(engine.names),
        "rows": engine.n_rows,
        "bytes": _size(data) if is_path else None,
        "hierarchies": {str(path): _size(path) for path in policy.files},
    }


def _check_input(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """Raise unless table and hierarchies can be those of an earlier comparison."""
    if "table" in expected:
        raise InputError(
            "the earlier comparison holds a hash of the table's cells, from which a cell can be "
            "guessed.",
            hint="delete that file and its copies, and compare anew without --again.",
        )
    differs = [key for key in ("columns", "rows", "bytes") if _differ(found[key], expected[key])]
    if differs:
        words = {"columns": "other columns", "rows": "another number of rows",
                 "bytes": "another size"}  # fmt: skip
        raise InputError(
            f"this is not the table that was compared: it has {words[differs[0]]}.",
            hint=f"give the same table, {_ANEW}",
        )
    if found["hierarchies"] != expected["hierarchies"]:
        raise InputError(
            "the hierarchy files are not those of the earlier comparison.",
            hint=f"put them back as they were, {_ANEW}",
        )


def _differ(one: Any, other: Any) -> bool:
    """Whether two facts differ; a frame has no size in bytes to be held against that of a file."""
    return one is not None and other is not None and one != other


def _size(path: str | os.PathLike[str]) -> int | None:
    try:
        return Path(path).stat().st_size
    except OSError:  # whoever needs the file says so
        return None
