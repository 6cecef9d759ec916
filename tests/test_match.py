"""Games and matches on scripted dice, and random ones to the end.

`TAVLI_FAST_GAMES=10000 python -m pytest tests/test_match.py -k to_the_end` plays that many random
games of each game instead of the few that CI has time for; a thousand of one game take some ten
seconds.
"""

from __future__ import annotations

import dataclasses
import math
import os
import pickle
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from boards import counts, facing

import tavli_fast as tf
from tavli_fast import reference
from tavli_fast.match import PLY_CAP, Dice, Game, Match, Result
from tavli_fast.play import random

GAMES = list(tf.RULESETS.values())
RANDOM_GAMES = int(os.environ.get("TAVLI_FAST_GAMES", "40"))


def tiny(ruleset: tf.Ruleset, points: dict[int, int]) -> tf.Ruleset:
    """The same game with a few checkers, so that it is over in no time."""
    return dataclasses.replace(ruleset, start=counts(points, sum(points.values())))


ONE_TO_GO = tiny(tf.PORTES, {1: 1})
"""Whoever begins wins 2 points with the first roll."""
MOTHERS = tiny(tf.PLAKOTO, {24: 1, 10: 1, 5: 1})
"""By 5/1 each pins the other's mother."""


def full(game: Game) -> str:
    """A legal move that plays all four numbers of a double."""
    return next(str(move) for move in game.moves() if len(move.steps) == 4)


def what_follows(game: Game, plies: int) -> list[tuple[int, tuple[int, int]]]:
    """Who has to play what, when every double is fully played."""
    found = [(game.player, game.roll)]
    for _ in range(plies):
        game = game.play(full(game))
        found.append((game.player, game.roll))
    return found


# Dice


def test_scripted_dice_run_out_aloud() -> None:
    game = tf.Game.start(tf.PORTES, [(3, 1)], starter=0).play("8/5 6/5")
    with pytest.raises(ValueError, match="the scripted dice have run out: there is no roll 2"):
        _ = game.roll
    with pytest.raises(ValueError, match="run out"):
        game.play("8/5 6/5")


@pytest.mark.parametrize("bad", [(7, 1), (0, 1), (1, 2, 3), (1,), 3, "31", (1.5, 2), None])
def test_scripted_dice_must_be_rolls(bad: object) -> None:
    dice = Dice([(3, 1), bad])  # type: ignore[list-item]
    assert dice[0] == (3, 1)
    with pytest.raises(ValueError, match=r"roll 2 of the script is .*, not two numbers from 1 to"):
        _ = dice[1]


def test_scripted_dice_may_come_from_numpy() -> None:
    assert Dice(np.array([[3, 1], [6, 6]], dtype=np.uint8))[1] == (6, 6)


def test_seeded_dice_are_reproducible_and_fair() -> None:
    dice, same = (Dice(np.random.default_rng(7)) for _ in range(2))
    rolls = [dice[place] for place in range(3600)]
    assert rolls == [same[place] for place in range(3600)]
    assert {(die, other) for die, other in rolls} == {
        (die, other) for die in range(1, 7) for other in range(1, 7)
    }
    assert 500 < sum(die == other for die, other in rolls) < 700


def test_dice_that_are_shared_show_the_same_rolls_again() -> None:
    dice = Dice(np.random.default_rng(1))
    games = [Game.start(tf.PORTES, dice) for _ in range(2)]
    assert games[0] == games[1]
    assert games[0].roll == games[1].roll


# Openings


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_the_higher_die_begins_and_ties_are_thrown_again(ruleset: tf.Ruleset) -> None:
    for first, second, starter in (((6, 2), (2, 6), 0), ((2, 6), (2, 6), 1)):
        script = [(4, 4), (1, 1), first, (5, 5)]
        reroll = Game.start(ruleset.replace(opening="reroll"), script)
        assert (reroll.starter, reroll.player, reroll.roll) == (starter, starter, (5, 5))
        numbers = Game.start(ruleset.replace(opening="play_numbers"), script)
        assert (numbers.starter, numbers.player, numbers.roll) == (starter, starter, second[::-1])
        for game in (reroll, numbers):
            assert game.openings == ((4, 4), (1, 1), first)
            assert game.position == tf.Position.start(ruleset.replace(opening=game.ruleset.opening))


def test_the_default_openings() -> None:
    kinds = {ruleset.game: Game.start(ruleset, [(2, 6), (5, 5)]).roll for ruleset in GAMES}
    plays_numbers = {game for game, roll in kinds.items() if roll == (6, 2)}
    assert plays_numbers == {"backgammon", "hypergammon", "nackgammon", "fevga", "moultezim"}
    assert set(kinds.values()) == {(6, 2), (5, 5)}


