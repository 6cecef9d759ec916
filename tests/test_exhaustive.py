"""All positions with one or two checkers left a side; `exhaustive.py` tells how.

With 13 checkers off there is no runner and no wall of six, so that Fevga stands for its kin and
Portes for backgammon, which the last test shows. The other games have three checkers at most.
"""

from __future__ import annotations

import numpy as np
import pytest
from boards import ROLLS, agree_with_reference, from_array
from exhaustive import SPAN, brute_force, complete, kernel, positions

import tavli_fast as tf
from tavli_fast.rules import Contact, Ruleset

MOST = {
    tf.PORTES: 4,
    tf.TAVLA: 4,
    tf.FEVGA: 4,
    tf.PLAKOTO: 3,
    tf.PLAKOTO.replace(mother="loss"): 3,
    tf.TAPA: 3,
    tf.MAHBUSA: 3,
    tf.GUL_BARA: 3,
    tf.GIOUL: 3,
    tf.LONG_NARDY: 3,
}
"""Checkers left on both sides together."""
GAMES = list(MOST)


def one_each(ruleset: Ruleset) -> int:
    """The bar is a 25th place in games with hits, and the only one that both sides may be on;
    with pins, both orders of a shared point count."""
    return {
        Contact.HIT: 25 * 25 - 24,
        Contact.HOLD: 24 * 23,
        Contact.PIN: 24 * 23 + 2 * 24,
    }[ruleset.contact]


def ends(ruleset: Ruleset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return positions(ruleset, MOST[ruleset])


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_one_checker_each_against_the_reference(ruleset):
    own, opp, pinned = positions(ruleset, 2)
    assert own.shape[1] == one_each(ruleset)
    agree_with_reference(from_array(complete(own, opp, pinned, ruleset)), ruleset)


@pytest.mark.parametrize("bear_off", ["if_other_step", "optional"])
@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_every_two_hundredth_against_the_reference(ruleset, bear_off):
    records = complete(*ends(ruleset), ruleset)[::199]
    agree_with_reference(from_array(records), ruleset.replace(bear_off=bear_off))


@pytest.mark.parametrize("kind", ["mixed", "double"])
@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_all_against_brute_force_on_arrays(ruleset, kind):
    rolls = [roll for roll in ROLLS if (roll[0] == roll[1]) == (kind == "double")]
    own, opp, pinned = ends(ruleset)
    # A few thousand at a time stay in the processor's cache.
    for start in range(0, own.shape[1], 4096):
        some = slice(start, start + 4096)
        part = own[:, some], opp[:, some], pinned[:, some]
        records = complete(*part, ruleset)
        for roll in rolls:
            expected, most = brute_force(*part, roll, ruleset)
            found, played = kernel(records, roll, ruleset)
            if not np.array_equal(expected, found):
                odd = np.setxor1d(expected, found)
                where = records[odd[0] // SPAN**2] if odd.size else "some results repeat"
                pytest.fail(f"{ruleset} {roll}: {odd.size} results differ, first of {where}")
            assert np.array_equal(most, played), f"{ruleset} {roll}: numbers played differ"


@pytest.mark.parametrize(
    ("one", "other"),
    [(tf.PORTES, tf.BACKGAMMON), (tf.FEVGA, tf.MOULTEZIM), (tf.FEVGA, tf.GUL_BARA)],
    ids=str,
)
def test_kin_play_small_ends_alike(one, other):
    records = complete(*positions(one), one)
    ours, theirs = (tf.afterstates(records, tf.ALL_ROLLS, ruleset) for ruleset in (one, other))
    assert ours.positions.tobytes() == theirs.positions.tobytes()
    assert np.array_equal(ours.offsets, theirs.offsets)
