"""The results database of `heddle sweep` and `heddle claims`: SQLite, read only."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from typing import Any


class Database:
    """Rows of a results database; its tables are described in docs/database.md."""

    def __init__(self, path: str | os.PathLike[str]):
        if not os.path.exists(path):
            raise FileNotFoundError(f"no database at {os.fspath(path)}")
        self._connection = sqlite3.connect(f"file:{os.fspath(path)}?mode=ro", uri=True)
        self._connection.row_factory = sqlite3.Row

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """The rows of a query, a dict each."""
        return [dict(row) for row in self._connection.execute(sql, parameters)]

    def runs(self) -> list[dict[str, Any]]:
        """Every run that went well."""
        return self.rows("SELECT * FROM runs WHERE status = 'ok' ORDER BY workload, gpu, settings")

    def stats(self, run: int) -> dict[str, float]:
        """Every number of one run (the column `id` of runs)."""
        return {r["name"]: r["value"] for r in self.rows("SELECT name, value FROM stats WHERE run = ?", [run])}

    def speedups(self, base: str) -> list[dict[str, Any]]:
        """Speed-ups of all settings over those of `base` ("" is the preset itself), a row a workload and settings."""
        return self.rows("SELECT * FROM speedups WHERE base = ? ORDER BY workload, settings", [base])

    def frame(self, sql: str = "SELECT * FROM runs WHERE status = 'ok'", parameters: Sequence[Any] = ()) -> Any:
        """The rows of a query as a pandas frame."""
        import pandas

        return pandas.read_sql_query(sql, self._connection, params=list(parameters))