def test_the_roll_after_the_opening_numbers_is_the_next_of_the_dice() -> None:
    game = Game.start(tf.FEVGA, [(5, 6), (4, 4)]).play("24/13")
    assert (game.player, game.roll) == (0, (4, 4))


@pytest.mark.parametrize("ruleset", [tf.PORTES, tf.FEVGA], ids=str)
def test_a_given_starter_simply_rolls(ruleset: tf.Ruleset) -> None:
    game = Game.start(ruleset, [(5, 5)], starter=1)
    assert (game.player, game.roll, game.openings) == (1, (5, 5), ())


def test_numbers_of_other_kinds_are_kept_as_ints() -> None:
    game = Game.start(tf.PORTES, [(3, 1)], starter=np.int64(1), ply_cap=np.int8(7), place=False)
    assert [type(each) for each in (game.starter, game.player, game.ply_cap)] == [int] * 3
    match = Match.start([(3, 1)], target=np.uint8(5))
    assert type(match.target) is int


@pytest.mark.parametrize("plies", [-1, 2, 1.0, math.nan, "1", None])
def test_what_cannot_be_undone(plies: object) -> None:
    game = Game.start(tf.PORTES, [(3, 1)] * 2, starter=0).play("8/5 6/5")
    match = Match.start([(3, 1)] * 2, rulesets=[tf.PORTES]).play("8/5 6/5")
    for table, what in ((game, "game"), (match, "match")):
        with pytest.raises(ValueError, match=f"cannot undo {plies!r} plies of a {what} with 1"):
            table.undo(plies)


@pytest.mark.parametrize("place", [-1, 0.0, None, 2**70])
def test_places_that_no_dice_have(place: object) -> None:
    dice = Dice(np.random.default_rng(1))
    assert dice[3] == dice[np.int64(3)]
    with pytest.raises(ValueError, match=r"a place in the dice is|ahead of the 4 thrown"):
        dice[place]


def test_threads_that_throw_the_same_dice() -> None:
    """A script comes out in its order, whoever asks for it."""
    script = [(die, other) for die in range(1, 7) for other in range(1, 7)] * 300
    dice = Dice(slowly(script))
    together = threading.Barrier(8)

    def look() -> list[tuple[int, int]]:
        together.wait()
        return [dice[place] for place in range(len(script))]

    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(lambda _: look(), range(8)))
    assert all(each == script for each in seen)


