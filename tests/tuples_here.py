"""Tuples that are elsewhere only in name: what an engine that holds them offers, spelled out."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from incrowd.algorithms.elsewhere import RegionMargins, Subtree, TooManyTuplesError
from incrowd.counts import CoarseTable, FrequencyTable, count_tuples
from incrowd.metrics import Outcome, measure
from incrowd.metrics.base import METRICS


@dataclass(frozen=True)
class Counted:
    """Tuples that stand for others."""

    table: CoarseTable


class TuplesHere:
    """The tuples of a table, and whatever was asked about them."""

    def __init__(self, table, sizes, most, whole=None):
        self.held, self.sizes_of, self.most = table, sizes, most
        self.whole = whole or self  # with all columns, as they were
        self.asked = []

    @property
    def margins(self):
        return tuple(self._margin(self.held, j) for j in range(len(self.held.columns)))

    @property
    def coarsest(self):
        """Return a table in which all tuples stand as one."""
        return self._coarse(np.zeros_like(self.held.codes)).table

    def standing_in(self, stand_in):
        codes = np.stack([own[codes] for own, codes in zip(stand_in, self.held.codes, strict=True)])
        found = self._coarse(codes)
        self.asked.append(found.table.n_tuples)
        if found.table.n_tuples > self.most:
            raise TooManyTuplesError("too many")
        return found

    def over(self, columns, stand_in):
        codes = [own[self.held.codes[j]] for own, j in zip(stand_in, columns, strict=True)]
        table, _ = count_tuples(
            tuple(self.held.columns[j] for j in columns),
            np.stack(codes).astype(np.int32),
            [self.sizes_of[j] for j in columns],
            carried=self.held.carried,
            carried_values=self.held.carried_values,
            records=self.held.records,
        )
        found = TuplesHere(table, [self.sizes_of[j] for j in columns], self.most, self.whole)
        found.columns, found.stand_in = columns, stand_in
        return found

    def sizes(self, tree):
        return np.bincount(tree.regions_of(self.held.codes), minlength=tree.n_regions)

    def margins_in(self, tree, regions):
        region_of = tree.regions_of(self.held.codes)
        for region in regions.tolist():
            part = self.held.at(np.flatnonzero(region_of == region))
            self.asked.append(max(self._margin(part, j).n_tuples for j in range(len(part.columns))))
            columns = range(len(part.columns))
            yield RegionMargins(region, tuple(self._margin(part, j) for j in columns))

    def cut_further(self, tree, regions, search):
        region_of = tree.regions_of(self.held.codes)
        for region in regions.tolist():
            part = self.held.at(np.flatnonzero(region_of == region))
            assert part.n_tuples <= self.most
            yield Subtree(region, *search(part))

    def in_regions(self, tree, low, kept):
        whole = self.whole.held
        own = [each[whole.codes[j]] for each, j in zip(self.stand_in, self.columns, strict=True)]
        codes = whole.codes.copy()
        codes[list(self.columns)] = low[tree.regions_of(np.stack(own).astype(np.int32))].T
        return self.whole._coarse(codes)

    def _margin(self, table, j):
        return count_tuples(
            (table.columns[j],),
            table.codes[[j]],
            [self.sizes_of[j]],
            carried=table.carried,
            carried_values=table.carried_values,
            records=table.records,
        )[0]

    def _coarse(self, codes):
        table, tuple_of = count_tuples(
            self.held.columns,
            codes.astype(np.int32),
            self.sizes_of,
            carried=self.held.carried,
            carried_values=self.held.carried_values,
            records=self.held.records,
        )

        def records_by_leaf(some):
            kept = FrequencyTable.at(self.held, np.flatnonzero(some[tuple_of]))
            pairs = enumerate(self.sizes_of)
            return [np.bincount(kept.codes[j], kept.records, n).astype(np.int64) for j, n in pairs]

        facts = (table.columns, table.codes, table.records, table.carried, table.carried_values)
        return Counted(CoarseTable(*facts, None, self.margins, records_by_leaf))


def in_order(problem):
    """Return a problem whose tuples stand in the order in which every engine counts them."""
    table = problem.table
    sizes = [tree.n_codes for tree in problem.hierarchies]
    given = {"carried": table.carried, "carried_values": table.carried_values}
    table, _ = count_tuples(table.columns, table.codes, sizes, records=table.records, **given)
    return replace(problem, table=table)


def elsewhere(problem, most):
    """Return a problem of which next to nothing is known, and where its tuples are."""
    sizes = [tree.n_codes for tree in problem.hierarchies]
    tuples = TuplesHere(problem.table, sizes, most)
    return replace(problem, table=tuples.coarsest), tuples


def shown(assignment):
    """Return what each class shows and how many records it has, in no order."""
    pairs = zip(assignment.labels, assignment.label_of.T.tolist(), strict=True)
    columns = [[labels[at] for at in own] for labels, own in pairs]
    looks = zip(*columns, assignment.class_sizes.tolist(), strict=True)
    return sorted(looks, key=repr)


def check_metrics(problem, recoding, coarse):
    """Hold every metric to what it is of the tuples themselves, or to have no figure."""
    for name, each in METRICS.everything().items():
        values = []
        for table in (problem.table, coarse):
            outcome = Outcome(
                table, problem.hierarchies, recoding.assign(table, problem.hierarchies),
                problem.weights, k=problem.smallest_k,
            )  # fmt: skip
            values.append(measure(outcome, [name]).get(name))
        if each.needs_tuples:
            assert values[1] is None
        elif isinstance(values[0], float):
            assert values[1] == pytest.approx(values[0], rel=1e-12, abs=1e-12), name
        else:
            assert values[0] == values[1], name
