# cython: language_level=3, freethreading_compatible=True
"""Arrays of positions in; arrays of afterstates, counts and walls out."""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from cpython.pythread cimport (
    NOWAIT_LOCK, WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock,
    PyThread_release_lock, PyThread_type_lock,
)
from libc.stdint cimport int8_t, int64_t, uint8_t
from libc.string cimport memcpy

from tavli_fast._dispatch cimport KernelRules, kernel, kernel_rules
from tavli_fast._kernel cimport (
    BAD_DIE, GAME_ON, MOST_DOUBLE, MOST_LAWS, MOST_MIXED, Batch, Blockade, Mobility, Record, Rules,
)
from tavli_fast.arrays cimport (
    address, as_number, as_out, as_records, as_rolls, as_threads, empty, refuse_roll,
)
from tavli_fast.position cimport Position, from_record, refuse_change, refuse_record

from .position import POSITION

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

cdef object _BYTE = np.dtype(np.uint8), _OFFSET = np.dtype(np.int64)
cdef object _ROW = np.dtype("V64")

# Up to so many pairs the room for results is guessed; above, every fiftieth is counted first, at
# most so many: results a roll vary by half as much again as their mean, so that is 2.4 % off.
cdef enum:
    _FEW = 256
    _SAMPLE = 4096

# An `out` of 64 MB is larger than the caches. Fresh memory is not streamed to by one thread: the
# system has just drawn it into them to clear it.
cdef enum:
    _STREAM_FROM = 0x100000

# Threads take 2,048 pairs or a 32nd of their share at a time, whichever is less. With fewer they
# wait for each other more often, with more their results leave the caches.
cdef enum:
    _CHUNKS_EACH = 32
    _MOST_AT_ONCE = 2048
    _LOOK_AFTER = 128


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

    def best(self, values, lowest=False):
        """Return for every pair which of its results has the highest value: (n,) int64, from 0 on.

        `values`: (m,) numbers, one for each of `positions`. Of equal ones the first is best. With
        `lowest` the lowest value is sought, as where it is the other side's.

        Raises `ValueError` for another shape and for a value that is no number.

        >>> import numpy as np
        >>> import tavli_fast as tf
        >>> result = tf.afterstates(tf.start_records(tf.PORTES, 2), (3, 1), tf.PORTES)
        >>> result.best(np.arange(32.0) % 20).tolist()
        [15, 3]
        """
        return _best(values, self.offsets, lowest)

    @property
    def counts(self):
        """How many results each pair has: (n,) int64, never 0."""
        return np.diff(self.offsets)

    def chosen(self, choice):
        """Return the results at these places among those of their pairs: (n,) POSITION.

        `choice`: (n,) integers from 0 on, as `best` returns them. Raises `ValueError` naming the
        first pair that has no such result.

        >>> import tavli_fast as tf
        >>> result = tf.afterstates(tf.start_records(tf.PORTES, 2), (6, 5), tf.PORTES)
        >>> tf.from_records(result.chosen([0, 6]), tf.PORTES)[1] in tf.Position.start(
        ...     tf.PORTES).afterstates((6, 5))
        True
        """
        return _chosen(self.positions, self.offsets, choice)


def _chosen(positions, offsets, choice):
    # As plain bytes: NumPy gathers structured rows field by field, 15 times slower.
    return positions.view(_ROW)[chosen_rows(offsets, choice, "pair")].view(POSITION)


cdef object chosen_rows(offsets, choice, what, waiting=None):
    """The rows of the chosen results, -1 where `waiting`: (n,) int64; `what` a pair is, if refused."""
    choice = np.asarray(choice)
    counts = np.diff(offsets)
    if choice.shape != counts.shape or choice.dtype.kind not in "iu":
        raise ValueError(
            f"choice has dtype {choice.dtype} and shape {choice.shape}, not integers of shape "
            f"{counts.shape}"
        )
    outside = (choice < 0) | (choice >= counts)
    if waiting is not None:
        if waiting.shape != counts.shape or waiting.dtype != bool:
            raise ValueError(
                f"waiting has dtype {waiting.dtype} and shape {waiting.shape}, not bool of shape "
                f"{counts.shape}"
            )
        outside &= ~waiting
    if outside.any():
        at = int(np.argmax(outside))
        raise ValueError(
            f"{what} {at}: there is no choice {choice[at]}; it has {counts[at]} afterstates"
        )
    rows = offsets[:-1] + choice.astype(_OFFSET)
    if waiting is not None:
        rows[waiting] = -1
    return rows


