from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

_Dealt: TypeAlias = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64], int]
_Parts = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64]]

class Chromosomes:
    def __init__(self) -> None: ...
    def row(
        self,
        position: npt.NDArray[np.float64],
        alone: npt.NDArray[np.float64],
        weight: float,
        may: npt.NDArray[np.uint8],
    ) -> None: ...
    def tree(
        self,
        low: npt.NDArray[np.int32],
        high: npt.NDArray[np.int32],
        parent: npt.NDArray[np.int32],
        cost: npt.NDArray[np.float64],
        alone: npt.NDArray[np.float64],
        weight: float,
    ) -> None: ...

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
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8], npt.NDArray[np.int64], bool]: ...

class CutTable:
    def __init__(
        self,
        table: Table,
        sizes: npt.NDArray[np.int64],
        target: npt.NDArray[np.int32],
        least: int,
    ) -> None: ...
    def demand(self, covers: npt.NDArray[np.uint8], least: int) -> None: ...
    def promise(
        self, requirements: Requirements, position: npt.NDArray[np.int64], masks: bool
    ) -> None: ...

class DiverseTuples:
    def __init__(
        self,
        table: Table,
        values: npt.NDArray[np.int32],
        shapes: Shapes,
        column_weights: npt.NDArray[np.float64],
        contributions: list[npt.NDArray[np.float64]],
        sensitive_weights: npt.NDArray[np.float64],
        column_importance: npt.NDArray[np.float64],
        sensitive_importance: npt.NDArray[np.float64],
    ) -> None: ...

class FallGuess:
    def __init__(self, top: npt.NDArray[np.uint8]) -> None: ...
    def learn(
        self, from_: npt.NDArray[np.uint8], fell: int, to: npt.NDArray[np.uint8], fall: int
    ) -> None: ...
    def more(self, from_: npt.NDArray[np.uint8], to: npt.NDArray[np.uint8]) -> int: ...
    @staticmethod
    def logarithm(records: int) -> int: ...
    @staticmethod
    def records(logarithm: int) -> float: ...

class LevelTables:
    def __init__(self) -> None: ...
    def column(self, node: npt.NDArray[np.int32], excess: npt.NDArray[np.int64]) -> None: ...
    def stop_at(self, level: int) -> None: ...

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
        table: Table,
        levels: LevelTables,
        requirements: Requirements,
        masks: bool,
        judge: Callable[
            [npt.NDArray[np.uint8]], tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]
        ]
        | None,
    ) -> None: ...
    def count(self, levels: npt.NDArray[np.uint8], with_classes: bool, limit: int) -> NodeCount: ...
    def class_sizes(self, levels: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]: ...
    def told_beyond(self, others: npt.NDArray[np.uint8], column: int, level: int) -> float: ...

class NodeTrees:
    def __init__(self) -> None: ...
    def tree(
        self,
        low: npt.NDArray[np.int32],
        high: npt.NDArray[np.int32],
        parent: npt.NDArray[np.int32],
        leaf: npt.NDArray[np.int32],
    ) -> None: ...

class ReachedTables:
    def __init__(
        self, table: Table, trees: NodeTrees, requirements: Requirements, room: int
    ) -> None: ...
    def steps(
        self, table: int, most_new: int
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], bool]: ...
    def figures(self, table: int) -> tuple[int, int]: ...
    def cuts(self, table: int) -> list[npt.NDArray[np.int32]]: ...

class Refinements:
    def __init__(self, n_classes: int) -> None: ...
    def taxonomy(
        self,
        codes: npt.NDArray[np.int32],
        classes: npt.NDArray[np.int32],
        counts: npt.NDArray[np.int64],
        low: npt.NDArray[np.int32],
        high: npt.NDArray[np.int32],
        start: npt.NDArray[np.int32],
        stop: npt.NDArray[np.int32],
        child: npt.NDArray[np.int32],
    ) -> None: ...
    def must(self, nodes: npt.NDArray[np.int32]) -> None: ...
    def intervals(
        self,
        codes: npt.NDArray[np.int32],
        classes: npt.NDArray[np.int32],
        counts: npt.NDArray[np.int64],
        n_codes: int,
        may_begin: npt.NDArray[np.int32],
    ) -> None: ...
    def disclosure(
        self,
        codes: npt.NDArray[np.int32],
        classes: npt.NDArray[np.int32],
        counts: npt.NDArray[np.int64],
        n_codes: int,
        n_plain: int,
    ) -> None: ...
    def size(self, columns: npt.NDArray[np.int32], table: Table, k: int) -> None: ...
    def promise(
        self, requirements: Requirements, position: npt.NDArray[np.int64], table: Table
    ) -> None: ...

class Regions:
    def __init__(self) -> None: ...
    def tree(self, first: npt.NDArray[np.int32], width: npt.NDArray[np.float64]) -> None: ...
    def line(self, n_codes: int, place: npt.NDArray[np.float64], mixed: float) -> None: ...
    def width(self, column: int, low: int, high: int) -> float: ...

