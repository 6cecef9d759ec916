"""The position as the compiled modules share it."""

cimport cython
from libc.stdint cimport uint8_t

from tavli_fast._dispatch cimport KernelRules
from tavli_fast._kernel cimport Record


@cython.final
cdef class Position:
    # design: a record and the rules it is played by; nothing changes after construction
    cdef Record record
    cdef readonly object ruleset
    cdef KernelRules law

    cdef object _perft(self, int depth, int weighted, const volatile int *stop)


cdef Position from_record(const Record *record, object ruleset, KernelRules law)
cdef list describe_faults(const Record *record, object ruleset, int faults)
cdef object refuse_record(const Record *record, KernelRules law, object row)
cdef object refuse_change()
