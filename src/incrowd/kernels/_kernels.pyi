from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

_Dealt: TypeAlias = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64], int]
_Parts = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64]]

class CsvReader:
    problem: int
    problem_line: int
    problem_cells: int
    rows: int
    header: list[bytes]
    endings: tuple[int, int, int]

    def __init__(self, separator: bytes, row_limit: int) -> None: ...
    def feed(self, chunk: npt.NDArray[np.uint8], last: bool) -> bool: ...
    def take_column(
        self, column: int
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8], npt.NDArray[np.int64]]: ...

class DiverseTuples:
    def __init__(
        self,
        codes: npt.NDArray[np.int32],
        values: npt.NDArray[np.int32],
        columns: list[Any],
        column_weights: npt.NDArray[np.float64],
        contributions: list[npt.NDArray[np.float64]],
        sensitive_weights: npt.NDArray[np.float64],
        column_importance: npt.NDArray[np.float64],
        sensitive_importance: npt.NDArray[np.float64],
    ) -> None: ...

class NodeCount:
    @property
    def suppressed(self) -> int: ...
    @property
    def certain(self) -> int: ...
    @property
    def classes(self) -> int: ...
    @property
    def smallest(self) -> int: ...
    @property
    def squares(self) -> int: ...
    @property
    def all_classes(self) -> int: ...
    @property
    def all_squares(self) -> int: ...
    @property
    def excess(self) -> npt.NDArray[np.int64]: ...

class NodeCounter:
    def __init__(
        self,
        codes: npt.NDArray[np.int32],
        records: npt.NDArray[np.int64],
        heights: npt.NDArray[np.int32],
        n_codes: npt.NDArray[np.int64],
        nodes: npt.NDArray[np.int32],
        excess: npt.NDArray[np.int64],
        requirements: Requirements,
        masks: bool,
        judge: Callable[
            [npt.NDArray[np.uint8]], tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]
        ]
        | None,
    ) -> None: ...
    def count(self, levels: npt.NDArray[np.uint8], with_classes: bool, limit: int) -> NodeCount: ...
    def class_sizes(self, levels: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]: ...

class ReachedTables:
    def __init__(
        self,
        codes: npt.NDArray[np.int32],
        records: npt.NDArray[np.int64],
        trees: list[Any],
        requirements: Requirements,
        room: int,
    ) -> None: ...
    def steps(
        self, table: int, most_new: int
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], bool]: ...
    def figures(self, table: int) -> tuple[int, int]: ...
    def cuts(self, table: int) -> list[npt.NDArray[np.int32]]: ...

class Requirements:
    @property
    def only_sizes(self) -> bool: ...
    @property
    def views(self) -> list[npt.NDArray[np.uint8]]: ...
    def __init__(
        self, records: npt.NDArray[np.int64], kind: npt.NDArray[np.int32], kinds: int
    ) -> None: ...
    def spread(
        self, value: npt.NDArray[np.int32], values: int, known: npt.NDArray[np.int32], knowns: int
    ) -> int: ...
    def minimum_size(self, covers: npt.NDArray[np.uint8], least: int, spread: int = -1) -> None: ...
    def distinct(
        self, covers: npt.NDArray[np.uint8], spread: int, least: int, ignored: int, alone: int
    ) -> None: ...
    def entropy(
        self, covers: npt.NDArray[np.uint8], spread: int, above: int, below: int, ignored: int
    ) -> None: ...
    def recursive(
        self,
        covers: npt.NDArray[np.uint8],
        spread: int,
        above: int,
        below: int,
        least: int,
        ignored: int,
    ) -> None: ...
    def share_at_most(
        self,
        covers: npt.NDArray[np.uint8],
        spread: int,
        above: int,
        below: int,
        marked: npt.NDArray[np.uint8],
    ) -> None: ...
    def beta_likeness(
        self, covers: npt.NDArray[np.uint8], spread: int, above: int, below: int, enhanced: bool
    ) -> None: ...
    def delta_disclosure(
        self,
        covers: npt.NDArray[np.uint8],
        spread: int,
        above: int,
        below: int,
        ignores_absent: bool,
    ) -> None: ...
    def equal_closeness(
        self, covers: npt.NDArray[np.uint8], spread: int, above: int, below: int
    ) -> None: ...
    def ordered_closeness(
        self,
        covers: npt.NDArray[np.uint8],
        spread: int,
        above: int,
        below: int,
        rank: npt.NDArray[np.int32],
    ) -> None: ...
    def tree_closeness(
        self,
        covers: npt.NDArray[np.uint8],
        spread: int,
        above: int,
        below: int,
        parent: npt.NDArray[np.int32],
        height: npt.NDArray[np.int32],
        leaf: npt.NDArray[np.int32],
    ) -> None: ...
    def number_disclosure(
        self,
        covers: npt.NDArray[np.uint8],
        spread: int,
        above: int,
        below: int,
        width_above: int,
        width_below: int,
        place: npt.NDArray[np.int64],
        unplaced: npt.NDArray[np.uint8],
    ) -> None: ...
    def tree_disclosure(
        self,
        covers: npt.NDArray[np.uint8],
        spread: int,
        above: int,
        below: int,
        width_above: int,
        width_below: int,
        parent: npt.NDArray[np.int32],
        leaves_under: npt.NDArray[np.int64],
        leaf: npt.NDArray[np.int32],
        leaves: int,
        missing: int,
    ) -> None: ...
    def violating(
        self,
        class_of: npt.NDArray[np.int32],
        classes: int,
        kind: npt.NDArray[np.int32],
        records: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.uint8]: ...
    def suppressed(
        self,
        class_of: npt.NDArray[np.int32],
        roots: npt.NDArray[np.int32],
        kind: npt.NDArray[np.int32],
        records: npt.NDArray[np.int64],
        masks: bool,
        already: npt.NDArray[np.uint8],
    ) -> tuple[npt.NDArray[np.uint8], bool]: ...

