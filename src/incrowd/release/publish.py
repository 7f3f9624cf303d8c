"""Write, recount, publish: from a file to one that appears only once its bytes were verified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from incrowd.algorithms import Algorithm
from incrowd.frame import PendingFile, PendingFiles, fill, reserve, reserve_text
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Recoding
from incrowd.release.notes import about_formulas
from incrowd.release.problem import Run, open_run, state_new_rows
from incrowd.release.result import Draft, Release
from incrowd.release.run import (
    algorithm_of,
    carries_of,
    draft_new_rows,
    draft_release,
    recoding_of,
)
from incrowd.schema import Policy
from incrowd.texts import json_text
from incrowd.verify import verify


def anonymize_file(
    data: str | Path,
    output: str | Path,
    policy: Policy,
    *,
    algorithm: Algorithm | str | None = None,
    recoding: str | Path | None = None,
    result: str | Path | None = None,
    engine: str | None = None,
    keep: Sequence[str | Path] = (),
    progress: Progress = QUIET,
) -> Release:
    """Anonymize a file into another one, which appears only once its bytes were verified.

    All files appear together, the release last, or none of them does.

    Parameters
    ----------
    data, output
        Paths; ``-`` as output is standard output.
    policy, algorithm, engine, progress
        As in `anonymize`.
    recoding
        Where the decision is saved.
    result
        Where `Release.to_json` is written; ``-`` is standard output.
    keep
        Files beside the data and the hierarchies that must not be overwritten: the policy's.
    """
    with PendingFiles() as files:
        places = _Places.reserved(
            files, output, recoding, result, inputs=[data, *policy.files, *keep]
        )
        searching = algorithm_of(policy, algorithm)
        run = open_run(data, policy, engine, carries_of(searching))
        return _published(files, places, run, draft_release(run, searching, progress))


def apply_file(
    recoding: Recoding | str | Path,
    data: str | Path,
    output: str | Path,
    *,
    result: str | Path | None = None,
    engine: str | None = None,
    progress: Progress = QUIET,
) -> Release:
    """Apply a saved recoding to new rows in a file, verify the result, and write it.

    A row outside the released classes is masked; so are rows whose class would be too small among
    the new rows alone.  `result` is where `Release.to_json` is written.
    """
    decision = recoding_of(recoding)
    inputs = [data, *([recoding] if isinstance(recoding, str | Path) else [])]
    with PendingFiles() as files:
        places = _Places.reserved(files, output, None, result, inputs=inputs)
        run = state_new_rows(data, decision, engine)
        return _published(files, places, run, draft_new_rows(run, decision))


@dataclass(frozen=True)
class _Places:
    """Where a release goes, and what belongs to it; checked once, before the work begins."""

    release: PendingFile
    recoding: PendingFile | None
    result: PendingFile | None

    @classmethod
    def reserved(
        cls,
        files: PendingFiles,
        output: str | Path,
        recoding: str | Path | None,
        result: str | Path | None,
        *,
        inputs: Sequence[str | Path],
    ) -> _Places:
        """Put all of them among files that appear together; no input may be overwritten."""
        release = files.add(reserve(output, inputs=inputs))  # the first added is published last
        others = [
            None if path is None else files.add(reserve_text(path, inputs=inputs, private=True))
            for path in (recoding, result)
        ]
        return cls(release, *others)


def _published(files: PendingFiles, places: _Places, run: Run, draft: Draft) -> Release:
    """Write everything beside its place, recount the bytes, and only then put all of it there."""
    pending, policy, watch = places.release, run.policy, run.watch
    said = about_formulas(draft.source, pending.path, policy)
    draft = replace(draft, notes=(*draft.notes, *said))
    with watch.timing("write"):
        fill(pending, draft.source, formulas=policy.release.formulas)
    with watch.timing("verify"):
        verdict = verify(pending.path, policy, separator=getattr(draft.source, "separator", None))
        verdict.raise_if_failed()
    with watch.timing("write"):
        if places.recoding is not None:
            places.recoding.write_text(draft.found.recoding.to_text())
    release = Release(draft, verdict, watch.seconds)
    if places.result is not None:
        places.result.write_text(json_text(release.to_json()))
    files.publish()
    return release
