"""An authority from outside: GNU Backgammon's moves and IDs, as the package gnubg-nn has them.

No kind of position had to be left out. `tests/compare.py --against gnubg-nn` asks it for more.
"""

from __future__ import annotations

import pytest
from boards import ROLLS, by_gnubg, by_row, from_array, same_results, shown, to_array
from exhaustive import complete, positions
from hypothesis import given, settings
from strategies import legal_boards
from test_corpus import CORPORA

import tavli_fast as tf
from tavli_fast.reference import Board

gnubg = pytest.importorskip("gnubg_nn", reason="gnubg-nn is in the extra `bench`, Linux on x86-64")


def agree(board: Board, roll, results: list[Board], played: int) -> None:
    expected, lost = by_gnubg(board, tuple(map(int, roll)), tf.PORTES)
    same_results(expected, results, board, roll, tf.PORTES)
    assert (played == 0) == (lost == 0), (shown(board), roll)


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
    for board, roll, lost, count in zip(
        boards, corpus.rolls.tolist(), corpus.lost, corpus.counts, strict=True
    ):
        found, played = by_gnubg(board, roll, corpus.ruleset)
        assert ((played == 0), len(found)) == (lost, count)


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
