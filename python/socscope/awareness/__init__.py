"""The tasks of the guest's operating system, read from its memory by symbols and debug information.

A system is described by a TOML file; nothing is added to the guest.
"""

from socscope.awareness.description import Description, systems
from socscope.awareness.find import find, known
from socscope.awareness.resolve import Table, resolve
from socscope.awareness.tasks import Task, Tasks

__all__ = ["Description", "Table", "Task", "Tasks", "find", "known", "resolve", "systems"]
