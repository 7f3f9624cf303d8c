"""Which columns of a table are risky: a profile, and a role suggested for each column.

The suggestions look at names, at counts, and at what cells look like; none of them tells a cell.
They err on the side of protection: a column that says nothing for itself is suggested as a
quasi-identifier.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import Any, Self

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.counts import group, sum_by_group
from incrowd.errors import InputError
from incrowd.frame.source import Kind, Table
from incrowd.private import private_dataclass
from incrowd.schema.drafting import Draft, draft_of, look_at
from incrowd.schema.name_hints import ends_as_id, hint_of
from incrowd.schema.patterns import Pattern
from incrowd.schema.roles import Role
from incrowd.schema.safe_harbor import CLASSES, SafeHarborClass, class_of

NEARLY_ALL = 0.9  # share of records with a value of their own from which a column names records
NEARLY_UNIQUE = 0.5  # from this share on an exact amount is as good as a name
MEDICAL_RECORD = 8  # the class of numbers of persons
MOST_COMBINED = 6  # columns whose pairs and triples are counted
MOST_TOLD = 3  # pairs, and triples
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
        The suggested role, and why, in a sentence.
    pattern
        What its cells look like, if they look like anything that is known.
    safe_harbor
        The number of its class of the HIPAA Safe Harbor rule, if it belongs to one.
    draft
        How the suggested policy reads and generalises it.
    """

    name: str
    kind: Kind
    n_distinct: int
    missing_share: float
    unique_share: float
    role: Role = "quasi-identifier"
    reason: str = ""
    pattern: Pattern | None = None
    safe_harbor: int | None = None
    draft: Draft = field(default_factory=Draft)


@dataclass(frozen=True)
class Combination:
    """Some columns, and how many records they tell apart from all others.

    Parameters
    ----------
    columns
        Two or three of the suggested quasi-identifiers.
    unique_share
        The share of records that are alone with what they say in them.
    """

    columns: tuple[str, ...]
    unique_share: float


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
    combinations
        The riskiest pairs and triples of the suggested quasi-identifiers, pairs first.
    """

    n_records: int
    columns: tuple[ColumnProfile, ...]
    n_tuples: int
    unique_share: float
    smallest_class: int
    combinations: tuple[Combination, ...] = ()

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns suggested as quasi-identifiers, in table order."""
        return tuple(each.name for each in self.columns if each.role == "quasi-identifier")

    def safe_harbor(self) -> list[tuple[SafeHarborClass, tuple[str, ...]]]:
        """Return the eighteen classes of the HIPAA Safe Harbor rule, each with its columns."""
        return [
            (
                each,
                tuple(column.name for column in self.columns if column.safe_harbor == each.number),
            )
            for each in CLASSES
        ]

    def to_json(self) -> dict[str, Any]:
        """Return plain data: names, counts and reasons, never a cell."""
        return {
            "records": self.n_records,
            "columns": [
                {key: value for key, value in asdict(column).items() if key != "draft"}
                for column in self.columns
            ],
            "tuples": self.n_tuples,
            "unique_share": self.unique_share,
            "smallest_class": self.smallest_class,
            "combinations": [asdict(each) for each in self.combinations],
            "safe_harbor": [
                {"class": each.number, "title": each.title, "columns": list(columns)}
                for each, columns in self.safe_harbor()
            ],
        }


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
    columns = _one_quasi_identifier([_column_profile(table, name, missing) for name in table.names])
    quasi_identifiers = [each.name for each in columns if each.role == "quasi-identifier"]
    tuples = _Tuples.of(table, quasi_identifiers, missing)
    sizes = tuples.sizes(range(len(quasi_identifiers)))
    return Profile(
        n_records=table.n_rows,
        columns=tuple(columns),
        n_tuples=len(sizes),
        unique_share=float((sizes == 1).sum() / table.n_rows),
        smallest_class=int(sizes.min()),
        combinations=tuple(_riskiest(tuples, columns)),
    )


def _column_profile(table: Table, name: str, missing: Sequence[str]) -> ColumnProfile:
    tally = table.tally([name])
    encoded = tally.columns.encode(name, missing=missing)
    counts = sum_by_group(encoded.codes + 1, tally.records, len(encoded.texts) + 1)
    records = [int(each) for each in counts[1:]]
    look = look_at(name, encoded.texts, records, encoded.kind if encoded.typed else None)
    found = class_of(name, look.pattern)
    column = ColumnProfile(
        name=name,
        kind=look.kind,
        n_distinct=int(np.count_nonzero(counts[1:])),
        missing_share=float(counts[0] / table.n_rows),
        unique_share=float(np.count_nonzero(counts == 1) / table.n_rows),
        pattern=look.pattern,
        safe_harbor=None if found is None else found.number,
    )
    role, reason = _role_and_reason(column, table.n_rows)
    drafted = draft_of(name, role, look, encoded.texts, records)
    return replace(column, role=role, reason=reason, draft=drafted)


