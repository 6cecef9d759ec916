import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .batch import Afterstates
from .rules import Ruleset

COURSE: np.dtype[np.void]

class Ply(NamedTuple):
    points: NDArray[np.int8]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    turned: NDArray[np.bool_]
    match_over: NDArray[np.bool_]

class SelfPlay:
    rulesets: tuple[Ruleset, ...]
    def __init__(
        self,
        ruleset: Ruleset | Iterable[Ruleset],
        n: SupportsIndex,
        rng: Any,
        *,
        target: SupportsIndex = 5,
        next_starter: str = "previous_winner",
        ply_cap: SupportsIndex | None = 10_000,
        record: bool = False,
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def positions(self) -> NDArray[np.void]: ...
    @property
    def rolls(self) -> NDArray[np.uint8]: ...
    @property
    def numbers(self) -> NDArray[np.uint8]: ...
    @property
    def players(self) -> NDArray[np.uint8]: ...
    @property
    def plies(self) -> NDArray[np.uint32]: ...
    @property
    def games(self) -> NDArray[np.uint8]: ...
    @property
    def scores(self) -> NDArray[np.uint16]: ...
    def afterstates(
        self,
        flip: bool = False,
        out: NDArray[np.void] | None = None,
        threads: SupportsIndex = 1,
    ) -> Afterstates: ...
    def advance(self, choice: ArrayLike, waiting: ArrayLike | None = None) -> Ply: ...
    def recording(self) -> Recording: ...

class Recording(NamedTuple):
    head: dict[str, Any]
    choices: NDArray[np.int16]
    def save(self, path: str | os.PathLike[str]) -> None: ...
    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Recording: ...
    def start(self) -> SelfPlay: ...
    def replay(self) -> Iterator[tuple[SelfPlay, NDArray[np.int16]]]: ...
