"""Prices of cost sheets: exact, by part, section and memory, and errors that say what to give."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
import sheets as made
from socscope import sheet as files
from socscope.errors import EstimateError
from socscope.estimate import Placement, Platform, Target, result
from socscope.estimate.choose import Values
from socscope.estimate.result import PathPrice
from socscope.sheet import Sheet


def target(
    folder: Path, platform: str = made.DETAILED_PLATFORM, mapping: str = made.DETAILED_MAPPING
) -> Target:
    (folder / "platform.toml").write_text(platform)
    (folder / "mapping.toml").write_text(mapping)
    return Target(Platform.read(folder / "platform.toml"), Placement.read(folder / "mapping.toml"))


def priced(of: Sheet, on: Target, *given: str) -> PathPrice:
    return result.prices(on, of.services[0], Values.parse(given))[0]


@pytest.mark.parametrize(
    ("platform", "total_ns", "parts_ns", "blocking_ns"),
    [
        (made.SDRAM, 56_728, [2_684, 39_068, 14_976], 54_044),
        (made.SRAM, 14_182, [670, 8_702, 4_810], 13_512),
    ],
)
def test_the_worked_example_to_the_nanosecond(
    platform: Path, total_ns: int, parts_ns: list[int], blocking_ns: int
) -> None:
    said, _ = made.typed(
        "estimate", made.SHEET, "--platform", platform, "--mapping", made.SECTIONS, "--with", "N=13", "--json"
    )
    (path,) = json.loads(said)["paths"]
    assert path["total_ns"] == total_ns
    assert [part["ns"] for part in path["parts"]] == parts_ns
    assert path["blocking_ns"] == {"interrupts": blocking_ns}
    assert sum(path["sections_ns"].values()) == sum(path["memories_ns"].values()) == total_ns


def test_the_command_shows_the_worked_example() -> None:
    said, messages = made.typed(
        "estimate", made.SHEET, "--platform", made.SDRAM, "--mapping", made.SECTIONS, "--with", "N=13"
    )
    assert "CreateThread, path worst, N=13: 56,728 ns" in said
    assert "longest blocking of interrupts: 54,044 ns" in said
    assert messages == "accuracy: accesses times access time, taken branches apart; known error: not known\n"


def test_detailed_times_are_exact(tmp_path: Path) -> None:
    one = priced(made.detailed(), target(tmp_path), "N=2", "L=3")
    first = 4 * Fraction("45.5") + 2 * 20
    # 8 bits have their own time, 16 bits that of nonsequential writes.
    second = 2 * (6 * Fraction("30.3") + 60 + 3 * 80 + 60 + 5 * 20 + 2 * 20)
    third = Fraction("75.8")
    assert one.parts_ns == {"1": first, "2": second, "3": third}
    assert one.total_ns == first + second + third
    assert one.sections_ns["internal cycles"] == 2 * 5 * 20
    assert "taken branches" not in one.sections_ns
    assert one.memories_ns["sram"] == 40
    # While interrupts are masked nobody is scheduled either.
    assert one.blocking_ns == {"interrupts": second, "scheduler": second + third}


def test_a_simple_time_prices_every_access(tmp_path: Path) -> None:
    on = target(tmp_path, "core_mhz = 50\n[memory.ext]\naccess_ns = 10\n", '[map]\n"*" = "ext"\n')
    one = priced(made.detailed(), on, "N=2", "L=3")
    assert one.total_ns == 10 * (4 + 2 + 2 * (6 + 5) + 1) + 2 * 5 * 20
    assert result.notes(on, [one]) == ['in ext by "*" of the mapping: heap, stack, text']


def test_blocking_ends_where_a_part_does_not_block(tmp_path: Path) -> None:
    on = target(tmp_path, "[memory.m]\naccess_ns = 1\n", '[map]\n"*" = "m"\n')
    numbers = {"a": ("interrupts", 5), "b": ("none", 1), "c": ("scheduler", 2), "d": ("interrupts", 4)}
    parts = (
        made.part(name, made.count("text", "access", number), blocking=kind)
        for name, (kind, number) in numbers.items()
    )
    one = priced(made.sheet(made.service("s", *parts)), on)
    assert one.blocking_ns == {"interrupts": 5, "scheduler": 6}


def test_the_dearest_path_comes_first(tmp_path: Path) -> None:
    on = target(tmp_path, "[memory.m]\naccess_ns = 1\n", '[map]\n"*" = "m"\n')
    service = made.service("s", made.part("1", made.count("text", "access", 5)))
    service["paths"].append({"name": "longer", "parts": [made.part("1", made.count("text", "access", 9))]})
    found = result.prices(on, made.sheet(service).services[0], Values())
    assert [one.cost.path.name for one in found] == ["longer", "worst"]
    assert [one.total_ns for one in found] == [9, 5]


def test_values_outside_of_what_was_verified_are_warned_of(tmp_path: Path) -> None:
    on = target(tmp_path)
    one = priced(made.detailed(), on, "N=9", "L=3")
    assert result.notes(on, [one]) == [
        "taken to be on no shared bus: sram; give select_ns to those that are",
        "send, path worst: N = 9 lies outside of what was verified (1 to 8); the price may not hold there",
    ]


GRID = [(16, 16), (32, 32), (64, 64), (128, 128)]


@pytest.mark.parametrize(
    ("values", "given", "said"),
    [
        (GRID, 32, []),
        (GRID, 31, ["is of a kind that was never run: only every 16th value was verified (16, 32, 64, 128)"]),
        (GRID, 256, ["lies outside of what was verified (16, 32, 64, 128)"]),
        ([(0, 40), (60, 60)], 41, []),
        ([(0, 40), (60, 60)], 61, ["lies outside of what was verified (0 to 60)"]),
    ],
)
def test_the_values_that_were_run_decide_what_was_verified(
    tmp_path: Path, values: list[tuple[int, int]], given: int, said: list[str]
) -> None:
    """Of a path's own runs, not only of the parameter's range; in the terminal and for other programs."""
    service = made.service("copy", made.part("1", made.count("text", "access", "L // 16")), names="L")
    service["paths"][0]["fit"] = {"values": {"L": values}}
    (tmp_path / "platform.toml").write_text("[memory.m]\naccess_ns = 1\n")
    (tmp_path / "mapping.toml").write_text('[map]\n"*" = "m"\n')
    files.write(tmp_path / "s.sheet.json", made.sheet(service))
    command: list[str | Path] = ["estimate", tmp_path / "s.sheet.json"]
    command += ["--platform", tmp_path / "platform.toml"]
    command += ["--mapping", tmp_path / "mapping.toml", "--with", f"L={given}"]
    expected = [f"copy, path worst: L = {given} {one}; the price may not hold there" for one in said]
    answer = json.loads(made.typed(*command, "--json")[0])
    assert answer["paths"][0]["not_verified"] == expected
    assert [note for note in answer["notes"] if "L =" in note] == expected
    messages = " ".join(made.typed(*command)[1].split())
    assert all(one in messages for one in expected)
    assert bool(expected) == ("may not hold" in messages)


def test_ranges_of_values_stand_in_order() -> None:
    service = made.service("copy", made.part("1"), names="L")
    service["paths"][0]["fit"] = {"values": {"L": [(5, 9), (1, 2)]}}
    with pytest.raises(ValueError, match="values of L: ranges go from the smallest value to the largest"):
        made.sheet(service)


def test_formulas_that_are_not_exact_are_named(tmp_path: Path) -> None:
    on = target(tmp_path, "[memory.m]\naccess_ns = 1\n", '[map]\n"*" = "m"\n')
    service = made.service("s", made.part("1", made.count("text", "access", "5 + N")), names="N")
    service["paths"][0]["fit"] = {"exact": False, "excess_max": 1.026, "values": {"N": [(0, 40), (63, 64)]}}
    assert result.notes(on, [priced(made.sheet(service), on, "N=3")])[1:] == [
        "s, path worst: upper bound, up to 102.6 % above the runs (N = 0 to 64)"
    ]


def test_a_missing_value_names_what_would_help(tmp_path: Path) -> None:
    with pytest.raises(EstimateError) as caught:
        priced(made.detailed(), target(tmp_path), "N=2")
    assert str(caught.value).endswith("it is the Ls (1 to 8): give --with L=..., or --unset maximum")


def test_parameters_of_one_service_and_those_left_out(tmp_path: Path) -> None:
    service = made.detailed().services[0]
    assert Values.parse(["N=2", "send.N=3"], "maximum").of(service) == {"N": 3, "L": 8}
    assert Values.parse([], "minimum").of(service) == {"N": 1, "L": 1}
    with pytest.raises(
        EstimateError, match=r"the parameter N \(heap segments .*\) has no maximum in the sheet"
    ):
        Values.parse([], "maximum").of(files.read(made.SHEET).services[0])


ARGUMENTS = ("estimate", made.SHEET, "--platform", made.SDRAM, "--mapping", made.SECTIONS)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            (),
            "service CreateThread, path worst: the parameter N has no value; it is heap segments before "
            "the one that fits (0 or more): give --with N=...",
        ),
        (("--with", "N=-1"), "'N' is -1 for N=-1; a count cannot be negative"),
        (("--with", "N=x"), "'N=x': no value of a parameter; write N=13, or SERVICE.N=13 for one service"),
        (("--with", "M=3"), "M: no chosen service has this parameter; there are N"),
        (("--with", "CreateThread.M=3"), "service CreateThread has no parameter M; it has N"),
        (("--with", "Send.N=3"), "Send: is not among the chosen services"),
        (
            ("--service", "CreateTask"),
            "CreateTask: the sheet of a kernel from the literature has no such service; did you "
            "mean CreateThread?",
        ),
        (("--service", "x"), "there are CreateThread"),
        (("--path", "best"), "best: service CreateThread has no such path; it has worst"),
    ],
)
def test_errors_of_the_command_line(more: tuple[str, ...], said: str) -> None:
    _, messages = made.typed(*ARGUMENTS, *more, status=1)
    assert said in messages


@pytest.mark.parametrize(
    ("platform", "said"),
    [
        ("[memory.ext]\naccess_ns = -3", "toml: memory.ext.access_ns: -3 is negative; a time is 0 or more"),
        ("[memory.ext]\nfetch_ns = {n16 = -0.5}", "memory.ext.fetch_ns.n16: -0.5 is negative"),
        ("[memory.ext]\naccess_ns = 'fast'", "memory.ext.access_ns: 'fast' is not a number"),
        ("[memory.ext]\naccess_ns = nan", "memory.ext.access_ns: NaN is not a number"),
        ("[memory.ext]\naccess = 1\naccess_ns = 2", "memory.ext.access_ns: is given twice"),
        ("[memory.ext]\naccess_cycles = 2", "memory.ext.access is in cycles, but core_mhz is missing"),
        ("[memory.ext]\nspeed = 2", "memory.ext: 'speed' is no access time; there are access_ns"),
        ("[memory.ext]\nread_ns = {n64 = 2}", "read_ns: 'n64' is not known here; did you mean "),
        ("[memory.ext]\nturnaround_ns = 2", "memory.ext: has no access time; give access_ns = ..."),
        ("[memory]\next = 5", "memory.ext: is not a table; write [memory.ext] and keys below it"),
        ("core_mhz = 0\n[memory.ext]\naccess_ns = 2", "core_mhz: is 0; give a number above 0"),
        ("core_mhz = 1\ncycle_ns = 1", "core_mhz and cycle_ns say the same; give one of them"),
        ("branch_ns = 1\nbranch_cycles = 1\n[memory.m]\naccess_ns=1", "branch_ns and branch_cycles say"),
        ("mhz = 1", "'mhz' is not known here"),
        ("core_mhz = 66000000", "66000000 MHz cannot be: 0.001 to 10,000 MHz are plausible; 66 if it"),
        ("core_mhz = 66000000", "if it was meant in Hz"),
        ("core_mhz = nan", "core_mhz: NaN is not a number"),
        ("core_mhz = -66", "core_mhz: -66 is negative"),
        ("cycle_ns = 1e-8", "1E-8 ns cannot be: 0.001 to 1,000,000 ns are plausible; 10 if it was"),
        ("[memory.ext]\naccess_ns = 70000000", "70000000 ns cannot be: 0.001 to 1,000,000 ns are"),
        ("[memory.ext]\nacess_ns = 70", "'acess_ns' is no access time, did you mean access_ns?"),
        ("name = 'x'", "there is no memory; write [memory.NAME]"),
        ("name = ", "platform.toml: not TOML: Invalid value"),
        (
            "core_mhz = 1\n[memory.sram]\naccess_ns = 1",
            "there is no memory ext; there are sram. Add [memory.ext], or map the section to one of these",
        ),
        (
            "core_mhz = 1\n[memory.sram]\naccess_ns = 1\n[memory.ext]\nread_ns = 2\nfetch_ns = {n16 = 1}",
            "memory.ext has no time for a sequential fetch of 16 bits; give fetch_ns.s16 = ... or, for "
            "all accesses, access_ns = ...",
        ),
        ("[memory.sram]\naccess_ns = 1\n[memory.ext]\naccess_ns = 2", "cycles have no price; give core_mhz"),
    ],
)  # fmt: skip
def test_access_times_that_do_not_fit_are_named(platform: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(EstimateError) as caught:
        priced(made.detailed(), target(tmp_path, platform), "N=1", "L=1")
    assert said in str(caught.value)


def test_branches_without_a_price(tmp_path: Path) -> None:
    on = target(tmp_path, "[memory.m]\naccess_ns = 1\n", '[map]\n"*" = "m"\n')
    with pytest.raises(EstimateError, match=r"taken branches have no price: .* give branch_ns = \.\.\."):
        priced(files.read(made.SHEET), on, "N=1")


@pytest.mark.parametrize(
    ("sections", "memory", "said"),
    [
        ('txet = "ext"', "ext", "map: no sheet has a section txet; did you mean text? Correct or remove it"),
        ('bss = "ext"', "ext", "map: no sheet has a section bss; there are heap, stack, text. Correct or"),
        ('text = "ext"', "exd", "there is no memory exd; did you mean ext? Add [memory.exd]"),
    ],
)
def test_mappings_name_sections_and_memories_that_there_are(
    sections: str, memory: str, said: str, tmp_path: Path
) -> None:
    """What nobody would read is no mapping: it is a slip, and the section it was for lies elsewhere."""
    (tmp_path / "platform.toml").write_text("core_mhz = 50\n[memory.ext]\naccess_ns = 1\n")
    (tmp_path / "mapping.toml").write_text(f'[map]\n{sections}\n"*" = "{memory}"\n')
    files.write(tmp_path / "s.sheet.json", made.detailed())
    where: list[str | Path] = [
        "--platform",
        tmp_path / "platform.toml",
        "--mapping",
        tmp_path / "mapping.toml",
    ]
    given = [*where, "--with", "N=2", "--with", "L=2"]
    sheet = tmp_path / "s.sheet.json"
    for command, several in (("estimate", [sheet]), ("compare", [sheet, sheet])):
        _, messages = made.typed(command, *several, *given, status=1)
        assert said in " ".join(messages.split())


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        (
            '[map]\ntext = "ext"',
            'mapping.toml: does not say where heap, stack lies; add "heap" = "MEMORY" below [map], or',
        ),
        ("[map]\ntext = 3", "mapping.toml: map.text: 3 is no memory's name; write it in quotes"),
        ("map = 3", "mapping.toml: map: is not a table; write [map] and keys below it"),
        ("[mapping]\n", "'mapping' is not known here; did you mean map?"),
    ],
)
def test_mappings_that_do_not_fit_are_named(mapping: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(EstimateError) as caught:
        priced(made.detailed(), target(tmp_path, mapping=mapping), "N=1", "L=1")
    assert said in str(caught.value)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(EstimateError, match=r"none\.toml: cannot be read: No such file"):
        Platform.read(tmp_path / "none.toml")
