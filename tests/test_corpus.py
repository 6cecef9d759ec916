"""Tens of thousands of decisions by count and fingerprint: `data/README.md` tells whence."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from boards import ROLLS, as_bytes, by_reference, fingerprints, fnv_1a, from_array, to_array

import tavli_fast as tf
from tavli_fast import reference
from tavli_fast.rules import Ruleset

FOLDER = Path(__file__).parent / "data" / "corpus"


class Corpus(NamedTuple):
    """Decisions and what must come of them; lost turns count one result, the unchanged position."""

    ruleset: Ruleset
    records: np.ndarray
    rolls: np.ndarray
    counts: np.ndarray
    lost: np.ndarray
    sums: np.ndarray
    played: np.ndarray | None
    columns: np.ndarray
    """The bytes of a record, in the order in which they enter the fingerprint."""


def whole_records(ruleset: Ruleset, name: str) -> Corpus:
    """A corpus of 64-byte records."""
    with np.load(FOLDER / name) as stored:
        played = stored["played"]
        return Corpus(
            ruleset,
            stored["positions"].view(tf.POSITION).reshape(-1),
            stored["rolls"],
            stored["counts"],
            played == 0,
            stored["sums"],
            played,
            np.arange(64),
        )


def backgammon(ruleset: Ruleset) -> Corpus:
    """The corpus of 50-byte boards; it gives neither result nor fingerprint to a lost turn."""
    with np.load(FOLDER / "backgammon.npz") as stored:
        boards, rolls, counts, sums = (
            stored[name] for name in ("positions", "rolls", "counts", "sums")
        )
    data = np.zeros((len(boards), 64), dtype=np.uint8)
    columns = np.concatenate([np.arange(33, 58), np.arange(1, 26)])
    data[:, columns] = boards
    for off, side in ((0, slice(1, 26)), (32, slice(33, 58))):
        data[:, off] = 15 - data[:, side].sum(axis=1)
    records = data.view(tf.POSITION).reshape(-1)
    lost = counts == 0
    return Corpus(ruleset, records, rolls, np.maximum(counts, 1), lost, sums, None, columns)


CORPORA = {
    "portes": lambda: backgammon(tf.PORTES),
    "backgammon": lambda: backgammon(tf.BACKGAMMON),
    "fevga": lambda: whole_records(tf.FEVGA, "fevga.npz"),
    "plakoto": lambda: whole_records(tf.PLAKOTO, "plakoto.npz"),
    "gul_bara": lambda: whole_records(tf.GUL_BARA, "gul_bara.npz"),
    "gioul": lambda: whole_records(tf.GIOUL, "gioul.npz"),
    "long_nardy": lambda: whole_records(tf.LONG_NARDY, "long_nardy.npz"),
}


@pytest.fixture(scope="module", params=CORPORA)
def corpus(request):
    return CORPORA[request.param]()


def test_sizes():
    assert {name: len(load().records) for name, load in CORPORA.items()} == {
        "portes": 40_000,
        "backgammon": 40_000,
        "fevga": 5_000,
        "plakoto": 5_000,
        "gul_bara": 5_000,
        "gioul": 5_000,
        "long_nardy": 5_000,
    }
    portes = CORPORA["portes"]()
    assert portes.counts[~portes.lost].sum() == 369_659 + 283_940


def test_every_roll_is_there(corpus):
    assert set(zip(corpus.rolls.max(axis=1), corpus.rolls.min(axis=1), strict=True)) == set(ROLLS)


def test_pins_are_there():
    """On both sides, both mothers' points included."""
    records = CORPORA["plakoto"]().records
    for side in ("own", "opp"):
        pinned = records[side]["pinned"]
        assert (pinned > 0).sum() > 1000
        assert (pinned >> 24 & 1).any()


@pytest.mark.parametrize("reverse", [False, True], ids=["as rolled", "other order of the dice"])
def test_counts_and_fingerprints(corpus, reverse):
    rolls = corpus.rolls[:, ::-1] if reverse else corpus.rolls
    found = tf.afterstates(corpus.records, rolls, corpus.ruleset)
    counts = np.diff(found.offsets)
    differ = np.flatnonzero(counts != corpus.counts)
    assert not differ.size, f"{differ.size} counts differ, first in row {differ[0]}"
    sums = np.where(corpus.lost & (corpus.sums == 0), 0, fingerprints(found, corpus.columns))
    differ = np.flatnonzero(sums != corpus.sums)
    assert not differ.size, f"{differ.size} fingerprints differ, first in row {differ[0]}"


def test_lost_turns_leave_the_position(corpus):
    found = tf.afterstates(corpus.records, corpus.rolls, corpus.ruleset)
    assert np.array_equal(found.played == 0, corpus.lost)
    unchanged = found.positions[found.offsets[:-1][corpus.lost]]
    assert unchanged.tobytes() == corpus.records[corpus.lost].tobytes()
    assert corpus.lost.any()


def test_numbers_played(corpus):
    found = tf.afterstates(corpus.records, corpus.rolls, corpus.ruleset)
    if corpus.played is not None:
        assert np.array_equal(found.played, corpus.played)
        return
    boards = from_array(corpus.records[::50])
    for board, roll, played in zip(boards, corpus.rolls[::50], found.played[::50], strict=True):
        assert played == reference.numbers_played(board, roll.tolist(), corpus.ruleset)


def test_results_are_distinct(corpus):
    """The fingerprint of a set cannot tell a repeat from two equal results; this can."""
    found = tf.afterstates(corpus.records, corpus.rolls, corpus.ruleset)
    counts = np.diff(found.offsets).astype(np.intp)
    row = np.repeat(np.arange(len(corpus.records), dtype="<u8"), counts)
    data = as_bytes(found.positions)
    keyed = np.concatenate([data, row.view(np.uint8).reshape(-1, 8)], axis=1)
    assert len(np.unique(np.ascontiguousarray(keyed).view("V72"))) == len(data)


def test_flipped_results(corpus):
    found = tf.afterstates(corpus.records, corpus.rolls, corpus.ruleset)
    flipped = tf.afterstates(corpus.records, corpus.rolls, corpus.ruleset, flip=True)
    halves = found.positions.view(np.uint8).reshape(-1, 2, 32)
    assert flipped.positions.tobytes() == halves[:, ::-1].tobytes()
    assert np.array_equal(flipped.offsets, found.offsets)
    assert np.array_equal(flipped.played, found.played)


def test_reference_on_a_part(corpus):
    part = slice(None, None, len(corpus.records) // 500)
    rows = zip(
        from_array(corpus.records[part]),
        corpus.rolls[part].tolist(),
        corpus.counts[part].tolist(),
        corpus.lost[part].tolist(),
        corpus.sums[part].tolist(),
        strict=True,
    )
    for board, roll, count, lost, fingerprint in rows:
        results, most = by_reference(board, roll, corpus.ruleset)
        assert len(results) == count, (board, roll)
        assert (most == 0) == lost
        data = as_bytes(to_array(results))
        if fingerprint or not lost:
            assert fnv_1a(data[:, corpus.columns]).sum(dtype=np.uint64) == fingerprint, (
                board,
                roll,
            )
