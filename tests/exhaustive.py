"""Every position with one or two checkers left a side, the others borne off.

Under the rules of 15 checkers these ends need neither runner rule nor bans, so that a second brute
force fits here that plays all positions at once on arrays: every order of the dice, every choice of
checkers. The tests hold the kernel against it on everything, and both against the reference on a
part. The reference on everything takes some twenty minutes a ruleset:

    python tests/exhaustive.py --all [RULESET ...]
"""

from __future__ import annotations

import argparse

import numpy as np
from boards import agree_with_reference, from_array
from tqdm import tqdm

import tavli_fast as tf
from tavli_fast.rules import BAR, Contact, Movement, Ruleset

POINTS = np.arange(26, dtype=np.int64)
WEIGHTS = POINTS + 64 * POINTS**2
"""The sum of two weights tells which two points they were, in either order; off weighs nothing."""
SPAN = 2 * int(WEIGHTS[-1]) + 1


def positions(ruleset: Ruleset) -> tuple[np.ndarray, np.ndarray]:
    """All of them: the points of the two own and the two opposing checkers, each (2, n)."""
    highest = BAR if ruleset.contact is Contact.HIT else BAR - 1
    pairs = np.array(
        [(low, high) for high in range(1, highest + 1) for low in range(high + 1)], dtype=np.int16
    ).T
    own, opp = (side.reshape(-1) for side in np.indices((pairs.shape[1],) * 2))
    own, opp = pairs[:, own], pairs[:, opp]
    taken = facing_all(own, ruleset)[:, None] == opp[None, :]
    legal = ~taken.any(axis=(0, 1))
    return own[:, legal], opp[:, legal]


def facing_all(points: np.ndarray, ruleset: Ruleset) -> np.ndarray:
    """The other side's numbers of points; -1, where nobody stands, for off and the bar."""
    if ruleset.movement is Movement.CONTRARY:
        other = BAR - points
    else:
        other = np.where(points <= 12, points + 12, points - 12)
    return np.where((points >= 1) & (points <= 24), other, -1)


def step(
    own: np.ndarray, opp: np.ndarray, held: np.ndarray, who: int, number: int, ruleset: Ruleset
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Move one checker of every position by a number: where it may, and how it would stand then.

    `held` marks own checkers that have hit at home and may not move on in this turn.
    """
    source = own[who]
    target = np.maximum(source - number, 0)
    may = source > 0
    may &= (source == BAR) | (own != BAR).all(axis=0)
    may &= ~held[who]
    off = target == 0
    highest = own.max(axis=0)
    may &= ~off | ((highest <= 6) & ((source == number) | (source == highest)))
    met = facing_all(target, ruleset) == opp
    if ruleset.contact is Contact.HIT:
        may &= ~met.all(axis=0)
    else:
        may &= ~met.any(axis=0)
    after_own, after_opp, after_held = own.copy(), opp.copy(), held.copy()
    after_own[who] = target
    after_opp[met] = BAR
    if ruleset.hit_and_run == "not_at_home":
        after_held[who] |= met.any(axis=0) & (target <= 6)
    return may, after_own, after_opp, after_held


def brute_force(
    own: np.ndarray, opp: np.ndarray, roll: tuple[int, int], ruleset: Ruleset
) -> tuple[np.ndarray, np.ndarray]:
    """The distinct results of every position as sorted keys, and how many numbers were played."""
    first, second = roll
    orders = {(first, second), (second, first)} if first != second else {(first,) * 4}
    ends, numbers, lone_numbers = [], [], []
    for order in sorted(orders):
        nobody = np.zeros(own.shape, dtype=bool)
        stages = [(own, opp, nobody, np.zeros(own.shape[1], dtype=np.uint8))]
        for turn, number in enumerate(order):
            stages = [
                go_on(stage, turn, who, number, ruleset) for stage in stages for who in range(2)
            ]
        for mine, his, _, played in stages:
            ends.append(keys(WEIGHTS[mine].sum(axis=0), WEIGHTS[his].sum(axis=0)))
            numbers.append(played)
            lone_numbers.append(np.where(played == 1, order[0], 0))
    end, number, lone = np.array(ends), np.array(numbers), np.array(lone_numbers)
    most = number.max(axis=0)
    kept = number == most
    if first != second:
        kept &= lone == np.where(kept, lone, 0).max(axis=0)
    found = np.sort(end[kept])
    return found[np.diff(found, prepend=-1) > 0], most


Stage = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Own and opposing points, own checkers that may not move on, and how many numbers were played."""


def go_on(stage: Stage, turn: int, who: int, number: int, ruleset: Ruleset) -> Stage:
    """Play one more number with one checker wherever no number before it failed."""
    mine, his, held, played = stage
    may, *after = step(mine, his, held, who, number, ruleset)
    may &= played == turn
    mine, his, held = (
        np.where(may, new, old) for new, old in zip(after, (mine, his, held), strict=True)
    )
    return mine, his, held, played + may


def keys(own: np.ndarray, opp: np.ndarray) -> np.ndarray:
    """One integer for the row and what stands there."""
    return (np.arange(own.size, dtype=np.int64) * SPAN + own) * SPAN + opp


def kernel(
    records: np.ndarray, roll: tuple[int, int], ruleset: Ruleset
) -> tuple[np.ndarray, np.ndarray]:
    """What the kernel makes of the same positions, in the same form, repeats and all."""
    rolls = np.tile(np.array(roll, dtype=np.uint8), (len(records), 1))
    found = tf.afterstates(records, rolls, ruleset)
    rows = np.repeat(np.arange(len(records), dtype=np.int64), np.diff(found.offsets))
    sides = []
    for name in ("own", "opp"):
        checkers = found.positions[name]["checkers"].astype(np.int64)
        assert (checkers.sum(axis=1) == ruleset.checkers).all()
        assert (checkers[:, 0] >= ruleset.checkers - 2).all()
        assert not found.positions[name]["pinned"].any()
        sides.append(checkers @ WEIGHTS)
    own, opp = sides
    return np.sort((rows * SPAN + own) * SPAN + opp), found.played


def to_array(own: np.ndarray, opp: np.ndarray) -> np.ndarray:
    """The positions as records of 15 checkers a side."""
    records = np.zeros(own.shape[1], dtype=tf.POSITION)
    rows = np.arange(own.shape[1])
    for name, points in (("own", own), ("opp", opp)):
        checkers = records[name]["checkers"]
        checkers[:, 0] = 13
        for who in range(2):
            checkers[rows, points[who]] += 1
    return records


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare kernel and reference on small ends.")
    parser.add_argument("rulesets", nargs="*", default=list(tf.RULESETS), metavar="RULESET")
    parser.add_argument("--all", action="store_true", help="all positions, not one in a thousand")
    arguments = parser.parse_args()
    for ruleset in map(tf.find_ruleset, arguments.rulesets):
        some = to_array(*positions(ruleset))[:: 1 if arguments.all else 1009]
        for record in tqdm(some, desc=str(ruleset), unit=" positions"):
            agree_with_reference(from_array(record), ruleset)


if __name__ == "__main__":
    main()
