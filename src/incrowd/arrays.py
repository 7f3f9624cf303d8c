"""What arrays are called, wherever they travel."""

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int32]
"""Numbers that stand for something: leaves, classes, tuples, values of a column."""

Counts = npt.NDArray[np.int64]
"""How many records."""

Integers = npt.NDArray[np.int64]
"""Numbers of any other kind: rows, positions, sums."""

Places = npt.NDArray[np.intp]
"""Where something stands in another array, as numpy numbers places."""

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]
