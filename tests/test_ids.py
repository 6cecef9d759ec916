"""Positions as IDs, there and back; GNU Backgammon's are compared with its own in test_gnubg."""

from __future__ import annotations

import dataclasses
import itertools
import random
import re
import string

import numpy as np
import pytest
from boards import to_position
from compare import positions
from compare_text import text_faults
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import legal_boards, variant, variants
from test_corpus import CORPORA

import tavli_fast as tf

LETTERS = string.ascii_letters + string.digits
HIT_GAMES = [row for row in tf.RULESETS.values() if row.contact is tf.Contact.HIT]
OTHER_GAMES = [row for row in tf.RULESETS.values() if row.contact is not tf.Contact.HIT]
START_XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10"


@st.composite
def legal_positions(draw: st.DrawFn, rulesets: list[tf.Ruleset]) -> tf.Position:
    """Any position of these games under any options."""
    ruleset = draw(st.sampled_from(rulesets).flatmap(variants))
    return to_position(draw(legal_boards(ruleset)), ruleset)


any_positions = legal_positions(list(tf.RULESETS.values()))
positions_of_hit_games = legal_positions(HIT_GAMES)


# The ID of this project


@pytest.mark.parametrize(
    ("ruleset", "text", "id_"),
    [
        ("portes", "start", "portes:4HPwATDgc_ABMA"),
        ("fevga", "start", "fevga:AACA_z8AAID_Pw"),
        (
            "Tawla31 ( runner=pass, mother_prime = free )",
            "start",
            "fevga(runner=pass,mother_prime=free):AACA_z8AAID_Pw",
        ),
        ("hypergammon", "start", "hypergammon:AACgAgAAKg"),
        ("portes", "off:15/1:15", "portes:_38AAAAAAAAA"),
        ("gioul", "off:15/off:15", "gioul:AAAAAAAAAA"),
        ("plakoto", "24:14,5:1p/24:13,20:2", "plakoto:AAAY_j8QAAD_PwE"),
        ("plakoto", "24:14,5:1p/24:14,20:1", "plakoto:AAAI_z8QAAD_PwE"),
        ("plakoto", "24:14,5:1/24:14,20:1p", "plakoto:AAAI_z8QAAD_PwA"),
    ],
)
def test_ids_that_are_known(ruleset: str, text: str, id_: str) -> None:
    position = tf.Position.parse(text, tf.find_ruleset(ruleset))
    assert position.id == id_
    assert tf.Position.from_id(id_) == position


@settings(deadline=None)
@given(any_positions)
def test_an_id_is_its_position(position: tf.Position) -> None:
    assert re.fullmatch(r"[a-z_]+(\([a-z0-9_=,]+\))?:[\w-]+", position.id, flags=re.ASCII)
    assert tf.Position.from_id(position.id) == position
    assert tf.Position.parse(f" {position.id}\n", position.ruleset) == position


