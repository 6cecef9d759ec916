"""Make the perft tables in `tests/perft/`, one file a game; its README tells the format.

    python tests/make_perft.py [GAME ...]

Positions come from seeded play, one or more of every kind that the game's mechanics know. Kernel
and reference must agree as far as the reference can go, or nothing is written. A file that says
something else is left as it is and the run fails; `--renew` replaces it. A run of all games takes
some ten minutes.
"""

from __future__ import annotations

import argparse
import difflib
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from boards import ROLLS, facing, from_position
from tqdm import tqdm

import tavli_fast as tf
from tavli_fast import reference
from tavli_fast.reference import Board
from tavli_fast.rules import BAR, OFF, Contact, Ruleset

TABLES = Path(__file__).parent / "perft"
DEEPEST = 12
PLY_CAP = 600
GAMES_A_KIND = 2000
PATHS_EACH = 200
"""What a last ply may promise for each path that any ply may be counted from."""

Kind = Callable[[tf.Position, int], bool]
"""Whether a position, reached after so many plies, is of a kind."""


@dataclass(frozen=True)
class Entry:
    """One position of a table: `counts` for depths 1 and on, the first `agreed` by both engines."""

    name: str
    position: tf.Position
    agreed: int
    counts: tuple[int, ...]


def read(path: Path) -> tuple[Ruleset, list[Entry]]:
    """Return what a file says; whatever is no table is a `ValueError`."""
    head, *blocks = path.read_text(encoding="utf-8").strip().split("\n\n")
    key, _, name = next(line for line in head.splitlines() if line[0] != "#").partition(" ")
    if key != "ruleset":
        raise ValueError(f"{path} does not begin with its ruleset")
    ruleset = tf.find_ruleset(name)
    entries = []
    for block in blocks:
        (_, name), (_, text), (_, agreed), *perft = (
            line.split(maxsplit=1) for line in block.splitlines()
        )
        counts = [line.split() for _, line in perft]
        if [int(depth) for depth, _ in counts] != list(range(1, len(counts) + 1)):
            raise ValueError(f"{path}, {name}: depths do not go up from 1")
        position = tf.Position.parse(text, ruleset)
        entries.append(Entry(name, position, int(agreed), tuple(int(n) for _, n in counts)))
    return ruleset, entries


def table(ruleset: Ruleset, entries: list[Entry]) -> str:
    """The text of a file."""
    options = ", ".join(f"{name}={getattr(ruleset, name)}" for name in ruleset.options)
    lines = [
        f"# {ruleset.title}: paths over the 21 distinct rolls; the format is told in README.md.",
        f"ruleset {ruleset.game}({options})",
    ]
    for entry in entries:
        lines += ["", f"id {entry.name}", f"position {entry.position.text}"]
        lines += [f"reference {entry.agreed}"]
        lines += [f"perft {depth} {count}" for depth, count in enumerate(entry.counts, 1)]
    return "\n".join(lines) + "\n"


def write(path: Path, text: str, renew: bool) -> None:
    """Write a file that is not there, or replace one if told to; else it must say the same."""
    old = path.read_text(encoding="utf-8") if path.exists() else None
    if old is None or renew:
        path.write_text(text, encoding="utf-8", newline="\n")
    elif old != text:
        difference = difflib.unified_diff(
            old.splitlines(), text.splitlines(), f"{path.name}", "found now", lineterm=""
        )
        raise SystemExit("\n".join([*difference, f"{path} is left as it was; see --renew"]))


def is_home(side: tuple[int, ...]) -> bool:
    return sum(side[:7]) == sum(side)


def left(position: tf.Position) -> int:
    """How many checkers the side with more has not yet borne off."""
    return sum(position.own) - min(position.own[OFF], position.opp[OFF])


def far(position: tf.Position, pips: int) -> bool:
    """Whether both sides bear off, have so many pips to go, and may each have another turn."""
    return (
        min(position.own[OFF], position.opp[OFF]) > 0
        and sum(position.pip_counts) >= pips
        and position.perft(2) > position.perft(1)
    )


