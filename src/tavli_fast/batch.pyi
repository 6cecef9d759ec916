from collections.abc import Iterable
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .position import Position
from .rules import Ruleset

BLOCKADE: np.dtype[np.void]

class Afterstates(NamedTuple):
    positions: NDArray[np.void]
    offsets: NDArray[np.int64]
    played: NDArray[np.uint8]
    def best(self, values: ArrayLike, lowest: bool = False) -> NDArray[np.int64]: ...

def afterstates(
    records: NDArray[Any],
    rolls: ArrayLike,
    ruleset: Ruleset,
    flip: bool = False,
    out: NDArray[np.void] | None = None,
    threads: SupportsIndex = 1,
) -> Afterstates: ...
def count_afterstates(
    records: NDArray[Any], rolls: ArrayLike, ruleset: Ruleset, threads: SupportsIndex = 1
) -> NDArray[np.int64]: ...
def blockades(
    records: NDArray[Any], ruleset: Ruleset, rolls: bool = True, threads: SupportsIndex = 1
) -> NDArray[np.void]: ...
def mobility(
    records: NDArray[Any], ruleset: Ruleset, threads: SupportsIndex = 1
) -> NDArray[np.uint8]: ...
def in_contact(
    records: NDArray[Any], ruleset: Ruleset, threads: SupportsIndex = 1
) -> NDArray[np.bool_]: ...
def to_records(positions: Iterable[Position]) -> NDArray[np.void]: ...
def from_records(records: NDArray[Any], ruleset: Ruleset) -> list[Position]: ...
def empty_records(n: SupportsIndex) -> NDArray[np.void]: ...
def start_records(ruleset: Ruleset, n: SupportsIndex) -> NDArray[np.void]: ...
def check_records(records: NDArray[Any], ruleset: Ruleset) -> None: ...
