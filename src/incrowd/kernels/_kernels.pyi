import numpy as np
import numpy.typing as npt

def group(
    codes: npt.NDArray[np.int32], sizes: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]: ...