def slowly(script: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Rolls between which other threads have their turn."""
    for place, roll in enumerate(script):
        if place % 100 == 0:
            time.sleep(0)
        yield roll


def test_an_opening_of_ties_alone_runs_out() -> None:
    with pytest.raises(ValueError, match="there is no roll 3"):
        Game.start(tf.PORTES, [(1, 1), (2, 2)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"starter": 2}, "the starter is player 0 or 1, or None, not 2"),
        ({"starter": 1.0}, "the starter is player 0 or 1, or None, not 1.0"),
        ({"ply_cap": 0}, "a ply cap is an integer of at least 1, or None, not 0"),
        ({"ply_cap": math.nan}, "a ply cap is an integer of at least 1, or None, not nan"),
        ({"ply_cap": 2.5}, "a ply cap is an integer of at least 1, or None, not 2.5"),
        ({"place": -1}, "a place in the dice is an integer of at least 0, not -1"),
        ({"place": "0"}, "a place in the dice is an integer of at least 0, not '0'"),
        ({"place": 2**70}, "is more than 1000000 ahead of the 0 thrown so far"),
        ({"position": "start"}, "a game begins from a Position, not 'start'"),
        ({"position": tf.Position.start(tf.FEVGA)}, "a position of fevga begins no game of portes"),
    ],
)
def test_a_game_is_not_begun_badly(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Game.start(tf.PORTES, [(2, 1)], **options)


# Turns


def test_turns_alternate_and_the_position_is_that_of_the_player_on_roll() -> None:
    game = Game.start(tf.PORTES, [(3, 1), (6, 4), (2, 2)], starter=1)
    before = game.position
    game = game.play("8/5 6/5")
    assert (game.player, game.roll, game.plies) == (0, (6, 4), 1)
    assert game.position == before.play("8/5 6/5", (3, 1)).flip()
    game = game.play("24/14")
    assert (game.player, game.roll, game.position.opp[14]) == (1, (2, 2), 1)


def test_a_move_is_played_as_text_as_move_or_as_position() -> None:
    game = Game.start(tf.PORTES, [(3, 1), (2, 1)], starter=0)
    move = game.parse_move("8/5 6/5")
    assert game.play("6/5, 8/5") == game.play(move) == game.play(move.after)


def test_illegal_moves_are_refused_and_change_nothing() -> None:
    game = Game.start(tf.PORTES, [(3, 1), (2, 1)], starter=0)
    elsewhere = tf.Position.start(tf.PORTES).parse_move("13/11 6/5", (2, 1))
    for move in ("13/11 6/5", "8/5", "pass", elsewhere, elsewhere.after, game.position):
        with pytest.raises(tf.IllegalMove):
            game.play(move)
    with pytest.raises(tf.NotationError):
        game.play("hello")
    assert game.plies == 0


def test_a_lost_turn_is_a_ply() -> None:
    shut_out = tf.Position.parse("bar:1,1:14/6:2,5:2,4:2,3:2,2:2,1:5", tf.PORTES)
    game = Game.start(tf.PORTES, [(3, 1), (2, 1)], starter=0, position=shut_out)
    assert [str(move) for move in game.moves()] == ["pass"]
    game = game.play("pass")
    assert (game.plies, game.player, game.position) == (1, 1, shut_out.flip())


def test_a_finished_game_is_not_played_on() -> None:
    game = Game.start(ONE_TO_GO, [(3, 1), (2, 1)], starter=0).play("1/off")
    assert game.is_over
    for ask in (lambda: game.roll, game.moves, game.afterstates, lambda: game.play("pass")):
        with pytest.raises(ValueError, match="the game is over"):
            ask()


# Points


@pytest.mark.parametrize(
    ("ruleset", "loser", "points"),
    [
        (tf.PORTES, "off:1,24:14", 1),
        (tf.PORTES, "24:15", 2),
        (tf.PORTES, "bar:1,6:14", 2),
        (tf.BACKGAMMON, "6:15", 2),
        (tf.BACKGAMMON, "19:1,6:14", 3),
        (tf.BACKGAMMON, "bar:1,6:14", 3),
        (tf.FEVGA, "off:1,24:14", 1),
        (tf.FEVGA, "24:15", 2),
        (tf.PLAKOTO, "6:15", 2),
        (tf.PLAKOTO, "off:1,6:14", 1),
    ],
)
@pytest.mark.parametrize("starter", [0, 1])
def test_points(ruleset: tf.Ruleset, loser: str, points: int, starter: int) -> None:
    last = tf.Position.parse(f"off:14,3:1/{loser}", ruleset)
    game = Game.start(ruleset, [(3, 2)], starter=starter, position=last)
    assert game.play(game.moves()[0]).result == Result(starter, points)


def test_a_pinned_mother_loses_two_points_or_three() -> None:
    pins = tf.Position(tf.PLAKOTO, own={4: 1, 10: 14}, opp={24: 1, 6: 14})
    game = Game.start(tf.PLAKOTO, [(3, 1)], starter=1, position=pins).play("4/1 10/9")
    assert game.result == Result(1, 2)
    dear = tf.PLAKOTO.replace(mother_points="3")
    pins = tf.Position(dear, own=pins.own, opp=pins.opp)
    assert Game.start(dear, [(3, 1)], starter=1, position=pins).play("4/1").result == Result(1, 3)


def test_both_mothers_pinned_are_a_draw() -> None:
    game = Game.start(MOTHERS, [(4, 1), (1, 4)], starter=0).play("5/1 10/9")
    assert game.result is None
    assert game.position.own_pinned == (24,)
    game = game.play("5/1 10/9")
    assert game.result == Result(None, 0)


def test_a_mother_is_lost_when_the_pinner_leaves_his_own() -> None:
    game = Game.start(MOTHERS, [(4, 1), (6, 2), (6, 1)], starter=0).play("5/1 10/9")
    game = game.play("10/2")
    assert game.result is None
    assert game.play("24/23").result == Result(0, 2)


def test_without_the_mother_rule_a_draw_is_seen_only_when_the_turn_is_over() -> None:
    """The second four pins the other mother too; the others are played all the same."""
    text = "24:1p,16:3,15:1,11:1,9:1,7:1,6:1,5:1,4:1,2:4/24:1,15:2,11:3,10:1p,3:6,2:1,1:1"
    position = tf.Position.parse(text, tf.TAPA)
    game = Game.start(tf.TAPA, [(4, 4)], starter=0, position=position)
    assert {move.after for move in game.moves()} == set(game.afterstates())
    assert all(len(move.steps) == 4 for move in game.moves())
    assert game.play("9/1 5/1 16/12").result == Result(None, 0)


# Cascades


@pytest.mark.parametrize("game", ["gul_bara", "gioul"])
def test_a_cascade_goes_on_to_6_6(game: str) -> None:
    begun = Game.start(tf.find_ruleset(game), [(1, 1), (2, 1)], starter=1)
    assert what_follows(begun, 6) == [*((1, (n, n)) for n in range(1, 7)), (0, (2, 1))]


def test_a_cascade_begins_with_the_double_that_was_rolled() -> None:
    begun = Game.start(tf.GUL_BARA, [(5, 5), (6, 6), (2, 1)], starter=0)
    assert what_follows(begun, 3) == [(0, (5, 5)), (0, (6, 6)), (1, (6, 6)), (0, (2, 1))]


def test_other_games_have_no_cascade() -> None:
    for ruleset in (tf.PORTES, tf.FEVGA, tf.GUL_BARA.replace(cascade_from="0")):
        begun = Game.start(ruleset, [(5, 5), (2, 1)], starter=0)
        assert begun.play(begun.afterstates()[0]).player == 1


def test_a_single_cascade_is_one_double_more() -> None:
    single = tf.GUL_BARA.replace(cascade_extent="single")
    begun = Game.start(single, [(1, 1), (6, 6), (5, 5)], starter=0)
    rolls = [(0, (1, 1)), (0, (2, 2)), (1, (6, 6)), (0, (5, 5)), (0, (6, 6))]
    assert what_follows(begun, 4) == rolls


def test_cascades_from_the_fourth_own_turn() -> None:
    """Turns are counted for each player, whatever was rolled before."""
    late = tf.GUL_BARA.replace(cascade_from="4")
    begun = Game.start(late, [(2, 2)] * 6 + [(5, 5), (6, 6), (2, 1)], starter=0)
    assert what_follows(begun, 9) == [
        *[(0, (2, 2)), (1, (2, 2))] * 3,
        *[(0, (5, 5)), (0, (6, 6)), (1, (6, 6)), (0, (2, 1))],
    ]


CUT_AT_6_6 = "24:15/24:13,6:1,1:1"
"""After 5-5 by 24/9 24/19 a single six can be played: the other's 6 and 1 are 18 and 13."""
CUT_AT_5_5 = "24:15/24:12,23:1,22:1,7:1"
"""After 4-4 by 24/16 24/20(2) two fives can be played, both 20/15."""


def cut_cascade(options: str, position: str, script: list, *moves: str) -> Game:
    ruleset = tf.find_ruleset(f"gul_bara({options})")
    game = Game.start(ruleset, script, starter=0, position=tf.Position.parse(position, ruleset))
    for move in moves:
        game = game.play(move)
    return game


def test_an_unfinished_cascade_is_forfeited() -> None:
    script = [(5, 5), (2, 1)]
    game = cut_cascade("unfinished=forfeit", CUT_AT_6_6, script, "24/9 24/19")
    assert [str(move) for move in game.moves()] == ["9/3"]
    game = game.play("9/3")
    assert (game.player, game.roll, game.turn.leftover) == (1, (2, 1), False)


def test_a_stage_that_cannot_be_played_at_all_ends_the_cascade() -> None:
    game = cut_cascade("unfinished=forfeit", CUT_AT_6_6, [(5, 5), (2, 1)], "24/4", "pass")
    assert (game.player, game.roll) == (1, (2, 1))


def test_the_other_plays_a_whole_double_of_which_nothing_could_be_played() -> None:
    script = [(5, 5), (2, 1)]
    game = cut_cascade("unfinished=opponent_plays", CUT_AT_6_6, script, "24/4", "pass")
    assert (game.player, game.roll, game.numbers, game.turn.leftover) == (1, (6, 6), None, True)
    game = game.play("24/18(4)")
    assert (game.player, game.roll, game.turn.leftover) == (1, (2, 1), False)


def test_a_double_cut_at_once_is_left_to_the_other_too() -> None:
    """The very double that was rolled, before any of the cascade was reached."""
    blocked = "24:15/24:14,6:1"
    game = cut_cascade("unfinished=opponent_plays", blocked, [(6, 6), (2, 1)], "pass")
    assert (game.player, game.roll, game.numbers) == (1, (6, 6), None)


def test_without_a_cascade_nothing_is_left_to_the_other() -> None:
    blocked = "24:15/24:14,6:1"
    options = "cascade_from=4, unfinished=opponent_plays"
    game = cut_cascade(options, blocked, [(6, 6), (2, 1)], "pass")
    assert (game.player, game.roll) == (1, (2, 1))


# What is left of a double


def test_the_other_plays_what_is_left_and_then_rolls() -> None:
    script = [(5, 5), (2, 1), (3, 1)]
    game = cut_cascade("unfinished=opponent_plays", CUT_AT_6_6, script, "24/9 24/19", "9/3")
    assert (game.player, game.roll, game.numbers, game.turn.leftover) == (1, (6, 6), 3, True)
    assert [str(move) for move in game.moves()] == ["24/18(3)"]
    for move in ("24/18", "24/18(2)", "24/18(4)"):
        with pytest.raises(tf.IllegalMove):
            game.play(move)
    game = game.play("24/18(3)")
    assert (game.player, game.roll, game.numbers, game.turn.leftover) == (1, (2, 1), None, False)
    assert game.position.own[18] == 3
    assert game.play(game.moves()[0]).player == 0


def test_the_other_goes_on_with_the_doubles_above() -> None:
    script = [(4, 4), (2, 1)]
    options = "unfinished=opponent_plays"
    game = cut_cascade(options, CUT_AT_5_5, script, "24/16 24/20(2)", "20/15(2)")
    assert (game.player, game.roll, game.numbers) == (1, (5, 5), 2)
    game = game.play("24/19(2)")
    assert (game.player, game.roll, game.numbers, game.turn.leftover) == (1, (6, 6), None, True)
    game = game.play("24/18(4)")
    assert (game.player, game.roll) == (1, (2, 1))


def test_what_is_left_of_a_single_cascade_has_no_doubles_above() -> None:
    script = [(4, 4), (2, 1)]
    options = "unfinished=opponent_plays, cascade_extent=single"
    game = cut_cascade(options, CUT_AT_5_5, script, "24/16 24/20(2)", "20/15(2)", "24/19(2)")
    assert (game.player, game.roll) == (1, (2, 1))


def test_what_the_other_cannot_play_either_is_lost() -> None:
    blocks = "24:14,6:1/24:13,6:1,1:1"
    script = [(5, 5), (2, 1)]
    game = cut_cascade("unfinished=opponent_plays", blocks, script, "24/9 24/19", "9/3")
    assert (game.player, game.roll, game.numbers) == (1, (6, 6), 3)
    game = game.play("pass")
    assert (game.player, game.roll, game.numbers, game.turn.leftover) == (1, (2, 1), None, False)


def test_leftovers_are_no_own_turn() -> None:
    game = cut_cascade(
        "unfinished=opponent_plays", CUT_AT_6_6, [(5, 5), (2, 1)], "24/9 24/19", "9/3"
    )
    assert game.turn.throws == (1, 0)
    game = game.play("24/18(3)")
    assert game.turn.throws == (1, 0)
    assert game.play(game.moves()[0]).turn.throws == (1, 1)


def test_a_player_who_finishes_with_leftovers_wins() -> None:
    position = "24:14,19:1/off:12,6:2,1:1"
    script = [(5, 5)]
    game = cut_cascade("unfinished=opponent_plays", position, script, "24/9 24/19", "9/3")
    assert (game.player, game.numbers) == (1, 3)
    assert game.play("6/off(2) 1/off").result == Result(1, 2)


# Ends in a cascade


def test_winning_in_mid_cascade_ends_the_game() -> None:
    ruleset = tf.GUL_BARA
    last = tf.Position.parse("off:10,1:5/24:15", ruleset)
    game = Game.start(ruleset, [(1, 1)], starter=0, position=last).play("1/off(4)")
    assert (game.player, game.roll) == (0, (2, 2))
    game = game.play("1/off")
    assert (game.result, game.plies) == (Result(0, 2), 2)


def test_a_number_that_bears_off_from_below_its_point_is_played_too() -> None:
    last = tf.Position.parse("off:10,3:5/24:15", tf.GUL_BARA)
    game = Game.start(tf.GUL_BARA, [(5, 5)], starter=0, position=last).play("3/off(4)")
    assert (game.player, game.roll) == (0, (6, 6))


def test_winning_with_the_first_double_ends_the_game() -> None:
    last = tf.Position.parse("off:11,1:4/24:15", tf.GUL_BARA)
    game = Game.start(tf.GUL_BARA, [(1, 1)], starter=0, position=last).play("1/off(4)")
    assert game.result == Result(0, 2)


def test_a_stage_left_by_choice_is_left_too() -> None:
    ruleset = tf.GIOUL.replace(bear_off="optional")
    last = tf.Position.parse("off:3,6:12/24:15", ruleset)
    game = Game.start(ruleset, [(6, 6)], starter=0, position=last).play("6/off(3)")
    assert (game.player, game.roll, game.turn.leftover) == (1, (6, 6), True)
    assert game.numbers == 1


# The last roll

LAST_ROLL = tf.LONG_NARDY.replace(last_roll_draw="on")


def after_first_has_finished(second: str, roll: tuple[int, int]) -> Game:
    position = tf.Position.parse(f"off:14,1:1/{second}", LAST_ROLL)
    game = Game.start(LAST_ROLL, [(2, 1), roll], starter=0, position=position).play("1/off")
    assert (game.result, game.player, game.turn.last_roll) == (None, 1, True)
    assert game.roll == roll
    return game


@pytest.mark.parametrize(
    ("second", "roll", "move"),
    [
        ("off:13,1:2", (2, 1), "1/off(2)"),
        ("off:14,24:1", (6, 6), "24/off"),
        ("off:11,1:4", (1, 1), "1/off(4)"),
    ],
)
def test_the_second_player_draws_with_the_last_roll(
    second: str, roll: tuple[int, int], move: str
) -> None:
    game = after_first_has_finished(second, roll).play(move)
    assert game.result == Result(None, 0)


@pytest.mark.parametrize(
    ("second", "move", "points"),
    [("off:12,1:3", "1/off(2)", 1), ("3:15", "3/2 3/1", 2), ("1:15", "1/off(2)", 1)],
)
def test_the_last_roll_must_finish(second: str, move: str, points: int) -> None:
    """It is played like any other, and the points are counted after it."""
    game = after_first_has_finished(second, (2, 1)).play(move)
    assert game.result == Result(0, points)
    assert not game.turn.last_roll


# No last roll


def test_the_first_player_has_no_roll_after_the_second_has_finished() -> None:
    position = tf.Position.parse("6:15/off:14,1:1", LAST_ROLL)
    game = Game.start(LAST_ROLL, [(2, 1)] * 2, starter=0, position=position).play("6/4 6/5")
    assert game.play("1/off").result == Result(1, 2)


def test_without_the_option_there_is_no_last_roll() -> None:
    position = tf.Position.parse("off:14,1:1/off:14,1:1", tf.LONG_NARDY)
    game = Game.start(tf.LONG_NARDY, [(2, 1)], starter=0, position=position)
    assert game.play("1/off").result == Result(0, 1)


def test_a_last_roll_is_granted_beyond_the_cap() -> None:
    position = tf.Position.parse("off:14,1:1/off:14,1:1", LAST_ROLL)
    game = Game.start(LAST_ROLL, [(2, 1)], starter=0, position=position, ply_cap=1)
    assert game.play("1/off").result is None


# The ply cap


def test_the_cap_ends_a_game_as_a_draw_and_shows() -> None:
    game = Game.start(tf.PORTES, [(3, 1)] * 3, starter=0, ply_cap=3)
    for _ in range(3):
        assert game.result is None
        game = game.play(game.afterstates()[0])
    assert game.result == Result(None, 0, capped=True)


def test_a_game_won_at_the_cap_is_won() -> None:
    game = Game.start(ONE_TO_GO, [(3, 1)], starter=0, ply_cap=1)
    assert game.play("1/off").result == Result(0, 2)


def stuck(**options: object) -> Game:
    """Checkers of both on the bar, before six made points: no roll enters."""
    side = "bar:3,6:2,5:2,4:2,3:2,2:2,1:2"
    position = tf.Position.parse(f"{side}/{side}", tf.PORTES)
    return Game.start(tf.PORTES, np.random.default_rng(1), position=position, **options)


def test_two_who_are_stuck_meet_the_cap() -> None:
    game = stuck()
    while not game.is_over:
        game = game.play(game.position)
    assert (game.plies, game.result) == (PLY_CAP, Result(None, 0, capped=True))


def test_without_a_cap_they_go_on_for_ever() -> None:
    game = stuck(ply_cap=None)
    for _ in range(PLY_CAP + 1):
        game = game.play(game.position)
    assert game.result is None


# Undo


@pytest.mark.parametrize("ruleset", [tf.PORTES, tf.PLAKOTO, tf.GUL_BARA], ids=str)
def test_undo_restores_exactly(ruleset: tf.Ruleset) -> None:
    chance = np.random.default_rng(3)
    games = [Game.start(ruleset, np.random.default_rng(4))]
    rolls = []
    while not games[-1].is_over:
        rolls.append(games[-1].roll)
        games.append(games[-1].play(random(games[-1], chance)))
    last = games[-1]
    for back, game in enumerate(reversed(games)):
        undone = last.undo(back)
        assert undone == game
        assert (undone.position, undone.player, undone.turn) == (
            game.position,
            game.player,
            game.turn,
        )
    assert [game.roll for game in games[:-1]] == rolls
    with pytest.raises(ValueError, match=rf"cannot undo {len(games)} plies of a game with"):
        last.undo(len(games))
    with pytest.raises(ValueError, match="cannot undo -1"):
        last.undo(-1)


def test_another_move_meets_the_same_dice() -> None:
    game = Game.start(tf.PORTES, np.random.default_rng(5))
    one, other = (game.play(after) for after in game.afterstates()[:2])
    assert one.position != other.position
    assert one.roll == other.roll
    assert one.undo().play(other.position.flip()) == other


def test_a_game_is_a_value() -> None:
    game = Game.start(tf.PORTES, np.random.default_rng(6))
    copy = pickle.loads(pickle.dumps(game.play(game.afterstates()[0])))
    assert copy.turns == game.play(game.afterstates()[0]).turns
    assert copy.roll == game.play(game.afterstates()[0]).roll
    with pytest.raises(dataclasses.FrozenInstanceError):
        game.starter = 1  # type: ignore[misc]


# Matches


def test_points_add_up_to_the_target_and_above() -> None:
    match = Match.start([(6, 5)] + [(2, 1)] * 3, rulesets=[ONE_TO_GO], target=5)
    scores = []
    while not match.is_over:
        match = match.play("1/off")
        scores.append(match.score)
    assert scores == [(2, 0), (4, 0), (6, 0)]
    assert (match.winner, len(match.games)) == (0, 3)
    with pytest.raises(ValueError, match="the game is over"):
        match.play("1/off")


def test_the_target_itself_is_enough() -> None:
    match = Match.start([(6, 5)] + [(2, 1)] * 2, rulesets=[ONE_TO_GO], target=4)
    match = match.play("1/off").play("1/off")
    assert (match.score, match.winner) == ((4, 0), 0)


def test_the_previous_winner_begins_with_a_roll() -> None:
    match = Match.start([(1, 6), (2, 1), (5, 5)], rulesets=[ONE_TO_GO, tf.FEVGA])
    match = match.play("1/off")
    game = match.game
    assert (game.ruleset, game.starter, game.openings, game.roll) == (tf.FEVGA, 1, (), (5, 5))
    assert match.score == (0, 2)


def test_or_every_game_begins_with_an_opening_roll() -> None:
    script = [(1, 6), (2, 1), (4, 4), (5, 3)]
    match = Match.start(script, rulesets=[ONE_TO_GO, tf.FEVGA], next_starter="roll").play("1/off")
    game = match.game
    assert (game.starter, game.openings, game.roll) == (0, ((4, 4), (5, 3)), (5, 3))


def test_after_a_draw_the_starter_is_found_by_an_opening_roll() -> None:
    script = [(6, 1), (4, 1), (4, 1), (2, 2), (1, 3), (6, 6)]
    match = Match.start(script, rulesets=[MOTHERS, tf.PORTES])
    match = match.play("5/1 10/9").play("5/1 10/9")
    assert (match.score, match.games[0].result) == ((0, 0), Result(None, 0))
    game = match.game
    assert (game.starter, game.openings, game.roll) == (1, ((2, 2), (1, 3)), (6, 6))


def test_a_capped_game_is_a_draw_of_the_match_too() -> None:
    script = [(6, 1), (4, 1), (1, 3), (6, 6)]
    match = Match.start(script, rulesets=[tf.PORTES], ply_cap=1)
    match = match.play(match.game.afterstates()[0])
    assert (match.score, match.game.starter, len(match.games)) == ((0, 0), 1, 2)
    assert match.game.ply_cap == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": 0}, "the target of a match is an integer of at least 1, not 0"),
        ({"target": math.nan}, "the target of a match is an integer of at least 1, not nan"),
        ({"rulesets": [tf.PORTES, "fevga"]}, "ruleset is 'fevga', not a Ruleset"),
        ({"next_starter": "loser"}, "next_starter cannot be 'loser'; it is one of previous_winner"),
        ({"rulesets": []}, "a match needs at least one ruleset"),
        ({"ply_cap": 0}, "a ply cap is an integer of at least 1"),
    ],
)
def test_a_match_is_not_begun_badly(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Match.start([(2, 1)], **options)


@pytest.mark.parametrize("target", [5, 7])
@pytest.mark.parametrize("next_starter", ["previous_winner", "roll"])
def test_a_tavli_match(target: int, next_starter: str) -> None:
    dice, chance = np.random.default_rng(target), np.random.default_rng(9)
    match = Match.start(dice, target=target, next_starter=next_starter)
    matches = [match]
    while not match.is_over:
        match = match.play(random(match.game, chance))
        matches.append(match)
    order = [game.ruleset for game in match.games]
    assert order == ([tf.PORTES, tf.PLAKOTO, tf.FEVGA] * len(order))[: len(order)]
    assert len(order) > 2
    results = [game.result for game in match.games]
    for player in (0, 1):
        points = sum(result.points for result in results if result.winner == player)
        assert match.score[player] == points
    assert match.score[match.winner] >= target > match.score[1 - match.winner]
    assert matches[-2].winner is None
    for before, result, game in zip(match.games, results, match.games[1:], strict=False):
        assert before.is_over
        if next_starter == "previous_winner" and result.winner is not None:
            assert (game.starter, game.openings) == (result.winner, ())
        else:
            assert game.openings[-1][game.starter] > game.openings[-1][1 - game.starter]
    for back in (1, 7, len(match.game.turns), match.plies // 2, match.plies):
        assert match.undo(back) == matches[-1 - back]
    with pytest.raises(ValueError, match="cannot undo"):
        match.undo(match.plies + 1)


def test_undo_goes_back_into_an_earlier_game() -> None:
    begun = Match.start([(6, 5)] + [(2, 1)] * 3, rulesets=[ONE_TO_GO], target=5)
    second = begun.play("1/off")
    assert (second.game.plies, len(second.games)) == (0, 2)
    assert second.undo() == begun
    assert second.play("1/off").undo(2) == begun


def test_seeded_matches_are_reproducible() -> None:
    def played(seed: int) -> Match:
        match = Match.start(np.random.default_rng(seed))
        chance = np.random.default_rng(seed + 1)
        while not match.is_over:
            match = match.play(random(match.game, chance))
        return match

    one, same, other = played(1), played(1), played(2)
    assert [game.turns for game in one.games] == [game.turns for game in same.games]
    assert [game.turns for game in one.games] != [game.turns for game in other.games]


# Random games to the end


def points_by_the_book(position: tf.Position) -> int | None:
    """What `position.points_won` should be in a game that ended by play."""
    ruleset = position.ruleset
    own, opp = position.own, position.opp
    if 24 in position.own_pinned and 24 in position.opp_pinned:
        return 0
    if ruleset.mother == "unless_mutual":
        if 24 in position.own_pinned and not opp[24]:
            return -2
        if 24 in position.opp_pinned and not own[24]:
            return 2
    for winner, loser, sign in ((own, opp, 1), (opp, own, -1)):
        if winner[0] == ruleset.checkers:
            late = loser[25] or any(loser[facing(ruleset.movement, point)] for point in range(1, 7))
            if loser[0]:
                return sign
            return sign * (3 if late and ruleset.game.endswith("gammon") else 2)
    return None


def check_ply(game: Game) -> None:
    position = game.position
    for side in (position.own, position.opp):
        assert sum(side) == game.ruleset.checkers
    assert game.position.points_won == points_by_the_book(game.position)
    assert game.is_over == (game.position.points_won is not None)


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_random_games_to_the_end(ruleset: tf.Ruleset) -> None:
    """All checkers of both sides at every ply, and the points the rules give at the end."""
    chance = np.random.default_rng(1)
    dice = np.random.default_rng(2)
    results = []
    for _ in range(RANDOM_GAMES):
        game = Game.start(ruleset, dice)
        check_ply(game)
        while not game.is_over:
            reached = random(game, chance)
            stays = game.turn.leftover or game.turn.cascade_end
            player = game.player
            game = game.play(reached)
            check_ply(game)
            assert game.position in (reached, reached.flip())
            if game.player == player:
                assert ruleset.cascade_from == "1"
                assert stays or game.turn.cascade_end
        points = game.position.points_won
        assert points is not None
        winner = None if points == 0 else game.player if points > 0 else 1 - game.player
        assert game.result == Result(winner, abs(points))
        results.append(game.result)
    # A dozen games may all go to one player.
    assert RANDOM_GAMES < 40 or {result.winner for result in results} >= {0, 1}
    draws = sum(result.winner is None for result in results)
    assert draws == 0 or ruleset.contact is tf.Contact.PIN


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_the_reference_gives_the_same_points(ruleset: tf.Ruleset) -> None:
    chance = np.random.default_rng(3)
    game = Game.start(ruleset, np.random.default_rng(4))
    while not game.is_over:
        assert reference.points_won(game.position) is None
        game = game.play(random(game, chance))
    assert reference.points_won(game.position) == game.position.points_won


# A roll tried


def test_a_given_roll_stands_for_the_one_of_the_dice() -> None:
    dice = tf.Dice([(6, 6), (2, 1), (5, 4)])
    game = tf.Game.start(tf.PORTES, dice, starter=0)
    other = game.with_roll((3, 1))
    assert (game.roll, other.roll) == ((6, 6), (3, 1))
    assert other.position == game.position
    after = other.play("8/5 6/5")
    # It has taken the place of the first throw, so the next is the second.
    assert (after.player, after.roll) == (1, (2, 1))
    assert after.play("13/11 6/5").roll == (5, 4)
    assert other.undo(0) == other


def test_a_given_double_begins_a_cascade() -> None:
    game = tf.Game.start(tf.GUL_BARA, [(2, 1)], starter=1).with_roll((5, 5)).play("24/4")
    assert (game.player, game.roll) == (1, (6, 6))


def test_no_roll_is_given_where_one_is_settled_or_the_game_is_over() -> None:
    opened = tf.Game.start(tf.FEVGA, [(6, 5)])
    with pytest.raises(ValueError, match="6-5 is to be played, nothing is thrown"):
        opened.with_roll((3, 1))
    with pytest.raises(ValueError, match="the game is over"):
        tf.Game.start(tf.FEVGA, [(6, 5), (1, 2)], ply_cap=1).play("24/13").with_roll((3, 1))
    with pytest.raises(ValueError, match=r"a roll is two numbers from 1 to 6, not \(7, 1\)"):
        tf.Game.start(tf.PORTES, [(6, 5)], starter=0).with_roll((7, 1))
