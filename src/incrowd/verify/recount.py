"""The recount: a released table held against its policy, from its cells alone."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from incrowd.errors import InputError, ParameterError
from incrowd.frame import Encoded, Source, open_source
from incrowd.frame.sniffing import check_encoding
from incrowd.progress import QUIET, Progress
from incrowd.schema import Policy, load_policy
from incrowd.verify.counting import ClassKeys, Counts
from incrowd.verify.judging import findings_of
from incrowd.verify.persons import Persons, PersonsOfClasses
from incrowd.verify.promises import Promise, check_released, promises_of
from incrowd.verify.released_cells import ReleasedCells, cells_of, masked_cells
from incrowd.verify.verdict import Verdict

if TYPE_CHECKING:  # files are read by PyArrow, which frames do without
    from incrowd.verify.released_files import DistinctRows, ReleasedFile
    from incrowd.verify.released_spark import ReleasedSparkFrame
    from incrowd.verify.released_tables import ReleasedInDatabase


def verify(
    released: Any,
    policy: Policy | str | os.PathLike[str],
    *,
    separator: str | None = None,
    encoding: str = "utf-8",
    persons: Persons | None = None,
    progress: Progress = QUIET,
) -> Verdict:
    """Recount a released table and hold it against the policy it was released under.

    Every requirement of the policy is counted as it is written, also those that another implies.
    Cells are compared by their texts exactly: ``39`` and ``39.0`` are two values, and a missing
    cell is a value of its own.  Masked records are a class like any other.

    Parameters
    ----------
    released
        A path to a CSV or Parquet file, a frame of pandas, Polars, PyArrow or Spark, a table of a
        database (`incrowd.database`), or an open table.
    policy
        The policy, or the path of a policy file.
    separator
        Of a CSV file; the policy's, or sniffed, if not given.
    encoding
        Of a CSV file; releases are written in UTF-8.
    persons
        Whose the released rows are, which only the maker of a release knows.  With it, k counts
        different persons.
    progress
        Told the rows of a file, and each column.

    Raises
    ------
    VerificationError
        If the table has a column that may not be released, a requirement cannot be recounted, or
        persons are given that belong to other rows.
    PolicyError
        If the policy is for another table.
    InputError
        If the table cannot be read, has no records, or has cells in a quasi-identifier or a known
        column that share a text and yet can be told apart, such as null and NaN.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from incrowd.requirements import KAnonymity
    >>> from incrowd.schema import Column
    >>> policy = Policy(columns=[Column("age", "quasi-identifier")], requirements=[KAnonymity(2)])
    >>> print(verify(pa.table({"age": ["[20, 30)", "[20, 30)", "*"]}), policy))
    failed: 3 records, 1 masked
    2-anonymity is broken by 1 class with 1 record: the smallest of 2 classes has 1 record
    """
    policy = _policy(policy)
    promises = promises_of(policy)
    opened = _opened(released, separator or policy.input.separator, encoding, policy)
    if any(column.name in opened.names for column in policy.columns):
        check_released(promises, opened.names)  # a table without any is one of another policy
    quasi_identifiers = policy.check_released(opened.names).generalised_names
    told = () if persons is None else persons.columns
    progress.start("verify")
    source = _counted(opened, _looked_at(promises, quasi_identifiers, policy, told), progress)
    cells = ReleasedCells(source, policy, _records(source, policy.count))
    whose = None if persons is None else cells.with_persons(persons, quasi_identifiers)
    progress.start("verify", total=len(quasi_identifiers))
    masked = _Masked(source.n_rows, progress)
    findings = findings_of(promises, cells, whose, dict.fromkeys(quasi_identifiers, masked.look))
    progress.finish()
    return Verdict(
        records=cells.n_records(np.ones(source.n_rows, dtype=bool)),
        rows=_n_rows(source),
        masked=cells.n_records(masked.rows),
        findings=findings,
        not_checked=(*_about_persons(policy, whose, promises), *cells.about_trees()),
        notes=tuple(source.notes),
    )


def _looked_at(
    promises: Sequence[Promise],
    quasi_identifiers: Sequence[str],
    policy: Policy,
    told: Sequence[str],
) -> tuple[str, ...]:
    """Return the columns that a recount has to read."""
    promised = [name for each in promises for name in (*each.columns, *each.carried)]
    counts = filter(None, [policy.count])
    return tuple(dict.fromkeys([*quasi_identifiers, *promised, *counts, *told]))


def _counted(
    opened: "Source | ReleasedFile | ReleasedSparkFrame | ReleasedInDatabase",
    names: Sequence[str],
    progress: Progress = QUIET,
) -> "Source | DistinctRows":
    """Return a table in memory as it is, and of a file the distinct rows of some columns."""
    from_file = getattr(opened, "distinct_rows", None)
    if from_file is None:
        return cast(Source, opened)
    present = set(names)
    found: DistinctRows = from_file([name for name in opened.names if name in present], progress)
    return found


def _n_rows(source: "Source | DistinctRows") -> int:
    rows: Counts | None = getattr(source, "rows", None)
    return source.n_rows if rows is None else int(rows.sum())


def _records(source: "Source | DistinctRows", count: str | None) -> Counts | None:
    """Return how many records each row stands for, or None where each stands for one."""
    numbers = None if count is None else source.numbers(count)
    rows: Counts | None = getattr(source, "rows", None)  # of each distinct row of a file
    return numbers if rows is None else rows if numbers is None else rows * numbers


class _Masked:
    """The rows that are masked in every column looked at so far, and a word for each column."""

    def __init__(self, n_rows: int, progress: Progress) -> None:
        self.rows = np.ones(n_rows, dtype=bool)
        self._progress, self._done = progress, 0

    def look(self, column: Encoded) -> None:
        self.rows &= masked_cells(column)
        self._done += 1
        self._progress.update(self._done)


def _about_persons(
    policy: Policy, persons: PersonsOfClasses | None, promises: Sequence[Promise]
) -> tuple[str, ...]:
    """Return where records were counted and persons were meant."""
    if persons is not None:
        return tuple(
            f"persons in {each.description}: whose the records of its classes are was not told, "
            "and each is taken for one person."
            for each in promises
            if "k" in each.parameters and not persons.know(each.columns)
        )
    if policy.entity is None:
        return ()
    return (
        f"persons: each row is taken for one person, since column {policy.entity!r}, which tells "
        "persons apart, is not in a release.",
    )


def recount_classes(
    released: Any,
    columns: Sequence[str],
    *,
    count: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
) -> Counts:
    """Return how many records each class of a table holds, ascending.

    Parameters
    ----------
    released
        As in `verify`.
    columns
        Records that agree on these are one class.
    count
        The column that says how many records a row stands for.
    separator, encoding
        Of a CSV file.

    Examples
    --------
    >>> import pyarrow as pa
    >>> recount_classes(pa.table({"sex": ["f", "m", None, "f"]}), ["sex"])
    array([1, 1, 2])
    """
    names = (columns,) if isinstance(columns, str) else tuple(dict.fromkeys(columns))
    if not names:
        raise ParameterError(
            "no column to count by.", hint="name the columns that make up the classes."
        )
    wanted = (*names, *filter(None, [count]))
    source = _counted(_opened(released, separator, encoding), wanted)
    keys = ClassKeys(source.n_rows, _records(source, count))
    for name in names:
        keys.add(cells_of(source, name))
    return np.sort(keys.sizes())


def _policy(policy: Policy | str | os.PathLike[str]) -> Policy:
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, str | os.PathLike):
        return load_policy(os.fspath(policy))
    raise ParameterError(
        f"an object of type {type(policy).__name__} is no policy.",
        hint="pass a Policy, or the path of a policy file.",
    )


def _opened(
    released: Any, separator: str | None, encoding: str, policy: Policy | None = None
) -> "Source | ReleasedFile | ReleasedSparkFrame | ReleasedInDatabase":
    formulas = "keep" if policy is None else policy.release.formulas
    if type(released).__module__.startswith("incrowd.frame.databases"):  # loads no driver
        from incrowd.verify.released_tables import ReleasedInDatabase

        return ReleasedInDatabase(released)
    if isinstance(released, str | os.PathLike) and check_encoding(encoding) == "utf-8":
        from incrowd.verify.released_files import ReleasedFile

        return ReleasedFile(released, separator, formulas)
    if type(released).__module__.startswith("pyspark.sql."):
        from incrowd.verify.released_spark import ReleasedSparkFrame

        return ReleasedSparkFrame(released)
    source = open_source(released, separator=separator, encoding=encoding, formulas=formulas)
    if source.n_rows == 0:  # files and frames are refused on opening; an open table was not asked
        raise InputError(
            "the released table has no records.", hint="a release of nothing promises nothing."
        )
    return source
