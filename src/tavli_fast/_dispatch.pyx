# cython: language_level=3, freethreading_compatible=True
"""Chooses at import which build of the kernel runs here: the best one the processor supports.

`TAVLI_FAST_CPU` forces a level (`auto`, or one of those that `cpu` lists). A level that is not
built or not supported is an `ImportError` that lists both. Left to choose, it warns where the best
level cannot be loaded and a slower one has to do: nothing falls back silently.
"""

import os
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple
from warnings import warn

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.string cimport memset

from tavli_fast._kernel cimport ABI, Kernel

from .rules import Contact, Movement, Ruleset

cdef extern from "_cpu.h":
    int x86_64_level()

# Best first, with the level of x86-64 that each needs.
LEVELS = {"x86_64_v4": 4, "x86_64_v3": 3, "x86_64_v2": 2, "base": 0}


class Cpu(NamedTuple):
    """Which level of the kernel runs, which are built here, which of those can run here.

    `errors` tells of each better level that should have run and did not load.
    """

    level: str
    built: tuple
    supported: tuple
    errors: tuple


def choose(wanted, built, offered):
    """The levels to try in turn: those that a processor of a level can run, or the wanted one."""
    supported = tuple(level for level in built if LEVELS[level] <= offered)
    if wanted == "auto" and supported:
        return supported
    if wanted in supported:
        return (wanted,)
    raise ImportError(
        f"TAVLI_FAST_CPU={wanted}: this installation has {', '.join(built) or 'no level'}, "
        f"of which this machine supports {', '.join(supported) or 'none'}"
    )


def use(level):
    """Let another level do the work from now on; for tests that compare them in one process."""
    global cpu, kernel
    capsule = import_module(f"tavli_fast._kernel_{level}").kernel
    table = <const Kernel *>PyCapsule_GetPointer(capsule, "tavli_fast.kernel")
    if table.abi != ABI:
        raise ImportError(f"it is of another build ({table.abi}, not {ABI})")
    kernel = table
    cpu = cpu._replace(level=level)


def _start():
    """Load the best level; where that fails, the next one, which is slower and so not silent."""
    global cpu
    built = tuple(
        level for level in LEVELS if find_spec(f"tavli_fast._kernel_{level}") is not None
    )
    offered = x86_64_level()
    levels = choose(os.environ.get("TAVLI_FAST_CPU") or "auto", built, offered)
    cpu = Cpu("", built, tuple(level for level in built if LEVELS[level] <= offered), ())
    for level in levels:
        try:
            use(level)
            break
        except (ImportError, AttributeError, ValueError) as error:
            cpu = cpu._replace(errors=(*cpu.errors, f"{level}: {error}"))
    told = "; ".join(cpu.errors)
    if not cpu.level:
        raise ImportError(f"tavli_fast: no level of the kernel can be loaded: {told}")
    if cpu.errors:
        warn(f"tavli_fast runs at level {cpu.level}, as a better one cannot be loaded: {told}",
             RuntimeWarning)


_start()

# By identity, which costs a tenth of hashing all the options; what is kept here keeps its ruleset
# alive, so no number comes to mean another one. A second thread at worst translates once more.
cdef dict _translated = {}
cdef enum:
    MOST_KEPT = 256


cdef KernelRules kernel_rules(object ruleset):
    try:
        # Not `get`, which Cython makes of a borrowed reference: without the GIL another thread may
        # replace or clear what is kept before it is taken.
        return <KernelRules>_translated[id(ruleset)]
    except KeyError:
        pass
    if not isinstance(ruleset, Ruleset):
        raise ValueError(
            f"ruleset is {ruleset!r}, not a Ruleset; find_ruleset makes one from a text"
        )
    known = _translate(ruleset)
    if len(_translated) >= MOST_KEPT:
        _translated.clear()
    _translated[id(ruleset)] = known
    return known


cdef KernelRules _translate(object ruleset):
    cdef KernelRules translated = KernelRules.__new__(KernelRules)
    translated.ruleset = ruleset
    cdef Rules *rules = &translated.rules
    memset(rules, 0, sizeof(Rules))
    rules.checkers = ruleset.checkers
    rules.hits = ruleset.contact is Contact.HIT
    rules.pins = ruleset.contact is Contact.PIN
    rules.parallel = ruleset.movement is Movement.PARALLEL
    rules.may_stop_bearing_off = ruleset.bear_off == "optional"
    rules.hitter_stays_home = ruleset.hit_and_run == "not_at_home"
    rules.runner_exit = {"off": 0, "enter": 12, "pass": 11}[ruleset.runner]
    rules.runner_whole_turn = ruleset.runner_release == "turn_end"
    rules.bans_start_quarter = ruleset.start_quarter == "banned"
    rules.bans_mother_prime = ruleset.mother_prime != "free"
    rules.mother_must_be_there = ruleset.mother_prime == "while_occupied"
    rules.bans_total_block = ruleset.total_block == "no_playable_number"
    rules.bans_one_point_block = ruleset.total_block == "all_on_one_point"
    rules.block_may_be_built = ruleset.total_block_remedy == "must_open"
    rules.bans_six_prime = ruleset.six_prime != "free"
    rules.one_ahead_is_enough = ruleset.six_prime == "needs_one_ahead"
    rules.bans_walls = (
        rules.bans_start_quarter or rules.bans_mother_prime or rules.bans_six_prime
    )
    rules.one_from_head = ruleset.head == "one_a_turn"
    rules.two_on_first_doubles = ruleset.head_exception == "two_on_doubles"
    rules.two_if_needed = ruleset.head_exception == "if_needed"
    rules.pinned_bars_bearing_off = ruleset.bear_off_while_pinned == "forbidden"
    rules.mother_loses = ruleset.mother != "off"
    rules.mother_is_mutual = ruleset.mother == "unless_mutual"
    rules.last_roll = ruleset.last_roll_draw == "on"
    for point, checkers in enumerate(ruleset.start):
        rules.start[point] = checkers
    rules.opening_is_played = ruleset.opening == "play_numbers"
    rules.counts_triple = ruleset.triple == "on"
    rules.mother_points = int(ruleset.mother_points)
    rules.cascade_from = int(ruleset.cascade_from)
    rules.cascade_single = ruleset.cascade_extent == "single"
    rules.unfinished_is_his = ruleset.unfinished == "opponent_plays"
    return translated
