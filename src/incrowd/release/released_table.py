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
from incrowd.frame.source import Table, Tally
from incrowd.hierarchies import built, check_covers
from incrowd.hierarchies.tree import ROOT, Hierarchy
from incrowd.metrics.sensitive import SensitiveSpread
from incrowd.metrics.target import TargetSpread
from incrowd.private import private_dataclass
from incrowd.recoding import SUPPRESSED, ReadValues, read_values
from incrowd.schema import Column, Policy


@private_dataclass
class ReleasedTable:
    """The equivalence classes of a released table.

    Parameters
    ----------
    table, policy
        The table, and what its columns are.
    masked
        Whether records whose quasi-identifiers all are ``*`` are suppressed ones; otherwise they
        are a class like any other.
    classes, texts
        The classes in the order of their texts, for the rows of a release stand in a random one;
        and what their codes mean, by quasi-identifier.
    """

    table: Table
    policy: Policy
    masked: bool
    classes: FrequencyTable
    texts: tuple[tuple[str | None, ...], ...]

    @classmethod
    def read(cls, table: Table, policy: Policy, *, masked: bool) -> Self:
        """Read a table; `masked` is as above."""
        tally = table.tally(policy.quasi_identifiers, count=policy.count)
        classes, _, texts = _classes(tally, policy, masked=masked)
        return cls(table, policy, masked, classes, texts)

    def values(self, hierarchies: Sequence[Hierarchy]) -> Iterator[tuple[ReadValues, list[object]]]:
        """Yield what the classes stand for by quasi-identifier, and the texts that nobody can read.

        A text that cannot be read covers no leaf.
        """
        for tree, codes, texts in zip(hierarchies, self.classes.codes, self.texts, strict=True):
            present, place = np.unique(codes, return_inverse=True)
            read = read_values(tree, [texts[at] for at in present.tolist()])
            by_class = [getattr(read, each.name)[place.reshape(-1)] for each in fields(read)]
            yield ReadValues(*by_class), [texts[at] for at in present[~read.known].tolist()]

    def _spread(self, name: str) -> "_Spread":
        """Count the values of another column in each class, and in the masked records."""
        names = (*self.policy.quasi_identifiers, name)
        tally = self.table.tally(names, count=self.policy.count)
        # The same cells in the same order of texts: these are the classes that were read before
        _, class_of, _ = _classes(tally, self.policy, masked=self.masked)
        codes, texts = tally.columns.encode(name).by_text()
        hidden = class_of == SUPPRESSED
        return _Spread(
            texts,
            histogram_of(class_of[~hidden], codes[~hidden], tally.records[~hidden]),
            sum_by_group(codes[hidden], tally.records[hidden], len(texts)),
        )

    def sensitive(self) -> tuple[SensitiveSpread, ...]:
        """Count the values of the sensitive columns in each class."""
        spreads = []
        for name in self.policy.sensitive:
            found = self._spread(name)
            column = sensitive_column(self.policy.column(name), found.texts)
            spreads.append(SensitiveSpread(column, found.histogram, self.classes.records))
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
        found = self._spread(self.policy.target)
        read = [values for values, _ in self.values(hierarchies)]
        return TargetSpread(
            Target(self.policy.target, found.texts),
            found.histogram,
            found.masked,
            low=np.stack([each.low for each in read], axis=1),
            high=np.stack([each.high for each in read], axis=1),
            original_of=original_of,
        )


@private_dataclass
class _Spread:
    """The values of a column: by class, and how many masked records have each."""

    texts: tuple[str | None, ...]
    histogram: Histogram
    masked: Counts


def _classes(
    tally: Tally, policy: Policy, *, masked: bool
) -> tuple[FrequencyTable, Codes, tuple[tuple[str | None, ...], ...]]:
    """Return the classes of a tally, that of each of its rows, and what their codes mean."""
    names, missing = policy.quasi_identifiers, policy.input.missing
    columns = [tally.columns.encode(name, missing=missing).by_text() for name in names]
    codes, texts = np.vstack([each for each, _ in columns]), tuple(each for _, each in columns)
    root = [each.index(ROOT) if ROOT in each else SUPPRESSED for each in texts]
    hidden = (codes == np.array(root)[:, np.newaxis]).all(axis=0) & masked
    rows = np.flatnonzero(~hidden)
    class_of = np.full(len(hidden), SUPPRESSED, dtype=np.int32)
    sizes = [len(each) for each in texts]
    classes, class_of[rows] = count_tuples(
        names, codes[:, rows], sizes, records=tally.records[rows]
    )
    return classes, class_of, texts


def sensitive_column(column: Column, values: Sequence[str | None]) -> SensitiveColumn:
    """Return a sensitive column as searches and metrics see it."""
    if column.hierarchy is None:
        return SensitiveColumn(column.name, tuple(values), weight=column.weight)
    texts = [text for text in values if text is not None]
    hierarchy = built(column.hierarchy, texts, column=column.name)
    covering, _ = check_covers(hierarchy, texts, column.name, column.fate_of_unknown)
    return SensitiveColumn(column.name, tuple(values), covering, column.weight)
