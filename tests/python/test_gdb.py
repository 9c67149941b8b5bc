"""The GDB server with a real gdb-multiarch, and with clients that do not know how to behave."""

import re
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from socscope.awareness import Description, resolve
from socscope.errors import AwarenessError, SocscopeError
from socscope.simulation import Outcome, Simulation

ROOT = Path(__file__).parents[2]
SYSTEM = ROOT / "build/guests/at91eb40a-arm/system.elf"
THUMB = ROOT / "build/guests/at91eb40a-thumb/system.elf"
TIMEOUT_S = 120


def simulation(image: Path = SYSTEM) -> Simulation:
    return Simulation("at91eb40a", image)


Tell = Callable[[tuple[str, str]], object]


def served(
    subject: Simulation, client: Callable[[str], None], limit: str | None = "60ms", told: Tell = bool
) -> Outcome:
    """Runs a client, given `host:port`, against the server; all that the server tells goes to `told`."""
    failed: list[BaseException] = []
    threads: list[threading.Thread] = []

    def tell(kind: str, detail: str) -> None:
        told((kind, detail))
        if kind != "listening":
            return

        def run() -> None:
            try:
                client(detail)
            except BaseException as error:
                failed.append(error)
            # A client that has failed leaves the server waiting for the next one.
            with suppress(OSError):
                kill(detail)

        threads.append(threading.Thread(target=run))
        threads[0].start()

    outcome = subject.debug(limit=limit, on_event=tell)
    threads[0].join(TIMEOUT_S)
    if failed:
        raise failed[0]
    return outcome


