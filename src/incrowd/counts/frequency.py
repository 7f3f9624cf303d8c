"""The table every algorithm works on: distinct tuples with counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from incrowd import kernels
from incrowd.arrays import Codes, Counts
from incrowd.counts.grouping import (
    RowCodes,
    ascending,
    group,
    group_rows,
    renumber,
    sum_by_group,
)
from incrowd.counts.histogram import Histogram, histogram_of
from incrowd.private import private_dataclass


@private_dataclass
class FrequencyTable:
    """Distinct tuples of leaf codes, and how many records each stands for.

    Two records are one tuple if they agree on every generalised and every carried column.  Tuples
    stand in the order of their codes, then of what they carry: neither the order of the rows nor
    who counted them decides anything.

    Parameters
    ----------
    columns
        The generalised key columns (the quasi-identifiers), in policy order.
    codes
        Their leaf codes: shape ``(columns, tuples)``, each column contiguous.
    records
        How many records each tuple stands for; at least 1.
    carried
        Key columns that are never generalised (sensitive, target, entity), by name.
    carried_values
        What the codes of a carried column mean, for messages to people; never used to decide.
    persons
        The carried column that tells persons apart, if records are not persons: code 0 stands for
        persons with one record, of whom each record is another, and every other code for one
        person.
    """

    columns: tuple[str, ...]
    codes: Codes
    records: Counts
    carried: Mapping[str, Codes] = field(default_factory=dict)
    carried_values: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    persons: str | None = None

    @property
    def n_tuples(self) -> int:
        """The number of distinct tuples."""
        return int(self.codes.shape[1])

    @property
    def n_records(self) -> int:
        """The number of records."""
        return int(self.records.sum())

    @cached_property
    def kernel(self) -> kernels.Table:
        """The tuples as kernels take them, checked; from then on nobody writes into the arrays."""
        for array in (self.codes, self.records):
            array.setflags(write=False)
        return kernels.Table(self.codes, self.records)

    @property
    def n_persons(self) -> int:
        """The number of persons; of records, if nobody is known to have several."""
        return int(self.crowds(np.zeros(self.n_tuples, dtype=np.int32), 1)[0])

    def crowds(
        self,
        group_of: Codes,
        n_groups: int,
        *,
        tuples: npt.NDArray[np.integer] | None = None,
        records: Counts | None = None,
    ) -> Counts:
        """Return how many persons each group of tuples, or of parts of them, has.

        Parameters
        ----------
        group_of, n_groups
            By tuple, or by part: its group; and their number.
        tuples, records
            By part: its tuple and its records; the whole table if not given.
        """
        records = self.records if records is None else records
        if self.persons is None:
            return sum_by_group(group_of, records, n_groups)
        person = self.carried[self.persons]
        person = person if tuples is None else person[tuples]
        alone = person == 0
        found = sum_by_group(group_of[alone], records[alone], n_groups)
        several = np.vstack([group_of[~alone], person[~alone]])
        _, first = group(several, [n_groups, int(person.max(initial=0)) + 1])
        return found + sum_by_group(several[0, first].astype(np.int32), None, n_groups)

    def by_leaf(
        self,
        j: int,
        n_codes: int,
        *,
        tuples: npt.NDArray[np.integer] | None = None,
        records: Counts | None = None,
    ) -> Counts:
        """Return how many persons have each code of column j, among all or some parts of tuples.

        The parameters are those of `crowds`.
        """
        codes = self.codes[j] if tuples is None else self.codes[j][tuples]
        return self.crowds(codes, n_codes, tuples=tuples, records=records)

    def leaf_histogram(self, j: int, name: str) -> Histogram:
        """Return how often each code of column j occurs with each value of a carried column."""
        return histogram_of(self.codes[j], self.carried[name], self.records)

    def at(self, tuples: npt.NDArray[np.integer], records: Counts | None = None) -> FrequencyTable:
        """Return some of the tuples, or parts of them if `records` says how many of each."""
        return FrequencyTable(
            self.columns,
            self.codes.take(tuples, axis=1),
            self.records[tuples] if records is None else records,
            {name: codes[tuples] for name, codes in self.carried.items()},
            self.carried_values,
            self.persons,
        )

    def over(self, columns: Sequence[int], sizes: Sequence[int]) -> tuple[FrequencyTable, Codes]:
        """Return the tuples on fewer columns with `sizes` codes each, and which each of them is."""
        return count_tuples(
            tuple(self.columns[j] for j in columns),
            np.ascontiguousarray(self.codes[list(columns)]),
            sizes,
            carried=self.carried,
            carried_values=self.carried_values,
            records=self.records,
            persons=self.persons,
        )


def count_tuples(
    columns: tuple[str, ...],
    codes: Codes | Sequence[RowCodes],
    sizes: Sequence[int],
    *,
    carried: Mapping[str, Codes | RowCodes] | None = None,
    carried_values: Mapping[str, tuple[str | None, ...]] | None = None,
    records: Counts | None = None,
    persons: str | None = None,
) -> tuple[FrequencyTable, Codes]:
    """Count rows into a frequency table, its tuples in order; also return the tuple of each row.

    Parameters
    ----------
    columns
        Names of the generalised columns.
    codes
        Their leaf codes by row: ``(columns, rows)``, or each column by itself.
    sizes
        The number of codes of each generalised column.
    carried, carried_values
        Codes of the carried columns by row, and what they mean.
    records
        How many records each row stands for; one each if not given.
    persons
        The carried column that tells persons apart, if there is one.
    """
    coded = [_row_codes(each) for each in codes]
    others = {name: _row_codes(each) for name, each in (carried or {}).items()}
    others, texts = _by_text(others, carried_values or {})
    keys, radices = [*coded, *others.values()], list(sizes)
    for name, each in others.items():
        radices.append(len(texts[name]) if name in texts else int(each.codes.max(initial=0)) + 1)
    if not keys:  # all rows are alike
        n_rows = codes.shape[1] if isinstance(codes, np.ndarray) else 0
        keys, radices = [RowCodes(np.zeros(n_rows, dtype=np.int32))], [1]
    tuple_of, first = group_rows(keys, radices)
    found = [each.at(first) for each in keys]
    order = ascending(found, radices)
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    renumber(tuple_of, rank)
    distinct = np.empty((len(coded), len(order)), dtype=np.int32)
    for j in range(len(coded)):
        distinct[j] = found[j][order]
    table = FrequencyTable(
        columns=columns,
        codes=distinct,
        records=sum_by_group(tuple_of, records, len(order)),
        carried={name: found[len(coded) + j][order] for j, name in enumerate(others)},
        carried_values=texts,
        persons=persons,
    )
    return table, tuple_of


def _row_codes(column: Codes | RowCodes) -> RowCodes:
    return column if isinstance(column, RowCodes) else RowCodes(column.astype(np.int32, copy=False))


def _by_text(
    carried: Mapping[str, RowCodes], values: Mapping[str, tuple[str | None, ...]]
) -> tuple[dict[str, RowCodes], dict[str, tuple[str | None, ...]]]:
    """Number what is carried in the order of its texts, missing cells last."""
    codes, texts = dict(carried), dict(values)
    for name, own in values.items():
        order = sorted(range(len(own)), key=lambda at: (own[at] is None, own[at] or ""))
        rank = np.empty(len(own), dtype=np.int32)
        rank[order] = np.arange(len(own), dtype=np.int32)
        codes[name], texts[name] = carried[name].renumbered(rank), tuple(own[at] for at in order)
    return codes, texts
