# cython: language_level=3, freethreading_compatible=True
"""Positions as the input of networks."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from libc.stdint cimport int64_t

from tavli_fast._dispatch cimport KernelRules, kernel, kernel_rules
from tavli_fast._kernel cimport Record
from tavli_fast.arrays cimport address, as_records, as_threads, overlap
from tavli_fast.position cimport refuse_record

from .rules import Contact

ENCODINGS = ("td_gammon", "compact")
"""The encodings of `features`, the usual one first."""

cdef object _FLOAT = np.dtype(np.float32)
# Records below which a thread of its own does not pay.
cdef enum:
    _FEW = 1024


def feature_names(ruleset, encoding="td_gammon"):
    """Return what each unit of an encoding says, in their order, as a tuple of texts.

    `own` is the player on roll, `opp` the other, each side in its own numbering; n is the number
    of checkers there.

    `td_gammon`: the 198 units of Tesauro's TD-Gammon. For each side and point 1 to 24 four: n >= 1,
    n >= 2, n >= 3, and (n - 3) / 2 where that is positive; then n / 2 on the bar, and the part of
    the side's checkers that are off. Then who is on roll, one unit a side. `compact`: 52 units, the
    part of the side's checkers on 0 (off), 1 to 24 and 25 (the bar). Where checkers can be pinned,
    either has 48 more: for each side and point whether its checker is pinned there.

    Raises `ValueError` for an unknown encoding.

    >>> import tavli_fast as tf
    >>> names = tf.feature_names(tf.PORTES)
    >>> len(names), names[20:24], names[96:98], names[196:]
    (198, ('own 6 >= 1', 'own 6 >= 2', 'own 6 >= 3', 'own 6 (n - 3) / 2'), ('own bar n / 2', \
'own off n / 15'), ('own on roll', 'opp on roll'))
    >>> len(tf.feature_names(tf.PLAKOTO)), len(tf.feature_names(tf.PLAKOTO, "compact"))
    (246, 100)
    """
    names = []
    if _is_compact(encoding):
        for side in ("own", "opp"):
            for where in ("off", *range(1, 25), "bar"):
                names.append(f"{side} {where} n / {ruleset.checkers}")
    else:
        for side in ("own", "opp"):
            for point in range(1, 25):
                names += (f"{side} {point} {unit}" for unit in (">= 1", ">= 2", ">= 3", "(n - 3) / 2"))
            names += f"{side} bar n / 2", f"{side} off n / {ruleset.checkers}"
        names += "own on roll", "opp on roll"
    if ruleset.contact is Contact.PIN:
        names += (f"{side} {point} pinned" for side in ("own", "opp") for point in range(1, 25))
    return tuple(names)


cdef int _is_compact(encoding) except -1:
    if encoding not in ENCODINGS:
        raise ValueError(f"encoding cannot be {encoding!r}; it is one of {', '.join(ENCODINGS)}")
    return encoding == "compact"


cdef object _as_out(out, int64_t rows, int64_t units, records):
    if out is None:
        return np.empty((rows, units), _FLOAT)
    if not isinstance(out, np.ndarray) or out.dtype != _FLOAT or out.ndim != 2:
        what = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise ValueError(f"out is {what}, not a two-dimensional float32 array")
    if out.shape[1] != units or out.shape[0] < rows:
        raise ValueError(f"out has shape {out.shape}; ({rows}, {units}) is needed")
    if not (out.flags.c_contiguous and out.flags.aligned):
        raise ValueError("out is not contiguous and aligned")
    if not out.flags.writeable:
        raise ValueError("out is not writable")
    if overlap(out, records):
        raise ValueError("out overlaps records")
    return out[:rows]


def features(records, ruleset, out=None, encoding="td_gammon", on_roll="own", threads=1):
    """Return records as units of an encoding: (n, units) float32.

    `feature_names` says what the units are. `on_roll` says who is to roll next and only changes
    the two units of `td_gammon` that tell it: `own`, or `opp` for afterstates that are not
    flipped. `out`: a float32 array with as many columns and at least n rows, C-contiguous, which is
    written to from its first row on; the result is then a view of those rows. `threads` share the
    rows. The GIL is released.

    Raises `ValueError` for a bad argument and `IllegalPosition` naming the row for a bad record;
    what `out` holds after an error is undefined.

    >>> import tavli_fast as tf
    >>> units = tf.features(tf.start_records(tf.FEVGA, 2), tf.FEVGA)
    >>> units.shape, units[0, 92:96].tolist(), units[0, 196:].tolist()
    ((2, 198), [1.0, 1.0, 1.0, 6.0], [1.0, 0.0])
    >>> tf.features(tf.start_records(tf.FEVGA, 1), tf.FEVGA, encoding="compact")[0, 24].item()
    1.0
    """
    cdef int compact = _is_compact(encoding), turned = on_roll == "opp"
    cdef KernelRules law = kernel_rules(ruleset)
    if on_roll not in ("own", "opp"):
        raise ValueError(f"on_roll is 'own' or 'opp', not {on_roll!r}")
    cdef int64_t most_threads = as_threads(threads)
    records = as_records(records)
    cdef int64_t rows = len(records), units = (52 if compact else 198) + (48 if law.rules.pins else 0)
    out = _as_out(out, rows, units, records)
    threads = min(most_threads, max(1, rows // _FEW))
    if threads == 1:
        _fill(records, law, compact, turned, out, 0, rows)
        return out
    ends = [rows * part // threads for part in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        # In their order, so that of several bad rows the first is told.
        list(pool.map(
            lambda first, last: _fill(records, law, compact, turned, out, first, last),
            ends[:-1], ends[1:],
        ))
    return out


cdef object _fill(records, KernelRules law, int compact, int turned, out, int64_t first, int64_t last):
    cdef const Record *rows = <const Record *>address(records) + first
    cdef float *units = <float *>address(out) + first * <int64_t>out.shape[1]
    cdef int fault = 0
    cdef int64_t done
    with nogil:
        done = kernel.features(rows, last - first, &law.rules, compact, turned, units, &fault)
    if fault:
        refuse_record(&rows[done], law, first + done)
