"""Code of functions that were compiled into others, and moved apart there, is found again."""

import subprocess
from pathlib import Path

from socscope.characterize.static import Annotation, Reference, Region, analyse
from socscope.characterize.static.lines import Lines
from socscope.image import Image

PROGRAM = """
struct item { struct item *next; unsigned age, used; };
struct item items[8], *head;
void insert(struct item *one)
{
    struct item **place = &head;
    while (*place && (*place)->age >= one->age) place = &(*place)->next;
    one->next = *place;
    *place = one;
}
int make(unsigned age)
{
    for (int i = 0; i < 8; ++i) {
        if (items[i].used) continue;
        items[i].age = age;
        items[i].used = 1;
        insert(&items[i]);
        return i;
    }
    return -1;
}
"""
ONE = ((1, 1, 1), (1, 1, 1), (1, 1, 1))
TIMES = [Reference("ideal", (Region("all", 0, 0xFFFFFFFF, (ONE, ONE)),))]


def test_ranges_of_inlined_functions(tmp_path: Path) -> None:
    """Ranges that are relative to the unit's start lie in the function into which the code was put."""
    (tmp_path / "list.c").write_text(PROGRAM)
    options = ["-mcpu=arm7tdmi", "-g", "-O2", "-ffreestanding", "-nostdlib", "-Ttext=0x8000", "-Wl,-einsert"]
    subprocess.run(["arm-none-eabi-gcc", *options, "list.c", "-o", "list.elf"], cwd=tmp_path, check=True)
    image = Image.read(tmp_path / "list.elf")
    start = image.address_of("make")
    function = image.function_at(start)
    assert function is not None
    end = function.end
    inlined = [span for span in Lines.of(image).bodies["insert"] if span[0] >= start]
    assert len(inlined) > 1
    assert all(start <= low <= high <= end for low, high in inlined)
    assert all(low >= 0x8000 for spans in Lines.of(image).bodies.values() for low, _ in spans)
    bound = Annotation("list.c:insert:while", loop_bound=8)
    assert analyse(image, "make", times=TIMES, annotations=[bound]).unbounded == ()
