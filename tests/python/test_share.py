"""Folders of the host in the guest: what Linux sees of them, what it may do, and what comes back."""

import hashlib
import os
import random
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from socscope import options
from socscope.cli.run import write_back as say_write_back
from socscope.console import Console
from socscope.errors import OptionError, SocscopeError
from socscope.share import WrittenBack, write_back
from socscope.simulation import Simulation
from socscope.study.rule30 import linux

MOUNT = "mount -t 9p -o trans=virtio,version=9p2000.L,{} host /mnt"
SUMS = '(cd /mnt; find . -type f | while read -r name; do md5sum "$name"; done)'


def sums(folder: Path) -> set[str]:
    """What `md5sum` says of all files of a folder."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {
        f"{hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()}  ./{path.relative_to(folder)}"
        for path in files
    }


@pytest.fixture(scope="module")
def booted() -> Simulation:
    """Linux at its prompt."""
    simulation = Simulation(
        linux.PLATFORM, linux.kernel(), initrd=linux.initial_files(), append=linux.COMMAND_LINE
    )
    linux.boot(simulation)
    return simulation


@pytest.fixture
def guest(booted: Simulation) -> Simulation:
    """The same state, for one test."""
    return booted.fork()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files of many sizes, in folders, and links."""
    content = random.Random(7)
    shared = tmp_path / "shared"
    for number, size in enumerate([0, 1, 4095, 4096, 4097, 8181, 65_536, 1_500_000]):
        place = shared / f"folder{number % 3}" / "inner"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"of {size} bytes").write_bytes(content.randbytes(size))
    (shared / "text").write_text("from the host\n")
    (shared / "script").write_text("#!/bin/sh\necho it runs\n")
    (shared / "script").chmod(0o750)
    (shared / "inside").symlink_to("text")
    (shared / "outside").symlink_to("/etc/hostname")
    (tmp_path / "secret").write_text("not for the guest")
    return shared


def shell(simulation: Simulation) -> Callable[[str], str]:
    """Gives commands to the guest; all that they say comes back."""
    console: Console = linux.console(simulation)
    return lambda line: console.run(f"({line}) 2>&1", "30s")


@pytest.fixture
def mounted(guest: Simulation, folder: Path) -> Iterator[tuple[Simulation, Callable[[str], str]]]:
    """The folder in the guest, which may change it."""
    guest.share(folder, read_only=False)
    run = shell(guest)
    assert run(MOUNT.format("rw")) == ""
    yield guest, run
    guest.close()


def test_the_guest_sees_the_folder_as_it_is(guest: Simulation, folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
        shared = guest.share(folder)
    assert shared.left_out == [("socket", "a socket is nothing to share")]
    assert shared.files == 10
    run = shell(guest)
    for cache in ("none", "loose"):
        assert run(MOUNT.format(f"ro,cache={cache}")) == ""
        assert set(run(SUMS).splitlines()) == sums(folder)
        assert run("/mnt/script; cat /mnt/inside; readlink /mnt/outside") == (
            "it runs\nfrom the host\n/etc/hostname"
        )
        assert "Read-only file system" in run("echo x > /mnt/text")
        listed = run("ls -lR /mnt")
        assert all(name in listed for name in ("of 1500000 bytes", "folder2:", "-> text"))
        assert run("umount /mnt") == ""


def test_what_the_guest_changes_comes_back(
    mounted: tuple[Simulation, Callable[[str], str]], folder: Path
) -> None:
    simulation, run = mounted
    (folder / "text").chmod(0o600)
    changes = [
        "cd /mnt",
        "cp -r folder0 copied && mv folder1 moved && rm -r folder2",
        "echo changed > text && echo 'echo more' >> script && mkdir -p a/b/c && ln -s ../text a/link",
        "dd if=/dev/zero of=a/b/c/zeros bs=64k count=20 2>/dev/null && mv text a/text && chmod 755 a/text",
        "seq 1 20000 > numbers && : > numbers && seq 1 1000 >> numbers && mv numbers text",
    ]
    assert run(" && ".join(changes)) == ""
    said = set(run(SUMS).splitlines())
    done = write_back(simulation, folder)
    assert done.left_out == []
    assert sums(folder) == said
    assert not (folder / "folder1").exists()
    assert not (folder / "folder2").exists()
    assert (folder / "a" / "link").readlink() == Path("../text")
    assert os.access(folder / "a" / "text", os.X_OK)
    again = write_back(simulation, folder)
    assert (again.written, again.removed) == ([], [])


def test_what_stays_in_the_guests_cache_empties_no_file(guest: Simulation, folder: Path) -> None:
    guest.share(folder, read_only=False)
    run = shell(guest)
    run(MOUNT.format("rw,cache=loose"))
    assert run("echo changed > /mnt/text; echo new > /mnt/new") == ""
    done = write_back(guest, folder)
    assert [path for path, _ in done.left_out] == ["new", "text"]
    assert (done.written, done.removed) == ([], [])
    assert (folder / "text").read_text() == "from the host\n"
    assert not (folder / "new").exists()
    assert run("umount /mnt") == ""
    done = write_back(guest, folder)
    assert (done.written, done.left_out, done.unfinished) == (["new", "text"], [], [])
    assert (folder / "text").read_text() == "changed\n"


def test_programs_that_still_write_are_told_by_their_files(
    mounted: tuple[Simulation, Callable[[str], str]], folder: Path
) -> None:
    simulation, run = mounted
    run("(echo first; sleep 1000) > /mnt/log & sleep 1")
    done = write_back(simulation, folder)
    assert (done.written, done.unfinished, done.left_out) == (["log"], ["log"], [])
    assert (folder / "log").read_text() == "first\n"


def test_messages_of_a_write_back_name_files_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"\x1b[2Jfile\n{number}\udcff" for number in range(12)]
    done = WrittenBack(names[:1], [], [(names[0], "it lies behind a symbolic link")], names)

    class Given:
        device, folder, read_only = "share", Path("a\nb"), False

        def write_back(self) -> WrittenBack:
            return done

    say_write_back(Given())  # type: ignore[arg-type] # As much of a share as it takes.
    first, second = capsys.readouterr().err.splitlines()
    shown = r"\x1b[2Jfile\n0\xff"
    assert first == rf"share: a\nb: 1 written, 0 removed; {shown} not: it lies behind a symbolic link"
    assert second.startswith(rf"share: a\nb: open for writing when the run ended: {shown}, ")
    assert " and 2 more: data that the guest had not written yet is missing" in second


