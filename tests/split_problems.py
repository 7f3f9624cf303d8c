"""The searches over splits, and what K-Optimize and the genetic search are tried on."""

import numpy as np

import incrowd as ic

SEARCHES = {
    "k-optimize": lambda **more: ic.KOptimize(work_limit=200_000, **more),
    "genetic": lambda **more: ic.Genetic(population=30, evaluations=600, **more),
}


def covered_classes(problem, assignment):
    """Return the parts of each class over the columns that some requirement covers."""
    columns = np.flatnonzero(problem.is_covered)
    classes = {}
    for at, of in enumerate(assignment.class_of.tolist()):
        if of >= 0:
            key = tuple(assignment.label_of[of, columns].tolist())
            classes.setdefault(key, []).append(at)
    return list(classes.values())


def shows_the_root_twice(problem):
    """Whether a column may show the root for its leaves and for unknown values."""
    return any(
        tree.has_unknown and (codes == tree.unknown_code).any()
        for tree, codes in zip(problem.hierarchies, problem.table.codes, strict=True)
    )
