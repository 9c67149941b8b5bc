"""The timeline as one HTML page that needs nothing else."""

import base64
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from socscope.record import Run
from socscope.report.page import asset, embedded_json, environment
from socscope.report.timeline.tracks import Track, tracks

FOLDER = Path(__file__).parent


def render(run: Run) -> str:
    """The page of a run."""
    manifest = run.manifest
    return page(f"{manifest.image.name} on {manifest.platform.name}", tracks(run))


def page(title: str, shown: Sequence[Track]) -> str:
    """The page of some tracks."""
    template = environment(FOLDER).get_template("timeline.html")
    return template.render(
        title=title,
        tracks=embedded_json(encoded(shown)),
        script=asset(FOLDER / "timeline.js"),
        events=sum(len(track.starts_ps) for track in shown),
    )


def encoded(shown: Sequence[Track]) -> dict[str, Any]:
    """The tracks for the page's script: times as doubles in ns, texts by number."""
    texts: dict[str, int] = {}
    return {
        "tracks": [
            {
                "group": track.group,
                "name": track.name,
                "starts": _packed("d", (ps / 1000 for ps in track.starts_ps)),
                "ends": _packed("d", (ps / 1000 for ps in track.ends_ps)),
                "labels": _packed("I", (texts.setdefault(text, len(texts)) for text in track.labels)),
                "kinds": _packed("I", (texts.setdefault(text, len(texts)) for text in track.kinds)),
            }
            for track in shown
        ],
        "texts": list(texts),
    }


def _packed(kind: str, values: Iterable[float]) -> str:
    listed = list(values)
    return base64.b64encode(struct.pack(f"<{len(listed)}{kind}", *listed)).decode()
