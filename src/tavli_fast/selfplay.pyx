# cython: language_level=3, freethreading_compatible=True
"""Many games at once, a ply of each at a time, for bots that learn from playing themselves."""

import io
import json
import threading
import zipfile
import zlib
from operator import index
from typing import NamedTuple

import numpy as np

from libc.stdint cimport int64_t, uint8_t

from tavli_fast._dispatch cimport KernelRules, kernel, kernel_rules
from tavli_fast._kernel cimport CAPPED, MATCH_WON, MOST_LAWS, WON, Course, Lockstep, Record, Rules
from tavli_fast.arrays cimport address, empty
from tavli_fast.batch cimport chosen_rows, play_each
from tavli_fast.playouts cimport source_of

from .files import reading, write_whole
from .match import NEXT_STARTER, PLY_CAP
from .playouts import as_generator
from .rules import Ruleset, find_ruleset

COURSE = np.dtype(
    [
        ("plies", "u4"), ("score", "u2", 2), ("law", "u1"), ("player", "u1"), ("starter", "u1"),
        ("numbers", "u1"), ("cascade_end", "u1"), ("leftover", "u1"), ("last_roll", "u1"),
        ("throws", "u1", 2), ("ended", "u1"), ("points", "i1"), ("turned", "u1"),
    ]
)
assert COURSE.itemsize == sizeof(Course)


class Ply(NamedTuple):
    """What one ply did in every game, as `SelfPlay.advance` returns it; all (n,).

    `points`: int8, the points won by the player who moved, negative if lost, 0 while the game is
    on. `terminated`: bool, the game has ended by the rules. `truncated`: bool, it was given up at
    the ply cap. `turned`: bool, the turn has passed to the other player; not so between the stages
    of a cascade. `match_over`: bool, and with the game the match.
    """

    points: object
    terminated: object
    truncated: object
    turned: object
    match_over: object


