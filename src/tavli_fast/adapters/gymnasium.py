"""Many games at once for Gymnasium, as one `VectorEnv`. Needs the extra `gymnasium`.

The agent is one player of each game, the other is played by an opponent inside `step`; so the agent
is always on roll, and learns as in any environment. Without an opponent the actions are those of
both players. `gymnasium.make_vec("tavli_fast.adapters.gymnasium:Tavli-v0", num_envs=64,
ruleset="plakoto")` makes one too.

An action is a whole move: the place of the position it leads to among those of that game in
`afterstates`. What a number means changes with every roll, so an agent that values positions looks
at these, all games at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..batch import Afterstates, from_records
from ..features import features
from ..match import PLY_CAP
from ..render import board
from ..rules import Ruleset, find_ruleset
from ..selfplay import SelfPlay
from .choices import most_choices

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise ImportError(
        "the Gymnasium adapter needs Gymnasium: pip install 'tavli-fast[gymnasium]'"
    ) from error

__all__ = ["Opponent", "TavliVectorEnv", "random_opponent"]

Opponent = Callable[[Afterstates, np.random.Generator], ArrayLike]
"""Who plays against the agent: given m games and a generator, one choice a game, (m,) integers.

The games come as what their rolls can lead to, seen by the opponent. The generator is the
environment's, so that a seed settles what is drawn from it.
"""

_AGENT = 0
_DICE = 6
_ENCODING = "compact"


def random_opponent(afterstates: Afterstates, rng: np.random.Generator) -> NDArray[np.int64]:
    """Choose among the moves, all of them as likely."""
    return rng.integers(np.diff(afterstates.offsets))


class TavliVectorEnv(
    VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]],
):
    """`num_envs` games of a ruleset, each begun anew in the step in which it ends.

    `ruleset` is one, or its text as `find_ruleset` reads it. `opponent` is an `Opponent`; with
    `None` the actions move both sides, each of the observations and rewards is that of the player
    who is, or was, on roll, and `infos["player"]` says which that is. A game is truncated after
    `ply_cap` plies, the opponent's included. With `render_mode` `ansi`, `render` returns the boards
    as text.

    The observation, float32 of 0 to 1, is seen by the player on roll: the units of
    `tavli_fast.features` in the encoding `compact`, then the higher die and the lower, six units
    each of which one is 1, and the numbers of a double that are left, as a part of 4. The reward is
    the points of a game at its end, negative if lost. Beside the observation, `infos` has
    `action_mask`, (num_envs, actions) int8 of 0 and 1, and `choices`, (num_envs,), how many of the
    first actions these allow. Any other action raises `ValueError`.

    Games begin anew in the same step (`AutoresetMode.SAME_STEP`): the observation is then that of
    the new game, and `infos["final_obs"]` has the last one of the old, without dice. `reset(seed)`
    seeds dice and opponent; without a seed they go on.

    >>> envs = TavliVectorEnv("fevga", 8)
    >>> seen, infos = envs.reset(seed=1)
    >>> seen.shape, infos["action_mask"].shape
    ((8, 65), (8, 3060))
    >>> seen, rewards, *_ = envs.step(np.zeros(8, int))
    >>> rewards.shape
    (8,)
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["ansi"],
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        ruleset: Ruleset | str,
        num_envs: int = 1,
        *,
        opponent: Opponent | None = random_opponent,
        ply_cap: int | None = PLY_CAP,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode is 'ansi' or None, not {render_mode!r}")
        if opponent is not None and not callable(opponent):
            raise ValueError(f"an opponent is a function or None, not {opponent!r}")
        self.ruleset = find_ruleset(ruleset) if isinstance(ruleset, str) else ruleset
        self.num_envs = num_envs
        self.opponent = opponent
        self.ply_cap = ply_cap
        self.render_mode = render_mode
        # What is wrong with the settings is said now; `reset` begins anew.
        self._begin()
        self._actions = most_choices(self.ruleset)
        self._is_reset = False
        units = self._observe().shape[1]
        self.single_observation_space = spaces.Box(0, 1, (units,), np.float32)
        self.single_action_space = spaces.Discrete(self._actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def _begin(self) -> None:
        self._play = SelfPlay(self.ruleset, self.num_envs, self.np_random, ply_cap=self.ply_cap)
        self._after = self._play.afterstates()

    @property
    def afterstates(self) -> Afterstates:
        """What the rolls to play can lead to, seen by the player on roll, as `afterstates` does it.

        The actions of a game are the places among its own results.
        """
        return self._after

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin all games with an opening roll; where the opponent begins, he has moved."""
        super().reset(seed=seed)
        self._is_reset = False
        self._begin()
        while self._opponents_turns().any():
            self._play.advance(*self._answers())
            self._after = self._play.afterstates()
        self._is_reset = True
        return self._observe(), self._infos()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[
        NDArray[np.float32],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Play a move in every game, and the opponent's until the agent is on roll again."""
        choice, waiting = self._checked(actions), np.zeros(self.num_envs, np.bool_)
        # Where the opponent breaks off, it is left unknown whose turn it is.
        self._is_reset = False
        rewards = np.zeros(self.num_envs)
        terminated = np.zeros(self.num_envs, np.bool_)
        truncated = np.zeros(self.num_envs, np.bool_)
        final: NDArray[np.object_] = np.full(self.num_envs, None, object)
        while True:
            after, movers = self._after, self._play.players
            ply = self._play.advance(choice, waiting)
            ended = (ply.terminated | ply.truncated) & ~(terminated | truncated)
            agents = np.ones(self.num_envs, np.bool_) if self.opponent is None else movers == _AGENT
            rewards[ended] = np.where(agents, 1, -1)[ended] * ply.points[ended]
            for game in np.flatnonzero(ended):
                last = after.positions[after.offsets[game] + choice[game]][None]
                final[game] = self._last(last, bool(agents[game]))
            terminated |= ended & ply.terminated
            truncated |= ended & ply.truncated
            self._after = self._play.afterstates()
            if not self._opponents_turns().any():
                break
            choice, waiting = self._answers()
        infos = self._infos()
        if (terminated | truncated).any():
            infos["final_obs"], infos["_final_obs"] = final, terminated | truncated
        self._is_reset = True
        return self._observe(), rewards, terminated, truncated, infos

    def _checked(self, actions: ArrayLike) -> NDArray[np.int64]:
        if not self._is_reset:
            raise gymnasium.error.ResetNeeded("call reset before step")
        choice = np.asarray(actions)
        if choice.shape != (self.num_envs,) or choice.dtype.kind not in "iu":
            raise ValueError(
                f"actions are ({self.num_envs},) integers, not {choice.dtype} of {choice.shape}"
            )
        counts = np.diff(self._after.offsets)
        outside = np.flatnonzero((choice < 0) | (choice >= counts))
        if len(outside):
            game = outside[0]
            raise ValueError(
                f"game {game} has actions 0 to {counts[game] - 1}, not {choice[game]}; "
                "infos['action_mask'] tells"
            )
        return choice.astype(np.int64)

    def _opponents_turns(self) -> NDArray[np.bool_]:
        if self.opponent is None:
            return np.zeros(self.num_envs, np.bool_)
        turns: NDArray[np.bool_] = self._play.players != _AGENT
        return turns

    def _answers(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The opponent's choices, and which games wait because he is not on roll."""
        assert self.opponent is not None
        turns = self._opponents_turns()
        games = np.flatnonzero(turns)
        # As NumPy repeats and takes: by numbers of the machine's own size.
        counts = np.diff(self._after.offsets)[games].astype(np.intp, copy=False)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        rows = np.repeat(self._after.offsets[games] - offsets[:-1], counts) + np.arange(offsets[-1])
        asked = Afterstates(
            np.take(self._after.positions, rows.astype(np.intp, copy=False)),
            offsets.astype(np.int64, copy=False),
            self._after.played[games],
        )
        answers = np.asarray(self.opponent(asked, self.np_random))
        if (
            answers.shape != games.shape
            or answers.dtype.kind not in "iu"
            or not ((answers >= 0) & (answers < counts)).all()
        ):
            raise ValueError(
                f"an opponent's choices are ({len(games)},) integers from 0, each below the number "
                f"of afterstates of its game, not {answers!r}"
            )
        choice = np.zeros(self.num_envs, np.int64)
        choice[games] = answers
        return choice, ~turns

    def _observe(self) -> NDArray[np.float32]:
        board_units = features(self._play.positions, self.ruleset, encoding=_ENCODING)
        rolls, numbers = self._play.rolls, self._play.numbers
        turn = np.zeros((self.num_envs, 2 * _DICE + 1), np.float32)
        games = np.arange(self.num_envs)
        turn[games, rolls.max(axis=1) - 1] = 1
        turn[games, rolls.min(axis=1) - 1 + _DICE] = 1
        turn[:, -1] = np.where(numbers == 0, 4, numbers) / 4
        return np.concatenate([board_units, turn], axis=1)

    def _last(self, position: NDArray[np.void], moved: bool) -> NDArray[np.float32]:
        """A position at the end of a game as its mover, or else the other, sees it."""
        seen = position.copy()
        if not moved:
            seen["own"], seen["opp"] = position["opp"], position["own"]
        board_units = features(seen, self.ruleset, encoding=_ENCODING)[0]
        return np.concatenate([board_units, np.zeros(2 * _DICE + 1, np.float32)])

    def _infos(self) -> dict[str, Any]:
        offsets = self._after.offsets
        counts = np.diff(offsets)
        games = np.repeat(np.arange(self.num_envs), counts.astype(np.intp, copy=False))
        mask = np.zeros((self.num_envs, self._actions), np.int8)
        mask[games, np.arange(offsets[-1]) - offsets[games]] = 1
        return {
            "action_mask": mask,
            "choices": counts,
            "player": self._play.players.copy(),
        }

    def render(self) -> tuple[str, ...] | None:
        """Return the roll and board of every game as text, `O` the player on roll."""
        if self.render_mode is None:
            return None
        positions = from_records(self._play.positions, self.ruleset)
        return tuple(
            f"player {player} (O) to play {max(roll)}-{min(roll)}\n{board(position)}"
            for player, roll, position in zip(
                self._play.players, self._play.rolls, positions, strict=True
            )
        )


gymnasium.register("Tavli-v0", vector_entry_point=f"{__name__}:TavliVectorEnv")
