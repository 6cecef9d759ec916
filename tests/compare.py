"""Hold the kernel against the reference on as many (position, roll) pairs as time allows.

    python tests/compare.py --pairs 200000 [--seed N] [--answers FOLDER] [GAME ...]
    python tests/compare.py --against gnubg-nn --pairs 1000000 [GAME ...]

A third of the positions are met in random play, a third are such with a few checkers moved
anywhere, and a third are laid out by `strategies.py` where move generators have trouble; each is
judged under random options, or the game's own, with a few of the 21 rolls. What differs is made
smaller by taking checkers off the board, and the smallest position is shown. Nearly all the time
goes to the reference, some 1 ms a pair: with `--answers` what it found is kept in a folder, so that
a run that was stopped goes on where it was, and a changed kernel is judged in seconds.

GNU Backgammon's generator, which knows the games of hits under their own rules, takes a hundredth
of that; how many numbers a move plays it does not tell.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import itertools
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import strategies
from boards import (
    ROLLS,
    by_gnubg,
    by_reference,
    fingerprints,
    fingerprints_of,
    from_array,
    known_to_gnubg,
    shown,
    to_array,
)
from strategies import arbitrary_board, mutated, random_play, variant
from tqdm import tqdm

import tavli_fast as tf
from tavli_fast.reference import Board
from tavli_fast.rules import OFF, Ruleset

Roll = tuple[int, int]
Pair = tuple[Board, Roll, Ruleset]

UNKNOWN = -1

ROLLS_EACH = 3
BLOCK = 2_000
"""Pairs whose answers are kept in one file."""


class Authority(NamedTuple):
    """Who is right."""

    name: str
    ask: Callable[[Board, Roll, Ruleset], tuple[list[Board], int]]
    """The results and the numbers played; -1 if nobody knows."""
    knows: Callable[[Ruleset], bool]
    knows_options: bool


AUTHORITIES = (
    Authority("reference", by_reference, lambda ruleset: True, True),
    Authority("gnubg-nn", by_gnubg, known_to_gnubg, False),
)


class Answers(NamedTuple):
    """Pairs, and what the authority finds: a row each."""

    records: np.ndarray
    rolls: np.ndarray
    rulesets: np.ndarray
    """Their texts."""
    counts: np.ndarray
    played: np.ndarray
    sums: np.ndarray
    """The fingerprints of the results."""


def positions(choose: random.Random, ruleset: Ruleset) -> Iterator[Board]:
    """Endlessly, one met in random play, one of those changed and one laid out."""
    while True:
        for met in random_play(ruleset, seed=choose.randrange(2**32), games=10, plies=100):
            yield met
            yield mutated(choose, ruleset, met)
            yield arbitrary_board(choose, ruleset)


def pairs(choose: random.Random, ruleset: Ruleset, options: bool = True) -> Iterator[Pair]:
    for board in positions(choose, ruleset):
        rules = choose.choice([ruleset, variant(choose, ruleset)]) if options else ruleset
        for roll in choose.sample(ROLLS, ROLLS_EACH):
            yield board, roll, rules


def found(board: Board, roll: Roll, ruleset: Ruleset) -> tuple[list[Board], int]:
    """What the kernel makes of a pair: the results, repeats and all, and the numbers played."""
    result = tf.afterstates(to_array([board]), np.array([roll], np.uint8), ruleset)
    return from_array(result.positions), int(result.played[0])


def differs(board: Board, roll: Roll, ruleset: Ruleset, authority: Authority) -> bool:
    results, played = found(board, roll, ruleset)
    expected, most = authority.ask(board, roll, ruleset)
    return (
        most not in (played, UNKNOWN)
        or len(results) != len(expected)
        or set(results) != set(expected)
    )


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


def smallest(board: Board, roll: Roll, ruleset: Ruleset, authority: Authority) -> Board:
    """A board on which the two still differ, and on none with one checker less."""
    for less in smaller(board):
        if is_legal(less, ruleset) and differs(less, roll, ruleset, authority):
            return smallest(less, roll, ruleset, authority)
    return board


def report(board: Board, roll: Roll, ruleset: Ruleset, authority: Authority) -> str:
    results, played = found(board, roll, ruleset)
    expected, most = authority.ask(board, roll, ruleset)
    lines = [f"{ruleset} {roll} {tf.from_records(to_array([board]), ruleset)[0].text}"]
    lines += [f"  missing {shown(each)}" for each in expected if each not in results]
    lines += [f"  wrong   {shown(each)}" for each in results if each not in expected]
    lines += [f"  {len(results)} results for {len(expected)}, {played} numbers played for {most}"]
    return "\n".join(lines)


def answers(block: list[Pair], authority: Authority) -> Answers:
    boards, rolls, rulesets = zip(*block, strict=True)
    found, played = zip(*itertools.starmap(authority.ask, block), strict=True)
    return Answers(
        to_array(boards),
        np.array(rolls),
        np.array([str(ruleset) for ruleset in rulesets]),
        np.array([len(results) for results in found]),
        np.array(played),
        fingerprints_of(found),
    )


def kept_answers(
    ruleset: Ruleset, seed: str, size: int, authority: Authority, folder: Path | None
) -> Answers:
    """The answers of one block, from its file if there is one."""
    choose = random.Random(f"{seed} {ruleset}")
    block = itertools.islice(pairs(choose, ruleset, authority.knows_options), size)
    if folder is None:
        return answers(list(block), authority)
    file = folder / f"{ruleset} {seed} {size}.npz"
    if not file.exists():
        found = answers(list(block), authority)
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
            | (found.played != some.played) & (some.played != UNKNOWN)
            | (fingerprints(found) != some.sums)
        )
        for record, roll in zip(some.records[wrong], some.rolls[wrong].tolist(), strict=True):
            differ.append((from_array(record)[0], tuple(roll), ruleset))
    return differ


def compare(
    ruleset: Ruleset, wanted: int, seed: int, authority: Authority, folder: Path | None
) -> int:
    """Compare so many pairs of a game, say what came of it, and return how many differ."""
    differ: list[Pair] = []
    began = time.perf_counter()
    with tqdm(desc=str(ruleset), total=wanted, unit=" pairs", mininterval=1) as bar:
        for block, first in enumerate(range(0, wanted, BLOCK)):
            size = min(BLOCK, wanted - first)
            answered = kept_answers(ruleset, f"{seed}-{block}", size, authority, folder)
            differ += differing(answered)
            bar.update(size)
    rate = wanted / (time.perf_counter() - began)
    print(f"{ruleset}: {wanted} pairs, {len(differ)} differ, {rate:.0f} a second", flush=True)
    if differ:
        shrunk = [(smallest(*pair, authority), *pair[1:]) for pair in differ[:20]]
        least = min(shrunk, key=lambda pair: -pair[0].own[OFF] - pair[0].opp[OFF])
        print(report(*least, authority))
    return len(differ)


def answers_folder(parent: Path, authority: Authority) -> Path:
    """Where the answers of this very authority to these very pairs are kept."""
    package = Path(tf.__file__).parent
    source = hashlib.sha256(authority.name.encode())
    for module in (
        package / "reference.py",
        package / "rules.py",
        Path(strategies.__file__),
        Path(__file__),
    ):
        source.update(module.read_bytes())
    folder = parent / source.hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare kernel and reference on many pairs.")
    parser.add_argument("games", nargs="*", metavar="GAME", help="all that the authority knows")
    parser.add_argument("--pairs", type=int, default=200_000, help="a game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--answers", type=Path, help="folder to keep the authority's answers in")
    parser.add_argument(
        "--against", choices=[each.name for each in AUTHORITIES], default=AUTHORITIES[0].name
    )
    arguments = parser.parse_args()
    # The reference's tuples hold no cycles; looking for some took a third of the time.
    gc.disable()
    (authority,) = (each for each in AUTHORITIES if each.name == arguments.against)
    rulesets = [tf.find_ruleset(game) for game in arguments.games] or [
        ruleset for ruleset in tf.RULESETS.values() if authority.knows(ruleset)
    ]
    for ruleset in rulesets:
        if not authority.knows(ruleset):
            parser.error(f"{authority.name} does not know {ruleset}")
    folder = answers_folder(arguments.answers, authority) if arguments.answers else None
    asked = (arguments.pairs, arguments.seed, authority, folder)
    if sum(compare(ruleset, *asked) for ruleset in rulesets):
        sys.exit(1)


if __name__ == "__main__":
    main()