def gdb(address: str, image: Path, commands: str, *, extended: bool = False) -> str:
    """What gdb says, warnings left out."""
    lines = [line for line in commands.strip().splitlines() if line.strip()]
    setup = ["set pagination off", "set confirm off", "set width 0", "set remotetimeout 60"]
    setup += ["set tcp connect-timeout 60", f"target {extended * 'extended-'}remote {address}"]
    arguments = [part for line in [*setup, *lines] for part in ("-ex", line.strip())]
    said = subprocess.run(
        # What monitor commands say goes to another stream: without a buffer both stay in order.
        ["stdbuf", "-o0", "gdb-multiarch", "-nx", "-batch", str(image), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    return "\n".join(line for line in said.stdout.splitlines() if "Internal error" not in line)


def session(commands: str, image: Path = SYSTEM, limit: str | None = "60ms") -> tuple[str, Outcome]:
    """One session of gdb from power-on; it ends with kill."""
    said: list[str] = []
    outcome = served(
        simulation(image), lambda address: said.append(gdb(address, image, commands + "\nkill")), limit
    )
    return said[0], outcome


def in_order(text: str, *patterns: str) -> None:
    """Each pattern is found behind the one before."""
    place = 0
    for pattern in patterns:
        found = re.compile(pattern, re.MULTILINE).search(text, place)
        assert found, f"{pattern!r} is missing in:\n{text[place:]}"
        place = found.end()


# --- registers, breakpoints, watchpoints ----------------------------------------------------------


def test_registers_of_all_banks_are_read_and_written() -> None:
    said, outcome = session("""
        info registers pc cpsr
        info registers banked
        print $r4 = 77
        print/x $sp_irq = 0x1234
        stepi
        print $r4
        print/x $sp_irq
        print $spsr_irq = 0x10
        print/x $spsr_irq
    """)
    in_order(said, r"^pc +0x0 ", r"^cpsr +0xd3", r"^sp_irq +0x0", r"^spsr_und +0xd3")
    in_order(said, r"= 77$", r"= 0x1234$", r"= 77$", r"= 0x1234$", r"= 16$", r"= 0x10$")
    assert outcome.stop.kind == "killed"


@pytest.mark.parametrize("image", [SYSTEM, THUMB])
def test_breakpoints_stop_before_their_instruction(image: Path) -> None:
    said, _ = session(
        """
        break scheduler_start
        hbreak scheduler_leave
        continue
        backtrace 2
        continue
        backtrace 3
        info breakpoints
        """,
        image,
    )
    in_order(
        said,
        r"Breakpoint 1, (0x[0-9a-f]+ in )?scheduler_start",
        r"rtos_kernel_start",
        r"Breakpoint 2, (0x[0-9a-f]+ in )?scheduler_leave",
        r"^#2 .* wait_in",
        r"breakpoint already hit 1 time",
    )


def test_a_write_watchpoint_tells_old_and_new_value() -> None:
    said, _ = session("""
        break scheduler_start
        continue
        watch task_current
        continue
        continue
        rwatch scheduler_locks
        continue
    """)
    in_order(
        said,
        r"hit Hardware watchpoint 2: task_current",
        r"Old value = .*<task_table>",
        r"New value = .*<task_table\+160>",
        r"in switch_to|scheduler_start",
        r"hit Hardware watchpoint 2: task_current",
        r"Old value = .*<task_table\+160>",
        r"Hardware read watchpoint 3: scheduler_locks",
        r"Value = 0",
    )


def test_breakpoints_never_change_memory() -> None:
    said, _ = session("""
        break scheduler_leave
        continue
        x/wx $pc
        delete
        x/wx $pc
    """)
    words = re.findall(r"^0x[0-9a-f]+ <scheduler_leave.*:\t(0x[0-9a-f]+)", said, re.MULTILINE)
    assert len(words) == 2
    assert words[0] == words[1]


def test_memory_is_read_written_and_refused() -> None:
    said, _ = session("""
        break scheduler_start
        continue
        set var task_table[1].name[0] = 'X'
        print task_table[1].name
        set var *(char*)rtos_kernel_start = 1
        print *(char*)rtos_kernel_start
        x/wx 0xfffff134
        x/wx 0x80000000
        info mem
    """)
    in_order(
        said,
        r'= "Xnit"|= "X',
        r"= 1 ",
        r"^0xfffff134:\t0xffffffff",
        r"Cannot access memory at address 0x80000000",
    )


# --- steps ----------------------------------------------------------------------------------------


def test_next_is_not_lost_in_an_interrupt() -> None:
    """Steps go on until the timer's interrupt comes first; gdb must stay in the code that is stepped."""
    commands = "break rtos_idle\ncontinue\ndelete\n" + "stepi\ninfo symbol $pc\n" * 3
    said, _ = session(commands + "monitor time", limit="500ms")
    assert "vector" not in said, said
    assert "rtos_arch_irq" not in said, said


def test_a_step_over_an_interrupt_and_into_it() -> None:
    """Where an interrupt is taken next, a step goes over it by default, and into it when asked."""
    # One step back from the handler's first instruction is in the vector, two are before the interrupt.
    said, _ = session(
        """
        break rtos_arch_irq
        continue
        delete
        reverse-stepi
        reverse-stepi
        print/x $cpsr & 0x1f
        monitor interrupts
        monitor steps into
        stepi
        print/x $pc
        reverse-stepi
        monitor steps over
        stepi
        print/x $cpsr & 0x1f
        """,
        limit="500ms",
    )
    in_order(
        said,
        r"= 0x1[03f]$",
        r"cpu0\.irq: ",
        r"stop in interrupts",
        r"= 0x18$",
        r"to their end",
        r"= 0x1[03f]$",
    )


# --- backwards ------------------------------------------------------------------------------------


def test_back_to_a_watchpoint_and_step_by_step() -> None:
    said, _ = session("""
        break scheduler_leave
        continue
        continue
        monitor time
        delete
        watch task_current
        reverse-continue
        print task_current
        delete
        info registers pc
        stepi
        print task_current
        reverse-stepi
        info registers pc
        reverse-continue
        monitor time
    """)
    in_order(said, r"hit Hardware watchpoint 2: task_current", r"Old value", r"New value", r"^\$1 = ")
    counters = re.findall(r"^pc +(0x[0-9a-f]+)", said, re.MULTILINE)
    assert len(counters) == 2
    assert counters[0] == counters[1]
    values = re.findall(r"^\$\d+ = \(struct task \*\) (0x[0-9a-f]+)", said, re.MULTILINE)
    assert len(values) == 2
    assert values[0] != values[1]
    in_order(said, r"No more reverse-execution history", r"^0\.000000000 ms, cycle 0, in the past")


def test_what_was_is_repeated_and_the_present_goes_on() -> None:
    said, _ = session("""
        break scheduler_leave
        continue
        continue
        print/x $sp
        reverse-continue
        reverse-continue
        continue
        continue
        print/x $sp
        continue
        monitor time
    """)
    stacks = re.findall(r"^\$\d = (0x[0-9a-f]+)", said, re.MULTILINE)
    assert len(stacks) == 2
    assert stacks[0] == stacks[1]
    assert "in the past" not in said.splitlines()[-3:]


# --- threads and monitor --------------------------------------------------------------------------


def test_tasks_are_threads() -> None:
    said, _ = session("""
        break scheduler_leave
        continue
        continue
        info threads
        thread find shell
        thread apply all -q backtrace 3
        monitor tasks
        monitor tasks kernel
        maintenance flush register-cache
        thread 3
        backtrace 3
    """)
    in_order(
        said,
        r'^\* 1 +Thread 1\.1 "at91eb40a core" \(runs shell, supervisor mode\)',
        r'"idle" \(task: ready, priority 0\)',
        r'"init" \(task: waiting, priority 20\)',
        r'"shell" \(task: running, priority 12\)',
        r"Thread \d has target name 'shell'",
        r"^0x[0-9a-f]{8}  init +waiting +priority 20",
        r"^view: kernel of user, kernel",
        r"^#1 .* wait_here",
    )


def test_tasks_for_programs() -> None:
    subject = simulation()
    assert subject.tasks().list() == []
    subject.run("40ms")
    tasks = {task.name: task for task in subject.tasks().list()}
    assert list(tasks) == ["idle", "init", "shell"]
    assert [task.name for task in tasks.values() if task.running] == [subject.tasks().running().name]  # type: ignore[union-attr]
    assert (tasks["init"].state, tasks["init"].priority) == ("waiting", 20)
    kernel = {task.name: task for task in subject.tasks().list("kernel")}
    assert subject.image.describe(kernel["init"].registers["pc"]).startswith("switch_to")


def test_an_awareness_that_does_not_fit_says_why(tmp_path: Path) -> None:
    text = (ROOT / "python/socscope/awareness/systems/rtos.toml").read_text()
    image = simulation().image
    for wrong, message in [
        (text.replace('"object.id"', '"object.nothing"'), "has no member nothing"),
        (text.replace('name = "name"\npri', 'name = "blocked"\npri'), None),
        (text.replace("& 4", "four"), "'four' is no condition: nonzero, zero, = 3, & 4 or & 7 = 1"),
        (text.replace("r11 = 36", "r99 = 36"), "no register r99"),
        (text.replace('array = "task_table"', ""), "give either array or head"),
        (text.replace('"rtos_arch_switch"', '"vTaskSwitchContext"'), "has no vTaskSwitchContext"),
        ("[", "no TOML"),
    ]:
        path = tmp_path / "system.toml"
        path.write_text(wrong)
        if message is None:
            resolve(Description.read(path), image)
            continue
        with pytest.raises(AwarenessError, match=re.escape(message)):
            resolve(Description.read(path), image)


def test_monitor_commands() -> None:
    said, _ = session("""
        monitor help
        break scheduler_leave
        monitor probes print
        monitor probes on
        continue
        monitor probes print 3
        monitor probes off
        monitor probes reset
        monitor device aic AIC_IMR
        monitor device nobody
        monitor device aic NOTHING
        monitor goto 1ms
        monitor goto soon
        monitor goto 10s
        monitor core
        monitor core 2
        monitor nonsense
        monitor reset
        maintenance flush register-cache
        info registers pc
        monitor restart
        monitor time
    """)
    in_order(
        said,
        r"^monitor help ",
        r"^nothing is counted: 'monitor probes on' begins",
        r"^counting begins",
        r"instructions +cycles  function",
        r" all$",
        r"^0xfffff110  AIC_IMR +0x",
    )
    for message in (
        "monitor device nobody: no such device: ",
        "monitor device aic NOTHING: no such register: AIC_SMR, ",
        "monitor goto soon: no time: write 12ms, 1.5s, 800us, 123456cycles, or present",
        "monitor goto: 10000 ms lie behind the present",
        "monitor core 2: cores have numbers from 1 to 1",
        "monitor nonsense: no such command: 'monitor help' lists them",
        "reset; the next instruction is at 0x00000000",
    ):
        assert message in said, f"{message}\n{said}"


# --- clients --------------------------------------------------------------------------------------


def test_a_port_in_use_is_an_error_and_the_host_is_this_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            SocscopeError, match=f"gdb:127.0.0.1:{port}: cannot listen: .*another program listens"
        ):
            simulation().debug(port)
    with pytest.raises(SocscopeError, match="no such address"):
        simulation().debug(host="192.0.2.1")
    addresses: list[str] = []

    def client(address: str) -> None:
        addresses.append(address)
        kill(address)

    served(simulation(), client)
    assert addresses[0].startswith("127.0.0.1:")


@contextmanager
def connection(address: str) -> Iterator[socket.socket]:
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=20) as wire:
        yield wire


