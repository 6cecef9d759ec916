"""Afterstates of records that are not all played by the same rules."""

cdef object play_each(records, rolls, tuple laws, law, numbers, flip, out, threads)
