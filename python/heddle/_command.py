"""The heddle command: workloads and whole CUDA programs, comparisons and sweeps."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from . import _find
from ._api import settings_text


class Failed(RuntimeError):
    """The command, or the program that it ran, ended with a status other than 0."""

    def __init__(self, command: Sequence[str], status: int, text: str):
        super().__init__(text.strip() or f"{' '.join(command)} ended with status {status}")
        self.command, self.status = list(command), status


def _call(arguments: Sequence[str]) -> str:
    command = [_find.command(), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(command, done.returncode, done.stderr or done.stdout)
    return done.stdout


def _with_report(arguments: Sequence[str], command: Sequence[str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="heddle-") as folder:
        path = os.path.join(folder, "report.json")
        _call([*arguments, "--json", path, *command])
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def run(workload: str | Sequence[str], *, gpu: str | None = None, settings: Mapping[str, Any] | str | None = None, size: str | None = None,
        functional: bool = False, options: Sequence[str] = ()) -> dict[str, Any]:
    """Runs a built-in workload (a name) or a CUDA program (a list: path and arguments) and returns its report, as `heddle run --json`.
    `options` are further ones of `heddle run`."""
    arguments = ["run", *(["--gpu", gpu] if gpu else []), *(["--functional"] if functional else []), *options]
    for pair in filter(None, settings_text(settings).split(",")):
        arguments += ["--set", pair]
    if isinstance(workload, str):
        return _with_report([*arguments, *(["--size", size] if size else [])], [workload])
    return _with_report(arguments, ["--", *workload])


def compare(workloads: Sequence[str], vary: Mapping[str, Sequence[Any]], **others: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """Runs each workload under each value of one key: {(workload, value): report}. `others` go to run()."""
    if len(vary) != 1:
        raise ValueError("vary one key; for more, use sweep()")
    (key, values), = vary.items()
    settings = settings_text(others.pop("settings", None))
    out = {}
    for name in workloads:
        for value in values:
            both = ",".join(filter(None, [settings, settings_text({key: value})]))
            out[name, str(value)] = run(name, settings=both, **others)
    return out


def sweep(plan: str | os.PathLike[str], db: str | os.PathLike[str], jobs: int | None = None) -> None:
    """Makes all runs of a plan (TOML) that the database lacks."""
    _call(["sweep", os.fspath(plan), "--db", os.fspath(db), *(["--jobs", str(jobs)] if jobs else [])])


def workloads() -> list[str]:
    """The names of the built-in workloads."""
    lines = _call(["list", "workloads", "--tsv"]).splitlines()
    return [line.split("\t")[0] for line in lines if line and not line.startswith(("#", "name\t", "workload\t"))]