class SelfPlay:
    """n games in lockstep, each begun anew when it ends.

    `ruleset`: the `Ruleset` of all games; or several of them, up to 16, which are then the games of
    a match in their order, like `TAVLI`. `rng`: a `numpy.random.Generator`, which throws all dice,
    or a seed for one. A match is played to `target` points, its later games are begun by the
    `previous_winner` or by an opening `roll` (`next_starter`). A game ends as a draw after
    `ply_cap` plies, never with `None`. With `record` the choices are kept for `recording`.

    The arrays of the current state are `positions` (n,) POSITION, seen by the player on roll,
    `rolls` (n, 2) uint8, `numbers` (n,) uint8, how many of a double are left to him (0: all),
    `players` (n,) uint8, who that is, `plies` (n,) uint32, `scores` (n, 2) and `games` (n,), which
    ruleset is played. They are read-only, and `advance` makes new ones. A ply is a roll or one
    stage of a cascade. Threads that share one `SelfPlay` wait for each other.

    Raises `ValueError` for a bad argument.

    >>> import numpy as np
    >>> import tavli_fast as tf
    >>> play = tf.SelfPlay(tf.PLAKOTO, 1000, rng=1)
    >>> points = 0
    >>> choose = np.random.default_rng(2)
    >>> for _ in range(200):
    ...     result = play.afterstates()
    ...     ply = play.advance(choose.integers(np.diff(result.offsets)))
    ...     points += np.abs(ply.points).sum()
    >>> bool(points > 1000)
    True
    """

    def __init__(self, ruleset, n, rng, *, target=5, next_starter=NEXT_STARTER[0], ply_cap=PLY_CAP,
                 record=False):
        rulesets = (ruleset,) if isinstance(ruleset, Ruleset) else tuple(ruleset)
        if not 0 < len(rulesets) <= MOST_LAWS:
            raise ValueError(f"a match is of 1 to {MOST_LAWS} rulesets, not {len(rulesets)}")
        self._laws = tuple(map(kernel_rules, rulesets))
        self.rulesets = rulesets
        self._is_match = not isinstance(ruleset, Ruleset)
        self._n = _between("n", n, 1, 2**31 - 1)
        self._target = _between("target", target, 1, 30_000)
        if next_starter not in NEXT_STARTER:
            raise ValueError(
                f"next_starter cannot be {next_starter!r}; it is one of {', '.join(NEXT_STARTER)}"
            )
        self._next_starter = next_starter
        self._cap = 0 if ply_cap is None else _between("ply_cap", ply_cap, 1, 2**31 - 1)
        self._rng = as_generator(rng)
        self._first_state = self._rng.bit_generator.state if record else None
        self._choices = []
        self._turn = threading.RLock()
        self._after = None
        self._room = 32 * self._n + 1024
        self._positions = empty(self._n)
        self._rolls = np.empty((self._n, 2), np.uint8)
        self._courses = np.zeros(self._n, COURSE)
        self._run(True, None, None, False)

    def _run(self, beginning, after, chosen, flipped):
        cdef Lockstep work
        cdef const Rules *rules[MOST_LAWS]
        cdef bint begins = beginning
        for at, law in enumerate(self._laws):
            rules[at] = &(<KernelRules>law).rules
        work.games = self._n
        work.rules = rules
        work.laws = len(self._laws)
        work.target = self._target if self._is_match else 0
        work.winner_begins = self._next_starter == "previous_winner"
        work.ply_cap = self._cap
        work.records = <Record *>address(self._positions)
        work.rolls = <uint8_t *>address(self._rolls)
        work.courses = <Course *>address(self._courses)
        work.after = NULL if after is None else <const Record *>address(after)
        work.chosen = NULL if chosen is None else <const int64_t *>address(chosen)
        work.flipped = flipped
        work.source = source_of(self._rng)
        with self._rng.bit_generator.lock:
            with nogil:
                if begins:
                    kernel.begin(&work)
                else:
                    kernel.advance(&work)
        for array in (self._positions, self._rolls, self._courses):
            array.setflags(write=False)

    def __len__(self):
        return self._n

    def recording(self):
        """Return the games so far, as a `Recording` that can be kept and played again.

        Raises `ValueError` without `record`.
        """
        if self._first_state is None:
            raise ValueError("nothing was recorded: SelfPlay(..., record=True) keeps the choices")
        choices = np.array(self._choices, np.int16).reshape(-1, self._n)
        head = {
            "rulesets": [str(ruleset) for ruleset in self.rulesets],
            "is_match": self._is_match,
            "n": self._n,
            "target": self._target,
            "next_starter": self._next_starter,
            "ply_cap": self._cap or None,
            "generator": self._first_state,
            "last": _fingerprint(self),
        }
        return Recording(head, choices)

    @property
    def positions(self):
        """The positions, seen by the players on roll: (n,) POSITION."""
        return self._positions

    @property
    def rolls(self):
        """What they have to play: (n, 2) uint8."""
        return self._rolls

    @property
    def numbers(self):
        """How many numbers of a double are left to them, 0 for all: (n,) uint8."""
        return self._courses["numbers"]

    @property
    def players(self):
        """Who is on roll, 0 or 1: (n,) uint8."""
        return self._courses["player"]

    @property
    def plies(self):
        """The plies played in each game: (n,) uint32."""
        return self._courses["plies"]

    @property
    def games(self):
        """Which of `rulesets` is played: (n,) uint8."""
        return self._courses["law"]

    @property
    def scores(self):
        """The points of players 0 and 1 in their match before this game: (n, 2) uint16."""
        return self._courses["score"]

    def afterstates(self, flip=False, out=None, threads=1):
        """Return what every roll can lead to, as `tavli_fast.afterstates` does: one pair a game.

        A lost turn has one result, the unchanged position. `out` must not be changed before
        `advance`.
        """
        flip = bool(flip)
        with self._turn:
            law = np.ascontiguousarray(self.games) if len(self._laws) > 1 else None
            numbers = np.ascontiguousarray(self.numbers)
            if not numbers.any():
                numbers = None
            room = empty(self._room) if out is None else out
            try:
                result = play_each(
                    self._positions, self._rolls, self._laws, law, numbers, flip, room, threads
                )
            except ValueError:
                if out is not None:
                    raise
                result = play_each(
                    self._positions, self._rolls, self._laws, law, numbers, flip, None, threads
                )
                self._room = 2 * len(result.positions)
            result.offsets.setflags(write=False)
            self._after = result, flip
            return result

    def advance(self, choice, waiting=None):
        """Play one of the afterstates in every game, and return what that did, as `Ply`.

        `choice`: (n,) integers, for each game the place among its own results in the last
        `afterstates`, from 0 on. Games that have ended begin anew, so that `positions` and `rolls`
        are always to be played. `waiting`: (n,) bool, games in which nothing is played now, whatever
        their choice. Raises `ValueError` naming the game for a choice out of range.
        """
        choice = np.asarray(choice)
        waiting = None if waiting is None else np.asarray(waiting)
        with self._turn:
            if self._after is None:
                self.afterstates()
            result, flipped = self._after
            chosen = chosen_rows(result.offsets, choice, "game", waiting)
            self._positions = self._positions.copy()
            self._rolls = self._rolls.copy()
            self._courses = courses = self._courses.copy()
            self._run(False, result.positions, chosen, flipped)
            self._after = None
            if self._first_state is not None:
                self._choices.append(np.where(chosen < 0, -1, choice).astype(np.int16))
        ended = courses["ended"]
        return Ply(
            courses["points"], (ended & WON) != 0, (ended & CAPPED) != 0, courses["turned"] != 0,
            (ended & MATCH_WON) != 0,
        )


