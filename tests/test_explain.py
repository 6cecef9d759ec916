"""Why a step is refused. Whether just the others have a reason is asked in `test_next_steps`."""

from __future__ import annotations

import gzip
import json
import pickle
import re
from pathlib import Path

import pytest
from boards import ROLLS

import tavli_fast as tf
from tavli_fast import Reason, why
from tavli_fast.reference import Step

ROOT = Path(__file__).parents[1]
BANS = {
    "start_quarter": "free",
    "mother_prime": "free",
    "six_prime": "free",
    "total_block": "off",
}
"""The options that forbid a wall, whose reasons are named for them, and the value that does not."""

EXAMPLES: list[tuple[str, str, str, str, list[Step], Step]] = [
    ("game_over", "portes", "6:1/off:15", "65", [], (6, 0)),
    ("game_over", "portes", "1:1,off:14/6:1,off:14", "65", [(1, 0)], (6, 1)),
    ("game_over", "plakoto", "3:1,2:14/24:1,20:14", "21", [(3, 1)], (2, 1)),
    ("turn_over", "portes", "start", "21", [(6, 4), (6, 5)], (6, 5)),
    ("no_such_number", "portes", "start", "21", [], (24, 20)),
    ("no_such_number", "portes", "start", "21", [(24, 22)], (6, 4)),
    ("no_such_number", "portes", "start", "21", [], (6, 8)),
    ("no_checker", "portes", "start", "21", [], (23, 22)),
    ("pinned", "plakoto", "10:1p,9:14/15:15", "21", [], (10, 8)),
    ("bar_first", "portes", "bar:2,6:13/24:2,6:13", "21", [(25, 23)], (6, 5)),
    ("runner_alone", "fevga", "24:14,16:1/24:15", "21", [], (24, 22)),
    ("runner_alone", "moultezim", "24:14,15:1/22:15", "31", [(15, 12)], (24, 23)),
    ("head_used", "long_nardy", "24:12,20:3/24:15", "21", [(24, 22)], (24, 23)),
    ("hitter_stays", "tavla", "8:1,7:2,2:12/20:1,10:14", "32", [(8, 5)], (5, 3)),
    ("closed_point", "portes", "start", "51", [], (24, 19)),
    ("closed_point", "tavla", "8:1,4:1,3:13/20:1,23:2,10:12", "32", [(8, 5)], (4, 2)),
    ("closed_point", "plakoto", "24:14,20:1p/5:14,24:1", "41", [], (24, 20)),
    ("closed_point", "fevga", "24:8,18:7/24:14,1:1", "51", [], (18, 13)),
    ("not_all_home", "portes", "start", "61", [], (6, 0)),
    ("higher_checker", "portes", "6:2,3:2/18:5,10:10", "54", [], (3, 0)),
    ("pinned_at_home", "mahbusa", "6:13,5:1p,2:1/20:15", "62", [], (6, 0)),
    ("start_quarter", "fevga", "24:5,23:2,22:2,21:2,20:2,9:2/24:15", "52", [(9, 7)], (24, 19)),
    ("mother_prime", "fevga", "24:3,12:2,11:2,10:2,9:2,8:2,7:2/13:15", "61", [(24, 23)], (12, 6)),
    ("six_prime", "long_nardy", "24:4,13:1,11:2,10:2,9:2,8:2,7:2/24:15", "61", [(24, 18)], (7, 6)),
    ("total_block", "fevga", "13:2,7:4,6:3,5:2,4:2,3:2/20:15", "51", [(13, 12)], (7, 2)),
    ("most_numbers", "portes", "24:1,8:1,6:13/7:2,21:2,5:2,12:9", "62", [], (8, 6)),
    ("higher_number", "portes", "20:1,2:14/16:2,12:13", "65", [], (20, 15)),
]
"""Code, game, position, roll, steps played, and the step that is refused."""


@pytest.mark.parametrize(("code", "game", "text", "dice", "played", "step"), EXAMPLES)
def test_every_reason_by_hand(code, game, text, dice, played, step):
    position = tf.Position.parse(text, tf.find_ruleset(game))
    roll = int(dice[0]), int(dice[1])
    for each in (roll, roll[::-1]):
        assert position.explain(step, each, played[::-1]) is Reason(code)
        assert why.explain(position, step, each, played) is Reason(code)


