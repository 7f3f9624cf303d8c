"""Local search: classes by gain splits, then made better by opening, dissolving and re-forming."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

from incrowd import kernels
from incrowd.algorithms.base import Honours, Problem, algorithm
from incrowd.algorithms.parameters import check_choices, check_seed, check_threads, threads_to_use
from incrowd.algorithms.shared.covered import covered_columns_alone
from incrowd.algorithms.shared.gain import GainSplit, gain_split
from incrowd.arrays import Codes, Counts, Mask
from incrowd.counts import Parts
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, LocalRecoding

Effort = Literal["fast", "default", "best"]

# Cells looked at for each record that can move: about a nanosecond each.
_WORK: dict[Effort, int] = {"fast": 3_000, "default": 15_000, "best": 60_000}

# A bucket holds at least 80 classes or so: enough that most neighbours meet, and few enough that
# looking at all of them is cheap.
_BUCKET_RECORDS, _BUCKET_CLASSES = 500, 80


@algorithm
@dataclass(frozen=True, kw_only=True)
class LocalSearch:
    """Split by gain, then search for classes that lose less.

    Parameters
    ----------
    effort
        How long to search: ``"fast"``, ``"default"`` or ``"best"``.
    seed
        Of the random choices; the same seed gives the same classes on any number of threads.
    threads
        How many; all cores if not given.

    Notes
    -----
    The search minimises `loss`.  Records are searched in buckets of neighbouring classes, each with
    its own random numbers, so the time grows with the records and buckets can be shared among
    threads.  A step opens a class around a record that loses much (spawn), or forms a few
    neighbouring classes anew (ruin); then classes that have become too small are dissolved, and
    records move out of classes that can spare them.  A step that gains stays; early on one that
    loses a little may stay too.  The work is counted in cells looked at, not in seconds: a result
    can be repeated.

    Requirements on what classes hold are kept in the search: the classes of the gain split that
    break one are merged within their bucket, and of every step that would stay the classes that it
    changed are looked at; if one breaks something, the step is taken back.
    """

    family: ClassVar = "clustering"
    name: ClassVar[str] = "local-search"
    honours: ClassVar[Honours] = "in the search"

    effort: Effort = "default"
    seed: int = 0
    threads: int | None = None

    def __post_init__(self) -> None:
        check_choices(self)
        check_seed(self.seed)
        check_threads(self.threads)

    @covered_columns_alone
    def solve(self, problem: Problem, progress: Progress = QUIET) -> LocalRecoding:
        """Return the classes that the search ends with."""
        problem.check_reachable()
        bucket_size = _BUCKET_RECORDS + _BUCKET_CLASSES * problem.class_size
        split = gain_split(problem, bucket_size, self.threads, progress, self.name)
        progress.start(self.name, total=split.n_buckets, detail=f"{split.n_buckets:,} buckets")
        parts = self._improved(problem, split, progress)
        facts = {
            "effort": self.effort,
            "buckets": split.n_buckets,
            "classes_of_gain_split": split.parts.n_classes,
        }
        return problem.in_classes(parts, Found(self.name, search=self.effort, facts=facts))

    def _improved(self, problem: Problem, split: GainSplit, progress: Progress) -> Parts:
        asked = problem.requirements
        tuple_of, class_of, records, bucket_of = kernels.local_search(
            problem.table.kernel,
            split.shapes,
            problem.class_size,
            split.parts.tuple_of,
            split.parts.class_of,
            split.parts.records,
            split.bucket_of,
            _WORK[self.effort],
            self.seed,
            threads_to_use(self.threads),
            asked.kernel if asked.compiled and not asked.only_sizes else None,
            None if asked.compiled else _judge(problem),
            progress.update,
        )
        return Parts(tuple_of, class_of, records, len(bucket_of))


def _judge(problem: Problem) -> Callable[[Codes, Codes, Counts, int], Mask]:
    """Return what says which of some classes, all at once, meet every requirement."""

    def judge(tuple_of: Codes, class_of: Codes, records: Counts, n_classes: int) -> Mask:
        parts = Parts(tuple_of, class_of, records, n_classes)
        return ~problem.requirements.violating(parts)

    return judge
