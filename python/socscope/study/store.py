"""The results of a study as one store: all its run records behind one SQL door, with where they come from."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.dataset
import pyarrow.fs

from socscope.errors import QueryError, RecordError, StudyError
from socscope.record import Run, open_run, parquet
from socscope.record.partial import partial_folder
from socscope.record.query import named_in, unique_names
from socscope.record.query import query as ask
from socscope.record.write import whole_file
from socscope.study.sheet import Sheet

DATABASE = "results.duckdb"
HOST = "host.json"
RUNS, RUN = "runs", "run"
INTEGER_MAX = (1 << 63) - 1


def note_host(folder: Path, seconds: float) -> None:
    """Notes what the host took for a run, beside its record: it is no part of the result."""
    facts = {"host_seconds": round(seconds, 3), "host_name": os.uname().nodename, "host_process": os.getpid()}
    whole_file(folder / HOST, json.dumps(facts) + "\n")


def host_facts(run: Run) -> dict[str, Any]:
    """What the host took for a run; nothing when the study was killed before it could note it."""
    try:
        facts: object = json.loads((run.folder / HOST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def provenance(run: Run) -> dict[str, Any]:
    """A row of the table `runs`: what went into a run, what it ended with, what the host took.

    A parameter with the name of another column has a number behind its own: `image_1`.
    """
    facts = run.manifest
    host = host_facts(run)
    told = {
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
    names = unique_names([RUN, *told, *facts.parameters])[len(told) + 1 :]
    parameters = dict(zip(names, facts.parameters.values(), strict=True))
    return {RUN: run.folder.name, **parameters, **told}


class Store:
    """The results folder of a study."""

    def __init__(self, folder: Path, runs: Sequence[Run], left_out: Sequence[str] = ()) -> None:
        self.folder = folder
        self.runs = list(runs)
        self.left_out = list(left_out)
        """Why records of the folder are not among the runs."""

    @classmethod
    def open(cls, folder: Path) -> "Store":
        """Opens a results folder; runs whose records are damaged are left out."""
        # What begins with a dot is being written.
        paths = sorted((folder / "runs").glob("[!.]*/manifest.json"))
        runs = []
        left_out = []
        for path in paths:
            try:
                runs.append(open_run(path.parent))
            except RecordError as error:
                left_out.append(str(error))
        if not runs:
            why = f": {left_out[0]}" if left_out else ""
            raise StudyError(f"{folder}: no study's results: there are no runs in it{why}")
        return cls(folder, runs, left_out)

    def query(self, sql: str) -> pa.Table:
        """The answer to one SELECT: over `runs`, and over each table of the records with a column `run`."""
        names = sorted({name for run in self.runs for name in run.table_names} - {RUNS})
        wanted = named_in(sql, [RUNS, *names])
        tables = {name: self._together(name) for name in wanted if name != RUNS}
        try:
            return ask(sql, {RUNS: self.table(), **tables})
        except QueryError:
            # A file that cannot be read is the reason rather than the query; reading all of it says which.
            for name in tables:
                for run in self._with(name):
                    run.table(name)
            raise

    def _with(self, name: str) -> list[Run]:
        """The runs that have a table."""
        return [run for run in self.runs if name in run.manifest.tables]

    def _together(self, name: str) -> pa.dataset.Dataset:
        """A table of all runs, read only while it is asked for; columns that a run lacks are empty there."""
        runs = self._with(name)
        paths = [parquet.path_of(run.folder, name) for run in runs]
        whole = pa.schema([(RUN, pa.string())])
        for run, path in zip(runs, paths, strict=True):
            found = parquet.schema(run.folder, name, run.manifest.tables[name], run.manifest.format)
            if RUN in found.names:
                raise RecordError(
                    f"{path}: has a column {RUN}, which is the name of a study's run; rename it"
                )
            try:
                whole = pa.unify_schemas([whole, found])
            except pa.ArrowException as error:
                raise RecordError(f"{path}: other columns than in {paths[0]}: {error}; run again") from None
        return pa.dataset.FileSystemDataset.from_paths(
            [str(path.absolute()) for path in paths],
            schema=whole,
            format=pa.dataset.ParquetFileFormat(),
            filesystem=pa.fs.LocalFileSystem(),
            partitions=[pa.dataset.field(RUN) == run.folder.name for run in runs],
        )

    def table(self) -> pa.Table:
        """The table `runs`."""
        return _table([provenance(run) for run in self.runs])


def write(folder: Path, runs: Sequence[Run], sheets: Sequence[Sheet]) -> Path:
    """Writes the database of a study, for any program that reads DuckDB: `runs`, and each sheet."""
    path = folder / DATABASE
    tables = {RUNS: Store(folder, runs).table()}
    for sheet in sheets:
        tables[sheet.name] = _table([{name: row[name] for name in sheet.columns} for row in sheet.rows])
    with partial_folder(folder) as work:
        partial = work / DATABASE
        try:
            with duckdb.connect(partial) as database:
                for name, table in tables.items():
                    if not table.num_columns:
                        continue
                    database.register("given", table)
                    database.execute(f"CREATE TABLE {_quoted(name)} AS SELECT * FROM given")
                    database.unregister("given")
        except duckdb.Error as error:
            raise StudyError(f"{path}: not written: {error}") from None
        partial.replace(path)
    return path


def _quoted(name: str) -> str:
    """A name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def _table(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Rows as a table; a column of several types takes the widest, integers above 64 bits become text."""
    columns = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: _column([row.get(name) for row in rows]) for name in columns})


def _column(values: list[Any]) -> list[Any]:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and float in kinds:
        return [None if value is None else float(value) for value in values]
    if len(kinds) > 1 or any(isinstance(value, int) and abs(value) > INTEGER_MAX for value in values):
        return [None if value is None else str(value) for value in values]
    return values