def test_nothing_leads_out(mounted: tuple[Simulation, Callable[[str], str]], folder: Path) -> None:
    simulation, run = mounted
    assert "not permitted" in run("ln /mnt/text /mnt/hard")
    assert "not permitted" in run("mknod /mnt/disk b 8 0")
    assert "not permitted" in run("mknod /mnt/pipe p")
    assert "from the host" not in run("cat /mnt/../text; cat /mnt/../../secret /mnt/../shared/text")
    assert (
        run("ln -s ../secret /mnt/up; ln -s /etc/passwd /mnt/root; ln -s a/../../secret /mnt/winding") == ""
    )
    assert "not for the guest" not in run("cat /mnt/up /mnt/winding")
    assert run("chmod 6777 /mnt/text; stat -c %a /mnt/text") == "6777"
    before = (folder / "text").stat()
    done = write_back(simulation, folder)
    assert [path for path, _ in done.left_out] == ["root", "up", "winding"]
    after = (folder / "text").stat()
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert after.st_mode & 0o7000 == 0


def test_runs_with_a_share_repeat_to_the_bit(booted: Simulation, folder: Path, tmp_path: Path) -> None:
    hashes = set()
    for engine in ("translated", "interpreted", "translated"):
        one = booted.fork()
        one.machine.engine = engine
        one.share(folder, read_only=False)
        run = shell(one)
        run(MOUNT.format("rw"))
        run("cp /mnt/text /mnt/copy; md5sum /mnt/script /mnt/copy; ls -l /mnt > /mnt/list")
        hashes.add(one.machine.state_hash())
        (folder / "text").touch()
    assert len(hashes) == 1


def test_a_mounted_share_is_in_the_checkpoint(
    mounted: tuple[Simulation, Callable[[str], str]], folder: Path, tmp_path: Path
) -> None:
    simulation, run = mounted
    run("echo before > /mnt/new")
    simulation.checkpoint(tmp_path / "mounted.ckpt")
    again = Simulation.restore(tmp_path / "mounted.ckpt")
    say = shell(again)
    assert say("cat /mnt/new /mnt/text; echo after >> /mnt/new") == "before\nfrom the host"
    assert write_back(again, folder).written == ["new"]
    assert (folder / "new").read_text() == "before\nafter\n"


def test_a_share_is_exchanged_when_it_is_not_mounted(guest: Simulation, folder: Path, tmp_path: Path) -> None:
    run = shell(guest)
    assert "No medium" in run(MOUNT.format("ro"))
    guest.share(folder)
    run(MOUNT.format("ro"))
    with pytest.raises(SocscopeError, match="let it unmount the share"):
        guest.share(tmp_path)
    run("umount /mnt")
    guest.share(tmp_path)
    run(MOUNT.format("ro"))
    assert run("ls -1 /mnt") == "secret\nshared"


def test_errors_say_what_to_do(guest: Simulation, tmp_path: Path) -> None:
    with pytest.raises(SocscopeError, match=r"nothing: cannot open the folder to share: .*check the path"):
        guest.share(tmp_path / "nothing")
    (tmp_path / "file").write_text("")
    with pytest.raises(SocscopeError, match="it is not a folder: share the folder that holds it"):
        guest.share(tmp_path / "file")
    with pytest.raises(SocscopeError, match="no folder that it may change"):
        guest.share(tmp_path).write_back()
    with pytest.raises(SocscopeError, match=r"no attribute is called folder"):
        guest.share(tmp_path, device="mpic")
    with pytest.raises(SocscopeError, match="share2"):
        guest.share(tmp_path, device="share2")
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", (256 << 20) + 1)
    with pytest.raises(SocscopeError, match="with large it is more than 256 MiB"):
        guest.share(tmp_path)


def test_options_name_folders() -> None:
    assert options.share("results") == ("results", True, None)
    assert options.share("results:rw") == ("results", False, None)
    assert options.share("disk=a folder:ro") == ("a folder", True, "disk")
    assert options.share("/a:b") == ("/a:b", True, None)
    with pytest.raises(OptionError, match="FOLDER:rw"):
        options.share("")
