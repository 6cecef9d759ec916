# cython: language_level=3, freethreading_compatible=True
"""Chooses at import which build of the kernel runs here.

`TAVLI_FAST_CPU` forces a level (`auto`, or one of the levels built). A level that is not built is
an `ImportError` that lists those that are; nothing falls back silently.
"""

import os
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.string cimport memset

from tavli_fast._kernel cimport ABI, Kernel

from .rules import Contact, Movement

# Best first.
LEVELS = ("base",)


class Cpu(NamedTuple):
    """Which kernel level runs, and which there are."""

    level: str
    built: tuple
    supported: tuple


def _choose():
    built = tuple(
        level for level in LEVELS if find_spec(f"tavli_fast._kernel_{level}") is not None
    )
    supported = built
    wanted = os.environ.get("TAVLI_FAST_CPU", "auto") or "auto"
    if wanted == "auto":
        if not supported:
            raise ImportError("tavli_fast was installed without any build of its kernel")
        wanted = supported[0]
    elif wanted not in supported:
        raise ImportError(
            f"TAVLI_FAST_CPU={wanted}: built are {', '.join(built)}; "
            f"this machine supports {', '.join(supported)}"
        )
    return Cpu(wanted, built, supported)


cpu = _choose()
_capsule = import_module(f"tavli_fast._kernel_{cpu.level}").kernel
kernel = <const Kernel *>PyCapsule_GetPointer(_capsule, "tavli_fast.kernel")
if kernel.abi != ABI:
    raise ImportError(
        f"tavli_fast: kernel level {cpu.level} is of another build (ABI {kernel.abi}, not {ABI})"
    )

# Rulesets are few and never forgotten; a second thread at worst writes an equal value.
cdef dict _known = {}


cdef KernelRules kernel_rules(object ruleset):
    known = _known.get(ruleset)
    if known is None:
        known = _known[ruleset] = _translate(ruleset)
    return <KernelRules>known


cdef KernelRules _translate(object ruleset):
    cdef KernelRules translated = KernelRules.__new__(KernelRules)
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
    rules.one_from_head = ruleset.head == "one_a_turn"
    rules.two_on_first_doubles = ruleset.head_exception == "two_on_doubles"
    rules.two_if_needed = ruleset.head_exception == "if_needed"
    rules.pinned_bars_bearing_off = ruleset.bear_off_while_pinned == "forbidden"
    rules.mother_loses = ruleset.mother != "off"
    rules.mother_is_mutual = ruleset.mother == "unless_mutual"
    return translated