@pytest.mark.parametrize("game", CORPORA)
def test_ids_of_a_corpus(game: str) -> None:
    """Every position of random play comes back, and no two have one ID."""
    corpus = CORPORA[game]()
    records = np.unique(corpus.records)
    positions = tf.from_records(records[:: max(1, len(records) // 5000)], corpus.ruleset)
    texts = [position.id for position in positions]
    assert len(set(texts)) == len(texts)
    assert [tf.Position.from_id(text) for text in texts] == positions


@settings(deadline=None)
@given(any_positions, st.data())
def test_a_damaged_id_is_refused_or_another_position(
    position: tf.Position, data: st.DataObject
) -> None:
    game, _, payload = position.id.partition(":")
    at = data.draw(st.integers(0, len(payload) - 1))
    cut_short = f"{game}:{payload[:at]}"
    too_long = f"{position.id}{data.draw(st.text(LETTERS + '-_=', min_size=1, max_size=5))}"
    for text in (cut_short, too_long):
        with pytest.raises(tf.NotationError, match=re.escape(repr(text))):
            tf.Position.from_id(text)
    letter = data.draw(st.sampled_from(LETTERS + "-_+/ =\u00e9"))
    text = f"{game}:{payload[:at]}{letter}{payload[at + 1 :]}"
    try:
        other = tf.Position.from_id(text)
    except (tf.NotationError, tf.IllegalPosition):
        return
    assert other.id == text
    assert (other == position) == (text == position.id)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a position ID"),
        ("portes", "'portes' is not a position ID"),
        (":4HPwATDgc_ABMA", "':4HPwATDgc_ABMA' is not a position ID"),
        ("portes:4HPwATDgc_ABMA:", "'portes:4HPwATDgc_ABMA:' is not a position ID"),
        ("portes:4HPwATDgc/ABMA", "'portes:4HPwATDgc/ABMA' is not a position ID"),
        ("chess:4HPwATDgc_ABMA", "unknown game 'chess'; the games are portes, "),
        ("portes(runner=pass):4HPwATDgc_ABMA", "portes has no option 'runner'"),
        ("portes(:4HPwATDgc_ABMA", "no text of a ruleset: 'portes('"),
        ("portes:", "the position ID 'portes:' is damaged"),
        ("portes:4HPwATDgc_ABM", "the position ID 'portes:4HPwATDgc_ABM' is damaged"),
        ("portes:4HPwATDgc_AB", "the position ID 'portes:4HPwATDgc_AB' is damaged"),
        ("portes:4HPwATDgc_ABMB", "the position ID 'portes:4HPwATDgc_ABMB' is damaged"),
        ("portes:4HPwATDgc_ABMAA", "the position ID 'portes:4HPwATDgc_ABMAA' is damaged"),
        ("portes:4HPwATDgc_ABMA==", "the position ID 'portes:4HPwATDgc_ABMA==' is damaged"),
        ("portes:4HPwATDgc+ABMA", "the position ID 'portes:4HPwATDgc+ABMA' is damaged"),
        ("portes:4HPwATDgc\u00e9ABMA", "the position ID 'portes:4HPwATDgc\u00e9ABMA' is damaged"),
        ("portes:______________", "the position ID 'portes:______________' is damaged"),
        ("plakoto:AAAI_z8QAAD_Pw", "the position ID 'plakoto:AAAI_z8QAAD_Pw' is damaged"),
    ],
)
def test_texts_that_are_no_id(text: str, message: str) -> None:
    with pytest.raises(tf.NotationError, match=f"^{re.escape(message)}"):
        tf.Position.from_id(text)


def test_an_id_of_no_position() -> None:
    with pytest.raises(tf.IllegalPosition, match="own has 16 checkers, not 15"):
        tf.Position.from_id("portes:4Dn4ABjwc_ABMA")
    with pytest.raises(tf.IllegalPosition, match="fevga has no bar"):
        tf.Position.from_id(tf.Position(tf.PORTES, {25: 1}, {1: 15}).id.replace("portes", "fevga"))


def test_rules_of_ones_own_have_no_id() -> None:
    for change in ({"game": "mine"}, {"start": (0,) * 24 + (14, 0)}):
        position = tf.Position.start(dataclasses.replace(tf.PORTES, **change))
        with pytest.raises(tf.NotationError, match="has no position ID"):
            _ = position.id


# GNU Backgammon's position ID


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("start", "4HPwATDgc/ABMA"),
        # Player 1 has made his five point with 3-1 from the start; the other is on roll.
        ("start/24:2,13:5,8:2,6:4,5:2", "sGfwATDgc/ABMA"),
        ("bar:15/off:15", "AAAAAAAA/v8AAA"),
        ("off:15/bar:15", "AAAA/38AAAAAAA"),
        ("off:15/off:15", "AAAAAAAAAAAAAA"),
    ],
)
def test_gnubg_ids_that_are_known(text: str, id_: str) -> None:
    text = text.replace("start/", "24:2,13:5,8:3,6:5/")
    position = tf.Position.parse(text, tf.BACKGAMMON)
    assert position.to_gnubg_id() == id_
    assert tf.Position.from_gnubg_id(id_, tf.BACKGAMMON) == position


@settings(deadline=None)
@given(positions_of_hit_games)
def test_a_gnubg_id_is_its_position(position: tf.Position) -> None:
    text = position.to_gnubg_id()
    assert re.fullmatch(r"[A-Za-z0-9+/]{14}", text)
    assert tf.Position.from_gnubg_id(text, position.ruleset) == position
    assert tf.Position.parse(f" {text} ", position.ruleset) == position


