"""OKA: one pass of k-means over the records, then classes are made to have k."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from incrowd import kernels
from incrowd.algorithms.base import Honours, Problem, algorithm
from incrowd.algorithms.clustering.family.buckets import clustered
from incrowd.algorithms.parameters import check_choices, check_seed
from incrowd.algorithms.shared.covered import covered_columns_alone
from incrowd.algorithms.shared.shapes import class_shapes
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, LocalRecoding


@algorithm
@dataclass(frozen=True, kw_only=True)
class OKA:
    """Let every record join the nearest of n/k centres, which then moves.

    The centres start at records drawn at random.  After the pass, classes of more than k records
    give away those farthest from their centre.  Each of these goes to the nearest class that has
    fewer than k, once there is none to the nearest class.

    Parameters
    ----------
    measure
        How far a record is from a node, the centre of a class in a column with a hierarchy: the
        ``"height"``, the ``"loss"`` or the normalised certainty penalty, ``"ncp"``, of the lowest
        node that covers both.
    seed
        Draws the records at which the centres start.

    Notes
    -----
    Numbers that are released as ranges, or have no hierarchy of their own, have their mean as
    centre, and their distance from it over the range of the domain.  Records come in the order of
    their codes, also those given away; of equally near centres the first is taken, and of equally
    far records the first is given away.  Centres stand still while a class gives away records, and
    follow afterwards.  O(records x n/k).

    References
    ----------
    .. [1] Lin, Wei: "An efficient clustering method for k-anonymization", PAIS 2008,
       doi:10.1145/1379287.1379297
    """

    family: ClassVar = "clustering"
    name: ClassVar[str] = "oka"
    honours: ClassVar[Honours] = "by merging"
    quicker: ClassVar[str] = (
        'Algorithm "k-members" with search = "bucketed" is linear in the records.'
    )

    measure: Literal["height", "loss", "ncp"] = "height"
    seed: int = 0

    def __post_init__(self) -> None:
        check_choices(self)
        check_seed(self.seed)

    def estimated_seconds(self, problem: Problem) -> float:
        """Return about how long the search takes: each class looks at every tuple."""
        table = problem.table
        classes = table.n_records / problem.class_size
        return 2.5e-9 * classes * table.n_tuples * len(table.columns)

    @covered_columns_alone
    def solve(self, problem: Problem, progress: Progress = QUIET) -> LocalRecoding:
        """Return the classes."""
        problem.check_reachable()
        table = problem.table
        shares = problem.weights / problem.weights.sum()
        shapes = class_shapes(problem, self.measure, shares.tolist())
        n_classes = table.n_records // problem.class_size
        drawn = np.random.default_rng(self.seed).choice(
            table.n_records, n_classes, replace=False, shuffle=False
        )
        parts = clustered(
            problem,
            self.name,
            progress,
            lambda report: kernels.oka(
                table.kernel,
                shapes,
                problem.class_size,
                np.sort(drawn),
                report,
            ),
        )
        return problem.in_classes(parts, Found(self.name, facts={"centres": n_classes}))
