"""Games for OpenSpiel: importing this registers one for each ruleset.

`pyspiel.load_game("python_tavli_portes")` is one, and the options of a ruleset are parameters:
`python_tavli_fevga(mother_prime=free)`; so is `ply_cap`, after which a game is a draw. Needs the
extra `openspiel`.

A game begins with a chance node for the opening, ties left out: where the opening numbers are
played, 30 outcomes, the die of player 0 and that of player 1; where the beginner rolls, 2, who
begins. Every throw is a chance node of 21 outcomes. A move is one action, however many numbers it
plays: its number is the place of the position it leads to in the order of `choices`, and its text
is standard notation. A lost turn has one action, `pass`. Each stage of a cascade is a move of its
own, with no chance node before it. Returns are points.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property
from itertools import permutations
from typing import Any, ClassVar

import numpy as np

from ..arrays import ALL_ROLLS
from ..match import PLY_CAP, Game
from ..position import Position
from ..render import board
from ..rules import RULESETS, Ruleset
from .choices import board_units, choices, most_choices, most_points, observation, units

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ImportError as error:
    raise ImportError(
        "the OpenSpiel adapter needs OpenSpiel: pip install 'tavli-fast[openspiel]'"
    ) from error

__all__ = ["Observer", "State", "TavliGame", "name_of"]

_ROLLS: list[tuple[int, int]] = [(int(die), int(other)) for die, other in ALL_ROLLS]
_OPENINGS = list(permutations(range(1, 7), 2))
_PLAYERS = 2


def name_of(ruleset: Ruleset) -> str:
    """Return the text with which `pyspiel.load_game` loads the game of a ruleset.

    >>> from tavli_fast import FEVGA
    >>> name_of(FEVGA.replace(runner="pass"))
    'python_tavli_fevga(runner=pass)'
    """
    return f"python_tavli_{str(ruleset).replace(' ', '')}"


def _parameter(value: str) -> str | int:
    """Return an option's value as OpenSpiel reads it."""
    return int(value) if value.isdecimal() else value


def _game_type(ruleset: Ruleset) -> Any:
    kind = pyspiel.GameType
    return kind(
        short_name=name_of(ruleset),
        long_name=ruleset.title,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=_PLAYERS,
        min_num_players=_PLAYERS,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            "ply_cap": PLY_CAP,
            **{name: _parameter(getattr(ruleset, name)) for name in ruleset.options},
        },
    )


