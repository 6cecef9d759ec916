from concurrent.futures import Executor
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from .rules import Ruleset
from .sharing import Progress

POLICIES: tuple[str, ...]

class Playouts(NamedTuple):
    points: NDArray[np.int64]
    plies: NDArray[np.int64]
    capped: NDArray[np.int64]
    @property
    def equity(self) -> NDArray[np.float64]: ...
    @property
    def wins(self) -> NDArray[np.float64]: ...

def as_generator(rng: Any) -> np.random.Generator: ...
def spawned(rng: Any, number: int) -> list[np.random.Generator]: ...
def playouts(
    records: NDArray[Any],
    ruleset: Ruleset,
    rng: Any,
    games: SupportsIndex = 1,
    policy: str = "random",
    max_plies: SupportsIndex | None = 10_000,
    threads: SupportsIndex = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Playouts: ...
