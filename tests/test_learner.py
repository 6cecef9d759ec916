"""The example of a bot that learns: it does, goes on where it stopped, and refuses what is bad."""

from __future__ import annotations

import itertools
import json
import sys

import numpy as np
import pytest
import td_learner
from td_learner import FIRST_ROUND, Learner, Score, Settings, main

import tavli_fast as tf

SMALL = ("--hidden", "20", "--games", "16", "--rate", "0.003", "--contests", "100")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A bot that has learnt Portes for a few seconds."""
    path = tmp_path_factory.mktemp("trained") / "portes.npz"
    assert main(["train", str(path), "portes", "--turns", "60000", *SMALL]) == 0
    return path


@pytest.fixture
def copied(trained, tmp_path):
    path = tmp_path / "portes.npz"
    path.write_bytes(trained.read_bytes())
    return path


@pytest.mark.parametrize("name", td_learner.OPPONENTS)
def test_it_learns(trained, name):
    curve = json.loads(trained.with_suffix(".json").read_text())["curve"]
    assert curve[0]["turns"] == 0
    first, last = (Score(**point[name]).interval() for point in (curve[0], curve[-1]))
    assert last[0] > first[1]
    assert last[0] > 0.8


@pytest.mark.parametrize(
    "text", ["fevga", "plakoto", "gul_bara", "gioul", "long_nardy(last_roll_draw=on)"]
)
def test_any_ruleset_will_do(text):
    learner = Learner(Settings(text, hidden=20, games=16, rate=0.01))
    records = tf.start_records(learner.ruleset, 1)
    while learner.turns < 5 * FIRST_ROUND:
        before = learner.turns
        assert sum(learner.play_round()) == learner.turns - before
    more_than = learner.network(learner.inputs(records))[0]
    assert ((more_than > 0) & (more_than < 1)).all()
    # No game of these counts three, and that is the first to be learnt.
    assert more_than[0] > 0.8
    assert more_than[-1] < 0.2


@pytest.mark.parametrize("kept_round", [0, 1])
def test_resumed_is_as_if_never_stopped(tmp_path, monkeypatch, kept_round):
    through, stopped = tmp_path / "through.npz", tmp_path / "stopped.npz"
    turns = ("--turns", str(2 * FIRST_ROUND))
    assert main(["train", str(through), "plakoto", *turns, *SMALL]) == 0
    monkeypatch.setattr("tqdm.tqdm", stopping_at(kept_round * FIRST_ROUND + 5000))
    assert main(["train", str(stopped), "plakoto", *turns, *SMALL]) == 130
    monkeypatch.undo()
    assert td_learner.load(stopped).turns == pytest.approx(kept_round * FIRST_ROUND, rel=0.1)
    assert main(["resume", str(stopped), *turns]) == 0
    for suffix in (".npz", ".json"):
        kept = through.with_suffix(suffix).read_bytes()
        assert stopped.with_suffix(suffix).read_bytes() == kept
    assert len(list(tmp_path.iterdir())) == 4


def stopping_at(turns):
    """A progress bar at which somebody presses Ctrl-C after so many turns."""
    import tqdm

    class Bar(tqdm.tqdm):
        def update(self, n=1):
            super().update(n)
            if self.n >= turns:
                raise KeyboardInterrupt

    return Bar


def test_a_seed_is_a_training(tmp_path):
    found = []
    for at, seed in enumerate("112"):
        path = tmp_path / f"{at}.npz"
        assert main(["train", str(path), "hypergammon", "--turns", "1", "--seed", seed]) == 0
        found.append(path.read_bytes())
    assert found[0] == found[1] != found[2]


# What is learnt from


def test_flipped_is_the_view_of_the_other_side():
    chances = np.random.default_rng(1).dirichlet(np.ones(7))
    points = np.arange(-3, 4)
    own, opp = (
        np.array([chances[sign * points > least].sum() for least in td_learner.POINTS])
        for sign in (1, -1)
    )
    assert td_learner.flipped(own) == pytest.approx(opp)
    assert own.sum() - 3 == pytest.approx(chances @ points)


@pytest.mark.parametrize("trace", [0.0, 0.6, 1.0])
def test_look_ahead_is_the_sum_it_is_defined_by(trace):
    """The n-step returns, each by itself, and their sum with falling weights."""
    rng = np.random.default_rng(1)
    plies, games = 12, 200
    values = rng.random((plies, games, 6), np.float32)
    points = rng.integers(-2, 3, (plies, games)).astype(np.int8)
    ended, turned, strays = (rng.random((plies, games)) < part for part in (0.1, 0.8, 0.1))
    targets = td_learner.look_ahead(values, points, ended, turned, strays, trace)
    assert targets.shape == (plies - 1, games, 6)
    for at, game in itertools.product(range(plies - 1), range(games)):
        expected, weight, same_side = np.zeros(6), 1.0, True
        for ply in range(at, plies):
            if ply > at:
                # The part of the return that looks ahead to this value and no further.
                part = 1 - trace if ply < plies - 1 and not strays[ply, game] else 1.0
                value = values[ply, game]
                expected += weight * part * (value if same_side else 1 - value[::-1])
                weight *= 1 - part
            if ended[ply, game]:
                lost = -int(points[ply, game]) * (1 if same_side else -1)
                expected += weight * (lost > np.arange(-3, 3))
                break
            same_side ^= bool(turned[ply, game])
        assert targets[at, game] == pytest.approx(expected, abs=1e-5)


# How it is judged


def test_the_pip_mover_is_one_of_the_most_pips_ahead():
    ruleset = tf.find_ruleset("portes")
    position = tf.Position.start(ruleset)
    mover = td_learner.pip_mover(np.random.default_rng(1))
    for roll in itertools.combinations_with_replacement(range(1, 7), 2):
        results = position.afterstates(roll)
        ahead = [each.pip_counts[1] - each.pip_counts[0] for each in results]
        best = {at for at, pips in enumerate(ahead) if pips == max(ahead)}
        records = tf.to_records([each.flip() for each in results])
        assert {int(np.argmax(mover(records))) for _ in range(30 * len(best))} == best


def test_equal_players_win_half():
    rng = np.random.default_rng(1)
    movers = td_learner.pip_mover(rng), td_learner.pip_mover(rng)
    low, high = td_learner.contest(*movers, tf.HYPERGAMMON, 2000, rng).interval()
    assert low < 0.5 < high


def test_the_first_begins_every_other_game():
    seen = []

    def mover(records):
        seen.append(len(records))
        return np.zeros(len(records))

    td_learner.contest(mover, mover, tf.PORTES, 20, np.random.default_rng(1))
    first = tf.SelfPlay(tf.PORTES, 20, np.random.default_rng(1)).afterstates()
    results = np.diff(first.offsets)
    assert seen[:2] == [results[::2].sum(), results[1::2].sum()]


@pytest.mark.parametrize(
    ("wins", "games", "interval"),
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    [
        (81, 263, (0.2553, 0.3662)),
        (15, 148, (0.0624, 0.1605)),
        (0, 20, (0.0, 0.1611)),
        (1, 29, (0.0061, 0.1718)),
    ],
)
def test_intervals_are_wilsons(wins, games, interval):
    assert Score(games, wins, 0).interval() == pytest.approx(interval, abs=5e-5)


def test_evaluate_says_how_good_it_is(trained, capsys):
    assert main(["evaluate", str(trained), "--games", "200"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines[1:]] == ["random", "pips"]
    assert all("of 200 games won (95 % interval" in line for line in lines[1:])


# Bad input


def refused(capsys, *arguments):
    """The one line of an error."""
    assert main([*map(str, arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    [line] = captured.err.splitlines()
    assert line.startswith("td_learner.py: error: ")
    return line


def test_damaged_checkpoints_are_refused(copied, capsys):
    whole = copied.read_bytes()
    for cut in range(0, len(whole), len(whole) // 20):
        copied.write_bytes(whole[:cut])
        with pytest.raises(ValueError, match=r"portes\.npz is no checkpoint: "):
            td_learner.load(copied)
    for at in range(200, len(whole), len(whole) // 20):
        copied.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        assert "portes.npz is no checkpoint: " in refused(capsys, "evaluate", copied)


@pytest.mark.thread_unsafe(reason="all write to one file")
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("head", np.frombuffer(b"{}", np.uint8), "'settings'"),
        ("head", np.frombuffer(b"[", np.uint8), "Expecting value"),
        ("weights.w1", np.zeros((198, 3), np.float32), r"weights\.w1 is float32 \(198, 3\)"),
        ("weights.w1", None, "weights.w1"),
        ("means.b2", np.zeros(6), r"means\.b2 is float64"),
        ("means.b2", np.array([None] * 6), "Object arrays"),
    ],
)
def test_other_files_are_refused(copied, name, value, message):
    with np.load(copied) as kept:
        arrays = dict(kept)
    arrays[name] = value
    if value is None:
        del arrays[name]
    np.savez(copied, **arrays)
    with pytest.raises(ValueError, match=rf"portes\.npz is no checkpoint: .*{message}"):
        td_learner.load(copied)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["learn"], "invalid choice: 'learn'"),
        (["train", "new.json", "fevga"], "FILE ends in .npz, and new.json does not"),
        (["train", "new.npz"], "the following arguments are required: RULESET"),
        (["train", "new.npz", "chess"], "chess"),
        (["train", "new.npz", "fevga", "--turns", "inf"], "argument --turns: invalid"),
        (["train", "new.npz", "fevga", "--hidden", "0"], "hidden is at least 1, not 0"),
        (["train", "new.npz", "fevga", "--trace", "2"], "trace is from 0 to 1, not 2"),
        (["train", "new.npz", "fevga", "--explore", "nan"], "explore is from 0 to 1, not nan"),
        (["train", "new.npz", "fevga", "--seed", "-1"], "seed is not negative"),
        (["train", "none/new.npz", "fevga"], "No such file or directory"),
        (["resume", "none.npz"], "No such file or directory: 'none.npz'"),
        (["evaluate", "none.npz"], "No such file or directory: 'none.npz'"),
        (["evaluate", "portes.npz", "--games", "0"], "n is an integer from 1 to"),
        (["train", "portes.npz", "portes"], "portes.npz is there already"),
        (["plot", "portes.npz"], "portes.npz is no learning curve"),
        (["plot", "other.json"], "other.json is no learning curve"),
    ],
)
def test_bad_arguments_are_named(copied, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(copied.parent)
    copied.with_name("other.json").write_text('{"curve": [{"turns": 1}]}')
    assert message in refused(capsys, *arguments)


@pytest.mark.parametrize("name", ["tqdm", "matplotlib"])
def test_a_missing_package_is_named(trained, tmp_path, monkeypatch, capsys, name):
    monkeypatch.setitem(sys.modules, name, None)
    if name == "tqdm":
        line = refused(capsys, "train", tmp_path / "new.npz", "fevga")
    else:
        line = refused(capsys, "plot", trained.with_suffix(".json"))
    assert name in line
    assert "`examples`" in line


# The picture


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_the_picture_is_drawn_and_always_the_same(trained, tmp_path, suffix):
    pytest.importorskip("matplotlib", reason="matplotlib is in the extra `examples`")
    curve = trained.with_suffix(".json")
    pictures = [tmp_path / f"{name}{suffix}" for name in ("first", "second")]
    for picture in pictures:
        assert main(["plot", str(curve), str(curve), "--out", str(picture)]) == 0
    first, second = (picture.read_bytes() for picture in pictures)
    assert first == second
    assert first.startswith(b"<?xml" if suffix == ".svg" else b"\x89PNG")