cdef int64_t _between(name, number, least, most) except -1:
    try:
        found = index(number)
    except TypeError:
        found = least - 1
    if not least <= found <= most:
        raise ValueError(f"{name} is an integer from {least} to {most}, not {number!r}")
    return found


def _fingerprint(play):
    return zlib.crc32(play.positions.tobytes() + play.rolls.tobytes())


class Recording(NamedTuple):
    """Games of `SelfPlay` as what they follow from: the settings and the choices.

    `head`: the settings, the state of the random generator before the first roll, and a checksum
    of the last positions and rolls. `choices`: (plies, n) int16, -1 for
    games that waited.

    >>> import numpy as np
    >>> import tavli_fast as tf
    >>> play = tf.SelfPlay(tf.FEVGA, 2, rng=1, record=True)
    >>> for _ in range(10):
    ...     ply = play.advance(np.zeros(2, int))
    >>> seen = [state.positions for state, choice in play.recording().replay()]
    >>> len(seen), bool((seen[0] == tf.start_records(tf.FEVGA, 2)).all())
    (10, True)
    """

    head: dict
    choices: object

    def save(self, path):
        """Write the games to a file (NumPy's npz, without pickles).

        The file appears whole or not at all. Raises `ValueError` if it cannot be written.
        """
        head = np.frombuffer(json.dumps(self.head, default=_listed).encode(), np.uint8)
        data = io.BytesIO()
        np.savez_compressed(data, head=head, choices=self.choices)
        write_whole(path, data.getvalue())

    @classmethod
    def load(cls, path):
        """Read the games of a file; raises `ValueError` naming it if it is no recording."""
        with reading(path, "{} is no recording of games") as file:
            try:
                # NumPy leaves a file open that it cannot read.
                with np.load(file, allow_pickle=False) as kept:
                    head = json.loads(kept["head"].tobytes())
                    choices = kept["choices"]
                if not isinstance(head, dict) or set(head) != _HEAD:
                    raise ValueError("its head is of something else")
                if choices.dtype != np.int16 or choices.ndim != 2 or choices.shape[1] != head["n"]:
                    raise ValueError(f"its choices are {choices.dtype} of shape {choices.shape}")
            except _UNREADABLE as error:
                raise ValueError(str(error)) from error
        return cls(head, choices)

    def start(self):
        """Return the games as they began: a `SelfPlay`; raises `ValueError` for a damaged head."""
        head = self.head
        try:
            rulesets = [find_ruleset(text) for text in head["rulesets"]]
            name = head["generator"]["bit_generator"]
            kind = getattr(np.random, name, None)
            if not (isinstance(kind, type) and issubclass(kind, np.random.BitGenerator)):
                raise ValueError(f"the bit generator {name!r} is unknown")
            generator = kind()
            _must_be_within(head["generator"])
            generator.state = head["generator"]
            return SelfPlay(
                rulesets if head["is_match"] else rulesets[0], head["n"],
                np.random.Generator(generator), target=head["target"],
                next_starter=head["next_starter"], ply_cap=head["ply_cap"],
            )
        except (LookupError, TypeError, ValueError, OverflowError, NotImplementedError) as error:
            raise ValueError(f"the recording's head is damaged: {error}") from error

    def replay(self):
        """Play the games again: yields before every ply the `SelfPlay` and the choice to come.

        Raises `ValueError` if that does not end where it ended: a recording is good for the version
        of the library, and of NumPy's generators, that made it.
        """
        play = self.start()
        for choice in self.choices:
            yield play, choice
            play.advance(choice, choice < 0)
        if _fingerprint(play) != self.head["last"]:
            raise ValueError("the recorded games do not come out as they did: another version made them")


# How far a bit generator is with the numbers that it has made: NumPy takes any place, and then
# reads whatever lies there.
_PLACES = {"pos": 624, "buffer_pos": 4}


def _must_be_within(state):
    """Refuse the state of a bit generator that would read beyond its numbers."""
    for part in (state, state["state"]):
        for name, last in _PLACES.items():
            if name in part and not 0 <= index(part[name]) <= last:
                raise ValueError(f"its bit generator has the {name} {part[name]}, not 0 to {last}")


# Whatever a damaged or foreign file makes of NumPy's, the zip's and JSON's readers.
_UNREADABLE = (
    OSError, EOFError, KeyError, ValueError, TypeError, AttributeError, RuntimeError,
    zipfile.BadZipFile, zlib.error,
)
_HEAD = {
    "rulesets", "is_match", "n", "target", "next_starter", "ply_cap", "generator", "last",
}


def _listed(value):
    """What JSON cannot say of a bit generator's state: arrays and NumPy's integers."""
    return value.tolist()
