"""The games as data."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import variants

import tavli_fast as tf
from tavli_fast.rules import OPTIONS, Contact, Movement

GAMES = list(tf.RULESETS.values())


def test_the_games():
    assert list(tf.RULESETS) == [
        *("portes", "backgammon", "tavla", "hypergammon", "nackgammon"),
        *("plakoto", "tapa", "mahbusa", "fevga", "moultezim"),
        *("gul_bara", "gioul", "long_nardy"),
    ]
    for game, ruleset in tf.RULESETS.items():
        assert ruleset.game == game
        assert getattr(tf, game.upper()) is ruleset


def test_the_start_positions():
    """167 pips in Portes and its kin, 360 with all checkers on 24."""
    unlike = {"hypergammon": (3, 69), "nackgammon": (15, 194)}
    for game, ruleset in tf.RULESETS.items():
        pips = sum(point * count for point, count in enumerate(ruleset.start))
        usual = (15, 167 if ruleset.contact is Contact.HIT else 360)
        assert (ruleset.checkers, pips) == unlike.get(game, usual)
    assert tf.PORTES.start == tuple({24: 2, 13: 5, 8: 3, 6: 5}.get(point, 0) for point in range(26))


def test_the_mechanics():
    for ruleset in (tf.PORTES, tf.BACKGAMMON, tf.TAVLA):
        assert (ruleset.contact, ruleset.movement) == (Contact.HIT, Movement.CONTRARY)
    for ruleset in (tf.FEVGA, tf.MOULTEZIM):
        assert (ruleset.contact, ruleset.movement) == (Contact.HOLD, Movement.PARALLEL)


DEFAULTS = {
    "portes": {
        "bear_off": "if_other_step",
        "opening": "reroll",
        "triple": "off",
        "hit_and_run": "allowed",
    },
    "backgammon": {
        "bear_off": "if_other_step",
        "opening": "play_numbers",
        "triple": "on",
        "hit_and_run": "allowed",
    },
    "tavla": {
        "bear_off": "if_other_step",
        "opening": "reroll",
        "triple": "off",
        "hit_and_run": "not_at_home",
    },
    "fevga": {
        "bear_off": "if_other_step",
        "opening": "play_numbers",
        "runner": "enter",
        "runner_release": "mid_turn",
        "total_block": "no_playable_number",
        "total_block_remedy": "may_not_build",
        "start_quarter": "banned",
        "mother_prime": "banned",
    },
}
DEFAULTS["moultezim"] = DEFAULTS["fevga"] | {"runner": "pass"}
DEFAULTS["hypergammon"] = DEFAULTS["nackgammon"] = DEFAULTS["backgammon"]
SHARED = {"bear_off": "if_other_step", "opening": "reroll"}
DEFAULTS["plakoto"] = SHARED | {
    "mother": "unless_mutual",
    "mother_points": "2",
    "bear_off_while_pinned": "allowed",
}
DEFAULTS["tapa"] = DEFAULTS["plakoto"] | {"mother": "off"}
DEFAULTS["mahbusa"] = DEFAULTS["tapa"] | {"bear_off_while_pinned": "forbidden"}
DEFAULTS["gul_bara"] = SHARED | {
    "cascade_from": "1",
    "cascade_extent": "chain",
    "unfinished": "forfeit",
}
DEFAULTS["gioul"] = DEFAULTS["gul_bara"] | {"unfinished": "opponent_plays"}
DEFAULTS["long_nardy"] = SHARED | {
    "head": "one_a_turn",
    "head_exception": "two_on_doubles",
    "six_prime": "needs_one_ahead",
    "last_roll_draw": "off",
}


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_default_options(ruleset):
    assert {name: getattr(ruleset, name) for name in ruleset.options} == DEFAULTS[ruleset.game]


def test_every_option_belongs_to_a_game_and_to_the_dataclass():
    fields = {field.name for field in dataclasses.fields(tf.PORTES)}
    used = {name for ruleset in GAMES for name in ruleset.options}
    assert used == set(OPTIONS)
    assert used <= fields
    for ruleset in GAMES:
        for name, values in OPTIONS.items():
            assert getattr(ruleset, name) in values


def test_rulesets_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        tf.FEVGA.runner = "off"
    with pytest.raises(TypeError):
        tf.RULESETS["chess"] = tf.FEVGA
    with pytest.raises(TypeError):
        OPTIONS["runner"] = ()


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_variants_keep_their_identity_through_text_pickle_and_copy(ruleset):
    @given(variants(ruleset))
    def keep(variant):
        assert tf.find_ruleset(str(variant)) == variant
        assert eval(repr(variant), {"find_ruleset": tf.find_ruleset}) == variant
        assert pickle.loads(pickle.dumps(variant)) == variant
        assert copy.deepcopy(variant) == variant
        assert hash(pickle.loads(pickle.dumps(variant))) == hash(variant)
        assert variant.replace(bear_off=variant.bear_off) == variant

    keep()


def test_different_options_are_different_rulesets():
    variants = {
        ruleset.replace(**{name: value})
        for ruleset in GAMES
        for name in ruleset.options
        for value in OPTIONS[name]
    }
    changes = sum(len(OPTIONS[name]) - 1 for ruleset in GAMES for name in ruleset.options)
    assert len(variants) == changes + len(GAMES)
    assert len({str(variant) for variant in variants}) == len(variants)


@pytest.mark.parametrize(
    ("text", "ruleset"),
    [
        ("fevga", tf.FEVGA),
        ("FEVGA", tf.FEVGA),
        ("  Fevga ( ) ", tf.FEVGA),
        ("tawla31", tf.FEVGA),
        ("Tawla 31", tf.FEVGA),
        ("tawla-31", tf.FEVGA),
        ("multezim", tf.MOULTEZIM),
        ("Mültezim", tf.MOULTEZIM),
        ("MÜLTEZIM", tf.MOULTEZIM),
        ("portes(hit_and_run=not_at_home)", tf.PORTES.replace(hit_and_run="not_at_home")),
        ("moultezim(runner=enter)", tf.MOULTEZIM.replace(runner="enter")),
        (
            "fevga( runner = PASS ,mother_prime=free, )",
            tf.FEVGA.replace(runner="pass", mother_prime="free"),
        ),
        ("fevga(runner=enter)", tf.FEVGA),
    ],
)
def test_find_ruleset(text, ruleset):
    assert tf.find_ruleset(text) == ruleset


def test_games_with_the_same_rules_differ_by_name():
    assert tf.PORTES.replace(hit_and_run="not_at_home") != tf.TAVLA
    assert str(tf.MOULTEZIM.replace(runner="enter")) == "moultezim(runner=enter)"


@pytest.mark.parametrize(
    ("text", "named", "listed"),
    [
        ("chess", "'chess'", ["portes", "backgammon", "tavla", "fevga", "moultezim"]),
        ("", "''", []),
        ("fevga(", "'fevga('", []),
        ("fevga)x(", "'fevga)x('", []),
        ("fevga(runner=pass)x", "'fevga(runner=pass)x'", []),
        ("(runner=pass)", "'(runner=pass)'", []),
        ("fevga(runner)", "'runner'", []),
        ("fevga(runner=)", "'runner='", []),
        ("fevga(=pass)", "''", ["runner", "mother_prime"]),
        ("fevga(triple=on)", "'triple'", ["runner", "start_quarter"]),
        ("portes(runner=pass)", "'runner'", ["bear_off", "triple", "hit_and_run"]),
        ("fevga(runner=walk)", "'walk'", ["enter", "pass", "off"]),
        ("fevga(title=free)", "'title'", ["runner"]),
        ("fevga(runner=pass, runner=enter)", "'runner'", []),
    ],
)
def test_errors_name_the_fault_and_list_what_exists(text, named, listed):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        tf.find_ruleset(text)
    for part in [named, *listed]:
        assert part in str(caught.value)


@given(st.text(max_size=30) | st.from_regex(r"fevga\([a-z_=, ]{0,20}\)", fullmatch=True))
def test_no_text_raises_anything_else(text):
    with contextlib.suppress(ValueError):
        assert tf.find_ruleset(text).game in tf.RULESETS


def test_replace_knows_only_the_options_of_the_game():
    with pytest.raises(ValueError, match=r"portes has no option 'runner'; it has bear_off"):
        tf.PORTES.replace(runner="pass")
    with pytest.raises(ValueError, match=r"fevga has no option 'start'"):
        tf.FEVGA.replace(start="24")
    with pytest.raises(ValueError, match=r"runner cannot be 'walk'; it is one of enter, pass, off"):
        tf.FEVGA.replace(runner="walk")
    with pytest.raises(ValueError, match=r"runner cannot be None"):
        tf.FEVGA.replace(runner=None)


@pytest.mark.parametrize(
    "start",
    [
        (0,) * 26,
        (15,) * 25,
        (0,) * 26 + (15,),
        (0,) * 24 + (256, 0),
        (0,) * 24 + (-1, 16),
        (),
    ],
    ids=["nobody", "25 counts", "27 counts", "256 checkers", "a negative count", "nothing"],
)
def test_starts_that_are_none(start):
    with pytest.raises(ValueError, match=r"portes: start"):
        dataclasses.replace(tf.PORTES, start=start)
