"""What is timed: calls of tavli_fast, and the same decisions through other libraries.

A library that is not installed raises `ImportError` when its contestants are made. Counts are
compared before anything is timed: with the corpus where a library gives all distinct results, and
with what it does give, counted by tavli_fast, where it gives less.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from positions import Decisions

import tavli_fast as tf
from tavli_fast.adapters import gnubg_nn as adapter

# Numbers of OpenSpiel that its Python package does not name.
OPEN_SPIEL_BAR = 100
OPEN_SPIEL_PASS = 25 * 26 + 25

# What so many rows have for results, some 2.4 MB, stays in the caches.
CALL_ROWS = 2_000


@dataclasses.dataclass(frozen=True, eq=False)
class Contestant:
    """Something to time, what it is compared with, and what one call of it does.

    `note` says what `results` are, where they are not the distinct positions after the roll.
    """

    group: str
    name: str
    run: Callable[[], object]
    rolls: int
    results: int
    against: Contestant | None = None
    note: str = ""
    ours: bool = True


def one_by_one(call: Callable[..., object], rows: Sequence[tuple]) -> None:
    """Call once for each of these arguments; what it returns is dropped."""
    for row in rows:
        call(*row)


def batches(group: str, decisions: Decisions, against: Contestant | None) -> list[Contestant]:
    """One call for all rows, one thread: with `out` reused, and with a new array each time."""
    call = partial(tf.afterstates, decisions.records, decisions.rolls, decisions.ruleset)
    out = tf.empty_records(decisions.results)
    runs = {"out reused": partial(call, out=out), "fresh output": call}
    for run in runs.values():
        assert np.array_equal(np.diff(run().offsets), decisions.counts)
    title, sizes = decisions.ruleset.title, (len(decisions.rolls), decisions.results)
    return [
        Contestant(group, f"tavli_fast, {title} batch, {output}", run, *sizes, against)
        for output, run in runs.items()
    ]


def small_batches(group: str, decisions: Decisions, against: Contestant | None) -> Contestant:
    """Calls of CALL_ROWS rows with the same `out`, one thread."""
    out = tf.empty_records(decisions.results)
    starts = range(0, len(decisions.rolls), CALL_ROWS)
    places = [slice(start, start + CALL_ROWS) for start in starts]
    rows = [(decisions.records[at], decisions.rolls[at], decisions.ruleset) for at in places]
    call = partial(tf.afterstates, out=out)
    counts = [np.diff(call(*row).offsets) for row in rows]
    assert np.array_equal(np.concatenate(counts), decisions.counts)
    name = f"tavli_fast, {decisions.ruleset.title}, {CALL_ROWS:,} rows a call"
    sizes = len(decisions.rolls), decisions.results
    return Contestant(group, name, partial(one_by_one, call, rows), *sizes, against)


def batches_of_one(group: str, decisions: Decisions, against: Contestant | None) -> Contestant:
    """One call of `afterstates` a row."""
    records, rolls, ruleset = decisions.records, decisions.rolls, decisions.ruleset
    places = [slice(row, row + 1) for row in range(len(rolls))]
    rows = [(records[place], rolls[place], ruleset) for place in places]
    counts = [len(tf.afterstates(*row).positions) for row in rows]
    assert counts == decisions.counts.tolist()
    run = partial(one_by_one, tf.afterstates, rows)
    name = "tavli_fast, batches of one"
    return Contestant(group, name, run, len(rows), decisions.results, against)


def through_position(group: str, decisions: Decisions, against: Contestant | None) -> Contestant:
    """One call of `Position.afterstates` a row."""
    positions = tf.from_records(decisions.records, decisions.ruleset)
    rows = list(zip(positions, decisions.rolls.tolist(), strict=True))
    call = tf.Position.afterstates
    assert [len(call(*row)) for row in rows] == decisions.counts.tolist()
    run = partial(one_by_one, call, rows)
    name = "tavli_fast, Position.afterstates"
    return Contestant(group, name, run, len(rows), decisions.results, against)


def through_moves(
    moves: Callable[..., Sequence[object]],
    name: str,
    group: str,
    decisions: Decisions,
    against: Contestant | None,
    verbose: int = 0,
    ours: bool = False,
) -> Contestant:
    """One call a row of gnubg-nn's `moves`, or of what has its name."""
    # Each side's points 1 to 24 and bar, the other player first; lists are its fastest form.
    sides = [decisions.records[side]["checkers"][:, 1:] for side in ("opp", "own")]
    boards = np.stack(sides, axis=1).tolist()
    rolls = decisions.rolls.tolist()
    rows = [(board, *roll, verbose) for board, roll in zip(boards, rolls, strict=True)]
    # It finds nothing where the turn is lost.
    assert [len(moves(*row)) or 1 for row in rows] == decisions.counts.tolist()
    name += ", with steps" if verbose else ", one by one"
    run = partial(one_by_one, moves, rows)
    return Contestant(group, name, run, len(rows), decisions.results, against, ours=ours)


