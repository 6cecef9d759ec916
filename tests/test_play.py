"""Games and matches at the terminal, typed in advance."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import subprocess
import sys

import numpy as np
import pytest
from boards import counts

import tavli_fast as tf
from tavli_fast.__main__ import main
from tavli_fast.match import Dice, Game, Match
from tavli_fast.play import MOVERS, ending, greedy, in_order, play, random


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run a command with these lines typed; return its status, what it wrote, and errors."""

    def run(lines: str, *arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        status = main(["play", *arguments])
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def at_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Play on at a game or a match with these lines typed; return it and what was written."""

    def run(table: Game | Match, lines: str, against: str | None = None):
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        mover = MOVERS[against] if against else None
        left = play(table, mover, np.random.default_rng(1))
        return left, capsys.readouterr().out

    return run


def portes(*rolls: tuple[int, int]) -> Game:
    return Game.start(tf.PORTES, rolls, starter=0)


# What is shown


def test_the_opening_the_roll_the_board_and_the_moves_are_shown(typed) -> None:
    status, out, err = typed("", "fevga", "--seed", "1")
    assert (status, err) == (0, "")
    game = Game.start(tf.FEVGA, Dice(seeded_dice(1)))
    mine, his = game.openings[-1]
    assert f"player 1 throws {mine}, player 2 {his}" in out
    assert f"player {game.starter + 1} begins" in out
    high, low = sorted(game.roll, reverse=True)
    assert f"player {game.player + 1} (O) to play {high}-{low}\n" in out
    assert f"{game.position}\n" in out
    listed = re.findall(r"^ +(\d+) (\S+)", out, flags=re.MULTILINE)
    assert ("1", str(game.moves()[0])) in listed


def seeded_dice(seed: int) -> np.random.Generator:
    """The dice of `--seed`."""
    return np.random.default_rng(np.random.SeedSequence(seed).spawn(2)[0])


def test_every_legal_move_is_numbered(at_table) -> None:
    game = portes((2, 2))
    _, out = at_table(game, "")
    assert len(out.splitlines()) < 60
    assert max(map(len, out.splitlines())) <= 78
    cells = [cell for line in out.splitlines() for cell in re.split(r" {2,}", line.strip())]
    for number, move in enumerate(in_order(game.moves()), 1):
        assert cells.count(f"{number} {move}") == 1


# Moves typed


def test_a_number_or_a_notation_plays_a_move(at_table) -> None:
    game = portes((3, 1), (6, 4), (2, 1))
    number = [str(move) for move in in_order(game.moves())].index("8/5 6/5") + 1
    for first in (str(number), "8/5 6/5", "6/5, 8/5", "  8/5   6/5 "):
        left, out = at_table(game, f"{first}\n24/14\n")
        assert left == game.play("8/5 6/5").play("24/14")
        assert out.count("> ") == 3
        assert ending(left) == "left unfinished"


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("17", "there is no move 17; they are 1 to 16"),
        ("0", "there is no move 0; they are 1 to 16"),
        ("8/4 6/5", "'8/4 6/5' cannot be played with 3-1; 16 moves can, such as"),
        ("8/7", "'8/7' cannot be played with 3-1"),
        ("pass", "'pass' cannot be played with 3-1"),
        ("dance", "cannot read 'dance' in the move 'dance'"),
        ("8/x", "'x' is not a point in the move '8/x'"),
        ("undo", "there is nothing to undo"),
        ("undo 0", "cannot read 'undo'"),
        ("", "type a move or its number; undo takes back"),
        ("help", "type a move or its number; undo takes back"),
    ],
)
def test_what_cannot_be_done_is_refused_and_asked_again(at_table, line: str, refusal: str) -> None:
    game = portes((3, 1), (2, 1))
    left, out = at_table(game, f"{line}\n8/5 6/5\n")
    assert refusal in out
    assert left == game.play("8/5 6/5")


def test_board_shows_everything_again(at_table) -> None:
    game = portes((3, 1))
    _, once = at_table(game, "")
    _, twice = at_table(game, "board\n")
    assert (once.count(str(game.position)), twice.count(str(game.position))) == (1, 2)
    assert (once.count("24/23 24/21"), twice.count("24/23 24/21")) == (1, 2)


# Undo


def test_undo_takes_back_the_last_choice(at_table) -> None:
    game = portes((3, 1), (6, 4), (2, 1))
    left, out = at_table(game, "8/5 6/5\n24/14\nundo\n24/18 13/9\n")
    assert left == game.play("8/5 6/5").play("24/18 13/9")
    asked = out.split("> ")
    assert "player 2 (O) to play 6-4" in asked[1]
    assert asked[3].removeprefix("undo") == asked[1].removeprefix("8/5 6/5")


def test_undo_takes_back_several(at_table) -> None:
    game = portes((3, 1), (6, 4), (2, 1))
    assert at_table(game, "8/5 6/5\n24/14\nundo 2\n")[0] == game
    left, out = at_table(game, "8/5 6/5\n24/14\nundo 3\n")
    assert left == game.play("8/5 6/5").play("24/14")
    assert "only 2 can be undone" in out


def test_undo_against_the_machine_goes_back_to_ones_own_choice(at_table) -> None:
    game = portes((3, 1), (6, 4), (2, 1))
    left, _ = at_table(game, "8/5 6/5\nu\n", against="greedy")
    assert left == game
    second = Game.start(tf.PORTES, [(3, 1), (6, 4), (2, 1)], starter=1)
    left, out = at_table(second, "undo\n", against="greedy")
    assert (left.plies, left.player) == (1, 0)
    assert "there is nothing to undo" in out


def test_undo_passes_over_lost_turns(at_table) -> None:
    shut_out = tf.Position.parse("6:2,5:2,4:2,3:2,2:2,1:5/bar:1,1:14", tf.PORTES)
    game = Game.start(tf.PORTES, [(2, 1)] * 4, starter=0, position=shut_out)
    left, out = at_table(game, "6/4 6/5\nundo\n")
    assert out.count("no number can be played") == 1
    assert left == game


def test_undo_goes_back_into_an_earlier_game(at_table) -> None:
    match = Match.start([(6, 5)] + [(2, 1)] * 3, rulesets=[ONE_TO_GO], target=5)
    left, out = at_table(match, "1\nundo\n")
    assert left == match
    assert "score 2 to 0" in out
    assert ending(left) == "left unfinished\nscore 0 to 0"


ONE_TO_GO = dataclasses.replace(tf.PORTES, start=counts({1: 1}, 1))


# Ends


@pytest.mark.parametrize("lines", ["", "quit\n", "q\n1\n", "1\n", "board\nQUIT\n"])
def test_the_end_of_the_input_and_quit_are_polite(typed, lines: str) -> None:
    status, out, err = typed(lines, "portes", "--seed", "2")
    assert (status, err) == (0, "")
    assert out.endswith("\nleft unfinished\n")


def test_what_is_typed_ahead_is_written_into_the_record(at_table) -> None:
    _, out = at_table(portes((3, 1), (2, 1)), "8/5 6/5\nquit\n")
    assert "\n> 8/5 6/5\n" in out
    assert out.endswith("\n> quit\n")


def test_a_game_won(at_table) -> None:
    last = tf.Position.parse("off:14,1:1/6:15", tf.PORTES)
    left, _ = at_table(Game.start(tf.PORTES, [(2, 1)], starter=1, position=last), "1\n")
    assert ending(left) == "player 2 wins 2 points"
    last = tf.Position.parse("off:14,1:1/off:1,6:14", tf.PORTES)
    left, _ = at_table(Game.start(tf.PORTES, [(2, 1)], starter=0, position=last), "1/off\n")
    assert ending(left) == "player 1 wins 1 point"


def test_a_game_drawn(at_table) -> None:
    mothers = dataclasses.replace(tf.PLAKOTO, start=counts({24: 1, 10: 1, 5: 1}, 3))
    game = Game.start(mothers, [(4, 1)] * 2, starter=0)
    left, _ = at_table(game, "5/1 10/9\n5/1 10/9\n")
    assert ending(left) == "a draw"


def test_a_game_that_meets_the_cap(typed) -> None:
    status, out, _ = typed("1\n" * 9, "portes", "--seed", "1", "--ply-cap", "5")
    assert (status, out.splitlines()[-1]) == (0, "a draw, after 5 plies")


@pytest.mark.parametrize("against", MOVERS)
@pytest.mark.parametrize("ruleset", ["hypergammon", "plakoto", "gul_bara", "long_nardy"])
def test_whole_games_against_the_machine(typed, ruleset: str, against: str) -> None:
    arguments = (ruleset, "--against", against, "--seed", "3")
    status, out, err = typed("1\n" * 2000, *arguments)
    assert (status, err) == (0, "")
    assert re.fullmatch(r"player [12] wins [123] points?|a draw", out.splitlines()[-1])
    assert "player 2 plays " in out
    assert typed("1\n" * 2000, *arguments) == (status, out, err)
    assert typed("1\n" * 2000, *arguments[:-1], "4")[1] != out


@pytest.mark.parametrize("against", MOVERS)
def test_a_whole_match(typed, against: str) -> None:
    status, out, err = typed(
        "1\n" * 5000, "Tavli", "--against", against, "--seed", "3", "--target", "7"
    )
    assert (status, err) == (0, "")
    result, score, winner = out.splitlines()[-3:]
    assert re.fullmatch(r"player [12] wins [123] points?", result)
    points = [int(number) for number in re.findall(r"\d+", score)]
    assert winner == f"player {1 + points.index(max(points))} wins the match"
    assert max(points) >= 7 > min(points)
    begun = re.findall(r"^(portes|plakoto|fevga)\n(?:player|$)", out, flags=re.MULTILINE)
    assert begun == (["portes", "plakoto", "fevga"] * 7)[: len(begun)]
    assert len(begun) > 2


def test_a_match_as_json_keeps_stdout_for_the_object(typed) -> None:
    status, out, err = typed("1\n" * 5000, "tavli", "--against", "random", "--seed", "3", "--json")
    data = json.loads(out)
    assert status == 0
    assert out.count("\n") == 1
    assert "player 1 (O) to play" in err
    assert [game["ruleset"] for game in data["games"][:3]] == ["portes", "plakoto", "fevga"]
    for player in (1, 2):
        points = sum(
            game["result"]["points"] for game in data["games"] if game["result"]["winner"] == player
        )
        assert data["score"][player - 1] == points
    assert max(data["score"]) >= 5


def test_an_unfinished_game_as_json(typed) -> None:
    data = json.loads(typed("1\n", "fevga", "--seed", "3", "--json")[1])
    (game,) = data["games"]
    assert (data["score"], game["plies"], game["result"]) == (None, 1, None)
    assert tf.Position.parse(game["position"], tf.FEVGA)


# Turns of more than one roll


def test_a_cascade_is_told_stage_by_stage(at_table) -> None:
    game = Game.start(tf.GUL_BARA, [(5, 5), (2, 1)], starter=0)
    _, out = at_table(game, "24/4\n24/18(4)\n")
    told = re.findall(r"^player .* to play .*$", out, flags=re.MULTILINE)
    assert told == [
        "player 1 (O) to play 5-5",
        "player 1 (O) to play 6-6, going on from 5-5",
        "player 2 (O) to play 2-1",
    ]


def test_what_is_left_is_told(at_table) -> None:
    ruleset = tf.GUL_BARA.replace(unfinished="opponent_plays")
    position = tf.Position.parse("24:15/24:13,6:1,1:1", ruleset)
    game = Game.start(ruleset, [(5, 5), (2, 1)], starter=0, position=position)
    left, out = at_table(game, "24/9 24/19\n9/3\n24/18(4)\n24/18(3)\nundo\n")
    assert "player 2 (O) to play 6-6, 3 of 4, left by player 1\n" in out
    assert "'24/18(4)' cannot be played with 6-6" in out
    assert left == game.play("24/9 24/19").play("9/3")


def test_the_last_roll_is_told(at_table) -> None:
    ruleset = tf.LONG_NARDY.replace(last_roll_draw="on")
    position = tf.Position.parse("off:14,1:1/off:14,1:1", ruleset)
    game = Game.start(ruleset, [(2, 1), (2, 1)], starter=0, position=position)
    left, out = at_table(game, "1\n1\n")
    assert "player 2 (O) to play 2-1, the last roll\n" in out
    assert ending(left) == "a draw"


# The machine


def test_greedy_leaves_the_fewest_pips_less_those_of_the_other() -> None:
    hits = tf.Position.parse("13:1,6:14/20:1,1:14", tf.PORTES)
    game = Game.start(tf.PORTES, [(6, 1)], starter=0, position=hits)
    after = greedy(game, np.random.default_rng(1))
    values = [own - opp for own, opp in (each.pip_counts for each in game.afterstates())]
    assert after.pip_counts[0] - after.pip_counts[1] == min(values)


def test_random_chooses_every_move() -> None:
    game = portes((3, 1))
    chance = np.random.default_rng(1)
    assert {random(game, chance) for _ in range(400)} == set(game.afterstates())


# Bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess"], "unknown game 'chess'"),
        (["fevga(runner=x)"], "fevga: runner cannot be 'x'"),
        ([], "the following arguments are required: GAME"),
        (["portes", "--ply-cap", "0"], "a ply cap is an integer of at least 1, or None, not 0"),
        (["portes", "--ply-cap", "x"], "--ply-cap"),
        (["portes", "--against", "gnu"], "--against"),
        (["portes", "--target", "5"], "--target is for a match"),
        (["portes", "--next-starter", "roll"], "--next-starter is for a match"),
        (["tavli", "--target", "0"], "the target of a match is an integer of at least 1, not 0"),
        (["tavli", "--next-starter", "loser"], "--next-starter"),
        (["portes", "--seed", "-1"], "a seed is at least 0, not -1"),
    ],
)
def test_bad_input_is_told_in_one_line(typed, arguments: list[str], message: str) -> None:
    status, out, err = typed("", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("tavli-fast: error: ")
    assert err.count("\n") == 1
    assert message in err


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["play", "--help"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith("usage: tavli-fast play ")


def test_ctrl_c_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupt)
    assert main(["play", "portes", "--seed", "1"]) == 130


def test_as_a_module_with_a_pipe() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tavli_fast", "play", "hypergammon", "--seed", "1"],
        input="1\n" * 300,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"player [12] wins [123] points?", done.stdout.splitlines()[-1])