def bounded_search(
    counter: NodeCounter,
    objective: int,
    weight: npt.NDArray[np.float64],
    scale: npt.NDArray[np.float64],
    base: npt.NDArray[np.int64],
    divisor: float,
    limit: int,
    node_limit: int,
    time_limit: float,
    report: Callable[[int, float, float], bool],
) -> tuple[npt.NDArray[np.uint8], float, float, bool, bool, int]: ...
def class_spans(
    codes: npt.NDArray[np.int32],
    tuple_of: npt.NDArray[np.int32],
    class_of: npt.NDArray[np.int32],
    n_classes: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]: ...
def csv_cells_per_record(
    text: npt.NDArray[np.uint8], separator: bytes, last: bool
) -> npt.NDArray[np.int32]: ...
def format_csv_rows(
    codes: list[npt.NDArray[np.int32]],
    cells: list[npt.NDArray[np.uint8]],
    offsets: list[npt.NDArray[np.int64]],
    separator: bytes,
    ending: bytes,
    start: int,
    stop: int,
) -> npt.NDArray[np.uint8]: ...
def gain_split(
    columns: list[Any],
    codes: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    k: int,
    bucket_size: int,
    threads: int,
    report: Callable[[int], None],
) -> tuple[
    npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int32]
]: ...
def genetic(
    places: npt.NDArray[np.int32],
    sizes: npt.NDArray[np.int64],
    records: npt.NDArray[np.int64],
    target: npt.NDArray[np.int32],
    covers: npt.NDArray[np.uint8],
    least: npt.NDArray[np.int64],
    columns: list[Any],
    by_target: bool,
    most_suppressed: int,
    population: int,
    evaluations: int,
    crossover: float,
    mutation: float,
    seed: int,
    report: Callable[[int], None],
    promised: tuple[Requirements, Any, bool] | None = None,
) -> tuple[npt.NDArray[np.uint8], float, int]: ...
def group(
    codes: npt.NDArray[np.int32], sizes: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...
def infogain_mondrian(
    codes: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    classes: npt.NDArray[np.int32],
    columns: list[Any],
    requirements: Requirements,
    size: int,
    threads: int,
    report: Callable[[int], None],
) -> tuple[
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
    npt.NDArray[np.float64],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
]: ...
def k_members(
    columns: list[Any],
    codes: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    k: int,
    starts: npt.NDArray[np.int64],
    firsts: npt.NDArray[np.int64],
    threads: int,
    report: Callable[[int], None],
) -> _Dealt: ...
def k_members_p(
    contributions: list[npt.NDArray[np.float64]],
    codes: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    k: int,
    starts: npt.NDArray[np.int64],
    firsts: npt.NDArray[np.int64],
    threads: int,
    report: Callable[[int], None],
) -> _Dealt: ...
def k_optimize(
    places: npt.NDArray[np.int32],
    sizes: npt.NDArray[np.int64],
    records: npt.NDArray[np.int64],
    target: npt.NDArray[np.int32],
    covers: npt.NDArray[np.uint8],
    least: npt.NDArray[np.int64],
    item_of: npt.NDArray[np.int32],
    parent: npt.NDArray[np.int32],
    by_target: bool,
    most_suppressed: int,
    work_limit: int,
    node_limit: int,
    time_limit: float,
    report: Callable[[int], None],
    promised: tuple[Requirements, Any, bool] | None = None,
) -> tuple[npt.NDArray[np.uint8], float, float, bool, int]: ...
def local_search(
    columns: list[Any],
    codes: npt.NDArray[np.int32],
    k: int,
    tuple_of: npt.NDArray[np.int32],
    class_of: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    bucket_of: npt.NDArray[np.int32],
    work: int,
    seed: int,
    threads: int,
    requirements: Requirements | None,
    judge: Callable[
        [npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64], int],
        npt.NDArray[np.bool_],
    ]
    | None,
    report: Callable[[int], None],
) -> tuple[
    npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int32]
]: ...
def mdav(
    codes: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    columns: list[Any],
    k: int,
    report: Callable[[int], None],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...
def merge_pairs(
    columns: list[Any],
    codes: npt.NDArray[np.int32],
    violating: npt.NDArray[np.uint8],
    tuple_of: npt.NDArray[np.int32],
    class_of: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    bucket_of: npt.NDArray[np.int32],
    report: Callable[[int], None],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]: ...
def merge_violating(
    columns: list[Any],
    codes: npt.NDArray[np.int32],
    requirements: Requirements,
    tuple_of: npt.NDArray[np.int32],
    class_of: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    bucket_of: npt.NDArray[np.int32],
    report: Callable[[int], None],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]: ...
def mingen(
    copies: npt.NDArray[np.int64],
    records: npt.NDArray[np.int64],
    levels: npt.NDArray[np.int32],
    prices: npt.NDArray[np.int64],
    k: int,
    most_classes: int,
    most_steps: int,
    report: Callable[[int], None],
) -> tuple[npt.NDArray[np.int64], int, bool]: ...
def mondrian(
    codes: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    columns: list[Any],
    requirements: Requirements,
    size: int,
    by_hierarchy: bool,
    threads: int,
    report: Callable[[int], None],
) -> tuple[
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
]: ...
def nearest_classes(
    cell_of: npt.NDArray[np.int32],
    value_of: npt.NDArray[np.int32],
    costs: npt.NDArray[np.float64],
    starts: npt.NDArray[np.int64],
    widths: npt.NDArray[np.int64],
) -> npt.NDArray[np.int32]: ...
def oka(
    columns: list[Any],
    codes: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    k: int,
    seeds: npt.NDArray[np.int64],
    report: Callable[[int], None],
) -> _Dealt: ...
def regions_of(
    codes: npt.NDArray[np.int32],
    column: npt.NDArray[np.int32],
    cut: npt.NDArray[np.int32],
    left: npt.NDArray[np.int32],
    right: npt.NDArray[np.int32],
) -> npt.NDArray[np.int32]: ...
def relaxed_mondrian(
    codes: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    columns: list[Any],
    requirements: Requirements,
    size: int,
    threads: int,
    report: Callable[[int], None],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...
def split_tree(
    column: npt.NDArray[np.int32],
    first: npt.NDArray[np.int64],
    low: npt.NDArray[np.int32],
    child: npt.NDArray[np.int64],
) -> tuple[
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
]: ...
def tdr(
    columns: list[Any],
    requirements: list[Any],
    n_classes: int,
    by_gain: bool,
    disclose_most: bool,
    over_all: bool,
    by_classes: bool,
    least_part: int,
    report: Callable[[int], None],
    promised: tuple[Requirements, Any, Any, Any] | None = None,
) -> tuple[
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
    int,
    npt.NDArray[np.float64],
    npt.NDArray[np.int32],
]: ...
def tgc(
    tuples: DiverseTuples,
    tuple_of: npt.NDArray[np.int32],
    subspace_of: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    k: int,
    threshold: float,
    random: bool,
    seed: int,
    threads: int,
    report: Callable[[int], None],
) -> tuple[_Parts, int]: ...
def tgc_diversities(
    tuples: DiverseTuples,
    tuple_of: npt.NDArray[np.int32],
    class_of: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    n_classes: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
def tgc_reassign(
    tuples: DiverseTuples,
    tuple_of: npt.NDArray[np.int32],
    class_of: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    home: npt.NDArray[np.int32],
    n_classes: int,
    total: bool,
    nearest: int,
    report: Callable[[int], None],
) -> _Parts: ...
def tgc_subspaces(
    tuples: DiverseTuples,
    records: npt.NDArray[np.int64],
    widths: npt.NDArray[np.float64],
    size: int,
    sensitive: float,
    protected_limit: int,
) -> _Parts: ...
def top_down_greedy(
    codes: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    columns: list[Any],
    k: int,
    rounds: int,
    seed: int,
    threads: int,
    report: Callable[[int], None],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...
