"""Does what the messages of the static analysis say."""

import re
from collections.abc import Callable

from socscope.characterize.static import Annotation, StaticResult, Unbounded

ROUNDS_MAX = 6
AT = r'\{at = "(?P<at>[^"]+)", '
LOOP = re.compile(AT + r"loop_bound = ")
TARGETS = re.compile(AT + r'targets = \["\.\.\."\]\}')
NEVER = re.compile(AT + r"never = true\}")
RECURSION = re.compile(r'\{function = "(?P<at>[^"]+)", recursion_depth = \.\.\.\}')


def remedy(
    one: Unbounded, *, loop_bound: int = 8, depth: int = 2, targets: tuple[str, ...] = ()
) -> Annotation:
    """The annotation that a message gives, with numbers and names in the place of the dots."""
    if found := LOOP.match(one.remedy):
        return Annotation(found["at"], loop_bound=loop_bound)
    if found := RECURSION.match(one.remedy):
        return Annotation(found["at"], recursion_depth=depth)
    if found := NEVER.match(one.remedy):
        return Annotation(found["at"], never=True)
    found = TARGETS.match(one.remedy)
    assert found, one.remedy
    assert targets, f"{one.place}: {one.reason}"
    return Annotation(found["at"], targets=targets)


def all_applied(
    analyse: Callable[[list[Annotation]], StaticResult], **numbers: int
) -> tuple[StaticResult, list[Annotation]]:
    """Applies remedies until nothing is without a bound; fails where one does not help."""
    given: list[Annotation] = []
    for _ in range(ROUNDS_MAX):
        result = analyse(given)
        if not result.unbounded:
            return result, given
        more = [remedy(one, **numbers) for one in result.unbounded]  # type: ignore[arg-type]
        assert not [one for one in more if one in given], [one.reason for one in result.unbounded]
        given += more
    raise AssertionError(result.unbounded)
