"""Every call gives back what it took: memory, and references to what it was handed.

`python tests/soak.py` does the same for as long as you like.
"""

from __future__ import annotations

import gc
import random
import sys
import tracemalloc

import numpy as np
import pytest
from fuzz import TARGETS, execute
from soak import resident
from test_hostile import ENTRIES, decisions

import tavli_fast as tf

pytestmark = pytest.mark.thread_unsafe(reason="the memory of other threads would be seen too")


def bad_calls(records, rolls, ruleset):
    """Calls that fail late, with everything already made."""
    spoilt = records.copy()
    spoilt["own"]["checkers"][-1, 6] += 1
    dice = rolls.copy()
    dice[-1] = 7
    out = tf.empty_records(3)
    return [
        *(lambda entry=entry: entry(spoilt, rolls, ruleset, 1) for entry in ENTRIES.values()),
        *(lambda entry=entry: entry(spoilt, rolls, ruleset, 2) for entry in ENTRIES.values()),
        lambda: tf.afterstates(records, dice, ruleset),
        lambda: tf.afterstates(records, dice, ruleset, threads=2),
        lambda: tf.afterstates(records, rolls, ruleset, out=out),
        lambda: tf.afterstates(records, rolls, ruleset, out=out, threads=2),
        lambda: tf.count_afterstates(records, dice, ruleset),
    ]


def test_references_to_what_was_handed_over():
    records, rolls = decisions(tf.PLAKOTO, 600)
    ruleset = tf.PLAKOTO.replace(mother="loss")
    records = tf.start_records(ruleset, 600)
    watched = (records, rolls, ruleset, tf.ALL_ROLLS, tf.POSITION, None)

    def calls():
        for entry in ENTRIES.values():
            for threads in (1, 2):
                entry(records, rolls, ruleset, threads)
        for call in bad_calls(records, rolls, ruleset):
            with pytest.raises(ValueError, match=r"\w"):
                call()

    calls()
    gc.collect()
    before = [sys.getrefcount(each) for each in watched[:-1]]
    for _ in range(20):
        calls()
    gc.collect()
    after = [sys.getrefcount(each) for each in watched[:-1]]
    # A dtype has a few more where arrays that failed wait for the collector.
    assert np.abs(np.subtract(after, before)).max() <= 3


@pytest.mark.parametrize("ruleset", [tf.PORTES, tf.FEVGA], ids=str)
def test_memory_after_calls_that_fail_and_calls_that_do_not(ruleset):
    records, rolls = decisions(ruleset, 600)

    def calls(times: int) -> None:
        for _ in range(times):
            for entry in ENTRIES.values():
                entry(records, rolls, ruleset, 2)
            for call in bad_calls(records, rolls, ruleset):
                with pytest.raises(ValueError, match=r"\w"):
                    call()

    calls(3)
    gc.collect()
    tracemalloc.start()
    calls(1)
    gc.collect()
    traced = tracemalloc.get_traced_memory()[0]
    before = resident()
    calls(15)
    gc.collect()
    assert tracemalloc.get_traced_memory()[0] - traced < 100_000
    tracemalloc.stop()
    if before:
        # Scratch rows of one call are 1.3 MB: 500 calls that forgot them would be 650 MB.
        assert resident() - before < 40e6


def test_memory_after_any_input():
    """Of each entry that the fuzzer feeds."""

    def run(executions: range) -> None:
        for execution in executions:
            for name, target in TARGETS.items():
                execute(target, random.Random(f"7 {name} {execution}"))

    run(range(20))
    gc.collect()
    tracemalloc.start()
    run(range(20, 40))
    gc.collect()
    first = tracemalloc.get_traced_memory()[0]
    run(range(40, 60))
    gc.collect()
    second = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert second - first < 500_000, "twenty times what is remembered of new rulesets and patterns"
