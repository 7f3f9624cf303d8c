"""TGC: threshold-based greedy clustering, which trades utility against protection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf, isfinite
from typing import ClassVar, Literal

import numpy as np

from incrowd.algorithms.base import Family, Honours, Problem, algorithm
from incrowd.algorithms.clustering.tgc.pre_partitioning import Width, one_subspace, pre_partitioned
from incrowd.algorithms.clustering.tgc.sampling import (
    Sample,
    sample_size,
    sampled_records,
    sampled_subspaces,
)
from incrowd.algorithms.clustering.tgc.thresholds import (
    DiversityThresholds,
    Select,
    choose_thresholds,
    middles,
)
from incrowd.algorithms.clustering.tgc.tuples import diverse_tuples
from incrowd.algorithms.parameters import (
    check_choices,
    check_seed,
    check_threads,
    fraction,
    positive,
    threads_to_use,
)
from incrowd.algorithms.shared.covered import covered_columns_alone
from incrowd.algorithms.shared.merging import meeting_all, only_sizes
from incrowd.arrays import Codes, Counts
from incrowd.counts import Parts, sum_by_group
from incrowd.errors import ParameterError
from incrowd.kernels import DiverseTuples, tgc, tgc_reassign
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, LocalRecoding
from incrowd.requirements.base import whole_number

MOST_ITERATIONS = 12

PROTECTED = 5
"""How many times the least size of a subspace is its largest, unless another is asked for."""


NEAREST = 256
"""How many classes a rejected record looks at where it does not look at all of them."""

_USUAL_ROUNDS = 8
"""In which records are clustered, where the threshold is approached through smaller ones."""

Report = Callable[[int], None]
Divide = Callable[[Counts], Parts]
_ALL_PAIRS = 2**62


@dataclass(frozen=True, kw_only=True)
class ThresholdGreedy:
    """What TGC and its presets share: all but the weights."""

    name: ClassVar[str]
    honours: ClassVar[Honours] = "by merging"
    quicker: ClassVar[str] = "A smaller partition_size takes less, fewer max_iterations too."
    _weights: ClassVar[tuple[float, float]]
    """Of utility and of protection."""

    family: ClassVar[Family] = "clustering"
    carries: ClassVar[tuple[str, ...]] = ("sensitive",)

    estimation_range: float = 1.0
    threshold: float | None = None
    protection_threshold: float | None = None
    approach: Literal["stepwise", "direct"] = "stepwise"
    partition_size: int | None = None
    largest_subspace: int | None = None
    width: Width = "normalised"
    reassign: Literal["total", "increment"] = "total"
    exact_reassignment_limit: int = 1_000_000
    select: Select = "weighted"
    max_iterations: int = 5
    sample: Sample = "subspaces"
    sample_share: float | None = None
    order: Literal["random", "canonical"] = "random"
    seed: int = 0
    threads: int | None = None

    def __post_init__(self) -> None:
        fraction(self.estimation_range, "estimation_range")
        for what in ("threshold", "sample_share"):
            if getattr(self, what) is not None:
                fraction(getattr(self, what), what)
        positive(self.protection_threshold, "protection_threshold")
        for what in ("partition_size", "largest_subspace"):
            if getattr(self, what) is not None:
                whole_number(getattr(self, what), what, at_least=0)
        whole_number(self.exact_reassignment_limit, "exact_reassignment_limit", at_least=0)
        if whole_number(self.max_iterations, "max_iterations", at_least=2) > MOST_ITERATIONS:
            raise ParameterError(
                f"max_iterations must be {MOST_ITERATIONS} or less, not {self.max_iterations}.",
                hint="each iteration tries twice as many thresholds as the one before; 5 will do.",
            )
        check_choices(self)
        check_seed(self.seed)
        check_threads(self.threads)

    def estimated_seconds(self, problem: Problem) -> float:
        """Return about how long it takes: each record looks at its subspace, round by round."""
        n, tuples = problem.table.n_records, problem.table.n_tuples
        size = 1.5 * self._least_subspace(problem)  # as they come
        looked_at = tuples * min(1.0, size / n if size else 1.0)
        sample: Sample = "subspaces" if size and self.sample == "subspaces" else "records"
        sampled = sample_size(sample, n, problem.class_size, self.sample_share)
        tried = len(middles(self.max_iterations)) if self.threshold is None else 1
        rounds = _USUAL_ROUNDS if self.approach == "stepwise" else 1
        return 2e-9 * looked_at * (tried * sampled + rounds * n) + 6e-6 * tuples

    @covered_columns_alone
    def solve(self, problem: Problem, progress: Progress = QUIET) -> LocalRecoding:
        """Return the classes that the clustering finds."""
        problem.check_reachable()
        self._check_sensitive(problem)
        records = problem.table.records
        tuples = diverse_tuples(problem, self._weights, self.estimation_range)
        rules = self._rules(problem)
        progress.start(self.name, total=problem.table.n_records)
        divide = partial(self._subspaces, problem, tuples)
        thresholds = self._thresholds(tuples, records, divide, rules)
        divide = partial(divide, protection=thresholds.protection)
        rounds = GreedyRounds(tuples, records, divide, rules, progress.update)
        for threshold in thresholds.rounds:
            rounds.cluster(threshold)
            if rounds.rejected < rules.k:
                break
        found = rounds.reassigned()
        parts = found.parts.without_doubles()
        if not only_sizes(problem):
            parts = meeting_all(problem, parts)
        return problem.in_classes(parts, self._found(found, thresholds))

    def _check_sensitive(self, problem: Problem) -> None:
        wanted = self._weights[1] > 0 or self.protection_threshold is not None
        if wanted and not problem.sensitive:
            raise ParameterError(
                f"{self.name} weighs the protection of sensitive columns, and the policy names "
                "none.",
                hint='give a column the role "sensitive", or use "tgc-u", which needs none.',
            )

    def _rules(self, problem: Problem) -> GreedyRules:
        return GreedyRules(
            k=problem.class_size,
            random=self.order == "random",
            seed=self.seed,
            total=self.reassign == "total",
            exact_limit=self.exact_reassignment_limit,
            threads=threads_to_use(self.threads),
        )

    def _thresholds(
        self, tuples: DiverseTuples, records: Counts, divide: Divide, rules: GreedyRules
    ) -> DiversityThresholds:
        """Return the thresholds given, and those that sampling finds for the others."""
        stepwise = self.approach == "stepwise"
        tried, given = middles(self.max_iterations), self.protection_threshold
        if self.threshold is not None:
            below = [each for each in sorted(tried) if each < self.threshold] if stepwise else []
            tried = [*below, self.threshold]
        if given is None and (self._weights[1] == 0 or self.partition_size == 0):
            given = inf  # what has no weight constrains nothing
        if self.threshold is not None and given is not None:
            return DiversityThresholds(tuple(tried), given)
        k, share_, seed = rules.k, self.sample_share, self.seed
        if self.sample == "records" or self.partition_size == 0:
            sample, divide = sampled_records(records, k, share_, seed), one_subspace
        else:
            sample = sampled_subspaces(records, divide(records), k, share_, seed)
        alone = replace(rules, exact_limit=_ALL_PAIRS, threads=1)
        start = partial(GreedyRounds, tuples, sample, divide, alone, _silent)
        found = choose_thresholds(
            tuples, sample, start, k=k, tried=tried, stepwise=stepwise, select=self.select
        )
        return DiversityThresholds(
            found.rounds if self.threshold is None else tuple(tried),
            found.protection if given is None else given,
        )

    def _least_subspace(self, problem: Problem) -> int:
        """Return how many records a subspace has at least; 0 if there is but one."""
        return 5 * problem.class_size if self.partition_size is None else self.partition_size

    def _subspaces(
        self,
        problem: Problem,
        tuples: DiverseTuples,
        records: Counts,
        protection: float = inf,
    ) -> Parts:
        size = self._least_subspace(problem)
        if size == 0:
            return one_subspace(records)
        asked = PROTECTED * size if self.largest_subspace is None else self.largest_subspace
        return pre_partitioned(
            problem,
            tuples,
            records,
            width=self.width,
            size=size,
            protection=protection,
            largest=asked or None,
        )

    def _found(self, found: Clusters, thresholds: DiversityThresholds) -> Found:
        facts = {
            "threshold": thresholds.rounds[-1],
            "protection_threshold": (
                thresholds.protection if isfinite(thresholds.protection) else None
            ),
            "subspaces": found.subspaces,
            "rounds": found.rounds,
            "clusters": found.accepted,
            "rejected": found.rejected,
            "reassignment": found.reassignment,
        }
        return Found(self.name, facts=facts)


@algorithm
@dataclass(frozen=True, kw_only=True)
class TGC(ThresholdGreedy):
    """Cluster records until classes are too diverse, by utility and protection at once.

    A class grows by the record that leaves its weighted tuple diversity least: how wide it is in
    the quasi-identifiers, and how much its sensitive values tell about each other.  It stops at a
    threshold, and counts if it has k records by then.

    Parameters
    ----------
    utility_weight, protection_weight
        How much the two count; they add up to 1.
    estimation_range
        How far apart two sensitive values may be, as a share of the domain, and still help to
        guess each other.
    threshold
        The diversity beyond which no class grows; chosen by clustering a sample if not given.
    protection_threshold
        The subspaces of the pre-partitioning are not cut if the S-diversities of a half would add
        up to more; the protection of the sample's classes if not given.  Without a weight on
        protection there is no such limit unless one is given.
    approach
        ``"stepwise"``: the threshold is approached through smaller ones, and what one round
        rejects is divided and clustered anew in the next.  ``"direct"``, as printed: one round.
    partition_size
        The least number of records in a subspace; 5 k if not given, and 0 to cluster the whole
        table at once, which takes its size squared.
    largest_subspace
        A subspace of more records is cut whatever its protection; 5 times the partition size if
        not given, and 0 for none, as printed: subspaces that the protection threshold keeps whole
        then take their size squared.
    width
        The column that is cut is the widest as a share of its domain (``"normalised"``), or by its
        range as it is (``"raw"``, which the paper's example needs).
    reassign
        A record that no class accepted goes to the class whose size x diversity grows least
        (``"total"``), or whose diversity does (``"increment"``, as printed, by which one large
        class collects most of them).
    exact_reassignment_limit
        Up to so many pairs of a rejected record and a class, each record looks at all classes;
        beyond, at the 256 that are nearest in the order of the subspaces.
    select
        The sample's best threshold has the least weighted diversity over the records
        (``"weighted"``) or the least sum of utility and protection over the classes (``"sum"``, as
        printed).
    max_iterations
        One more than the number of rounds in which thresholds are tried, as printed: round i tries
        the middles of 2^i parts of [0, 1].
    sample
        What is sampled to choose thresholds: whole ``"subspaces"``, in which records lie as close
        as in the table, or ``"records"`` with replacement, as printed.
    sample_share
        The share of the records that is sampled.  Subspaces: 0.1 if not given, at least 1,000 or
        80 k and at most 4,000 or 80 k records.  Records: 0.025, at least 200 or 20 k and at most
        1,000 or 20 k.
    order
        Whether classes start at ``"random"`` records, or at the first one left in the order of the
        codes (``"canonical"``).
    seed
        Of the sample and of the random records.
    threads
        On how many threads subspaces are clustered; the result is the same.

    Notes
    -----
    Departures from [1]_: the divisor in the S-diversity part of definition 3.1 is the number of
    sensitive columns, and subspaces are cut while S-diversity is *below* the protection threshold;
    both are slips of the paper.  Large subspaces are cut whatever their protection, so that the
    cost stays linear; see `largest_subspace`.  Utility and protection, by which thresholds are
    chosen and subspaces cut, are the metrics of these names: columns count by their weights.  If no
    cluster at all is accepted, the release is one class.  Ties go to the first tuple in the order
    of the codes.  Cost: O(n log n + n x partition size).

    References
    ----------
    .. [1] Loukides, Shao: "Data utility and privacy protection trade-off in k-anonymisation",
       PAIS 2008
    """

    name: ClassVar[str] = "tgc"

    utility_weight: float = 0.5
    protection_weight: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        fraction(self.utility_weight, "utility_weight")
        fraction(self.protection_weight, "protection_weight")
        if abs(self.utility_weight + self.protection_weight - 1) > 1e-9:
            raise ParameterError(
                "utility_weight and protection_weight must add up to 1.",
                hint=f"for example protection_weight = {1 - self.utility_weight:g}.",
            )

    @property
    def _weights(self) -> tuple[float, float]:  # type: ignore[override]
        return self.utility_weight, self.protection_weight


@algorithm
@dataclass(frozen=True, kw_only=True)
class TGCU(ThresholdGreedy):
    """`TGC` for utility alone; its parameters but for the weights, 1 and 0."""

    name: ClassVar[str] = "tgc-u"
    _weights: ClassVar[tuple[float, float]] = (1.0, 0.0)


@algorithm
@dataclass(frozen=True, kw_only=True)
class TGCP(ThresholdGreedy):
    """`TGC` for protection alone; its parameters but for the weights, 0 and 1."""

    name: ClassVar[str] = "tgc-p"
    _weights: ClassVar[tuple[float, float]] = (0.0, 1.0)


@algorithm
@dataclass(frozen=True, kw_only=True)
class TGCB(ThresholdGreedy):
    """`TGC` for both in equal parts; its parameters but for the weights, 0.5 and 0.5."""

    name: ClassVar[str] = "tgc-b"
    _weights: ClassVar[tuple[float, float]] = (0.5, 0.5)


@dataclass(frozen=True)
class GreedyRules:
    """How threshold-based greedy clustering goes about it.

    Parameters
    ----------
    k
        The size that a class must have to be accepted.
    random
        Whether classes start at random records, or at the first one left.
    seed
        Of the random records.
    total
        Whether the last rejected records go where size x diversity grows least, or diversity alone.
    exact_limit
        So many pairs of a rejected record and a class are all looked at.
    threads
        On how many threads subspaces are clustered.
    """

    k: int
    random: bool
    seed: int
    total: bool
    exact_limit: int
    threads: int


@dataclass(frozen=True, eq=False)
class Clusters:
    """What threshold-based greedy clustering finds.

    Parameters
    ----------
    parts
        The classes, rejected records included.
    subspaces
        Into how many subspaces the records were divided at first.
    rounds
        How often records were clustered.
    accepted
        How many clusters were accepted.
    rejected
        How many records were in none of them.
    reassignment
        Which classes rejected records could join: ``"all"``, the ``"nearest"``, or ``"none"``
        where nothing was accepted and all records make up one class.
    """

    parts: Parts
    subspaces: int
    rounds: int
    accepted: int
    rejected: int
    reassignment: Literal["all", "nearest", "none"]


@dataclass(eq=False)
class GreedyRounds:
    """Clusters as they are accepted, round by round, and the records that none accepted.

    Each round is Algorithm 1 of the paper on each subspace: a cluster takes the record that leaves
    it least diverse, which `kernels/clustering/tgc.cpp` finds, until that would be too much.

    Parameters
    ----------
    tuples, records
        The tuples, and how many records of each are to be clustered.
    divide
        Deals records to subspaces.
    rules
        How to go about it.
    report
        Called now and then with the number of records done.
    """

    tuples: DiverseTuples
    records: Counts
    divide: Divide
    rules: GreedyRules
    report: Report
    _classes: list[Parts] = field(default_factory=list)
    _lost: list[Parts] = field(default_factory=list)
    _subspaces: list[Parts] = field(default_factory=list)

    @property
    def accepted(self) -> int:
        """The clusters accepted so far."""
        return sum(each.n_classes for each in self._classes)

    @property
    def rejected(self) -> int:
        """The records that no cluster has accepted so far."""
        return int((self._lost[-1].records if self._lost else self.records).sum())

    def cluster(self, threshold: float) -> None:
        """Cluster the records that are left: no cluster grows beyond `threshold`."""
        before, rules = self.accepted, self.rules
        seen = sum(each.n_classes for each in self._subspaces)
        subspaces = self.divide(self._left())
        dealt, accepted = tgc(
            self.tuples,
            subspaces.tuple_of,
            subspaces.class_of + np.int32(seen),  # each has a generator of its own
            subspaces.records,
            rules.k,
            threshold,
            rules.random,
            rules.seed,
            rules.threads,
            self.report,
        )
        tuple_of, class_of, records = dealt
        kept, lost = class_of >= 0, class_of < 0
        classes = class_of[kept] + np.int32(before)
        self._classes.append(Parts(tuple_of[kept], classes, records[kept], accepted))
        self._lost.append(Parts(tuple_of[lost], class_of[lost], records[lost], 0))
        self._subspaces.append(subspaces)

    def _left(self) -> Counts:
        if not self._lost:
            return self.records
        lost = self._lost[-1]
        return sum_by_group(lost.tuple_of, lost.records, len(self.records))

    def classes(self) -> Parts:
        """Return the clusters, with the rejected records put into them."""
        return self.reassigned().parts

    def reassigned(self) -> Clusters:
        """Return the classes, with the rejected records put into those of any subspace."""
        accepted, rejected = self.accepted, self.rejected
        exact = rejected * accepted <= self.rules.exact_limit
        return Clusters(
            self._placed(0 if exact else NEAREST) if accepted else one_subspace(self.records),
            subspaces=self._subspaces[0].n_classes,
            rounds=len(self._classes),
            accepted=accepted,
            rejected=rejected,
            reassignment="none" if accepted == 0 else "all" if exact else "nearest",
        )

    def _placed(self, nearest: int) -> Parts:
        dealt = [*self._classes, self._lost[-1]]
        tuple_of = np.concatenate([each.tuple_of for each in dealt])
        class_of = np.concatenate([each.class_of for each in dealt])
        home = np.zeros_like(class_of)
        if nearest:
            class_of, home = self._along_the_leaves(tuple_of, class_of)
        placed = tgc_reassign(
            self.tuples,
            tuple_of,
            class_of,
            np.concatenate([each.records for each in dealt]),
            home,
            self.accepted,
            self.rules.total,
            nearest,
            self.report,
        )
        return Parts(*placed, n_classes=self.accepted)

    def _along_the_leaves(self, tuple_of: Codes, class_of: Codes) -> tuple[Codes, Codes]:
        """Number the classes by the subspaces of the first round; return homes by part too."""
        first = self._subspaces[0]
        leaf_of = np.zeros(len(self.records), dtype=np.int32)
        leaf_of[first.tuple_of[::-1]] = first.class_of[::-1]
        leaves = np.zeros(self.accepted, dtype=np.int32)
        kept = class_of >= 0
        leaves[class_of[kept][::-1]] = leaf_of[tuple_of[kept][::-1]]
        order = np.argsort(leaves, kind="stable")
        number = np.full(self.accepted + 1, -1, dtype=np.int32)  # the last stands for rejected
        number[order] = np.arange(self.accepted, dtype=np.int32)
        home = np.searchsorted(leaves[order], leaf_of[tuple_of]).astype(np.int32)
        return number[class_of], home


def _silent(done: int) -> None:
    """Samples are small: there is nothing to report."""
