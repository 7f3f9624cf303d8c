"""How often the values of a column occur, wherever the rows are."""

from collections.abc import Sequence

import numpy as np

from incrowd.counts import FrequencyTable, sum_by_group
from incrowd.engines import Coding, Countable
from incrowd.hierarchies import CountedValues, check_covers, hierarchy_from_rows
from incrowd.hierarchies.tree import ROOT


def count_values(
    engine: Countable,
    column: str,
    missing: Sequence[str],
    target: str | None = None,
    count: str | None = None,
) -> CountedValues:
    """Return the distinct values of a column with their records, also by class of a target.

    Parameters
    ----------
    engine
        A table that looks at the column, and at the target.
    column, missing
        Its name, and what stands for a missing cell.
    target
        The column whose classes are told apart, if there is one.
    count
        The column that says how many records a row stands for, if there is one.
    """
    values = engine.distinct(column, missing=tuple(missing))
    if not values.texts:
        return CountedValues((), np.zeros(0, np.int64), None)
    # Texts as they are: builders decide which spellings are one value.
    tree = hierarchy_from_rows([(text, ROOT) for text in values.texts])
    wide, codes = check_covers(tree, values.texts, column, missing=values.has_missing)
    coding = Coding(wide, codes, tuple(missing))
    carried = () if target is None or target == column else (target,)
    table = engine.count({column: coding}, carried=carried, count=count).table
    records = sum_by_group(table.codes[0], table.records, wide.n_codes)
    by_class = _by_class(table, target, wide.n_codes)[codes] if carried and target else None
    return CountedValues(values.texts, records[codes], by_class)


def _by_class(table: FrequencyTable, target: str, n_codes: int) -> np.ndarray:
    classes = table.carried[target].astype(np.int64)
    n_classes = int(classes.max(initial=0)) + 1
    cells = np.bincount(
        table.codes[0] * n_classes + classes, table.records, minlength=n_codes * n_classes
    )
    return np.asarray(cells.reshape(n_codes, n_classes), dtype=np.int64)
