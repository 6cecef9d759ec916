"""The kernel build that runs here, and rulesets in the form it reads."""

cimport cython
from tavli_fast._kernel cimport Kernel, Rules

cdef const Kernel *kernel


@cython.final
cdef class KernelRules:
    cdef object ruleset
    cdef Rules rules


cdef KernelRules kernel_rules(object ruleset)
