"""How fast everything is, timed by pytest-benchmark: `pytest bench`.

Every benchmark compares its counts before the clock starts. With `--benchmark-json` the file's
`extra_info` tells what the median round makes for a roll and for a result, in nanoseconds.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from positions import CORPORA, Decisions, corpus, counted, playouts, without_bans
from pytest_benchmark.fixture import BenchmarkFixture

import tavli_fast as tf
from tavli_fast import why

SINGLE_CALLS = 500


def explain(benchmark: BenchmarkFixture, rolls: int, results: int) -> None:
    """Note what a roll and a result took, unless the clock is off (`--benchmark-disable`)."""
    if benchmark.stats:
        nanoseconds = benchmark.stats["median"] * 1e9
        benchmark.extra_info["ns a roll"] = round(nanoseconds / rolls, 2)
        benchmark.extra_info["ns a result"] = round(nanoseconds / results, 3)


def time_batch(benchmark: BenchmarkFixture, decisions: Decisions, *, reuse: bool) -> None:
    out = tf.empty_records(decisions.results) if reuse else None
    run = partial(tf.afterstates, decisions.records, decisions.rolls, decisions.ruleset, out=out)
    assert np.array_equal(np.diff(run().offsets), decisions.counts)
    benchmark(run)
    explain(benchmark, len(decisions.rolls), decisions.results)


@pytest.mark.benchmark(group="batch of 20,000, backgammon corpora")
@pytest.mark.parametrize("reuse", [True, False], ids=["out reused", "fresh output"])
@pytest.mark.parametrize("name", CORPORA)
def test_corpus(benchmark, name, reuse):
    time_batch(benchmark, corpus(name), reuse=reuse)


@pytest.mark.benchmark(group="batch of 1,000 with all 21 rolls, backgammon corpora")
@pytest.mark.parametrize("name", CORPORA)
def test_all_rolls(benchmark, name):
    whole = corpus(name)
    part = slice(None, None, 20)
    records, rolls = whole.records[part], whole.rolls[part].astype(int)
    results = sum(position.perft(1) for position in tf.from_records(records, tf.PORTES))
    out = tf.empty_records(results)
    run = partial(tf.afterstates, records, tf.ALL_ROLLS, tf.PORTES, out=out)
    counts = np.diff(run().offsets)
    high, low = rolls.max(axis=1), rolls.min(axis=1)
    rolled = np.arange(len(records)) * len(tf.ALL_ROLLS) + high * (high - 1) // 2 + low - 1
    assert counts.sum() == results
    assert np.array_equal(counts[rolled], whole.counts[part])
    benchmark(run)
    explain(benchmark, len(counts), results)


@pytest.mark.benchmark(group="batch of 20,000, playouts, out reused")
@pytest.mark.parametrize("ruleset", tf.RULESETS.values(), ids=str)
def test_playouts(benchmark, ruleset):
    time_batch(benchmark, playouts(ruleset), reuse=True)


@pytest.mark.benchmark(group="batch of 20,000, playouts, out reused")
@pytest.mark.parametrize("ruleset", [tf.FEVGA, tf.MOULTEZIM], ids=str)
def test_playouts_without_bans(benchmark, ruleset):
    """The very positions that `test_playouts` times with the bans."""
    played = playouts(ruleset)
    free = counted(without_bans(ruleset), played.records, played.rolls)
    assert free.results > played.results
    time_batch(benchmark, free, reuse=True)


@pytest.mark.benchmark(group="walls of 20,000, playouts")
@pytest.mark.parametrize("rolls", [False, True], ids=["walls alone", "with rolls"])
@pytest.mark.parametrize("ruleset", tf.RULESETS.values(), ids=str)
def test_blockades(benchmark, ruleset, rolls):
    records = playouts(ruleset).records
    run = partial(tf.blockades, records, ruleset, rolls=rolls)
    assert_blockades(run(), records, ruleset, rolls)
    benchmark(run)
    explain_records(benchmark, len(records))


@pytest.mark.benchmark(group="mobility of 20,000, playouts")
@pytest.mark.parametrize("ruleset", tf.RULESETS.values(), ids=str)
def test_mobility(benchmark, ruleset):
    records = playouts(ruleset).records
    run = partial(tf.mobility, records, ruleset)
    rolls = tf.blockades(records, ruleset)
    for column, name in zip(run().T, ("pass_rolls", "partial_rolls", "full_rolls"), strict=True):
        assert np.array_equal(column, rolls[name])
    benchmark(run)
    explain_records(benchmark, len(records))


def assert_blockades(
    found: np.ndarray, records: np.ndarray, ruleset: tf.Ruleset, rolls: bool
) -> None:
    """Compare with the reference, where it is asked for the rolls in fewer rows."""
    sample = slice(None, None, 1_000 if rolls else 50)
    for position, row in zip(
        tf.from_records(records[sample], ruleset), found[sample].tolist(), strict=True
    ):
        board = tf.reference.board(position)
        if rolls:
            walls, others = row[:2], row[2:]
            expected = tf.reference.blockade(position)
            assert (walls, others) == (tuple(map(tuple, expected[:2])), tuple(expected[2:]))
        else:
            assert row[0] == tf.reference.walls_of(board, ruleset)
            assert row[1] == tf.reference.walls_of(tf.reference.flip(board), ruleset)


def explain_records(benchmark: BenchmarkFixture, records: int) -> None:
    if benchmark.stats:
        nanoseconds = benchmark.stats["median"] * 1e9
        benchmark.extra_info["ns a record"] = round(nanoseconds / records, 2)


def single_calls(double: bool) -> Decisions:
    """Mixed rolls, or doubles, evenly spread over the random corpus."""
    whole = corpus("random")
    rows = np.flatnonzero((whole.rolls[:, 0] == whole.rolls[:, 1]) == double)
    rows = rows[:: len(rows) // SINGLE_CALLS][:SINGLE_CALLS]
    return Decisions(whole.ruleset, whole.records[rows], whole.rolls[rows], whole.counts[rows])


@pytest.mark.benchmark(group=f"{SINGLE_CALLS} single calls")
@pytest.mark.parametrize("double", [False, True], ids=["mixed", "double"])
@pytest.mark.parametrize("method", [tf.Position.afterstates, tf.Position.moves])
def test_position(benchmark, method, double):
    decisions = single_calls(double)
    calls = as_calls(decisions)

    def run():
        for position, roll in calls:
            method(position, roll)

    assert [len(method(position, roll)) for position, roll in calls] == decisions.counts.tolist()
    benchmark(run)
    explain(benchmark, len(calls), decisions.results)


def as_calls(decisions: Decisions) -> list[tuple[tf.Position, tuple[int, int]]]:
    positions = tf.from_records(decisions.records, decisions.ruleset)
    return list(zip(positions, map(tuple, decisions.rolls.tolist()), strict=True))


@pytest.mark.benchmark(group=f"{SINGLE_CALLS} single calls")
@pytest.mark.parametrize("double", [False, True], ids=["mixed", "double"])
def test_next_steps(benchmark, double):
    calls = as_calls(single_calls(double))

    def run():
        return [len(position.next_steps(roll)) for position, roll in calls]

    counts = [len(tf.reference.next_steps(position, roll)) for position, roll in calls]
    assert run() == counts
    benchmark(run)
    explain(benchmark, len(calls), sum(counts))


EVERY_STEP = sorted(
    {(start, max(start - number, 0)) for start in range(1, 26) for number in range(1, 7)}
)


def widest_double(ruleset: tf.Ruleset) -> tuple[tf.Position, tuple[int, int]]:
    """Of the playouts, the double with most results; the reference finds as many."""
    records = playouts(ruleset).records[::10]
    counts = np.stack(
        [tf.count_afterstates(records, (number, number), ruleset) for number in range(1, 7)]
    )
    number, row = np.unravel_index(counts.argmax(), counts.shape)
    (position,) = tf.from_records(records[[row]], ruleset)
    roll = int(number) + 1, int(number) + 1
    assert len(tf.reference.afterstates(position, roll)) == counts.max()
    return position, roll


@pytest.mark.benchmark(group="widest double")
@pytest.mark.parametrize("ruleset", tf.RULESETS.values(), ids=str)
def test_next_steps_of_the_widest_double(benchmark, ruleset):
    position, roll = widest_double(ruleset)
    expected = tf.reference.next_steps(position, roll)
    found = {(step.start, step.end): step.forced for step in position.next_steps(roll)}
    assert found == expected
    benchmark(position.next_steps, roll)


@pytest.mark.benchmark(group="widest double, every step explained")
@pytest.mark.parametrize("ruleset", tf.RULESETS.values(), ids=str)
def test_explain_the_widest_double(benchmark, ruleset):
    position, roll = widest_double(ruleset)
    plays, _ = tf.reference.plays_of(position, roll, ruleset, None)
    expected = [why.why_not_next(plays, step, (), ruleset) for step in EVERY_STEP]
    assert 0 < expected.count(None) < len(expected)

    def run():
        return [position.explain(step, roll) for step in EVERY_STEP]

    assert run() == expected
    benchmark(run)
    if benchmark.stats:
        nanoseconds = benchmark.stats["median"] * 1e9
        benchmark.extra_info["ns a step"] = round(nanoseconds / len(EVERY_STEP), 1)


@pytest.mark.benchmark(group="perft")
@pytest.mark.parametrize(
    ("ruleset", "depth", "parents", "paths"),
    [
        pytest.param(tf.PORTES, 3, 202_782, 116_154_993, id="portes 3"),
        pytest.param(tf.FEVGA, 4, 21_893, 877_257, id="fevga 4"),
    ],
)
def test_perft(benchmark, ruleset, depth, parents, paths):
    start = tf.Position.start(ruleset)
    assert start.perft(depth - 1) == parents
    assert start.perft(depth) == paths
    benchmark.pedantic(start.perft, (depth,), rounds=5)
    explain(benchmark, parents * len(tf.ALL_ROLLS), paths)


@pytest.mark.benchmark(group="bear-off table")
def test_bearoff_build(benchmark):
    assert_bearoff(tf.BearOff.build(tf.PORTES))
    benchmark.pedantic(tf.BearOff.build, (tf.PORTES,), rounds=5)


@pytest.mark.benchmark(group="bear-off table")
def test_bearoff_load(benchmark, tmp_path):
    tf.BearOff.build(tf.PORTES).save(tmp_path / "table")
    run = partial(tf.BearOff.load, tmp_path / "table", tf.PORTES)
    assert_bearoff(run())
    benchmark(run)


@pytest.mark.benchmark(group="bear-off table")
def test_bearoff_chances(benchmark):
    """20,000 races of two homes."""
    table, records = tf.BearOff.build(tf.PORTES), tf.start_records(tf.PORTES, 20_000)
    where = np.sort(np.random.default_rng(1).integers(0, 7, (2, len(records), 15)))
    for side, points in zip(("own", "opp"), where, strict=True):
        records[side]["checkers"] = (points[:, :, None] == np.arange(26)).sum(axis=1)
    found = table.chances(records)
    own, opp = table.rolls(records), table.rolls(records, "opp")
    in_time = np.tril(np.ones((own.shape[1], own.shape[1])))
    assert np.allclose(found.win, (opp * (own @ in_time.T)).sum(axis=1))
    benchmark(table.chances, records)
    explain_records(benchmark, len(records))


def assert_bearoff(table: tf.BearOff) -> None:
    """Two on the six point need 4 of 36 rolls at once; with 15 on the one point it is about 7."""
    known = tf.Position(tf.PORTES, {6: 2}, {1: 15})
    assert round(36 * table.rolls(known)[1]) == 4
    assert abs(table.expected(known, "opp") - 6.98) < 0.005
