"""A share of what `tests/fuzz.py` does, and the inputs that have been faults."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from fuzz import TARGETS, Consumer, execute

import tavli_fast as tf
from tavli_fast import notation

EXECUTIONS = 300


ALONE = pytest.mark.thread_unsafe(reason="sys.stdout and sys.stdin are replaced")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=ALONE if name == "commands" else ()) for name in TARGETS],
)
def test_nothing_but_the_documented_comes_out(name):
    endings = [
        execute(TARGETS[name], random.Random(f"1 {name} {execution}"))
        for execution in range(EXECUTIONS)
    ]
    assert "answer" in endings, "what is handed over is never right"


@ALONE
def test_choices_by_a_fuzzer():
    """Any bytes make an input, few bytes a dull one."""
    for data in (b"", b"\xff" * 50, bytes(range(256)) * 8):
        for target in TARGETS.values():
            execute(target, Consumer(data))


@pytest.mark.parametrize(
    "text", [" \t" * 20_000 + "(", "portes" + " " * 50_000 + "x", "portes(" + " ," * 50_000 + "("]
)
def test_long_texts_are_read_in_one_go(text):
    """Patterns that skip spaces went over them again and again: hours for 400 spaces and a '('."""
    began = time.monotonic()
    for read in (
        tf.find_ruleset,
        tf.Position.from_id,
        lambda text: tf.Position.parse(text, tf.PORTES),
        lambda text: tf.Position.from_xgid(text, tf.PORTES),
        lambda text: tf.Position.start(tf.PORTES).parse_move(text, (3, 1)),
        notation.parse_roll,
    ):
        with pytest.raises(ValueError, match=r"\w"):
            read(text)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("text", [None, 3, b"start", ["start"]], ids=repr)
def test_what_is_no_text_is_told(text):
    position = tf.Position.start(tf.PORTES)
    for read in (
        tf.find_ruleset,
        tf.Position.from_id,
        lambda text: tf.Position.parse(text, tf.PORTES),
        lambda text: tf.Position.from_gnubg_id(text, tf.PORTES),
        lambda text: tf.Position.from_xgid(text, tf.PORTES),
        lambda text: position.parse_move(text, (3, 1)),
        lambda text: position.play(text, (3, 1)),
        tf.Game.start(tf.PORTES, [(3, 1)] * 3, starter=0).play,
    ):
        with pytest.raises(ValueError, match=r"(?i)text"):
            read(text)


def test_sides_and_pins_of_no_sensible_kind():
    start = {24: 15}
    for arguments, named in (
        ((5, start), "own is 5"),
        ((start, None), "opp is None"),
        ((start, start, 7), "own_pinned is 7"),
        ((start, start, "ab"), "own_pinned has point 'a'"),
        ((start, start, (), [1.5, 2**70]), "opp_pinned has point 1.5"),
    ):
        with pytest.raises(tf.IllegalPosition, match=named):
            tf.Position(tf.PLAKOTO, *arguments)


def test_moves_of_no_sensible_kind():
    position = tf.Position.start(tf.PORTES)
    for steps in ([("a",)], [(99, -5)], [3], [np.zeros(3)]):
        with pytest.raises(ValueError, match="a step is"):
            tf.Move(steps, [], position)
    with pytest.raises(TypeError):
        tf.Move([], [], None)


def test_a_list_that_shrinks_while_it_is_read():
    class Cutter:
        def __index__(self):
            roll.clear()
            return 3

    position = tf.Position.start(tf.PORTES)
    move = tf.Move([(24, 23)], [], position)
    roll: list[object] = []
    for call in (lambda: position.play(move, roll), lambda: position.parse_move("24/1", roll)):
        roll[:] = [Cutter(), 1]
        with pytest.raises(ValueError, match="cannot be played with 3-1"):
            call()


@pytest.mark.parametrize("value", [None, -1, "x", [], {}, [1], 2**70], ids=repr)
def test_recordings_with_any_head(value):
    play = tf.SelfPlay(tf.GIOUL, 2, rng=1, record=True)
    play.advance(np.zeros(2, int))
    recording = play.recording()
    for name in recording.head:
        if (name, value) in (("ply_cap", None), ("is_match", value)):
            continue
        damaged = recording._replace(head={**recording.head, name: value})
        with pytest.raises(ValueError, match=r"recording|recorded"):
            list(damaged.replay())
