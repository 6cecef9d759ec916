"""Take many positions through every notation and back.

    python tests/compare_text.py --positions 100000 [--seed N] [GAME ...]

Half of the positions are met in random play, half are laid out by `strategies.py`; each is of the
game under random options, or its own, and has one roll. What comes back has to be the position, or
the move, that was written. A notation that a game does not have has to say so.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
from collections.abc import Callable

from boards import ROLLS, shown, to_position
from compare import positions
from strategies import variant
from tqdm import tqdm

import tavli_fast as tf
from tavli_fast.reference import Board
from tavli_fast.rules import Contact, Movement, Ruleset

Roll = tuple[int, int]

WRITTEN_GNUBG_ID = "4HPwATDgc/ABMA"
WRITTEN_XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10"


def has_foreign_ids(ruleset: Ruleset) -> bool:
    return ruleset.contact is Contact.HIT and ruleset.movement is Movement.CONTRARY


def is_refused(ask: Callable[[], object]) -> bool:
    try:
        ask()
    except tf.NotationError:
        return True
    return False


def position_faults(position: tf.Position, roll: Roll) -> list[str]:
    """The notations of a position that are not the position again."""
    ruleset = position.ruleset
    own_id = position.id
    faults = {
        "text": tf.Position.parse(position.text, ruleset) != position,
        "id": tf.Position.from_id(own_id) != position,
        "id as any": tf.Position.parse(own_id, ruleset) != position,
    }
    if has_foreign_ids(ruleset):
        gnubg_id, xgid = position.to_gnubg_id(), position.to_xgid(roll)
        faults |= {
            "gnubg ID": tf.Position.from_gnubg_id(gnubg_id, ruleset) != position,
            "gnubg ID as any": tf.Position.parse(gnubg_id, ruleset) != position,
            "XGID": tf.Position.from_xgid(xgid, ruleset) != (position, roll),
            "XGID as any": tf.Position.parse(xgid, ruleset) != position,
        }
    else:
        faults |= {
            "gnubg ID written": not is_refused(position.to_gnubg_id),
            "gnubg ID read": not is_refused(
                lambda: tf.Position.from_gnubg_id(WRITTEN_GNUBG_ID, ruleset)
            ),
            "XGID written": not is_refused(lambda: position.to_xgid(roll)),
            "XGID read": not is_refused(lambda: tf.Position.from_xgid(WRITTEN_XGID, ruleset)),
        }
    return [name for name, fault in faults.items() if fault]


def move_faults(position: tf.Position, roll: Roll, choose: random.Random) -> list[str]:
    """Two moves with the same text, or one that its text does not play."""
    moves = position.moves(roll)
    move = choose.choice(moves)
    faults = []
    if len({str(each) for each in moves}) != len(moves):
        faults.append(f"{roll}: two moves of one text")
    read = position.parse_move(str(move), roll[::-1])
    if (read.after, read.hits) != (move.after, move.hits):
        faults.append(f"{roll}: {move} read as {read}")
    if position.play(str(move), roll) != move.after:
        faults.append(f"{roll}: {move} played as another")
    return faults


def text_faults(board: Board, ruleset: Ruleset, choose: random.Random) -> list[str]:
    """What of a position and of a roll's moves is not what was written."""
    position, roll = to_position(board, ruleset), choose.choice(ROLLS)
    try:
        faults = position_faults(position, roll) + move_faults(position, roll, choose)
    except ValueError as error:
        faults = [f"{roll}: {error}"]
    return [f"{ruleset} {shown(board)}: {fault}" for fault in faults]


def compare(ruleset: Ruleset, wanted: int, seed: int) -> list[str]:
    """Ask so many positions of a game, say what came of it, and return the faults."""
    choose = random.Random(f"{seed} {ruleset}")
    faults = []
    some = itertools.islice(positions(choose, ruleset), wanted)
    for board in tqdm(some, desc=str(ruleset), total=wanted, mininterval=1):
        faults += text_faults(board, choose.choice([ruleset, variant(choose, ruleset)]), choose)
    print(f"{ruleset}: {wanted} positions, {len(faults)} faults", flush=True)
    return faults


def main() -> None:
    parser = argparse.ArgumentParser(description="Take positions through every notation and back.")
    parser.add_argument("games", nargs="*", default=list(tf.RULESETS), metavar="GAME")
    parser.add_argument("--positions", type=int, default=100_000, help="a game")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    faults = [
        fault
        for game in arguments.games
        for fault in compare(tf.find_ruleset(game), arguments.positions, arguments.seed)
    ]
    if faults:
        print(*faults[:20], sep="\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
