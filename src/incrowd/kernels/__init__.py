"""The hot loops, compiled.

Each kernel takes and returns arrays of one stated dtype, releases the GIL while it works, keeps
nothing between calls but caches, and has a slow, obvious twin in ``tests/naive/``.  Nothing else
imports the compiled module.  Its folders mirror the families of algorithms: a paper's search is in
the file of its name, in plain C++; the files called ``*binding.cpp`` are all that know Python.
"""

from incrowd.kernels._kernels import (
    CsvReader as CsvReader,
    DiverseTuples as DiverseTuples,
    NodeCount as NodeCount,
    NodeCounter as NodeCounter,
    ReachedTables as ReachedTables,
    Requirements as Requirements,
    bounded_search as bounded_search,
    class_spans as class_spans,
    csv_cells_per_record as csv_cells_per_record,
    format_csv_rows as format_csv_rows,
    gain_split as gain_split,
    genetic as genetic,
    group as group,
    infogain_mondrian as infogain_mondrian,
    k_members as k_members,
    k_members_p as k_members_p,
    k_optimize as k_optimize,
    local_search as local_search,
    mdav as mdav,
    merge_pairs as merge_pairs,
    merge_violating as merge_violating,
    mingen as mingen,
    mondrian as mondrian,
    nearest_classes as nearest_classes,
    oka as oka,
    regions_of as regions_of,
    relaxed_mondrian as relaxed_mondrian,
    split_tree as split_tree,
    tdr as tdr,
    tgc as tgc,
    tgc_diversities as tgc_diversities,
    tgc_reassign as tgc_reassign,
    tgc_subspaces as tgc_subspaces,
    top_down_greedy as top_down_greedy,
)
