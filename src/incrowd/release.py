"""From a table to a verified release."""

from __future__ import annotations

import resource
import sys
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from incrowd.algorithms import ALGORITHMS, Algorithm, build_algorithm
from incrowd.drafting import Draft, Stopwatch, draft_new_rows, draft_release
from incrowd.engines import MemoryEngine
from incrowd.errors import IncrowdError, InputError, ParameterError
from incrowd.frame import (
    PendingFiles,
    check_targets,
    fill,
    find_formulas,
    is_csv,
    open_source,
    refuse_formulas,
    reserve,
)
from incrowd.frame.source import Source
from incrowd.metrics import Outcome, measure
from incrowd.private import Private, sizes_only
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Recoding, load_recoding
from incrowd.schema import Policy, load_policy, policy_from_keywords, policy_from_mapping
from incrowd.texts import json_text
from incrowd.verify import Verdict, verify
from incrowd.version import __version__

_SAVE_AGAIN = "give the unchanged file that --recoding or `save` wrote."


@dataclass(frozen=True, eq=False)
class Release(Private):
    """A table that can be shared, and how it came about.

    Parameters
    ----------
    source
        The released table.
    recoding
        The decision.
    verdict
        What the independent recount found.
    outcome
        What metrics are computed from.
    facts
        The figures of the JSON result, metrics and seconds apart.
    seconds
        Time spent, by part.
    notes
        What the data owner should know.
    """

    source: Source
    recoding: Recoding
    verdict: Verdict
    outcome: Outcome
    facts: Mapping[str, Any]
    seconds: Mapping[str, float]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        facts = self.facts
        return (
            f"Release({facts['released']:,} of {facts['records']:,} records in "
            f"{facts['classes']:,} classes, by {facts['algorithm']}; verified)"
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Release:
        return replace(self, source=deepcopy(self.source, memo))

    @property
    def table(self) -> Any:
        """The released table, as the kind of frame that came in."""
        return self.source.to_native()

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """The metrics of the summary, by name."""
        return measure(self.outcome)

    def metric(self, name: str) -> Any:
        """Return one metric of the registry."""
        return measure(self.outcome, (name,)).get(name)

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data: what ``--json`` writes."""
        return {
            **self.facts,
            "metrics": self.metrics,
            "requirements": self.verdict.to_json()["requirements"],
            "notes": list(self.notes),
            "seconds": {part: round(value, 6) for part, value in self.seconds.items()},
            "peak_memory_mb": _peak_memory_mb(),
            "version": __version__,
        }

    def summary(self) -> str:
        """Return what was done and what it cost, in words."""
        facts = self.facts
        uniques = int((self.outcome.table.records == 1).sum())
        head = [
            f"{facts['records']:,} records, {facts['released']:,} released in "
            f"{facts['classes']:,} classes of at least {facts['smallest_class']:,}; "
            f"{facts['suppressed']:,} suppressed, {facts['dropped']:,} of them dropped.",
            f"Before: {uniques:,} records were unique on the quasi-identifiers.",
        ]
        metrics = [f"{name}: {_shown(value)}" for name, value in self.metrics.items()]
        parts = {
            "Recoding": self.recoding.explain(),
            "Metrics": metrics,
            "Recount": self.verdict.lines(),
            "Notes": self.notes,
        }
        for title, lines in parts.items():
            head += [title, *(f"  {line}" for line in lines)] if lines else []
        return "\n".join(head)


def anonymize(
    data: Any,
    policy: Policy | str | Path | None = None,
    *,
    algorithm: Algorithm | str | None = None,
    progress: Progress = QUIET,
    **described: Any,
) -> Release:
    """Turn a table about people into one that can be shared.

    Parameters
    ----------
    data
        A frame of pandas, Polars or PyArrow, or the path of a CSV or Parquet file.
    policy
        A `Policy` or the path of a policy file.  Instead of it the columns can be described by
        the keywords of `incrowd.policy`: `quasi_identifiers`, `sensitive`, `requirements` ...
    algorithm
        An algorithm or the name of one; the policy's if not given.
    progress
        What long work reports to.

    Returns
    -------
    Release
        Verified: an independent recount of the released table confirmed every requirement.

    Raises
    ------
    IncrowdError
        If the table, the policy or a parameter is wrong, or no release can meet the requirements.
    """
    chosen = policy_of(policy, **described)
    watch = Stopwatch()
    with watch.timing("read"):
        source = open_source(data, separator=chosen.input.separator, encoding=chosen.input.encoding)
    draft = draft_release(
        MemoryEngine(source), chosen, algorithm_of(chosen, algorithm), progress, watch
    )
    with watch.timing("verify"):
        verdict = verify(draft.source, chosen)
    verdict.raise_if_failed()
    return _released(draft, verdict, watch)


@dataclass(frozen=True, eq=False)
class Preview(Private):
    """A table as a paper would print it: unverified, and no release.

    Parameters
    ----------
    source
        The table.
    recoding
        The decision.
    facts
        The figures of the JSON result.
    """

    source: Source
    recoding: Recoding
    facts: dict[str, Any]
    verified: ClassVar[bool] = False

    def __deepcopy__(self, memo: dict[int, Any]) -> Preview:
        return replace(self, source=deepcopy(self.source, memo))

    __repr__ = sizes_only

    @property
    def table(self) -> Any:
        """The table, as the kind of frame that came in; not to be shared."""
        return self.source.to_native()


def preview(
    data: Any,
    policy: Policy | str | Path | None = None,
    *,
    algorithm: Algorithm | str | None = None,
    progress: Progress = QUIET,
    **described: Any,
) -> Preview:
    """Show what an algorithm makes of a table, suppressed records masked however few they are.

    The worked examples of papers leave a handful of masked records beside the crowds; a release
    has no such exemption, so this is none.  Rows keep their order.  The parameters are those of
    `anonymize`.
    """
    chosen = policy_of(policy, **described)
    chosen = replace(chosen, release=replace(chosen.release, order="keep", suppressed="mask"))
    source = open_source(data, separator=chosen.input.separator, encoding=chosen.input.encoding)
    draft = draft_release(
        MemoryEngine(source),
        chosen,
        algorithm_of(chosen, algorithm),
        progress,
        Stopwatch(),
        exempt=True,
    )
    return Preview(draft.source, draft.recoding, draft.facts())


def anonymize_file(
    data: str | Path,
    output: str | Path,
    policy: Policy,
    *,
    algorithm: Algorithm | str | None = None,
    recoding: str | Path | None = None,
    result: str | Path | None = None,
    progress: Progress = QUIET,
) -> Release:
    """Anonymize a file into another one, which appears only once its bytes were verified.

    All files appear together, the release last, or none of them does.

    Parameters
    ----------
    data, output
        Paths; ``-`` as output is standard output.
    policy, algorithm, progress
        As in `anonymize`.
    recoding
        Where the decision is saved.
    result
        Where `Release.to_json` is written; ``-`` is standard output.
    """
    inputs = [data, *policy.files]
    check_targets([output, recoding, result], inputs=inputs)
    watch = Stopwatch()
    with watch.timing("read"):
        source = open_source(data, separator=policy.input.separator, encoding=policy.input.encoding)
    chosen = algorithm_of(policy, algorithm)
    draft = draft_release(MemoryEngine(source), policy, chosen, progress, watch)
    draft = _minding_formulas(draft, output, policy)
    return _publish(draft, output, inputs, policy, watch, recoding=recoding, result=result)


def apply_file(
    recoding: Recoding | str | Path,
    data: str | Path,
    output: str | Path,
    *,
    result: str | Path | None = None,
    progress: Progress = QUIET,
) -> Release:
    """Apply a saved recoding to new rows in a file, verify the result, and write it.

    A row outside the released classes is masked; so are rows whose class would be too small among
    the new rows alone.  `result` is where `Release.to_json` is written.
    """
    decision = load_recoding(recoding) if isinstance(recoding, str | Path) else recoding
    policy = _policy_in(decision)
    inputs = [data, *([recoding] if isinstance(recoding, str | Path) else [])]
    check_targets([output, result], inputs=inputs)
    watch = Stopwatch()
    with watch.timing("read"):
        source = open_source(data, separator=policy.input.separator, encoding=policy.input.encoding)
    draft = draft_new_rows(MemoryEngine(source), policy, decision, watch)
    draft = _minding_formulas(draft, output, policy)
    return _publish(draft, output, inputs, policy, watch, result=result)


def apply_recoding(recoding: Recoding | str | Path, data: Any) -> Release:
    """Apply a recoding to new rows in a frame or file, and verify the result."""
    decision = load_recoding(recoding) if isinstance(recoding, str | Path) else recoding
    policy = _policy_in(decision)
    watch = Stopwatch()
    with watch.timing("read"):
        source = open_source(data, separator=policy.input.separator, encoding=policy.input.encoding)
    draft = draft_new_rows(MemoryEngine(source), policy, decision, watch)
    with watch.timing("verify"):
        verdict = verify(draft.source, policy)
    verdict.raise_if_failed()
    return _released(draft, verdict, watch)


def policy_of(policy: Policy | str | Path | None = None, **described: Any) -> Policy:
    """Return a policy: the one given, the one in a file, or the one that keywords describe."""
    if policy is None:
        return policy_from_keywords(**described)
    if described:
        named = ", ".join(described)
        raise ParameterError(
            f"a policy is given, and beside it {named}.", hint="give one or the other."
        )
    if isinstance(policy, str | Path):
        return load_policy(policy)
    if not isinstance(policy, Policy):
        raise ParameterError(
            f"an object of type {type(policy).__name__} is no policy.",
            hint="pass a Policy, the path of a policy file, or keywords such as quasi_identifiers.",
        )
    return policy


def _released(draft: Draft, verdict: Verdict, watch: Stopwatch) -> Release:
    return Release(
        draft.source,
        draft.recoding,
        verdict,
        draft.outcome(),
        draft.facts(),
        watch.seconds,
        draft.notes,
    )


def _minding_formulas(draft: Draft, output: str | Path, policy: Policy) -> Draft:
    """Note how many cells of a CSV file a spreadsheet would run; refuse them if the policy does."""
    if not is_csv(output):
        return draft
    found = find_formulas(draft.source)
    if policy.release.formulas == "refuse":
        refuse_formulas(found)
    if not found.total:
        return draft
    note = (
        f"spreadsheet programs would run {found.total:,} cells as formulas; formulas = "
        '"escape" in [release] prevents it.'
    )
    if policy.release.formulas == "escape":
        note = (
            f"{found.total:,} cells that spreadsheet programs would run have an apostrophe in "
            "front; `verify` and `measure` read them without it."
        )
    return replace(draft, notes=(*draft.notes, note))


def _publish(
    draft: Draft,
    output: str | Path,
    inputs: Sequence[str | Path],
    policy: Policy,
    watch: Stopwatch,
    *,
    recoding: str | Path | None = None,
    result: str | Path | None = None,
) -> Release:
    """Write everything beside its place, recount the bytes, and only then put all of it there."""
    with PendingFiles() as files:
        pending = files.add(reserve(output, inputs=inputs))  # the first added is published last
        with watch.timing("write"):
            fill(pending, draft.source, formulas=policy.release.formulas)
        with watch.timing("verify"):
            separator = getattr(draft.source, "separator", None)
            verdict = verify(pending.path, policy, separator=separator)
            verdict.raise_if_failed()
        with watch.timing("write"):
            if recoding is not None:
                files.add_text(recoding, draft.recoding.to_text(), private=True)
        release = _released(draft, verdict, watch)
        if result is not None:
            files.add_text(result, json_text(release.to_json()), private=True)
        files.publish()
    return release


def algorithm_of(policy: Policy, algorithm: Algorithm | str | None = None) -> Algorithm:
    """Return the algorithm that was asked for, or the policy's."""
    if algorithm is None or isinstance(algorithm, str):
        name = policy.algorithm.name if algorithm is None else algorithm
        return build_algorithm(name, dict(policy.algorithm.parameters))
    if isinstance(algorithm, type) or not hasattr(algorithm, "solve"):
        raise ParameterError(
            "the algorithm is neither the name of one nor an algorithm.",
            hint='pass for example "flash", or Flash(suppression_limit=0.05).',
        )
    return algorithm


def with_runtime_options(algorithm: Algorithm, **options: Any) -> Algorithm:
    """Return the algorithm with options such as seed and threads; refuse those it does not have."""
    given = {key: value for key, value in options.items() if value is not None}
    known = {each.name for each in fields(ALGORITHMS[algorithm.name])}
    strangers = [key for key in given if key not in known]
    if strangers:
        raise ParameterError(
            f"--{strangers[0]} does nothing: algorithm {algorithm.name!r} has no {strangers[0]}.",
            hint="leave it out; `incrowd algorithms` lists what each algorithm has.",
        )
    return replace(algorithm, **given) if given else algorithm  # type: ignore[type-var]


def _policy_in(recoding: Recoding) -> Policy:
    """Return the policy that a recoding was found under."""
    try:
        policy = policy_from_mapping(recoding.context)
    except IncrowdError as error:
        raise InputError(f"the policy in the recoding: {error.message}", hint=_SAVE_AGAIN) from None
    if policy.quasi_identifiers != recoding.columns:
        raise InputError(
            "the recoding is not about the quasi-identifiers of its policy.", hint=_SAVE_AGAIN
        )
    return policy


def _peak_memory_mb() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1024 * 1024 if sys.platform == "darwin" else 1024))


def _shown(value: Any) -> str:
    return f"{value:,.6g}" if isinstance(value, float) else f"{value:,}"
