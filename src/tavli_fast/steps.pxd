"""The next steps of a turn, as `position` asks for them."""

from tavli_fast._dispatch cimport KernelRules
from tavli_fast._kernel cimport Record


cdef tuple next_steps(const Record *record, KernelRules law, int die, int other, int numbers,
                      list played)
