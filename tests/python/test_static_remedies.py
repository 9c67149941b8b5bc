"""What messages advise is done as it stands, and helps; annotations that do nothing are named."""

from collections.abc import Sequence

import pytest
from socscope.characterize.static import Annotation, Reference, Region, StaticResult, analyse
from static_bench import Bench, compiled
from static_remedies import remedy

BUILD = ("-O2", "-marm")
ONE = ((1, 1, 1), (1, 1, 1), (1, 1, 1))
TIMES = [Reference("ideal", (Region("all", 0, 0xFFFFFFFF, (ONE, ONE)),))]


def found(name: str, *annotations: Annotation) -> StaticResult:
    image = compiled(*BUILD, source="remedies.c")
    return analyse(image, name, times=TIMES, annotations=annotations)


@pytest.mark.parametrize(
    ("name", "kind", "targets"),
    [
        ("until", "loop", ()),
        ("tangled", "irreducible", ()),
        ("branches", "recursion", ()),
        ("through", "jump", ("one", "two")),
        ("remembers", "jump", ("return",)),
        ("remembered", "jump", ("return",)),
        ("outside", "jump", ()),
    ],
)
def test_each_remedy_helps(name: str, kind: str, targets: tuple[str, ...]) -> None:
    (one,) = found(name).unbounded
    assert one.kind == kind
    result = found(name, remedy(one, targets=targets))
    assert result.unbounded == ()
    assert isinstance(result.bound_cycles, int)
    assert result.without_effect == ()
    # Every way leads to a block that was gone through.
    assert all("steps" in block for _, block in result.graph.nodes(data=True))
    assert result.picture().count("<svg") == 1


def test_a_function_that_returns_by_memory_leaves_its_callers_registers() -> None:
    bench = Bench(compiled(*BUILD, source="remedies.c"), "sheet-ext16")
    (one,) = found("remembered").unbounded
    result = analyse(
        bench.image, "remembered", times=[bench.reference], annotations=[remedy(one, targets=("return",))]
    )
    cycles, transitions, _ = bench.call("remembered")
    assert isinstance(result.bound_cycles, int)
    assert cycles <= result.bound_cycles
    assert transitions <= result.transitions()
    assert {block["function"] for _, block in result.graph.nodes(data=True)} >= {"now_and_then"}


@pytest.mark.parametrize("options", [("-O1", "-marm"), ("-Os", "-marm")], ids=" ".join)
def test_a_return_address_that_an_annotation_repeats_is_no_other(options: tuple[str, ...]) -> None:
    image = compiled(*options, "-fno-optimize-sibling-calls", source="remedies.c")
    bound = Annotation("remedies.c:shift:loop", loop_bound=4)
    result = analyse(image, "shifts", times=TIMES, annotations=[bound])
    assert result.unbounded == ()
    returns = [edge for edge in result.graph.edges(data=True) if edge[2]["kind"] == "return" and edge[1] >= 0]
    again = [
        Annotation(hex(result.graph.nodes[start]["steps"][-1]), targets=("return",))
        for start, _, _ in returns
    ]
    other = analyse(image, "shifts", times=TIMES, annotations=[bound, *again])
    assert (other.unbounded, other.bound_cycles) == ((), result.bound_cycles)
    assert len(other.without_effect) == len(again)


def test_a_call_does_not_return_to_the_caller() -> None:
    (one,) = found("through").unbounded
    (other,) = found("through", remedy(one, targets=("return",))).unbounded
    assert other.reason.startswith('this is a call, which comes back: "return" among its targets')
    assert found("through", remedy(other, targets=("one",))).unbounded == ()


def test_a_bound_within_which_a_loop_cannot_end_is_refused() -> None:
    (one,) = found("ten", Annotation("remedies.c:ten:loop", loop_bound=4)).unbounded
    assert one.reason.startswith("the loop does not end within the bound that an annotation gives")
    assert found("ten", remedy(one, loop_bound=10)).unbounded == ()


def test_targets_stand_at_the_line_of_their_jump() -> None:
    (one,) = found("through").unbounded
    place = one.source.rpartition("/")[2]
    assert place.startswith("remedies.c:")
    result = found("through", Annotation(place, targets=("one", "two")))
    assert result.unbounded == ()


def why(name: str, annotations: Sequence[Annotation]) -> tuple[str, str]:
    (one,) = found(name, *annotations).without_effect
    return one.reason, one.nearest


@pytest.mark.parametrize(
    ("name", "annotation", "reason", "nearest"),
    [
        (
            "until",
            Annotation("remedies.c:ten:loop", loop_bound=3),
            "no loop that is reached is there",
            "",
        ),
        (
            "ten",
            Annotation("remedies.c:ten:loop", loop_bound=12),
            "the values alone end the loop, after 10 runs of its head at most",
            "",
        ),
        ("choose", Annotation("through", never=True), "no path from the entry comes to that place", None),
        ("choose", Annotation("tree", recursion_depth=2), "the function does not call itself here", ""),
        (
            "choose",
            Annotation("choose", targets=("one",)),
            "no jump is there whose targets are not known without it",
            "",
        ),
        ("choose", Annotation("until", targets=("one",)), "no path from the entry comes to that place", ""),
        (
            "choose",
            Annotation("tree", register="r0", maximum=3),
            "no instruction that is executed begins there",
            None,
        ),
        (
            "choose",
            Annotation("choose", register="r0", maximum=0xFFFFFFFF),
            "r0 is known to be in that range there",
            "",
        ),
    ],
)
def test_an_annotation_without_effect_is_named(
    name: str, annotation: Annotation, reason: str, nearest: str | None
) -> None:
    assert why(name, [annotation])[0] == reason
    if nearest is not None:
        assert why(name, [annotation])[1] == nearest


def test_the_nearest_place_has_an_effect() -> None:
    (idle,) = found("through", Annotation("through", targets=("one",))).without_effect
    assert found("through", Annotation(idle.nearest, targets=("one",))).without_effect == ()
    assert "has no effect: no jump is there" in str(idle)
    assert str(idle).endswith(f"; the nearest place where one has is {idle.nearest!r}")
