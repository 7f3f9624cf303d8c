"""Problems with one sensitive column, and classes as records by tuple."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from incrowd.algorithms import Problem
from incrowd.counts import SensitiveColumn
from incrowd.requirements import KAnonymity
from strategies import tables, trees

SECRETS = SensitiveColumn("c", ("1", "2", "4", None))


@st.composite
def secret_problems(draw, max_tuples=9):
    """Problems of k-anonymity with one sensitive column of four values, one of them missing."""
    hierarchies = tuple(draw(st.lists(trees(), min_size=1, max_size=3)))
    table = draw(tables(hierarchies, carried=4, max_tuples=max_tuples))
    table = replace(table, carried_values={"c": SECRETS.texts})
    k = draw(st.one_of(st.integers(1, min(5, table.n_records)), st.just(table.n_records)))
    labels = draw(st.sampled_from(["node", "node", "range", "set"]))
    return Problem(
        table,
        hierarchies,
        (KAnonymity(k, on=table.columns),),
        np.array(draw(st.lists(st.sampled_from([1.0, 0.5, 3.0]), min_size=len(hierarchies),
                               max_size=len(hierarchies)))),
        labels=labels,
        given=tuple(draw(st.booleans()) for _ in hierarchies),
        sensitive=(SECRETS,),
    )  # fmt: skip


def parts(recoding):
    """Return the records by tuple and class."""
    found = recoding.parts
    keys = list(zip(found.tuple_of.tolist(), found.class_of.tolist(), strict=True))
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, found.records.tolist(), strict=True))
