"""What probes know when a debugger is there: counts in the past, tasks."""

import re
from pathlib import Path

import pytest
from socscope.simulation import Simulation
from test_gdb import gdb, in_order, served, session  # type: ignore[import-not-found] # Tests beside it.

ROOT = Path(__file__).parents[2]
VMLINUX = ROOT / "build/guests/linux/vmlinux"


def tables(said: str) -> list[str]:
    """What `monitor probes print` has said, each time."""
    return re.findall(r"^ *instructions +cycles +function\n(?: *\d+ +\d+ .*\n)+", said + "\n", re.MULTILINE)


def test_the_past_is_counted_as_the_present_was() -> None:
    said, _ = session("""
        break scheduler_start
        continue
        monitor time
        monitor probes on
        break scheduler_leave
        continue
        stepi 3
        monitor probes print 1000
        monitor goto 0ms
        continue
        monitor probes reset
        continue
        stepi 3
        monitor probes print 1000
    """)
    present, past = tables(said)
    assert present == past
    instructions, cycles, _ = present.splitlines()[-1].split()
    assert int(cycles) > int(instructions) > 3


def test_counts_of_the_past_end_where_time_is_moved() -> None:
    said, _ = session("""
        break scheduler_leave
        continue
        monitor goto 1ms
        monitor probes on
        stepi 20
        monitor probes print 1
        reverse-stepi
        stepi 20
        monitor probes print 1
        monitor probes on
        stepi 5
        monitor probes print 1
    """)
    in_order(
        said,
        r"^counting begins$",
        r"^ +20 +\d+  all$",
        r"^ +20 +\d+  all$",
        r"^counting ended at 1\.\d+ ms, when time was moved or the past changed; 'monitor probes on' ",
        r"^counting begins$",
        r"^ +5 +\d+  all$",
    )


def test_what_was_counted_up_to_the_present_says_so_in_the_past() -> None:
    said, _ = session("""
        monitor probes on
        break scheduler_leave
        continue
        monitor goto 1ms
        monitor probes on
        monitor probes off
        monitor probes print 1
        monitor interrupts
        monitor goto present
        monitor probes print 1
        monitor goto 1ms
        set var task_table[1].name[0] = 'Y'
        stepi
        monitor probes print 1
    """)
    refused = "the machine stands in the past, and these counts are those up to the present: "
    note = "the counts are those up to the present; the machine stands in the past"
    in_order(said, f"^{refused}", f"^{refused}", r"  all$", f"^{note}$", r"^cpu0.irq", f"^{note}$", r"  all$")
    in_order(said, r"^counting ended at 1\.\d+ ms, when time was moved or the past changed")
    assert said.count(note) == 2


def watched(limit: str | None = None) -> Simulation:
    simulation = Simulation("mpc8641d", VMLINUX)
    simulation.watch_tasks()
    if limit is not None:
        simulation.run(limit)
    return simulation


LIMIT = "40ms"


@pytest.mark.parametrize(
    ("commands", "there"),
    [("continue", LIMIT), ("hbreak start_kernel\ncontinue\nmonitor goto 1ms\nstepi\nkill", None)],
    ids=["forwards", "back in time"],
)
def test_tasks_are_watched_under_a_debugger(commands: str, there: str | None) -> None:
    under, said = watched(), list[str]()
    served(under, lambda address: said.append(gdb(address, VMLINUX, commands)), LIMIT)
    expected = watched(there or f"{under.machine.cycle}cycles")
    assert expected.machine.cycle == under.machine.cycle
    found, wanted = under.counts().tables, expected.counts().tables
    for name in "task_spans", "task_times", "system_calls":
        assert found[name].equals(wanted[name]), name
    assert found["task_spans"].num_rows > 0
