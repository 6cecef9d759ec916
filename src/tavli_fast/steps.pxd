"""The next steps of a turn and why others are refused, as `position` asks for them."""

from tavli_fast._dispatch cimport KernelRules
from tavli_fast._kernel cimport Record


cdef tuple next_steps(const Record *record, KernelRules law, int die, int other, int numbers,
                      list played)

cdef tuple refusal(const Record *record, KernelRules law, int die, int other, int numbers,
                   list played, int start, int end)
