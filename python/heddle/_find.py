"""Where the library and the command are."""

from __future__ import annotations

import ctypes.util
import os
import shutil
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _homes() -> list[Path]:
    """Folders to look in: HEDDLE_HOME, the build folder beside the package in the tree, the prefix it is installed under."""
    named = os.environ.get("HEDDLE_HOME")
    tree = _PACKAGE.parent.parent
    prefixes = [p for p in _PACKAGE.parents if p.name in ("lib", "lib64")]
    return ([Path(named)] if named else []) + [tree / "build"] + prefixes


def library() -> str:
    for home in _homes():
        for name in ("lib/libheddle.so.0", "libheddle.so.0"):
            if (home / name).exists():
                return str(home / name)
    found = ctypes.util.find_library("heddle")
    if found:
        return found
    raise OSError("libheddle.so.0 is not found: build it with `make`, install it, or set HEDDLE_HOME to the build folder")


def command() -> str:
    for home in _homes():
        for name in ("heddle", "../bin/heddle"):
            path = home / name
            if path.is_file() and os.access(path, os.X_OK):
                return str(path)
    found = shutil.which("heddle")
    if found:
        return found
    raise OSError("the command heddle is not found: build it with `make`, install it, or set HEDDLE_HOME to the build folder")
