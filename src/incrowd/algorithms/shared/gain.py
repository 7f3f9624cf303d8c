"""Classes by gain splits: each region is split where that removes the most loss."""

from dataclasses import dataclass, replace

from incrowd import kernels
from incrowd.algorithms.base import Problem
from incrowd.algorithms.parameters import threads_to_use
from incrowd.algorithms.shared.merging import merged_in_buckets, only_sizes
from incrowd.algorithms.shared.shapes import class_shapes
from incrowd.arrays import Codes
from incrowd.counts import Parts
from incrowd.progress import Progress


@dataclass(frozen=True, eq=False)
class GainSplit:
    """A problem as the kernels see it, split into classes.

    Parameters
    ----------
    shapes
        What classes cost in each column.
    parts
        The classes.
    bucket_of
        By class: the bucket of neighbouring classes it lies in.
    """

    shapes: kernels.Shapes
    parts: Parts
    bucket_of: Codes

    @property
    def n_buckets(self) -> int:
        """The number of buckets."""
        return int(self.bucket_of.max()) + 1


def gain_split(
    problem: Problem, bucket_size: int, threads: int | None, progress: Progress, name: str
) -> GainSplit:
    """Split a table into classes that meet every requirement.

    Parameters
    ----------
    problem
        The table and what its classes must hold.  Sets are searched as nodes.
    bucket_size
        The records that neighbouring classes in one bucket have together, at most; a class that
        does not fall apart may be larger.
    threads
        How many; all cores if None.
    progress, name
        Whom to tell, and the name of the search.
    """
    searched = replace(problem, labels="node") if problem.labels == "set" else problem
    shapes = class_shapes(searched, "loss", list(problem.weights / problem.weights.sum()))
    progress.start(name, detail=f"{problem.table.n_tuples:,} distinct tuples")
    tuple_of, class_of, dealt, bucket_of = kernels.gain_split(
        problem.table.kernel,
        shapes,
        problem.class_size,
        bucket_size,
        threads_to_use(threads),
        progress.update,
    )
    parts = Parts(tuple_of, class_of, dealt, len(bucket_of))
    if not only_sizes(problem):
        parts, bucket_of = merged_in_buckets(searched, parts, bucket_of)
    return GainSplit(shapes, parts, bucket_of)
