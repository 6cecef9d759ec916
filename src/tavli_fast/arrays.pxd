"""What the compiled modules ask of an array."""

from libc.stdint cimport int64_t

cdef bint is_plain(object array, object dtype, int dimensions) except -1
cdef void *address(object array) except? NULL
cdef object empty(int64_t n)
cdef int64_t as_number(n) except -1
cdef object as_records(records)
cdef object as_rolls(rolls, rows)
cdef object refuse_roll(row, roll)
cdef object as_out(out, records, rolls)
cpdef int64_t as_threads(threads) except -1
cdef bint overlap(out, array) except -1
