"""Work by executors: the same results as here, whoever does it and whatever happens to him."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast.sharing import in_shares


@contextmanager
def threads():
    with ThreadPoolExecutor(2) as executor:
        yield executor


@contextmanager
def processes():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        yield executor


@contextmanager
def dask():
    distributed = pytest.importorskip(
        "distributed", reason="a cluster is tried where Dask is installed"
    )
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client.get_executor()


def perft(**how):
    return tf.Position.start(tf.PORTES).perft(3, weighted=True, **how)


def playouts(**how):
    records = np.concatenate(
        [tf.start_records(tf.PLAKOTO, 3), tf.to_records([tf.Position(tf.PLAKOTO, {1: 2}, {5: 9})])]
    )
    return [part.tolist() for part in tf.playouts(records, tf.PLAKOTO, 9, games=400, **how)]


def games(**how):
    return [part.tobytes() for part in tf.generate_games(tf.FEVGA, 3000, 3, **how)]


@pytest.mark.filterwarnings("default")  # Dask's own
@pytest.mark.parametrize("who", [threads, processes, dask], ids=lambda who: who.__name__)
def test_an_executor_makes_no_difference(who):
    told = []
    with who() as executor:
        assert isinstance(executor, Executor)
        for work in perft, playouts, games:
            how = {"progress": lambda done, total: told.append((done, total))}
            assert work(executor=executor, **how) == work()
            assert told[-1][0] == told[-1][1] > 1


def lost_once(number, flag):
    """The first worker to be asked for 3 dies."""
    if number == 3 and not os.path.exists(flag):
        with open(flag, "x"):
            os._exit(1)
    return number * number


def test_what_a_killed_worker_had_is_done_again(tmp_path):
    shares = [(number, str(tmp_path / "flag")) for number in range(8)]
    with (
        ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes,
        pytest.warns(RuntimeWarning, match="a worker was lost"),
    ):
        assert in_shares(lost_once, shares, executor=processes) == [n * n for n in range(8)]


def test_an_executor_that_has_been_broken_is_done_without(tmp_path):
    shares = [(number, str(tmp_path / "flag")) for number in range(4)]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        with pytest.warns(RuntimeWarning, match="a worker was lost"):
            in_shares(lost_once, shares, executor=processes)
        with pytest.warns(RuntimeWarning, match="a worker was lost"):
            assert in_shares(pow, [(2, 3)], executor=processes) == [8]


def killed_once(number, flag):
    """The first worker to be asked for 3 is killed as the system kills for want of memory."""
    if number == 3 and not os.path.exists(flag):
        with open(flag, "x"):
            os.kill(os.getpid(), signal.SIGKILL)
    return number * number


@pytest.mark.filterwarnings("default")  # Dask's own
def test_a_cluster_does_again_what_a_killed_worker_had(tmp_path):
    shares = [(number, str(tmp_path / "flag")) for number in range(8)]
    with dask() as executor:
        assert in_shares(killed_once, shares, executor=executor) == [n * n for n in range(8)]
    assert (tmp_path / "flag").exists()


class Noting(ThreadPoolExecutor):
    """Keeps its futures."""

    def __init__(self):
        super().__init__(1)
        self.futures: list[Future] = []

    def submit(self, *work, **options):
        self.futures.append(super().submit(*work, **options))
        return self.futures[-1]


def slowly(number):
    time.sleep(0.001)
    return 1 / number


def test_an_error_drops_the_shares_not_yet_begun():
    with Noting() as executor, pytest.raises(ZeroDivisionError):
        in_shares(slowly, [(number,) for number in range(10_000)], executor=executor)
    assert sum(future.cancelled() for future in executor.futures) > 0
