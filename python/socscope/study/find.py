"""Finds a study: one that comes with Socscope, or the one that a Python file defines."""

import inspect
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from socscope.errors import StudyError
from socscope.study.python_file import load
from socscope.study.study import Study

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
    module = load(path, "socscope_study")
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
