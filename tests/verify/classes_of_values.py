"""Classes made by hand, as formulas see them, and the tables that they are counted from."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from incrowd.schema import Column, Policy
from incrowd.verify import FORMULAS, Carried, Classes, Distribution
from incrowd.verify.trees import tree_of


def table_of(histograms):
    """Return the records of each value over all classes."""
    found = {}
    for histogram in histograms:
        for value, count in histogram.items():
            found[value] = found.get(value, 0) + count
    return found


def classes_of(histograms, paths=None):
    """Return classes with so many records of each value of column "s"; None is a missing cell."""
    table = table_of(histograms)
    texts = tuple(value for value in table if value is not None)
    code = {text: at for at, text in enumerate(texts)} | {None: -1}
    entries = [
        (at, code[value], count)
        for at, histogram in enumerate(histograms)
        for value, count in sorted(histogram.items(), key=lambda each: code[each[0]])
    ]
    class_of, value, records = np.array(entries, dtype=np.int64).T
    reference = np.array([*(table[text] for text in texts), table.get(None, 0)], dtype=np.int64)
    tree = None if paths is None else tree_of(paths)
    return Classes(
        np.array([sum(histogram.values()) for histogram in histograms], dtype=np.int64),
        {"s": Distribution(class_of, value, records)},
        {"s": Carried("s", texts, reference, lambda: tree)},
    )


def judged(name, histograms, *, paths=None, **parameters):
    """Return which classes hold a requirement, and what they reach."""
    said = FORMULAS[name]({"column": "s", **parameters}, classes_of(histograms, paths))
    assert said.violating.dtype == np.bool_
    return (~said.violating).tolist(), said.reached.tolist()


def released(classes, **columns):
    """Return a released table with one class of column "q" per list of values of column "s"."""
    rows = [(f"class {at}", value) for at, values in enumerate(classes) for value in values]
    return pa.table({"q": [q for q, _ in rows], "s": pa.array([s for _, s in rows]), **columns})


def policy_of(*requirements, hierarchy=None, columns=(), **options):
    """Return a policy for such a table."""
    described = [Column("q", "quasi-identifier"), Column("s", "sensitive", hierarchy=hierarchy)]
    return Policy(columns=[*described, *columns], requirements=list(requirements), **options)