@settings(deadline=None)
@given(st.text(LETTERS + "+/", min_size=14, max_size=14))
def test_any_fourteen_letters_are_read_or_refused(text: str) -> None:
    try:
        position = tf.Position.from_gnubg_id(text, tf.BACKGAMMON)
    except (tf.NotationError, tf.IllegalPosition):
        return
    assert position.to_gnubg_id() == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a gnubg position ID"),
        ("4HPwATDgc/ABM", "'4HPwATDgc/ABM' is not a gnubg position ID"),
        ("4HPwATDgc/ABMAA", "'4HPwATDgc/ABMAA' is not"),
        ("4HPwATDgc_ABMA", "'4HPwATDgc_ABMA' is not"),
        ("4HPwATDgc/ABM\u00e9", "'4HPwATDgc/ABM\u00e9' is not"),
        ("4HPwATDgc/ABMP", "the position ID '4HPwATDgc/ABMP' is damaged"),
        ("4HPwATDgc/ABsA", "the position ID '4HPwATDgc/ABsA' is damaged"),
        ("//////////////", "the position ID '//////////////' is damaged"),
    ],
)
def test_texts_that_are_no_gnubg_id(text: str, message: str) -> None:
    with pytest.raises(tf.NotationError, match=f"^{re.escape(message)}"):
        tf.Position.from_gnubg_id(text, tf.BACKGAMMON)


def test_a_gnubg_id_of_no_position() -> None:
    with pytest.raises(tf.IllegalPosition, match="own has 15 checkers, not 3"):
        tf.Position.from_gnubg_id("4HPwATDgc/ABMA", tf.HYPERGAMMON)


# XGID


def test_xgids_that_are_known() -> None:
    start = tf.Position.start(tf.BACKGAMMON)
    assert start.to_xgid((5, 2)) == START_XGID
    assert start.to_xgid() == START_XGID.replace(":52:", ":00:")
    assert tf.Position.from_xgid(START_XGID, tf.BACKGAMMON) == (start, (5, 2))
    ends = tf.Position(tf.PORTES, {25: 1, 1: 14}, {25: 2, 20: 3})
    assert ends.to_xgid((1, 1)) == f"XGID=bN---c{'-' * 19}A:0:0:1:11:0:0:0:0:10"


@pytest.mark.parametrize(
    ("rest", "roll"),
    [
        (":0:0:1:00:0:0:0:0:10", None),
        (":0:0:1:D:0:0:0:0:10", None),
        (":3:-1:1:B:4:2:0:7:8", None),
        (":0:0:1:R:0:0:3:0:10", None),
        (":1:1:1:66:3:0:1:7:10", (6, 6)),
        (":2:0:-1:13:3:0:1:7:10", (1, 3)),
    ],
)
def test_the_turn_says_whose_position_it_is(rest: str, roll: tuple[int, int] | None) -> None:
    below = tf.Position(tf.BACKGAMMON, {25: 1, 13: 5, 6: 5}, {24: 2, 20: 1, 4: 9})
    xgid = below.to_xgid().partition(":")[0] + rest
    turned = ":-1:" in rest.replace(":3:-1:", ":3:")
    expected = below.flip() if turned else below
    assert tf.Position.from_xgid(xgid, tf.BACKGAMMON) == (expected, roll)
    assert tf.Position.parse(f" xgid={xgid[5:]}\n", tf.BACKGAMMON) == expected


@settings(deadline=None)
@given(positions_of_hit_games, st.none() | st.tuples(*[st.integers(1, 6)] * 2))
def test_an_xgid_is_its_position_and_roll(
    position: tf.Position, roll: tuple[int, int] | None
) -> None:
    text = position.to_xgid(roll)
    assert tf.Position.from_xgid(text, position.ruleset) == (position, roll)
    other = tf.Position.from_xgid(text.replace(":0:0:1:", ":0:0:-1:"), position.ruleset)
    assert other == (position.flip(), roll)


@pytest.mark.parametrize(
    ("xgid", "message"),
    [
        ("", "'' is not an XGID; one begins with 'XGID='"),
        (START_XGID[5:], f"{START_XGID[5:]!r} is not an XGID"),
        ("XGID=", "cannot read '' in 'XGID='"),
        (START_XGID.replace("=-", "="), "cannot read 'b----E-C---eE---c-e----B-'"),
        (START_XGID.replace("E-C", "P-C"), "cannot read '-b----P-C---eE---c-e----B-'"),
        (START_XGID.replace("E-C", "\u0395-C"), "cannot read '-b----\u0395-C---eE---c-e----B-'"),
        (START_XGID.partition(":")[0], "'XGID=-b----E-C---eE---c-e----B-' has 0 fields"),
        (START_XGID[:-3], f"{START_XGID[:-3]!r} has 8 fields after the points, not 9"),
        (f"{START_XGID}:", f"'{START_XGID}:' has 10 fields after the points, not 9"),
        (START_XGID.replace("-:0:", "-:x:"), "'x' cannot be the cube in"),
        (START_XGID.replace(":0:1:", ":2:1:"), "'2' cannot be the cube owner in"),
        (START_XGID.replace(":1:52", ":0:52"), "'0' cannot be the turn in"),
        (START_XGID.replace(":52:", ":57:"), "'57' cannot be the dice in"),
        (START_XGID.replace(":52:", ":5:"), "'5' cannot be the dice in"),
        (START_XGID.replace(":52:0:", ":52:-1:"), "'-1' cannot be the score of the side below"),
        (START_XGID.replace(":0:10", "::10"), "'' cannot be the match length in"),
        (START_XGID.replace(":10", ":\u0661"), "'\u0661' cannot be the largest cube in"),
        (START_XGID.replace("=-", "=A"), "a checker is on the other side's bar in"),
        (START_XGID.replace("-:", "a:"), "a checker is on the other side's bar in"),
    ],
)
def test_texts_that_are_no_xgid(xgid: str, message: str) -> None:
    with pytest.raises(tf.NotationError, match=f"^{re.escape(message)}"):
        tf.Position.from_xgid(xgid, tf.BACKGAMMON)


