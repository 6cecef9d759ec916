"""All positions with one or two checkers left a side; `exhaustive.py` tells how.

With 13 checkers off there is no runner and no wall of six, so that Fevga stands for its kin and
Portes for backgammon, which the last test shows.
"""

from __future__ import annotations

import numpy as np
import pytest
from boards import ROLLS, agree_with_reference, from_array
from exhaustive import SPAN, brute_force, kernel, positions, to_array

import tavli_fast as tf

GAMES = [tf.PORTES, tf.TAVLA, tf.FEVGA]
ONE_EACH = {tf.PORTES: 25 * 25 - 24, tf.TAVLA: 25 * 25 - 24, tf.FEVGA: 24 * 23}
"""The bar is a 25th place in games with hits, and the only one that both sides may be on."""


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_one_checker_each_against_the_reference(ruleset):
    own, opp = positions(ruleset)
    alone = (own > 0).sum(axis=0) + (opp > 0).sum(axis=0) == 2
    assert alone.sum() == ONE_EACH[ruleset]
    agree_with_reference(from_array(to_array(own[:, alone], opp[:, alone])), ruleset)


@pytest.mark.parametrize("bear_off", ["if_other_step", "optional"])
@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_every_two_hundredth_against_the_reference(ruleset, bear_off):
    records = to_array(*positions(ruleset))[::199]
    agree_with_reference(from_array(records), ruleset.replace(bear_off=bear_off))


@pytest.mark.parametrize("kind", ["mixed", "double"])
@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_all_against_brute_force_on_arrays(ruleset, kind):
    rolls = [roll for roll in ROLLS if (roll[0] == roll[1]) == (kind == "double")]
    own, opp = positions(ruleset)
    # A few thousand at a time stay in the processor's cache.
    for start in range(0, own.shape[1], 4096):
        some = slice(start, start + 4096)
        records = to_array(own[:, some], opp[:, some])
        for roll in rolls:
            expected, most = brute_force(own[:, some], opp[:, some], roll, ruleset)
            found, played = kernel(records, roll, ruleset)
            if not np.array_equal(expected, found):
                odd = np.setxor1d(expected, found)
                where = records[odd[0] // SPAN**2] if odd.size else "some results repeat"
                pytest.fail(f"{ruleset} {roll}: {odd.size} results differ, first of {where}")
            assert np.array_equal(most, played), f"{ruleset} {roll}: numbers played differ"


@pytest.mark.parametrize(
    ("one", "other"), [(tf.PORTES, tf.BACKGAMMON), (tf.FEVGA, tf.MOULTEZIM)], ids=str
)
def test_kin_play_small_ends_alike(one, other):
    records = to_array(*positions(one))
    ours, theirs = (tf.afterstates(records, tf.ALL_ROLLS, ruleset) for ruleset in (one, other))
    assert ours.positions.tobytes() == theirs.positions.tobytes()
    assert np.array_equal(ours.offsets, theirs.offsets)