def _best(values, offsets, lowest):
    values = np.ascontiguousarray(values, np.float64)
    if values.shape != (offsets[-1],):
        raise ValueError(f"values have shape {values.shape}, not ({offsets[-1]},), one a result")
    if np.isnan(values).any():
        raise ValueError(f"values: item {int(np.argmax(np.isnan(values)))} is not a number")
    # NumPy cuts and repeats by numbers of the machine's own size, of 32 bits on some.
    offsets = offsets.astype(np.intp, copy=False)
    # Of each pair the highest, and where that is reached for the first time.
    signed = -values if lowest else values
    highest = np.maximum.reduceat(signed, offsets[:-1])
    reached = np.flatnonzero(signed == np.repeat(highest, np.diff(offsets)))
    first = reached[np.searchsorted(reached, offsets[:-1])] - offsets[:-1]
    return first.astype(np.int64, copy=False)


cdef class _Work:
    """The arrays of one call, and the kernel's view of them."""

    cdef Batch batch
    cdef tuple laws
    cdef const Rules *rules[MOST_LAWS]
    cdef object records, rolls, law, numbers, offsets, played

    def __cinit__(self, records, rolls, int64_t each, tuple laws, bint flip, law=None,
                  numbers=None):
        cdef int64_t pairs = len(records) * each, at
        self.records, self.rolls, self.law, self.numbers = records, rolls, law, numbers
        self.laws = laws
        for at in range(len(laws)):
            self.rules[at] = &(<KernelRules>laws[at]).rules
        self.offsets = np.empty(pairs + 1, _OFFSET)
        self.played = np.empty(pairs, _BYTE)
        self.batch.records = <const Record *>address(records)
        self.batch.rolls = <const uint8_t *>address(rolls)
        self.batch.roll_stride = 2 if each == 1 and rolls.ndim == 2 else 0
        self.batch.rolls_each = each
        self.batch.rows = len(records)
        self.batch.rules = self.rules
        self.batch.law = NULL if law is None else <const uint8_t *>address(law)
        self.batch.numbers = NULL if numbers is None else <const uint8_t *>address(numbers)
        self.batch.flip = flip
        self.batch.out = NULL
        self.batch.capacity = 0
        self.batch.stream = False
        self.batch.offsets = <int64_t *>address(self.offsets)
        self.batch.offsets[0] = 0
        self.batch.played = <uint8_t *>address(self.played)
        self.batch.scratch = NULL
        self.batch.ready_rows = 0
        self.batch.done = 0
        self.batch.used = 0
        self.batch.fault = 0

    cdef int64_t pairs(self):
        return self.batch.rows * self.batch.rolls_each

    cdef object run(self, Batch *part):
        """Let the kernel work on a part until it is done or the output full."""
        part.scratch_rows = self.most_each()
        part.scratch = <Record *>PyMem_RawMalloc(part.scratch_rows * sizeof(Record))
        if part.scratch == NULL:
            raise MemoryError
        with nogil:
            kernel.batch(part)
        PyMem_RawFree(part.scratch)
        if part.fault:
            self.refuse(part)

    cdef object run_together(self, int64_t threads, int64_t fresh=0):
        """The same with the whole, by threads, to an output of which so many rows are `fresh`.

        Those each thread first touches in its own share: two at work in one new page of memory
        would both clear it.
        """
        if threads == 1:
            self.run(&self.batch)
            return
        cdef _Chunks chunks = _Chunks.__new__(_Chunks, self, threads)
        ends = [self.batch.used + fresh * share // threads for share in range(threads + 1)]
        with ThreadPoolExecutor(threads) as pool:
            if fresh > 0:
                list(pool.map(chunks.touch, ends[:-1], ends[1:]))
            list(pool.map(_Chunks.make, [chunks] * threads))
        if self.batch.fault:
            self.refuse(&self.batch)

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
            refuse_record(&part.records[row], self.laws[part.law[row] if part.law else 0], at)
        dice += 2 * (part.done % part.rolls_each)
        roll = (dice[0], dice[1])
        if 1 <= min(roll) and max(roll) <= 6:
            refuse_change()
        refuse_roll(at, roll)

    cdef object check(self):
        """Refuse the first bad record."""
        cdef Batch part = self.batch
        with nogil:
            while part.done < part.rows and not part.fault:
                part.fault = kernel.faults(&part.records[part.done], part.rules[0])
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
                    # Written once: nothing is gained by lines of their own.
                    positions = np.empty(self.batch.used, POSITION)
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

    cdef object grow(self, int64_t threads):
        """Fill a new array, its length guessed from a sample and corrected where needed."""
        cdef int64_t pairs = self.pairs()
        cdef int64_t capacity = <int64_t>(1.2 * self.mean() * pairs) + 2 * MOST_DOUBLE
        positions = empty(capacity)
        while True:
            self.batch.out = <Record *>address(positions)
            self.batch.capacity = capacity
            self.batch.stream = threads > 1 and capacity >= _STREAM_FROM
            # A sixth is to spare.
            self.run_together(
                threads, capacity * 5 // 6 - self.batch.used if self.batch.stream else 0
            )
            if self.batch.done == pairs:
                # The rest was never touched, so it holds no memory; cutting it off would only
                # keep the allocator from handing the same pages out again.
                return positions[: self.batch.used]
            capacity = max(
                capacity + capacity // 4,
                <int64_t>(1.1 * self.batch.used / max(self.batch.done, 1) * pairs),
            ) + MOST_DOUBLE
            larger = empty(capacity)
            memcpy(address(larger), self.batch.out, self.batch.used * sizeof(Record))
            positions = larger

    cdef double mean(self) except -1:
        """Results a pair, from a sample evenly spread over the rows."""
        cdef int64_t wanted = min(max(self.pairs() // 50, _FEW), _SAMPLE)
        cdef int64_t step = max(1, self.pairs() // wanted)
        cdef _Work sample
        step = max(1, step // self.batch.rolls_each)
        rolls = self.rolls[::step].copy() if self.batch.roll_stride else self.rolls
        law = None if self.law is None else self.law[::step].copy()
        numbers = None if self.numbers is None else self.numbers[::step].copy()
        # As plain bytes: NumPy copies structured rows field by field.
        records = self.records.view(_ROW)[::step].copy().view(POSITION)
        sample = _Work(records, rolls, self.batch.rolls_each, self.laws, False, law, numbers)
        try:
            sample.count(&sample.batch)
        except ValueError:
            # The row is bad, but its number is known only to the full run, which will say it.
            return 0
        return sample.batch.used / <double>sample.pairs()

    cdef object fill(self, out, int64_t threads):
        """Fill the caller's array from its first row on."""
        cdef int64_t capacity = len(out), needed
        self.batch.out = <Record *>address(out)
        self.batch.capacity = capacity
        self.batch.stream = capacity >= _STREAM_FROM
        self.run_together(threads)
        if self.batch.done < self.pairs():
            needed = self.count(&self.batch)
            if needed <= capacity:
                refuse_change()
            raise ValueError(f"out has {capacity} rows; {needed} are needed")
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
        if self.batch.law:
            self.batch.law += first
        if self.batch.numbers:
            self.batch.numbers += first
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


cdef class _Chunks:
    """The pairs of a call in chunks, which threads make at the same time and place in order.

    A chunk's place is known once all before it are made and so counted. Until then its thread keeps
    the results in rows of its own; the rest of the chunk goes straight to its place.
    """

    cdef _Work work
    cdef Batch part          # what each thread begins with
    cdef int64_t threads
    cdef int64_t rows        # records in a chunk
    cdef int64_t look_after  # so many records, whether its place is known
    cdef int64_t row         # the first of those not taken
    cdef int64_t taken       # chunks
    cdef bint stopped        # at a fault or a full output
    cdef PyThread_type_lock gate
    # Chunk i may be placed when lock i % threads opens, which the one before does and no other. As
    # no more than `threads` chunks are without a place, each of them has a lock of its own.
    cdef PyThread_type_lock *turns

    def __cinit__(self, _Work work, int64_t threads):
        cdef int64_t at, pairs = work.pairs() // (_CHUNKS_EACH * threads)
        pairs = min(max(pairs, _FEW), _MOST_AT_ONCE)
        self.work, self.threads = work, threads
        self.part = work.batch
        self.part.stream = False
        # Whoever has more results than that waits for the place.
        self.part.capacity = 32 * pairs + MOST_DOUBLE
        self.part.scratch_rows = MOST_DOUBLE
        self.rows = max(1, pairs // work.batch.rolls_each)
        self.look_after = max(1, _LOOK_AFTER // work.batch.rolls_each)
        self.row = work.batch.done // work.batch.rolls_each
        self.gate = PyThread_allocate_lock()
        self.turns = <PyThread_type_lock *>PyMem_RawCalloc(threads, sizeof(PyThread_type_lock))
        if self.gate == NULL or self.turns == NULL:
            raise MemoryError
        for at in range(threads):
            self.turns[at] = PyThread_allocate_lock()
            if self.turns[at] == NULL:
                raise MemoryError
            if at > 0:
                PyThread_acquire_lock(self.turns[at], WAIT_LOCK)

    def __dealloc__(self):
        cdef int64_t at
        if self.gate != NULL:
            PyThread_free_lock(self.gate)
        if self.turns != NULL:
            for at in range(self.threads):
                if self.turns[at] != NULL:
                    # Open: not every system lets a closed one go.
                    PyThread_acquire_lock(self.turns[at], NOWAIT_LOCK)
                    PyThread_release_lock(self.turns[at])
                    PyThread_free_lock(self.turns[at])
            PyMem_RawFree(self.turns)

    def touch(self, int64_t row, int64_t end):
        """Have the system clear rows of fresh memory: one of every 4 kB is written to."""
        with nogil:
            while row < end:
                self.part.out[row].lane[0] = 0
                row += 64

    def make(self):
        """What each thread does, until no chunk is left."""
        cdef Batch part = self.part
        scratch, rows, others = empty(MOST_DOUBLE), empty(part.capacity), empty(part.capacity)
        cdef Record *kept = <Record *>address(rows)
        cdef Record *ready = <Record *>address(others)
        cdef int64_t number
        part.scratch = <Record *>address(scratch)
        with nogil:
            number = self.take(&part)
            while number >= 0:
                if self.make_one(&part, number, kept):
                    kept, ready = ready, kept
                number = self.take(&part)
            send_ready(&part)

    cdef int64_t take(self, Batch *part) noexcept nogil:
        """Let the part be the next chunk; returns its number, -1 if there is none."""
        cdef int64_t number = -1
        PyThread_acquire_lock(self.gate, WAIT_LOCK)
        if self.row < self.part.rows:
            # The first one may begin amid the rolls of its record.
            part.done = max(self.row * part.rolls_each, self.part.done)
            self.row = min(self.row + self.rows, self.part.rows)
            part.rows = self.row
            number = self.taken
            self.taken += 1
        PyThread_release_lock(self.gate)
        return number

    cdef bint make_one(self, Batch *part, int64_t number, Record *kept) noexcept nogil:
        """Make a chunk and place it; returns whether what was kept is ready but not yet sent."""
        cdef Batch *whole = &self.work.batch
        cdef int64_t first = part.done, last = part.rows, end = last * part.rolls_each
        cdef int64_t begin, known, used, at
        cdef bint waits
        part.out, part.used, part.capacity, part.stream = kept, 0, self.part.capacity, False
        part.rows = first // part.rolls_each
        while True:
            part.rows = min(part.rows + self.look_after, last)
            kernel.batch(part)
            waits = part.done == end or part.done < part.rows * part.rolls_each
            if PyThread_acquire_lock(
                self.turns[number % self.threads], WAIT_LOCK if waits else NOWAIT_LOCK
            ):
                break
        begin, known, used = whole.used, part.done, part.used
        if self.stopped or part.fault or begin + used > whole.capacity:
            known = first
        else:
            whole.used, whole.done = begin + used, known
            if known < end:
                part.out, part.used, part.capacity = whole.out, whole.used, whole.capacity
                part.rows, part.stream = last, whole.stream
                kernel.batch(part)
                whole.used, whole.done = part.used, part.done
        if whole.done < end:
            self.stop(part)
        PyThread_release_lock(self.turns[(number + 1) % self.threads])
        send_ready(part)
        if known == first:
            return False
        for at in range(first, known):
            whole.offsets[at + 1] += begin
        if not whole.stream:
            memcpy(whole.out + begin, kept, used * sizeof(Record))
            return False
        part.ready, part.ready_to, part.ready_rows = kept, whole.out + begin, used
        return True

    cdef void stop(self, const Batch *part) noexcept nogil:
        """Let the call end where it has got to, with the fault of the first chunk that has one."""
        cdef Batch *whole = &self.work.batch
        if not self.stopped and part.fault:
            whole.fault, whole.done = part.fault, part.done
        self.stopped = True
        PyThread_acquire_lock(self.gate, WAIT_LOCK)
        self.row = self.part.rows
        PyThread_release_lock(self.gate)


cdef void send_ready(Batch *part) noexcept nogil:
    """Send all that is."""
    part.done = part.rows * part.rolls_each
    kernel.batch(part)


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
    cdef int64_t most_threads = as_threads(threads)
    flip = bool(flip)
    records = as_records(records)
    rolls, each = as_rolls(rolls, len(records))
    if out is not None:
        out = as_out(out, records, rolls)
    return play_all(_Work(records, rolls, each, (kernel_rules(ruleset),), flip), out, most_threads)


cdef object play_each(records, rolls, tuple laws, law, numbers, flip, out, threads):
    """The same where every record, each with one roll, has its own place in `laws`."""
    cdef int64_t most_threads = as_threads(threads)
    if out is not None:
        out = as_out(out, records, rolls)
    return play_all(_Work(records, rolls, 1, laws, flip, law, numbers), out, most_threads)


cdef object play_all(_Work work, out, int64_t most_threads):
    threads = min(most_threads, max(1, work.pairs() // _FEW))
    if out is not None:
        positions = work.fill(out, threads)
    elif work.pairs() <= _FEW:
        positions = work.collect()
    else:
        positions = work.grow(threads)
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
    cdef int64_t most_threads = as_threads(threads)
    records = as_records(records)
    rolls, each = as_rolls(rolls, len(records))
    cdef _Work work = _Work(records, rolls, each, (kernel_rules(ruleset),), False)
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
    cdef object records, out
    cdef const Record *rows
    cdef void *answers

    def __cinit__(self, Question question, records, ruleset, dtype, shape=()):
        self.question = question
        self.records = as_records(records)
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
            refuse_record(&rows[done], self.law, first + done)


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
    cdef int64_t most_threads = as_threads(threads)
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
    cdef int64_t most_threads = as_threads(threads)
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
    cdef int64_t most_threads = as_threads(threads)
    cdef _Survey survey = _Survey(_IN_CONTACT, records, ruleset, np.bool_)
    return survey.ask(most_threads)


def points_won(records, ruleset):
    """Return the points the players on roll have won, and which games are over, as two arrays.

    The points are (n,) int8, negative if lost, 0 for a draw and while a game is on; over is (n,)
    bool. Points are those of `Position.points_won`. Raises `IllegalPosition` naming the row for a
    bad record.

    >>> import tavli_fast as tf
    >>> won = tf.Position(tf.PORTES, own={}, opp={24: 15})
    >>> points, over = tf.points_won(tf.to_records([won, won.flip(), tf.Position.start(tf.PORTES)]),
    ...                              tf.PORTES)
    >>> points.tolist(), over.tolist()
    ([2, -2, 0], [True, True, False])
    """
    records = as_records(records)
    cdef KernelRules law = kernel_rules(ruleset)
    cdef int64_t rows = len(records), at
    points, over = np.zeros(rows, np.int8), np.zeros(rows, np.bool_)
    cdef const Record *row = <const Record *>address(records)
    cdef int8_t *found = <int8_t *>address(points)
    cdef uint8_t *ended = <uint8_t *>address(over)
    cdef Record now
    cdef int won, fault = 0
    with nogil:
        for at in range(rows):
            # A copy, so that what is checked is what is judged.
            now = row[at]
            fault = kernel.faults(&now, &law.rules)
            if fault:
                break
            won = kernel.points(&now, &law.rules)
            ended[at] = won != GAME_ON
            found[at] = <int8_t>won if ended[at] else 0
    if fault:
        refuse_record(&now, law, at)
    return points, over


def pip_counts(records):
    """Return the pips that each side of every record still has to travel: (n, 2), own and opp.

    A checker on the bar has 25. The records are not judged.

    >>> import tavli_fast as tf
    >>> tf.pip_counts(tf.start_records(tf.BACKGAMMON, 1)).tolist()
    [[167, 167]]
    """
    records = as_records(records)
    points = np.arange(26)
    return np.stack([records[side]["checkers"] @ points for side in ("own", "opp")], axis=1)


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
    records = as_records(records).copy()
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
    return np.repeat(to_records([Position.start(ruleset)]), as_number(n))


def empty_records(n):
    """Return room for n positions, not filled: (n,) POSITION.

    Each record begins a cache line, which NumPy's own arrays do not promise: as `out` of
    `afterstates` it is filled some 5 % faster than those.

    >>> import tavli_fast as tf
    >>> tf.empty_records(1000).dtype == tf.POSITION
    True
    """
    return empty(as_number(n))


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
    records = as_records(records)
    cdef _Work work = _Work(records, np.array((1, 1), np.uint8), 1, (kernel_rules(ruleset),), False)
    work.check()
