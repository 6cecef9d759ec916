"""A bot that learns a game by playing itself: TD(lambda) on afterstates, in NumPy alone.

The network sees an afterstate as the next player does and says how likely he is to win more than
-3, -2, ... 2 points with it: six outputs, which hold for single, double and triple games and for
draws alike. Seen from the other side they are 1 - p in reverse order, and their sum - 3 is the
points to be expected. The bot plays the afterstate with the least for the next player. Many games
run in lockstep, so a ply is one call for all afterstates, one for their features and one matrix
product.

In a cascade the same player goes on; such an afterstate is valued by what came of it, too, but the
network is not told who is on roll.

    python td_learner.py train fevga.npz fevga
    python td_learner.py evaluate fevga.npz
    python td_learner.py plot fevga.json

Set OMP_NUM_THREADS=1: for matrices as small as these a second thread of NumPy's only costs time.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from statistics import NormalDist
from typing import Any, NoReturn
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

import tavli_fast as tf
from tavli_fast.files import write_whole

Floats = NDArray[np.float32]
Mover = Callable[[NDArray[np.void]], NDArray[Any]]
"""Values afterstates, which are seen by the next player, for the player who moves."""

POINTS = np.arange(-3, 3)
"""Output i of the network is the probability to win more than `POINTS[i]` points."""

FIRST_ROUND, LONGEST_ROUND = 2**14, 2**20

MOST_PLIES = 1000
"""Two that know nothing may play for ever; a game is given up then."""


def setting(default: float, meaning: str) -> Any:
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True)
class Settings:
    """What a training is made of; with the same ones it comes out the same."""

    ruleset: str
    seed: int = setting(1, "the seed of all dice and of the first weights")
    hidden: int = setting(80, "units of the hidden layer")
    games: int = setting(64, "games played in lockstep")
    window: int = setting(32, "the most plies to look ahead")
    trace: float = setting(0.8, "lambda: how far results reach back, 0 to 1")
    rate: float = setting(0.001, "learning rate at first; it falls with the root of the turns")
    explore: float = setting(0.2, "part of the choices that are random, 0 to 1")
    contests: int = setting(1000, "games against each opponent after every round")

    def __post_init__(self) -> None:
        for name in ("hidden", "games", "window", "contests"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1, not {getattr(self, name)}")
        for name in ("trace", "rate", "explore"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is from 0 to 1, not {getattr(self, name)}")
        if self.seed < 0:
            raise ValueError(f"seed is not negative, as {self.seed} is")


class Network:
    """One hidden layer of rectified units and six sigmoid outputs, trained by Adam."""

    def __init__(self, units: int, hidden: int, rng: np.random.Generator) -> None:
        self.weights: dict[str, Floats] = {
            "w1": rng.normal(0, (2 / units) ** 0.5, (units, hidden)).astype(np.float32),
            "b1": np.zeros(hidden, np.float32),
            "w2": rng.normal(0, 0.1 / hidden**0.5, (hidden, len(POINTS))).astype(np.float32),
            "b2": np.zeros(len(POINTS), np.float32),
        }
        self.means = {name: np.zeros_like(each) for name, each in self.weights.items()}
        self.squares = {name: np.zeros_like(each) for name, each in self.weights.items()}
        self.updates = 0

    def hidden(self, inputs: Floats) -> Floats:
        layer: Floats = inputs @ self.weights["w1"]
        layer += self.weights["b1"]
        np.maximum(layer, 0, out=layer)
        return layer

    def outputs(self, hidden: Floats) -> Floats:
        # The logistic function in a form that cannot overflow.
        half = np.tanh((hidden @ self.weights["w2"] + self.weights["b2"]) / 2)
        return np.asarray((half + 1) / 2, np.float32)

    def __call__(self, inputs: Floats) -> Floats:
        return self.outputs(self.hidden(inputs))

    def train(self, inputs: Floats, targets: Floats, rate: float) -> None:
        """One step down the gradient of the cross entropy, whose part at the outputs is simple."""
        hidden = self.hidden(inputs)
        error = (self.outputs(hidden) - targets) / len(inputs)
        back = error @ self.weights["w2"].T * (hidden > 0)
        gradients = {
            "w1": inputs.T @ back,
            "b1": back.sum(axis=0),
            "w2": hidden.T @ error,
            "b2": error.sum(axis=0),
        }
        self.updates += 1
        step = rate * (1 - 0.999**self.updates) ** 0.5 / (1 - 0.9**self.updates)
        for name, gradient in gradients.items():
            mean, square = self.means[name], self.squares[name]
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            self.weights[name] -= step * mean / (np.sqrt(square) + 1e-8)


@dataclass
class Learner:
    """A training as far as it has come."""

    settings: Settings
    turns: int = 0
    curve: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ruleset = tf.find_ruleset(self.settings.ruleset)
        self.units = len(tf.feature_names(self.ruleset))
        self.network = Network(self.units, self.settings.hidden, self.generator(0))
        self.room = np.empty((0, self.units), np.float32)

    def generator(self, purpose: int) -> np.random.Generator:
        """A generator of its own for each purpose and round, so that no state need be kept."""
        return np.random.default_rng([self.settings.seed, self.turns, purpose])

    def inputs(self, records: NDArray[np.void]) -> Floats:
        """The features, in an array that the next call uses again."""
        if len(records) > len(self.room):
            self.room = np.empty((2 * len(records), self.units), np.float32)
        return tf.features(records, self.ruleset, out=self.room)

    def move(self, records: NDArray[np.void]) -> Floats:
        """The learner as a `Mover`."""
        return np.asarray(-self.network(self.inputs(records)).sum(axis=1))

    def play_round(self) -> Iterator[int]:
        """Learn from games of its own, begun anew; yields the turns of each update."""
        network, plies, games = self.network, self.settings.window, self.settings.games
        rng = self.generator(1)
        play = tf.SelfPlay(self.ruleset, games, rng, ply_cap=MOST_PLIES)
        # One ply more than is learnt from: its values are what the others look ahead to.
        inputs = np.empty((plies + 1, games, self.units), np.float32)
        values = np.empty((plies + 1, games, len(POINTS)), np.float32)
        points = np.empty((plies + 1, games), np.int8)
        ended, turned, strays = (np.empty((plies + 1, games), bool) for _ in range(3))
        first, rest = 0, min(max(self.turns, FIRST_ROUND), LONGEST_ROUND)
        while rest > 0:
            for at in range(first, plies + 1):
                result = play.afterstates(flip=True)
                every = self.inputs(result.positions)
                found = network(every)
                choice = result.best(found.sum(axis=1), lowest=True)
                values[at] = found[result.offsets[:-1] + choice]
                strays[at] = rng.random(games) < self.settings.explore
                choice = np.where(strays[at], rng.integers(np.diff(result.offsets)), choice)
                inputs[at] = every[result.offsets[:-1] + choice]
                ply = play.advance(choice)
                points[at], turned[at] = ply.points, ply.turned
                ended[at] = ply.terminated | ply.truncated
            targets = look_ahead(values, points, ended, turned, strays, self.settings.trace)
            rate = self.settings.rate / (1 + self.turns / LONGEST_ROUND) ** 0.5
            # Each part has plies of the whole window.
            seen, wanted = inputs[:-1].reshape(-1, self.units), targets.reshape(-1, len(POINTS))
            parts = max(1, len(seen) // 256)
            for part in range(parts):
                network.train(seen[part::parts], wanted[part::parts], rate)
            for kept in (inputs, values, points, ended, turned, strays):
                kept[0] = kept[-1]
            first = 1
            rest -= len(seen)
            self.turns += len(seen)
            yield len(seen)


def flipped(values: Floats) -> Floats:
    """What the outputs are for the other side: he wins more than x if we do not win -x or more."""
    return 1 - values[..., ::-1]


def look_ahead(
    values: Floats,
    points: NDArray[np.int8],
    ended: NDArray[np.bool_],
    turned: NDArray[np.bool_],
    strays: NDArray[np.bool_],
    trace: float,
) -> Floats:
    """The lambda-returns of all plies but the last; axes are plies, games and outputs.

    An afterstate is worth what the game brought, if it ended there, or else what the next one is
    worth: `trace` parts of that one's own return, the rest of its value by the network. All are
    seen by the player after the mover, so sides change with the turn, and do not where the same
    player goes on, as in a cascade. Behind a random choice nothing counts but the value of the best
    one. A game that is given up counts as a draw.
    """
    targets = np.empty_like(values[:-1])
    following = values[-1]
    for at in reversed(range(len(targets))):
        following = np.where(turned[at, :, None], flipped(following), following)
        outcome = -points[at, :, None] > POINTS
        targets[at] = np.where(ended[at, :, None], outcome, following)
        reach = np.where(strays[at, :, None], np.float32(0), np.float32(trace))
        following = (1 - reach) * values[at] + reach * targets[at]
    return targets


# How good is it?


def random_mover(rng: np.random.Generator) -> Mover:
    """Every afterstate is as likely as the others."""
    return lambda records: rng.random(len(records))


def pip_mover(rng: np.random.Generator) -> Mover:
    """One of the afterstates that leave the mover the most pips ahead."""
    pips = np.arange(26, dtype=np.float32)

    def values(records: NDArray[np.void]) -> NDArray[Any]:
        own, opp = (records[side]["checkers"] @ pips for side in ("own", "opp"))
        # Less than a pip decides between equals.
        return own - opp + rng.random(len(records))

    return values


OPPONENTS = {"random": random_mover, "pips": pip_mover}


@dataclass(frozen=True)
class Score:
    """The games of a contest: how many, how many of them won, and the points in all."""

    games: int
    wins: int
    points: int

    @property
    def rate(self) -> float:
        """The part of the games that was won."""
        return self.wins / self.games

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Between what parts of all games he would win: Wilson's interval."""
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        rate, spread = self.rate, z * z / self.games
        middle = (rate + spread / 2) / (1 + spread)
        half = (spread * (rate * (1 - rate) + spread / 4)) ** 0.5 / (1 + spread)
        return middle - half, middle + half

    def __str__(self) -> str:
        low, high = self.interval()
        return (
            f"{self.rate:.1%} of {self.games:,} games won (95 % interval "
            f"{low:.1%} to {high:.1%}), {self.points / self.games:+.2f} points a game"
        )


