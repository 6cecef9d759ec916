"""Hold `next_steps` and `explain` against the reference on as many pairs as time allows.

    python tests/compare_steps.py --pairs 2000 [--seed N] [GAME ...]

Positions, options and rolls are those of `compare.py`. From each pair one turn is walked at random,
and at every stage of it the steps offered and which of them are forced are judged, and at some
whether just the other steps are refused, each for the reason that `why` finds.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys

from boards import facing, shown, to_position
from compare import pairs
from tqdm import tqdm

import tavli_fast as tf
from tavli_fast import reference, why
from tavli_fast.reference import Board, Step
from tavli_fast.rules import BAR, OFF, Ruleset

EVERY_STEP = sorted(
    {(origin, max(origin - number, OFF)) for origin in range(1, BAR + 1) for number in range(1, 7)}
)

REASONED = 0.4
"""The share of stages at which every reason is judged, which is most of the work."""


def agree_on_a_walk(
    choose: random.Random,
    before: Board,
    roll: tuple[int, int],
    ruleset: Ruleset,
    numbers: int | None = None,
) -> tuple[Step, ...]:
    """Walk a turn at random and fail where the two differ; returns the steps it took."""
    position = to_position(before, ruleset)
    plays, _ = reference.plays_of(before, roll, ruleset, numbers)
    walked: list[Step] = []
    while True:
        where = f"{ruleset} {roll} {numbers} {shown(before)} after {walked}"
        expected = reference.next_steps(before, roll, walked, ruleset, numbers)
        found = position.next_steps(
            roll[:: choose.choice([1, -1])], choose.sample(walked, len(walked)), numbers
        )
        offered = {(step.start, step.end): step.forced for step in found}
        assert offered == expected, where
        assert len(found) == len(offered), where
        assert_told(before, walked, found, roll, ruleset)
        if choose.random() < REASONED:
            for step in EVERY_STEP:
                reason = why.why_not_next(plays, step, walked, ruleset)
                assert (reason is None) == (step in expected), (where, step, reason)
                told = position.explain(step, roll, walked, numbers)
                assert told is reason, (where, step, told, reason)
        if not found:
            return tuple(walked)
        step = choose.choice(found)
        walked.append((step.start, step.end))


def assert_told(
    before: Board, walked: list[Step], found: list[tf.Step], roll: tuple[int, int], ruleset: Ruleset
) -> None:
    """Of each step the number is one of the roll that makes it, and a hit is told."""
    met = {target for _, target in walked}
    for step in found:
        assert step.number in roll
        assert max(step.start - step.number, OFF) == step.end
        if step.end == OFF:
            assert not step.hits
            continue
        his = facing(ruleset.movement, step.end)
        if ruleset.contact is tf.Contact.HIT:
            assert step.hits == (before.opp[his] == 1 and step.end not in met)
        elif ruleset.contact is tf.Contact.HOLD:
            assert not step.hits


def compare(ruleset: Ruleset, wanted: int, seed: int) -> int:
    """Walk so many turns of a game, say what came of it, and return in how many they differ."""
    choose = random.Random(f"{seed} {ruleset}")
    steps = differing = 0
    some = itertools.islice(pairs(choose, ruleset), wanted)
    for pair in tqdm(some, desc=str(ruleset), total=wanted, mininterval=1):
        try:
            steps += len(agree_on_a_walk(choose, *pair))
        except AssertionError as difference:
            differing += 1
            print(difference, flush=True)
    print(f"{ruleset}: {wanted} turns, {steps} steps taken, {differing} turns differ", flush=True)
    return differing


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare steps with the reference's.")
    parser.add_argument("games", nargs="*", default=list(tf.RULESETS), metavar="GAME")
    parser.add_argument("--pairs", type=int, default=2_000, help="a game")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rulesets = [tf.find_ruleset(game) for game in arguments.games]
    if sum(compare(ruleset, arguments.pairs, arguments.seed) for ruleset in rulesets):
        sys.exit(1)


if __name__ == "__main__":
    main()