def test_an_xgid_of_no_position() -> None:
    with pytest.raises(tf.IllegalPosition, match="own has 16 checkers, not 15"):
        tf.Position.from_xgid(START_XGID.replace("E-C", "F-C"), tf.BACKGAMMON)


@pytest.mark.parametrize("roll", [(3,), (0, 1), (7, 1), 31, "31", (1.0, 2)])
def test_what_is_no_roll_has_no_xgid(roll: object) -> None:
    with pytest.raises(ValueError, match=f"not {re.escape(repr(roll))}"):
        tf.Position.start(tf.PORTES).to_xgid(roll)


# All of them


MANY_CHECKERS = dataclasses.replace(tf.PORTES, start=(0,) * 24 + (16, 0))


@pytest.mark.parametrize("ruleset", [*OTHER_GAMES, MANY_CHECKERS], ids=str)
def test_other_games_have_no_foreign_ids(ruleset: tf.Ruleset) -> None:
    start = tf.Position.start(ruleset)
    gnubg_id = f"{ruleset.game} has no gnubg position ID; the games that have"
    for use in (start.to_gnubg_id, lambda: tf.Position.from_gnubg_id("4HPwATDgc/ABMA", ruleset)):
        with pytest.raises(tf.NotationError, match=f"^{gnubg_id}"):
            use()
    for use in (start.to_xgid, lambda: tf.Position.from_xgid(START_XGID, ruleset)):
        with pytest.raises(tf.NotationError, match=f"^{ruleset.game} has no XGID; the games"):
            use()


@settings(deadline=None)
@given(positions_of_hit_games)
def test_all_ids_and_the_text_say_the_same(position: tf.Position) -> None:
    texts = position.text, position.id, position.to_gnubg_id(), position.to_xgid()
    assert {tf.Position.parse(text, position.ruleset) for text in texts} == {position}


def test_an_id_of_another_ruleset_is_refused() -> None:
    id_ = tf.Position.start(tf.FEVGA.replace(runner="pass")).id
    message = f"{id_!r} is a position of fevga(runner=pass), not of fevga"
    with pytest.raises(tf.NotationError, match=f"^{re.escape(message)}$"):
        tf.Position.parse(id_, tf.FEVGA)


@given(st.text(max_size=40) | st.text(LETTERS + ":/=()-_+, ", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    for ruleset in (tf.BACKGAMMON, tf.PLAKOTO):
        try:
            position = tf.Position.parse(text, ruleset)
        except (tf.NotationError, tf.IllegalPosition):
            continue
        assert position.ruleset == ruleset


@pytest.mark.parametrize("ruleset", ["portes", None, 1])
def test_what_is_no_ruleset_is_told(ruleset: object) -> None:
    for read, text in (
        (tf.Position.parse, "start"),
        (tf.Position.from_gnubg_id, "4HPwATDgc/ABMA"),
        (tf.Position.from_xgid, START_XGID),
    ):
        with pytest.raises(ValueError, match=f"ruleset is {ruleset!r}, not a Ruleset"):
            read(text, ruleset)


@pytest.mark.parametrize("ruleset", tf.RULESETS.values(), ids=str)
def test_every_notation_and_back(ruleset):
    """A share of what `compare_text.py` asks, moves and refusals included."""
    choose = random.Random(1)
    for board in itertools.islice(positions(choose, ruleset), 400):
        rules = choose.choice([ruleset, variant(choose, ruleset)])
        assert text_faults(board, rules, choose) == []
