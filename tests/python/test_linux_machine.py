"""An unmodified SMP Linux on the MPC8641D: booted, forked, saved, repeated, debugged."""

import re
import subprocess
import threading
from pathlib import Path

import pytest
from socscope.cli import app
from socscope.errors import ImageError, SocscopeError
from socscope.record import open_run
from socscope.simulation import Engine, Simulation
from socscope.study.rule30.engine import executed_cycles
from test_gdb import gdb, in_order, kill, served  # type: ignore[import-not-found] # A test beside it.
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
VMLINUX = ROOT / "build/guests/linux/vmlinux"
INITRAMFS = ROOT / "build/guests/initramfs/initramfs.cpio"
ENGINE = 0xFFEE_4000


def machine(append: str = "") -> Simulation:
    return Simulation("mpc8641d", VMLINUX, initrd=INITRAMFS, append=append)


@pytest.fixture(scope="module")
def booted() -> Simulation:
    simulation = machine()
    simulation.console().expect("socscope-ready", within="10s")
    return simulation


def test_both_cores_are_up(booted: Simulation) -> None:
    one = booted.fork()
    said = booted.output().decode() + one.console(prompt="# ").run("cat /proc/cpuinfo")
    assert re.search(r"smp: Brought up 1 node, 2 CPUs", said) or said.count("processor\t") == 2
    assert one.machine.core_count == 2
    assert one.machine.registers(1)["pir"] == 1


def test_what_the_cores_executed_is_known_without_probes(booted: Simulation) -> None:
    one = booted.fork()
    before = one.machine.core_cycles()
    begun, begun_executing = one.machine.cycle, executed_cycles(one)
    one.run("50ms")
    after = one.machine.core_cycles()
    # Each core is up to a turn ahead of the machine.
    for core in range(2):
        passed = sum(after[kind][core] - before[kind][core] for kind in after)
        assert abs(passed - (one.machine.cycle - begun)) < 10_000
        assert after["asleep"][core] - before["asleep"][core] > passed // 2, "at the prompt it waits"
    assert 0 < executed_cycles(one) - begun_executing < one.machine.cycle - begun


def test_a_fork_and_a_checkpoint_go_the_same_way(booted: Simulation, tmp_path: Path) -> None:
    fork = booted.fork()
    fork.checkpoint(tmp_path / "booted.ckpt")
    restored = Simulation.restore(tmp_path / "booted.ckpt", engine="interpreted")
    for one in (fork, restored):
        one.send(b"echo $((6*7))\r")
        one.run("20ms")
    assert b"42" in fork.output()
    assert fork.machine.state_hash() == restored.machine.state_hash()


def test_an_engine_joins_the_running_machine(booted: Simulation) -> None:
    one = booted.fork()
    name = one.add_model("socscope,rule30", ENGINE, interrupt=60, properties={"socscope,latency-ns": 200})
    assert name == "rule30"
    before = one.attribute("rule30", "latency_ns")
    one.set_attribute("rule30", "latency_ns", 1000)
    assert (before, one.attribute("rule30", "latency_ns")) == (200, 1000)
    again = one.fork()
    for each in (one, again):
        each.run("5ms")
    assert one.machine.state_hash() == again.machine.state_hash()


def test_what_a_boot_loader_cannot_do_is_said(tmp_path: Path) -> None:
    with pytest.raises(ImageError) as error:
        Simulation("mpc8641d", VMLINUX, initrd=tmp_path / "none.cpio")
    assert str(error.value) == (
        f"{tmp_path}/none.cpio: the initial file system cannot be read: No such file or directory"
    )
    large = tmp_path / "large.cpio"
    with large.open("wb") as file:
        file.truncate(600 << 20)
    with pytest.raises(ImageError, match="the initial file system has 629145600 bytes"):
        Simulation("mpc8641d", VMLINUX, initrd=large)
    with pytest.raises(SocscopeError, match="this kernel does not know the board"):
        Simulation("mpc8641d", VMLINUX, overrides=["/:compatible=fsl,mpc8610hpcd"])
    with pytest.raises(
        SocscopeError,
        match="a boot loader hands an initial file system or a command line to kernels of Linux alone",
    ):
        Simulation("at91eb40a", ROOT / "build/guests/at91eb40a-arm/system.elf", append="quiet")


def test_gdb_sees_both_cores_and_the_kernels_names(booted: Simulation) -> None:
    one = booted.fork()
    said: list[str] = []
    commands = """
        info threads
        print init_uts_ns.name.sysname
        hbreak ktime_get
        continue
        backtrace 3
        info registers pc msr
        stepi
        kill
    """
    served(one, lambda address: said.append(gdb(address, VMLINUX, commands)), "200ms")
    assert "mpc8641d core 0" in said[0]
    assert "mpc8641d core 1" in said[0]
    assert re.search(r'= "Linux', said[0])
    assert re.search(r"Breakpoint 1(\.\d+)?, ktime_get", said[0]), said[0]
    assert re.search(r"^#1 ", said[0], re.MULTILINE)


