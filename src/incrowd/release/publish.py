"""Write, recount, publish: from a file to one that appears only once its bytes were verified."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from incrowd.algorithms import Algorithm
from incrowd.engines import Space
from incrowd.errors import ParameterError
from incrowd.frame import (
    FoundFormulas,
    PendingFile,
    PendingFiles,
    PendingFolder,
    refuse_formulas,
    reserve,
    reserve_folder,
    reserve_text,
)
from incrowd.frame.databases import DatabaseTable, file_behind
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Recoding
from incrowd.release.choosing import algorithm_of, carries_of
from incrowd.release.problem import Run, open_run, state_new_rows
from incrowd.release.result import Draft, Release
from incrowd.release.run import about_typed_cells, draft_new_rows, draft_release, recoding_of
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
    partition_by: Sequence[str] = (),
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
    partition_by
        Columns of which each value gets a folder of Parquet files: `output` is a folder then, and
        appears as a whole.
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
        places = _reserved(
            files, output, partition_by, recoding, result, inputs=inputs, replaces=replace
        )
        searching = algorithm_of(policy, algorithm)
        told = _told(space, progress)
        run = open_run(data, policy, engine, carries_of(searching), told, anywhere=True)
        with run.closed_on_failure():
            _check_partition(run, partition_by)
            draft = draft_release(run, searching, progress)
            return _published(files, places, run, draft, partition_by)


def apply_file(
    recoding: Recoding | str | Path,
    data: AnyTable,
    output: AnyTable,
    *,
    result: str | Path | None = None,
    engine: str | None = None,
    space: Space | None = None,
    partition_by: Sequence[str] = (),
    replace: bool = False,
    progress: Progress = QUIET,
) -> Release:
    """Apply a saved recoding to new rows in a file, verify the result, and write it.

    A row outside the released classes is masked; so are rows whose class would be too small among
    the new rows alone.  The other parameters are those of `anonymize_file`.
    """
    decision = recoding_of(recoding)
    inputs = [data, *([recoding] if isinstance(recoding, str | Path) else [])]
    with PendingFiles() as files:
        places = _reserved(
            files, output, partition_by, None, result, inputs=inputs, replaces=replace
        )
        run = state_new_rows(data, decision, engine, _told(space, progress))
        with run.closed_on_failure():
            _check_partition(run, partition_by)
            return _published(files, places, run, draft_new_rows(run, decision), partition_by)


def _told(space: Space | None, progress: Progress) -> Space:
    return replace(space or Space(), progress=progress)


def _check_partition(run: Run, partition_by: Sequence[str]) -> None:
    """Refuse columns that cannot be folders, before the search."""
    if partition_by:
        from incrowd.frame.partitioning import check_partition

        check_partition(partition_by, run.roles.released_names)


@dataclass(frozen=True)
class _Places:
    """Where a release goes, its decision and its figures, if these are asked for."""

    release: Any  # a file, a folder, or a table of a database
    recoding: PendingFile | None
    result: PendingFile | None


def _published(
    files: PendingFiles, places: _Places, run: Run, draft: Draft, partition_by: Sequence[str]
) -> Release:
    """Write everything beside its place, recount the bytes, and only then put all of it there."""
    pending, recoding, result = places.release, places.recoding, places.result
    policy, watch = run.policy, run.watch
    with watch.timing("write"):
        formulas = _written(pending, draft, partition_by)
    draft = replace(draft, notes=(*draft.notes, *_about_formulas(formulas, policy)))
    with watch.timing("verify"):
        separator = draft.table.separator
        verdict = verify(
            pending.recountable,
            policy,
            separator=separator,
            persons=draft.persons,
            progress=watch.progress,
        )
        verdict.raise_if_failed()
    draft = replace(draft, persons=None)
    with watch.timing("write"):
        if recoding is not None:
            recoding.write_text(draft.found.recoding.to_text())
    release = Release(draft, verdict, watch.seconds, watch.progress)
    if result is not None:
        result.write_text(json_text(release.to_json()))
    files.publish()
    return release


def _written(pending: Any, draft: Draft, partition_by: Sequence[str]) -> FoundFormulas | None:
    """Write the rows of a release, and count what of a CSV file a spreadsheet would run."""
    formulas = draft.policy.release.formulas
    if not isinstance(pending, PendingFolder):
        return draft.table.write(pending, formulas=formulas)
    from incrowd.frame.partitioning import deal_into_folders

    with PendingFile(pending.path.with_suffix(".parquet"), None) as whole:
        draft.table.write(whole, formulas=formulas)
        pending.write(lambda folder: deal_into_folders(whole.path, folder, partition_by))
    return None


def _reserved(
    files: PendingFiles,
    output: AnyTable,
    partition_by: Sequence[str],
    recoding: str | Path | None,
    result: str | Path | None,
    *,
    inputs: Sequence[AnyTable],
    replaces: bool,
) -> _Places:
    """Check once where files go, before the work begins; no input may be overwritten."""
    behind = [file_behind(each) for each in inputs]
    kept = [file for file in behind if file is not None]

    def text(path: str | Path | None) -> PendingFile | None:
        return None if path is None else files.add(reserve_text(path, inputs=kept, private=True))

    # the first added is published last
    release: Any
    if isinstance(output, DatabaseTable):
        release = files.add(_reserved_table(output, partition_by, inputs, replaces))
    elif partition_by:
        release = files.add(reserve_folder(output, inputs=kept))
    else:
        release = files.add(reserve(output, inputs=kept))
    return _Places(release, text(recoding), text(result))


def _reserved_table(
    output: DatabaseTable, partition_by: Sequence[str], inputs: Sequence[AnyTable], replaces: bool
) -> Any:
    from incrowd.frame.databases.pending_table import PendingTable

    if partition_by:
        raise ParameterError(
            "a table of a database has no folders.", hint="leave --partition-by out."
        )
    return PendingTable(output, replace=replaces, inputs=inputs)


def _about_formulas(found: FoundFormulas | None, policy: Policy) -> list[str]:
    """Say how many cells of a CSV file a spreadsheet would run; refuse them if the policy does."""
    if found is None:
        return about_typed_cells(policy)
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
