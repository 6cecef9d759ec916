"""Many callers at once, processes that fork, and Ctrl-C."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from test_hostile import ENTRIES, decisions, found_bytes

import tavli_fast as tf


@pytest.mark.parametrize("ruleset", [tf.PORTES, tf.PLAKOTO, tf.FEVGA], ids=str)
def test_the_same_batch_from_eight_threads(ruleset):
    records, rolls = decisions(ruleset, 500)
    for name, entry in ENTRIES.items():
        alone = found_bytes(entry(records, rolls, ruleset, 1))
        with ThreadPoolExecutor(8) as pool:
            found = pool.map(
                lambda at, entry=entry: entry(records, rolls, ruleset, 1 + at % 2), range(16)
            )
            assert {found_bytes(each) for each in found} == {alone}, name


def test_one_position_in_eight_threads():
    """Positions, rulesets and what is remembered of them are shared."""

    def whole(_) -> tuple:
        ruleset = tf.find_ruleset("fevga(runner=pass)")
        start = tf.Position.start(ruleset)
        return start.perft(3), [str(move) for move in start.moves((5, 5))], start.id

    with ThreadPoolExecutor(8) as pool:
        assert len(set(map(str, pool.map(whole, range(24))))) == 1


def counted(seed: int) -> bytes:
    records, rolls = decisions(tf.PLAKOTO, 600, seed)
    return found_bytes(tf.afterstates(records, rolls, tf.PLAKOTO, threads=2))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_goes_on():
    """After calls by several threads, and with positions and a pool of its own."""
    expected = counted(1)
    child = os.fork()
    if child == 0:
        os._exit(0 if counted(1) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_spawned_processes():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(counted, [1, 2]) == [counted(1), counted(2)]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_stops_a_long_perft(threads):
    """Within a second of the processor's time, without a count, and the next count is right."""
    program = f"""
import signal, time, tavli_fast as tf
# Ignored by what a shell starts in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)
start = tf.Position.start(tf.BACKGAMMON)
try:
    print("begun", flush=True)
    print(start.perft(9, threads={threads}))
except KeyboardInterrupt:
    before = time.process_time()
    print("stopped", start.perft(2), flush=True)
    print(time.process_time() - before < 1)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "begun\n"
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.5)
            process.send_signal(signal.SIGINT)
            told, failed = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (told, failed) == (f"stopped {tf.Position.start(tf.BACKGAMMON).perft(2)}\nTrue\n", "")
