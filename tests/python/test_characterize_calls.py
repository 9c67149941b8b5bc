"""Functions that the simulator calls: arguments in registers, on the stack and in memory."""

import subprocess
from pathlib import Path

import pytest
from socscope.characterize.build import characterize
from socscope.characterize.dynamic.bench import Bench, Source
from socscope.errors import CharacterizeError

PROGRAM = """
int table[4] = {10, 20, 30, 40};
char pool[64];
__attribute__((target("arm"))) int six(int a, int b, int c, int d, int e, const char *text)
{
    int length = 0;
    while (text[length]) ++length;
    return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * length;
}
__attribute__((target("thumb"))) int push(int *counter, int by) { *counter += by; return *counter; }
__attribute__((target("thumb"))) int get(const int *at) { return *at; }
__attribute__((noipa)) void next(void) {}
void hand_over(void) { for (;;) next(); }
int main(void) { for (;;) table[0] += push(table, 1); }
"""
START = ".arm\n.global _start\n_start: mov r0, #0\nearly: ldr sp, =0x2000\n bl main\nend: b end\n"
SERVICES = """
format = 1
[kernel]
name = "calls"
[image]
ready = {symbol = "main"}
MORE
[[service]]
name = "s"
entry = "ENTRY"
[[service.path]]
name = "worst"
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calls")
    (folder / "calls.c").write_text(PROGRAM)
    (folder / "start.S").write_text(START)
    places = "-Ttext=0x100 -Wl,--section-start=.data=0x800 -Wl,--section-start=.bss=0x900"
    options = f"-mcpu=arm7tdmi -mthumb-interwork -g -O1 -ffreestanding -nostdlib {places} -o calls.elf"
    subprocess.run(
        ["arm-none-eabi-gcc", *options.split(), "start.S", "calls.c", "-lgcc"], cwd=folder, check=True
    )
    return folder / "calls.elf"


def _source(image: Path, tmp_path: Path, path: str, entry: str, more: str = "") -> Source:
    services = tmp_path / "services.toml"
    services.write_text(SERVICES.replace("MORE", more).replace("ENTRY", entry) + path)
    return Source(image, services, "sheet-sram")


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ("six", "call = 'six(1, 2, 3, 4, 5, string(\"abc\"))'\nexpect = 354321"),
        ("push", "call = 'push(word(), 7)'\nexpect = 7"),
        # What earlier calls were given stays theirs; what they return has a name.
        (
            "push",
            "setup = ['repeat 3: a = push(address(\"table\"), 5)', 'b = push(word(), a + 1)']\n"
            "call = 'push(address(\"table\"), b)'\nexpect = 51",
        ),
        ("get", "call = 'get(address(\"table\"))'\nexpect = 10"),
        ("push", "call = 'push(word(), value(address(\"table\")))'\nexpect = 10"),
    ],
)
@pytest.mark.parametrize("more", ["", 'memory = "pool"'])
def test_calls_return_what_is_expected(image: Path, tmp_path: Path, entry: str, path: str, more: str) -> None:
    done = characterize(_source(image, tmp_path, path, entry, more), static=False)
    assert done.sheet.services[0].paths[0].fit.runs == 1


def test_the_call_alone_is_counted(image: Path, tmp_path: Path) -> None:
    """Thumb: ldr, bx lr. The return to the caller is the last of it."""
    bench = Bench(_source(image, tmp_path, "call = 'get(address(\"table\"))'", "get"))
    [service] = bench.services.service
    [piece] = bench.episode(service, service.path[0], {}).pieces
    assert piece.counts["instructions", ".text"] == 2
    assert piece.counts["count", ".data", "read", "32", "nonsequential"] == 1
    assert piece.counts["taken",] == 1


def test_a_value_where_no_memory_is(image: Path, tmp_path: Path) -> None:
    source = _source(image, tmp_path, "call = 'get(value(1879048192))'", "get")
    with pytest.raises(CharacterizeError, match="path worst: no memory at 0x70000000, where a word was"):
        characterize(source, static=False)


def test_a_call_that_switches_ends_where_the_next_task_goes_on(image: Path, tmp_path: Path) -> None:
    """`hand_over` returns to nobody; what it calls stands in for the next task."""
    path = "ends = 'switches'\ncall = 'hand_over()'"
    bench = Bench(_source(image, tmp_path, path, "hand_over", 'end = {symbol = "next"}'))
    [service] = bench.services.service
    [piece] = bench.episode(service, service.path[0], {}).pieces
    # push {r4, lr}; bl next.
    assert piece.counts["instructions", ".text"] == 2


def test_the_end_must_be_in_the_image(image: Path, tmp_path: Path) -> None:
    with pytest.raises(CharacterizeError, match=r"services\.toml: image\.end: .*no symbol nowhere"):
        Bench(_source(image, tmp_path, "call = 'main()'", "main", 'end = {symbol = "nowhere"}'))


@pytest.mark.parametrize("call", ["get(word())", "six(1, 2, 3, 4, 5, 6)"])
def test_a_ready_state_without_a_stack(image: Path, tmp_path: Path, call: str) -> None:
    source = _source(image, tmp_path, f"call = '{call}'", "get")
    source.services.write_text(source.services.read_text().replace('"main"', '"early"'))
    expected = (
        r"path worst: no memory for .* at 0xfffffff8: the stack pointer of the ready state is 0x00000000;"
    )
    with pytest.raises(CharacterizeError, match=expected):
        characterize(source, static=False)


@pytest.mark.parametrize("size", ["3 - 4", "20000000"])
def test_memory_that_cannot_be_set_aside(image: Path, tmp_path: Path, size: str) -> None:
    source = _source(image, tmp_path, f"call = 'get(memory({size}))'", "get")
    with pytest.raises(
        CharacterizeError, match=r"path worst: memory\(.*\) is .* bytes; 0 to 16777216 can be"
    ):
        characterize(source, static=False)


def test_a_call_that_does_not_end_says_where_it_is(image: Path, tmp_path: Path) -> None:
    source = _source(image, tmp_path, "call = 'hand_over()'", "hand_over", "limit_ms = 1")
    with pytest.raises(CharacterizeError, match=r"limit_ms\) came first, in (hand_over|next)"):
        characterize(source, static=False)
