"""Words that stand in no module, or in few."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.wall.doors import COMMANDS_OF_WINGS, KINDS
from tests.wall.source import Source, below, constant

MAY_SAY_RELEASE = (
    "dpcore.curator",
    "dpcore.release.table_checks",
    *(f"{wing}.private.maker" for wing in KINDS),
)

CACHES = ("cache_data", "cache_resource")

GDALS_OWN_PROCESS = "dpcore.tiles.child"

SERIALISERS = ("pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib")


def releases(source: Source) -> Iterator[str]:
    """Noise is drawn for a release at the curator's alone; whoever reads one back names what the file says."""
    if below(source.name, *MAY_SAY_RELEASE):
        return
    for node in source.nodes:
        if isinstance(node, ast.keyword) and node.arg == "origin" and constant(node.value) == "release":
            yield "says that noise is of a release"


def nowhere(source: Source) -> Iterator[str]:
    words = source.words()
    yield from (f"uses {word}" for word in words & {"eval", "exec", "breakpoint"})
    yield from (
        "uses compile" for node in source.nodes if isinstance(node, ast.Name) and node.id == "compile"
    )
    if "read_file" in words:
        yield "uses read_file: GDAL never sees an upload in this process"
    if source.name != GDALS_OWN_PROCESS and any(
        below(name, "pyogrio", "osgeo", "fiona") for name in source.known
    ):
        yield "imports GDAL: it reads files in a process of its own"
    yield from (f"uses {word}: all visitors share it" for word in words & set(CACHES))
    yield from (f"imports {name}" for name in source.known if below(name, *SERIALISERS))
    if "unsafe_allow_html" in source.text:
        yield "uses unsafe_allow_html"
    if not below(source.name, "dpcore.command_line", *COMMANDS_OF_WINGS) and "print" in words:
        yield "uses print"
