"""Copies, the commonest cost that depends on data: heads, words and tails have exact formulas. They hold for
lengths and addresses that no formula was made from.
"""

import random
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from socscope.characterize.build import Characterized, characterize
from socscope.characterize.dynamic.bench import Bench, Source
from socscope.estimate.simulated import simulated

TTY = Path(__file__).parents[2] / "guests" / "rtos" / "tty"
# Not one of newlib as it was built for the compiler: the loop that it has where size goes before speed.
PROGRAM = """
#include <stdint.h>
#include <string.h>
#include "ring.h"
uint8_t to[1024] __attribute__((aligned(16))), from[1024] __attribute__((aligned(16)));
static uint8_t bytes[256] __attribute__((aligned(16)));
struct ring ring = {.bytes = bytes, .size = 256};
void copy(unsigned length, unsigned a, unsigned b) { memcpy(to + a, from + b, length); }
void fill(unsigned length, unsigned a) { memset(to + a, 0, length); }
void ring_at(unsigned head) { ring.head = ring.tail = head; }
unsigned put(unsigned length) { return ring_put_bytes(&ring, from, length); }
__attribute__((noinline)) void *small(void *out, const void *in, size_t count)
{
    char *to = out;
    const char *from = in;
    while (count--)
        *to++ = *from++;
    return out;
}
unsigned words(unsigned length)
{
    unsigned sum = 0;
    for (unsigned index = 0; index < length / 16; ++index)
        sum += to[index] + from[index];
    for (unsigned index = 0; index < length % 16; ++index)
        sum += to[index];
    return sum;
}
int main(void) { for (;;) copy(1, 0, 0), fill(1, 0), put(1), small(to, from, words(1)); }
"""
START = ".arm\n.global _start\n_start: ldr sp, =0x8000\n bl main\nend: b end\n"
LENGTHS = "fit = [1, 2, 5, 9, 33]\nverify = [0, 3, 16, 100]"
GRID = "fit = [16, 32, 64, 128]\nverify = [48, 96, 256]"
ADDRESS = '[[service.parameter]]\nname = "A"\nmeaning = "address"\nfit = [0, 1]\nverify = [2, 3]\n'


def _service(name: str, entry: str, call: str, *, lengths: str = LENGTHS, more: str = "") -> str:
    return (
        f'[[service]]\nname = "{name}"\nentry = "{entry}"\n'
        f'[[service.parameter]]\nname = "L"\nmeaning = "bytes"\n{lengths}\n{more}'
        f"[[service.path]]\nname = \"worst\"\ncall = '{call}'\n"
    )


DESCRIPTION = "\n".join(
    [
        'format = 1\n[kernel]\nname = "copies"\n[image]\nready = {symbol = "main"}',
        _service("memcpy", "memcpy", "copy(L, 0, 0)"),
        _service("unaligned", "memcpy", "copy(L, 0, 3)"),
        _service("grid", "words", "words(L)", lengths=GRID),
        _service("small", "small", 'small(address("to"), address("from"), L)'),
        _service("memset", "memset", "fill(L, A)", more=ADDRESS),
        _service("either", "memcpy", "copy(L, A, 0)", more=ADDRESS),
    ]
)


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    found = {}
    for instruction_set in ("arm", "thumb"):
        folder = tmp_path_factory.mktemp(f"copies-{instruction_set}")
        (folder / "copies.c").write_text(PROGRAM)
        (folder / "start.S").write_text(START)
        (folder / "services.toml").write_text(DESCRIPTION)
        places = "-Ttext=0x01000100 -Wl,--section-start=.bss=0x400 -Wl,--section-start=.data=0x2000"
        options = (
            f"-mcpu=arm7tdmi -m{instruction_set} -mthumb-interwork -g -O2 -fno-builtin -nostdlib {places}"
        )
        sources = ["start.S", "copies.c", str(TTY / "ring.c")]
        command = ["arm-none-eabi-gcc", *options.split(), f"-I{TTY}", *sources, "-lc", "-lgcc"]
        subprocess.run([*command, "-o", "copies.elf"], cwd=folder, check=True)
        found[instruction_set] = folder / "copies.elf"
    return found


def _source(image: Path) -> Source:
    return Source(image, image.parent / "services.toml", "at91eb40a")


def _off(done: Characterized, source: Source, points: list[dict[str, int]]) -> list[object]:
    """The runs that the sheet does not price exactly."""
    bench = Bench(source)
    [service] = done.sheet.services
    facts = next(one for one in bench.services.service if one.name == service.name)
    target = simulated(bench.ready.machine, done.sheet.sections, "bench")
    found: list[object] = []
    for values in points:
        cycles = bench.episode(facts, facts.path[0], values).cycles
        cost = target.cost(service, service.paths[0], values)
        priced = target.ns(cost.uses) / target.platform.cycle_ns
        if priced != cycles:
            found.append((values, float(priced), cycles))
    return found


@pytest.mark.parametrize("instruction_set", ["arm", "thumb"])
@pytest.mark.parametrize("name", ["memcpy", "unaligned", "small", "grid"])
def test_copies_are_exact_for_every_length(
    images: Mapping[str, Path], instruction_set: str, name: str
) -> None:
    source = _source(images[instruction_set])
    done = characterize(source, only=[name], static=False)
    fit = done.sheet.services[0].paths[0].fit
    assert fit.exact, fit.note
    assert fit.verified >= 4
    first, last = fit.values["L"][0][0], fit.values["L"][-1][1]
    assert _off(done, source, [{"L": length} for length in range(first, last + 1)]) == []


@pytest.mark.parametrize(("instruction_set", "name"), [("thumb", "memset"), ("arm", "either")])
def test_addresses_are_part_of_the_formulas(
    images: Mapping[str, Path], instruction_set: str, name: str
) -> None:
    source = _source(images[instruction_set])
    done = characterize(source, only=[name], static=False)
    fit = done.sheet.services[0].paths[0].fit
    assert fit.exact, fit.note
    chance = random.Random(5)
    points = [{"L": chance.randint(0, 100), "A": chance.randint(0, 3)} for _ in range(150)]
    assert _off(done, source, points) == []
