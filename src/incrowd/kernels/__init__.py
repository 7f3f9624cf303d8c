"""The hot loops, compiled.

Each kernel takes and returns arrays of one stated dtype, releases the GIL while it works, keeps
nothing between calls but caches, and has a slow, obvious twin in ``tests/naive.py``.  Nothing else
imports the compiled module.
"""

from incrowd.kernels._kernels import (
    CsvReader,
    NodeCount,
    NodeCounter,
    bounded_search,
    class_spans,
    csv_cells_per_record,
    format_csv_rows,
    gain_split,
    group,
    local_search,
    regions_of,
)

__all__ = [
    "CsvReader",
    "NodeCount",
    "NodeCounter",
    "bounded_search",
    "class_spans",
    "csv_cells_per_record",
    "format_csv_rows",
    "gain_split",
    "group",
    "local_search",
    "regions_of",
]
