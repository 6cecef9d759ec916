"""An authority from outside: GNU Backgammon's moves and IDs, as the package gnubg-nn has them.

No kind of position had to be left out. `tests/compare.py --against gnubg-nn` asks it for more.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from boards import ROLLS, by_gnubg, by_row, from_array, same_results, shown, to_array
from exhaustive import complete, positions
from hypothesis import given, settings
from strategies import legal_boards
from test_bearoff import alone, records_of, stands, table_of
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


# Bearing off


def homes(records: np.ndarray, side: str) -> list[list[int]]:
    return records[side]["checkers"][:, 1:7].tolist()


def test_every_one_sided_bear_off():
    """Their chances are rounded to 1/65535, so they take plays that are nearly as good for best.

    By that the chance of one number of rolls differs by up to 0.003, the mean by a tenth of that.
    """
    records = alone(stands(15)[1:], tf.PORTES)
    found, means = table_of(tf.PORTES).rolls(records), table_of(tf.PORTES).expected(records)
    expected = np.zeros_like(found)
    for row, home in zip(expected, homes(records, "own"), strict=True):
        chances = gnubg.bearoff_probabilities(tuple(home))
        row[1 : len(chances) + 1] = chances
    assert len(records) == 54_263
    assert means == pytest.approx(expected @ np.arange(expected.shape[1]), abs=3e-4)
    differences = abs(found - expected).max(axis=1)
    assert differences.max() < 3e-3
    assert (differences > 1e-4).sum() < 300


def some_homes(fewest: int, most: int, rng: np.random.Generator) -> list[dict[int, int]]:
    where = [
        rng.integers(1, rng.integers(2, 8), rng.integers(fewest, most + 1)) for _ in range(1000)
    ]
    return [dict(Counter(points.tolist())) for points in where]


@pytest.mark.parametrize(
    ("own", "opp", "gammons"),
    [
        pytest.param((7, 15), (7, 15), 0, id="long races"),
        pytest.param((1, 6), (15, 15), 300, id="gammons won"),
        pytest.param((15, 15), (1, 6), 1, id="gammons lost"),
    ],
)
def test_chances_of_races(own, opp, gammons):
    """Theirs come from the one-sided table, too, where a side has more than six checkers.

    With 15 checkers on the one point they see no gammon, though with one checker left against
    them it is certain; that position is left out.
    """
    rng = np.random.default_rng(1)
    pairs = zip(some_homes(*own, rng), some_homes(*opp, rng), strict=True)
    sides = map(list, zip(*(pair for pair in pairs if {1: 15} not in pair), strict=True))
    records = records_of(*sides, tf.PORTES)
    chances = table_of(tf.PORTES).chances(records)
    found = np.stack((chances.win, chances.win_double, chances.loss_double), axis=1)
    boards = zip(homes(records, "opp"), homes(records, "own"), strict=True)
    rest = [0] * 19
    theirs = np.array([gnubg.probabilities([his + rest, mine + rest], 0) for his, mine in boards])
    assert found == pytest.approx(theirs[:, [0, 1, 3]], abs=5e-4)
    assert (found[:, 1:] > 0.05).sum() >= gammons


def test_what_looking_at_the_other_side_is_worth():
    """Up to six checkers a side theirs are the chances of best play against best play."""
    rng = np.random.default_rng(2)
    records = records_of(some_homes(1, 6, rng), some_homes(1, 6, rng), tf.PORTES)
    found = table_of(tf.PORTES).win(records)
    boards = zip(homes(records, "opp"), homes(records, "own"), strict=True)
    rest = [0] * 19
    theirs = [
        gnubg.probabilities([his + rest, mine + rest], gnubg.p_bearoff)[0] for his, mine in boards
    ]
    assert found == pytest.approx(theirs, abs=0.014)
    assert (abs(found - theirs) < 1e-4).mean() > 0.8
