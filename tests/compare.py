"""Hold the kernel against the reference on as many (position, roll) pairs as time allows.

    python tests/compare.py --pairs 200000 [--seed N] [--answers FOLDER] [GAME ...]

Half of the positions are met in random play, half are laid out by `strategies.py`; each is judged
under random options, or the game's own, with a few of the 21 rolls. What differs is made smaller
by taking checkers off the board, and the smallest position is shown. Nearly all the time goes to
the reference, some 2 to 5 ms a pair: with `--answers` what it found is kept in a folder, so that a
run that was stopped goes on where it was, and a changed kernel is judged in seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from boards import ROLLS, as_bytes, by_reference, fingerprints, fnv_1a, from_array, shown, to_array
from strategies import arbitrary_board, random_play, variant
from tqdm import tqdm

import tavli_fast as tf
from tavli_fast.reference import Board
from tavli_fast.rules import OFF, Ruleset

Roll = tuple[int, int]
Pair = tuple[Board, Roll, Ruleset]

ROLLS_EACH = 3
BLOCK = 2_000
"""Pairs whose answers are kept in one file."""


class Answers(NamedTuple):
    """Pairs, and what the reference finds: a row each."""

    records: np.ndarray
    rolls: np.ndarray
    rulesets: np.ndarray
    """Their texts."""
    counts: np.ndarray
    played: np.ndarray
    sums: np.ndarray
    """The fingerprints of the results."""


def positions(choose: random.Random, ruleset: Ruleset) -> Iterator[Board]:
    """Endlessly, one met in random play and one laid out."""
    while True:
        for met in random_play(ruleset, seed=choose.randrange(2**32), games=10, plies=100):
            yield met
            yield arbitrary_board(choose, ruleset)


def pairs(choose: random.Random, ruleset: Ruleset) -> Iterator[Pair]:
    for board in positions(choose, ruleset):
        rules = choose.choice([ruleset, variant(choose, ruleset)])
        for roll in choose.sample(ROLLS, ROLLS_EACH):
            yield board, roll, rules


def found(board: Board, roll: Roll, ruleset: Ruleset) -> tuple[list[Board], int]:
    """What the kernel makes of a pair: the results, repeats and all, and the numbers played."""
    result = tf.afterstates(to_array([board]), np.array([roll], np.uint8), ruleset)
    return from_array(result.positions), int(result.played[0])


def differs(board: Board, roll: Roll, ruleset: Ruleset) -> bool:
    results, played = found(board, roll, ruleset)
    expected, most = by_reference(board, roll, ruleset)
    return played != most or len(results) != len(expected) or set(results) != set(expected)


def smaller(board: Board) -> Iterator[Board]:
    """The board with one checker less on it, each in turn; a pin goes with its last checker."""
    for name, point in itertools.product(("own", "opp"), range(25, OFF, -1)):
        side = list(getattr(board, name))
        if side[point]:
            side[point] -= 1
            side[OFF] += 1
            pinned = getattr(board, f"{name}_pinned") - {point}
            yield board._replace(**{name: tuple(side), f"{name}_pinned": pinned})


def is_legal(board: Board, ruleset: Ruleset) -> bool:
    try:
        tf.check_records(to_array([board]), ruleset)
    except tf.IllegalPosition:
        return False
    return True


def smallest(board: Board, roll: Roll, ruleset: Ruleset) -> Board:
    """A board on which the engines still differ, and on none with one checker less."""
    for less in smaller(board):
        if is_legal(less, ruleset) and differs(less, roll, ruleset):
            return smallest(less, roll, ruleset)
    return board


def report(board: Board, roll: Roll, ruleset: Ruleset) -> str:
    results, played = found(board, roll, ruleset)
    expected, most = by_reference(board, roll, ruleset)
    lines = [f"{ruleset} {roll} {tf.from_records(to_array([board]), ruleset)[0].text}"]
    lines += [f"  missing {shown(each)}" for each in expected if each not in results]
    lines += [f"  wrong   {shown(each)}" for each in results if each not in expected]
    lines += [f"  {len(results)} results for {len(expected)}, {played} numbers played for {most}"]
    return "\n".join(lines)


def answers(block: list[Pair]) -> Answers:
    """Ask the reference."""
    rows = []
    for board, roll, ruleset in block:
        results, played = by_reference(board, roll, ruleset)
        sum_ = fnv_1a(as_bytes(to_array(results))).sum(dtype=np.uint64)
        rows.append((roll, str(ruleset), len(results), played, sum_))
    return Answers(
        to_array([board for board, _, _ in block]), *map(np.array, zip(*rows, strict=True))
    )


def kept_answers(ruleset: Ruleset, seed: str, size: int, folder: Path | None) -> Answers:
    """The answers of one block, from its file if there is one."""
    choose = random.Random(f"{seed} {ruleset}")
    if folder is None:
        return answers(list(itertools.islice(pairs(choose, ruleset), size)))
    file = folder / f"{ruleset} {seed} {size}.npz"
    if not file.exists():
        found = answers(list(itertools.islice(pairs(choose, ruleset), size)))
        part = file.with_suffix(".part.npz")
        np.savez_compressed(part, **found._asdict())
        part.rename(file)
    with np.load(file) as stored:
        return Answers(**stored)


def differing(expected: Answers) -> list[Pair]:
    """The pairs of which the kernel says something else."""
    differ = []
    for text in sorted(set(expected.rulesets.tolist())):
        ruleset = tf.find_ruleset(text)
        some = Answers(*(column[expected.rulesets == text] for column in expected))
        found = tf.afterstates(some.records, some.rolls, ruleset)
        wrong = (
            (np.diff(found.offsets) != some.counts)
            | (found.played != some.played)
            | (fingerprints(found) != some.sums)
        )
        for record, roll in zip(some.records[wrong], some.rolls[wrong].tolist(), strict=True):
            differ.append((from_array(record)[0], tuple(roll), ruleset))
    return differ


def compare(ruleset: Ruleset, wanted: int, seed: int, folder: Path | None) -> int:
    """Compare so many pairs of a game, say what came of it, and return how many differ."""
    differ: list[Pair] = []
    began = time.perf_counter()
    with tqdm(desc=str(ruleset), total=wanted, unit=" pairs", mininterval=1) as bar:
        for block, first in enumerate(range(0, wanted, BLOCK)):
            size = min(BLOCK, wanted - first)
            differ += differing(kept_answers(ruleset, f"{seed}-{block}", size, folder))
            bar.update(size)
    rate = wanted / (time.perf_counter() - began)
    print(f"{ruleset}: {wanted} pairs, {len(differ)} differ, {rate:.0f} a second", flush=True)
    if differ:
        shrunk = [(smallest(*pair), *pair[1:]) for pair in differ[:20] if differs(*pair)]
        print(report(*min(shrunk, key=lambda pair: 2 * 15 - pair[0].own[OFF] - pair[0].opp[OFF])))
    return len(differ)


def answers_folder(parent: Path) -> Path:
    """Where the answers of this very reference are kept."""
    source = hashlib.sha256()
    for module in (tf.reference, tf.rules):
        source.update(Path(module.__file__).read_bytes())
    folder = parent / source.hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare kernel and reference on many pairs.")
    parser.add_argument("games", nargs="*", default=list(tf.RULESETS), metavar="GAME")
    parser.add_argument("--pairs", type=int, default=200_000, help="a game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--answers", type=Path, help="folder to keep the reference's answers in")
    arguments = parser.parse_args()
    rulesets = [tf.find_ruleset(game) for game in arguments.games]
    folder = answers_folder(arguments.answers) if arguments.answers else None
    if sum(compare(each, arguments.pairs, arguments.seed, folder) for each in rulesets):
        sys.exit(1)


if __name__ == "__main__":
    main()
