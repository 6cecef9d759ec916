"""Memory that ends where it is said to end: the page before and the page behind cannot be touched.

Whoever reads or writes one byte too many stops the whole program there.
"""

from __future__ import annotations

import ctypes
import mmap
import sys

import numpy as np
import pytest

PAGE = mmap.PAGESIZE
NO_ACCESS = 0

needs_guards = pytest.mark.skipif(
    sys.platform == "win32", reason="pages are guarded by mprotect, which Windows has not"
)


def guarded(data: np.ndarray, at_end: bool) -> np.ndarray:
    """A copy of a contiguous array, its last byte or its first one right at a guarded page."""
    length = data.nbytes
    pages = -(-length // PAGE)
    memory = mmap.mmap(-1, (pages + 2) * PAGE)
    whole = np.frombuffer(memory, dtype=np.uint8)
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    for page in (0, pages + 1):
        address = ctypes.c_void_p(whole.ctypes.data + page * PAGE)
        if protect(address, ctypes.c_size_t(PAGE), NO_ACCESS):
            raise OSError(ctypes.get_errno(), "mprotect")
    start = PAGE + (pages * PAGE - length if at_end else 0)
    copy = whole[start : start + length].view(data.dtype).reshape(data.shape)
    copy[...] = data
    return copy
