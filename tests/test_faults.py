"""Which records are no positions, and what is wrong with each: every kind of fault, no other."""

from __future__ import annotations

import random

import numpy as np
import pytest
from boards import as_bytes, facing, to_array
from strategies import arbitrary_board, with_checkers

import tavli_fast as tf
from tavli_fast.rules import BAR, Contact, Ruleset

GAMES = list(tf.RULESETS.values())
POINTS = range(1, 25)
SPARE = (26, 27, 58, 59)
PIN_BYTES = (*range(28, 32), *range(60, 64))
TOLD = {
    "own total": "own has",
    "opp total": "opp has",
    "shared": "both sides have checkers on it",
    "bar": "has no bar",
    "pins": "pin",
    "spare": "the spare bytes are not zero",
}
"""Each kind, and some words of what is told of it."""


def kinds_of(record: np.ndarray, ruleset: Ruleset) -> set[str]:
    """The kinds of faults of 64 bytes, by the description of the record."""
    data = record.tolist()
    own, opp = data[:26], data[32:58]
    own_pinned, opp_pinned = (
        {bit for bit in range(32) if data[first + bit // 8] >> bit % 8 & 1} for first in (28, 60)
    )
    kinds = {
        "own total": sum(own) != ruleset.checkers,
        "opp total": sum(opp) != ruleset.checkers,
        "spare": any(data[at] for at in SPARE),
        "bar": ruleset.contact is not Contact.HIT and own[BAR] + opp[BAR] > 0,
        "shared": False,
        "pins": bool(own_pinned | opp_pinned),
    }
    shared = {point for point in POINTS if own[point] and opp[facing(ruleset.movement, point)]}
    if ruleset.contact is Contact.PIN:
        his_pinned = {25 - point for point in opp_pinned}
        kinds["pins"] = (
            own_pinned | his_pinned != shared
            or bool(own_pinned & his_pinned)
            or any(own[point] != 1 for point in own_pinned)
            or any(opp[point] != 1 for point in opp_pinned)
        )
    else:
        kinds["shared"] = bool(shared)
    return {kind for kind, there in kinds.items() if there}


def kinds_told(records: np.ndarray, ruleset: Ruleset) -> set[str]:
    try:
        tf.check_records(records, ruleset)
    except tf.IllegalPosition as error:
        told = set()
        for fault in error.faults:
            kinds = [kind for kind, words in TOLD.items() if words in fault]
            told.add("pins" if "pins" in kinds or "pinned" in fault else kinds[0])
        return told
    return set()


def changed(choose: random.Random, ruleset: Ruleset, data: np.ndarray) -> None:
    """Do one thing to a record that may make it wrong."""
    side = choose.choice([0, 32])
    held = [point for point in range(26) if data[side + point]]
    kind = choose.randrange(6)
    if kind == 0:
        data[side + choose.randrange(26)] += 1
    elif kind == 1 and held:
        data[side + choose.choice(held)] -= 1
    elif kind == 2 and held:
        data[side + choose.choice(held)] -= 1
        data[side + choose.choice([BAR, *POINTS])] += 1
    elif kind == 3 and held:
        other = 32 - side
        theirs = [point for point in POINTS if data[other + point]]
        data[side + choose.choice(held)] -= 1
        where = facing(ruleset.movement, choose.choice(theirs)) if theirs else BAR
        data[side + where] += 1
    elif kind == 4:
        data[choose.choice(SPARE)] = choose.choice([1, 255])
    else:
        data[choose.choice(PIN_BYTES)] ^= 1 << choose.randrange(8)


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_the_faults_of_a_record_are_those_it_has(ruleset):
    choose = random.Random(1)
    seen = set()
    for checkers in (ruleset.checkers, 2):
        size = with_checkers(ruleset, checkers)
        for _ in range(600):
            records = to_array([arbitrary_board(choose, size)])
            (data,) = as_bytes(records)
            for _ in range(choose.choice([0, 1, 1, 2])):
                changed(choose, size, data)
            expected = kinds_of(data, size)
            seen.add(frozenset(expected))
            assert kinds_told(records, size) == expected, data.tolist()
    possible = set(TOLD) - {"shared" if ruleset.contact is Contact.PIN else None}
    possible -= {"bar" if ruleset.contact is Contact.HIT else None}
    assert {frozenset(), *(frozenset([kind]) for kind in possible)} <= seen


def test_pins_that_do_not_fit_by_one_point_alone():
    """Each mistake about pins by itself, on a record with a sound pin of either side."""
    own = {24: 1, 20: 2, 10: 1, 6: 11}
    opp = {24: 1, 15: 2, 5: 1, 8: 11}
    sound = tf.Position(tf.PLAKOTO, own, opp, own_pinned=(10,), opp_pinned=(5,))
    base = tf.to_records([sound])
    assert kinds_told(base, tf.PLAKOTO) == set()
    for side, masks in (
        ("own", (0, 1 << 10 | 1, 1 << 10 | 1 << 25, 1 << 10 | 1 << 20, 1 << 10 | 1 << 24)),
        ("opp", (0, 1 << 5 | 1, 1 << 5 | 1 << 25, 1 << 5 | 1 << 15, 1 << 5 | 1 << 24)),
    ):
        for mask in masks:
            records = base.copy()
            records[side]["pinned"] = mask
            assert kinds_told(records, tf.PLAKOTO) == {"pins"}, (side, mask)


def test_a_point_where_both_are_pinned():
    """One checker of each, and each said to lie under the other."""
    own, opp = {24: 1, 10: 1, 6: 13}, {24: 1, 15: 1, 8: 13}
    for own_pinned, opp_pinned in (((10,), ()), ((), (15,))):
        sound = tf.Position(tf.PLAKOTO, own, opp, own_pinned, opp_pinned)
        records = tf.to_records([sound])
        assert kinds_told(records, tf.PLAKOTO) == set()
        records["own"]["pinned"], records["opp"]["pinned"] = 1 << 10, 1 << 15
        assert kinds_told(records, tf.PLAKOTO) == {"pins"}
