"""Units of networks against the definition that their names give."""

from __future__ import annotations

import re

import numpy as np
import pytest
from boards import to_array
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import legal_boards

import tavli_fast as tf


def unit(name, board, on_roll):
    """What a unit says of a position, read off its name."""
    side, where = name.split()[:2]
    counts = {"own": board.own, "opp": board.opp}[side]
    pinned = {"own": board.own_pinned, "opp": board.opp_pinned}[side]
    if where == "on":
        return float(side == on_roll)
    point = {"off": 0, "bar": 25}.get(where) or int(where if where.isdigit() else 0)
    n = counts[point]
    what = name.split(maxsplit=2)[2]
    if what == "pinned":
        return float(point in pinned)
    if what.startswith(">="):
        return float(n >= int(what[3:]))
    if what == "(n - 3) / 2":
        return max(n - 3, 0) / 2
    return n / int(re.fullmatch(r"n / (\d+)", what)[1])


@pytest.mark.parametrize("encoding", ["td_gammon", "compact"])
@pytest.mark.parametrize("ruleset", tf.RULESETS.values(), ids=lambda ruleset: ruleset.game)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_units_are_what_their_names_say(ruleset, encoding, data):
    found = data.draw(st.lists(legal_boards(ruleset), min_size=1, max_size=4))
    on_roll = data.draw(st.sampled_from(["own", "opp"]))
    names = tf.feature_names(ruleset, encoding)
    assert len(set(names)) == len(names)
    units = tf.features(to_array(found), ruleset, encoding=encoding, on_roll=on_roll)
    assert units.dtype == np.float32
    assert units.shape == (len(found), len(names))
    for row, board in zip(units, found, strict=True):
        expected = [unit(name, board, on_roll) for name in names]
        np.testing.assert_allclose(row, expected, rtol=1e-6)


def test_the_start_of_backgammon_as_tesauro_has_it():
    """Of the 198 units those for two, three, five and more checkers; 2 on roll."""
    units = tf.features(tf.start_records(tf.BACKGAMMON, 1), tf.BACKGAMMON)[0]
    own = units[:96].reshape(24, 4)
    assert own[23].tolist() == [1, 1, 0, 0]
    assert own[12].tolist() == [1, 1, 1, 1]
    assert own[7].tolist() == [1, 1, 1, 0]
    assert own[5].tolist() == [1, 1, 1, 1]
    assert own.sum() == 2 + 4 + 3 + 4
    assert (units[:98] == units[98:196]).all()
    assert units[196:].tolist() == [1, 0]


def test_threads_and_out_make_no_difference():
    records = tf.afterstates(tf.start_records(tf.TAPA, 60), tf.ALL_ROLLS, tf.TAPA).positions
    alone = tf.features(records, tf.TAPA)
    out = np.full((len(records) + 2, 246), -1, np.float32)
    together = tf.features(records, tf.TAPA, out=out, threads=3)
    assert np.shares_memory(together, out)
    assert (alone == together).all()
    assert (out[len(records) :] == -1).all()


def test_no_records_have_no_units():
    assert tf.features(tf.start_records(tf.PORTES, 0), tf.PORTES).shape == (0, 198)


def test_a_bad_record_is_named_by_its_row():
    records = tf.start_records(tf.PORTES, 5000)
    records["own"]["checkers"][[3000, 4000], 6] = 250
    for threads in (1, 3):
        with pytest.raises(tf.IllegalPosition, match="row 3000: own has 260 checkers"):
            tf.features(records, tf.PORTES, threads=threads)


ROOM = np.zeros((4, 198), np.float32)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (ROOM.astype(float), "out is float64"),
        (ROOM[0], r"out is float32 \(198,\), not a two-dimensional float32 array"),
        ([[0.0]], "out is list"),
        (ROOM[:2], r"out has shape \(2, 198\); \(3, 198\) is needed"),
        (ROOM[:, :100], r"out has shape \(4, 100\); \(3, 198\) is needed"),
        (np.zeros((4, 200), np.float32)[:, :198], "out is not contiguous"),
        (ROOM[::-1], "out is not contiguous"),
        (np.zeros(4 * 198 * 4 + 1, np.uint8)[1:].view(np.float32).reshape(4, 198), "aligned"),
        (np.broadcast_to(np.float32(0), (4, 198)), "out is not contiguous"),
        (ROOM.astype(">f4"), "out is >f4"),
    ],
)
def test_an_unfit_out_is_refused(out, message):
    with pytest.raises(ValueError, match=message):
        tf.features(tf.start_records(tf.PORTES, 3), tf.PORTES, out=out)


def test_an_out_that_cannot_be_written_to_is_refused():
    out = np.zeros((3, 198), np.float32)
    out.setflags(write=False)
    with pytest.raises(ValueError, match="out is not writable"):
        tf.features(tf.start_records(tf.PORTES, 3), tf.PORTES, out=out)


def test_an_out_that_is_the_records_is_refused():
    room = np.zeros((64, 198), np.float32)
    records = room.reshape(-1).view(tf.POSITION)[:3]
    records[:] = tf.start_records(tf.PORTES, 3)
    with pytest.raises(ValueError, match="out overlaps records"):
        tf.features(records, tf.PORTES, out=room)


def test_bad_words_are_named():
    records = tf.start_records(tf.PORTES, 1)
    with pytest.raises(
        ValueError, match="encoding cannot be 'raw'; it is one of td_gammon, compact"
    ):
        tf.features(records, tf.PORTES, encoding="raw")
    with pytest.raises(ValueError, match="encoding cannot be 'raw'"):
        tf.feature_names(tf.PORTES, "raw")
    with pytest.raises(ValueError, match="on_roll is 'own' or 'opp', not 'white'"):
        tf.features(records, tf.PORTES, on_roll="white")
