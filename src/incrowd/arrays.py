"""What arrays are called, wherever they travel."""

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int32]
"""Numbers that stand for something: leaves, classes, tuples, values of a column."""

Counts = npt.NDArray[np.int64]
"""How many records."""

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
