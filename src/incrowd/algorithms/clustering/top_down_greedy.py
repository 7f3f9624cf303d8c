"""Top-down greedy clustering: divide around two far records, and again."""

from dataclasses import dataclass
from typing import ClassVar

from incrowd.algorithms.base import Family, Honours, Problem, Purpose, algorithm
from incrowd.algorithms.parameters import check_seed, check_threads, threads_to_use
from incrowd.algorithms.shared.covered import covered_columns_alone
from incrowd.algorithms.shared.merging import meeting_all
from incrowd.algorithms.shared.shapes import class_shapes
from incrowd.counts import Parts
from incrowd.kernels import top_down_greedy
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, LocalRecoding
from incrowd.requirements.base import whole_number


@algorithm
@dataclass(frozen=True, kw_only=True)
class TopDownGreedy:
    """Divide the records in two around a far pair, and each side again, while both have k.

    Parameters
    ----------
    rounds
        How often the search for a far pair goes on to the record farthest from the last one.
    seed
        Where the random choices start from.
    threads
        How many threads divide; all cores if not given.  The classes do not depend on it.

    Notes
    -----
    The penalty of a class is its records times their normalised certainty penalty.  Each tuple goes
    to the side whose penalty it increases less, in random order; of equal ones to the side with
    fewer records, then to the first.  Departures from [1]_: equal records stay together unless a
    side borrows some of them; the search for a far pair stops early when it gets no farther; a side
    with fewer than k records always borrows the nearest ones of the other side, because putting the
    two sides together again, the other way out in [1]_, never has the smaller penalty.  A class of
    equal tuples is not divided.  Cost: O(distinct tuples x columns x depth of the divisions),
    usually near n log n, at worst n^2 / k.

    References
    ----------
    .. [1] Xu, Wang, Pei, Wang, Shi, Fu: "Utility-based anonymization using local recoding",
       KDD 2006, doi:10.1145/1150402.1150504
    """

    name: ClassVar[str] = "top-down-greedy"
    honours: ClassVar[Honours] = "by merging"
    family: ClassVar[Family] = "clustering"
    purposes: ClassVar[tuple[Purpose, ...]] = ("general", "queries", "classification")

    rounds: int = 3
    seed: int = 0
    threads: int | None = None

    def __post_init__(self) -> None:
        whole_number(self.rounds, "rounds", at_least=1)
        check_seed(self.seed)
        check_threads(self.threads)

    @covered_columns_alone
    def solve(self, problem: Problem, progress: Progress = QUIET) -> LocalRecoding:
        """Return the classes that cannot be divided any more."""
        problem.check_reachable()
        table = problem.table
        progress.start("divide", total=table.n_records)
        tuple_of, class_of, records = top_down_greedy(
            table.kernel,
            class_shapes(problem, "ncp", problem.weights.tolist()),
            problem.class_size,
            int(self.rounds),
            int(self.seed),
            threads_to_use(self.threads),
            lambda done: progress.update(done),
        )
        parts = Parts(tuple_of, class_of, records, int(class_of[-1]) + 1)
        found = Found(self.name, facts={"divisions": parts.n_classes - 1})
        return problem.in_classes(meeting_all(problem, parts), found)
