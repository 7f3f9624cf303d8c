"""Small tables over three trees, and classes of them, for the kernels that search for classes."""

import numpy as np
from hypothesis import strategies as st

from incrowd import kernels
from incrowd.algorithms.base import Problem
from incrowd.counts import FrequencyTable
from incrowd.hierarchies import hierarchy_from_rows
from incrowd.requirements import KAnonymity
from kernel_columns import class_columns, shapes_of
from naive import classes as naive

CITIES = hierarchy_from_rows(
    [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*"), ("e", "z", "*")]
)
AGES = hierarchy_from_rows(
    [(str(age), f"{age // 5 * 5}s", f"{age // 10 * 10}+", "*") for age in range(0, 40, 3)]
)
SEXES = hierarchy_from_rows([("f", "*"), ("m", "*")]).extended(missing=True)
TREES = (CITIES, AGES, SEXES)


def keep_going(done):
    pass


@st.composite
def tables(draw, max_tuples=12, max_records=3):
    row = st.tuples(*(st.integers(0, tree.n_codes - 1) for tree in TREES))
    rows = sorted(draw(st.lists(row, min_size=1, max_size=max_tuples, unique=True)))
    records = [draw(st.integers(1, max_records)) for _ in rows]
    codes = np.ascontiguousarray(np.array(rows, dtype=np.int32).T)
    return FrequencyTable(("city", "age", "sex"), codes, np.array(records, dtype=np.int64))


def columns_of(table, labels="node", weights=(1.0, 1.0, 1.0)):
    problem = Problem(table, TREES, (KAnonymity(1),), np.ones(3), labels=labels)
    return class_columns(problem, "loss", weights)


def taken(table, labels="node"):
    """Return the table and its shapes as kernels take them: a table of its own for every call."""
    return kernels.Table(table.codes, table.records), shapes_of(columns_of(table, labels))


def split(table, k, bucket_size=10**9, threads=1, labels="node"):
    return kernels.gain_split(*taken(table, labels), k, bucket_size, threads, keep_going)


def classes_of(table, found):
    """Return the classes as sorted lists of the codes of their records."""
    tuple_of, class_of, records, _ = found
    classes = {}
    for at, c, n in zip(tuple_of.tolist(), class_of.tolist(), records.tolist(), strict=True):
        classes.setdefault(c, []).extend([tuple(table.codes[:, at].tolist())] * n)
    return sorted(sorted(rows) for rows in classes.values())


def everyone(table):
    rows = map(tuple, table.codes.T.tolist())
    return sorted(
        row for row, n in zip(rows, table.records.tolist(), strict=True) for _ in range(n)
    )


def check(table, k, found):
    classes = classes_of(table, found)
    assert min(map(len, classes)) >= k
    assert sorted(row for rows in classes for row in rows) == everyone(table)
    return naive.total_cost(naive.fixed_costs(TREES, (1.0, 1.0, 1.0)), classes)


def several_tuples(tuple_of, class_of, records, n_classes):
    """Return which classes hold more than one tuple: a requirement beside the number of records."""
    return np.bincount(class_of, minlength=n_classes) > 1


def by_tuple(table, found):
    return np.bincount(found[0], weights=found[2], minlength=table.n_tuples).tolist()


@st.composite
def tables_that_carry(draw):
    """Return a table in which equal codes can be several tuples, as carried values make them."""
    table = draw(tables(max_tuples=5, max_records=9))
    again = np.sort(draw(st.lists(st.integers(0, table.n_tuples - 1), min_size=4, max_size=9)))
    records = draw(st.lists(st.integers(1, 12), min_size=len(again), max_size=len(again)))
    carried = {"c": np.arange(len(again), dtype=np.int32)}
    codes = np.ascontiguousarray(table.codes[:, again])
    return FrequencyTable(table.columns, codes, np.array(records, np.int64), carried)


def levels_of(nodes=tuple(tree.index_at for tree in TREES)):
    tables = kernels.LevelTables()
    for node in nodes:
        tables.column(node, np.zeros(node.shape, np.int64))
    return tables


def whole(table):
    """Return all records as one class."""
    tuples = np.arange(table.n_tuples, dtype=np.int32)
    return tuples, np.zeros(table.n_tuples, np.int32), table.records, np.zeros(1, np.int32)
