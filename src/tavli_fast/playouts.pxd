"""NumPy's bit generators as the kernel throws their dice."""

from tavli_fast._kernel cimport Source

cdef Source *source_of(generator) except NULL
