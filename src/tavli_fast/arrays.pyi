import numpy as np
from numpy.typing import NDArray

ALL_ROLLS: NDArray[np.uint8]
