"""What a run was built from, kept with its record: the compiled device tree, the layer rules, the image."""

import gzip
import hashlib
import zlib
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from socscope.errors import RecordError
from socscope.image import Image
from socscope.platform import Platform
from socscope.record.manifest import Begin, MarkPoint, ModuleFunction, Rerun
from socscope.record.run import Run
from socscope.record.write import whole_file

TREE, LAYERS, IMAGE = "platform.dtb", "layers.toml", "image.elf.gz"
# Larger images are not kept: who replays such a record names the file.
IMAGE_BYTES_MAX = 32_000_000
IMAGES = "images"
# Where a study keeps the states in which its runs begin.
CHECKPOINTS = "checkpoints"

# The highest level takes three times as long for half a percent.
PACKED_LEVEL = 6

Place = tuple[int, int, bool]


def keep(
    place: Place,
    platform: Platform,
    layer_rules: bytes,
    image: Image,
    *,
    images: Path | None = None,
    profile_from: Begin | None = None,
    tasks_from: Begin | None = None,
    modules: Sequence[ModuleFunction] = (),
    marks: Sequence[MarkPoint] = (),
    devices: Sequence[str] = (),
) -> tuple[Rerun, dict[str, bytes]]:
    """The manifest's part and the files of a record; the image goes to `images` when that is given."""
    files = {TREE: platform.dtb, LAYERS: layer_rules}
    kept = len(image.data) <= IMAGE_BYTES_MAX
    if kept and images is not None:
        shared = images / _shared(image.sha256)
        if not shared.is_file():
            whole_file(shared, _packed(image.data))
    elif kept:
        files[IMAGE] = _packed(image.data)
    rerun = Rerun(
        part=place[1],
        settled=place[2],
        layers_sha256=hashlib.sha256(layer_rules).hexdigest(),
        image_kept=kept,
        profile_from=profile_from,
        tasks_from=tasks_from,
        module_functions=list(modules),
        marks=list(marks),
        devices=list(devices),
    )
    return rerun, files


def added_devices(inputs: pa.Table) -> list[str]:
    """The devices that were put into the machine on its way."""
    names = zip(inputs["kind"].to_pylist(), inputs["target"].to_pylist(), strict=True)
    return sorted({str(target) for kind, target in names if kind == "attach"})


def rerun_of(run: Run) -> Rerun:
    """What the record says about running again."""
    rerun = run.manifest.rerun
    if rerun is None:
        raise RecordError(
            f"{run.folder}: the record holds no input: it was written in format {run.manifest.format}; "
            "run again"
        )
    if rerun.devices and run.manifest.format == 2:
        raise RecordError(
            f"{run.folder}: the record does not say of which kind its device {rerun.devices[0]} is: it was "
            "written in format 2; run again"
        )
    return rerun


def platform_of(run: Run) -> Platform:
    """The platform as the run had it."""
    facts = run.manifest.platform
    return Platform(facts.name, _checked(run.folder / TREE, facts.dtb_sha256))


def layers_of(run: Run) -> Path:
    """The file of the layer rules that the run had."""
    _checked(run.folder / LAYERS, rerun_of(run).layers_sha256)
    return run.folder / LAYERS


def image_of(run: Run, given: Path | Image | None = None) -> Image:
    """The image that ran: the one given, or the one that was kept."""
    facts = run.manifest.image
    if given is not None:
        image = given if isinstance(given, Image) else Image.read(given)
        if image.sha256 != facts.sha256:
            raise RecordError(
                f"{image.path}: another image than the one that ran: {run.folder} names {facts.name} "
                f"with SHA-256 {facts.sha256}, this file has {image.sha256}"
            )
        return image
    places = [run.folder / IMAGE, *(above / IMAGES / _shared(facts.sha256) for above in _above(run.folder))]
    for path in places:
        if path.is_file():
            return Image.parse(Path(facts.name), _unpacked(path, facts.sha256))
    raise RecordError(
        f"{run.folder}: the image {facts.name} (SHA-256 {facts.sha256}) is not kept with the record; "
        "give its file with --image"
    )


def checkpoints_of(run: Run) -> list[Path]:
    """The checkpoints of the study that the run is of."""
    return [
        path for above in _above(run.folder) for path in sorted((above / CHECKPOINTS).glob("*.checkpoint"))
    ]


def _above(folder: Path) -> list[Path]:
    return list(folder.absolute().parents)[:2]


def _shared(sha256: str) -> str:
    return f"{sha256}.elf.gz"


def _packed(data: bytes) -> bytes:
    # No time in it: equal runs give equal records.
    return gzip.compress(data, PACKED_LEVEL, mtime=0)


def _unpacked(path: Path, sha256: str) -> bytes:
    try:
        with gzip.open(path) as packed:
            data = packed.read(IMAGE_BYTES_MAX + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise RecordError(f"{path}: cannot be read: {error}; give the image with --image") from None
    if len(data) > IMAGE_BYTES_MAX:
        raise RecordError(
            f"{path}: unpacks to more than the {IMAGE_BYTES_MAX:,} bytes that are kept with a record; "
            "give the image with --image"
        )
    if hashlib.sha256(data).hexdigest() != sha256:
        raise RecordError(f"{path}: changed since the record was written; give the image with --image")
    return data


def _checked(path: Path, sha256: str) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}") from None
    if hashlib.sha256(data).hexdigest() != sha256:
        raise RecordError(f"{path}: changed since the record was written; run again")
    return data