def contest(
    mover: Mover, opponent: Mover, ruleset: tf.Ruleset, games: int, rng: np.random.Generator
) -> Score:
    """Let two play games in lockstep; the first begins every other game."""
    play = tf.SelfPlay(ruleset, games, rng, ply_cap=MOST_PLIES)
    seats = play.players ^ np.arange(games) % 2
    points = np.zeros(games, np.int64)
    on = np.ones(games, bool)
    while on.any():
        result = play.afterstates(flip=True)
        values = np.zeros(len(result.positions))
        mine = play.players == seats
        for each, his in ((mover, on & mine), (opponent, on & ~mine)):
            rows = np.flatnonzero(np.repeat(his, np.diff(result.offsets)))
            values[rows] = each(result.positions[rows])
        ply = play.advance(result.best(values))
        # Only the first game of each row counts: of later ones the short would end in time.
        points += np.where(mine, ply.points, -ply.points) * on
        on &= ~(ply.terminated | ply.truncated)
    return Score(games, int((points > 0).sum()), int(points.sum()))


def contests(learner: Learner, games: int, rng: np.random.Generator) -> dict[str, Score]:
    """The learner against every opponent."""
    return {
        name: contest(learner.move, opponent(rng), learner.ruleset, games, rng)
        for name, opponent in OPPONENTS.items()
    }