def longest_wall(position: tf.Position) -> int:
    """The most points in a row, along the opponent's path, that the side on roll holds."""
    least = 1 if position.ruleset.contact is Contact.HOLD else 2
    movement = position.ruleset.movement
    held = {facing(movement, point) for point in range(1, BAR) if position.own[point] >= least}
    longest = 0
    for point in held:
        length = 1
        while point + length in held:
            length += 1
        longest = max(longest, length)
    return longest


def loses_a_roll(position: tf.Position) -> bool:
    return any(position.afterstates(roll) == [position] for roll in ROLLS)


def kinds(ruleset: Ruleset) -> Mapping[str, Kind]:
    """The kinds of position that make up a game's table, in the order of play."""
    checkers, head = ruleset.checkers, ruleset.start[24]
    found: dict[str, Kind] = {
        "second-turn": lambda p, ply: ply == 1,
        "third-turn": lambda p, ply: ply == 2,
        "early": lambda p, ply: 4 <= ply <= 8,
        "middle-1": lambda p, ply: 12 <= ply <= 20 and not is_home(p.own),
        "middle-2": lambda p, ply: ply > 20 and not is_home(p.own) and not is_home(p.opp),
    }
    if ruleset.contact is Contact.HIT:
        found |= {
            "on-the-bar": lambda p, ply: p.own[BAR] == 1,
            "two-on-the-bar": lambda p, ply: p.own[BAR] == 2,
        }
    if ruleset.contact is Contact.PIN:
        found |= {
            "one-pinned": lambda p, ply: bool(p.own_pinned) and not p.opp_pinned,
            "pins-on-both-sides": lambda p, ply: bool(p.own_pinned and p.opp_pinned),
            "mother-within-reach": lambda p, ply: p.opp[24] == 1 and any(p.own[2:8]),
            "both-mothers-alone": lambda p, ply: p.own[24] == p.opp[24] == 1,
            "mother-pinned": lambda p, ply: 24 in p.own_pinned + p.opp_pinned,
        }
    if ruleset.contact is Contact.HOLD:
        found |= {
            "one-away": lambda p, ply: p.own[24] == head - 1 and ply > 1,
            "wall-of-five": lambda p, ply: longest_wall(p) == 5,
            "wall-of-six": lambda p, ply: longest_wall(p) >= 6,
        }
    found["rolls-lost"] = lambda p, ply: not is_home(p.own) and loses_a_roll(p)
    found["one-side-home"] = lambda p, ply: is_home(p.own) and not is_home(p.opp)
    if ruleset.contact is Contact.PIN:
        found["home-with-a-pin"] = lambda p, ply: is_home(p.own) and bool(p.own_pinned)
    found |= {
        "bearing-off": lambda p, ply: is_home(p.own) and is_home(p.opp) and far(p, 2 * checkers),
        "ending": lambda p, ply: left(p) <= 5 and far(p, 12),
        "last-checkers": lambda p, ply: left(p) <= 3 and far(p, 6),
    }
    return found


def merit(position: tf.Position) -> tuple[int, int, int, int]:
    """What a greedy mover wants: checkers off, checkers hit, checkers pinned, points held."""
    least = 1 if position.ruleset.contact is Contact.HOLD else 2
    mine, his = position.pip_counts
    held = sum(count >= least for count in position.own[1:BAR])
    return position.own[OFF], his - mine, len(position.opp_pinned), held


def play(ruleset: Ruleset, choose: random.Random) -> Iterator[tuple[tf.Position, int]]:
    """The positions of one game between random and greedy movers, each with its ply."""
    position = tf.Position.start(ruleset)
    greedy = choose.choice([(False, False), (True, True), (True, False)])
    for ply in range(PLY_CAP):
        if position.points_won is not None:
            return
        yield position, ply
        # Sorted, so that the kernel's order of results, which means nothing, decides nothing.
        after = sorted(position.afterstates(choose.choice(ROLLS)), key=order)
        choose.shuffle(after)
        position = (max(after, key=merit) if greedy[ply % 2] else after[0]).flip()