class TavliGame(pyspiel.Game):
    """The game of a ruleset; `ruleset` is its `row` with the options of the parameters."""

    row: ClassVar[Ruleset]

    def __init__(self, params: dict[str, Any]) -> None:
        row = self.row
        self.ruleset = row.replace(**{name: str(params[name]) for name in row.options})
        self.ply_cap: int = params["ply_cap"]
        if self.ply_cap < 1:
            raise ValueError(f"a ply cap is at least 1, not {self.ply_cap}")
        most = float(most_points(self.ruleset))
        info = pyspiel.GameInfo(
            num_distinct_actions=most_choices(self.ruleset),
            max_chance_outcomes=len(_OPENINGS),
            num_players=_PLAYERS,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=self.ply_cap,
        )
        super().__init__(_game_type(row), info, params)

    def __reduce__(self) -> tuple[Any, ...]:
        return pyspiel.load_game, (str(self),)

    def max_chance_nodes_in_history(self) -> int:
        """Return how many chance nodes a game can have: the opening and one a ply."""
        return self.ply_cap + 1

    def new_initial_state(self) -> State:
        """Return the state before the opening roll."""
        return State(self)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: dict[str, Any] | None = None
    ) -> Observer | IIGObserverForPublicInfoGame:
        """Return an observer: of board and turn, or of the history where all is recalled."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return Observer(self, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


@dataclasses.dataclass(frozen=True)
class _Table:
    """How far play has come; it never changes, so states share it."""

    start: Position
    game: Game | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> _Table:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _Table, (self.start, self.game)

    @cached_property
    def is_over(self) -> bool:
        return self.game is not None and self.game.is_over

    @property
    def is_rolled(self) -> bool:
        return self.game is not None and self.game.turn.roll is not None

    @cached_property
    def choices(self) -> list[Position]:
        assert self.game is not None
        return choices(self.game)

    @cached_property
    def texts(self) -> dict[Position, str]:
        assert self.game is not None
        return {move.after: str(move) for move in self.game.moves()}


class State(pyspiel.State):
    """A state of play; `table` holds it as a `Game`, which is None before the opening roll."""

    def __init__(self, game: TavliGame) -> None:
        super().__init__(game)
        self.table = _Table(Position.start(game.ruleset))

    def current_player(self) -> int:
        """Return who acts: a player, chance, or nobody any more."""
        if self.table.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        if self.table.game is None or not self.table.is_rolled:
            return int(pyspiel.PlayerId.CHANCE)
        return self.table.game.player

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.table.is_over

    def returns(self) -> list[float]:
        """Return the points of both players, those lost negative."""
        result = self.table.game.result if self.table.game else None
        if result is None or result.winner is None:
            return [0.0, 0.0]
        points = float(result.points)
        return [points, -points] if result.winner == 0 else [-points, points]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the openings, or the 21 rolls, with their probabilities."""
        if self.table.game:
            return [(i, (1 if die == other else 2) / 36) for i, (die, other) in enumerate(_ROLLS)]
        openings = len(_OPENINGS) if self._plays_numbers() else _PLAYERS
        return [(opening, 1 / openings) for opening in range(openings)]

    def _plays_numbers(self) -> bool:
        return self.table.start.ruleset.opening == "play_numbers"

    def _legal_actions(self, player: int) -> list[int]:
        return list(range(len(self.table.choices)))

    def _apply_action(self, action: int) -> None:
        table = self.table
        self._check(action)
        if table.game is None:
            game = self._open(action)
        elif table.is_rolled:
            game = table.game.play(table.choices[action])
        else:
            game = table.game.with_roll(_ROLLS[action])
        self.table = _Table(table.start, game)

    def _check(self, action: int) -> None:
        if action not in self.legal_actions():
            raise ValueError(f"{action} is no action here; they are {self.legal_actions()}")

    def _open(self, opening: int) -> Game:
        settings = self.get_game()
        if self._plays_numbers():
            return Game.start(settings.ruleset, [_OPENINGS[opening]], ply_cap=settings.ply_cap)
        return Game.start(settings.ruleset, [], starter=opening, ply_cap=settings.ply_cap)

    def _action_to_string(self, player: int, action: int) -> str:
        self._check(action)
        if player != pyspiel.PlayerId.CHANCE:
            return self.table.texts[self.table.choices[action]]
        if self.table.game:
            return "roll {}-{}".format(*_ROLLS[action])
        if self._plays_numbers():
            return "player 0 throws {}, player 1 {}".format(*_OPENINGS[action])
        return f"player {action} begins"

    def __str__(self) -> str:
        game = self.table.game
        if game is None:
            return f"to open\n{board(self.table.start)}"
        if game.is_over:
            what = "the game is over, player {} is O"
        elif self.table.is_rolled:
            what = "player {} (O) to play " + "{1}-{0}".format(*sorted(game.roll))
        else:
            what = "player {} (O) to roll"
        return f"{what.format(game.player)}\n{board(game.position)}"


class Observer:
    """What a player sees of a state; `tensor` is as `choices.observation` describes it."""

    def __init__(self, game: TavliGame, params: dict[str, Any] | None) -> None:
        if params:
            raise ValueError(f"observations have no parameters such as {params}")
        self.tensor = np.zeros(units(game.ruleset), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: State, player: int) -> None:
        """Write the state as seen by a player into `tensor`; before the opening, the start."""
        table = state.table
        if table.game is not None:
            self.tensor[:] = observation(table.game, player, table.is_rolled)
        else:
            start = board_units(table.start)
            self.tensor[: len(start)] = start
            self.tensor[len(start) :] = 0

    def string_from(self, state: State, player: int) -> str:
        """Return the state as seen by a player, in one line."""
        game = state.table.game
        if game is None:
            return f"{state.table.start.text} to open"
        position = game.position if player == game.player else game.position.flip()
        if game.is_over:
            return f"{position.text} over"
        what = "play {1}-{0}".format(*sorted(game.roll)) if state.table.is_rolled else "roll"
        return f"{position.text} {'own' if player == game.player else 'opp'} to {what}"


def _register(ruleset: Ruleset) -> None:
    # OpenSpiel keeps what it registers until after Python has shut down: a class survives that,
    # a function or partial crashes.
    game = type(TavliGame.__name__, (TavliGame,), {"row": ruleset})
    pyspiel.register_game(_game_type(ruleset), game)


for _ruleset in RULESETS.values():
    _register(_ruleset)
