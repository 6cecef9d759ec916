"""All positions with one or two checkers left a side, by all 21 rolls; `exhaustive.py` tells how.

Every game, under each option that such ends can tell from its default: stopping before bearing off,
hitting and running, the mother, bearing off while pinned, the head. The kernel meets a brute force
on all of them, and the reference where there is one checker a side and on a sample of the others.
The reference on all of them does not fit here: `python tests/exhaustive.py --ends` asks it.
"""

from __future__ import annotations

import itertools

import exhaustive
import numpy as np
import pytest
from boards import ROLLS, agree_with_reference, from_array, to_array
from exhaustive import agree_on_arrays, bear_off, complete, in_cache, positions, three

import tavli_fast as tf
from tavli_fast.rules import Contact, Ruleset

KIN = {
    tf.PORTES: [tf.BACKGAMMON, tf.NACKGAMMON, tf.HYPERGAMMON],
    tf.TAVLA: [],
    tf.PLAKOTO: [],
    tf.PLAKOTO.replace(mother="loss"): [],
    tf.TAPA: [],
    tf.MAHBUSA: [],
    tf.FEVGA: [tf.MOULTEZIM, tf.GUL_BARA, tf.LONG_NARDY.replace(head="free")],
    tf.LONG_NARDY: [],
    tf.GIOUL: [],
}
"""What tells these games apart is not on the board any more, so that one brute force does for all
of a family."""
GAMES = [ruleset for one, others in KIN.items() for ruleset in (one, *others)]


def one_each(ruleset: Ruleset) -> int:
    """The bar is a 25th place in games with hits, and the only one that both sides may be on;
    with pins, both orders of a shared point count."""
    return {
        Contact.HIT: 25 * 25 - 24,
        Contact.HOLD: 24 * 23,
        Contact.PIN: 24 * 23 + 2 * 24,
    }[ruleset.contact]


def two_each(ruleset: Ruleset) -> int:
    """Mine are on one point or two, and his where they leave him room."""
    one_point, two_points = 24, 24 * 23 // 2

    def pairs(points: int) -> int:
        return points * (points + 1) // 2

    if ruleset.contact is Contact.HOLD:
        return one_point * pairs(23) + two_points * pairs(22)
    if ruleset.contact is Contact.HIT:
        # A 25th place, the bar, takes nothing from him: of two of mine it may have one or both.
        return one_point * pairs(24) + two_points * pairs(23) + (24 * pairs(24) + pairs(25))
    # Each of his on a point of its own, or both on one: on none of mine, or sharing one, or both.
    apart = one_point * pairs(23) + two_points * pairs(22)
    under_two = one_point * 23
    under_or_over_one = two_points * (2 * 2 * 22 + 2 * 1)
    both_shared = two_points * 4
    return apart + under_two + under_or_over_one + both_shared


def test_every_game_is_here():
    assert set(GAMES) >= set(tf.RULESETS.values())


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_one_checker_each_against_the_reference(ruleset):
    own, opp, pinned = positions(ruleset, 1, 1)
    assert own.shape[1] == one_each(ruleset)
    agree_with_reference(from_array(complete(own, opp, pinned, ruleset)), ruleset)


@pytest.mark.parametrize("bear_off", ["if_other_step", "optional"])
@pytest.mark.parametrize("ruleset", KIN, ids=str)
def test_a_sample_against_the_reference(ruleset, bear_off):
    records = complete(*positions(ruleset), ruleset)[::997]
    agree_with_reference(from_array(records), ruleset.replace(bear_off=bear_off))


@pytest.mark.parametrize("sides", [(3, 2), (2, 3)], ids=str)
@pytest.mark.parametrize("ruleset", KIN, ids=str)
def test_three_against_two_on_samples(ruleset, sides):
    """Of the positions that `python tests/exhaustive.py --three` proves, by both authorities."""
    whole = positions(ruleset, *sides)
    few = [side[:, ::16_411] for side in whole]
    agree_with_reference(from_array(complete(*few, ruleset)), ruleset)
    some = [side[:, ::307] for side in whole]
    for roll in ROLLS:
        agree_on_arrays(*some, roll, [ruleset, *KIN[ruleset]])


@pytest.mark.parametrize("kind", ["mixed", "double"])
@pytest.mark.parametrize("ruleset", KIN, ids=str)
def test_all_against_brute_force_on_arrays(ruleset, kind):
    rolls = [roll for roll in ROLLS if (roll[0] == roll[1]) == (kind == "double")]
    own, opp, pinned = positions(ruleset)
    assert ((own > 0) & (opp > 0)).all(axis=0).sum() == two_each(ruleset)
    for part in in_cache(own, opp, pinned):
        for roll in rolls:
            agree_on_arrays(*part, roll, [ruleset, *KIN[ruleset]])


def test_the_positions_of_the_long_proofs():
    """Each legal and there once: all 54,264 at home, and the first ones of up to three and two."""
    home = list(bear_off(tf.PORTES))
    assert len(home) == len(set(home)) == 54_264
    for ruleset in (tf.PLAKOTO, tf.GIOUL):
        some = list(itertools.islice(three(ruleset), 3000))
        assert len(some) == len(set(some)) == 3000
        tf.check_records(to_array(some), ruleset)
        agree_with_reference(home[5::20_011] + some[::1009], ruleset)


def test_a_proof_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    few = list(itertools.islice(three(tf.PORTES), 25))
    monkeypatch.setitem(exhaustive.SORTS, "three", lambda ruleset: iter(few))
    monkeypatch.setattr(exhaustive, "PIECE", 10)
    assert exhaustive.prove("three", tf.PORTES, 1, tmp_path) == 25
    kept = sorted(tmp_path.iterdir())
    assert [len(np.load(each)[1]) for each in kept] == [10, 10, 5]

    by_slow_play, asked = exhaustive.by_slow_play, []
    monkeypatch.setattr(
        exhaustive,
        "by_slow_play",
        lambda boards, ruleset: asked.append(len(boards)) or by_slow_play(boards, ruleset),
    )
    kept[1].unlink()
    assert exhaustive.prove("three", tf.PORTES, 1, tmp_path) == 25
    assert asked == [10]
    # Answers to other positions are of no use.
    few[0], few[1] = few[1], few[0]
    assert exhaustive.prove("three", tf.PORTES, 1, tmp_path) == 25
    assert asked == [10, 10]


def test_answers_that_are_no_longer_given_are_told(tmp_path, monkeypatch):
    few = list(itertools.islice(three(tf.PORTES), 25))
    monkeypatch.setitem(exhaustive.SORTS, "three", lambda ruleset: iter(few))
    exhaustive.prove("three", tf.PORTES, 1, tmp_path)
    (kept,) = tmp_path.iterdir()
    stored = np.load(kept)
    stored[1, 7] ^= np.uint64(1)
    np.save(kept, stored)
    with pytest.raises(AssertionError, match="holds what the reference no longer says"):
        exhaustive.prove("three", tf.PORTES, 1, tmp_path)
