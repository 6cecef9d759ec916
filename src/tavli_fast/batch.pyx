# cython: language_level=3, freethreading_compatible=True
"""Arrays of positions in; arrays of afterstates, counts and walls out."""

from concurrent.futures import ThreadPoolExecutor
from operator import index
from typing import NamedTuple

import numpy as np

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint8_t, uintptr_t
from libc.string cimport memcpy

from tavli_fast._dispatch cimport KernelRules, kernel, kernel_rules
from tavli_fast._kernel cimport (
    BAD_DIE, MOST_DOUBLE, MOST_MIXED, Batch, Blockade, Mobility, Record,
)
from tavli_fast.position cimport Position, describe_faults, from_record

from .position import POSITION, IllegalPosition

ALL_ROLLS = np.array(
    [(die, other) for die in range(1, 7) for other in range(1, die + 1)], dtype=np.uint8
)
"""The 21 distinct rolls, (21, 2) uint8, higher die first; as `rolls` it means all 21 of each."""
ALL_ROLLS.setflags(write=False)
# What is read: nobody else can change these.
cdef object _ALL_ROLLS = ALL_ROLLS.copy()

cdef object _WALLS = np.dtype([("longest", "u1"), ("live", "u1"), ("trapped", "u1")])

BLOCKADE = np.dtype([
    ("own", _WALLS),
    ("opp", _WALLS),
    ("pass_rolls", "u1"),
    ("partial_rolls", "u1"),
    ("full_rolls", "u1"),
    ("escape_rolls", "u1"),
    ("forbidden", "u1"),
])
"""What `blockades` tells of a record: the fields of `Blockade`, 11 bytes; `forbidden`: `Ban`."""

# Up to so many pairs the room for results is guessed; above, every fiftieth is counted first, at
# most so many: results a roll vary by half as much again as their mean, so that is 2.4 % off.
cdef enum:
    _FEW = 256
    _SAMPLE = 4096

# More threads than any machine has processors would only wait for each other.
cdef enum:
    _MOST_THREADS = 256

# An `out` of 64 MB is larger than the caches. Fresh memory is not streamed to: the system has just
# drawn it into them to clear it.
cdef enum:
    _STREAM_FROM = 0x100000


class Afterstates(NamedTuple):
    """What `afterstates` returns.

    `positions`: (m,) POSITION, the results of all pairs one after another. `offsets`: (n + 1,)
    int64; the results of pair i are `positions[offsets[i]:offsets[i + 1]]`, never none.
    `played`: (n,) uint8, the most numbers any result of the pair uses; 0 where nothing could be
    played and the single result is the unchanged position.
    """

    positions: object
    offsets: object
    played: object


cdef type _ndarray = np.ndarray
cdef object _BYTE = np.dtype(np.uint8), _OFFSET = np.dtype(np.int64)
cdef object _ROW = np.dtype("V64")

cdef extern from *:
    """
    /* How every NumPy array begins: part of NumPy's stable binary interface, read without its
       headers. Its buffers would do as well, but those of structured dtypes cost a microsecond. */
    typedef struct {
        PyObject_HEAD
        char *data;
        int nd;
        Py_ssize_t *dimensions;
        Py_ssize_t *strides;
        PyObject *base;
        PyObject *descr;
        int flags;
    } TavliArrayHead;
    """
    ctypedef struct TavliArrayHead:
        char *data
        int nd
        PyObject *descr
        int flags

cdef enum:
    _CONTIGUOUS = 1


cdef inline bint is_plain(object array, object dtype, int dimensions) except -1:
    """Whether an array is a contiguous one of this very dtype, so that nothing more need be asked."""
    if type(array) is not _ndarray:
        return False
    cdef TavliArrayHead *head = <TavliArrayHead *><PyObject *>array
    return (
        head.descr == <PyObject *>dtype and head.nd == dimensions and head.flags & _CONTIGUOUS
    )


cdef inline void *address(object array) except? NULL:
    """Where a contiguous array's data lies; the caller keeps the array alive."""
    assert isinstance(array, _ndarray)
    return (<TavliArrayHead *><PyObject *>array).data


