# cython: language_level=3, freethreading_compatible=True
"""Whole games from given positions, played by simple players in the kernel."""

from operator import index
from typing import NamedTuple

import numpy as np

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t

from tavli_fast._dispatch cimport KernelRules, kernel, kernel_rules
from tavli_fast._kernel cimport MOST_DOUBLE, Playouts as Part, Record, Source
from tavli_fast.arrays cimport address, as_records, as_threads
from tavli_fast.position cimport refuse_record

from .sharing import in_shares

POLICIES = ("random", "pips")
"""Who plays the games of `playouts`."""

# Games whose dice come from one source: so few that an interrupt is soon seen, so many that the
# source costs nothing.
cdef enum:
    _SHARE = 256


class Playouts(NamedTuple):
    """What `playouts` returns, one row a record.

    `points`: (n, 7) int64, the games that ended with -3, -2, ... 3 points for the player on roll;
    0 is a draw. `plies`: (n,) int64, the plies of all the games. `capped`: (n,) int64, the games
    given up at the cap, which `points` does not count.
    """

    points: object
    plies: object
    capped: object

    @property
    def equity(self):
        """The mean of the points: (n,) float64; a game without an end counts 0."""
        return self.points @ np.arange(-3.0, 4) / (self.points.sum(axis=1) + self.capped)

    @property
    def wins(self):
        """The part of the games that the player on roll won: (n,) float64."""
        return self.points[:, 4:].sum(axis=1) / (self.points.sum(axis=1) + self.capped)


cdef Source *source_of(generator) except NULL:
    """The bit generator as C functions; the caller keeps it alive and to himself."""
    return <Source *>PyCapsule_GetPointer(generator.bit_generator.capsule, "BitGenerator")


def as_generator(rng):
    """Return a `numpy.random.Generator`: the one given, or one from a seed."""
    try:
        generator = np.random.default_rng(rng)
        if type(generator) is not np.random.Generator:
            # What a subclass says of its bit generator may be another one every time.
            generator = np.random.Generator(generator.bit_generator)
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"rng is a numpy.random.Generator or a seed, not {rng!r}") from error
    return generator


def spawned(rng, number):
    """Return so many `numpy.random.Generator` that are independent of each other."""
    try:
        return as_generator(rng).spawn(number)
    except TypeError as error:
        raise ValueError(f"rng cannot be split into independent ones: {error}") from error


def _games(records, before, first, last, games, ruleset, greedy, cap, generator):
    """Play the games from `first` to before `last`: points, plies and caps of their records.

    `before` is the number of records before these.
    """
    records = as_records(records)
    cdef KernelRules law = kernel_rules(ruleset)
    cdef int64_t rows = (last - 1) // games - first // games + 1
    cdef Part part
    points = np.zeros((rows, 7), np.int64)
    plies, capped = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    part.records = <const Record *>address(records)
    part.first, part.last, part.games = first, last, games
    part.rules = &law.rules
    part.greedy, part.ply_cap = greedy, cap
    part.source = source_of(generator)
    part.points = <int64_t *>address(points)
    part.plies = <int64_t *>address(plies)
    part.capped = <int64_t *>address(capped)
    part.fault, part.done = 0, 0
    part.scratch = <Record *>PyMem_RawMalloc(MOST_DOUBLE * sizeof(Record))
    if part.scratch == NULL:
        raise MemoryError
    with nogil:
        kernel.playouts(&part)
    PyMem_RawFree(part.scratch)
    cdef int64_t row = (part.first + part.done) // part.games
    if part.fault:
        refuse_record(&part.records[row], law, before + row)
    return points, plies, capped


def playouts(records, ruleset, rng, games=1, policy="random", max_plies=10_000, threads=1,
             executor=None, progress=None):
    """Play whole games from every record and return how they ended, as `Playouts`.

    `records`: (n,) POSITION; the player on roll throws the dice, and own turns are counted from
    there. `rng`: a `numpy.random.Generator`, or a seed for one. `games` are played from each
    record. `policy`: `random`, every distinct afterstate as likely as the others, or `pips`, one
    of those that leave the mover the most pips ahead. A game is given up after `max_plies`, never
    with `None`. `threads` share the games, or an `executor` of `concurrent.futures` does; the
    result is the same for any of them. `progress(done, total)` is called with the shares done.

    The dice are those of generators spawned from `rng`, one for every 256 games, so its own stream
    is not used but a second call plays other games.

    Raises `ValueError` for a bad argument, `IllegalPosition` naming the row for a bad record.

    >>> import tavli_fast as tf
    >>> found = tf.playouts(tf.start_records(tf.FEVGA, 2), tf.FEVGA, rng=1, games=100)
    >>> found.points.sum(axis=1).tolist()
    [100, 100]
    """
    records = as_records(records)
    kernel_rules(ruleset)
    if policy not in POLICIES:
        raise ValueError(f"policy cannot be {policy!r}; it is one of {', '.join(POLICIES)}")
    games = _at_least_one("games", games)
    cap = 0 if max_plies is None else _at_least_one("max_plies", max_plies)
    cdef int64_t total = len(records) * games, first
    starts = range(0, total, _SHARE)
    shares = []
    for at, generator in enumerate(spawned(rng, len(starts))):
        first = starts[at]
        last = min(first + _SHARE, total)
        row = first // games
        shares.append((
            records[row : (last - 1) // games + 1], row, first - row * games, last - row * games, games,
            ruleset, policy == "pips", cap, generator,
        ))
    points = np.zeros((len(records), 7), np.int64)
    plies, capped = np.zeros(len(records), np.int64), np.zeros(len(records), np.int64)
    results = in_shares(
        _games, shares, threads=as_threads(threads), executor=executor, progress=progress
    )
    for at, result in enumerate(results):
        row = starts[at] // games
        for whole, part in zip((points, plies, capped), result):
            whole[row : row + len(part)] += part
    return Playouts(points, plies, capped)


def _at_least_one(name, number):
    try:
        number = index(number)
    except TypeError:
        number = 0
    if not 0 < number < 2**31:
        raise ValueError(f"{name} is an integer of at least 1")
    return number
