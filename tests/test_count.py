"""Counting is making without the results: always the length of the list, error for error."""

from __future__ import annotations

import random

import numpy as np
import pytest
from boards import to_array
from hypothesis import given
from hypothesis import strategies as st
from strategies import arbitrary_board, legal_boards, random_play, variant, variants
from test_corpus import CORPORA

import tavli_fast as tf
from tavli_fast.rules import Ruleset

GAMES = list(tf.RULESETS.values())


def made(records: np.ndarray, rolls: np.ndarray, ruleset: Ruleset) -> list[int]:
    return np.diff(tf.afterstates(records, rolls, ruleset).offsets).tolist()


def same(records: np.ndarray, ruleset: Ruleset) -> None:
    counts = tf.count_afterstates(records, tf.ALL_ROLLS, ruleset)
    assert counts.dtype == np.int64
    assert counts.tolist() == made(records, tf.ALL_ROLLS, ruleset)


@pytest.mark.parametrize("name", CORPORA)
def test_corpora(name):
    corpus = CORPORA[name]()
    for rolls in (corpus.rolls, corpus.rolls[:, ::-1]):
        counts = tf.count_afterstates(corpus.records, rolls, corpus.ruleset)
        assert counts.tolist() == corpus.counts.tolist()


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_arbitrary_boards(ruleset):
    choose = random.Random(3)
    same(to_array([arbitrary_board(choose, ruleset) for _ in range(2000)]), ruleset)
    for _ in range(20):
        records = to_array([arbitrary_board(choose, ruleset) for _ in range(100)])
        same(records, variant(choose, ruleset))


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_random_play(ruleset):
    same(to_array(random_play(ruleset, seed=3, games=20, plies=100)), ruleset)


@given(data=st.data())
@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_any_board_under_any_options(ruleset, data):
    rules = data.draw(variants(ruleset))
    same(to_array([data.draw(legal_boards(ruleset))]), rules)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads(threads):
    corpus = CORPORA["portes"]()
    counts = tf.count_afterstates(corpus.records, corpus.rolls, corpus.ruleset, threads=threads)
    assert counts.tolist() == corpus.counts.tolist()


def test_nothing_to_count():
    assert tf.count_afterstates(tf.start_records(tf.FEVGA, 0), (6, 5), tf.FEVGA).shape == (0,)


@pytest.mark.parametrize("threads", [1, 2])
def test_errors_name_the_row(threads):
    records = tf.start_records(tf.FEVGA, 1000)
    rolls = np.full((1000, 2), 6, np.uint8)
    rolls[700] = (6, 7)
    with pytest.raises(
        ValueError, match=r"row 700: a roll is two numbers from 1 to 6, not \(6, 7\)"
    ):
        tf.count_afterstates(records, rolls, tf.FEVGA, threads=threads)
    records["own"]["checkers"][600, 3] = 1
    with pytest.raises(tf.IllegalPosition, match="row 600: own has 16 checkers, not 15"):
        tf.count_afterstates(records, (6, 5), tf.FEVGA, threads=threads)
