"""Makes the runs of a study on a cluster, through parsl; without it, in processes of this machine."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from socscope import processes
from socscope.errors import SocscopeError, StudyError
from socscope.study.pool import Each
from socscope.study.python_file import load
from socscope.study.space import Point

T = TypeVar("T")


@contextmanager
def each(configuration: Path | None) -> Iterator[Each]:
    """Who makes the runs: processes of this machine, or what a file with a `parsl.Config` describes."""
    if configuration is None:
        yield processes.each
        return
    parsl = _parsl()
    config = _config(configuration)
    # A task that is lost with its worker is tried again.
    config.retries = max(config.retries, 1)
    with parsl.load(config):
        yield _on(parsl)


def _parsl() -> Any:  # noqa: ANN401 - parsl has no types.
    try:
        import parsl  # noqa: PLC0415 - an extra.
    except ImportError:
        raise StudyError("--cluster needs parsl: pip install 'socscope[cluster]'") from None
    return parsl


def _config(path: Path) -> Any:  # noqa: ANN401 - parsl has no types.
    module = load(path, "socscope_cluster")
    config = getattr(module, "config", None)
    if type(config).__name__ != "Config":
        raise StudyError(f"{path}: defines no `config`: write config = parsl.Config(executors=[...])")
    return config


def _on(parsl: Any) -> Each:  # noqa: ANN401 - parsl has no types.
    def on_cluster(
        work: Callable[[Point], None],
        arguments: Sequence[Point],
        *,
        jobs: int,
        on_result: Callable[[int, None], None],
        on_failure: Callable[[int, str], None],
        attempts: int = 1,
        on_death: Callable[[int, str], None] = lambda _number, _how: None,
    ) -> None:
        """The cluster's configuration says how many runs are made at a time, and how often they are tried.

        It does not tell of those that are tried again.
        """
        app = parsl.python_app(_told)
        futures: dict[Future[str | None], int] = {
            app(work, argument): number for number, argument in enumerate(arguments)
        }
        for future in as_completed(futures):
            number = futures[future]
            try:
                failure = future.result()
            except Exception as error:
                failure = f"its worker died: {error}"
            if failure is None:
                on_result(number, None)
            else:
                on_failure(number, failure)

    return on_cluster


def _told(work: Callable[[T], None], argument: T) -> str | None:
    """Does the work where the cluster runs it; gives what went wrong."""
    try:
        work(argument)
    except SocscopeError as error:
        return str(error)
    return None
