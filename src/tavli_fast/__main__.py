"""The command line: moves, boards, walls, perft counts and whole games without writing Python."""

from __future__ import annotations

import argparse
import contextlib
import errno
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn

import numpy

from . import (
    RULESETS,
    Blockade,
    NotationError,
    Position,
    Prime,
    Ruleset,
    Walls,
    __version__,
    cpu,
    find_ruleset,
    render,
    svg,
)
from .bearoff import HOME, BearOff, Chances
from .files import write_whole
from .ids import is_xgid
from .match import NEXT_STARTER, PLY_CAP, Dice, Game, Match
from .notation import parse_roll
from .play import MOVERS, ending, in_order, play
from .speed import measure

__all__ = ["main"]

_PROGRAM = "tavli-fast"
_MATCH = "tavli"
_POSITION_HELP = (
    "'start', both sides like 24:2,bar:1,off:12/6:15 with the side on roll first, or an ID that "
    "'show --id' prints"
)
_ROLL_HELP = "two dice, like 31, 3-1 or 3,1 (default: those of an XGID)"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    `argv` are the arguments, those of the process if None. The status is 0; 2 for bad input,
    which is told in one line on stderr; 130 after Ctrl-C; 1 if the reader of stdout has gone.
    `--help` and `--version` raise `SystemExit` as `argparse` does.

    >>> main(["moves", "fevga", "start", "65"])
    24/13
    0
    """
    try:
        arguments = _parser().parse_args(argv)
        data, text = arguments.run(arguments)
        print(json.dumps(data) if arguments.json else text, flush=True)
    except (ValueError, OverflowError) as error:
        print(f"{_PROGRAM}: error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        # A reader that has gone is EPIPE, on Windows EINVAL.
        if error.errno not in (errno.EPIPE, errno.EINVAL):
            raise
        # Python flushes stdout once more at exit, and would complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


Result = tuple[dict[str, object], str]
"""What a command found, for `--json` and for people."""


class _Parser(argparse.ArgumentParser):
    """A parser that leaves the report of an error, and its one line, to `main`."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog=_PROGRAM, description="Exact and fast moves for the tavli games.")
    parser.add_argument("--version", action="version", version=f"{_PROGRAM} {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], Result], summary: str) -> _Parser:
        added = commands.add_parser(name, help=summary, description=summary)
        added.set_defaults(run=run)
        added.add_argument("--json", action="store_true", help="print one JSON object")
        return added

    moves = command("moves", _moves, "Print every legal move of a roll, one a line.")
    show = command("show", _show, "Print a position as a board.")
    primes = command(
        "primes", _primes, "Print the walls of both sides, who is behind them and what rolls play."
    )
    bearoff = command(
        "bearoff", _bearoff, "Print how many rolls each side needs in a race, and who wins it."
    )
    perft = command("perft", _perft, "Count the paths of a number of plies over all rolls.")
    bench = command("bench", _bench, "Time the library on this machine, one thread.")
    command("info", _info, "Print versions, the kernel in use, and the games with their options.")
    _add_play(
        command("play", _play, "Play a game or a match at the terminal; --json tells how it ended.")
    )

    bench.add_argument(
        "rulesets",
        metavar="RULESET",
        nargs="*",
        default=list(RULESETS),
        help="what to time (default: every game)",
    )
    bench.add_argument("--rounds", type=int, default=5, help="medians of so many (default: 5)")
    for parser_of_game in (moves, show, primes, bearoff, perft):
        parser_of_game.add_argument(
            "ruleset", metavar="RULESET", help="a game, with options as in 'GAME(option=value)'"
        )
    for parser_of_position in (moves, show, primes, bearoff):
        parser_of_position.add_argument("position", metavar="POSITION", help=_POSITION_HELP)
    for parser_of_position in (moves, show):
        parser_of_position.add_argument("roll", metavar="ROLL", nargs="?", help=_ROLL_HELP)
    show.add_argument("--id", action="store_true", help="print the IDs of the position, too")
    show.add_argument(
        "--below",
        choices=("own", "opp"),
        default="own",
        help="the side that sits below: the one on roll or the other (default: %(default)s)",
    )
    show.add_argument("--svg", metavar="FILE", help="write the board to FILE as a picture")
    bearoff.add_argument(
        "--table", metavar="FILE", help="keep the table in FILE: it is read, or built and written"
    )
    bearoff.add_argument(
        "--starter",
        choices=("own", "opp"),
        help="who began the game; needed with last_roll_draw=on",
    )
    perft.add_argument("depth", metavar="DEPTH", type=int, help="how many plies")
    perft.add_argument("--position", default="start", help=_POSITION_HELP)
    perft.add_argument("--weighted", action="store_true", help="count all 36 rolls, not the 21")
    perft.add_argument("--threads", type=int, default=1, help="how many to use (default: 1)")
    return parser


def _add_play(parser: _Parser) -> None:
    parser.add_argument(
        "game", metavar="GAME", help=f"a RULESET as in the other commands, or {_MATCH!r}: a match"
    )
    parser.add_argument(
        "--against", choices=MOVERS, help="who plays for player 2 (default: somebody here)"
    )
    parser.add_argument("--seed", type=int, help="play with the same dice every time")
    parser.add_argument(
        "--ply-cap",
        type=int,
        default=PLY_CAP,
        help="plies after which a game is drawn (default: %(default)s)",
    )
    parser.add_argument("--target", type=int, help="points that win the match (default: 5)")
    parser.add_argument(
        "--next-starter",
        choices=NEXT_STARTER,
        help=f"who begins the later games of the match (default: {NEXT_STARTER[0]})",
    )


def _read_position(arguments: argparse.Namespace) -> Position:
    return Position.parse(arguments.position, find_ruleset(arguments.ruleset))


def _read_roll(arguments: argparse.Namespace) -> tuple[int, int] | None:
    """Return the roll that is given, or the one that an XGID has with the position."""
    if arguments.roll is not None:
        return parse_roll(arguments.roll)
    if is_xgid(arguments.position):
        return Position.from_xgid(arguments.position, find_ruleset(arguments.ruleset))[1]
    return None


def _moves(arguments: argparse.Namespace) -> Result:
    position = _read_position(arguments)
    roll = _read_roll(arguments)
    if roll is None:
        raise ValueError("the following arguments are required: ROLL")
    moves = in_order(position.moves(roll))
    data: dict[str, object] = {
        "ruleset": str(position.ruleset),
        "position": position.text,
        "roll": roll,
        "moves": [
            {
                "text": str(move),
                "steps": move.steps,
                "hits": move.hits,
                "after": move.after.text,
            }
            for move in moves
        ],
    }
    return data, "\n".join(str(move) for move in moves)


def _show(arguments: argparse.Namespace) -> Result:
    position = _read_position(arguments)
    roll = _read_roll(arguments)
    ids = _ids(position, roll)
    data: dict[str, object] = {
        "ruleset": str(position.ruleset),
        "position": position.text,
        "own": position.own,
        "opp": position.opp,
        "own_pinned": position.own_pinned,
        "opp_pinned": position.opp_pinned,
        "pip_counts": position.pip_counts,
        "points_won": position.points_won,
        "roll": roll,
        **ids,
    }
    if arguments.svg is not None:
        picture = svg.board(position, roll=roll, below=arguments.below)
        write_whole(arguments.svg, picture.encode())
    lines = [render.board(position, below=arguments.below), position.text]
    if roll:
        lines.append("{}-{} to play".format(*roll))
    if arguments.id:
        lines += [f"{kind:8}  {text}" for kind, text in ids.items() if text]
    return data, "\n".join(lines)


def _primes(arguments: argparse.Namespace) -> Result:
    position = _read_position(arguments)
    primes, blockade = position.primes(), position.blockade()
    forbidden = [str(ban.name).lower() for ban in blockade.forbidden]
    data: dict[str, object] = {
        "ruleset": str(position.ruleset),
        "position": position.text,
        "primes": [
            {**prime._asdict(), "own_points": _own_points(prime, position.ruleset)}
            for prime in primes
        ],
        "blockade": {
            **blockade._asdict(),
            "own": blockade.own._asdict(),
            "opp": blockade.opp._asdict(),
            "forbidden": forbidden,
        },
        "in_contact": position.in_contact,
    }
    lines = []
    for side, walls in (("own", blockade.own), ("opp", blockade.opp)):
        lines.append(_walls_line(side, walls))
        lines += [_prime_line(prime, position) for prime in primes if prime.side == side]
    lines += _rolls_lines(blockade)
    if forbidden:
        lines.append(f"forbidden by the ruleset: {', '.join(forbidden)}")
    if not position.in_contact:
        lines.append("a race: the sides cannot meet any more")
    return data, "\n".join(lines)


def _bearoff(arguments: argparse.Namespace) -> Result:
    position = _read_position(arguments)
    if position.in_contact:
        raise ValueError("the sides are in contact")
    points = max(
        HOME,
        *(point for side in (position.own, position.opp) for point in range(26) if side[point]),
    )
    if arguments.table is None:
        table = BearOff.build(position.ruleset, points)
    else:
        table = BearOff.load_or_build(arguments.table, position.ruleset, points)
    chances = table.chances(position, arguments.starter)
    expected = {side: table.expected(position, side) for side in ("own", "opp")}
    rolls = {side: table.rolls(position, side).tolist() for side in ("own", "opp")}
    data: dict[str, object] = {
        "ruleset": str(position.ruleset),
        "position": position.text,
        "points": table.points,
        "starter": arguments.starter,
        "expected": expected,
        "rolls": rolls,
        **chances._asdict(),
    }
    lines = [
        "rolls     own     opp",
        *(
            f"{number:5}  {own:.4f}  {opp:.4f}"
            for number, (own, opp) in enumerate(zip(rolls["own"], rolls["opp"], strict=True))
            if max(own, opp) >= 0.00005
        ),
        "mean  {own:7.4f} {opp:7.4f}".format(**expected),
        *_chances_lines(chances),
    ]
    return data, "\n".join(lines)


def _chances_lines(chances: Chances[float]) -> list[str]:
    lines = [
        f"win   {chances.win:7.4f}, double {chances.win_double:.4f}",
        f"loss  {chances.loss:7.4f}, double {chances.loss_double:.4f}",
    ]
    if chances.draw:
        lines.insert(1, f"draw  {chances.draw:7.4f}")
    return lines


def _own_points(prime: Prime, ruleset: Ruleset) -> list[int]:
    """Return the points of a wall as the player on roll numbers them, as the other meets them."""
    points = range(prime.first, prime.last - 1, -1)
    return [ruleset.movement.opp_point(point) if prime.side == "own" else point for point in points]


def _walls_line(side: str, walls: Walls) -> str:
    return f"{side} holds walls up to {walls.longest}, live {walls.live}, trapped {walls.trapped}"


def _prime_line(prime: Prime, position: Position) -> str:
    points = "-".join(map(str, _own_points(prime, position.ruleset)))
    notes = [f"{prime.behind} behind"]
    notes += ["full"] * prime.full
    notes += ["before their start point"] * prime.before_start
    notes += ["before their start quarter"] * prime.before_start_quarter
    return f"  {prime.length}: own points {points}, {', '.join(notes)}"


def _rolls_lines(blockade: Blockade) -> list[str]:
    lines = [
        f"of 36 rolls {blockade.full_rolls} play all, {blockade.partial_rolls} some, "
        f"{blockade.pass_rolls} nothing"
    ]
    if blockade.opp.live:
        lines.append(
            f"{blockade.escape_rolls} bring the rearmost checker past the wall of "
            f"{blockade.opp.live}"
        )
    return lines


def _ids(position: Position, roll: tuple[int, int] | None) -> dict[str, str | None]:
    """Return the IDs of a position by kind, None for what its game does not have."""
    ids: dict[str, str | None] = {"id": position.id, "gnubg_id": None, "xgid": None}
    with contextlib.suppress(NotationError):
        ids |= {"gnubg_id": position.to_gnubg_id(), "xgid": position.to_xgid(roll)}
    return ids


def _play(arguments: argparse.Namespace) -> Result:
    if arguments.seed is not None and arguments.seed < 0:
        raise ValueError(f"a seed is at least 0, not {arguments.seed}")
    dice_seed, chance_seed = numpy.random.SeedSequence(arguments.seed).spawn(2)
    dice = Dice(numpy.random.default_rng(dice_seed))
    of_match = {
        name: value
        for name in ("target", "next_starter")
        if (value := getattr(arguments, name)) is not None
    }
    if arguments.game.strip().casefold() == _MATCH:
        table: Game | Match = Match.start(dice, ply_cap=arguments.ply_cap, **of_match)
    elif of_match:
        raise ValueError(f"--{next(iter(of_match)).replace('_', '-')} is for a match")
    else:
        table = Game.start(find_ruleset(arguments.game), dice, ply_cap=arguments.ply_cap)
    against = MOVERS[arguments.against] if arguments.against else None
    # One JSON object is all that stdout may hold then.
    with contextlib.redirect_stdout(sys.stderr if arguments.json else sys.stdout):
        table = play(table, against, numpy.random.default_rng(chance_seed))
    games = table.games if isinstance(table, Match) else (table,)
    data: dict[str, object] = {
        "games": [
            {
                "ruleset": str(game.ruleset),
                "plies": game.plies,
                "position": game.position.text,
                "player": game.player + 1,
                "result": game.result
                and {
                    "winner": None if game.result.winner is None else game.result.winner + 1,
                    "points": game.result.points,
                    "capped": game.result.capped,
                },
            }
            for game in games
        ],
        "score": table.score if isinstance(table, Match) else None,
    }
    return data, ending(table)


def _perft(arguments: argparse.Namespace) -> Result:
    position = _read_position(arguments)
    with _progress_bar() as progress:
        started = time.perf_counter()
        count = position.perft(
            arguments.depth,
            weighted=arguments.weighted,
            threads=arguments.threads,
            progress=progress,
        )
        seconds = time.perf_counter() - started
    data: dict[str, object] = {
        "ruleset": str(position.ruleset),
        "position": position.text,
        "depth": arguments.depth,
        "weighted": arguments.weighted,
        "threads": arguments.threads,
        "count": count,
        "seconds": seconds,
    }
    return data, str(count)


def _bench(arguments: argparse.Namespace) -> Result:
    rulesets = [find_ruleset(text) for text in arguments.rulesets]
    speeds = {}
    with _progress_bar() as progress:
        for done, ruleset in enumerate(rulesets, 1):
            speeds[str(ruleset)] = measure(ruleset, arguments.rounds)
            if progress is not None:
                progress(done, len(rulesets))
    data: dict[str, object] = {
        "version": __version__,
        "cpu": cpu.level,
        "rounds": arguments.rounds,
        "a_second": {name: speed._asdict() for name, speed in speeds.items()},
    }
    width = max(map(len, speeds)) + 1
    lines = [
        f"tavli_fast {__version__}, kernel {cpu.level}, random play, a second:",
        f"{'':{width}}{'rolls':>12}{'results':>14}{'single calls':>14}{'games':>10}"
        f"{'perft paths':>16}",
        *(
            f"{name:{width}}{speed.rolls:12,.0f}{speed.results:14,.0f}{speed.single:14,.0f}"
            f"{speed.games:10,.0f}{speed.paths:16,.0f}"
            for name, speed in speeds.items()
        ),
    ]
    return data, "\n".join(lines)


@contextlib.contextmanager
def _progress_bar() -> Iterator[Callable[[int, int], None] | None]:
    """Yield what shows progress on a terminal after the first second, or None."""
    try:
        from tqdm import tqdm  # type: ignore[import-untyped]
    except ImportError:
        yield None
        return
    if not sys.stderr.isatty():
        yield None
        return
    with tqdm(delay=1, leave=False) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show


def _info(arguments: argparse.Namespace) -> Result:
    rulesets = {
        name: {option: getattr(row, option) for option in row.options}
        for name, row in RULESETS.items()
    }
    data: dict[str, object] = {
        "version": __version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "cpu": {"level": cpu.level, "built": cpu.built, "supported": cpu.supported},
        "rulesets": rulesets,
    }
    lines = [
        f"tavli_fast  {__version__}",
        f"Python      {platform.python_version()}",
        f"NumPy       {numpy.__version__}",
        f"kernel      {cpu.level}; built: {', '.join(cpu.built)}; "
        f"supported here: {', '.join(cpu.supported)}",
        *(
            f"{name:11}  {', '.join(f'{option}={value}' for option, value in options.items())}"
            for name, options in rulesets.items()
        ),
    ]
    return data, "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
