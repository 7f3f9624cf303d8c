"""Write, recount, publish: from a file to one that appears only once its bytes were verified."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from incrowd.algorithms import Algorithm
from incrowd.engines import Space
from incrowd.frame import (
    FoundFormulas,
    PendingFiles,
    refuse_formulas,
    reserve,
    reserve_text,
)
from incrowd.frame.databases import DatabaseTable, file_behind
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Recoding
from incrowd.release.problem import Run, open_run, state_new_rows
from incrowd.release.result import Draft, Release
from incrowd.release.run import algorithm_of, carries_of, draft_new_rows, draft_release, recoding_of
from incrowd.schema import Policy
from incrowd.texts import json_text
from incrowd.verify import verify

AnyTable = str | Path | DatabaseTable


def anonymize_file(
    data: AnyTable,
    output: AnyTable,
    policy: Policy,
    *,
    algorithm: Algorithm | str | None = None,
    recoding: str | Path | None = None,
    result: str | Path | None = None,
    engine: str | None = None,
    space: Space | None = None,
    keep: Sequence[str | Path] = (),
    replace: bool = False,
    progress: Progress = QUIET,
) -> Release:
    """Anonymize a file into another one, which appears only once its bytes were verified.

    All files appear together, the release last, or none of them does.

    Parameters
    ----------
    data, output
        Paths, or tables of databases (`incrowd.database`); ``-`` as output is standard output.
    policy, algorithm, engine, progress
        As in `anonymize`.
    space
        What the run may take of the machine.
    recoding
        Where the decision is saved.
    result
        Where `Release.to_json` is written; ``-`` is standard output.
    keep
        Files beside the data and the hierarchies that must not be overwritten: the policy's.
    replace
        Whether a table of a database may be there already; files are replaced anyway.
    """
    with PendingFiles() as files:
        inputs = [data, *policy.files, *keep]
        places = _reserved(files, output, recoding, result, inputs=inputs, replace=replace)
        searching = algorithm_of(policy, algorithm)
        run = open_run(data, policy, engine, carries_of(searching), space)
        return _published(files, places, run, draft_release(run, searching, progress))


def apply_file(
    recoding: Recoding | str | Path,
    data: AnyTable,
    output: AnyTable,
    *,
    result: str | Path | None = None,
    engine: str | None = None,
    space: Space | None = None,
    replace: bool = False,
    progress: Progress = QUIET,
) -> Release:
    """Apply a saved recoding to new rows in a file, verify the result, and write it.

    A row outside the released classes is masked; so are rows whose class would be too small among
    the new rows alone.  `result` is where `Release.to_json` is written; `replace` is as in
    `anonymize_file`.
    """
    decision = recoding_of(recoding)
    inputs = [data, *([recoding] if isinstance(recoding, str | Path) else [])]
    with PendingFiles() as files:
        places = _reserved(files, output, None, result, inputs=inputs, replace=replace)
        run = state_new_rows(data, decision, engine, space)
        return _published(files, places, run, draft_new_rows(run, decision))


def _published(files: PendingFiles, places: Sequence[Any], run: Run, draft: Draft) -> Release:
    """Write everything beside its place, recount the bytes, and only then put all of it there."""
    (pending, recoding, result), policy, watch = places, run.policy, run.watch
    assert pending is not None
    with watch.timing("write"):
        formulas = draft.table.write(pending, formulas=policy.release.formulas)
    draft = dataclasses.replace(draft, notes=(*draft.notes, *_about_formulas(formulas, policy)))
    with watch.timing("verify"):
        separator = draft.table.separator
        verdict = verify(pending.recountable, policy, separator=separator, persons=draft.persons)
        verdict.raise_if_failed()
    draft = dataclasses.replace(draft, persons=None)
    with watch.timing("write"):
        if recoding is not None:
            recoding.write_text(draft.found.recoding.to_text())
    release = Release(draft, verdict, watch.seconds)
    if result is not None:
        result.write_text(json_text(release.to_json()))
    files.publish()
    return release


def _reserved(
    files: PendingFiles,
    output: AnyTable,
    *texts: str | Path | None,
    inputs: Sequence[AnyTable],
    replace: bool,
) -> list[Any]:
    """Check once where files go, before the work begins; no input may be overwritten."""
    behind = [file_behind(each) for each in inputs]
    kept = [file for file in behind if file is not None]
    if isinstance(output, DatabaseTable):
        from incrowd.frame.databases.pending_table import PendingTable

        first: Any = PendingTable(output, replace=replace, inputs=inputs)
    else:
        first = reserve(output, inputs=kept)
    return [
        files.add(first),  # the first added is published last
        *(
            None if path is None else files.add(reserve_text(path, inputs=kept, private=True))
            for path in texts
        ),
    ]


def _about_formulas(found: FoundFormulas | None, policy: Policy) -> list[str]:
    """Say how many cells of a CSV file a spreadsheet would run; refuse them if the policy does."""
    if found is None:
        return []
    if policy.release.formulas == "refuse":
        refuse_formulas(found)
    if not found.total:
        return []
    if policy.release.formulas == "escape":
        return [
            f"{found.total:,} cells that spreadsheet programs would run have an apostrophe in "
            "front; `verify` and `measure` read them without it."
        ]
    return [
        f"spreadsheet programs would run {found.total:,} cells as formulas; formulas = "
        '"escape" in [release] prevents it.'
    ]