def test_no_reason_is_left_out():
    assert {code for code, *_ in EXAMPLES} == set(Reason)


def test_steps_that_can_be_played_have_none():
    start = tf.Position.start(tf.PORTES)
    for roll in ROLLS:
        for step in start.next_steps(roll):
            assert start.explain(step, roll) is None
            assert why.explain(start, (step.start, step.end), roll) is None


def test_the_first_reason_in_the_order_of_law_is_told():
    """One checker may be pinned, wait for the bar, and be shut in, all at once or in turn."""
    start = tf.Position.start(tf.PORTES)
    assert start.explain((24, 18), (5, 1)) is Reason.NO_SUCH_NUMBER
    bar = tf.Position(tf.PORTES, {25: 1, 24: 1, 6: 13}, {6: 2, 24: 1, 10: 12})
    assert bar.explain((24, 19), (5, 1)) is Reason.BAR_FIRST
    assert bar.explain((6, 0), (6, 1)) is Reason.BAR_FIRST
    assert bar.explain((23, 22), (5, 1)) is Reason.NO_CHECKER
    assert bar.explain((24, 19), (6, 5), [(25, 20)]) is Reason.NO_SUCH_NUMBER


def test_numbers_left_of_a_double_count():
    start = tf.Position.start(tf.PORTES)
    assert start.explain((6, 5), (1, 1), [(6, 5)], numbers=2) is None
    assert start.explain((6, 5), (1, 1), [(6, 5)], numbers=1) is Reason.TURN_OVER


def test_played_must_begin_a_legal_move():
    start = tf.Position.start(tf.PORTES)
    with pytest.raises(tf.IllegalMove, match="24/19 cannot be played with 5-1"):
        start.explain((6, 5), (5, 1), [(24, 19)])


# Forbidden walls


def banned_moves() -> list:
    """The moves of the worked positions that one ban alone forbids: position, roll, move, ban."""
    found = []
    for path in sorted((ROOT / "tests" / "data" / "cases").glob("*.json.gz")):
        for row in json.loads(gzip.decompress(path.read_bytes())):
            ruleset, roll = tf.find_ruleset(row["ruleset"]), tuple(row["roll"])
            for option, free in BANS.items():
                if getattr(ruleset, option) == free:
                    continue
                sides = row["position"]["own"], row["position"]["opp"]
                position = tf.Position(ruleset, *sides)
                freed = tf.Position(ruleset.replace(**{option: free}), *sides)
                legal = {after.own for after in position.afterstates(roll)}
                name = f"{row['id']}-{row['ruleset']}-{option}"
                found += [
                    pytest.param(position, roll, move, option, id=f"{name}-{move}")
                    for move in freed.moves(roll)
                    if move.after.own not in legal
                ]
    return found


BANNED = banned_moves()


def test_every_ban_is_met():
    assert {param.values[-1] for param in BANNED} == set(BANS)
    assert len(BANNED) == 29


@pytest.mark.parametrize(("position", "roll", "move", "ban"), BANNED)
def test_forbidden_walls_are_named(position, roll, move, ban):
    played: list[Step] = []
    while (reason := position.explain(move.steps[len(played)], roll, played)) is None:
        played.append(move.steps[len(played)])
    assert reason == ban


# The codes


def test_codes_are_values():
    assert [Reason(code) for code in map(str, Reason)] == list(Reason)
    assert all(pickle.loads(pickle.dumps(each)) is each for each in Reason)
    assert len({each.rule for each in Reason}) == len(Reason)
    assert json.loads(json.dumps(list(Reason))) == [each.value for each in Reason]


def test_rules_lists_the_codes_in_order():
    text = (ROOT / "RULES.md").read_text(encoding="utf-8")
    section = text.partition("## Why a step is refused")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `(\w+)` \| (.*) \|$", section, flags=re.MULTILINE)
    assert listed == [(each.value, each.rule) for each in Reason]
