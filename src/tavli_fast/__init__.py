"""Exact and very fast move generation for the Greek tavli games and their relatives.

>>> import tavli_fast as tf
>>> p = tf.Position.start(tf.FEVGA)
>>> [str(move) for move in p.moves((6, 5))]
['24/13']
"""

from importlib.metadata import version

from . import reference, render, svg
from ._dispatch import cpu
from .arrays import ALL_ROLLS
from .batch import (
    BLOCKADE,
    Afterstates,
    afterstates,
    blockades,
    check_records,
    count_afterstates,
    empty_records,
    from_records,
    in_contact,
    mobility,
    pip_counts,
    points_won,
    start_records,
    to_records,
)
from .bearoff import BearOff, Chances
from .features import feature_names, features
from .generate import Games, generate_games
from .match import Dice, Game, Match, Result
from .notation import NotationError
from .playouts import Playouts, playouts
from .position import POSITION, IllegalMove, IllegalPosition, Move, Position
from .reasons import Reason
from .rules import (
    BACKGAMMON,
    FEVGA,
    GIOUL,
    GUL_BARA,
    HYPERGAMMON,
    LONG_NARDY,
    MAHBUSA,
    MOULTEZIM,
    NACKGAMMON,
    OPTIONS,
    PLAKOTO,
    PORTES,
    RULESETS,
    TAPA,
    TAVLA,
    TAVLI,
    Ban,
    Contact,
    Movement,
    Ruleset,
    find_ruleset,
)
from .selfplay import Ply, Recording, SelfPlay
from .steps import Step
from .walls import Blockade, Prime, Walls

__version__ = version("tavli-fast")

__all__ = [
    "ALL_ROLLS",
    "BACKGAMMON",
    "BLOCKADE",
    "FEVGA",
    "GIOUL",
    "GUL_BARA",
    "HYPERGAMMON",
    "LONG_NARDY",
    "MAHBUSA",
    "MOULTEZIM",
    "NACKGAMMON",
    "OPTIONS",
    "PLAKOTO",
    "PORTES",
    "POSITION",
    "RULESETS",
    "TAPA",
    "TAVLA",
    "TAVLI",
    "Afterstates",
    "Ban",
    "BearOff",
    "Blockade",
    "Chances",
    "Contact",
    "Dice",
    "Game",
    "Games",
    "IllegalMove",
    "IllegalPosition",
    "Match",
    "Move",
    "Movement",
    "NotationError",
    "Playouts",
    "Ply",
    "Position",
    "Prime",
    "Reason",
    "Recording",
    "Result",
    "Ruleset",
    "SelfPlay",
    "Step",
    "Walls",
    "afterstates",
    "blockades",
    "check_records",
    "count_afterstates",
    "cpu",
    "empty_records",
    "feature_names",
    "features",
    "find_ruleset",
    "from_records",
    "generate_games",
    "in_contact",
    "mobility",
    "pip_counts",
    "playouts",
    "points_won",
    "reference",
    "render",
    "start_records",
    "svg",
    "to_records",
]
