"""Hold the kernel's walls and counts of rolls against the reference's on many positions.

    python tests/compare_walls.py --positions 100000 [--with-rolls 2000] [--seed N] [GAME ...]

Half of the positions are met in random play, half are laid out by `strategies.py`; each is judged
under random options, or the game's own. The walls take the reference a third of a millisecond, all
21 rolls some 30: only that many positions are asked for those.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys

from boards import shown, to_array, to_position
from compare import positions
from strategies import variant
from tqdm import tqdm

import tavli_fast as tf
from tavli_fast import reference
from tavli_fast.reference import Board
from tavli_fast.rules import Ruleset


def some_positions(seed: int, ruleset: Ruleset, count: int) -> list[tuple[Board, Ruleset]]:
    """So many boards, each with the options it is judged by."""
    choose = random.Random(seed)
    boards = itertools.islice(positions(choose, ruleset), count)
    return [(board, choose.choice([ruleset, variant(choose, ruleset)])) for board in boards]


def wall_faults(board: Board, ruleset: Ruleset) -> list[str]:
    """What the kernel says of the walls that the reference does not."""
    record = to_array([board])
    found = tf.blockades(record, ruleset, rolls=False)[0].item()
    expected = (
        *(tuple(reference.walls_of(side, ruleset)) for side in (board, reference.flip(board))),
        *(0, 0, 0, 0),
        int(reference.forbidden(board, ruleset)),
    )
    faults = []
    if found != expected:
        faults.append(f"{found}, not {expected}")
    primes = to_position(board, ruleset).primes()
    if primes != reference.primes(board, ruleset):
        faults.append(f"{primes}, not {reference.primes(board, ruleset)}")
    if tf.in_contact(record, ruleset)[0] != reference.in_contact(board, ruleset):
        faults.append("in contact or not")
    return [f"{ruleset} {shown(board)}: {fault}" for fault in faults]


def roll_faults(board: Board, ruleset: Ruleset) -> list[str]:
    """The same of the 36 rolls, by each of the library's faces."""
    expected = reference.blockade(board, ruleset)
    position = to_position(board, ruleset)
    record = to_array([board])
    row = tf.blockades(record, ruleset)[0].item()
    faults = []
    if position.blockade() != expected:
        faults.append(f"{position.blockade()}, not {expected}")
    if row != (*map(tuple, expected[:2]), *expected[2:]):
        faults.append(f"{row} in a batch, not {expected}")
    if tuple(tf.mobility(record, ruleset)[0]) != expected[2:5]:
        faults.append(f"mobility {tf.mobility(record, ruleset)[0]}, not {expected[2:5]}")
    return [f"{ruleset} {shown(board)}: {fault}" for fault in faults]


def compare(ruleset: Ruleset, walls: int, rolls: int, seed: int) -> list[str]:
    """Compare so many positions of a game, say what came of it, and return the faults."""
    faults = []
    for ask, count in ((wall_faults, walls), (roll_faults, rolls)):
        asked = some_positions(seed, ruleset, count)
        for board, rules in tqdm(asked, desc=f"{ruleset} {ask.__name__}", mininterval=1):
            faults += ask(board, rules)
    print(f"{ruleset}: {walls} positions, {rolls} with rolls, {len(faults)} faults", flush=True)
    return faults


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the walls of kernel and reference.")
    parser.add_argument("games", nargs="*", default=list(tf.RULESETS), metavar="GAME")
    parser.add_argument("--positions", type=int, default=100_000, help="a game")
    parser.add_argument("--with-rolls", type=int, default=2_000, help="of them, with all rolls")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    faults = [
        fault
        for game in arguments.games
        for fault in compare(
            tf.find_ruleset(game), arguments.positions, arguments.with_rolls, arguments.seed
        )
    ]
    if faults:
        print(*faults[:20], sep="\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
