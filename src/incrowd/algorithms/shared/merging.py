"""Classes that break a requirement, merged with others until none does."""

import numpy as np

from incrowd import kernels
from incrowd.algorithms.base import Problem
from incrowd.algorithms.shared.shapes import class_shapes
from incrowd.arrays import Codes
from incrowd.counts import Parts


def only_sizes(problem: Problem) -> bool:
    """Whether every requirement asks for nothing but a minimum size of the classes."""
    return problem.requirements.only_sizes


def meeting_all(problem: Problem, parts: Parts, bucket_of: Codes | None = None) -> Parts:
    """Merge classes that break a requirement with their nearest ones, until none does.

    Searches look after the sizes of their classes; this looks after whatever else is required.
    The violating class with the fewest records is merged with the class that adds the least loss:
    of its bucket, or where it is alone there, of all.  One class of all records is the end of it,
    and meets every requirement that can be met.

    Parameters
    ----------
    problem
        The table and what its classes must hold.
    parts
        The classes.
    bucket_of
        By class: the bucket of neighbouring classes it lies in; all lie in one if not given.
    """
    if bucket_of is None:
        bucket_of = np.zeros(parts.n_classes, dtype=np.int32)
    return merged_in_buckets(problem, parts, bucket_of)[0]


def merged_in_buckets(problem: Problem, parts: Parts, bucket_of: Codes) -> tuple[Parts, Codes]:
    """Do the same, and return the bucket of each class that is left, numbered anew."""
    if not problem.requirements.violating(parts).any():
        return parts, bucket_of
    shapes = class_shapes(problem, "loss", (problem.weights / problem.weights.sum()).tolist())
    if not problem.requirements.compiled:
        return _merged_in_pairs(problem, shapes, parts, bucket_of)
    into, bucket_of = kernels.merge_violating(
        problem.table.kernel,
        shapes,
        problem.requirements.kernel,
        parts.tuple_of,
        parts.class_of,
        parts.records,
        bucket_of,
        _go_on,
    )
    return _relabelled(parts, into, len(bucket_of)), bucket_of


def _merged_in_pairs(
    problem: Problem, shapes: kernels.Shapes, parts: Parts, bucket_of: Codes
) -> tuple[Parts, Codes]:
    """Merge for requirements that have no compiled form: each round asks about all classes once.

    In a round a class is merged once at most, so that no chain of classes falls together before
    anybody has looked at its parts.
    """
    while parts.n_classes > 1:
        violating = problem.requirements.violating(parts)
        if not violating.any():
            break
        into, bucket_of = kernels.merge_pairs(
            problem.table.kernel,
            shapes,
            violating.astype(np.uint8),
            parts.tuple_of,
            parts.class_of,
            parts.records,
            bucket_of,
            _go_on,
        )
        parts = _relabelled(parts, into, len(bucket_of))
    return parts, bucket_of


def _relabelled(parts: Parts, into: Codes, n_classes: int) -> Parts:
    merged = Parts(parts.tuple_of, into[parts.class_of], parts.records, n_classes)
    return merged.without_doubles()


def _go_on(done: int) -> None:
    """Let an interrupt come through."""
