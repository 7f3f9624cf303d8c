import numpy as np
import numpy.typing as npt

def group(
    codes: npt.NDArray[np.int32], sizes: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...

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