def test_gdb_sees_the_tasks_of_linux(booted: Simulation) -> None:
    """What sleeps is seen where the kernel has left it, or where its own code has entered the kernel."""
    one = booted.fork()
    one.console(prompt="# ").run("sleep 60 &")
    one.run("20ms")
    tasks = one.tasks().list()
    place, sleeper = next((i, task) for i, task in enumerate(tasks) if task.name == "sleep")
    assert (sleeper.state, sleeper.core, sleeper.running) == ("sleeping", None, False)
    assert one.image.describe(sleeper.registers["pc"]).startswith("__schedule+")
    running = [task for task in tasks if task.running]
    assert {task.core for task in running} == {0, 1}
    number = one.machine.core_count + place + 1
    pid = sleeper.numbers["pid"]
    commands = f"""
        info threads
        thread {number}
        backtrace
        print ((struct task_struct *) {sleeper.address:#x})->pid
        monitor tasks user
        maintenance flush register-cache
        x/i $pc - 4
        print/x $r0
        set var $r3 = 1
        kill
    """
    said: list[str] = []
    served(one, lambda address: said.append(gdb(address, VMLINUX, commands)), "200ms")
    for task in running:
        assert f'"mpc8641d core {task.core}" (runs {task.name}, ' in said[0]
    assert f'"sleep" (task: sleeping, pid {pid}, process {pid})' in said[0], said[0]
    assert re.search(r'"kthreadd" \(task: sleeping, pid 2, process 2\) +\S', said[0])
    in_order(
        said[0],
        r"^#0 .*context_switch",
        r"^#1 .*__schedule",
        r"do_nanosleep",
        r"sys_clock_nanosleep",
        r"transfer_to_syscall",
        rf"^\$1 = {pid}$",
        r"^view: user of kernel, user",
        # Behind the instruction with which its own code went into the kernel, in the memory of its own.
        r"^ +0x1[0-9a-f]{7}:\tsc$",
        # clock_nanosleep
        r"^\$2 = 0xf8$",
        r'^Could not write register "r3"',
    )


def test_a_kernel_without_debug_information_is_debugged_without_its_tasks(tmp_path: Path) -> None:
    stripped = tmp_path / "vmlinux"
    subprocess.run(["powerpc-linux-gnu-objcopy", "--strip-debug", VMLINUX, stripped], check=True)
    told: list[tuple[str, str]] = []
    one = Simulation("mpc8641d", stripped)

    def tell(kind: str, detail: str) -> None:
        told.append((kind, detail))
        if kind == "listening":
            threading.Thread(target=kill, args=[detail]).start()

    one.debug(limit="1ms", on_event=tell)
    blind = dict(told)["blind"]
    assert "no debug information on struct task_struct; build the kernel with CONFIG_DEBUG_INFO" in blind


def test_marks_under_linux(booted: Simulation, tmp_path: Path) -> None:
    """Functions of the kernel on either core, and the interrupts and registers of the console's port."""
    found = []
    engines: list[Engine] = ["interpreted", "translated"]
    for engine in engines:
        one = booted.fork()
        one.machine.engine = engine
        one.watch_tasks()
        one.mark_at("ksys_write")
        one.mark_at("ktime_get")
        one.mark_on("mpic:interrupt")
        one.mark_on("serial0:RBR_THR_DLL:write")
        console = one.console(prompt="# ")
        console.expect("# ")
        console.run("echo hello")
        tables = one.counts().tables
        found.append((tables["marks"], one.machine.state_hash()))
    assert found[0] == found[1]
    rows = found[0][0].to_pylist()
    assert {row["core"] for row in rows if row["name"] == "ktime_get"} == {0, 1}
    typed = [chr(row["argument"] & 0xFF) for row in rows if row["name"] == "serial0:RBR_THR_DLL:write"]
    assert "hello\r\n" in "".join(typed)
    # Standard output is what the shell's echo writes to.
    calls = [row["argument"] for row in rows if row["name"] == "ksys_write"]
    written = tables["system_calls"].to_pylist()
    assert len(calls) >= len([row for row in written if row["call"] == "write"]) > 0
    assert 1 in calls
    assert [row for row in rows if row["name"] == "mpic:interrupt"]
    one.record(tmp_path / "run")
    run = open_run(tmp_path / "run")
    assert run.table("marks").equals(found[1][0])


def test_the_guest_that_resets_the_machine_ends_the_run(booted: Simulation) -> None:
    one = booted.fork()
    one.send(b"reboot -f\r")
    outcome = one.run("2s")
    assert outcome.stop.kind == "reset"
    assert outcome.stop.detail == "the guest asked for a reset"


def test_a_checkpoint_takes_no_boot_options(tmp_path: Path) -> None:
    options = ["run", "--checkpoint", str(tmp_path / "x.ckpt"), "--initrd", str(INITRAMFS)]
    said = CliRunner().invoke(app, options)
    assert said.exit_code == 2
    assert "leave --initrd and --append out" in said.output
