"""A two-player environment for PettingZoo, of any ruleset. Needs the extra `pettingzoo`.

`env` makes one in PettingZoo's usual wrappers, `raw_env` the bare one. The agents `player_0` and
`player_1` act whenever they have a roll to play, which is not always by turns: a cascade goes on
with the same player, and a lost turn is an action too, the only one then.

A step is a whole move. Its action is the number of the position it leads to, in the order of
`choices`; the observation is a dict, `observation` as `choices.observation` describes it and
`action_mask`, (n,) int8 of 0 and 1, all 0 for whoever is not to act. The reward is the points of
the game, at its end. A game that reaches the ply cap is truncated.

What a number means changes with every roll, so an agent that values positions is served better by
`unwrapped.afterstates`, the positions in the same order.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..batch import to_records
from ..match import PLY_CAP, Dice, Game
from ..position import Position
from ..render import board
from ..rules import Ruleset, find_ruleset
from .choices import choices, most_choices, observation, units

try:
    from gymnasium import spaces
    from gymnasium.utils import EzPickle
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError(
        "the PettingZoo adapter needs PettingZoo: pip install 'tavli-fast[pettingzoo]'"
    ) from error

__all__ = ["env", "raw_env"]

Observation = dict[str, NDArray[Any]]


def env(
    ruleset: Ruleset | str, *, ply_cap: int = PLY_CAP, render_mode: str | None = None
) -> AECEnv[str, Observation, int]:
    """Return an environment in which an illegal action loses: it ends the game with a reward of -1.

    The arguments are those of `raw_env`.

    >>> from tavli_fast import PORTES
    >>> table = env(PORTES)
    >>> table.reset(seed=1)
    >>> seen, reward, *_ = table.last()
    >>> seen["observation"].shape, seen["action_mask"].shape, reward
    ((72,), (3060,), 0.0)
    """
    table: Any = raw_env(ruleset, ply_cap=ply_cap, render_mode=render_mode)
    table = wrappers.TerminateIllegalWrapper(table, illegal_reward=-1)
    table = wrappers.AssertOutOfBoundsWrapper(table)
    return wrappers.OrderEnforcingWrapper(table)


class raw_env(AECEnv[str, Observation, int], EzPickle):
    """The environment itself; an action that is not legal raises `ValueError`.

    `ruleset` is one, or its text as `find_ruleset` reads it. A game is truncated after `ply_cap`
    moves. With the `render_mode` `ansi`, `render` returns the board as text; with `human` it is
    printed after every step. `reset(seed)` seeds the dice; without a seed they go on.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi", "human"],
        "name": "tavli_v0",
        "is_parallelizable": False,
    }

    def __init__(
        self, ruleset: Ruleset | str, *, ply_cap: int = PLY_CAP, render_mode: str | None = None
    ) -> None:
        EzPickle.__init__(self, ruleset, ply_cap=ply_cap, render_mode=render_mode)
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode is 'ansi', 'human' or None, not {render_mode!r}")
        self.ruleset = find_ruleset(ruleset) if isinstance(ruleset, str) else ruleset
        self.ply_cap = ply_cap
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"]
        actions = most_choices(self.ruleset)
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (units(self.ruleset),), np.float32),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._random = np.random.default_rng()

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions, as large as any roll may need it."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game with an opening roll."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._go_on(Game.start(self.ruleset, Dice(self._random), ply_cap=self.ply_cap))

    def _go_on(self, game: Game) -> None:
        self.game = game
        self.agent_selection = self.possible_agents[game.player]
        self._choices: list[Position] = [] if game.is_over else choices(game)
        if self.render_mode == "human":
            self.render()

    @property
    def afterstates(self) -> NDArray[np.void]:
        """The positions that the legal actions lead to, in order, as records seen by the mover."""
        return to_records(self._choices)

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees, whether or not it is to act."""
        mask = np.zeros(most_choices(self.ruleset), np.int8)
        if agent == self.agent_selection:
            mask[: len(self._choices)] = 1
        seen = observation(self.game, self.possible_agents.index(agent))
        return {"observation": seen, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play the move with this number for the agent that is to act."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None or not 0 <= action < len(self._choices):
            raise ValueError(f"{agent} has actions 0 to {len(self._choices) - 1}, not {action}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._go_on(self.game.play(self._choices[action]))
        result = self.game.result
        if result is not None:
            self.terminations = dict.fromkeys(self.agents, not result.capped)
            self.truncations = dict.fromkeys(self.agents, result.capped)
            for player, each in enumerate(self.agents):
                if result.winner is not None:
                    won = player == result.winner
                    self.rewards[each] = float(result.points if won else -result.points)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return, or print, the roll and the board as text, `O` the agent to act."""
        if self.render_mode is None:
            return None
        roll = "" if self.game.is_over else " to play {1}-{0}".format(*sorted(self.game.roll))
        text = f"{self.possible_agents[self.game.player]} (O){roll}\n{board(self.game.position)}"
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing has to be closed."""