# Files


def save(learner: Learner, path: Path) -> None:
    """Write the learner to `path`, and its learning curve beside it; whole or not at all."""
    network = learner.network
    head = {"settings": asdict(learner.settings), "turns": learner.turns, "curve": learner.curve}
    kept = {**head, "updates": network.updates}
    arrays: dict[str, Any] = {"head": np.frombuffer(json.dumps(kept).encode(), np.uint8)}
    for kind in ("weights", "means", "squares"):
        arrays |= {f"{kind}.{name}": each for name, each in getattr(network, kind).items()}
    file = io.BytesIO()
    np.savez(file, **arrays)
    write_whole(str(path), file.getvalue())
    text = json.dumps(head, indent=1) + "\n"
    write_whole(str(path.with_suffix(".json")), text.encode())


def load(path: Path) -> Learner:
    """Read what `save` has written; raises `ValueError` naming the file if it is anything else."""
    # What NumPy raises for a damaged file, if its checksum does not; a bit may say "encrypted".
    bad = (EOFError, LookupError, TypeError, ValueError, RuntimeError, BadZipFile, zlib.error)
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as kept:
            head = json.loads(kept["head"].tobytes())
            learner = Learner(Settings(**head["settings"]), head["turns"], head["curve"])
            learner.network.updates = head["updates"]
            for kind in ("weights", "means", "squares"):
                for name, each in getattr(learner.network, kind).items():
                    array = kept[f"{kind}.{name}"]
                    if array.dtype != each.dtype or array.shape != each.shape:
                        raise ValueError(f"{kind}.{name} is {array.dtype} {array.shape}")
                    each[:] = array
    except bad as error:
        raise ValueError(f"{path} is no checkpoint: {error}") from error
    return learner