@private_dataclass
class _Tuples:
    """The distinct rows of the quasi-identifiers."""

    codes: Codes
    n_values: tuple[int, ...]
    records: Counts

    @classmethod
    def of(cls, table: Table, names: list[str], missing: Sequence[str]) -> Self:
        tally = table.tally(names)
        encoded = [tally.columns.encode(name, missing=missing) for name in names]
        codes = np.vstack([each.codes + 1 for each in encoded])
        return cls(codes, tuple(len(each.texts) + 1 for each in encoded), tally.records)

    def sizes(self, places: Sequence[int]) -> Counts:
        """Return how many records are alike on some of the columns, by distinct tuple."""
        chosen = list(places)
        class_of, first = group(self.codes[chosen], [self.n_values[at] for at in chosen])
        return sum_by_group(class_of, self.records, len(first))


def _riskiest(tuples: _Tuples, columns: Sequence[ColumnProfile]) -> Iterator[Combination]:
    """Yield the pairs, then the triples, that tell most records apart."""
    names = [each.name for each in columns if each.role == "quasi-identifier"]
    # of many columns those with most values: no other pair is riskier by much
    places = sorted(range(len(names)), key=lambda at: -tuples.n_values[at])[:MOST_COMBINED]
    total = int(tuples.records.sum())
    for n in (2, 3):
        found = []
        for chosen in combinations(sorted(places), n):
            alone = int((tuples.sizes(chosen) == 1).sum())
            found.append(Combination(tuple(names[at] for at in chosen), alone / total))
        found.sort(key=lambda each: -each.unique_share)
        yield from found[:MOST_TOLD]


def _role_and_reason(column: ColumnProfile, n_records: int) -> tuple[Role, str]:
    """Return the first role that something speaks for."""
    opinions = (_of_a_person, _of_its_cells, _of_its_name, _of_its_counts)
    found = (opinion(column, n_records) for opinion in opinions)
    nothing: tuple[Role, str] = (
        "quasi-identifier",
        "nothing speaks against that others know it about a person",
    )
    return next((each for each in found if each is not None), nothing)


Opinion = tuple[Role, str] | None


def _of_a_person(column: ColumnProfile, n_records: int) -> Opinion:
    """Judge what names, numbers or reaches a person."""
    hint = hint_of(column.name)
    named = n_records - round(column.missing_share * n_records)
    numbered = hint == "person id" or column.safe_harbor == MEDICAL_RECORD
    if numbered and column.n_distinct < named:
        return "entity", "persons have several records: crowds are counted in persons, not in rows"
    if numbered:
        return "identifier", "its name says that it is the id of a person"
    found = None if column.safe_harbor is None else CLASSES[column.safe_harbor - 1]
    if found is not None and found.dropped and hint != "name":
        return "identifier", f"it belongs to the {found.title}, which name or reach a person"
    if hint == "identifier" or (hint == "name" and column.kind == "text"):
        return "identifier", "its name says that it names or reaches a person"
    return None


def _of_its_cells(column: ColumnProfile, n_records: int) -> Opinion:
    """Judge what its cells look like."""
    if column.pattern == "free text":
        return "identifier", "its cells are free text, in which names and places hide"
    if column.pattern == "ICD-10 code":
        return "sensitive", "its cells look like ICD-10 codes, which nobody may learn of a person"
    return None


def _of_its_name(column: ColumnProfile, n_records: int) -> Opinion:
    hint = hint_of(column.name)
    same = column.n_distinct + (column.missing_share > 0) <= 1
    amount = column.pattern == "amount" or hint == "amount"
    if column.kind == "number" and (amount or hint == "sensitive") and not same:
        if column.unique_share >= NEARLY_UNIQUE:
            return "quasi-identifier", "an amount so exact that it tells records apart: in ranges"
        return "sensitive", "an amount: others hardly know it, and nobody may learn it"
    if hint == "sensitive":
        return "sensitive", "its name says that nobody may learn it about a person"
    if same:
        return "insensitive", "the same in every record"
    if hint in ("quasi-identifier", "postcode") or column.safe_harbor is not None:
        return "quasi-identifier", "its name says that others may know it about a person"
    return None


def _of_its_counts(column: ColumnProfile, n_records: int) -> Opinion:
    if column.kind != "date" and _names_records(column, n_records):
        return "identifier", "nearly every record has a value of its own"
    return None


def _names_records(column: ColumnProfile, n_records: int) -> bool:
    if ends_as_id(column.name) and column.n_distinct == n_records:
        return True
    return n_records >= FEW_RECORDS and column.unique_share >= NEARLY_ALL


def _says_what_it_is(column: ColumnProfile) -> bool:
    known = (hint_of(column.name), column.safe_harbor, column.pattern)
    return any(each is not None for each in known)


def _one_quasi_identifier(columns: list[ColumnProfile]) -> list[ColumnProfile]:
    """Turn the column with the fewest values into a quasi-identifier if there is none.

    Without one a policy has nothing to protect.  A column that tells what it is comes last.
    """
    if any(column.role == "quasi-identifier" for column in columns):
        return columns
    chosen = min(columns, key=lambda each: (_says_what_it_is(each), each.n_distinct))
    reason = "no other column can be one, and a policy needs at least one"
    promoted = replace(chosen, role="quasi-identifier", reason=reason)
    return [promoted if each is chosen else each for each in columns]
