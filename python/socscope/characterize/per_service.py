"""Work on services, several at a time, and the machine that each process keeps ready for it."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

from socscope import processes
from socscope.characterize.dynamic.bench import Bench, Source
from socscope.errors import CharacterizeError, SocscopeError

R = TypeVar("R")

# Called with a service's name when it is done, how many are done, and how many there are.
OnService = Callable[[str, int, int], None]


@cache
def bench_of(source: Source) -> Bench:
    """One for each process: booting takes longer than most runs."""
    return Bench(source)


def fresh_bench(source: Source) -> Bench:
    """The same, made anew: image and description may have changed since the last time."""
    bench_of.cache_clear()
    return bench_of(source)


def each(work: Callable[[str], R], names: Sequence[str], *, jobs: int, on_service: OnService) -> list[R]:
    """What `work` gives for each service; fails with all that went wrong."""
    found: dict[int, R] = {}
    failures: list[str] = []

    def on_result(number: int, result: R) -> None:
        found[number] = result
        on_service(names[number], len(found) + len(failures), len(names))

    def on_failure(number: int, failure: str) -> None:
        failures.append(failure)
        on_service(names[number], len(found) + len(failures), len(names))

    if jobs == 1 or len(names) == 1:
        for number, name in enumerate(names):
            try:
                on_result(number, work(name))
            except SocscopeError as error:
                on_failure(number, str(error))
    else:
        processes.each(work, names, jobs=jobs, on_result=on_result, on_failure=on_failure)
    if failures:
        raise CharacterizeError("\n".join(failures))
    return [found[number] for number in range(len(names))]