cdef object _empty(int64_t n):
    """n records, each in a cache line of its own: 5 % faster to fill than astride two."""
    lines = np.empty(64 * n + 63, _BYTE)
    cdef int64_t start = -<int64_t><uintptr_t>address(lines) % 64
    return lines[start : start + 64 * n].view(POSITION)


cdef int64_t _as_number(n) except -1:
    try:
        number = index(n)
    except TypeError:
        number = -1
    if number < 0:
        raise ValueError(f"n is a number of positions, not {n!r}")
    # So that their bytes are a number of 64 bits.
    if number >> 56:
        raise MemoryError(f"no machine has room for {n} positions")
    return number


cdef object _as_records(records):
    if is_plain(records, POSITION, 1):
        return records
    records = np.asarray(records)
    if records.dtype.names is not None:
        if records.dtype != POSITION and not np.can_cast(records.dtype, POSITION, "equiv"):
            raise ValueError(f"records have dtype {records.dtype}, not POSITION")
        if records.ndim != 1:
            raise ValueError(f"records have shape {records.shape}, not (n,)")
        return np.ascontiguousarray(records, POSITION)
    if records.dtype.kind not in "iu":
        raise ValueError(
            f"records have dtype {records.dtype}, which is neither POSITION nor an integer type"
        )
    if records.ndim != 2 or records.shape[1] != 64:
        raise ValueError(f"records as integers have shape {records.shape}, not (n, 64)")
    outside = (records < 0) | (records > 255)
    if outside.any():
        row, byte = np.argwhere(outside)[0]
        raise ValueError(f"row {row}: byte {byte} is {records[row, byte]}, not 0 to 255")
    return np.ascontiguousarray(records, np.uint8).view(POSITION)[:, 0]


cdef object _as_rolls(rolls, rows):
    """The rolls as contiguous uint8, and how many are played from each record."""
    if rolls is ALL_ROLLS:
        return _ALL_ROLLS, len(_ALL_ROLLS)
    if is_plain(rolls, _BYTE, 2) and rolls.shape == (rows, 2):
        return rolls, 1
    rolls = np.asarray(rolls)
    if rolls.dtype.kind not in "iu":
        raise ValueError(f"rolls have dtype {rolls.dtype}, which is not an integer type")
    if rolls.shape not in ((2,), (rows, 2)):
        raise ValueError(f"rolls have shape {rolls.shape}, not ({rows}, 2), one roll a record")
    if rolls.dtype != _BYTE:
        outside = (rolls < 1) | (rolls > 6)
        if outside.any():
            row = int(np.argwhere(outside)[0][0]) if rolls.ndim == 2 else 0
            _refuse_roll(row, rolls.reshape(-1, 2)[row])
    return np.ascontiguousarray(rolls, _BYTE), 1


cdef object _refuse_roll(row, roll):
    raise ValueError(
        f"row {row}: a roll is two numbers from 1 to 6, not ({', '.join(str(die) for die in roll)})"
    )


cdef object _as_out(out, records, rolls):
    if not is_plain(out, POSITION, 1):
        if not isinstance(out, np.ndarray) or out.dtype != POSITION or out.ndim != 1:
            what = (
                f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
            )
            raise ValueError(f"out is {what}, not a one-dimensional POSITION array")
        if not out.flags.c_contiguous:
            raise ValueError("out is not contiguous")
    if not out.flags.writeable:
        raise ValueError("out is not writable")
    if len(out) and <uintptr_t>address(out) % 8:
        raise ValueError("out is not aligned to 8 bytes")
    if _overlap(out, records):
        raise ValueError("out overlaps records")
    if _overlap(out, rolls):
        raise ValueError("out overlaps rolls")
    return out


cdef bint _overlap(out, array) except -1:
    """Whether two contiguous arrays share memory."""
    cdef uintptr_t first = <uintptr_t>address(out), other = <uintptr_t>address(array)
    cdef uintptr_t length = out.nbytes, other_length = array.nbytes
    return first < other + other_length and other < first + length


