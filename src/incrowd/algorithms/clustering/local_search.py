"""Local search: the cheapest of several sets of classes, made better by carving and re-forming."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from incrowd import kernels
from incrowd.algorithms.base import Effort, Honours, Problem, Purpose, algorithm
from incrowd.algorithms.clustering.top_down_greedy import TopDownGreedy
from incrowd.algorithms.parameters import (
    check_choices,
    check_seed,
    check_threads,
    most_seconds,
    positive,
    threads_to_use,
)
from incrowd.algorithms.shared.clock import TimeUp, Watched
from incrowd.algorithms.shared.covered import covered_columns_alone
from incrowd.algorithms.shared.gain import GainSplit, gain_split
from incrowd.arrays import Codes, Counts, Integers, Mask
from incrowd.counts import Parts, group, sum_by_group
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, LocalRecoding

# Cells looked at for each record that can move: about a nanosecond each.
_WORK: dict[Effort, int] = {"fast": 3_000, "default": 12_000, "best": 100_000}

# The part of it that each of the two searches tries on a start.  Buckets follow the gain splits, so
# these get on better: another start must be ahead of them by some part of their loss, after that
# trial, or by so much before it that none is needed.
_TRIED = 8
_AHEAD, _FAR_AHEAD = 64, 7

# A bucket holds at least 80 classes or so: enough that most neighbours meet, and few enough that
# looking at all of them is cheap.  Carving looks at many records at once: it works on regions.
_BUCKET_RECORDS, _BUCKET_CLASSES = 500, 80
_REGION_RECORDS = 1 << 16

# Tuples that peeling looks at for each tuple.
_PEELING = 4_000


@algorithm
@dataclass(frozen=True, kw_only=True)
class LocalSearch:
    """Start from the cheapest of several sets of classes, and search for better ones.

    Parameters
    ----------
    effort
        How long to search: ``"fast"``, ``"default"`` or ``"best"``.
    seed
        Of the random choices; the same seed gives the same classes on any number of threads.
    threads
        How many; all cores if not given.
    time_limit
        After so many seconds the best classes so far are taken.

    Notes
    -----
    The search minimises `loss`.  It starts with splits by gain, which also cut the table into
    regions and buckets of neighbours.  There are two other starts: *peeling*, which releases the
    cheapest full-domain node that forms a class, and goes on with the records that are left; and
    top-down greedy clustering.  If the cheaper of the two is cheaper than the gain splits, both are
    searched for a while, and the one that is then ahead to the end; one that is far ahead at once
    is searched alone.

    In a region, a step *carves* a class out of all others: the records under one node per column
    that cost more where they are.  Then buckets of neighbouring classes are searched.  A step opens
    a class around a record that loses much (*spawn*), or forms a few neighbouring classes anew
    (*ruin*); classes that have become too small are dissolved, and records move out of classes that
    can spare them.  A step that gains stays; early on one that loses a little may stay too.
    Regions and buckets have their own random numbers, so the time grows with the records and
    threads can share them.  The work is counted in cells looked at, not in seconds: a result can be
    repeated.

    Requirements on what classes hold are kept in the search: a start meets them, and of every step
    that would stay the classes that it changed are looked at; if one breaks something, the step is
    taken back.
    """

    family: ClassVar = "clustering"
    name: ClassVar[str] = "local-search"
    honours: ClassVar[Honours] = "in the search"
    purposes: ClassVar[tuple[Purpose, ...]] = ("general", "queries", "classification")

    effort: Effort = "default"
    seed: int = 0
    threads: int | None = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        check_choices(self)
        check_seed(self.seed)
        check_threads(self.threads)
        positive(self.time_limit, "time_limit")

    @classmethod
    def suited(cls, purpose: Purpose, effort: Effort, problem: Problem) -> dict[str, Any]:
        """Return what `auto` builds it with."""
        return {"effort": effort}

    @covered_columns_alone
    def solve(self, problem: Problem, progress: Progress = QUIET) -> LocalRecoding:
        """Return the classes that the search ends with."""
        problem.check_reachable()
        until = time.monotonic() + most_seconds(self.time_limit)
        bucket_size = _BUCKET_RECORDS + _BUCKET_CLASSES * problem.class_size
        split = gain_split(problem, bucket_size, self.threads, progress, self.name)
        search = Search(self, problem, split, Watched(progress, until))
        start, parts = search.found(_WORK[self.effort])
        facts = {
            "effort": self.effort,
            "start": start,
            "regions": int(search.regions.max()) + 1,
            "buckets": split.n_buckets,
            "classes_of_gain_split": split.parts.n_classes,
        }
        return problem.in_classes(parts, Found(self.name, search=self.effort, facts=facts))


@dataclass(frozen=True, eq=False)
class _Trial:
    """A start after a part of the work: what it costs, and what it gained on the way."""

    start: str
    parts: Parts
    cost: int
    by_carving: int
    by_both: int


@dataclass(frozen=True, eq=False)
class Search:
    """A search under way: who asked, what for, and the gain split whose buckets it uses."""

    asked: LocalSearch
    problem: Problem
    split: GainSplit
    progress: Progress

    @cached_property
    def regions(self) -> Codes:
        """By class of the gain split: its region, a run of buckets."""
        sizes = sum_by_group(
            self.split.bucket_of, self.split.parts.class_sizes, self.split.n_buckets
        )
        region_of_bucket = (np.cumsum(sizes) - sizes) // _REGION_RECORDS
        return _numbered(region_of_bucket[self.split.bucket_of])

    @cached_property
    def levels(self) -> kernels.LevelTables:
        """The node of each code at each level, by column; what it costs the kernels know."""
        tables = kernels.LevelTables()
        for tree in self.problem.hierarchies:
            tables.column(tree.index_at, np.zeros(tree.index_at.shape, dtype=np.int64))
        return tables

    def found(self, work: int) -> tuple[str, Parts]:
        """Return the classes that the search ends with, in time or not, and how they began."""
        best = "gain splits", self.split.parts
        with suppress(TimeUp):
            for stage in self.stages(work):
                best = stage
        return best

    def stages(self, work: int) -> Iterator[tuple[str, Parts]]:
        """Yield the best classes so far, and how they began; the last are those of the search."""
        tried = work // _TRIED
        trials: list[_Trial] = []
        for name, parts in self.starts():
            trials.append(self._tried(name, parts, tried))
            ahead = min(trials, key=lambda trial: trial.cost)
            yield ahead.start, ahead.parts
        first, last = trials[0], trials[-1]
        chosen = last if _AHEAD * (first.cost - last.cost) > first.cost else first
        left = work - 2 * tried
        carving = left * chosen.by_carving // max(chosen.by_both, 1)
        parts = self._near(self._carved(chosen.parts, carving), left - carving)
        if self._cost(parts) > last.cost:  # never more than any start
            yield last.start, last.parts
        else:
            yield chosen.start, parts

    def starts(self) -> list[tuple[str, Parts]]:
        """Return the gain splits and what is cheaper, or what is cheaper by far alone."""
        split, regions = self.split.parts, self.regions
        peeled, where = self.peeled()
        n_regions = int(regions.max()) + 1
        is_cheaper = sum_by_group(where, self._costs(peeled), n_regions) < sum_by_group(
            regions, self._costs(split), n_regions
        )
        greedy = TopDownGreedy(seed=self.asked.seed, threads=self.asked.threads)
        starts = {
            "gain splits": split,
            "peeling": _joined(
                _some(peeled, is_cheaper[where]), _some(split, ~is_cheaper[regions])
            ),
            greedy.name: greedy.solve(self.problem, self.progress).parts,
        }
        costs = {name: self._cost(parts) for name, parts in starts.items()}
        cheapest = min(costs, key=lambda name: costs[name])
        is_far = _FAR_AHEAD * (costs["gain splits"] - costs[cheapest]) > costs["gain splits"]
        chosen = [cheapest] if is_far else dict.fromkeys(("gain splits", cheapest))
        return [(name, starts[name]) for name in chosen]

    def _tried(self, start: str, parts: Parts, work: int) -> _Trial:
        """Return what becomes of a start when both searches have tried a part of the work."""
        carved = self._carved(parts, work)
        near = self._near(carved, work)
        before, between, after = map(self._cost, (parts, carved, near))
        return _Trial(start, near, after, before - between, before - after)

    def peeled(self) -> tuple[Parts, Codes]:
        """Return the classes of peeling, region by region, and the region of each."""
        self.progress.start("peel", detail=f"{int(self.regions.max()) + 1:,} regions")
        parts_break = all(each.monotone.with_suppression for each in self.problem.requirements)
        return self._run(
            kernels.peel, self.split.parts, self.regions, self.levels, _PEELING, parts_break
        )

    def _carved(self, parts: Parts, work: int) -> Parts:
        """Return classes after carving others out of them, region by region."""
        where = self._nearest(parts, self.regions)
        self.progress.start("carve", total=int(where.max()) + 1)
        return self._run(kernels.carve, parts, where, self.levels, work, self.asked.seed)[0]

    def _near(self, parts: Parts, work: int) -> Parts:
        """Return classes after a search among neighbours, bucket by bucket."""
        where = self._nearest(parts, self.split.bucket_of)
        total = int(where.max()) + 1
        self.progress.start(self.asked.name, total=total, detail=f"{total:,} buckets")
        return self._run(kernels.local_search, parts, where, work, self.asked.seed)[0]

    def _run(
        self, kernel: Callable[..., Any], parts: Parts, where: Codes, *how: Any
    ) -> tuple[Parts, Codes]:
        """Hand classes to a kernel that changes them, each in its place; return them and theirs."""
        problem, asked = self.problem, self.problem.requirements
        tuple_of, class_of, records, bucket_of = kernel(
            problem.table.kernel,
            self.split.shapes,
            problem.class_size,
            parts.tuple_of,
            parts.class_of,
            parts.records,
            where,
            *how,
            threads_to_use(self.asked.threads),
            asked.kernel if asked.compiled and not asked.only_sizes else None,
            None if asked.compiled else _judge(problem),
            self.progress.update,
        )
        return Parts(tuple_of, class_of, records, len(bucket_of)), bucket_of

    def _nearest(self, parts: Parts, place_of: Codes) -> Codes:
        """Return by class the region, or bucket, that most of its records lie in, numbered anew.

        `place_of` is by class of the gain split.
        """
        split = self.split.parts
        of_tuple = np.zeros(self.problem.table.n_tuples, dtype=np.int32)
        of_tuple[split.tuple_of] = place_of[split.class_of]
        pairs = np.stack([parts.class_of, of_tuple[parts.tuple_of]])
        pair_of, first = group(pairs, [parts.n_classes, int(place_of.max()) + 1])
        most_last = np.argsort(sum_by_group(pair_of, parts.records, len(first)), kind="stable")
        class_of, place = pairs[:, first[most_last]]
        found = np.zeros(parts.n_classes, dtype=np.int32)
        found[class_of] = place
        return _numbered(found)

    def _cost(self, parts: Parts) -> int:
        """Return what all classes lose."""
        return int(self._costs(parts).sum())

    def _costs(self, parts: Parts) -> Counts:
        """Return what each class loses, on the scale of the search."""
        return kernels.class_costs(
            self.problem.table.kernel,
            self.split.shapes,
            parts.tuple_of,
            parts.class_of,
            parts.records,
            parts.n_classes,
        )


def _numbered(place_of: Codes | Integers) -> Codes:
    """Return places numbered from 0 on, in their order, without gaps."""
    return np.unique(place_of, return_inverse=True)[1].astype(np.int32)


def _some(parts: Parts, chosen: Mask) -> Parts:
    """Return some of the classes."""
    number = (np.cumsum(chosen) - 1).astype(np.int32)
    kept = chosen[parts.class_of]
    return Parts(
        parts.tuple_of[kept],
        number[parts.class_of[kept]],
        parts.records[kept],
        int(chosen.sum()),
    )


def _joined(first: Parts, second: Parts) -> Parts:
    """Return the classes of both."""
    after = second.class_of + np.int32(first.n_classes)
    return Parts(
        np.concatenate([first.tuple_of, second.tuple_of]),
        np.concatenate([first.class_of, after]),
        np.concatenate([first.records, second.records]),
        first.n_classes + second.n_classes,
    )


def _judge(problem: Problem) -> Callable[[Codes, Codes, Counts, int], Mask]:
    """Return what says which of some classes, all at once, meet every requirement."""

    def judge(tuple_of: Codes, class_of: Codes, records: Counts, n_classes: int) -> Mask:
        parts = Parts(tuple_of, class_of, records, n_classes)
        return ~problem.requirements.violating(parts)

    return judge
