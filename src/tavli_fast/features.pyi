from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from .rules import Ruleset

ENCODINGS: tuple[str, ...]

def feature_names(ruleset: Ruleset, encoding: str = "td_gammon") -> tuple[str, ...]: ...
def features(
    records: NDArray[Any],
    ruleset: Ruleset,
    out: NDArray[np.float32] | None = None,
    encoding: str = "td_gammon",
    on_roll: str = "own",
    threads: SupportsIndex = 1,
) -> NDArray[np.float32]: ...
