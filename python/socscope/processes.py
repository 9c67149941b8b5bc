"""Work that is done in processes of its own, several at a time."""

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from socscope.errors import SocscopeError

T = TypeVar("T")
R = TypeVar("R")


def each(
    work: Callable[[T], R],
    arguments: Sequence[T],
    *,
    jobs: int,
    on_result: Callable[[int, R], None],
    on_failure: Callable[[int, str], None],
) -> None:
    """Does `work` for each argument, `jobs` at a time, and says the number of each argument when it ends.

    Every process is a fresh one. A failure does not stop the others. Ctrl-C ends all.
    """
    if not arguments:
        return
    # A fresh interpreter for each worker: a forked one would share the threads' locks of this one.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=min(jobs, len(arguments)), mp_context=context) as pool:
        futures: dict[Future[R], int] = {
            pool.submit(work, argument): number for number, argument in enumerate(arguments)
        }
        try:
            for future in as_completed(futures):
                if failure := _failure(future):
                    on_failure(futures[future], failure)
                else:
                    on_result(futures[future], future.result())
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _failure(future: Future[R]) -> str | None:
    try:
        future.result()
    except SocscopeError as error:
        return str(error)
    except BrokenProcessPool:
        return "its process died"
    return None
