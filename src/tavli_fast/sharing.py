"""Work in shares: one after another, in threads, or by any executor, on this machine or others."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

__all__ = ["Progress", "in_shares"]

Progress = Callable[[int, int], object]


def in_shares(
    work: Callable[..., Any],
    shares: Iterable[tuple[Any, ...]],
    *,
    threads: int = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> list[Any]:
    """Return `work(*share)` of every share, in their order.

    The shares are done by `executor`, any `concurrent.futures.Executor`, for which `work` and the
    shares may have to be picklable; or without one by so many `threads` of this process. A share
    whose worker was lost (`BrokenExecutor`) is done again here, and a `RuntimeWarning` says so.
    After every share `progress(done, total)` is called. An error of `work` or an interrupt drops
    the shares not yet begun. What is no executor is a `ValueError`.

    >>> in_shares(pow, [(2, 3), (3, 2)], threads=2)
    [8, 9]
    """
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise ValueError(f"executor is an Executor of concurrent.futures, not {executor!r}")
    shares = list(shares)
    found = []
    with _results(work, shares, threads, executor) as results:
        for done, result in enumerate(results, 1):
            found.append(result)
            if progress is not None:
                progress(done, len(shares))
    return found


@contextmanager
def _results(
    work: Callable[..., Any],
    shares: list[tuple[Any, ...]],
    threads: int,
    executor: Executor | None,
) -> Iterator[Iterator[Any]]:
    if executor is None and threads == 1:
        yield (work(*share) for share in shares)
        return
    own = None
    if executor is None:
        own = executor = ThreadPoolExecutor(threads)
    futures: list[Future[Any] | None] = []
    try:
        try:
            for share in shares:
                futures.append(executor.submit(work, *share))
        except BrokenExecutor:
            futures += [None] * (len(shares) - len(futures))
        yield _collected(work, shares, futures)
    finally:
        for future in futures:
            if future is not None:
                future.cancel()
        if own is not None:
            own.shutdown()


def _collected(
    work: Callable[..., Any], shares: list[tuple[Any, ...]], futures: list[Future[Any] | None]
) -> Iterator[Any]:
    warned = False
    for share, future in zip(shares, futures, strict=True):
        try:
            if future is None:
                raise BrokenExecutor
            result = future.result()
        except BrokenExecutor:
            if not warned:
                warnings.warn(
                    "a worker was lost; what it and the others had not delivered is done here",
                    RuntimeWarning,
                    stacklevel=5,
                )
                warned = True
            result = work(*share)
        yield result
