"""The one reader of a released table: its classes, what they cover, and what they hold."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import Self

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.counts import (
    FrequencyTable,
    Histogram,
    SensitiveColumn,
    Target,
    count_tuples,
    histogram_of,
    sum_by_group,
)
from incrowd.frame.source import Source
from incrowd.hierarchies import built, check_covers
from incrowd.hierarchies.tree import ROOT, Hierarchy
from incrowd.metrics.sensitive import SensitiveSpread
from incrowd.metrics.target import TargetSpread
from incrowd.private import private_dataclass
from incrowd.recoding import SUPPRESSED, ReadValues, read_values
from incrowd.schema import Column, Policy


@private_dataclass
class ReleasedTable:
    """The rows of a released table, by equivalence class.

    Parameters
    ----------
    source, policy
        The table, and what its columns are.
    records
        By row: how many records it stands for.
    class_of
        By row: its class, -1 if it is masked.
    classes, texts
        The classes in the order of their texts, for the rows of a release stand in a random one;
        and what their codes mean, by quasi-identifier.
    """

    source: Source
    policy: Policy
    records: Counts
    class_of: Codes
    classes: FrequencyTable
    texts: tuple[tuple[str | None, ...], ...]

    @classmethod
    def read(cls, source: Source, policy: Policy, *, masked: bool) -> Self:
        """Read a table.

        With `masked` records whose quasi-identifiers all are ``*`` are suppressed ones; otherwise
        they are a class like any other.
        """
        names, missing = policy.quasi_identifiers, policy.input.missing
        columns = [source.encode(name, missing=missing).by_text() for name in names]
        codes, texts = np.vstack([each for each, _ in columns]), tuple(each for _, each in columns)
        root = [each.index(ROOT) if ROOT in each else SUPPRESSED for each in texts]
        hidden = (codes == np.array(root)[:, np.newaxis]).all(axis=0) & masked
        rows, records = np.flatnonzero(~hidden), records_of(source, policy)
        class_of = np.full(source.n_rows, SUPPRESSED, dtype=np.int32)
        sizes = [len(each) for each in texts]
        classes, class_of[rows] = count_tuples(names, codes[:, rows], sizes, records=records[rows])
        return cls(source, policy, records, class_of, classes, texts)

    def values(self, hierarchies: Sequence[Hierarchy]) -> Iterator[tuple[ReadValues, list[object]]]:
        """Yield what the classes stand for by quasi-identifier, and the texts that nobody can read.

        A text that cannot be read covers no leaf.
        """
        for tree, codes, texts in zip(hierarchies, self.classes.codes, self.texts, strict=True):
            present, place = np.unique(codes, return_inverse=True)
            read = read_values(tree, [texts[at] for at in present.tolist()])
            by_class = [getattr(read, each.name)[place.reshape(-1)] for each in fields(read)]
            yield ReadValues(*by_class), [texts[at] for at in present[~read.known].tolist()]

    def _spread(self, codes: Codes) -> Histogram:
        """Count the values of another column in each class."""
        rows = np.flatnonzero(self.class_of != SUPPRESSED)
        return histogram_of(self.class_of[rows], codes[rows], self.records[rows])

    def sensitive(self) -> tuple[SensitiveSpread, ...]:
        """Count the values of the sensitive columns in each class."""
        spreads = []
        for name in self.policy.sensitive:
            codes, texts = self.source.encode(name).by_text()
            column = sensitive_column(self.policy.column(name), texts)
            spreads.append(SensitiveSpread(column, self._spread(codes), self.classes.records))
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
        others = self.class_of == SUPPRESSED
        read = [values for values, _ in self.values(hierarchies)]
        return TargetSpread(
            Target(self.policy.target, texts),
            self._spread(codes),
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
    hierarchy = built(column.hierarchy, texts, column=column.name)
    covering, _ = check_covers(hierarchy, texts, column.name, column.unknown)
    return SensitiveColumn(column.name, tuple(values), covering, column.weight)
