"""Feed every entry what nobody should, and count how often nothing but the documented came back.

    python tests/fuzz.py [--seconds 60] [--seed N] [--engine atheris] [TARGET ...]

A target makes an input by asking a `Random`, hands it over and checks what comes back: an answer
that holds, or a `ValueError`; a `TypeError` only for what is of no sensible kind. Anything else, a
crash, and whatever takes longer than `SLOW` is a fault, told with the seed that makes it again.
With `--engine atheris` (Linux, `pip install atheris`) the choices come from a fuzzer that watches
which lines of the modules in Python are reached; else they are pseudo-random. Under an
AddressSanitizer build (see CONTRIBUTING.md) the same command finds reads and writes astray.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import faulthandler
import functools
import inspect
import io
import os
import random
import struct
import sys
import tempfile
import time
import types
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import numpy as np
from boards import ROLLS, to_array, to_position
from strategies import arbitrary_board, new_game, variant, with_checkers
from test_hostile import ENTRIES, layouts

import tavli_fast as tf
from tavli_fast import __main__ as command_line
from tavli_fast import (
    bearoff,
    files,
    ids,
    layout,
    match,
    notation,
    reasons,
    render,
    rules,
    svg,
    walls,
)
from tavli_fast.rules import OPTIONS

SLOW = 10.0
"""Seconds for one input on a busy machine; a thousandth is usual."""

WATCHED = (
    *(rules, notation, ids, render, layout, svg, walls, reasons, files, match, bearoff),
    command_line,
)
GAMES = list(tf.RULESETS.values())
TEXTS = [
    *("portes", "fevga(mother_prime=free)", "Long-Nardi (head_exception = none)", "tawla31"),
    *("start", "24:2,13:5,8:3,6:5/24:2,13:5,8:3,6:5", "bar:2,6:13/off:3,5:1p,1:11", "24:15/24:15"),
    *("portes:4HPwATDgc_ABMA", "plakoto:AAAY_j8QAAD_PwE", "fevga(runner=pass):AACA_z8AAID_Pw"),
    *("4HPwATDgc/ABMA", "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10"),
    *("8/5 6/5", "24/18*/13", "bar/20*(2) 6/off", "pass", "cannot move", "31", "6-5", "3,1"),
    *("moves", "show", "primes", "perft", "info", "play", "--json", "--id", "--below", "opp"),
]
SIGNS = [
    *"0123456789abpoXGID=:/-,;*()[]_+. \t\n\r",
    *("\0", "\x1f", "\x85", "\u2028", "\u3000", "\u0663", "\u00b2", "\u0130", "\ufb03"),
    *("\ud800", "\U0001f3b2", "\u0301", "bar", "off", "start", "p", "XGID=", "=", "=="),
]
ODD = [None, True, 1.5, b"start", "", (), [], {}, object(), float("nan"), 2**70, -1, np.zeros(3)]


def text(choose: random.Random) -> str:
    """A text that somebody may have meant, and a few accidents."""
    made = choose.choice(TEXTS)
    for _ in range(choose.choice([0, 1, 1, 2, 4, 8])):
        start, end = sorted((choose.randint(0, len(made)), choose.randint(0, len(made))))
        middle = choose.choice(
            [
                "",
                made[start:end] * 2,
                choose.choice(SIGNS),
                choose.choice(TEXTS),
                choose.choice(SIGNS) * choose.choice([2, 20, 2000]),
                made[start:end][::-1],
                made[start:end].swapcase(),
            ]
        )
        made = made[:start] + middle + made[choose.choice([start, end]) :]
    return made


def some(choose: random.Random, sensible: object) -> object:
    """This, or once in a while something of no sensible kind."""
    return choose.choice(ODD) if choose.random() < 0.05 else sensible


def number(choose: random.Random) -> int:
    return choose.choice(
        [0, 1, 2, 5, 6, 15, 24, 25, 26, 127, 128, 255, 256, -1, 2**31, 2**63, 2**70]
    )


def a_roll(choose: random.Random) -> object:
    return some(choose, choose.choice([*ROLLS, (0, 3), (7, 1), (1,), (1, 2, 3), (1, 2**70), "31"]))


def a_position(choose: random.Random) -> tf.Position:
    ruleset = variant(choose, choose.choice(GAMES))
    return to_position(arbitrary_board(choose, ruleset), ruleset)


# Targets


def ruleset_texts(choose: random.Random) -> None:
    found = tf.find_ruleset(some(choose, text(choose)))
    assert tf.find_ruleset(str(found)) == found


def position_texts(choose: random.Random) -> None:
    found = tf.Position.parse(some(choose, text(choose)), choose.choice(GAMES))
    assert tf.Position.parse(found.text, found.ruleset) == found


def position_ids(choose: random.Random) -> None:
    found = tf.Position.from_id(some(choose, text(choose)))
    assert tf.Position.from_id(found.id) == found


def other_ids(choose: random.Random) -> None:
    ruleset = choose.choice(GAMES)
    read = choose.choice([tf.Position.from_gnubg_id, tf.Position.from_xgid])
    found = read(some(choose, text(choose)), ruleset)
    position = found[0] if isinstance(found, tuple) else found
    assert tf.Position.from_gnubg_id(position.to_gnubg_id(), ruleset) == position
    assert tf.Position.from_xgid(position.to_xgid(), ruleset)[0] == position


def moves(choose: random.Random) -> None:
    position, roll = a_position(choose), a_roll(choose)
    numbers = choose.choice([None, None, 1, 3, number(choose)])
    legal = position.moves(roll, numbers)
    meant = some(choose, choose.choice([text(choose), str(choose.choice(legal))]))
    after = position.play(meant, roll, numbers)
    assert after in [move.after for move in legal]


def rolls(choose: random.Random) -> None:
    die, other = notation.parse_roll(some(choose, text(choose)))
    assert {die, other} <= set(range(1, 7))


def positions(choose: random.Random) -> None:
    def side() -> object:
        points = [some(choose, choose.randint(0, 26)) for _ in range(choose.randint(0, 6))]
        counts = [some(choose, choose.randint(-1, 16)) for _ in points]
        with contextlib.suppress(TypeError):
            return some(choose, choose.choice([dict(zip(points, counts, strict=True)), counts * 5]))
        return counts

    def pins() -> object:
        return some(choose, [some(choose, number(choose)) for _ in range(choose.choice([0, 0, 2]))])

    ruleset = some(choose, choose.choice([choose.choice(GAMES), new_game(choose)]))
    whole = choose.choice([None, a_position(choose)])
    own = whole.own if whole else side()
    made = tf.Position(ruleset, own, side(), pins(), pins())
    tf.check_records(tf.to_records([made]), ruleset)
    use(choose, made)


def use(choose: random.Random, position: tf.Position) -> None:
    """Whatever can be asked of a position that is one."""
    roll = choose.choice(ROLLS)
    results = position.afterstates(roll)
    assert set(results) == {move.after for move in position.moves(roll)}
    tf.check_records(tf.to_records(results), position.ruleset)
    for ask in (position.blockade, position.primes, position.flip, lambda: position.perft(1)):
        ask()
    assert str(position)
    assert tf.svg.board(position)


def records(choose: random.Random) -> None:
    """Bytes near those of legal records, in any layout, at every entry."""
    ruleset = choose.choice([choose.choice(GAMES), new_game(choose)])
    rows = choose.choice([1, 1, 2, 3, 40])
    given = to_array([arbitrary_board(choose, ruleset) for _ in range(rows)])
    data = given.view(np.uint8).reshape(-1, 64)
    for _ in range(choose.choice([0, 0, 1, 2, 40])):
        data[choose.randrange(rows), choose.randrange(64)] = choose.randrange(256)
    dice = np.array([choose.choice(ROLLS) for _ in range(rows)], np.uint8)
    if choose.random() < 0.1:
        dice[choose.randrange(rows), choose.randrange(2)] = choose.randrange(256)
    layout = choose.choice(["negative strides", "every third", "misaligned", "byte-swapped"])
    threads = choose.choice([1, 1, 2, 5])
    entry = choose.choice(list(ENTRIES.values()))
    given = layouts(choose.choice([given, data.astype(np.int32)]))[layout]
    try:
        tf.check_records(given, ruleset)
    except tf.IllegalPosition:
        legal = False
    else:
        legal = True
    try:
        entry(some(choose, given), some(choose, layouts(dice)[layout]), ruleset, threads)
    except tf.IllegalPosition:
        assert not legal
    found = tf.afterstates(given, (choose.randint(1, 6), choose.randint(1, 6)), ruleset)
    tf.check_records(found.positions, ruleset)


def selfplay(choose: random.Random) -> None:
    ruleset = some(choose, choose.choice([choose.choice(GAMES), tf.TAVLI]))
    play = tf.SelfPlay(
        ruleset,
        choose.choice([1, 3, number(choose) % 300]),
        some(choose, number(choose)),
        target=choose.choice([5, number(choose)]),
        ply_cap=choose.choice([None, 3, number(choose)]),
        record=True,
    )
    for _ in range(5):
        found = play.afterstates(flip=some(choose, True), threads=choose.choice([1, 2]))
        choice = [choose.randrange(count) for count in np.diff(found.offsets).tolist()]
        if choose.random() < 0.1:
            choice[choose.randrange(len(choice))] = number(choose)
        play.advance(some(choose, choice))
    assert len(list(play.recording().replay())) == 5


def recordings(choose: random.Random) -> None:
    """Files that are nearly recordings, or of another kind."""
    play = tf.SelfPlay(choose.choice([tf.GIOUL, tf.TAVLI]), 2, rng=1, record=True)
    play.advance(np.zeros(2, int))
    recording = play.recording()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "games.npz"
        if choose.random() < 0.5:
            damaged = choose.choice([*recording.head])
            head = {**recording.head, damaged: choose.choice([None, -1, "x", [], {}, [1], 2**70])}
            recording._replace(head=head).save(file)
        else:
            recording.save(file)
            data = bytearray(file.read_bytes())
            for _ in range(choose.choice([1, 1, 3, 30])):
                data[choose.randrange(len(data))] = choose.randrange(256)
            file.write_bytes(data[: choose.choice([len(data), choose.randrange(len(data))])])
        list(tf.Recording.load(file).replay())


@functools.cache
def small_table() -> tuple[tf.Ruleset, bytes]:
    """A game of two checkers, and its table as a file."""
    ruleset = with_checkers(tf.GIOUL, 2)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table"
        tf.BearOff.build(ruleset, 7).save(file)
        return ruleset, file.read_bytes()


def tables(choose: random.Random) -> None:
    """Files that are nearly bear-off tables, some with a checksum that fits."""
    ruleset, whole = small_table()
    data = bytearray(whole)
    for _ in range(choose.choice([0, 1, 1, 3, 30])):
        data[choose.choice([choose.randrange(28), choose.randrange(len(data))])] ^= 1 << (
            choose.randrange(8)
        )
    data = data[: choose.choice([len(data), len(data), choose.randrange(len(data))])]
    if choose.random() < 0.7:
        data[-4:] = struct.pack("<I", zlib.crc32(data[:-4]))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table"
        file.write_bytes(data)
        table = tf.BearOff.load(file, some(choose, ruleset))
    record = to_array([arbitrary_board(choose, ruleset)])
    race = np.repeat(record, choose.choice([0, 1, 3]))
    side = some(choose, choose.choice(["own", "opp"]))
    assert np.isfinite(table.rolls(race, side)).all()
    for chances in table.chances(some(choose, race), side):
        assert ((chances >= 0) & (chances <= 1)).all()


def rulesets(choose: random.Random) -> None:
    anything = [*tf.Contact, *tf.Movement, *ODD, (0,) * 26, "off"]
    changes = {
        name: choose.choice([choose.choice(OPTIONS.get(name, anything)), choose.choice(anything)])
        for name in choose.choices([*OPTIONS, "contact", "movement", "start", "game"], k=2)
    }
    made = dataclasses.replace(choose.choice(GAMES), **changes)
    use(choose, to_position(arbitrary_board(choose, made), made))


def turns(choose: random.Random) -> None:
    position, roll = a_position(choose), a_roll(choose)
    numbers = choose.choice([None, None, 2, number(choose)])
    played: list[object] = []
    for _ in range(6):
        found = position.next_steps(roll, some(choose, played), numbers)
        if not found:
            break
        step = (some(choose, number(choose)), number(choose))
        position.explain(some(choose, step), roll, played, numbers)
        chosen = choose.choice([*found, step])
        played.append(choose.choice([chosen, chosen[:2]]))


def games(choose: random.Random) -> None:
    script = [choose.choice([*ROLLS, some(choose, (3, 2))]) for _ in range(30)]
    arguments = {"ply_cap": some(choose, choose.choice([None, 20, number(choose)]))}
    if choose.random() < 0.5:
        table = tf.Match.start(
            script, target=some(choose, choose.choice([1, 5, number(choose)])), **arguments
        )
    else:
        place = some(choose, choose.choice([0, 0, 0, 3, -1, number(choose)]))
        arguments["starter"] = some(choose, choose.choice([None, 0, 1, 2]))
        table = tf.Game.start(
            variant(choose, choose.choice(GAMES)), script, place=place, **arguments
        )
    for _ in range(12):
        game = table.game if isinstance(table, tf.Match) else table
        legal = game.moves()
        move = choose.choice(legal)
        meant = choose.choice([move, move.after, str(move), text(choose)])
        with contextlib.suppress(ValueError):
            table = table.play(some(choose, meant))
        if choose.random() < 0.2:
            table = table.undo(some(choose, choose.choice([0, 1, number(choose)])))


def commands(choose: random.Random) -> None:
    """Exit status 0, or 2 and one line that says why; argparse leaves by itself for `--help`."""
    argv = [
        choose.choice([text(choose), choose.choice(TEXTS)]) for _ in range(choose.randint(0, 5))
    ]
    if choose.random() < 0.7:
        of = choose.choice(GAMES)
        asked = choose.choice(["moves", "show", "primes"])
        argv = [asked, choose.choice([str(of), text(choose)]), text(choose), *argv[:2]]
    # Neither a search for hours nor a game without an end, nor files.
    argv = [each for each in argv if each[:4].lower() not in ("--sv", "perf", "play", "--he")]
    told, failed = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(told),
        contextlib.redirect_stderr(failed),
        mock.patch("sys.stdin", io.StringIO("")),
    ):
        try:
            status = command_line.main(argv)
        except SystemExit as left:
            status = left.code
    assert status in (0, 2), (status, argv)
    assert (status == 2) == bool(failed.getvalue()), argv
    assert failed.getvalue().count("\n") <= 1, argv


def pictures(choose: random.Random) -> None:
    position = a_position(choose)
    move = choose.choice([None, choose.choice(position.moves(choose.choice(ROLLS)))])
    tf.svg.board(
        position,
        roll=choose.choice([None, a_roll(choose)]),
        move=move,
        highlight=some(choose, [some(choose, number(choose)) for _ in range(choose.randint(0, 2))]),
        below=some(choose, choose.choice(["own", "opp", text(choose)])),
        width=choose.choice([1, 640, number(choose)]),
    )
    tf.render.board(position, below=some(choose, choose.choice(["own", "opp", text(choose)])))


TARGETS: dict[str, Callable[[random.Random], None]] = {
    each.__name__: each
    for each in (
        *(ruleset_texts, position_texts, position_ids, other_ids, moves, rolls),
        *(positions, records, rulesets, turns, games, selfplay, recordings, tables),
        *(commands, pictures),
    )
}


def execute(target: Callable[[random.Random], None], choose: random.Random) -> str:
    """Run a target once; return how it ended, or raise what should not have come out."""
    began = time.monotonic()
    try:
        target(choose)
    except (ValueError, TypeError) as error:
        ending = type(error).__name__
    else:
        ending = "answer"
    took = time.monotonic() - began
    assert took < SLOW, f"it took {took:.0f} s"
    return ending


def pseudo_random(names: list[str], seconds: float, seed: int) -> int:
    """Run the targets in turn for so long; returns the faults."""
    endings = {name: Counter() for name in names}
    faults = 0
    until = time.monotonic() + seconds
    execution = 0
    while time.monotonic() < until:
        for name in names:
            try:
                endings[name][
                    execute(TARGETS[name], random.Random(f"{seed} {name} {execution}"))
                ] += 1
            except Exception as error:
                faults += 1
                endings[name]["fault"] += 1
                print(
                    f"{name}: seed {seed}, execution {execution}: {type(error).__name__}: {error}"
                )
        execution += 1
    for name, counted in endings.items():
        print(f"{name}: {counted.total()} executions, {dict(counted.most_common())}")
    total = sum(counted.total() for counted in endings.values())
    print(f"{total} executions, {faults} faults")
    return faults


class Consumer(random.Random):
    """A `Random` whose numbers are the fuzzer's bytes, and pseudo-random when they are used up."""

    def __init__(self, data: bytes) -> None:
        super().__init__(len(data))
        self.data, self.at = data, 0

    def getrandbits(self, k: int) -> int:
        wanted = -(-k // 8)
        taken = self.data[self.at : self.at + wanted]
        self.at += wanted
        if len(taken) < wanted:
            return super().getrandbits(k)
        return int.from_bytes(taken, "little") >> (8 * wanted - k)

    def random(self) -> float:
        return self.getrandbits(32) / 2**32


def own_functions(module: types.ModuleType) -> Iterator[types.FunctionType]:
    """The functions and methods written in Python that a module has itself."""
    found = [each for each in vars(module).values() if inspect.isclass(each)]
    for holder in (module, *(each for each in found if each.__module__ == module.__name__)):
        for value in vars(holder).values():
            value = getattr(value, "fget", getattr(value, "func", value))
            value = inspect.unwrap(getattr(value, "__func__", value))
            # What dataclasses and named tuples write has no lines to watch.
            if inspect.isfunction(value) and value.__code__.co_filename == module.__file__:
                yield value


def guided(names: list[str], seconds: float, seed: int) -> None:
    import atheris

    watched = [function for module in WATCHED for function in own_functions(module)]
    for function in watched:
        atheris.instrument_func(function)
    print(f"{len(watched)} functions are watched")

    def one(data: bytes) -> None:
        choose = Consumer(data)
        execute(TARGETS[choose.choice(names)], choose)

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        flags = [f"-max_total_time={seconds:.0f}", f"-seed={seed}", "-max_len=2000"]
        # From the first on as long as they may be: short ones are soon used up.
        flags += ["-len_control=0", "-timeout=120", "-print_final_stats=1"]
        atheris.Setup([sys.argv[0], *flags], one)
        atheris.Fuzz()


def main() -> None:
    parser = argparse.ArgumentParser(description="Feed every entry what nobody should.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=["random", "atheris"], default="random")
    arguments = parser.parse_args()
    unknown = set(arguments.targets) - set(TARGETS)
    if unknown:
        parser.error(f"no target {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    names = arguments.targets or list(TARGETS)
    faulthandler.enable()
    if arguments.engine == "atheris":
        guided(names, arguments.seconds, arguments.seed)
    elif pseudo_random(names, arguments.seconds, arguments.seed):
        sys.exit(1)


if __name__ == "__main__":
    main()
