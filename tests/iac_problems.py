"""Problems with a target for IACk and IACc, and patients to work out by hand."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from incrowd.algorithms import Problem
from incrowd.counts import FrequencyTable, Target
from naive import iac as naive_iac
from strategies import k_anonymities, tables, trees


@st.composite
def targeted(draw, max_requirements=3, max_tuples=14):
    """A problem whose tuples carry a target of up to three classes, or of one each."""
    hierarchies = tuple(draw(st.lists(trees(), min_size=1, max_size=4)))
    table = draw(tables(hierarchies, carried=draw(st.integers(1, 4)), max_tuples=max_tuples))
    if draw(st.booleans()) and draw(st.booleans()):
        everybody = np.arange(table.n_tuples, dtype=np.int32)
        table = FrequencyTable(table.columns, table.codes, table.records, {"c": everybody})
    asked = draw(k_anonymities(table.columns, table.n_records, max_requirements))
    texts = tuple(map(str, range(int(table.carried["c"].max()) + 1)))
    return Problem(
        table, hierarchies, asked, np.ones(len(hierarchies)), target=Target("c", (*texts, None))
    )


def people_at_best(problem):
    people = naive_iac.people_of(problem)
    people.generalise(naive_iac.best_levels(people))
    return people


def patients():
    """Sixteen people: 8 + 4 in classes of their own, and leftovers of 2, 1 and 1."""
    rows = [
        *[("m", "north", "yes")] * 8,
        *[("f", "south", "no")] * 4,
        *[("m", "south", "yes")] * 2,
        ("f", "north", "no"),
        ("x", "north", "no"),
    ]
    return pd.DataFrame(rows, columns=["sex", "area", "ill"])
