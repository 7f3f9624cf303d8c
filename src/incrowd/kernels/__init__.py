"""The hot loops, compiled.

Each kernel takes and returns arrays of one stated dtype, releases the GIL while it works, keeps
nothing between calls but caches, and has a slow, obvious twin in ``tests/naive*.py``.  Nothing else
imports the compiled module.
"""

from incrowd.kernels._kernels import (
    CsvReader,
    DiverseTuples,
    NodeCount,
    NodeCounter,
    bounded_search,
    class_diversities,
    class_spans,
    csv_cells_per_record,
    format_csv_rows,
    gain_split,
    group,
    k_members,
    k_members_p,
    local_search,
    mdav,
    mondrian,
    nearest_classes,
    oka,
    pre_partition,
    reassign_records,
    regions_of,
    relaxed_mondrian,
    split_tree,
    threshold_greedy,
    top_down_greedy,
)

__all__ = [
    "CsvReader",
    "DiverseTuples",
    "NodeCount",
    "NodeCounter",
    "bounded_search",
    "class_diversities",
    "class_spans",
    "csv_cells_per_record",
    "format_csv_rows",
    "gain_split",
    "group",
    "k_members",
    "k_members_p",
    "local_search",
    "mdav",
    "mondrian",
    "nearest_classes",
    "oka",
    "pre_partition",
    "reassign_records",
    "regions_of",
    "relaxed_mondrian",
    "split_tree",
    "threshold_greedy",
    "top_down_greedy",
]
