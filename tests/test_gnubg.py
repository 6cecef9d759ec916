"""An authority from outside: GNU Backgammon's moves and IDs, as the package gnubg-nn has them.

Its board is two lists of 25 counts, the other side's first: index 0 to 23 is a side's own point 1
to 24, index 24 the bar. A lost turn has no results there. No kind of position had to be left out.
"""

from __future__ import annotations

import numpy as np
import pytest
from boards import ROLLS, by_row, from_array, shown, to_array
from exhaustive import complete, positions
from hypothesis import given, settings
from strategies import legal_boards
from test_corpus import CORPORA

import tavli_fast as tf
from tavli_fast.reference import Board

gnubg = pytest.importorskip("gnubg_nn", reason="gnubg-nn is in the extra `bench`, Linux on x86-64")


def theirs(board: Board, roll) -> list[tuple]:
    """The results of gnubg-nn, the other side's 25 counts before the mover's."""
    keys = gnubg.moves([list(board.opp[1:]), list(board.own[1:])], *map(int, roll))
    return [gnubg.boardfromkey(key) for key in keys]


def ours(results: list[Board], played: int) -> list[tuple]:
    return [(after.opp[1:], after.own[1:]) for after in results if played]


def agree(board: Board, roll, results: list[Board], played: int) -> None:
    expected, found = theirs(board, roll), ours(results, played)
    assert len(found) == len(expected), (shown(board), roll)
    assert sorted(found) == sorted(expected), (shown(board), roll)


@pytest.mark.parametrize("ruleset", [tf.PORTES, tf.BACKGAMMON], ids=str)
def test_corpus(ruleset):
    corpus = CORPORA[ruleset.game]()
    records, rolls = corpus.records[::20], corpus.rolls[::20]
    found = tf.afterstates(records, rolls, ruleset)
    for each in zip(from_array(records), rolls, by_row(found), found.played, strict=True):
        agree(*each)


def test_counts_of_the_whole_corpus():
    """Their counts are the corpus's own, made by another build of the same generator."""
    corpus = CORPORA["backgammon"]()
    boards = from_array(corpus.records)
    counts = [len(theirs(*pair)) for pair in zip(boards, corpus.rolls, strict=True)]
    assert np.array_equal(counts, np.where(corpus.lost, 0, corpus.counts))


def test_position_ids_of_the_whole_corpus():
    """Theirs tell of the other side first, as the boards that their generator takes do."""
    corpus = CORPORA["backgammon"]()
    for position in tf.from_records(corpus.records, corpus.ruleset):
        text = position.to_gnubg_id()
        sides = [list(position.opp[1:]), list(position.own[1:])]
        assert text == gnubg.position_id(sides)
        assert gnubg.board_from_position_id(text) == sides
        assert tf.Position.from_gnubg_id(text, corpus.ruleset) == position


def test_small_ends():
    """One and two checkers left a side, bearing off and from the bar."""
    records = complete(*positions(tf.PORTES), tf.PORTES)[::101]
    found = tf.afterstates(records, tf.ALL_ROLLS, tf.PORTES)
    pairs = [(board, roll) for board in from_array(records) for roll in ROLLS]
    for (board, roll), results, played in zip(pairs, by_row(found), found.played, strict=True):
        agree(board, roll, results, played)


@settings(max_examples=200)
@given(legal_boards(tf.PORTES))
def test_arbitrary_boards(board):
    found = tf.afterstates(to_array([board]), tf.ALL_ROLLS, tf.PORTES)
    for roll, results, played in zip(ROLLS, by_row(found), found.played, strict=True):
        agree(board, roll, results, played)
