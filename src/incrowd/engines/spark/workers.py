"""What Spark's workers do in Python: find the regions of tuples, and cut regions further.

A worker reads what it needs from private files of the staging folder, which all machines share.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from incrowd.algorithms.elsewhere import RegionSearch
from incrowd.counts import FrequencyTable, count_tuples
from incrowd.frame.private_folder import write_privately
from incrowd.recoding import SplitTree

FOUND = "region INT, tree ARRAY<INT>, low ARRAY<INT>, high ARRAY<INT>"
"""What cutting a region further returns; the rows of a tree are one array after the other."""

Batches = Iterator[pa.RecordBatch]


def region_finder(path: str, columns: Sequence[str]) -> Callable[[Batches], Batches]:
    """Return what adds its `region` to each tuple.

    Parameters
    ----------
    path
        Of the file of a tree.
    columns
        Which columns of the tuples are those of the tree.
    """

    def with_regions(batches: Batches) -> Batches:
        tree = _tree_in(path)
        for batch in batches:
            codes = np.vstack([batch.column(name).to_numpy() for name in columns])
            region = pa.array(tree.regions_of(codes))
            names = [*batch.schema.names, "region"]
            yield pa.RecordBatch.from_arrays([*batch.columns, region], names=names)

    return with_regions


def region_cutter(path: str) -> Callable[[pa.Table], pa.Table]:
    """Return what cuts the tuples of one region further; the search is in a file."""

    def cut(tuples: pa.Table) -> pa.Table:
        search, names, sizes = _search_in(path)
        tree, low, high = search(_table_of(tuples, names, sizes, search.whole))
        rows = np.concatenate([tree.column, tree.cut, tree.left, tree.right])
        columns = [rows, low.ravel(), high.ravel()]
        lists = [pa.array([each.astype(np.int32)]) for each in columns]
        region = tuples.column("region").slice(0, 1).combine_chunks().cast(pa.int32())
        return pa.Table.from_arrays([region, *lists], names=["region", "tree", "low", "high"])

    return cut


def write_tree(path: Path, tree: SplitTree) -> None:
    """Write a tree for the workers."""
    columns = {"column": tree.column, "cut": tree.cut, "left": tree.left, "right": tree.right}
    write_privately(path, lambda file: pq.write_table(pa.table(columns), file))


def write_search(
    path: Path, search: RegionSearch, columns: tuple[str, ...], sizes: tuple[int, ...]
) -> None:
    """Write a search for the workers, with the columns of its tuples and their numbers of codes."""
    write_privately(path, lambda file: pickle.dump((search, columns, sizes), file))


@lru_cache(maxsize=4)
def _tree_in(path: str) -> SplitTree:
    table = pq.read_table(path)
    names = ("column", "cut", "left", "right")
    return SplitTree(*(table.column(name).to_numpy() for name in names))


@lru_cache(maxsize=1)
def _search_in(path: str) -> tuple[RegionSearch, tuple[str, ...], tuple[int, ...]]:
    with open(path, "rb") as file:
        found: tuple[Any, Any, Any] = pickle.load(file)
    return found


def _table_of(
    tuples: pa.Table, columns: tuple[str, ...], sizes: tuple[int, ...], whole: FrequencyTable
) -> FrequencyTable:
    codes = np.vstack([tuples.column(f"q{j}").to_numpy() for j in range(len(columns))])
    carried = {name: tuples.column(f"x{i}").to_numpy() for i, name in enumerate(whole.carried)}
    records = tuples.column("records").to_numpy()
    return count_tuples(
        columns, codes, sizes, carried=carried, carried_values=whole.carried_values, records=records
    )[0]
