"""Which runs of a study stand, and why the others are made."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from socscope.errors import RecordError
from socscope.record import open_run
from socscope.record.write import whole_file
from socscope.study import reads
from socscope.study.space import Point

READS, POINT = "reads.json", "point.json"
KEPT = "all that it has read is as it was"
NEW = "new"


@dataclass(frozen=True)
class Standing:
    """Whether a run is kept, and why, or why it is made."""

    key: str
    kept: bool
    reason: str


def standing(points: Iterable[Point], runs: Path) -> dict[str, Standing]:
    """How each run stands, by its key."""
    earlier = _earlier(runs)
    return {point.key: _of(point, runs / point.key, earlier) for point in points}


def told(standings: Iterable[Standing]) -> str:
    """How many runs are kept, and why others are made, in one line."""
    counted = Counter((one.kept, one.reason) for one in standings)
    kept = sum(count for (is_kept, _), count in counted.items() if is_kept)
    made = [f"{count} {reason}" for (is_kept, reason), count in counted.most_common() if not is_kept]
    rest = f", to be made: {'; '.join(made)}" if made else ": all that they have read is as it was"
    return f"{kept} runs kept{rest}"


def note(point: Point, folder: Path) -> None:
    """Notes beside a record for which parameters and inputs it was made."""
    text = json.dumps({"parameters": point.parameters, "inputs": point.inputs}, sort_keys=True)
    whole_file(folder / POINT, text + "\n")


def remove_superseded(points: Sequence[Point], runs: Path) -> None:
    """Removes runs that were made for parameters of these points, from other inputs."""
    wanted = {point.key for point in points}
    parameters = {_text(point.parameters) for point in points}
    for text, inputs in _earlier(runs).items():
        for folder in inputs:
            if text in parameters and folder.name not in wanted:
                rmtree(folder, ignore_errors=True)


def _of(point: Point, folder: Path, earlier: dict[str, dict[Path, dict[str, str]]]) -> Standing:
    if not folder.exists():
        return Standing(point.key, False, _newly(point, earlier))
    try:
        open_run(folder)
    except RecordError:
        return Standing(point.key, False, "with damaged records")
    why = reads.changed(folder / READS)
    return Standing(point.key, why is None, why or KEPT)


def _newly(point: Point, earlier: dict[str, dict[Path, dict[str, str]]]) -> str:
    """Which input is another one than in a run of the same parameters that is there."""
    others = list(earlier.get(_text(point.parameters), {}).values())
    if not others:
        return NEW
    names = sorted({*others[0], *point.inputs})
    return "changed: " + ", ".join(name for name in names if others[0].get(name) != point.inputs.get(name))


def _earlier(runs: Path) -> dict[str, dict[Path, dict[str, str]]]:
    """The runs that are there: inputs by folder, by the parameters."""
    found: dict[str, dict[Path, dict[str, str]]] = {}
    for path in sorted(runs.glob(f"*/{POINT}")):
        try:
            noted = json.loads(path.read_text(encoding="utf-8"))
            inputs = {str(name): str(value) for name, value in noted["inputs"].items()}
            found.setdefault(_text(noted["parameters"]), {})[path.parent] = inputs
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
    return found


def _text(parameters: object) -> str:
    return json.dumps(parameters, sort_keys=True)
