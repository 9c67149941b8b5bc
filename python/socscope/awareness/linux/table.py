"""The table by which the core reads the tasks of a Linux kernel: places, states, registers."""

from socscope.awareness.linux.kernel import Kernel
from socscope.awareness.resolve import Table

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


def table(kernel: Kernel) -> Table:
    """Where the tasks of a kernel are.

    Raises AwarenessError where the debug information does not say it.
    """
    block, current = kernel.block, kernel.layout["current"]
    node = block.field("tasks")[0]
    first, directory = block.address("init_task"), block.address("swapper_pg_dir")
    state, exit_state = block.field("__state", "state"), block.field("exit_state")
    return Table(
        system="Linux",
        array=None,
        list=(first + node, (node, 4), node, True),
        group=(block.field("signal"), block.behind("signal", "thread_head"), block.field("thread_node")[0]),
        linux=(
            kernel.page_offset,
            directory - kernel.page_offset,
            block.field("mm")[0],
            block.behind("mm", "pgd"),
        ),
        exists=[],
        identity=block.field("pid"),
        name=block.field("comm"),
        name_is_pointer=False,
        priority=None,
        numbers=[("pid", block.field("pid")), ("process", block.field("tgid"))],
        states=[
            *((name, block.when(exit_state, text)) for name, text in EXIT_STATES.items()),
            *((name, block.when(state, text)) for name, text in STATES.items()),
        ],
        otherwise="ready",
        current=None if isinstance(current, int) else current[0] + current[1],
        special=(kernel.architecture.special, current if isinstance(current, int) else 0),
        views=kernel.architecture.views(block),
    )
