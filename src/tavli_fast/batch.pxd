"""Afterstates of records that are not all played by the same rules, and those chosen of them."""

cdef object play_each(records, rolls, tuple laws, law, numbers, flip, out, threads)
cdef object chosen_rows(offsets, choice, what, waiting=*)
