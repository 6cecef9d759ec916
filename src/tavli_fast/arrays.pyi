from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

ALL_ROLLS: NDArray[np.uint8]

def as_threads(threads: SupportsIndex) -> int: ...
