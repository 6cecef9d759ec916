"""Every position with few checkers left, the others borne off.

So few checkers need neither runner rule nor walls of six, so that a second brute force fits here
that plays all positions at once on arrays: every order of the dice, every choice of checkers. Of a
turn's opposing pins nothing need be kept: one checker of his on a point of mine is pinned there,
unless mine is the one that lies under it, which it does for the whole turn.

The tests hold the kernel against it on everything with one or two checkers a side, and both against
the reference on a part. Commands go further, for rulesets that may have options:

    python tests/exhaustive.py --ends [--arrays | --kept FOLDER] [RULESET ...]
    python tests/exhaustive.py --three [--arrays | --kept FOLDER] [RULESET ...]
    python tests/exhaustive.py --bear-off [--kept FOLDER] [RULESET ...]

`--ends` are one or two checkers a side; `--three` are up to three on one side and two on the other;
`--bear-off` all 54,264 ways in which fifteen checkers can be at home or off, against a side that is
far away. With `--arrays` the brute force on arrays is asked, some ten thousand positions a second
with all their rolls, and both ways of `bear_off` are judged at once; otherwise the reference, which
does 200 to 600. With `--kept` what it said is kept in a folder, a number a position, so that a run
that was stopped goes on where it was, and a changed kernel is judged in seconds; without a sort of
positions one in a thousand of each is asked.
"""

from __future__ import annotations

import argparse
import gc
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from boards import (
    ROLLS,
    agree_with_reference,
    as_bytes,
    board,
    by_reference,
    facing,
    fingerprints,
    fingerprints_of,
    fnv_1a,
    from_array,
    to_array,
)
from compare import AUTHORITIES, answers_folder
from tqdm import tqdm

import tavli_fast as tf
from tavli_fast.reference import Board
from tavli_fast.rules import BAR, Contact, Movement, Ruleset

HEAD = 24
THREE = 3


def distinct_weights() -> np.ndarray:
    """A weight for each of 26 places, none for off, so that any three places have a sum of their
    own, in whatever order: each the lowest that does not repeat a sum."""
    weights, sums = [0], {0}
    while len(weights) < 26:
        for weight in itertools.count(weights[-1] + 1):
            pairs = itertools.combinations_with_replacement([*weights, weight], THREE - 1)
            added = [sum(pair) + weight for pair in pairs]
            if len(set(added)) == len(added) and sums.isdisjoint(added):
                break
        weights.append(weight)
        sums.update(added)
    return np.array(weights, dtype=np.int64)


WEIGHTS = distinct_weights()
SPAN = THREE * int(WEIGHTS[-1]) + 1