class Requirements:
    @property
    def only_sizes(self) -> bool: ...
    @property
    def views(self) -> list[npt.NDArray[np.uint8]]: ...
    def __init__(
        self, table: Table, kind: npt.NDArray[np.int32], of_kind: npt.NDArray[np.int64]
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
    def hold_together(self) -> bool: ...
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

class Shapes:
    def __init__(self) -> None: ...
    def tree(
        self,
        node_of: npt.NDArray[np.int32],
        parent: npt.NDArray[np.int32],
        low: npt.NDArray[np.int32],
        high: npt.NDArray[np.int32],
        cost: npt.NDArray[np.float64],
    ) -> None: ...
    def line(self, place: npt.NDArray[np.float64], mixed: float) -> None: ...
    def set(self, cost: npt.NDArray[np.float64]) -> None: ...

class Table:
    def __init__(self, codes: npt.NDArray[np.int32], records: npt.NDArray[np.int64]) -> None: ...

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
def carve(
    table: Table,
    shapes: Shapes,
    k: int,
    tuple_of: npt.NDArray[np.int32],
    class_of: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    bucket_of: npt.NDArray[np.int32],
    levels: LevelTables,
    work: int,
    seed: int,
    threads: int,
    requirements: Requirements | None,
    judge: Callable[..., npt.NDArray[np.bool_]] | None,
    report: Callable[[int], None],
) -> tuple[
    npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int32]
]: ...
def class_costs(
    table: Table,
    shapes: Shapes,
    tuple_of: npt.NDArray[np.int32],
    class_of: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    n_classes: int,
) -> npt.NDArray[np.int64]: ...
def class_spans(
    codes: npt.NDArray[np.int32],
    tuple_of: npt.NDArray[np.int32],
    class_of: npt.NDArray[np.int32],
    n_classes: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]: ...
def csv_cells_per_record(
    text: npt.NDArray[np.uint8], separator: bytes, last: bool
) -> npt.NDArray[np.int32]: ...
def distinct_cells(
    cells: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8], npt.NDArray[np.int64]]: ...
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
    table: Table,
    shapes: Shapes,
    k: int,
    bucket_size: int,
    threads: int,
    report: Callable[[int], None],
) -> tuple[
    npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int32]
]: ...
def genetic(
    cuts: CutTable,
    genes: Chromosomes,
    by_target: bool,
    most_suppressed: int,
    population: int,
    evaluations: int,
    crossover: float,
    mutation: float,
    seed: int,
    report: Callable[[int], None],
) -> tuple[npt.NDArray[np.uint8], float, int]: ...
def group(
    codes: npt.NDArray[np.int32], sizes: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...
def group_by_meaning(
    codes: Sequence[npt.NDArray[np.int8 | np.int16 | np.int32]],
    meanings: Sequence[npt.NDArray[np.int32]],
    sizes: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...
def infogain_mondrian(
    table: Table,
    classes: npt.NDArray[np.int32],
    regions: Regions,
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
    table: Table,
    shapes: Shapes,
    k: int,
    starts: npt.NDArray[np.int64],
    firsts: npt.NDArray[np.int64],
    threads: int,
    report: Callable[[int], None],
) -> _Dealt: ...
def k_members_p(
    table: Table,
    contributions: list[npt.NDArray[np.float64]],
    k: int,
    starts: npt.NDArray[np.int64],
    firsts: npt.NDArray[np.int64],
    threads: int,
    report: Callable[[int], None],
) -> _Dealt: ...
def k_optimize(
    cuts: CutTable,
    item_of: npt.NDArray[np.int32],
    parent: npt.NDArray[np.int32],
    by_target: bool,
    most_suppressed: int,
    work_limit: int,
    node_limit: int,
    time_limit: float,
    report: Callable[[int], None],
) -> tuple[npt.NDArray[np.uint8], float, float, bool, int]: ...
def local_search(
    table: Table,
    shapes: Shapes,
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
    table: Table,
    shapes: Shapes,
    k: int,
    report: Callable[[int], None],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...
def merge_pairs(
    table: Table,
    shapes: Shapes,
    violating: npt.NDArray[np.uint8],
    tuple_of: npt.NDArray[np.int32],
    class_of: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    bucket_of: npt.NDArray[np.int32],
    report: Callable[[int], None],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]: ...
def merge_violating(
    table: Table,
    shapes: Shapes,
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
    table: Table,
    regions: Regions,
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
    table: Table,
    shapes: Shapes,
    k: int,
    seeds: npt.NDArray[np.int64],
    report: Callable[[int], None],
) -> _Dealt: ...
def peel(
    table: Table,
    shapes: Shapes,
    k: int,
    tuple_of: npt.NDArray[np.int32],
    class_of: npt.NDArray[np.int32],
    records: npt.NDArray[np.int64],
    bucket_of: npt.NDArray[np.int32],
    levels: LevelTables,
    work: int,
    parts_break: bool,
    threads: int,
    requirements: Requirements | None,
    judge: Callable[..., npt.NDArray[np.bool_]] | None,
    report: Callable[[int], None],
) -> tuple[
    npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int32]
]: ...
def regions_of(
    codes: npt.NDArray[np.int32],
    column: npt.NDArray[np.int32],
    cut: npt.NDArray[np.int32],
    left: npt.NDArray[np.int32],
    right: npt.NDArray[np.int32],
) -> npt.NDArray[np.int32]: ...
def relaxed_mondrian(
    table: Table,
    regions: Regions,
    requirements: Requirements,
    size: int,
    threads: int,
    report: Callable[[int], None],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...
def shuffle(numbers: npt.NDArray[np.int32], left: int, words: npt.NDArray[np.uint32]) -> int: ...
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
    refinements: Refinements,
    by_gain: bool,
    disclose_most: bool,
    over_all: bool,
    by_classes: bool,
    least_part: int,
    report: Callable[[int], None],
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
    table: Table,
    shapes: Shapes,
    k: int,
    rounds: int,
    seed: int,
    threads: int,
    report: Callable[[int], None],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...