# The command line


def train(learner: Learner, path: Path, turns: int) -> None:
    """Train in rounds until so many turns are played, with a checkpoint after each."""
    from tqdm import tqdm  # type: ignore[import-untyped]

    # Before anything else, so that a file that cannot be written is told at once.
    save(learner, path)
    with tqdm(total=turns, initial=learner.turns, unit=" turns", unit_scale=True) as progress:
        while True:
            if not learner.curve or learner.curve[-1]["turns"] < learner.turns:
                scores = contests(learner, learner.settings.contests, learner.generator(2))
                learner.curve.append({"turns": learner.turns})
                for name, score in scores.items():
                    learner.curve[-1][name] = asdict(score)
                progress.set_postfix(
                    {name: each.wins / each.games for name, each in scores.items()}
                )
            save(learner, path)
            if learner.turns >= turns:
                return
            for played in learner.play_round():
                progress.update(played)


@dataclass(frozen=True)
class Curve:
    """What a panel shows: the scores against each opponent after so many turns."""

    title: str
    turns: list[int]
    scores: dict[str, list[Score]]


def load_curve(path: Path) -> Curve:
    """Read a learning curve; raises `ValueError` naming a file that is none."""
    try:
        kept = json.loads(path.read_bytes())
        points = kept["curve"]
        scores = {name: [Score(**point[name]) for point in points] for name in ("random", "pips")}
        return Curve(kept["settings"]["ruleset"], [point["turns"] for point in points], scores)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no learning curve: {error}") from error


