"""The table by which the core reads the tasks of a Linux kernel: places, states, registers."""

from socscope.awareness.description import condition
from socscope.awareness.linux.kernel import Kernel
from socscope.awareness.resolve import Condition, Field, Frame, Table, View
from socscope.errors import AwarenessError, ImageError

# SPRG3 holds the physical address of the current task's `thread`.
CURRENT_THREAD = 275

# States by the bits of include/linux/sched.h; the first that holds is the task's.
EXIT_STATES = {"zombie": "& 0x20", "dead": "nonzero"}
STATES = {
    "idle": "& 0x402 = 0x402",
    "uninterruptible": "& 2",
    "sleeping": "& 1",
    "stopped": "& 4",
    "traced": "& 8",
    "parked": "& 0x40",
    "dead": "& 0x80",
}

# `struct user_pt_regs` of the kernel's interface for debuggers (asm/ptrace.h), by the debugger's numbers.
PC, MSR, CR, LINK, COUNT, XER = range(32, 38)
FRAME = {
    **{number: 4 * number for number in range(32)},
    PC: 128,
    MSR: 132,
    COUNT: 140,
    LINK: 144,
    XER: 148,
    CR: 152,
}
# A kernel stack's frame begins with so many bytes; those that a switch saves follow.
HEADER_BYTES = 16
STACK = 1
KEPT = range(14, 32)


def table(kernel: Kernel) -> Table:
    """Where the tasks of a kernel are.

    Raises AwarenessError where the debug information does not say it.
    """
    task = kernel.task

    def field(*names: str) -> Field:
        """A number in the control block, by the first of these names that there is."""
        for name in names[:-1]:
            try:
                return field(name)
            except AwarenessError:
                continue
        try:
            offset, kind = task.member(names[-1])
        except ImageError as error:
            raise AwarenessError(f"{kernel.image.path}: {error}") from None
        return offset, kind.size

    def behind(pointer: str, name: str) -> int:
        """Where a member lies in what a pointer of the control block points to."""
        try:
            return task.member(pointer)[1].element.member(name)[0]
        except ImageError as error:
            raise AwarenessError(f"{kernel.image.path}: {error}") from None

    def when(place: Field, text: str) -> list[Condition]:
        return [(*place, *condition(text))]

    node = field("tasks")[0]
    first, directory = (kernel.image.address_of(name) for name in ("init_task", "swapper_pg_dir"))
    state, exit_state, registers = field("__state", "state"), field("exit_state"), field("thread.regs")
    return Table(
        system="Linux",
        array=None,
        list=(first + node, (node, 4), node, True),
        group=(field("signal"), behind("signal", "thread_head"), field("thread_node")[0]),
        linux=(
            kernel.page_offset,
            directory - kernel.page_offset,
            field("mm")[0],
            behind("mm", "pgd"),
        ),
        exists=[],
        identity=field("pid"),
        name=field("comm"),
        name_is_pointer=False,
        priority=None,
        numbers=[("pid", field("pid")), ("process", field("tgid"))],
        states=[
            *((name, when(exit_state, text)) for name, text in EXIT_STATES.items()),
            *((name, when(state, text)) for name, text in STATES.items()),
        ],
        otherwise="ready",
        current=None,
        special=(CURRENT_THREAD, kernel.layout["thread"]),
        views=[
            View(name="kernel", when=[], frames=[_switched(field("thread.ksp"))]),
            View(name="user", when=when(registers, "nonzero"), frames=[_entered(registers)]),
        ],
    )


def _switched(stack: Field) -> Frame:
    """Where `_switch` has left the task: its frame is as that of an exception, with what a function keeps."""
    kept = [(number, "load", HEADER_BYTES + FRAME[number]) for number in (*KEPT, PC, CR)]
    link = (LINK, "load", HEADER_BYTES + FRAME[PC])
    return Frame(base=[stack], offset=0, registers=[(STACK, "load", 0), *kept, link])


def _entered(registers: Field) -> Frame:
    """Where the task's own code has entered the kernel."""
    return Frame(
        base=[registers], offset=0, registers=[(number, "load", place) for number, place in FRAME.items()]
    )