def packet(body: bytes) -> bytes:
    return b"$" + body + b"#" + f"{sum(body) & 0xFF:02x}".encode()


def answer(wire: socket.socket) -> bytes:
    said = b""
    while not re.search(rb"#..", said):
        more = wire.recv(4096)
        if not more:
            break
        said += more
    return said


def kill(address: str) -> None:
    with connection(address) as wire:
        wire.sendall(packet(b"k"))
        answer(wire)


def test_linked_machines_are_threads() -> None:
    first, second = simulation(), simulation()
    first.connect("usart1", second, "usart1")
    said: list[str] = []
    commands = """
        break scheduler_leave
        continue
        continue
        info threads
        monitor core
        thread 2
        stepi
        delete
        watch task_current
        continue
        monitor core 2
        monitor time
        reverse-stepi
        kill
    """
    outcome = served(first, lambda address: said.append(gdb(address, SYSTEM, commands)))
    assert outcome.stop.kind == "killed"
    in_order(
        said[0],
        r"hit Breakpoint 1",
        r"hit Breakpoint 1",
        r'1 +Thread 1\.1 "at91eb40a core" \(runs init',
        r'2 +Thread 1\.2 "at91eb40a core" \(runs init',
        r"1  at91eb40a at 0x00000a74 in scheduler_leave\+4",
        r"2  at91eb40a at 0x00000a70 in scheduler_leave",
        r"Switching to thread 2",
        r"hit Hardware watchpoint 2: task_current",
        r"\* 2  at91eb40a",
    )
    threads = set(re.findall(r"^Thread (\d) .* hit Breakpoint", said[0], re.MULTILINE))
    assert threads == {"1", "2"}


def test_a_running_guest_is_stopped_by_the_debugger() -> None:
    def client(address: str) -> None:
        with connection(address) as wire:
            wire.sendall(packet(b"QStartNoAckMode"))
            assert answer(wire) == b"+" + packet(b"OK")
            wire.sendall(packet(b"vCont;c"))
            wire.sendall(b"\x03")
            # SIGINT, of the core's thread.
            assert re.match(rb"\$T02thread:p?(01|1|p01\.01|01\.01)", answer(wire))
        kill(address)

    assert served(simulation(), client, limit=None).stop.kind == "killed"
