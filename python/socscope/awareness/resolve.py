"""From names to numbers: the table by which the core reads tasks."""

from collections.abc import Mapping
from typing import TypedDict

from socscope.awareness.description import REGISTERS, Description, TaskList, condition
from socscope.errors import AwarenessError, ImageError
from socscope.image import Image
from socscope.image.types import Type, Types

Field = tuple[int, int]
Condition = tuple[int, int, int, int | None]


class Frame(TypedDict):
    """Registers that lie together: at the sum of some members, or in the control block, and an offset."""

    base: list[Field]
    offset: int
    registers: list[tuple[int, str, int]]


class View(TypedDict):
    """A way to see a task that does not run."""

    name: str
    when: list[Condition]
    frames: list[Frame]


class Table(TypedDict):
    """What the core needs to know. A field is offset and size, a condition a field, a mask and a value."""

    system: str
    array: tuple[int, int, int] | None
    list: tuple[int, Field, int, bool] | None
    """Head, the pointer to the next node, where the node lies, whether the head is the first task's node."""
    group: tuple[Field, int, int] | None
    """More tasks at each: the pointer to their list's owner, the head's place in that, the node's place."""
    linux: tuple[int, int, int, int] | None
    """How a Linux kernel maps addresses: its offset, its page directory, where a task has its memory, where
    that has its own directory."""
    exists: list[Condition]
    identity: Field | None
    name: Field
    name_is_pointer: bool
    priority: Field | None
    numbers: "list[tuple[str, Field]]"
    states: list[tuple[str, list[Condition]]]
    otherwise: str
    current: int | None
    """Pointer to the running task; without it the special register and the member that it points to."""
    special: tuple[int, int]
    views: list[View]


class _Block:
    """The control block of a task."""

    def __init__(self, description: Description, kind: Type) -> None:
        self._system = description.system
        self._type = kind

    def field(self, path: str) -> Field:
        """A member that is one number."""
        offset, kind = self.member(path)
        if kind.is_array or kind.size not in (1, 2, 4):
            raise AwarenessError(f"{self._system}: {path} is no number of 1, 2 or 4 bytes")
        return offset, kind.size

    def member(self, path: str) -> tuple[int, Type]:
        """Any member."""
        try:
            return self._type.member(path)
        except ImageError as error:
            raise AwarenessError(f"{self._system}: {error}") from None

    def conditions(self, texts: Mapping[str, str]) -> list[Condition]:
        """Conditions on members."""
        return [(*self.field(path), *condition(text)) for path, text in texts.items()]


def resolve(description: Description, image: Image) -> Table:
    """The table of a system in an image, from its symbols and debug information."""
    missing = [symbol for symbol in description.symbols if symbol not in image.symbols]
    if missing:
        raise AwarenessError(f"{description.system}: {image.path} has no {', '.join(missing)}")
    if image.machine != description.machine:
        built = image.machine.removeprefix("EM_")
        wanted = description.machine.removeprefix("EM_")
        raise AwarenessError(
            f"{description.system}: {image.path} is for {built}, and the description for {wanted}; "
            f'write machine = "{image.machine}" and where the registers of its tasks lie'
        )
    types = Types(image)
    tasks = description.tasks
    try:
        kind = _innermost(types.variable(tasks.array or tasks.type or ""))
    except ImageError as error:
        raise AwarenessError(f"{description.system}: {error}") from None
    block = _Block(description, kind)
    name_offset, name = block.member(tasks.name)
    return Table(
        system=description.system,
        array=_array(tasks, image, types),
        list=_list(tasks, image, block),
        exists=block.conditions(tasks.exists),
        identity=block.field(tasks.identity) if tasks.identity else None,
        group=None,
        linux=None,
        numbers=[],
        special=(0, 0),
        name=(name_offset, name.size),
        name_is_pointer=name.is_pointer,
        priority=block.field(tasks.priority) if tasks.priority else None,
        states=[(state.name, block.conditions(state.when)) for state in description.state],
        otherwise=tasks.otherwise,
        current=image.address_of(tasks.running),
        views=[
            _view(view.name, block.conditions(view.when), description, block) for view in description.view
        ],
    )


def _array(tasks: TaskList, image: Image, types: Types) -> tuple[int, int, int] | None:
    if tasks.array is None:
        return None
    kind = types.variable(tasks.array)
    if not kind.is_array:
        raise AwarenessError(f"{tasks.array} is no array: name a list by head instead")
    return image.address_of(tasks.array), kind.count, kind.element.size


def _list(tasks: TaskList, image: Image, block: _Block) -> tuple[int, Field, int, bool] | None:
    if tasks.head is None or tasks.next is None:
        return None
    node = block.member(tasks.node)[0] if tasks.node else 0
    return image.address_of(tasks.head), block.field(tasks.next), node, False


def _view(name: str, when: list[Condition], description: Description, block: _Block) -> View:
    frames = next(view.frame for view in description.view if view.name == name)
    registers = REGISTERS[description.machine]
    return View(
        name=name,
        when=when,
        frames=[
            Frame(
                base=[block.field(path) for path in frame.base],
                offset=frame.offset % (1 << 32),
                registers=[
                    (registers.index(register), kind, value % (1 << 32))
                    for kind, values in (
                        ("load", frame.load),
                        ("address", frame.address),
                        ("constant", frame.constant),
                    )
                    for register, value in values.items()
                ],
            )
            for frame in frames
        ],
    )


def _innermost(kind: Type) -> Type:
    while kind.is_array or kind.is_pointer:
        kind = kind.element
    return kind
