"""What many threads do at once with rulesets and positions; it needs no NumPy.

Without the GIL they meet inside the library, in what it keeps of rulesets above all. With the GIL
the same must come out.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Sequence
from typing import Any

THREADS = 8
FRESH = 3000
"""More rulesets than the library keeps, so that it forgets some while others ask for them."""


def by_all(work: Callable[[], Any]) -> list[Any]:
    """What each of the threads gets, all of them starting together."""
    together = threading.Barrier(THREADS)
    found: list[Any] = []

    def one() -> None:
        together.wait()
        found.append(work())

    crowd = [threading.Thread(target=one) for _ in range(THREADS)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    assert len(found) == THREADS, "a thread has failed"
    return found


def check_new_rulesets(position: Any, rulesets: Sequence[Any]) -> None:
    """All meet rulesets that nobody has seen before."""
    paths = [position.start(ruleset).perft(1) for ruleset in rulesets]
    fresh = [dataclasses.replace(rulesets[at % len(rulesets)]) for at in range(FRESH)]
    expected = [paths[at % len(rulesets)] for at in range(FRESH)]

    def work() -> list[int]:
        return [position.start(ruleset).perft(1) for ruleset in fresh]

    assert all(found == expected for found in by_all(work))


def check_shared_positions(position: Any, rulesets: Sequence[Any]) -> None:
    """All read the same positions."""
    starts = [position.start(ruleset) for ruleset in rulesets]
    rolls = [(die, other) for die in range(1, 7) for other in range(1, die + 1)]

    def work() -> list[Any]:
        return [
            (
                [[after.text for after in start.afterstates(roll)] for roll in rolls],
                [[str(move) for move in start.moves(roll)] for roll in rolls],
                [start.next_steps(roll) for roll in rolls],
                start.perft(2, threads=2),
                hash(start),
                start.blockade(),
            )
            for start in starts
        ]

    expected = work()
    assert all(found == expected for found in by_all(work))
