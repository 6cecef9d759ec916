"""A two-player environment for PettingZoo: a game or a match. Needs the extra `pettingzoo`.

`env` makes one in PettingZoo's usual wrappers, `raw_env` the bare one. The agents `player_0` and
`player_1` act whenever they have a roll to play, which is not always by turns: a cascade goes on
with the same player, and a lost turn is an action too, the only one then.

A step is a whole move. Its action is the number of the position it leads to, in the order of
`choices`; the observation is a dict, `observation` as `choices.observation` describes it and
`action_mask`, (n,) int8 of 0 and 1, all 0 for whoever is not to act. The reward is the points of
a game, at its end. A game that reaches the ply cap is truncated; in a match it is a draw.

In a match the observation has more: the units of a game without pins are filled up with zeros where
others have them, and after the turn come a unit for each ruleset, 1 for the one that is played, and
the scores of the agent and the other as parts of the target, up to 1.

What a number means changes with every roll, so an agent that values positions is served better by
`unwrapped.afterstates`, the positions in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..batch import to_records
from ..match import NEXT_STARTER, PLY_CAP, Dice, Game, Match
from ..position import Position
from ..render import board
from ..rules import Ruleset, find_ruleset
from .choices import TURN_UNITS, choices, most_choices, observation, units

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
    ruleset: Ruleset | str | Iterable[Ruleset], **options: Any
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
    table: Any = raw_env(ruleset, **options)
    table = wrappers.TerminateIllegalWrapper(table, illegal_reward=-1)
    table = wrappers.AssertOutOfBoundsWrapper(table)
    return wrappers.OrderEnforcingWrapper(table)


class raw_env(AECEnv[str, Observation, int], EzPickle):
    """The environment itself; an action that is not legal raises `ValueError`.

    `ruleset` is one, its text as `find_ruleset` reads it, or several: the games of a match in their
    order, like `tavli_fast.TAVLI`, of which `target` and `next_starter` say what they say in
    `Match.start`. A game ends after `ply_cap` moves. With the `render_mode` `ansi`, `render` gives
    the board as text; with `human` it is printed after every step. `reset(seed)` seeds the dice;
    without a seed they go on.

    >>> from tavli_fast import TAVLI
    >>> table = raw_env(TAVLI, target=7)
    >>> table.reset(seed=1)
    >>> str(table.game.ruleset), table.observe("player_0")["observation"].shape
    ('portes', (125,))
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi", "human"],
        "name": "tavli_v0",
        "is_parallelizable": False,
    }

    def __init__(
        self,
        ruleset: Ruleset | str | Iterable[Ruleset],
        *,
        target: int = 5,
        next_starter: str = NEXT_STARTER[0],
        ply_cap: int = PLY_CAP,
        render_mode: str | None = None,
    ) -> None:
        one = find_ruleset(ruleset) if isinstance(ruleset, str) else ruleset
        self.is_match = not isinstance(one, Ruleset)
        self.rulesets: tuple[Ruleset, ...] = (one,) if isinstance(one, Ruleset) else tuple(one)
        settings: dict[str, Any] = {
            "target": target,
            "next_starter": next_starter,
            "ply_cap": ply_cap,
        }
        EzPickle.__init__(
            self, self.rulesets if self.is_match else one, **settings, render_mode=render_mode
        )
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode is 'ansi', 'human' or None, not {render_mode!r}")
        self._settings = settings
        self._random = np.random.default_rng()
        # What is wrong with the settings is said now.
        self._begun()
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"]
        self._actions = max(map(most_choices, self.rulesets))
        self._units = max(map(units, self.rulesets))
        width = self._units + (len(self.rulesets) + 2 if self.is_match else 0)
        self.action_spaces = {
            agent: spaces.Discrete(self._actions) for agent in self.possible_agents
        }
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (width,), np.float32),
                    "action_mask": spaces.Box(0, 1, (self._actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }

    def _begun(self) -> Game | Match:
        dice = Dice(self._random)
        if self.is_match:
            return Match.start(dice, rulesets=self.rulesets, **self._settings)
        return Game.start(self.rulesets[0], dice, ply_cap=self._settings["ply_cap"])

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions, as large as any roll may need it."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin with an opening roll."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._go_on(self._begun())

    def _go_on(self, table: Game | Match) -> None:
        self.table = table
        self.agent_selection = self.possible_agents[self.game.player]
        self._choices: list[Position] = [] if table.is_over else choices(self.game)
        if self.render_mode == "human":
            self.render()

    @property
    def game(self) -> Game:
        """The game under way, or the last."""
        return _games(self.table)[-1]

    @property
    def afterstates(self) -> NDArray[np.void]:
        """The positions that the legal actions lead to, in order, as records seen by the mover."""
        return to_records(self._choices)

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees, whether or not it is to act."""
        mask = np.zeros(self._actions, np.int8)
        if agent == self.agent_selection:
            mask[: len(self._choices)] = 1
        player = self.possible_agents.index(agent)
        seen = observation(self.game, player)
        if isinstance(self.table, Match):
            score, target = self.table.score, self.table.target
            place = (len(_games(self.table)) - 1) % len(self.rulesets)
            of_match = np.zeros(len(self.rulesets) + 2, np.float32)
            of_match[place] = 1
            of_match[-2:] = [min(score[each] / target, 1) for each in (player, 1 - player)]
            filling = np.zeros(self._units - len(seen), np.float32)
            on_board, on_turn = np.split(seen, [-TURN_UNITS])
            seen = np.concatenate([on_board, filling, on_turn, of_match])
        return {"observation": seen, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play the move with this number for the agent that is to act."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        refusal = f"{agent} has actions 0 to {len(self._choices) - 1}, not {action!r}"
        try:
            chosen = -1 if action is None else index(action)
        except TypeError:
            raise ValueError(refusal) from None
        if not 0 <= chosen < len(self._choices):
            raise ValueError(refusal)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        table = self.table.play(self._choices[chosen])
        result = _games(table)[len(_games(self.table)) - 1].result
        if result is not None and result.winner is not None:
            for player, each in enumerate(self.agents):
                won = player == result.winner
                self.rewards[each] = float(result.points if won else -result.points)
        if table.is_over:
            capped = not self.is_match and result is not None and result.capped
            self.terminations = dict.fromkeys(self.agents, not capped)
            self.truncations = dict.fromkeys(self.agents, capped)
        self._go_on(table)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return, or print, the roll and the board as text, `O` the agent to act."""
        if self.render_mode is None:
            return None
        text = f"{self.agent_selection} (O)"
        if not self.table.is_over:
            text += " to play {1}-{0}".format(*sorted(self.game.roll))
        if isinstance(self.table, Match):
            text += ", score {} to {}".format(*self.table.score)
        text += f"\n{board(self.game.position)}"
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing has to be closed."""


def _games(table: Game | Match) -> tuple[Game, ...]:
    return table.games if isinstance(table, Match) else (table,)
