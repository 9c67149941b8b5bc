"""Work that is done in processes of its own, several at a time."""

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Generic, TypeVar

from socscope import ending
from socscope.errors import SocscopeError

T = TypeVar("T")
R = TypeVar("R")
END_S = 10


@dataclass(frozen=True)
class _Answer(Generic[R]):
    """What came of one argument: a result, what a person should read, or an error of ours."""

    result: R | None = None
    failure: str | None = None
    error: Exception | None = None


class _Worker(Generic[T, R]):
    """A process that does one piece of work after the other."""

    def __init__(self, context: SpawnContext, work: Callable[[T], R]) -> None:
        self.connection, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(target=_serve, args=(theirs, work), daemon=True)
        self.process.start()
        theirs.close()
        self.number = -1

    def give(self, number: int, argument: T) -> None:
        """Hands out a piece of work; a process that has died meanwhile is noticed when it is waited for."""
        self.number = number
        with suppress(OSError):
            self.connection.send(argument)

    def answer(self) -> _Answer[R] | None:
        """What it says, or None when it has died."""
        try:
            answer: _Answer[R] = self.connection.recv()
        except (EOFError, OSError):
            return None
        return answer

    def end(self, *, interrupt: bool = False) -> None:
        """Lets it end by itself, or soon."""
        if interrupt and self.process.pid is not None:
            # Processes of a job in the background ignore Ctrl-C's signal.
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, signal.SIGTERM)
        self.connection.close()
        self.process.join(END_S)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()

    def death(self) -> str:
        """How it died."""
        self.process.join(END_S)
        code = self.process.exitcode
        if code is not None and code < 0:
            return f"its process died: {signal.Signals(-code).name}"
        return f"its process died: exit status {code}"


def each(
    work: Callable[[T], R],
    arguments: Sequence[T],
    *,
    jobs: int,
    on_result: Callable[[int, R], None],
    on_failure: Callable[[int, str], None],
    attempts: int = 1,
    on_death: Callable[[int, str], None] = lambda _number, _how: None,
) -> None:
    """Does `work` for each argument, `jobs` at a time, and says the number of each argument when it ends.

    A process does many pieces of work, one after the other; none of them is this one. A failure does not stop
    the others. What a process was at when it died is tried again, `attempts` times in all; `on_death` is told
    of each that will be. Ctrl-C ends all, as do SIGTERM and SIGHUP in a command.
    """
    # A fresh interpreter for each worker: a forked one would share the threads' locks of this one.
    context = multiprocessing.get_context("spawn")
    todo = deque(range(len(arguments)))
    deaths = dict.fromkeys(todo, 0)
    workers: list[_Worker[T, R]] = []

    def died(worker: _Worker[T, R], number: int) -> None:
        workers.remove(worker)
        deaths[number] += 1
        how = worker.death()
        if deaths[number] < attempts:
            todo.append(number)
            on_death(number, how)
        else:
            on_failure(number, how if attempts == 1 else f"{how}, {attempts} times")

    try:
        while todo or workers:
            while todo and len(workers) < jobs:
                workers.append(_Worker(context, work))
                workers[-1].give(number := todo.popleft(), arguments[number])
            for worker in _ready(workers):
                number, answer = worker.number, worker.answer()
                if answer is None:
                    died(worker, number)
                    continue
                if todo:
                    worker.give(following := todo.popleft(), arguments[following])
                else:
                    workers.remove(worker)
                    worker.end()
                _say(number, answer, on_result, on_failure)
    finally:
        for worker in workers:
            worker.end(interrupt=True)


def _ready(workers: Sequence[_Worker[T, R]]) -> list[_Worker[T, R]]:
    """Waits for those that have something to say, or are dead."""
    ready = wait([worker.connection for worker in workers])
    return [worker for worker in workers if worker.connection in ready]


def _say(
    number: int,
    answer: _Answer[R],
    on_result: Callable[[int, R], None],
    on_failure: Callable[[int, str], None],
) -> None:
    if answer.error is not None:
        raise answer.error
    if answer.failure is not None:
        on_failure(number, answer.failure)
    else:
        on_result(number, answer.result)  # type: ignore[arg-type] # A result may be None.


def _serve(connection: Connection, work: Callable[[T], R]) -> None:
    """The life of a worker."""
    threading.Thread(target=_die_with_parent, daemon=True).start()
    # An interrupt may come while the end of the connection is noticed: it has a block of its own.
    with suppress(KeyboardInterrupt), ending.in_order():
        with suppress(EOFError, OSError):
            while True:
                argument = connection.recv()
                answer = _done(work, argument)
                try:
                    connection.send(answer)
                except (pickle.PicklingError, TypeError, AttributeError) as error:
                    connection.send(_Answer(error=RuntimeError(f"{answer}: {error}")))
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _done(work: Callable[[T], R], argument: T) -> _Answer[R]:
    try:
        return _Answer(result=work(argument))
    except SocscopeError as error:
        return _Answer(failure=str(error))
    except Exception as error:
        error.add_note(traceback.format_exc())
        return _Answer(error=error)


def _die_with_parent() -> None:
    """Nobody waits for the work of a worker whose parent was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