def positions(
    ruleset: Ruleset, mine: int = 2, his: int = 2
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All with one to so many checkers of each side: the points of the own ones, (mine, n), of the
    opposing ones, (his, n), 0 for off, and which own ones are pinned, (mine, n)."""
    highest = BAR if ruleset.contact is Contact.HIT else BAR - 1
    one, other = (
        np.array(
            list(itertools.combinations_with_replacement(range(highest + 1), checkers))[1:],
            dtype=np.int16,
        ).T
        for checkers in (mine, his)
    )
    own, opp = (side.reshape(-1) for side in np.indices((one.shape[1], other.shape[1])))
    own, opp = one[:, own], other[:, opp]
    met = (facing_all(own, ruleset)[:, None] == opp[None, :]).sum(axis=1)
    alone = (own[:, None] == own[None, :]).sum(axis=1) == 1
    # Alone on a point with one of his either may lie under the other; with two of his it is mine.
    may = (met > 0) & alone & (ruleset.contact is Contact.PIN)
    must = met >= (2 if ruleset.contact is Contact.PIN else 1)
    found = []
    for pins in itertools.product([False, True], repeat=mine):
        pinned = np.array(pins)[:, None]
        legal = ((must <= pinned) & (pinned <= may)).all(axis=0)
        found.append((own[:, legal], opp[:, legal], np.tile(pinned, legal.sum())))
    return tuple(np.concatenate(each, axis=1) for each in zip(*found, strict=True))


def facing_all(points: np.ndarray, ruleset: Ruleset) -> np.ndarray:
    """The other side's numbers of points; -1, where nobody stands, for off and the bar."""
    if ruleset.movement is Movement.CONTRARY:
        other = BAR - points
    else:
        other = np.where(points <= 12, points + 12, points - 12)
    return np.where((points >= 1) & (points <= 24), other, -1)


class Stage(NamedTuple):
    """Positions in the middle of a turn."""

    own: np.ndarray
    opp: np.ndarray
    held: np.ndarray
    """Own checkers that may not move on: pinned, or having hit at home."""
    played: np.ndarray
    over: np.ndarray
    """A pinned mother has ended the game."""


def step(
    stage: Stage, who: int, number: int, pinned: np.ndarray, stay: np.ndarray, ruleset: Ruleset
) -> tuple[np.ndarray, Stage]:
    """Move one checker of every position by a number: where it may, and how it would stand then."""
    own, opp = stage.own, stage.opp
    source = own[who]
    target = np.maximum(source - number, 0)
    may = (source > 0) & ~stage.over & ~stage.held[who]
    may &= (source == BAR) | (own != BAR).all(axis=0)
    may &= (source != HEAD) | ((own == HEAD).sum(axis=0) > stay)
    off = target == 0
    highest = own.max(axis=0)
    may &= ~off | ((highest <= 6) & ((source == number) | (source == highest)))
    if ruleset.bear_off_while_pinned == "forbidden":
        may &= ~off | ~pinned.any(axis=0)
    met = facing_all(target, ruleset) == opp
    if ruleset.contact is Contact.HOLD:
        may &= ~met.any(axis=0)
    else:
        may &= met.sum(axis=0) < 2
        may &= ~(met.any(axis=0) & (pinned & (own == target)).any(axis=0))
    after_own, after_opp, after_held = own.copy(), opp.copy(), stage.held.copy()
    after_own[who] = target
    if ruleset.contact is Contact.HIT:
        after_opp[met] = BAR
    if ruleset.hit_and_run == "not_at_home":
        after_held[who] |= met.any(axis=0) & (target <= 6)
    over = stage.over
    if ruleset.mother != "off":
        over = over | mother_ends_game(after_own, after_opp, pinned, ruleset)
    return may, Stage(after_own, after_opp, after_held, stage.played + np.uint8(1), over)


def mother_ends_game(
    own: np.ndarray, opp: np.ndarray, pinned: np.ndarray, ruleset: Ruleset
) -> np.ndarray:
    """Where a pinned mother is lost, or both are pinned."""
    if ruleset.contact is not Contact.PIN:
        return np.zeros(own.shape[1], dtype=bool)
    mine = (pinned & (own == HEAD)).any(axis=0)
    his = (opp == HEAD).any(axis=0) & (~pinned & (own == 1)).any(axis=0)
    over = mine & his
    if ruleset.mother == "unless_mutual":
        over |= mine & (opp != HEAD).all(axis=0)
        over |= his & (own != HEAD).all(axis=0)
    if ruleset.mother == "loss":
        over |= mine | his
    return over


class Answer(NamedTuple):
    """What can come of a roll in every position, as sorted keys of distinct results."""

    results: np.ndarray
    optional: np.ndarray
    """The same and the stops before bearing off, for `bear_off=optional`."""
    played: np.ndarray
    """The most numbers that a turn plays, by position."""


Tree = list[list[Stage]]
"""By numbers played, the stages of one order of the dice; of n checkers the n stages after the i-th
are those from n * i on."""


def brute_force(
    own: np.ndarray, opp: np.ndarray, pinned: np.ndarray, roll: tuple[int, int], ruleset: Ruleset
) -> Answer:
    first, second = roll
    orders = {(first, second), (second, first)} if first != second else {(first,) * 4}
    stay = np.zeros(own.shape[1], dtype=np.int64)
    if ruleset.head == "one_a_turn":
        stay = (own == HEAD).sum(axis=0) - 1
    none = np.zeros(own.shape[1], dtype=np.uint8)
    over = mother_ends_game(own, opp, pinned, ruleset)
    trees, numbers, lone_numbers = [], [], []
    for order in sorted(orders):
        tree = [[Stage(own, opp, pinned, none, over)]]
        for turn, number in enumerate(order):
            stages = [
                go_on(stage, turn, who, number, pinned, stay, ruleset)
                for stage in tree[-1]
                for who in range(len(own))
            ]
            tree.append(stages)
        trees.append(tree)
        # A game that has ended counts as having used every number.
        numbers.append([np.where(end.over, len(order), end.played) for end in tree[-1]])
        lone_numbers.append([np.where(number == 1, order[0], 0) for number in numbers[-1]])
    number, lone = np.array(numbers), np.array(lone_numbers)
    kept = number == number.max(axis=(0, 1))
    if first != second:
        kept &= lone == np.where(kept, lone, 0).max(axis=(0, 1))
    ends = [end for tree in trees for end in tree[-1]]
    kept_ends = list(zip(ends, kept.reshape(len(ends), -1), strict=True))
    played = np.max([np.where(keep, end.played, 0) for end, keep in kept_ends], axis=0)
    results = distinct(*(keys_of(end, keep) for end, keep in kept_ends))
    early = (keys_of(stage, stop) for stage, stop in stops(trees, kept))
    return Answer(results, distinct(results, *early), played)


def stops(trees: list[Tree], kept: np.ndarray) -> list[tuple[Stage, np.ndarray]]:
    """Stages, and where they are on the way to a legal end and only bearing off can go on."""
    # Before the first number of a mixed roll either can be played.
    groups = [[(which, 0, 0) for which in range(len(trees))]]
    groups += [
        [(which, level, at)]
        for which, tree in enumerate(trees)
        for level in range(1, len(tree) - 1)
        for at in range(len(tree[level]))
    ]
    found = []
    for group in groups:
        off, other, leads_on = np.zeros((3, kept.shape[2]), dtype=bool)
        for which, level, at in group:
            tree = trees[which]
            stage = tree[level][at]
            checkers = len(stage.own)
            for after in tree[level + 1][checkers * at : checkers * (at + 1)]:
                goes = after.played > level
                goes_off = ((after.own == 0) & (stage.own != 0)).any(axis=0)
                off |= goes & goes_off
                other |= goes & ~goes_off
            ends = checkers ** (len(tree) - 1 - level)
            leads_on |= kept[which, at * ends : (at + 1) * ends].any(axis=0)
        found.append((stage, off & ~other & leads_on))
    return found


def distinct(*found: np.ndarray) -> np.ndarray:
    together = np.sort(np.concatenate(found))
    return together[np.diff(together, prepend=-1) > 0]


def keys_of(stage: Stage, where: np.ndarray) -> np.ndarray:
    """What stands at a stage in some rows."""
    rows = np.flatnonzero(where)
    own, opp = (WEIGHTS[side[:, rows]].sum(axis=0) for side in (stage.own, stage.opp))
    return keys(rows, own, opp)


def go_on(
    stage: Stage,
    turn: int,
    who: int,
    number: int,
    pinned: np.ndarray,
    stay: np.ndarray,
    ruleset: Ruleset,
) -> Stage:
    """Play one more number with one checker wherever no number before it failed."""
    may, after = step(stage, who, number, pinned, stay, ruleset)
    may &= stage.played == turn
    return Stage(*(np.where(may, new, old) for new, old in zip(after, stage, strict=True)))


def keys(rows: np.ndarray, own: np.ndarray, opp: np.ndarray) -> np.ndarray:
    """One integer for the row and what stands there."""
    return (rows * SPAN + own) * SPAN + opp


def kernel(
    records: np.ndarray, roll: tuple[int, int], ruleset: Ruleset
) -> tuple[np.ndarray, np.ndarray]:
    """What the kernel makes of the same positions: sorted keys, repeats and all, and numbers."""
    rolls = np.tile(np.array(roll, dtype=np.uint8), (len(records), 1))
    found = tf.afterstates(records, rolls, ruleset)
    rows = np.repeat(
        np.arange(len(records), dtype=np.int64), np.diff(found.offsets).astype(np.intp)
    )
    sides = []
    for name in ("own", "opp"):
        # Such small integers are exact in single precision, which multiplies far faster.
        checkers = found.positions[name]["checkers"].astype(np.float32)
        assert (checkers.sum(axis=1) == ruleset.checkers).all()
        assert (checkers[:, 0] >= ruleset.checkers - THREE).all()
        sides.append((checkers @ WEIGHTS.astype(np.float32)).astype(np.int64))
    own, opp = sides
    own_pinned = records["own"]["pinned"][rows]
    assert np.array_equal(found.positions["own"]["pinned"], own_pinned)
    his_pinned = under_mine(found.positions, own_pinned, ruleset)
    assert np.array_equal(found.positions["opp"]["pinned"], his_pinned)
    return np.sort(keys(rows, own, opp)), found.played


def under_mine(records: np.ndarray, own_pinned: np.ndarray, ruleset: Ruleset) -> np.ndarray:
    """The opposing pins of records, as masks: whoever shares a point and does not lie on top."""
    masks = np.zeros(len(records), dtype=np.uint32)
    if ruleset.contact is not Contact.PIN:
        return masks
    own, opp = records["own"]["checkers"], records["opp"]["checkers"]
    for point in range(1, 25):
        shared = (own[:, 25 - point] > 0) & (opp[:, point] > 0)
        masks |= (shared & ~(own_pinned >> 25 - point & 1).astype(bool)).astype(np.uint32) << point
    return masks


def complete(own: np.ndarray, opp: np.ndarray, pinned: np.ndarray, ruleset: Ruleset) -> np.ndarray:
    """The positions as records, with all the other checkers of the game borne off."""
    records = np.zeros(own.shape[1], dtype=tf.POSITION)
    rows = np.arange(own.shape[1])
    for name, points in (("own", own), ("opp", opp)):
        checkers = records[name]["checkers"]
        checkers[:, 0] = ruleset.checkers - len(points)
        for who in range(len(points)):
            checkers[rows, points[who]] += 1
    for who in range(len(own)):
        mask = pinned[who].astype(np.uint32) << own[who].astype(np.uint32)
        records["own"]["pinned"] |= mask
    records["opp"]["pinned"] = under_mine(records, records["own"]["pinned"], ruleset)
    return records


def agree_on_arrays(
    own: np.ndarray,
    opp: np.ndarray,
    pinned: np.ndarray,
    roll: tuple[int, int],
    rulesets: Sequence[Ruleset],
) -> None:
    """Fail, and show the first position, unless the kernel finds what the brute force does, by
    rulesets that so few checkers cannot tell apart and by either way of bearing off."""
    answer = brute_force(own, opp, pinned, roll, rulesets[0])
    ways = {"if_other_step": answer.results, "optional": answer.optional}
    for ruleset, (way, expected) in itertools.product(rulesets, ways.items()):
        records, judged = complete(own, opp, pinned, ruleset), ruleset.replace(bear_off=way)
        found, played = kernel(records, roll, judged)
        if not np.array_equal(expected, found):
            odd = np.setxor1d(expected, found)
            where = records[odd[0] // SPAN**2] if odd.size else "some results repeat"
            raise AssertionError(f"{judged} {roll}: {odd.size} results differ, first of {where}")
        assert np.array_equal(answer.played, played), f"{judged} {roll}: numbers played differ"


PIECE = 1_000
"""Positions proved at once."""
CACHED = 4096


def in_cache(*sides: np.ndarray) -> Iterator[list[np.ndarray]]:
    """So many positions at once that what is made of them stays in the processor's cache."""
    for start in range(0, sides[0].shape[1], CACHED):
        yield [side[:, start : start + CACHED] for side in sides]


def lone_side(most: int, highest: int) -> Iterator[tuple[int, ...]]:
    """Where up to so many checkers can be, all others off."""
    for number in range(1, most + 1):
        yield from itertools.combinations_with_replacement(range(1, highest + 1), number)


def sides(own: tuple[int, ...], opp: tuple[int, ...], ruleset: Ruleset) -> Iterator[Board]:
    """The board, if there is one, with its pins in every way."""
    plain = board(Counter(own), Counter(opp), ruleset.checkers)
    shared = [
        point
        for point in range(1, 25)
        if plain.own[point] and plain.opp[facing(ruleset.movement, point)]
    ]
    if shared and ruleset.contact is not Contact.PIN:
        return
    ways = []
    for point in shared:
        his = facing(ruleset.movement, point)
        mine_under = [(point, None)] if plain.own[point] == 1 else []
        his_under = [(None, his)] if plain.opp[his] == 1 else []
        ways.append(mine_under + his_under)
    for way in itertools.product(*ways):
        yield plain._replace(
            own_pinned=frozenset(mine for mine, _ in way if mine),
            opp_pinned=frozenset(his for _, his in way if his),
        )


def ends(ruleset: Ruleset) -> Iterator[Board]:
    records = complete(*positions(ruleset), ruleset)
    for start in range(0, len(records), PIECE):
        yield from from_array(records[start : start + PIECE])


def three(ruleset: Ruleset) -> Iterator[Board]:
    highest = BAR if ruleset.contact is Contact.HIT else BAR - 1
    for most in ((3, 2), (2, 3)):
        for own in lone_side(most[0], highest):
            for opp in lone_side(most[1], highest):
                # Both orders of two by two are among the first.
                if most == (3, 2) or len(opp) == 3:
                    yield from sides(own, opp, ruleset)


def bear_off(ruleset: Ruleset) -> Iterator[Board]:
    """As many as there are ways to lay fifteen checkers on six points and off."""
    for home in itertools.combinations_with_replacement(range(7), ruleset.checkers):
        yield board(Counter(home), {1: ruleset.checkers}, ruleset.checkers)


SORTS = {"ends": ends, "three": three, "bear-off": bear_off}


def digests(counts: np.ndarray, played: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """One number a position of what was found for its rolls, each (n, 21): (n,) uint64."""
    of_pairs = np.stack([counts, played, sums], axis=-1).astype(np.uint64)
    return fnv_1a(of_pairs.reshape(len(counts), -1).view(np.uint8))


def by_kernel(records: np.ndarray, ruleset: Ruleset) -> np.ndarray:
    found = tf.afterstates(records, tf.ALL_ROLLS, ruleset)
    columns = np.diff(found.offsets), found.played, fingerprints(found)
    return digests(*(column.reshape(len(records), -1) for column in columns))


def by_slow_play(boards: list[Board], ruleset: Ruleset) -> np.ndarray:
    found = [by_reference(each, roll, ruleset) for each in boards for roll in ROLLS]
    counts, played = [len(results) for results, _ in found], [most for _, most in found]
    sums = fingerprints_of([results for results, _ in found])
    return digests(*(np.reshape(column, (len(boards), -1)) for column in (counts, played, sums)))


def kept_digests(
    boards: list[Board], records: np.ndarray, ruleset: Ruleset, file: Path | None
) -> np.ndarray:
    """What the reference finds for a piece of the positions, from its file if there is one."""
    asked = fnv_1a(as_bytes(records))
    if file is not None and file.exists():
        of, answered = np.load(file)
        if np.array_equal(of, asked):
            return answered
    answered = by_slow_play(boards, ruleset)
    if file is not None:
        part = file.with_suffix(".part.npy")
        np.save(part, np.stack([asked, answered]))
        part.rename(file)
    return answered


def prove(sort: str, ruleset: Ruleset, step: int, kept: Path | None) -> int:
    """Hold the engines against each other on all positions of a sort, and count those."""
    held = 0
    whole = itertools.islice(SORTS[sort](ruleset), 0, None, step)
    with tqdm(desc=f"{ruleset} {sort}", unit=" positions", mininterval=1) as bar:
        for number in itertools.count():
            some = list(itertools.islice(whole, PIECE))
            if not some:
                return held
            file = kept / f"{ruleset} {sort} {step} {number}.npy" if kept else None
            records = to_array(some)
            expected = kept_digests(some, records, ruleset, file)
            differ = np.flatnonzero(by_kernel(records, ruleset) != expected)
            agree_with_reference([some[row] for row in differ], ruleset)
            assert not differ.size, f"{file} holds what the reference no longer says"
            held += len(some)
            bar.update(len(some))


SIDES = {"ends": [(2, 2)], "three": [(3, 2), (2, 3)]}


def prove_on_arrays(sort: str, ruleset: Ruleset) -> int:
    """The same as `prove` for the brute force on arrays and both ways of bearing off."""
    held = 0
    for mine, his in SIDES[sort]:
        own, opp, pinned = positions(ruleset, mine, his)
        # Two by two are among the first.
        new = (opp > 0).all(axis=0) if his > 2 else np.ones(own.shape[1], dtype=bool)
        own, opp, pinned = own[:, new], opp[:, new], pinned[:, new]
        with tqdm(desc=f"{ruleset} {sort}", total=own.shape[1], unit=" positions") as bar:
            for part in in_cache(own, opp, pinned):
                for roll in ROLLS:
                    agree_on_arrays(*part, roll, [ruleset])
                bar.update(part[0].shape[1])
        held += own.shape[1]
    return held


def main() -> None:
    parser = argparse.ArgumentParser(description="Prove the kernel on small ends.")
    parser.add_argument("rulesets", nargs="*", default=list(tf.RULESETS), metavar="RULESET")
    for sort in SORTS:
        parser.add_argument(f"--{sort}", action="append_const", dest="sorts", const=sort)
    parser.add_argument(
        "--arrays", action="store_true", help="by the brute force on arrays, not by the reference"
    )
    parser.add_argument("--kept", type=Path, help="folder to keep the reference's answers in")
    arguments = parser.parse_args()
    if arguments.arrays and (arguments.kept or not set(arguments.sorts or SORTS) <= set(SIDES)):
        parser.error("--arrays goes with --ends and --three alone")
    # The reference's tuples hold no cycles; looking for some took a third of the time.
    gc.disable()
    reference = AUTHORITIES[0]
    kept = answers_folder(arguments.kept, reference) if arguments.kept else None
    for text in arguments.rulesets:
        for sort in arguments.sorts or SORTS:
            ruleset = tf.find_ruleset(text)
            if arguments.arrays:
                held = prove_on_arrays(sort, ruleset)
            else:
                held = prove(sort, ruleset, 1 if arguments.sorts else 1009, kept)
            print(f"{ruleset} {sort}: {held} positions by 21 rolls, no difference", flush=True)


if __name__ == "__main__":
    main()
