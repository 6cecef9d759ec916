"""Threads that share rulesets and positions, with the GIL and, where Python has none, without."""

from __future__ import annotations

import sys
import sysconfig

import numpy as np
import pytest
from threads import by_all, check_new_rulesets, check_shared_positions

import tavli_fast as tf

GAMES = list(tf.RULESETS.values())


def test_new_rulesets():
    check_new_rulesets(tf.Position, GAMES)


def test_shared_positions():
    check_shared_positions(tf.Position, GAMES)


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_shared_records(ruleset):
    records = tf.start_records(ruleset, 200)
    expected = tf.afterstates(records, tf.ALL_ROLLS, ruleset).positions
    for found in by_all(lambda: tf.afterstates(records, tf.ALL_ROLLS, ruleset, threads=2)):
        assert np.array_equal(found.positions, expected)


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a GIL in any case"
)
def test_the_gil_does_not_come_back():
    """It does as soon as one module is not declared to be safe without."""
    assert not sys._is_gil_enabled()
