# cython: language_level=3, freethreading_compatible=True
"""NumPy arrays as the compiled modules take them: checked once, then plain memory.

>>> ALL_ROLLS[:3].tolist()
[[1, 1], [2, 1], [2, 2]]
"""

from operator import index

import numpy as np

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint8_t, uintptr_t

from .position import POSITION

ALL_ROLLS = np.array(
    [(die, other) for die in range(1, 7) for other in range(1, die + 1)], dtype=np.uint8
)
"""The 21 distinct rolls, (21, 2) uint8, higher die first; as `rolls` it means all 21 of each."""
ALL_ROLLS.setflags(write=False)
# What is read: nobody else can change these.
cdef object _ALL_ROLLS = ALL_ROLLS.copy()

# More threads than any machine has processors would only wait for each other.
cdef enum:
    _MOST_THREADS = 256

cdef type _ndarray = np.ndarray
cdef object _BYTE = np.dtype(np.uint8)

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


cdef bint is_plain(object array, object dtype, int dimensions) except -1:
    """Whether an array is a contiguous one of this very dtype, so that nothing more need be asked."""
    if type(array) is not _ndarray:
        return False
    cdef TavliArrayHead *head = <TavliArrayHead *><PyObject *>array
    return (
        head.descr == <PyObject *>dtype and head.nd == dimensions and head.flags & _CONTIGUOUS
    )


cdef void *address(object array) except? NULL:
    """Where a contiguous array's data lies; the caller keeps the array alive."""
    assert isinstance(array, _ndarray)
    return (<TavliArrayHead *><PyObject *>array).data


cdef object empty(int64_t n):
    """n records, each in a cache line of its own: 5 % faster to fill than astride two."""
    lines = np.empty(64 * n + 63, _BYTE)
    cdef int64_t start = -<int64_t><uintptr_t>address(lines) % 64
    return lines[start : start + 64 * n].view(POSITION)


cdef int64_t as_number(n) except -1:
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


cdef object as_records(records):
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


cdef object as_rolls(rolls, rows):
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
            refuse_roll(row, rolls.reshape(-1, 2)[row])
    return np.ascontiguousarray(rolls, _BYTE), 1


cdef object refuse_roll(row, roll):
    raise ValueError(
        f"row {row}: a roll is two numbers from 1 to 6, not ({', '.join(str(die) for die in roll)})"
    )


cdef object as_out(out, records, rolls):
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
    if overlap(out, records):
        raise ValueError("out overlaps records")
    if overlap(out, rolls):
        raise ValueError("out overlaps rolls")
    return out


cdef bint overlap(out, array) except -1:
    """Whether two contiguous arrays share memory."""
    cdef uintptr_t first = <uintptr_t>address(out), other = <uintptr_t>address(array)
    cdef uintptr_t length = out.nbytes, other_length = array.nbytes
    return first < other + other_length and other < first + length


cpdef int64_t as_threads(threads) except -1:
    """How many threads are asked for, as a number; no more than are ever of use."""
    try:
        threads = index(threads)
    except TypeError:
        threads = 0
    if threads < 1:
        raise ValueError("threads is an integer of at least 1")
    return min(threads, _MOST_THREADS)
