"""Finds a study: one that comes with Socscope, or the one that a Python file defines."""

import importlib.util
import inspect
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from socscope.errors import StudyError
from socscope.study.study import Study, located

# Name in commands to module and class.
BUILT_IN = {
    "serial-transfer": ("socscope.study.serial_transfer", "SerialTransfer"),
    "rule30": ("socscope.study.rule30", "Rule30"),
}


@cache
def find(reference: str) -> Study[Any]:
    """The study of a name, or of a path to a Python file; the same text finds it in every process."""
    if reference in BUILT_IN:
        module, name = BUILT_IN[reference]
        return _referred(getattr(import_module(module), name)(), reference)
    if not reference.endswith(".py"):
        raise StudyError(
            f"{reference}: no such study; there are {', '.join(BUILT_IN)}; "
            "or give a Python file that defines one: my_study.py"
        )
    return _referred(_defined(Path(reference)), reference)


def _referred(study: Study[Any], reference: str) -> Study[Any]:
    study.reference = reference
    return study


def _defined(path: Path) -> Study[Any]:
    if not path.is_file():
        raise StudyError(f"{path}: no such file")
    # A name that no other module has.
    spec = importlib.util.spec_from_file_location(f"socscope_study_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise StudyError(f"{path}: cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    # Classes are looked up by their module's name, for instance by pydantic.
    sys.modules[module.__name__] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise StudyError(f"{error.filename}:{error.lineno}: {error.msg}") from None
    except Exception as error:
        raise StudyError(located(error, [path])) from error
    own = [
        one
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, Study) and one.__module__ == module.__name__
    ]
    made = [one for one in own if not inspect.isabstract(one)]
    if len(made) == 1:
        return made[0]()
    if made:
        names = ", ".join(one.__name__ for one in made)
        raise StudyError(f"{path}: defines several studies, {names}; give each a file of its own")
    for one in own:
        lacking = ", ".join(sorted(one.__abstractmethods__))
        line = inspect.getsourcelines(one)[1]
        raise StudyError(f"{path}:{line}: the study {one.__name__} lacks {lacking}")
    raise StudyError(f"{path}: defines no study: derive a class from socscope.study.ForkedStudy")