def through_gnubg_nn(
    group: str, decisions: Decisions, against: Contestant | None, verbose: int = 0
) -> list[Contestant]:
    """gnubg-nn's generator; with `verbose`, the steps as well."""
    import gnubg_nn

    return [through_moves(gnubg_nn.moves, "gnubg-nn", group, decisions, against, verbose)]


def through_adapter(
    group: str, decisions: Decisions, against: Contestant | None, verbose: int = 0
) -> Contestant:
    """The same through the adapter that has gnubg-nn's names."""
    name = "tavli_fast.adapters.gnubg_nn"
    return through_moves(adapter.moves, name, group, decisions, against, verbose, ours=True)


def perft_through_gnubg_nn(group: str) -> Contestant:
    """Perft of depth 2, the loop in Python around gnubg-nn's generator."""
    import gnubg_nn

    start = tf.Position.start(tf.PORTES)
    board = [list(start.opp[1:]), list(start.own[1:])]
    rolls = tf.ALL_ROLLS.tolist()

    def run() -> int:
        found = 0
        for first in rolls:
            for key in gnubg_nn.moves(board, *first):
                opp, own = gnubg_nn.board_from_position_key(key)
                turned = [own, opp]
                for second in rolls:
                    found += len(gnubg_nn.moves(turned, *second)) or 1
        return found

    leaves = start.perft(2)
    assert run() == leaves
    pairs = start.perft(1) * len(rolls)
    return Contestant(group, "gnubg-nn, a loop for perft(2)", run, pairs, leaves, ours=False)


def through_bgsage(
    group: str, decisions: Decisions, against: Contestant | None
) -> list[Contestant]:
    """One call a row of bgsage's generator."""
    import bgsage

    own, opp = (decisions.records[side]["checkers"].astype(int) for side in ("own", "opp"))
    # The player's points 1 to 24 at their place and his bar at 25; the other side's checkers
    # count below nothing, but for the bar at 0.
    boards = own.copy()
    boards[:, 0] = opp[:, 25]
    boards[:, 1:25] -= opp[:, 24:0:-1]
    rows = [
        (board, *roll)
        for board, roll in zip(boards.tolist(), decisions.rolls.tolist(), strict=True)
    ]
    # It finds nothing where the turn is lost.
    assert [len(bgsage.possible_moves(*row)) or 1 for row in rows] == decisions.counts.tolist()
    run = partial(one_by_one, bgsage.possible_moves, rows)
    name = "bgsage, one by one"
    return [Contestant(group, name, run, len(rows), decisions.results, against, ours=False)]


def endings(state: Any, player: int) -> Iterator[Any]:
    """The OpenSpiel states at the end of the player's turn; a double is played in two halves."""
    for action in state.legal_actions():
        child = state.child(action)
        if child.current_player() == player:
            yield from endings(child, player)
        else:
            yield child


def open_spiel_board(state: Any, player: int) -> tuple[int, ...]:
    """Own points 1 to 24 and bar of the player, then the other side's."""
    ways = range(23, -1, -1), range(24)
    return tuple(
        state.board(side, place)
        for side in (player, 1 - player)
        for place in (*ways[side], OPEN_SPIEL_BAR)
    )


