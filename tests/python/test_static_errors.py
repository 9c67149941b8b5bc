"""What the static analysis cannot bound is named, with the annotation that helps; bad ones are refused."""

import subprocess
from pathlib import Path

import pytest
from socscope.characterize.static import Annotation, Reference, Region, StaticResult, analyse
from socscope.errors import CharacterizeError
from socscope.image import Image
from static_bench import compiled

BUILD = ("-O2", "-marm")
ONE = ((1, 1, 1), (1, 1, 1), (1, 1, 1))
TIMES = [Reference("ideal", (Region("all", 0, 0xFFFFFFFF, (ONE, ONE)),))]


def found(name: str, *annotations: Annotation, **options: object) -> StaticResult:
    return analyse(compiled(*BUILD), name, times=TIMES, annotations=annotations, **options)  # type: ignore[arg-type]


def test_a_loop_without_known_end_is_named() -> None:
    result = found("length")
    assert result.bound_cycles is None
    assert result.paths == ()
    (one,) = result.unbounded
    assert one.kind == "loop"
    assert one.place.function == "length"
    assert "programs.c:" in one.source
    assert one.remedy.startswith('{at = "length+0x')
    assert "loop_bound" in one.remedy


def test_the_remedy_helps() -> None:
    (one,) = found("length").unbounded
    place = one.remedy.split('"')[1]
    assert isinstance(found("length", Annotation(place, loop_bound=20)).bound_cycles, int)


def test_recursion_is_named_and_bounded_by_its_depth() -> None:
    (one,) = found("factorial").unbounded
    assert one.kind == "recursion"
    assert 'function = "factorial", recursion_depth' in one.remedy
    bounds = [
        found("factorial", Annotation("factorial", recursion_depth=depth)).bound_cycles for depth in (3, 5)
    ]
    assert isinstance(bounds[0], int)
    assert isinstance(bounds[1], int)
    assert bounds[0] < bounds[1]


def test_a_call_through_a_pointer_is_named_and_bounded_by_its_targets() -> None:
    (one,) = found("through").unbounded
    assert one.kind == "jump"
    place = one.remedy.split('"')[1]
    result = found("through", Annotation(place, targets=("bits", "tail")))
    assert result.unbounded == ()
    assert {data["name"] for _, data in result.calls.nodes(data=True)} >= {"through", "bits", "tail"}


def test_a_bound_for_a_loop_that_is_not_there_is_named() -> None:
    (one,) = found("length", Annotation("programs.c:length:loop 7", loop_bound=3)).unbounded
    assert one.reason.endswith(
        ", and there is no loop at programs.c:length:loop 7, which an annotation bounds"
    )


def test_a_place_that_is_never_reached_is_left_out() -> None:
    result = found("factorial", Annotation("factorial", never=True))
    assert result.unbounded == ()


def test_a_stripped_image_says_what_to_do(tmp_path: Path) -> None:
    output = tmp_path / "stripped.elf"
    path = compiled(*BUILD).path
    subprocess.run(["arm-none-eabi-strip", "-s", str(path), "-o", str(output)], check=True)
    with pytest.raises(CharacterizeError, match=r"has no symbols \(it is stripped\); link without -s"):
        analyse(Image.read(output), 0x01000000, times=TIMES)


def test_without_debug_information_places_need_symbols(tmp_path: Path) -> None:
    output = tmp_path / "bare.elf"
    subprocess.run(["arm-none-eabi-strip", "-g", str(compiled(*BUILD).path), "-o", str(output)], check=True)
    image = Image.read(output)
    place = Annotation("programs.c:length:while", loop_bound=3)
    with pytest.raises(CharacterizeError, match="no debug information; build it with -g, or give 0x"):
        analyse(image, "length", times=TIMES, annotations=[place])
    (one,) = analyse(image, "length", times=TIMES).unbounded
    bound = Annotation(one.remedy.split('"')[1], loop_bound=3)
    assert analyse(image, "length", times=TIMES, annotations=[bound]).unbounded == ()


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (Annotation("nowhere", never=True), "annotation at 'nowhere': .*no symbol nowhere"),
        (Annotation("programs.c:1", never=True), "no instruction comes from that line"),
        (Annotation("programs.c:nothing:loop", loop_bound=1), "no code comes from a function nothing"),
        (Annotation("???", never=True), "a place is 0x..., symbol"),
        (
            Annotation("programs.c:length", targets=("tail",)),
            "targets belong to one jump; give its file.c:line",
        ),
        (Annotation("length"), "give exactly one of loop_bound, never, targets"),
        (Annotation("length", never=True, loop_bound=3), "give exactly one of loop_bound"),
        (Annotation("length", loop_bound="N"), "N is no parameter of the service; known: there are none"),
        (Annotation("length", register="r77", maximum=1), "register 'r77': r0 to r14, sp or lr"),
        (Annotation("length", register="r0"), "give the maximum of r0, too"),
        (Annotation("length", register="r0", minimum=3, maximum=1), "the minimum of r0 is above its maximum"),
    ],
)
def test_annotations_that_say_nothing_are_refused(annotation: Annotation, message: str) -> None:
    with pytest.raises(CharacterizeError, match=message):
        found("length", annotation)


def test_unknown_modes_and_starts_are_refused() -> None:
    with pytest.raises(CharacterizeError, match="mode 'kernel': one of user, fiq"):
        found("tail", mode="kernel")
    with pytest.raises(CharacterizeError, match="is not reached from tail"):
        found("tail", start="length")


def test_pictures_show_the_worst_path() -> None:
    result = found("choose")
    assert result.picture().count("<svg") == 1
    assert "square" in result.call_picture()


def test_without_dot_a_picture_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(CharacterizeError, match="install Graphviz"):
        found("choose").picture()
