"""Which columns of a table are risky: a profile, and a role suggested for each column.

The suggestions look at names and at counts, never at what the values are.  They err on the side of
protection: a column that says nothing for itself is suggested as a quasi-identifier.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from incrowd.arrays import Counts
from incrowd.counts import group, sum_by_group
from incrowd.errors import InputError
from incrowd.frame.source import Kind, Table
from incrowd.schema.name_hints import ends_as_id, hint_of
from incrowd.schema.roles import Role

NEARLY_ALL = 0.9  # share of records with a value of their own from which a column names records
FEW_RECORDS = 20  # below this many records different values are no sign of an identifier


@dataclass(frozen=True, kw_only=True)
class ColumnProfile:
    """What is known of one column.

    Parameters
    ----------
    name, kind
        As in the table.
    n_distinct
        Distinct values; a missing cell is none.
    missing_share
        The share of records with a missing cell.
    unique_share
        The share of records that no other record equals in this column, missing being a value.
    role, reason
        The suggested role, and why.
    """

    name: str
    kind: Kind
    n_distinct: int
    missing_share: float
    unique_share: float
    role: Role = "quasi-identifier"
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What is known of a table, and of its suggested quasi-identifiers together.

    Parameters
    ----------
    n_records
        The rows of the table.
    columns
        In table order.
    n_tuples
        Distinct tuples of the suggested quasi-identifiers.
    unique_share
        The share of records that are alone with their tuple.
    smallest_class
        The records of the rarest tuple.
    """

    n_records: int
    columns: tuple[ColumnProfile, ...]
    n_tuples: int
    unique_share: float
    smallest_class: int

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns suggested as quasi-identifiers, in table order."""
        return tuple(each.name for each in self.columns if each.role == "quasi-identifier")


def profile(table: Table, *, missing: Sequence[str] = ("",)) -> Profile:
    """Profile a table.

    Parameters
    ----------
    table
        The table.
    missing
        Texts that stand for a missing cell.
    """
    if not table.names or table.n_rows == 0:
        raise InputError(
            f"the table has {len(table.names)} columns and {table.n_rows} records.",
            hint="a profile needs at least one record.",
        )
    columns = _one_quasi_identifier(
        [_suggested(_column_profile(table, name, missing), table.n_rows) for name in table.names]
    )
    quasi_identifiers = [each.name for each in columns if each.role == "quasi-identifier"]
    sizes = _class_sizes(table, quasi_identifiers, missing)
    return Profile(
        n_records=table.n_rows,
        columns=tuple(columns),
        n_tuples=len(sizes),
        unique_share=float((sizes == 1).sum() / table.n_rows),
        smallest_class=int(sizes.min()),
    )


def _column_profile(table: Table, name: str, missing: Sequence[str]) -> ColumnProfile:
    tally = table.tally([name])
    encoded = tally.columns.encode(name, missing=missing)
    counts = sum_by_group(encoded.codes + 1, tally.records, len(encoded.texts) + 1)
    return ColumnProfile(
        name=name,
        kind=encoded.kind,
        n_distinct=int(np.count_nonzero(counts[1:])),
        missing_share=float(counts[0] / table.n_rows),
        unique_share=float(np.count_nonzero(counts == 1) / table.n_rows),
    )


def _class_sizes(table: Table, names: list[str], missing: Sequence[str]) -> Counts:
    tally = table.tally(names)
    encoded = [tally.columns.encode(name, missing=missing) for name in names]
    codes = np.vstack([each.codes + 1 for each in encoded])
    class_of, first = group(codes, [len(each.texts) + 1 for each in encoded])
    return sum_by_group(class_of, tally.records, len(first))


def _suggested(column: ColumnProfile, n_records: int) -> ColumnProfile:
    role, reason = _role_and_reason(column, n_records)
    return replace(column, role=role, reason=reason)


def _role_and_reason(column: ColumnProfile, n_records: int) -> tuple[Role, str]:
    hint = hint_of(column.name)
    named = n_records - round(column.missing_share * n_records)
    if hint == "identifier" or (hint == "name" and column.kind == "text"):
        return "identifier", "its name says that it names or reaches a person"
    if hint == "sensitive":
        return "sensitive", "its name says that nobody may learn it about a person"
    if hint == "person id" and column.n_distinct < named:
        return "entity", "persons have several records: a release is refused until each has one"
    if hint == "person id":
        return "identifier", "its name says that it is the id of a person"
    if column.n_distinct + (column.missing_share > 0) <= 1:
        return "insensitive", "the same in every record"
    if hint in ("quasi-identifier", "postcode"):
        return "quasi-identifier", "its name says that others may know it about a person"
    if column.kind != "date" and _names_records(column, n_records):
        return "identifier", "nearly every record has a value of its own"
    return "quasi-identifier", "nothing speaks against that others know it about a person"


def _names_records(column: ColumnProfile, n_records: int) -> bool:
    if ends_as_id(column.name) and column.n_distinct == n_records:
        return True
    return n_records >= FEW_RECORDS and column.unique_share >= NEARLY_ALL


def _one_quasi_identifier(columns: list[ColumnProfile]) -> list[ColumnProfile]:
    """Turn the column with the fewest values into a quasi-identifier if there is none.

    Without one a policy has nothing to protect.  A column whose name tells what it is comes last.
    """
    if any(column.role == "quasi-identifier" for column in columns):
        return columns
    chosen = min(columns, key=lambda each: (hint_of(each.name) is not None, each.n_distinct))
    reason = "no other column can be one, and a policy needs at least one"
    promoted = replace(chosen, role="quasi-identifier", reason=reason)
    return [promoted if each is chosen else each for each in columns]
