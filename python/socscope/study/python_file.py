"""Python files that users give: executed as modules, their errors told with file and line."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from socscope.errors import StudyError
from socscope.study.study import located


def load(path: Path, prefix: str) -> ModuleType:
    """The module of a file, under a name that begins with `prefix` and that no other module has."""
    if not path.is_file():
        raise StudyError(f"{path}: no such file")
    spec = importlib.util.spec_from_file_location(f"{prefix}_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise StudyError(f"{path}: cannot be loaded as Python: its name ends in .py")
    module = importlib.util.module_from_spec(spec)
    # Classes are looked up by their module's name, for instance by pydantic.
    sys.modules[module.__name__] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise StudyError(f"{error.filename}:{error.lineno}: {error.msg}") from None
    except Exception as error:
        raise StudyError(located(error, [path])) from error
    return module