def open_spiel_states(decisions: Decisions) -> list[tuple[Any, int]]:
    """The decisions as OpenSpiel states, with whose turn it is.

    A state can only be reached by play, so the games are played through. OpenSpiel's first roll is
    never a double, as a game's of the corpus may be: the player whose roll that is passes.
    """
    import pyspiel

    opening = pyspiel.load_game("backgammon").new_initial_state()
    opening.apply_action(opening.legal_actions()[0])
    opening.apply_action(OPEN_SPIEL_PASS)
    actions = {
        re.search(r"roll: (\d\d)", opening.action_to_string(action))[1]: action
        for action in opening.legal_actions()
    }
    sides = np.hstack([decisions.records[side]["checkers"][:, 1:] for side in ("own", "opp")])
    boards = [tuple(board) for board in sides.tolist()]
    states, reached = [], {}
    rolls = [actions[f"{die}{other}"] for die, other in decisions.rolls.tolist()]
    for board, roll, count in zip(boards, rolls, decisions.counts, strict=True):
        # Where no turn led to, a game begins.
        state = reached[board] if board in reached else opening.clone()
        state.apply_action(roll)
        player = state.current_player()
        assert open_spiel_board(state, player) == board
        states.append((state, player))
        reached = {open_spiel_board(end, 1 - player): end for end in endings(state, player)}
        assert len(reached) == count
    return states


def through_open_spiel(
    group: str, decisions: Decisions, against: Contestant | None
) -> list[Contestant]:
    """`legal_actions` a row, and the walk through all that follows from them."""
    states = open_spiel_states(decisions)

    def actions() -> int:
        return sum(len(state.legal_actions()) for state, _ in states)

    def walk() -> int:
        return sum(1 for row in states for _ in endings(*row))

    rolls = len(states)
    return [
        Contestant(
            group,
            "OpenSpiel, legal_actions (no positions)",
            actions,
            rolls,
            actions(),
            note="results are action numbers: several for a position, half a turn of a double",
            ours=False,
        ),
        Contestant(
            group,
            "OpenSpiel, legal_actions and child",
            walk,
            rolls,
            decisions.results,
            against,
            note=f"{walk():,} turns walked, results are the distinct positions they lead to",
            ours=False,
        ),
    ]


def through_pgx(group: str, decisions: Decisions, _: Contestant | None) -> list[Contestant]:
    """One compiled call of pgx's mask of legal steps for all rows; comparable with nothing."""
    import jax
    from pgx import backgammon

    own, opp = (decisions.records[side]["checkers"].astype(np.int32) for side in ("own", "opp"))
    # Points along the player's way, own and other bar, own and other checkers off.
    boards = np.hstack(
        [own[:, 24:0:-1] - opp[:, 1:25], own[:, 25:], -opp[:, 25:], own[:, :1], -opp[:, :1]]
    )
    inputs = jax.numpy.array(boards), jax.numpy.array(decisions.rolls.astype(np.int32) - 1)
    masks = jax.jit(jax.vmap(backgammon._legal_action_mask))

    def run() -> jax.Array:
        return masks(*inputs).block_until_ready()

    # The first six actions are to play nothing.
    found = np.asarray(run())[:, 6:].sum(axis=1)
    positions = tf.from_records(decisions.records, decisions.ruleset)
    expected = [
        sum(
            after != position
            for die in set(roll)
            for after in position.afterstates((die, die), numbers=1)
        )
        for position, roll in zip(positions, decisions.rolls.tolist(), strict=True)
    ]
    assert found.tolist() == expected
    return [
        Contestant(
            group,
            "pgx, masks of a batch (no positions)",
            run,
            len(found),
            int(found.sum()),
            note="results are the single steps that each die allows",
            ours=False,
        )
    ]


PEERS: dict[str, Callable[[str, Decisions, Contestant | None], list[Contestant]]] = {
    "gnubg-nn": through_gnubg_nn,
    "bgsage": through_bgsage,
    "open_spiel": through_open_spiel,
    "pgx": through_pgx,
}
"""The other libraries, by the name under which pip knows them."""