cdef int64_t _as_threads(threads) except -1:
    try:
        threads = index(threads)
    except TypeError:
        threads = 0
    if threads < 1:
        raise ValueError("threads is an integer of at least 1")
    return min(threads, _MOST_THREADS)


cdef object _refuse_change():
    raise ValueError("records or rolls were changed by another thread during the call")


cdef object _refuse_record(const Record *record, KernelRules law, ruleset, row):
    """Raise what is wrong with a record, unless another thread has mended it since it was read."""
    cdef Record now = record[0]
    cdef int fault = kernel.faults(&now, &law.rules)
    if not fault:
        _refuse_change()
    raise IllegalPosition(describe_faults(&now, ruleset, fault), row=row)


cdef class _Work:
    """The arrays of one call, and the kernel's view of them."""

    cdef Batch batch
    cdef KernelRules law
    cdef object records, rolls, ruleset, offsets, played
    cdef uint8_t few_rolls[2 * _FEW]

    def __cinit__(self, records, rolls, int64_t each, ruleset, bint flip):
        cdef int64_t pairs = len(records) * each
        self.records, self.rolls, self.ruleset = records, rolls, ruleset
        self.law = kernel_rules(ruleset)
        self.offsets = np.empty(pairs + 1, _OFFSET)
        self.played = np.empty(pairs, _BYTE)
        self.batch.records = <const Record *>address(records)
        self.batch.rolls = <const uint8_t *>address(rolls)
        self.batch.roll_stride = 2 if each == 1 and rolls.ndim == 2 else 0
        self.batch.rolls_each = each
        self.batch.rows = len(records)
        if self.batch.roll_stride and self.batch.rows <= _FEW:
            # Their doubles tell how much room is needed: they must not change until it is used.
            memcpy(self.few_rolls, self.batch.rolls, 2 * self.batch.rows)
            self.batch.rolls = self.few_rolls
        self.batch.rules = &self.law.rules
        self.batch.flip = flip
        self.batch.out = NULL
        self.batch.capacity = 0
        self.batch.stream = False
        self.batch.offsets = <int64_t *>address(self.offsets)
        self.batch.offsets[0] = 0
        self.batch.played = <uint8_t *>address(self.played)
        self.batch.scratch = NULL
        self.batch.done = 0
        self.batch.used = 0
        self.batch.fault = 0

    cdef int64_t pairs(self):
        return self.batch.rows * self.batch.rolls_each

    cdef object run(self, Batch *part):
        """Let the kernel work on a part until it is done or the output full."""
        part.scratch = <Record *>PyMem_RawMalloc(self.most_each() * sizeof(Record))
        if part.scratch == NULL:
            raise MemoryError
        with nogil:
            kernel.batch(part)
        PyMem_RawFree(part.scratch)
        if part.fault:
            self.refuse(part)

    cdef int64_t most_each(self):
        """Rows that a pair of this call may need."""
        cdef int64_t at
        if self.batch.roll_stride == 0 or self.batch.rows > _FEW:
            return MOST_DOUBLE
        for at in range(self.batch.rows):
            if self.batch.rolls[2 * at] == self.batch.rolls[2 * at + 1]:
                return MOST_DOUBLE
        return MOST_MIXED

    cdef object refuse(self, const Batch *part):
        """Raise what is wrong with the pair the kernel stopped at."""
        cdef int64_t row = part.done // part.rolls_each
        cdef const uint8_t *dice = part.rolls + row * part.roll_stride
        cdef int64_t at = row + (part.records - self.batch.records)
        if part.fault != BAD_DIE:
            _refuse_record(&part.records[row], self.law, self.ruleset, at)
        dice += 2 * (part.done % part.rolls_each)
        roll = (dice[0], dice[1])
        if 1 <= min(roll) and max(roll) <= 6:
            _refuse_change()
        _refuse_roll(at, roll)

    cdef object check(self):
        """Refuse the first bad record."""
        cdef Batch part = self.batch
        with nogil:
            while part.done < part.rows and not part.fault:
                part.fault = kernel.faults(&part.records[part.done], part.rules)
                part.done += not part.fault
        if part.fault:
            self.refuse(&part)

    cdef int64_t count(self, Batch *part) except -1:
        """How many results the rest of a part has."""
        part.out = NULL
        self.run(part)
        return part.used

    cdef object collect(self):
        """The results of a few pairs, gathered in plain memory before there is an array."""
        cdef int64_t pairs = self.pairs(), capacity = 32 * pairs + self.most_each()
        cdef Record *rows = <Record *>PyMem_RawMalloc(capacity * sizeof(Record))
        cdef Record *more
        try:
            while rows != NULL:
                self.batch.out, self.batch.capacity = rows, capacity
                self.run(&self.batch)
                if self.batch.done == pairs:
                    positions = _empty(self.batch.used)
                    memcpy(address(positions), rows, self.batch.used * sizeof(Record))
                    return positions
                capacity += capacity // 2 + MOST_DOUBLE
                more = <Record *>PyMem_RawRealloc(rows, capacity * sizeof(Record))
                if more == NULL:
                    break
                rows = more
            raise MemoryError
        finally:
            PyMem_RawFree(rows)

    cdef object grow(self):
        """Fill a new array, its length guessed from a sample and corrected where needed."""
        cdef int64_t pairs = self.pairs()
        cdef int64_t capacity = <int64_t>(1.2 * self.mean() * pairs) + 2 * MOST_DOUBLE
        positions = _empty(capacity)
        while True:
            self.batch.out = <Record *>address(positions)
            self.batch.capacity = capacity
            self.run(&self.batch)
            if self.batch.done == pairs:
                # The rest was never touched, so it holds no memory; cutting it off would only
                # keep the allocator from handing the same pages out again.
                return positions[: self.batch.used]
            capacity = max(
                capacity + capacity // 4,
                <int64_t>(1.1 * self.batch.used / max(self.batch.done, 1) * pairs),
            ) + MOST_DOUBLE
            larger = _empty(capacity)
            memcpy(address(larger), self.batch.out, self.batch.used * sizeof(Record))
            positions = larger

    cdef double mean(self) except -1:
        """Results a pair, from a sample evenly spread over the rows."""
        cdef int64_t wanted = min(max(self.pairs() // 50, _FEW), _SAMPLE)
        cdef int64_t step = max(1, self.pairs() // wanted)
        cdef _Work sample
        step = max(1, step // self.batch.rolls_each)
        rolls = self.rolls[::step].copy() if self.batch.roll_stride else self.rolls
        # As plain bytes: NumPy copies structured rows field by field.
        records = self.records.view(_ROW)[::step].copy().view(POSITION)
        sample = _Work(records, rolls, self.batch.rolls_each, self.ruleset, False)
        try:
            sample.count(&sample.batch)
        except ValueError:
            # The row is bad, but its number is known only to the full run, which will say it.
            return 0
        return sample.batch.used / <double>sample.pairs()

    cdef object fill(self, out):
        """Fill the caller's array from its first row on."""
        cdef int64_t capacity = len(out)
        self.batch.out = <Record *>address(out)
        self.batch.capacity = capacity
        self.batch.stream = capacity >= _STREAM_FROM
        self.run(&self.batch)
        if self.batch.done < self.pairs():
            raise ValueError(
                f"out has {capacity} rows; {self.count(&self.batch)} are needed"
            )
        return out[: self.batch.used]

    cdef list parts(self, int64_t number):
        """The rows in so many parts of about the same length."""
        cdef int64_t rows = self.batch.rows
        return [
            _Part.__new__(_Part, self, rows * part // number, rows * (part + 1) // number)
            for part in range(number)
        ]

    cdef object count_together(self, int64_t threads):
        """The number of results of each pair."""
        if threads == 1:
            return _Part.__new__(_Part, self, 0, self.batch.rows).counts()
        with ThreadPoolExecutor(threads) as pool:
            return np.concatenate(list(pool.map(_Part.counts, self.parts(threads))))

    cdef object fill_together(self, out, int64_t threads):
        """Fill the parts' own rows in threads of a pool, once it is counted where each begins."""
        # Counted in smaller parts, so that all threads count. In a given `out` the last one simply
        # goes on to the end.
        counted = threads * threads if out is None else threads * (threads - 1)
        with ThreadPoolExecutor(threads) as pool:
            totals = list(pool.map(_Part.count, self.parts(threads * threads)[:counted]))
            starts = [sum(totals[: threads * part]) for part in range(threads + 1)]
            if out is None:
                out = _empty(starts[-1])
            elif len(out) < starts[-1]:
                needed = self.count_together(threads).sum()
                raise ValueError(f"out has {len(out)} rows; {needed} are needed")
            else:
                starts[-1] = len(out)
                self.batch.stream = len(out) >= _STREAM_FROM
            parts = self.parts(threads)
            used = list(pool.map(_Part.fill, parts, [out] * threads, starts[:-1], starts[1:]))
        if used[:-1] != starts[1:-1]:
            _refuse_change()
        return out[: used[-1]]


cdef class _Part:
    """Some of the rows of a call, for one thread."""

    cdef _Work work
    cdef Batch batch

    def __cinit__(self, _Work work, int64_t first, int64_t last):
        cdef int64_t pair = first * work.batch.rolls_each
        self.work = work
        self.batch = work.batch
        self.batch.records += first
        self.batch.rolls += first * work.batch.roll_stride
        self.batch.rows = last - first
        self.batch.offsets += pair
        self.batch.played += pair

    def counts(self):
        cdef Batch counting = self.batch
        # From a zero of its own, and not up to the next part's first one.
        offsets = np.empty(self.batch.rows * self.batch.rolls_each + 1, _OFFSET)
        counting.offsets = <int64_t *>address(offsets)
        counting.offsets[0] = 0
        self.work.count(&counting)
        return np.diff(offsets)

    def count(self):
        return int(self.counts().sum())

    def fill(self, out, int64_t first, int64_t end):
        self.batch.out = <Record *>address(out)
        self.batch.used = first
        self.batch.capacity = end
        self.work.run(&self.batch)
        if self.batch.done < self.batch.rows * self.batch.rolls_each:
            needed = self.work.count_together(1).sum()
            if needed > len(out):
                raise ValueError(f"out has {len(out)} rows; {needed} are needed")
            _refuse_change()
        return self.batch.used


def afterstates(records, rolls, ruleset, flip=False, out=None, threads=1):
    """Return every distinct afterstate of every (position, roll) pair, as `Afterstates`.

    `records`: (n,) POSITION, or any (n, 64) integer array of the same bytes. `rolls`: (n, 2)
    integers from 1 to 6, one roll a record; or one roll for all; or `ALL_ROLLS` for all 21 of each
    record, where pair `21 * i + j` is record i with `ALL_ROLLS[j]`. With `flip` the results are
    seen by the next player instead of the mover. `out`: a POSITION array to write to, which saves
    the cost of fresh memory; `positions` is then a view of its first rows. `threads` share the
    rows; the result is the same for any number. The GIL is released.

    Raises `ValueError` naming the row for a bad roll, `IllegalPosition` for a bad record, and
    `ValueError` with the rows needed where `out` is too small. What `out` holds after an error is
    undefined; after success nothing behind its first `len(positions)` rows has been touched.

    >>> import numpy as np
    >>> import tavli_fast as tf
    >>> records = tf.start_records(tf.PORTES, 2)
    >>> result = tf.afterstates(records, [(3, 1), (6, 5)], tf.PORTES)
    >>> np.diff(result.offsets).tolist(), result.played.tolist()
    ([16, 7], [2, 2])
    """
    # What may run code of the caller comes before anything is remembered of his arrays.
    cdef int64_t most_threads = _as_threads(threads)
    flip = bool(flip)
    records = _as_records(records)
    rolls, each = _as_rolls(rolls, len(records))
    cdef _Work work = _Work(records, rolls, each, ruleset, flip)
    threads = min(most_threads, max(1, work.pairs() // _FEW))
    if out is not None:
        out = _as_out(out, records, rolls)
    if threads > 1:
        positions = work.fill_together(out, threads)
    elif out is not None:
        positions = work.fill(out)
    elif work.pairs() <= _FEW:
        positions = work.collect()
    else:
        positions = work.grow()
    # What Afterstates(...) does, without its Python function.
    return tuple.__new__(Afterstates, (positions, work.offsets, work.played))


def count_afterstates(records, rolls, ruleset, threads=1):
    """Return how many distinct afterstates every (position, roll) pair has: (n,) int64.

    The arguments and errors are those of `afterstates`; the counts are the lengths of what it
    returns, found in a fraction of the time: mixed rolls by counting bits, doubles by counting the
    ways along each chain of points. A pair with no play counts 1, the unchanged position.

    >>> import tavli_fast as tf
    >>> tf.count_afterstates(tf.start_records(tf.PORTES, 1), tf.ALL_ROLLS, tf.PORTES)[:3].tolist()
    [42, 15, 75]
    """
    cdef int64_t most_threads = _as_threads(threads)
    records = _as_records(records)
    rolls, each = _as_rolls(rolls, len(records))
    cdef _Work work = _Work(records, rolls, each, ruleset, False)
    return work.count_together(min(most_threads, max(1, work.pairs() // _FEW)))


cdef enum Question:
    _BLOCKADES
    _WALLS_ALONE
    _MOBILITY
    _IN_CONTACT


cdef class _Survey:
    """One question asked of every record."""

    cdef Question question
    cdef KernelRules law
    cdef object records, ruleset, out
    cdef const Record *rows
    cdef void *answers

    def __cinit__(self, Question question, records, ruleset, dtype, shape=()):
        self.question, self.ruleset = question, ruleset
        self.records = _as_records(records)
        self.law = kernel_rules(ruleset)
        self.out = np.empty((len(self.records), *shape), dtype)
        self.rows = <const Record *>address(self.records)
        self.answers = address(self.out)

    cdef object ask(self, int64_t most_threads):
        """The answers, found by threads that share the rows."""
        cdef int64_t rows = len(self.records)
        threads = min(most_threads, max(1, rows // _FEW))
        if threads == 1:
            self.ask_part(0, rows)
            return self.out
        ends = [rows * part // threads for part in range(threads + 1)]
        with ThreadPoolExecutor(threads) as pool:
            # In their order, so that of several bad rows the first is told.
            list(pool.map(self.ask_part, ends[:-1], ends[1:]))
        return self.out

    def ask_part(self, int64_t first, int64_t last):
        cdef const Record *rows = self.rows + first
        cdef int64_t count = last - first, done
        cdef int fault = 0
        with nogil:
            if self.question == _MOBILITY:
                done = kernel.mobility(
                    rows, count, &self.law.rules, <Mobility *>self.answers + first, &fault
                )
            elif self.question == _IN_CONTACT:
                done = kernel.in_contact(
                    rows, count, &self.law.rules, <uint8_t *>self.answers + first, &fault
                )
            else:
                done = kernel.blockades(
                    rows, count, &self.law.rules, self.question == _BLOCKADES,
                    <Blockade *>self.answers + first, &fault
                )
        if fault:
            _refuse_record(&rows[done], self.law, self.ruleset, first + done)


def blockades(records, ruleset, rolls=True, threads=1):
    """Return what walls stand in every record and what the 36 rolls do: (n,) BLOCKADE.

    The fields are those of `Blockade`, which defines them. Without `rolls` only the walls are
    looked at, in a tenth of the time or less, and the four fields of rolls are 0. `threads` share
    the rows. The GIL is released. Raises `IllegalPosition` naming the row for a bad record.

    >>> import tavli_fast as tf
    >>> found = tf.blockades(tf.start_records(tf.FEVGA, 2), tf.FEVGA)
    >>> found["full_rolls"].tolist(), found["opp"]["live"].tolist()
    ([33, 33], [1, 1])
    """
    cdef int64_t most_threads = _as_threads(threads)
    cdef _Survey survey = _Survey(
        _BLOCKADES if rolls else _WALLS_ALONE, records, ruleset, BLOCKADE
    )
    return survey.ask(most_threads)


def mobility(records, ruleset, threads=1):
    """Return how many of the 36 rolls play no number, some and all of them: (n, 3) uint8.

    A roll that can end the game plays all; when the game is over all 36 play none. Arguments and
    errors are those of `blockades`.

    >>> import tavli_fast as tf
    >>> tf.mobility(tf.start_records(tf.FEVGA, 1), tf.FEVGA).tolist()
    [[0, 3, 33]]
    """
    cdef int64_t most_threads = _as_threads(threads)
    cdef _Survey survey = _Survey(_MOBILITY, records, ruleset, np.uint8, (3,))
    return survey.ask(most_threads)


def in_contact(records, ruleset, threads=1):
    """Return whether the sides can still meet in every record: (n,) bool; if not, it is a race.

    They can while there is a point that both stand on or may come to. Arguments and errors are
    those of `blockades`.

    >>> import tavli_fast as tf
    >>> tf.in_contact(tf.start_records(tf.FEVGA, 1), tf.FEVGA).tolist()
    [True]
    """
    cdef int64_t most_threads = _as_threads(threads)
    cdef _Survey survey = _Survey(_IN_CONTACT, records, ruleset, np.bool_)
    return survey.ask(most_threads)


def to_records(positions):
    """Return positions as an array: (n,) POSITION.

    >>> import tavli_fast as tf
    >>> tf.to_records([tf.Position.start(tf.FEVGA)])["own"]["checkers"][:, 24].tolist()
    [15]
    """
    positions = list(positions)
    records = np.empty(len(positions), POSITION)
    cdef Record *rows = <Record *>address(records)
    cdef int64_t at
    for at in range(len(positions)):
        if not isinstance(positions[at], Position):
            raise ValueError(f"item {at} is {type(positions[at]).__name__}, not a Position")
        rows[at] = (<Position>positions[at]).record
    return records


def from_records(records, ruleset):
    """Return the positions an array holds, as a list; raises like `check_records`.

    >>> import tavli_fast as tf
    >>> tf.from_records(tf.start_records(tf.FEVGA, 1), tf.FEVGA)
    [Position(find_ruleset('fevga'), own={24: 15}, opp={24: 15})]
    """
    records = _as_records(records).copy()
    check_records(records, ruleset)
    cdef const Record *rows = <const Record *>address(records)
    cdef KernelRules law = kernel_rules(ruleset)
    cdef int64_t at
    return [from_record(&rows[at], ruleset, law) for at in range(len(records))]


def start_records(ruleset, n):
    """Return n start positions: (n,) POSITION.

    >>> import tavli_fast as tf
    >>> tf.start_records(tf.PORTES, 1000).shape
    (1000,)
    """
    return np.repeat(to_records([Position.start(ruleset)]), _as_number(n))


def empty_records(n):
    """Return room for n positions, not filled: (n,) POSITION.

    Each record begins a cache line, which NumPy's own arrays do not promise: as `out` of
    `afterstates` it is filled some 5 % faster than those.

    >>> import tavli_fast as tf
    >>> tf.empty_records(1000).dtype == tf.POSITION
    True
    """
    return _empty(_as_number(n))


def check_records(records, ruleset):
    """Raise `IllegalPosition` naming the first row that is no position of the game.

    Checked is what the mechanics allow: totals, points that both sides hold, a bar only where
    there is one, nothing in unused bytes.

    >>> import tavli_fast as tf
    >>> records = tf.start_records(tf.PORTES, 3)
    >>> records["own"]["checkers"][1, 6] += 1
    >>> tf.check_records(records, tf.PORTES)
    Traceback (most recent call last):
        ...
    tavli_fast.position.IllegalPosition: row 1: own has 16 checkers, not 15
    """
    records = _as_records(records)
    cdef _Work work = _Work(records, np.array((1, 1), np.uint8), 1, ruleset, False)
    work.check()
