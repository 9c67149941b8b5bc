"""The compiled core's errors as errors of this package."""

from types import TracebackType

from socscope import _core
from socscope.errors import SocscopeError


class clear_errors:
    """Gives the core's errors the base class of ours."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if isinstance(error, _core.CoreError):
            raise SocscopeError(str(error)) from error
