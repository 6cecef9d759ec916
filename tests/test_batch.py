"""Arrays in, arrays out: layout, shapes, threads, what is accepted and what is refused."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from boards import ROLLS, board, by_row, from_array, pack, to_array, to_position
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies import legal_boards

import tavli_fast as tf

GAMES = list(tf.RULESETS.values())
START = {ruleset: tf.start_records(ruleset, 1) for ruleset in GAMES}


@pytest.fixture(scope="module")
def decisions():
    """3,000 records of random play of Portes with a roll each."""
    random = np.random.default_rng(7)
    records = tf.start_records(tf.PORTES, 100)
    met = []
    for _ in range(30):
        rolls = random.integers(1, 7, (100, 2), dtype=np.uint8)
        met.append((records, rolls))
        found = tf.afterstates(records, rolls, tf.PORTES, flip=True)
        records = found.positions[random.integers(found.offsets[:-1], found.offsets[1:])]
    return tuple(np.concatenate(part) for part in zip(*met, strict=True))


def equal(one: tf.Afterstates, other: tf.Afterstates) -> bool:
    return (
        one.positions.tobytes() == other.positions.tobytes()
        and np.array_equal(one.offsets, other.offsets)
        and np.array_equal(one.played, other.played)
    )


# Layout and results


def test_the_record():
    """64 bytes without hidden padding, as `design` and README publish them."""
    assert tf.POSITION.itemsize == 64
    assert tf.POSITION.names == ("own", "opp")
    side = tf.POSITION["own"]
    assert side == tf.POSITION["opp"]
    assert {name: side.fields[name] for name in side.names} == {
        "checkers": (np.dtype(("u1", 26)), 0),
        "spare": (np.dtype(("u1", 2)), 26),
        "pinned": (np.dtype("<u4"), 28),
    }
    joined = np.concatenate([START[tf.PORTES], START[tf.FEVGA]])
    assert joined.dtype == tf.POSITION
    assert joined.tobytes() == START[tf.PORTES].tobytes() + START[tf.FEVGA].tobytes()


def test_all_rolls():
    assert tf.ALL_ROLLS.tolist() == [list(roll) for roll in ROLLS]
    assert tf.ALL_ROLLS.dtype == np.uint8
    with pytest.raises(ValueError, match="read-only"):
        tf.ALL_ROLLS[0, 0] = 1


def test_shapes_and_dtypes(decisions):
    records, rolls = decisions
    found = tf.afterstates(records, rolls, tf.PORTES)
    assert found._fields == ("positions", "offsets", "played")
    assert found.positions.dtype == tf.POSITION
    assert found.positions.ndim == 1
    assert (found.offsets.dtype, found.offsets.shape) == (np.int64, (len(records) + 1,))
    assert (found.played.dtype, found.played.shape) == (np.uint8, (len(records),))
    assert found.offsets[0] == 0
    assert found.offsets[-1] == len(found.positions)
    assert (np.diff(found.offsets) >= 1).all()
    assert found.positions.flags.c_contiguous
    assert found.positions.flags.writeable


def test_all_rolls_are_record_major(decisions):
    records, _ = decisions
    some = records[::50]
    found = tf.afterstates(some, tf.ALL_ROLLS, tf.PORTES)
    each = [(record, roll) for record in some for roll in tf.ALL_ROLLS]
    one_by_one = tf.afterstates(
        np.array([record for record, _ in each]), np.array([roll for _, roll in each]), tf.PORTES
    )
    assert equal(found, one_by_one)


def test_a_copy_of_all_rolls_is_no_sentinel():
    """21 records with the 21 rolls, one each."""
    records = tf.start_records(tf.PORTES, 21)
    found = tf.afterstates(records, tf.ALL_ROLLS.copy(), tf.PORTES)
    assert len(found.played) == 21
    with pytest.raises(ValueError, match="rolls"):
        tf.afterstates(records[:20], tf.ALL_ROLLS.copy(), tf.PORTES)


def test_rows_do_not_depend_on_their_neighbours(decisions):
    records, rolls = decisions
    found = tf.afterstates(records, rolls, tf.PORTES)
    order = np.random.default_rng(1).permutation(len(records))
    shuffled = by_row(tf.afterstates(records[order], rolls[order], tf.PORTES))
    rows = by_row(found)
    assert shuffled == [rows[i] for i in order]


def test_the_order_of_results_is_reproducible(decisions):
    records, rolls = decisions
    assert equal(
        tf.afterstates(records, rolls, tf.PORTES), tf.afterstates(records, rolls, tf.PORTES)
    )
    position = tf.Position.start(tf.PORTES)
    assert position.afterstates((3, 1)) == position.afterstates((3, 1))


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_results_are_legal_records(ruleset):
    @settings(max_examples=40)
    @given(st.lists(legal_boards(ruleset), min_size=1, max_size=5))
    def legal(boards):
        found = tf.afterstates(to_array(boards), tf.ALL_ROLLS, ruleset)
        tf.check_records(found.positions, ruleset)
        turned = tf.afterstates(to_array(boards), tf.ALL_ROLLS, ruleset, flip=True)
        tf.check_records(turned.positions, ruleset)

    legal()


def test_best_of_every_position_by_reduceat(decisions):
    """The use for which offsets never repeat."""
    records, rolls = decisions
    found = tf.afterstates(records, rolls, tf.PORTES)
    values = found.positions["own"]["checkers"][:, 6].astype(int)
    best = np.maximum.reduceat(values, found.offsets[:-1].astype(np.intp))
    pairs = zip(found.offsets, found.offsets[1:], strict=False)
    assert best.tolist() == [values[start:end].max() for start, end in pairs]


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_threads_change_nothing(decisions, threads, flip):
    records, rolls = decisions
    alone = tf.afterstates(records, rolls, tf.PORTES, flip=flip)
    assert equal(tf.afterstates(records, rolls, tf.PORTES, flip=flip, threads=threads), alone)
    out = np.zeros(len(alone.positions) + 3, dtype=tf.POSITION)
    written = tf.afterstates(records, rolls, tf.PORTES, flip=flip, threads=threads, out=out)
    assert equal(written, alone)
    assert not out[-3:].view(np.uint8).any()
    every = tf.afterstates(records[:200], tf.ALL_ROLLS, tf.PORTES, threads=threads)
    assert equal(every, tf.afterstates(records[:200], tf.ALL_ROLLS, tf.PORTES))


@pytest.mark.parametrize("rows", [0, 1, 2, 7])
def test_more_threads_than_rows(rows):
    records = tf.start_records(tf.FEVGA, rows)
    found = tf.afterstates(records, np.full((rows, 2), 5), tf.FEVGA, threads=8)
    assert np.diff(found.offsets).tolist() == [2] * rows


def test_hundreds_of_threads(decisions):
    """Each with a few hundred pairs."""
    threads = 256
    records = np.resize(decisions[0], 256 * threads // 21 + 50)
    alone = tf.afterstates(records, tf.ALL_ROLLS, tf.PORTES)
    for out in (None, alone.positions.copy()):
        found = tf.afterstates(records, tf.ALL_ROLLS, tf.PORTES, out=out, threads=threads)
        assert equal(found, alone)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("pairs", [2000, 20_000])
def test_results_that_the_sample_does_not_foresee(pairs, threads):
    """Room for them is made under way: what is looked at first are pairs with few."""
    rolls = np.full((pairs, 2), 1, np.uint8)
    step = pairs // max(pairs // 50, 256)
    rolls[::step] = 6, 5
    records = tf.start_records(tf.PORTES, pairs)
    counts = tf.count_afterstates(records, rolls, tf.PORTES)
    assert counts.sum() > 1.3 * counts[::step].mean() * pairs + 2 * 20_480
    found = tf.afterstates(records, rolls, tf.PORTES, threads=threads)
    assert np.array_equal(found.counts, counts)
    few, many = (
        tf.afterstates(records[:1], roll, tf.PORTES).positions for roll in ((6, 5), (1, 1))
    )
    assert found.positions[: len(few)].tobytes() == few.tobytes()
    rest = [few if at % step == 0 else many for at in range(pairs - step, pairs)]
    assert found.positions[found.offsets[-1 - step] :].tobytes() == np.concatenate(rest).tobytes()


def test_calls_from_many_python_threads(decisions):
    records, rolls = decisions
    alone = tf.afterstates(records, rolls, tf.PORTES)
    results = [None] * 4

    def call(slot):
        results[slot] = tf.afterstates(records, rolls, tf.PORTES, threads=1 + slot % 2)

    callers = [threading.Thread(target=call, args=(slot,)) for slot in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert all(equal(result, alone) for result in results)


@pytest.mark.parametrize("threads", [1, 2])
def test_no_rows(threads):
    none = np.zeros(0, dtype=tf.POSITION)
    for rolls in (np.zeros((0, 2), dtype=np.uint8), tf.ALL_ROLLS):
        found = tf.afterstates(none, rolls, tf.PORTES, threads=threads)
        assert found.positions.shape == (0,)
        assert found.positions.dtype == tf.POSITION
        assert found.offsets.tolist() == [0]
        assert found.played.shape == (0,)
    found = tf.afterstates(none, tf.ALL_ROLLS, tf.PORTES, out=none.copy())
    assert found.positions.shape == (0,)
    assert tf.to_records([]).shape == (0,)
    assert tf.from_records(none, tf.PORTES) == []
    tf.check_records(none, tf.PORTES)


# What is accepted


@pytest.mark.parametrize("dtype", ["u1", "i1", "<i2", ">i2", "<u4", ">u4", "<i8", ">i8", "u8"])
def test_any_integers(decisions, dtype):
    records, rolls = (part[:50] for part in decisions)
    expected = tf.afterstates(records, rolls, tf.PORTES)
    assert equal(tf.afterstates(records, rolls.astype(dtype), tf.PORTES), expected)
    whole = records.view(np.uint8).reshape(-1, 64).astype(dtype)
    assert equal(tf.afterstates(whole, rolls, tf.PORTES), expected)
    assert tf.from_records(whole, tf.PORTES) == tf.from_records(records, tf.PORTES)


def test_lists(decisions):
    records, rolls = (part[:50] for part in decisions)
    expected = tf.afterstates(records, rolls, tf.PORTES)
    assert equal(tf.afterstates(records, rolls.tolist(), tf.PORTES), expected)
    assert equal(tf.afterstates(records, [tuple(roll) for roll in rolls], tf.PORTES), expected)


def test_strides(decisions):
    """Reversed, skipping, transposed and broadcast arrays are read where they lie."""
    records, rolls = decisions
    expected = tf.afterstates(records[::-3].copy(), rolls[::-3].copy(), tf.PORTES)
    assert equal(tf.afterstates(records[::-3], rolls[::-3], tf.PORTES), expected)
    across = np.asfortranarray(rolls[::-3])
    assert equal(tf.afterstates(records[::-3], across, tf.PORTES), expected)
    swapped = tf.afterstates(records[::-3], rolls[::-3, ::-1], tf.PORTES)
    assert np.array_equal(swapped.offsets, expected.offsets)
    one_roll = np.broadcast_to(np.uint8(3), (10, 2))
    one_record = np.broadcast_to(records[5], (10,))
    found = tf.afterstates(one_record, one_roll, tf.PORTES)
    assert equal(found, tf.afterstates(records[[5] * 10], one_roll.copy(), tf.PORTES))


def test_misaligned_and_read_only_records(decisions):
    records, rolls = decisions
    expected = tf.afterstates(records, rolls, tf.PORTES)
    for shift in (1, 3, 8):
        raw = np.zeros(records.nbytes + shift, dtype=np.uint8)
        moved = raw[shift:].view(tf.POSITION)
        moved[:] = records
        moved.setflags(write=False)
        raw_rolls = np.zeros(rolls.nbytes + shift, dtype=np.uint8)
        moved_rolls = raw_rolls[shift:].reshape(-1, 2)
        moved_rolls[:] = rolls
        moved_rolls.setflags(write=False)
        assert equal(tf.afterstates(moved, moved_rolls, tf.PORTES), expected)


def test_byte_swapped_records(decisions):
    """A big-endian `pinned` is another dtype of the same meaning."""
    records, rolls = decisions
    swapped = records.astype(tf.POSITION.newbyteorder())
    assert equal(
        tf.afterstates(swapped, rolls, tf.PORTES), tf.afterstates(records, rolls, tf.PORTES)
    )


def test_inputs_are_left_alone(decisions):
    records, rolls = decisions
    before = records.tobytes(), rolls.tobytes()
    tf.afterstates(records, rolls, tf.PORTES, threads=2)
    tf.from_records(records, tf.PORTES)
    tf.check_records(records, tf.PORTES)
    assert (records.tobytes(), rolls.tobytes()) == before


# `out`


def canaries(rows: int, spare: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """A guarded array, and the part of it with so many rows to write to."""
    whole = np.full((rows + 2 * spare) * 64, 0xA5, dtype=np.uint8).view(tf.POSITION)
    return whole, whole[spare : spare + rows]


def intact(whole: np.ndarray, start: int, end: int) -> bool:
    """Whether everything but rows start to end is as `canaries` left it."""
    data = whole.view(np.uint8).reshape(-1, 64)
    return (data[:start] == 0xA5).all() and (data[end:] == 0xA5).all()


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("spare_rows", [0, 1, 100, 30_000])
def test_nothing_is_written_beyond_the_reported_rows(decisions, threads, spare_rows):
    records, rolls = decisions
    expected = tf.afterstates(records, rolls, tf.PORTES)
    needed = len(expected.positions)
    whole, out = canaries(needed + spare_rows)
    found = tf.afterstates(records, rolls, tf.PORTES, out=out, threads=threads)
    assert equal(found, expected)
    assert found.positions.ctypes.data == out.ctypes.data
    assert np.shares_memory(found.positions, out)
    assert intact(whole, 8, 8 + needed)


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_one_row_with_exactly_enough_room(ruleset):
    """Every roll of the start: no room for the rows a generator may write and take back."""
    for roll in tf.ALL_ROLLS:
        expected = tf.afterstates(START[ruleset], roll[None], ruleset)
        whole, out = canaries(len(expected.positions))
        assert equal(tf.afterstates(START[ruleset], roll[None], ruleset, out=out), expected)
        assert intact(whole, 8, 8 + len(out))


def test_one_row_with_room_to_spare(decisions):
    """Nor are such rows left behind the last results, where any result would have fitted."""
    whole, out = canaries(30_000)
    for record, roll in zip(*(part[:, None] for part in decisions), strict=True):
        found = tf.afterstates(record, roll, tf.PORTES, out=out).positions
        assert intact(whole, 8, 8 + len(found)), roll
        found.view(np.uint8)[:] = 0xA5


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize("missing", [1, 2, 1000, None])
def test_too_small_an_out_says_how_much_is_needed(decisions, missing, threads):
    records, rolls = decisions
    needed = len(tf.afterstates(records, rolls, tf.PORTES).positions)
    whole, out = canaries(0 if missing is None else needed - missing)
    with pytest.raises(ValueError, match=rf"out\b.*\b{len(out)}\b.*\b{needed}\b"):
        tf.afterstates(records, rolls, tf.PORTES, out=out, threads=threads)
    assert intact(whole, 8, 8 + len(out))
    with pytest.raises(ValueError, match=rf"\b{21 * 22}\b|\b{447 * 2}\b"):
        tf.afterstates(tf.start_records(tf.PORTES, 2), tf.ALL_ROLLS, tf.PORTES, out=out[:893])


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: np.zeros(100, dtype=np.uint8), "POSITION"),
        (lambda: np.zeros((100, 64), dtype=np.uint8), "POSITION"),
        (lambda: np.zeros((10, 10), dtype=tf.POSITION), "one-dimensional"),
        (lambda: np.zeros((), dtype=tf.POSITION), "one-dimensional"),
        (lambda: np.zeros(200, dtype=tf.POSITION)[::2], "contiguous"),
        (lambda: np.zeros(200, dtype=tf.POSITION)[::-1], "contiguous"),
        (lambda: np.broadcast_to(np.zeros((), dtype=tf.POSITION), (100,)), "contiguous|writable"),
        (lambda: np.zeros(100, dtype=tf.POSITION.newbyteorder()), "POSITION|dtype"),
        (lambda: np.frombuffer(bytes(6400), dtype=tf.POSITION), "writ"),
        (lambda: [START[tf.PORTES][0]] * 100, "list"),
        (lambda: bytearray(6400), "bytearray"),
        (lambda: "out", "str"),
    ],
)
def test_out_of_the_wrong_kind(make, named):
    with pytest.raises(ValueError, match=rf"(?s)out\b.*({named})"):
        tf.afterstates(START[tf.PORTES], [(3, 1)], tf.PORTES, out=make())


def test_misaligned_out():
    out = np.zeros(6400 + 1, dtype=np.uint8)[1:].view(tf.POSITION)
    with pytest.raises(ValueError, match=r"out\b.*aligned"):
        tf.afterstates(START[tf.PORTES], [(3, 1)], tf.PORTES, out=out)


def test_out_that_overlaps_the_input():
    """Results written over rows not yet read would play positions that never were."""
    memory = np.zeros(500, dtype=tf.POSITION)
    records = memory[:100]
    records[:] = tf.start_records(tf.PORTES, 100)
    rolls = np.full((100, 2), 5, dtype=np.uint8)
    for out in (memory, memory[:400], memory[99:]):
        with pytest.raises(ValueError, match="out overlaps records"):
            tf.afterstates(records, rolls, tf.PORTES, out=out)
    assert len(tf.afterstates(records, rolls, tf.PORTES, out=memory[100:]).positions) == 400
    out = np.zeros(500, dtype=tf.POSITION)
    rolls = out.view(np.uint8)[:200].reshape(100, 2)
    rolls[:] = 5
    with pytest.raises(ValueError, match="out overlaps rolls"):
        tf.afterstates(records, rolls, tf.PORTES, out=out)


# What is refused


@pytest.mark.parametrize(
    ("records", "named"),
    [
        (np.zeros(3), "float64"),
        (np.zeros((3, 64)), "float64"),
        (np.zeros((3, 64), dtype=bool), "bool"),
        (np.zeros((3, 63), dtype=np.uint8), r"\(3, 63\)"),
        (np.zeros(64, dtype=np.uint8), r"\(64,\)"),
        (np.zeros((1, 3, 64), dtype=np.uint8), r"\(1, 3, 64\)"),
        (np.zeros((2, 3), dtype=tf.POSITION), r"\(2, 3\)"),
        (np.zeros((), dtype=tf.POSITION), r"\(\)"),
        (np.zeros(3, dtype=[("own", "u1", 32), ("opp", "u1", 32)]), "dtype"),
        (np.zeros(3, dtype=[("opp", tf.POSITION["own"]), ("own", tf.POSITION["opp"])]), "dtype"),
        (np.zeros(3, dtype="V64"), "V64|void"),
        (np.zeros(3, dtype="S64"), "S64"),
        (np.array([None] * 3), "object"),
        (None, "object"),
        ("start", "<U5"),
        ([tf.Position.start(tf.PORTES)], "object"),
    ],
    ids=lambda value: None if isinstance(value, str) else f"{np.asarray(value).dtype}",
)
def test_records_of_the_wrong_kind(records, named):
    for call in (
        lambda: tf.afterstates(records, tf.ALL_ROLLS, tf.PORTES),
        lambda: tf.from_records(records, tf.PORTES),
        lambda: tf.check_records(records, tf.PORTES),
    ):
        with pytest.raises(ValueError, match=rf"records\b.*{named}") as caught:
            call()
        assert not isinstance(caught.value, tf.IllegalPosition)


@pytest.mark.parametrize("value", [-1, 256, 2**40])
def test_integers_that_are_no_bytes(value):
    whole = np.array(
        START[tf.PORTES].view(np.uint8).reshape(1, 64).repeat(3, axis=0), dtype=np.int64
    )
    whole[2, 5] = value
    with pytest.raises(ValueError, match=rf"row 2\b.*{value}"):
        tf.afterstates(whole, tf.ALL_ROLLS, tf.PORTES)


@pytest.mark.parametrize(
    ("rolls", "named"),
    [
        (np.full((3, 2), 1.0), "float64"),
        (np.full((3, 2), True), "bool"),
        (np.full((3, 3), 1), r"\(3, 3\)"),
        (np.full((2, 2), 1), r"\(2, 2\)"),
        (np.full((4, 2), 1), r"\(4, 2\)"),
        (np.full((3, 2, 1), 1), r"\(3, 2, 1\)"),
        (np.full(6, 1), r"\(6,\)"),
        (3, r"\(\)"),
        (None, "object"),
        ("65", "<U2"),
        ([(1, 2), (3, 4), ("x", 5)], "<U"),
    ],
    ids=str,
)
def test_rolls_of_the_wrong_kind(rolls, named):
    with pytest.raises(ValueError, match=rf"rolls\b.*{named}"):
        tf.afterstates(tf.start_records(tf.PORTES, 3), rolls, tf.PORTES)


def test_ragged_rolls():
    with pytest.raises(ValueError, match=r"rolls|inhomogeneous"):
        tf.afterstates(tf.start_records(tf.PORTES, 2), [(1, 2), (1,)], tf.PORTES)


@pytest.mark.parametrize(
    ("dtype", "value"),
    [("u1", 0), ("u1", 7), ("u1", 255), ("i8", -1), ("i8", 257), (">i4", 0), (">i4", 257)],
)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("column", [0, 1])
def test_dice_outside_1_to_6(value, column, threads, dtype):
    """257 is a 1 to whoever keeps only its last byte."""
    rolls = np.full((2000, 2), 3, dtype=dtype)
    rolls[[1234, 1999], column] = value
    records = tf.start_records(tf.PORTES, 2000)
    whole, out = canaries(200_000)
    for room in (None, out):
        with pytest.raises(ValueError, match=rf"row 1234\b.*1 to 6.*[( ]{value}[,)]"):
            tf.afterstates(records, rolls, tf.PORTES, out=room, threads=threads)
    assert intact(whole, 8, 8 + len(out))


def spoilt(byte: int, value: int, ruleset) -> np.ndarray:
    """2,000 start records with one byte of row 1,234, and of a later row, set wrongly."""
    records = tf.start_records(ruleset, 2000)
    records.view(np.uint8).reshape(-1, 64)[[1234, 1999], byte] = value
    return records


FAULTS = [
    (tf.PORTES, 6, 6, r"own\b.*\b16\b.*\b15\b"),
    (tf.PORTES, 6, 0, r"own\b.*\b10\b.*\b15\b"),
    (tf.PORTES, 32, 255, r"opp\b.*\b270\b.*\b15\b"),
    (tf.PORTES, 32 + 13, 4, r"opp\b.*\b14\b"),
    (tf.PORTES, 26, 1, r"spare"),
    (tf.PORTES, 32 + 27, 200, r"spare"),
    (tf.PORTES, 28, 1, r"pinned"),
    (tf.PORTES, 32 + 31, 128, r"pinned"),
    (tf.FEVGA, 25, 1, r"bar"),
    (tf.FEVGA, 32 + 25, 1, r"bar"),
    (tf.FEVGA, 12, 1, r"own\b.*\b12\b.*opp\b.*\b24\b"),
    (tf.PORTES, 32 + 25 - 13, 1, r"own\b.*\b13\b.*opp\b.*\b12\b"),
]


@pytest.mark.parametrize(("ruleset", "byte", "value", "named"), FAULTS)
def test_impossible_counts(ruleset, byte, value, named):
    records = spoilt(byte, value, ruleset)
    whole, out = canaries(200_000)
    for threads, room in ((1, None), (2, None), (1, out), (3, out)):
        with pytest.raises(tf.IllegalPosition, match=rf"row 1234\b.*{named}") as caught:
            tf.afterstates(records, np.full((2000, 2), 5), ruleset, out=room, threads=threads)
        assert caught.value.faults
    assert intact(whole, 8, 8 + len(out))
    for call in (tf.check_records, tf.from_records):
        with pytest.raises(tf.IllegalPosition, match=rf"row 1234\b.*{named}"):
            call(records, ruleset)
    with pytest.raises(tf.IllegalPosition, match=rf"row 1234\b.*{named}"):
        tf.afterstates(records, tf.ALL_ROLLS, ruleset)


@pytest.mark.parametrize("threads", [1, 2, 3, 11])
def test_the_first_of_bad_rows_is_named(threads):
    """Whichever thread comes first to its own, and also where `out` is too small before."""
    records = tf.start_records(tf.PORTES, 3000)
    rolls = np.full((3000, 2), 2, np.uint8)
    records["own"]["checkers"][[1400, 2999], 6] = 9
    records["opp"]["checkers"][1900, 6] = 9
    rolls[[1100, 1400, 2000]] = 7
    enough = int(tf.count_afterstates(records[:1], (2, 2), tf.PORTES)[0]) * 3000
    for rows in (None, enough, enough // 4, 0):
        out = None if rows is None else tf.empty_records(rows)

        def call(out=out):
            tf.afterstates(records, rolls, tf.PORTES, out=out, threads=threads)

        rolls[1100] = 7
        with pytest.raises(ValueError, match=r"row 1100: a roll is .*\(7, 7\)"):
            call()
        rolls[1100] = 2
        with pytest.raises(tf.IllegalPosition, match="row 1400: own has 19 checkers"):
            call()
        with pytest.raises(tf.IllegalPosition, match="row 1400: own has 19 checkers"):
            tf.afterstates(records, tf.ALL_ROLLS, tf.PORTES, out=out, threads=threads)


def pinned_record() -> np.ndarray:
    """Two of mine stand on his 5, and one of his on my 8."""
    sides = {24: 12, 20: 2, 8: 1}, {24: 13, 17: 1, 5: 1}
    pins = {"own_pinned": frozenset({8}), "opp_pinned": frozenset({5})}
    return to_array([board(*sides)._replace(**pins)])


@pytest.mark.parametrize("ruleset", [tf.PLAKOTO, tf.TAPA, tf.MAHBUSA], ids=str)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("side", "mask", "named"),
    [
        *(
            ("own", 1 << 8 | 1 << bit, rf"own_pinned has point {bit}\b")
            for bit in (0, *range(25, 32))
        ),
        *(("opp", 1 << 5 | 1 << bit, rf"opp_pinned has point {bit}\b") for bit in (0, 25, 31)),
        ("own", 0, r"own point 8 is opp point 17: .*neither is pinned"),
        ("opp", 0, r"own point 20 is opp point 5: .*neither is pinned"),
        ("own", 1 << 8 | 1 << 9, r"own point 9 cannot be pinned"),
        ("own", 1 << 8 | 1 << 24, r"own point 24 cannot be pinned"),
        ("own", 1 << 8 | 1 << 20, r"own point 20 cannot be pinned"),
        ("opp", 1 << 5 | 1 << 17, r"own point 8 is opp point 17: both are pinned"),
        ("opp", 1 << 5 | 1 << 1, r"opp point 1 cannot be pinned"),
        ("own", 2**32 - 1, r"own_pinned has point 0\b.*own_pinned has point 31\b"),
    ],
)
def test_hostile_pins(ruleset, threads, side, mask, named):
    records = np.repeat(pinned_record(), 1500)
    tf.check_records(records, ruleset)
    records[side]["pinned"][[1234, 1499]] = mask
    whole, out = canaries(200_000)
    for rolls in (tf.ALL_ROLLS, np.full((1500, 2), 4)):
        for room in (None, out):
            with pytest.raises(tf.IllegalPosition, match=rf"row 1234: .*{named}"):
                tf.afterstates(records, rolls, ruleset, threads=threads, out=room)
    assert intact(whole, 8, 8 + len(out))
    for call in (tf.check_records, tf.from_records):
        with pytest.raises(tf.IllegalPosition, match=rf"row 1234: .*{named}"):
            call(records, ruleset)


@settings(max_examples=200)
@given(
    legal_boards(tf.PLAKOTO),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**32 - 1),
    st.sampled_from(GAMES),
)
def test_no_pins_crash_the_kernel(board, own_mask, opp_mask, ruleset):
    """Either refused with reasons, or a position of which every result is one too."""
    records = to_array([board])
    for side, mask in (("own", own_mask), ("opp", opp_mask)):
        records[side]["pinned"] = mask
    try:
        tf.check_records(records, ruleset)
    except tf.IllegalPosition:
        with pytest.raises(tf.IllegalPosition, match="row 0"):
            tf.afterstates(records, tf.ALL_ROLLS, ruleset)
    else:
        found = tf.afterstates(records, tf.ALL_ROLLS, ruleset)
        tf.check_records(found.positions, ruleset)


@pytest.mark.parametrize("game", [tf.PORTES, tf.FEVGA, tf.GIOUL, tf.LONG_NARDY], ids=str)
def test_no_pins_without_the_game_for_it(game):
    records = tf.start_records(game, 3)
    records["opp"]["pinned"][1] = 1 << 24
    with pytest.raises(tf.IllegalPosition, match=r"row 1: .*pinned"):
        tf.afterstates(records, tf.ALL_ROLLS, game)


def test_a_bad_row_reports_all_its_faults():
    records = tf.start_records(tf.FEVGA, 3)
    bad = records[1:2]
    bad["own"]["checkers"][0, [12, 25]] = 1
    bad["opp"]["pinned"] = 4
    with pytest.raises(tf.IllegalPosition) as caught:
        tf.check_records(records, tf.FEVGA)
    text = str(caught.value)
    for named in ("row 1", "own has 17", "12", "bar", "pinned"):
        assert named in text
    assert len(caught.value.faults) == 4


def test_a_total_that_wraps_in_a_byte():
    """256 + 15 checkers are not 15."""
    records = tf.start_records(tf.PORTES, 2)
    records["own"]["checkers"][1, [1, 2]] = 128
    with pytest.raises(tf.IllegalPosition, match=r"row 1\b.*\b271\b"):
        tf.check_records(records, tf.PORTES)


def test_records_of_another_game():
    with pytest.raises(tf.IllegalPosition, match=r"row 0\b"):
        tf.check_records(to_array([board({25: 1, 6: 14}, {6: 15})]), tf.FEVGA)
    with pytest.raises(tf.IllegalPosition, match=r"row 0\b"):
        tf.check_records(to_array([board({12: 15}, {13: 15})]), tf.PORTES)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", None])
def test_threads_of_the_wrong_kind(threads):
    with pytest.raises(ValueError, match="threads"):
        tf.afterstates(START[tf.PORTES], tf.ALL_ROLLS, tf.PORTES, threads=threads)


@pytest.mark.parametrize("ruleset", [None, "portes", 3, tf.PORTES.start])
def test_rulesets_of_the_wrong_kind(ruleset):
    for call in (
        lambda: tf.afterstates(START[tf.PORTES], tf.ALL_ROLLS, ruleset),
        lambda: tf.check_records(START[tf.PORTES], ruleset),
        lambda: tf.from_records(START[tf.PORTES], ruleset),
        lambda: tf.Position(ruleset, tf.PORTES.start, tf.PORTES.start),
    ):
        with pytest.raises((TypeError, ValueError), match=r"[rR]uleset"):
            call()


@settings(max_examples=200)
@given(
    hnp.arrays(np.uint8, st.tuples(st.integers(1, 40), st.just(64))),
    st.sampled_from(GAMES),
    st.integers(1, 3),
)
def test_no_bytes_crash_the_kernel(data, ruleset, threads):
    records = data.view(tf.POSITION).reshape(-1)
    rolls = data[:, :2]
    for call in (
        lambda: tf.afterstates(records, tf.ALL_ROLLS, ruleset, threads=threads),
        lambda: tf.afterstates(records, rolls, ruleset, threads=threads),
        lambda: tf.check_records(records, ruleset),
    ):
        with pytest.raises(ValueError, match=r"row \d+"):
            call()


# Conversions


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_positions_to_records_and_back(ruleset):
    @settings(max_examples=50)
    @given(st.lists(legal_boards(ruleset), max_size=4))
    def round_trip(boards):
        positions = [to_position(each, ruleset) for each in boards]
        records = tf.to_records(positions)
        assert records.tobytes() == b"".join(map(pack, boards))
        assert records.dtype == tf.POSITION
        assert records.shape == (len(boards),)
        assert tf.from_records(records, ruleset) == positions
        assert from_array(records) == boards

    round_trip()


@pytest.mark.parametrize("ruleset", GAMES, ids=str)
def test_start_records(ruleset):
    records = tf.start_records(ruleset, 3)
    assert records.shape == (3,)
    assert tf.from_records(records, ruleset) == [tf.Position.start(ruleset)] * 3
    records["own"]["checkers"][0, 0] = 9
    assert tf.from_records(tf.start_records(ruleset, 1), ruleset) == [tf.Position.start(ruleset)]
    assert tf.start_records(ruleset, 0).shape == (0,)
    assert tf.start_records(ruleset, np.int32(2)).shape == (2,)


@pytest.mark.parametrize("n", [-1, 1.5, "3", None])
def test_start_records_of_no_number(n):
    with pytest.raises(ValueError, match=f"{n!r}"):
        tf.start_records(tf.PORTES, n)


def test_to_records_takes_only_positions():
    with pytest.raises(ValueError, match=r"item 1\b.*str"):
        tf.to_records([tf.Position.start(tf.PORTES), "start"])
    with pytest.raises((TypeError, ValueError)):
        tf.to_records(3)
    assert len(tf.to_records(iter([tf.Position.start(tf.PORTES)]))) == 1


def test_from_records_copies():
    records = tf.start_records(tf.PORTES, 1)
    (position,) = tf.from_records(records, tf.PORTES)
    records["own"]["checkers"][0] = 0
    assert position == tf.Position.start(tf.PORTES)


def test_the_cpu_level():
    assert tf.cpu.level in tf.cpu.supported
    assert set(tf.cpu.supported) <= set(tf.cpu.built)


def test_empty_records():
    """Room in whole cache lines, which `out` takes as it is."""
    for n in (1, 7, 100_000):
        room = tf.empty_records(n)
        assert room.shape == (n,)
        assert room.dtype == tf.POSITION
        assert room.flags.c_contiguous
        assert room.flags.writeable
        assert room.ctypes.data % 64 == 0
    found = tf.afterstates(tf.start_records(tf.PORTES, 3), (3, 1), tf.PORTES, out=room)
    assert np.shares_memory(found.positions, room)
    assert len(found.positions) == 3 * 16
    assert tf.empty_records(0).shape == (0,)
    for n in (-1, 1.5, None, "3"):
        with pytest.raises(ValueError, match="n is a number of positions"):
            tf.empty_records(n)


# Points, pips and choices


@pytest.mark.parametrize("ruleset", tf.RULESETS.values(), ids=lambda ruleset: ruleset.game)
def test_points_and_pips_are_those_of_positions(ruleset):
    games = tf.generate_games(ruleset, 30, 1)
    records = np.concatenate([games.positions, games.chosen])
    points, over = tf.points_won(records, ruleset)
    assert (points.dtype, over.dtype) == (np.int8, bool)
    assert over.sum() == 30
    positions = tf.from_records(records, ruleset)
    assert [int(won) if ended else None for won, ended in zip(points, over, strict=True)] == [
        tf.reference.points_won(position) for position in positions
    ]
    assert list(map(tuple, tf.pip_counts(records).tolist())) == [
        position.pip_counts for position in positions
    ]


def test_points_of_a_bad_record_are_refused():
    records = tf.start_records(tf.PORTES, 5)
    records["own"]["checkers"][3, 6] = 1
    with pytest.raises(tf.IllegalPosition, match="row 3: own has 11 checkers"):
        tf.points_won(records, tf.PORTES)


def test_chosen_results_are_those_of_their_pairs():
    result = tf.afterstates(tf.start_records(tf.TAPA, 3), [(3, 1), (2, 2), (6, 5)], tf.TAPA)
    last = result.counts - 1
    assert result.chosen(last).tobytes() == result.positions[result.offsets[1:] - 1].tobytes()
    assert result.chosen(last * 0).tobytes() == result.positions[result.offsets[:-1]].tobytes()
    with pytest.raises(ValueError, match=r"pair 1: there is no choice \d+; it has \d+ afterstates"):
        result.chosen(result.counts - [1, 0, 1])
    with pytest.raises(ValueError, match="pair 0: there is no choice -1"):
        result.chosen([-1, 0, 0])
    with pytest.raises(ValueError, match=r"shape \(2,\), not integers of shape \(3,\)"):
        result.chosen([0, 0])


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("offset", [0, 8])
def test_results_sent_past_the_caches_are_the_same(threads, offset):
    """As into an array of 64 MB, whether it begins where whole lines can be sent or not."""
    records = tf.start_records(tf.PORTES, 600)
    expected = tf.afterstates(records, tf.ALL_ROLLS, tf.PORTES)
    memory = np.zeros(64 * (1 << 20) + 64, np.uint8)
    first = -memory.ctypes.data % 64 + offset
    out = memory[first : first + 64 * (1 << 20)].view(tf.POSITION)
    found = tf.afterstates(records, tf.ALL_ROLLS, tf.PORTES, out=out, threads=threads)
    assert found.positions.tobytes() == expected.positions.tobytes()
    assert found.offsets.tolist() == expected.offsets.tolist()
    used = first + 64 * len(expected.positions)
    assert not memory[:first].any()
    assert not memory[used : used + 4096].any()