def order(position: tf.Position) -> tuple[tuple[int, ...], ...]:
    return position.own, position.opp, position.own_pinned, position.opp_pinned


def positions(ruleset: Ruleset, seed: int) -> dict[str, tf.Position]:
    """The start and one distinct position of every kind, each from a game of its own."""
    found = {"start": tf.Position.start(ruleset)}
    for name, is_kind in kinds(ruleset).items():
        choose = random.Random(f"{ruleset.game} {name} {seed}")
        for _ in range(GAMES_A_KIND):
            fit = [p for p, ply in play(ruleset, choose) if is_kind(p, ply)]
            new = [p for p in fit if p not in found.values()]
            if new:
                found[name] = choose.choice(new)
                break
        else:
            raise SystemExit(f"{ruleset.game}: no position of kind {name} in {GAMES_A_KIND} games")
    return found


def by_kernel(position: tf.Position, most: int) -> list[int]:
    """Counts by depth: one more from at most `most` paths, or if it promises few, or to the end.

    The time of a count goes with the paths of the one before, some half a microsecond each.
    """
    counts = [1]
    promised = 0
    while (counts[-1] <= most or promised <= PATHS_EACH * most) and len(counts) <= DEEPEST:
        counts.append(position.perft(len(counts)))
        if counts[-1] == counts[-2]:
            break
        promised = counts[-1] ** 2 // counts[-2]
    return counts[1:]


def by_reference(position: tf.Position, most: int, deepest: int) -> list[int]:
    """Counts by depth, as deep as each new one takes at most `most` (position, roll) pairs.

    Paths that meet in one position go on together, which is the same sum as `reference.perft`.
    """
    ruleset = position.ruleset
    paths: Counter[Board] = Counter({from_position(position): 1})
    counts: list[int] = []
    over = 0
    while len(counts) < deepest and (not counts or len(paths) * len(ROLLS) <= most):
        below: Counter[Board] = Counter()
        for board, ways in paths.items():
            for roll in ROLLS:
                for after in reference.afterstates(board, roll, ruleset):
                    if reference.points_won(after, ruleset) is None:
                        below[reference.flip(after)] += ways
                    else:
                        over += ways
        paths = below
        counts.append(over + paths.total())
    return counts


def entry(name: str, position: tf.Position, nodes: int, pairs: int) -> Entry:
    """Count one position with both engines; a difference ends the run."""
    counts = by_kernel(position, nodes)
    agreed = by_reference(position, pairs, len(counts))
    if agreed != counts[: len(agreed)]:
        raise SystemExit(f"{position.ruleset} {position.text}: kernel {counts}, reference {agreed}")
    return Entry(name, position, len(agreed), tuple(counts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help="default: every game")
    parser.add_argument("--seed", type=int, default=1, help="of the play (default: 1)")
    parser.add_argument(
        "--nodes", type=int, default=500_000, help="the most paths to count another ply from"
    )
    parser.add_argument("--start-nodes", type=int, default=150_000_000, help="from the start")
    parser.add_argument(
        "--pairs", type=int, default=3_000, help="the most (position, roll) pairs of the reference"
    )
    parser.add_argument("--start-pairs", type=int, default=12_000, help="from the start")
    parser.add_argument("--to", type=Path, default=TABLES, help="the folder (default: %(default)s)")
    parser.add_argument("--renew", action="store_true", help="replace files that say otherwise")
    arguments = parser.parse_args()
    start = arguments.start_nodes, arguments.start_pairs
    later = arguments.nodes, arguments.pairs
    for game in arguments.games or tf.RULESETS:
        ruleset = tf.find_ruleset(game)
        entries = []
        for name, position in tqdm(positions(ruleset, arguments.seed).items(), ruleset.game):
            budget = start if name == "start" else later
            entries.append(entry(name, position, *budget))
        write(arguments.to / f"{ruleset.game}.perft", table(ruleset, entries), arguments.renew)


if __name__ == "__main__":
    main()
