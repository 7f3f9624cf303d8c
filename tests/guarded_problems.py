"""Problems with requirements on a sensitive column, some with what is known beside it."""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from incrowd.algorithms import Problem
from incrowd.counts import Parts, SensitiveColumn, count_tuples
from incrowd.errors import IncrowdError
from incrowd.hierarchies.rows import hierarchy_from_paths
from incrowd.requirements import KAnonymity
from naive import requirements as naive
from sensitive_classes import (
    COLUMN,
    KNOWN,
    NUMBERS,
    PATHS,
    closenesses,
    disclosures,
    diversities,
    limited_shares,
)
from strategies import trees

WORDS, WARDS = ("asthma", "burn", "cold", "flu", "ulcer"), ("a", "b")
KINDS = ("words", "numbers", "tree")


def requirements_on(kind):
    """Draw one of the requirements that can be asked of such a column."""
    values = NUMBERS[:-1] if kind == "numbers" else WORDS
    distances = {"words": ("equal",), "numbers": ("equal", "ordered")}
    closeness = closenesses(*distances.get(kind, ("equal", "hierarchical")))
    return st.one_of(diversities(), limited_shares(values), closeness, disclosures())


@st.composite
def guarded_problems(draw, max_tuples=14, max_count=3, k=None):
    """A problem that one class of all records solves, and whose classes hold together."""
    kind = draw(st.sampled_from(KINDS))
    texts = NUMBERS[:-1] if kind == "numbers" else WORDS
    hierarchies = tuple(draw(st.lists(trees(), min_size=1, max_size=3)))
    sizes = [*(tree.n_codes for tree in hierarchies), len(texts), len(WARDS)]
    row = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    rows = np.array(draw(st.lists(row, min_size=2, max_size=max_tuples, unique=True)), np.int32).T
    records = draw(
        st.lists(st.integers(1, max_count), min_size=rows.shape[1], max_size=rows.shape[1])
    )
    table = count_tuples(
        tuple(f"column {j}" for j in range(len(hierarchies))),
        rows[: len(hierarchies)],
        sizes[: len(hierarchies)],
        records=np.array(records, np.int64),
        carried={COLUMN: rows[-2], KNOWN: rows[-1]},
        carried_values={COLUMN: texts, KNOWN: WARDS},
    )[0]
    tree = hierarchy_from_paths(PATHS) if kind == "tree" else None
    size = draw(st.integers(1, min(4, table.n_records))) if k is None else k
    asked = draw(st.lists(requirements_on(kind), min_size=1, max_size=2))
    problem = Problem(
        table,
        hierarchies,
        (KAnonymity(size), *asked),
        np.array([draw(st.sampled_from([1.0, 0.5, 3.0])) for _ in hierarchies]),
        labels=draw(st.sampled_from(["node", "node", "range", "set"])),
        given=tuple(draw(st.booleans()) for _ in hierarchies),
        described=(SensitiveColumn(COLUMN, texts, tree),),
        sensitive=(SensitiveColumn(COLUMN, texts, tree),),
    )
    assume(all(each.monotone.without_suppression for each in problem.requirements))
    try:
        problem.check_reachable()
    except IncrowdError:
        assume(False)
    return problem


def members_of(problem, parts):
    """Return the classes as lists of (codes, tuple, records)."""
    rows = problem.table.codes.T.tolist()
    classes = [[] for _ in range(parts.n_classes)]
    for at, c, n in zip(parts.tuple_of, parts.class_of, parts.records, strict=True):
        classes[c].append((tuple(rows[at]), int(at), int(n)))
    return classes


def violates(problem, members):
    """Return whether a class breaks some requirement, by the slow twins."""
    table = problem.table
    texts = table.carried_values[COLUMN]
    tree = problem.requirements.sensitive[COLUMN].hierarchy
    paths = None if tree is None else PATHS
    whole = by_value(texts, table.carried[COLUMN], enumerate(table.records.tolist()))
    for asked in problem.requirements:
        for part in told_apart(table, members, bool(getattr(asked, "known", ()))):
            own = by_value(texts, table.carried[COLUMN], part)
            if not naive.holds(asked, own, whole, paths):
                return True
    return False


def told_apart(table, members, known):
    """Return the parts of a class that an attacker can tell apart, as (tuple, records)."""
    parts = {}
    for _, at, n in members:
        parts.setdefault(table.carried[KNOWN][at] if known else None, []).append((at, n))
    return parts.values()


def by_value(texts, codes, part):
    found = {}
    for at, n in part:
        text = texts[codes[at]]
        found[text] = found.get(text, 0) + n
    return found


@st.composite
def dealt(draw, problem):
    """Deal the records of a problem to classes of any size, each in a bucket."""
    tuples = np.repeat(np.arange(problem.table.n_tuples), problem.table.records)
    most = draw(st.integers(1, 8))
    drawn = np.array(
        draw(st.lists(st.integers(0, most), min_size=len(tuples), max_size=len(tuples)))
    )
    kept, class_of = np.unique(drawn, return_inverse=True)
    parts = Parts(
        tuples.astype(np.int32),
        class_of.reshape(-1).astype(np.int32),
        np.ones(len(tuples), np.int64),
        len(kept),
    )
    buckets = st.lists(
        st.integers(0, min(2, len(kept) - 1)), min_size=len(kept), max_size=len(kept)
    )
    return parts.without_doubles(), np.array(draw(buckets), np.int32)
