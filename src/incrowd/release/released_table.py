"""The one reader of a released table: its classes, what they cover, and what they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import numpy.typing as npt

from incrowd.arrays import Codes, Counts
from incrowd.counts import (
    FrequencyTable,
    SensitiveColumn,
    Target,
    group,
    histogram_of,
    sum_by_group,
)
from incrowd.frame.source import Source
from incrowd.hierarchies import check_covers
from incrowd.hierarchies.tree import ROOT, Hierarchy
from incrowd.metrics.sensitive import SensitiveSpread
from incrowd.metrics.target import TargetSpread
from incrowd.private import sizes_only
from incrowd.recoding import SUPPRESSED, ReadValues, read_values
from incrowd.schema import Column, Policy

Texts = tuple[str | None, ...]


@dataclass(frozen=True, eq=False)
class ReleasedTable:
    """The rows of a released table, by equivalence class.

    Parameters
    ----------
    source, policy
        The table, and what its columns are.
    columns
        By quasi-identifier: the code of each row, and the texts in order.
    records
        By row: how many records it stands for.
    class_of
        By row: its class, -1 if it is masked.  Classes are in the order of their texts: the rows of
        a release stand in a random one.
    first
        By class: its first row.
    """

    source: Source
    policy: Policy
    columns: tuple[tuple[Codes, Texts], ...]
    records: Counts
    class_of: Codes
    first: npt.NDArray[np.int64]

    __repr__ = sizes_only

    @classmethod
    def read(cls, source: Source, policy: Policy, *, masked: bool) -> ReleasedTable:
        """Read a table.

        With `masked` records whose quasi-identifiers all are ``*`` are suppressed ones; otherwise
        they are a class like any other.
        """
        columns = tuple(
            source.encode(name, missing=policy.input.missing).by_text()
            for name in policy.quasi_identifiers
        )
        hidden = np.full(source.n_rows, masked)
        for codes, texts in columns:
            hidden &= codes == (texts.index(ROOT) if ROOT in texts else SUPPRESSED)
        rows = np.flatnonzero(~hidden)
        class_of = np.full(source.n_rows, SUPPRESSED, dtype=np.int32)
        class_of[rows], first = _classes(np.vstack([codes[rows] for codes, _ in columns]))
        return cls(source, policy, columns, records_of(source, policy), class_of, rows[first])

    @cached_property
    def rows(self) -> npt.NDArray[np.intp]:
        """The rows that are not masked."""
        return np.flatnonzero(self.class_of != SUPPRESSED)

    @property
    def class_sizes(self) -> Counts:
        """Records by class."""
        return sum_by_group(self.class_of[self.rows], self.records[self.rows], len(self.first))

    def values(self, hierarchies: Sequence[Hierarchy]) -> Iterator[tuple[ReadValues, list[object]]]:
        """Yield what the classes stand for by quasi-identifier, and the texts that nobody can read.

        A text that cannot be read covers no leaf.
        """
        for tree, (codes, texts) in zip(hierarchies, self.columns, strict=True):
            present, place = np.unique(codes[self.first], return_inverse=True)
            read = read_values(tree, [texts[at] for at in present.tolist()])
            by_class = [getattr(read, each.name)[place.reshape(-1)] for each in fields(read)]
            yield ReadValues(*by_class), [texts[at] for at in present[~read.known].tolist()]

    def sensitive(self) -> tuple[SensitiveSpread, ...]:
        """Count the values of the sensitive columns in each class."""
        spreads = []
        for name in self.policy.sensitive:
            codes, texts = self.source.encode(name).by_text()
            column = sensitive_column(self.policy.column(name), texts)
            histogram = histogram_of(
                self.class_of[self.rows], codes[self.rows], self.records[self.rows]
            )
            spreads.append(SensitiveSpread(column, histogram, self.class_sizes))
        return tuple(spreads)

    def target(
        self, hierarchies: Sequence[Hierarchy], original_of: Callable[[], FrequencyTable]
    ) -> TargetSpread:
        """Count the classes of the target in each class; the policy names one.

        Parameters
        ----------
        hierarchies
            Those of the quasi-identifiers, to read what released values cover.
        original_of
            What returns the tuples of the original with the target.
        """
        assert self.policy.target is not None
        codes, texts = self.source.encode(self.policy.target).by_text()
        rows, others = self.rows, np.flatnonzero(self.class_of == SUPPRESSED)
        read = [values for values, _ in self.values(hierarchies)]
        return TargetSpread(
            Target(self.policy.target, texts),
            histogram_of(self.class_of[rows], codes[rows], self.records[rows]),
            sum_by_group(codes[others], self.records[others], len(texts)),
            low=np.stack([each.low for each in read], axis=1),
            high=np.stack([each.high for each in read], axis=1),
            original_of=original_of,
        )


def records_of(source: Source, policy: Policy) -> Counts:
    """Return how many records each row of a table stands for."""
    if policy.count is None:
        return np.ones(source.n_rows, np.int64)
    return source.numbers(policy.count)


def sensitive_column(column: Column, values: Sequence[str | None]) -> SensitiveColumn:
    """Return a sensitive column as searches and metrics see it."""
    if column.hierarchy is None:
        return SensitiveColumn(column.name, tuple(values), weight=column.weight)
    texts = [text for text in values if text is not None]
    hierarchy = column.hierarchy.build(texts, column=column.name)
    covering, _ = check_covers(hierarchy, texts, column.name, column.unknown)
    return SensitiveColumn(column.name, tuple(values), covering, column.weight)


def _classes(codes: Codes) -> tuple[Codes, npt.NDArray[np.int64]]:
    """Number the distinct columns of codes in ascending order; also return the first of each."""
    class_of, first = group(codes, codes.max(axis=1, initial=0) + 1)
    order = np.lexsort(codes[::-1, first])
    number = np.empty(len(first), dtype=np.int32)
    number[order] = np.arange(len(first), dtype=np.int32)
    return number[class_of], first[order]
