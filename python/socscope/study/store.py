"""The results of a study as one store: all its run records behind one SQL door, with where they come from."""

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from socscope.errors import RecordError, StudyError
from socscope.record import Run, open_run
from socscope.record.query import query as ask
from socscope.record.write import whole_file
from socscope.study.sheet import Sheet

DATABASE = "results.duckdb"
HOST = "host.json"


def note_host(folder: Path, seconds: float) -> None:
    """Notes what the host took for a run, beside its record: it is no part of the result."""
    facts = {"host_seconds": round(seconds, 3), "host_name": os.uname().nodename, "host_process": os.getpid()}
    whole_file(folder / HOST, json.dumps(facts) + "\n")


def host_facts(run: Run) -> dict[str, Any]:
    """What the host took for a run; nothing when the study was killed before it could note it."""
    try:
        facts: dict[str, Any] = json.loads((run.folder / HOST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return facts


def provenance(run: Run) -> dict[str, Any]:
    """A row of the table `runs`: what went into a run, what it ended with, what the host took."""
    facts = run.manifest
    host = host_facts(run)
    return {
        "run": run.folder.name,
        **facts.parameters,
        "study": " ".join(facts.command),
        "socscope": facts.socscope,
        "platform": facts.platform.name,
        "platform_sha256": facts.platform.dtb_sha256,
        "overrides": " ".join(facts.platform.overrides),
        "image": facts.image.name,
        "image_sha256": facts.image.sha256,
        "timing": facts.timing.model,
        "stop": facts.stop.detail,
        "stop_cycle": facts.stop.cycle,
        "stop_time_ps": facts.stop.time_ps,
        "state_hash": facts.state_hash,
        "record_sha256": run.sha256,
        **{name: host.get(name) for name in ("host_seconds", "host_name", "host_process")},
    }


class Store:
    """The results folder of a study."""

    def __init__(self, folder: Path, runs: Sequence[Run]) -> None:
        self.folder = folder
        self.runs = list(runs)

    @classmethod
    def open(cls, folder: Path) -> "Store":
        """Opens a results folder; runs that are not whole are left out."""
        paths = sorted((folder / "runs").glob("*/manifest.json"))
        runs = []
        for path in paths:
            try:
                runs.append(open_run(path.parent))
            except RecordError:
                continue
        if not runs:
            raise StudyError(f"{folder}: no study's results: there are no runs in it")
        return cls(folder, runs)

    def query(self, sql: str) -> pa.Table:
        """The answer to one SELECT: over `runs`, and over each table of the records with a column `run`."""
        names = sorted({name for run in self.runs for name in run.table_names})
        files = {
            name: [run.folder / f"{name}.parquet" for run in self.runs if name in run.manifest.tables]
            for name in names
        }
        return ask(sql, {"runs": self.table()}, files)

    def table(self) -> pa.Table:
        """The table `runs`."""
        return _table([provenance(run) for run in self.runs])


def write(folder: Path, runs: Sequence[Run], sheets: Sequence[Sheet]) -> Path:
    """Writes the database of a study, for any program that reads DuckDB: `runs`, and each sheet."""
    path = folder / DATABASE
    tables = {"runs": Store(folder, runs).table()}
    for sheet in sheets:
        tables[sheet.name] = _table([{name: row[name] for name in sheet.columns} for row in sheet.rows])
    with tempfile.TemporaryDirectory(dir=folder, prefix=".store-") as work:
        partial = Path(work) / DATABASE
        try:
            with duckdb.connect(partial) as database:
                for name, table in tables.items():
                    if not table.num_columns:
                        continue
                    database.register("given", table)
                    database.execute(f'CREATE TABLE "{name}" AS SELECT * FROM given')
                    database.unregister("given")
        except duckdb.Error as error:
            raise StudyError(f"{path}: not written: {error}") from None
        partial.replace(path)
    return path


def _table(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Rows as a table; a column of several types takes the widest."""
    columns = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: _column([row.get(name) for row in rows]) for name in columns})


def _column(values: list[Any]) -> list[Any]:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and float in kinds:
        return [None if value is None else float(value) for value in values]
    if len(kinds) > 1:
        return [None if value is None else str(value) for value in values]
    return values