def plot(paths: Sequence[Path], path: Path) -> None:
    """Draw the share of games won over the turns trained, a panel a file."""
    curves = [load_curve(each) for each in paths]
    import matplotlib
    from matplotlib.figure import Figure

    ink = "#74797f"  # is seen on light and dark pages
    style: dict[Any, Any] = {"svg.hashsalt": "td_learner", "font.size": 9, "legend.frameon": False}
    style |= dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor"), ink)
    style |= dict.fromkeys(("xtick.color", "ytick.color", "legend.labelcolor"), ink)
    colours = {"random": "#2f81f7", "pips": "#bf6a02"}
    with matplotlib.rc_context(style):
        figure = Figure((3 * len(curves) + 0.5, 3), layout="constrained")
        panels = figure.subplots(1, len(curves), sharey=True, squeeze=False)[0]
        for axes, curve in zip(panels, curves, strict=True):
            for name, colour in colours.items():
                low, high = zip(*(score.interval() for score in curve.scores[name]), strict=True)
                axes.fill_between(curve.turns, low, high, color=colour, alpha=0.25, linewidth=0)
                rates = [score.rate for score in curve.scores[name]]
                axes.plot(curve.turns, rates, color=colour, marker=".", label=f"{name} mover")
            axes.set(title=curve.title, xlabel="turns trained")
            # Logarithmic, with a place for 0.
            axes.set_xscale("symlog", linthresh=FIRST_ROUND)
            axes.grid(alpha=0.3, linewidth=0.5)
            axes.spines[["top", "right"]].set_visible(False)
        panels[0].set_ylim(0, 1.02)
        panels[0].set_ylabel("games won, with 95 % interval")
        panels[0].yaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(1))
        panels[-1].legend(loc="lower right", title="against the")
        # The day would make another file of the same picture.
        undated = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, transparent=True, dpi=200, metadata=undated)


class Parser(argparse.ArgumentParser):
    """A parser that leaves the report of an error to `main`."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def parser() -> Parser:
    whole = Parser(description="A bot that learns a tavli game by playing itself.")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, summary: str) -> Parser:
        return commands.add_parser(
            name,
            help=summary,
            description=summary,
            formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        )

    new = command("train", "Train a new bot; FILE and its learning curve are written every round.")
    more = command("resume", "Go on with the training of FILE as if it had never stopped.")
    judge = command("evaluate", "Let the bot of FILE play the simple players.")
    draw = command("plot", "Draw learning curves as a picture.")
    for of_file in (new, more, judge):
        of_file.add_argument("file", metavar="FILE", type=Path, help="the bot, like fevga.npz")
    new.add_argument("ruleset", metavar="RULESET", help="a game, as in 'GAME(option=value)'")
    for each in fields(Settings)[1:]:
        kind, meaning = type(each.default), each.metadata["meaning"]
        new.add_argument(f"--{each.name}", type=kind, default=each.default, help=meaning)
    for trainer in (new, more):
        trainer.add_argument("--turns", type=int, default=8_000_000, help="turns to train in all")
    judge.add_argument("--games", type=int, default=2000, help="games against each of them")
    judge.add_argument("--seed", type=int, default=1, help="the seed of the dice")
    draw.add_argument(
        "curves", metavar="CURVE", type=Path, nargs="+", help="written by `train`, like fevga.json"
    )
    draw.add_argument("--out", metavar="FILE", type=Path, default="learning.svg", help="SVG or PNG")
    return whole


def run(arguments: argparse.Namespace) -> None:
    if arguments.command == "plot":
        plot(arguments.curves, arguments.out)
        return
    if arguments.command == "train":
        if arguments.file.suffix != ".npz":
            raise ValueError(f"FILE ends in .npz, and {arguments.file} does not")
        if arguments.file.exists():
            raise ValueError(f"{arguments.file} is there already; `resume` goes on with it")
        chosen = {each.name: getattr(arguments, each.name) for each in fields(Settings)}
        learner = Learner(Settings(**chosen))
    else:
        learner = load(arguments.file)
    if arguments.command == "evaluate":
        scores = contests(learner, arguments.games, np.random.default_rng(arguments.seed))
        print(f"{learner.ruleset} after {learner.turns:,} turns, first in every other game")
        for name, score in scores.items():
            print(f"against {name:8}{score}")
    else:
        before, start = learner.turns, time.process_time()
        train(learner, arguments.file, arguments.turns)
        taken = time.process_time() - start
        print(f"{learner.turns - before:,} turns in {taken:,.0f} s of processor time")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the status is 2 for bad input, told in one line, 130 after Ctrl-C."""
    try:
        run(parser().parse_args(argv))
    except (ValueError, OSError) as error:
        print(f"td_learner.py: error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        print(f"td_learner.py: error: {error}; the extra `examples` has it", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
