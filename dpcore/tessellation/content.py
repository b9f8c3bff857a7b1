"""What a file really is: its first bytes decide, and a name that says otherwise is refused.

No reader of another format is ever started: an archive, an XML document or a pickle is named and refused.
"""

from __future__ import annotations

import codecs
import os
import stat
from enum import Enum
from pathlib import Path
from typing import Final

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tessellation.labels import quoted


class Format(Enum):
    """The formats a tessellation may come in."""

    GEOJSON = "GeoJSON"
    GEOPACKAGE = "GeoPackage"
    STATIONS = "a table of stations"


_BY_SUFFIX: Final = {
    ".geojson": Format.GEOJSON,
    ".json": Format.GEOJSON,
    ".gpkg": Format.GEOPACKAGE,
    ".csv": Format.STATIONS,
}
_SQLITE: Final = b"SQLite format 3\x00"
_GEOPACKAGE_IDS: Final = frozenset({b"GPKG", b"GP10", b"GP11"})
_ACCEPTED: Final = "Give GeoJSON (.geojson, .json), a GeoPackage (.gpkg) or a table of stations (.csv)."
_NOT_JSON: Final = "not JSON"
_SIGNATURES: Final = (
    (b"PK\x03\x04", "a zip archive (or a spreadsheet)"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"\xff\xff\xff\xff", "an Arrow stream"),
    (b"FEA1", "a Feather file"),
    (b"\x93NUMPY", "a NumPy file"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"\x80\x02", "a pickle"),
    (b"\x80\x03", "a pickle"),
    (b"\x80\x04", "a pickle"),
    (b"\x80\x05", "a pickle"),
    (b"\x00\x00\x27\x0a", "a shapefile"),
    (b"fgb", "a FlatGeobuf file"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (codecs.BOM_UTF32_LE, "text that is not UTF-8"),
    (codecs.BOM_UTF16_LE, "text that is not UTF-8"),
    (codecs.BOM_UTF16_BE, "text that is not UTF-8"),
)


def file_name(name: str) -> str:
    """The file's name as messages show it: without folders, one line, cut short."""
    return quoted(name.replace("\\", "/").rsplit("/", 1)[-1]).strip('"') or "tessellation"


def load(source: Path | bytes, name: str) -> bytes:
    """All bytes of a file or an upload; raises TessellationError if it is missing, empty or too large.

    The size is checked before anything is read, and again on what was read.
    """
    shown = file_name(name)
    data = _read(source, shown) if isinstance(source, Path) else source
    if len(data) > limits.MAX_TESSELLATION_BYTES:
        raise _too_large(shown)
    if not data:
        raise TessellationError("the file is empty", shown, _ACCEPTED)
    return data


def format_of(data: bytes, name: str) -> Format:
    """The format of the bytes; raises TessellationError, naming both, if the file's name says another."""
    shown = file_name(name)
    claimed = _BY_SUFFIX.get(Path(shown).suffix.lower())
    if claimed is None:
        raise TessellationError("the name of the file does not say what it holds", shown, _ACCEPTED)
    found = _found(data)
    if claimed is Format.STATIONS and found == _NOT_JSON:  # any text may be a table: its reader tells
        return claimed
    if found != claimed.value:
        raise TessellationError(
            f"the name says {claimed.value}, the content is {found}",
            shown,
            _ACCEPTED if found not in {form.value for form in Format} else "Name it by its content.",
        )
    return claimed


def _found(data: bytes) -> str:
    """What the first bytes are, in words; the value of a Format for an accepted one."""
    if data.startswith(_SQLITE):
        return (
            Format.GEOPACKAGE.value
            if data[68:72] in _GEOPACKAGE_IDS
            else "an SQLite database of another kind"
        )
    for signature, words in _SIGNATURES:
        if data.startswith(signature):
            return words
    first = data.removeprefix(codecs.BOM_UTF8)[:4096].lstrip(b" \t\r\n")[:1]
    if first in {b"{", b"["}:
        return Format.GEOJSON.value
    return "an XML document" if first == b"<" else _NOT_JSON


def _read(path: Path, shown: str) -> bytes:
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise TessellationError("this is not a file", shown, _ACCEPTED)
            if found.st_size > limits.MAX_TESSELLATION_BYTES:
                raise _too_large(shown)
            return file.read(limits.MAX_TESSELLATION_BYTES + 1)
    except OSError as error:
        reason = (
            "there is no such file" if isinstance(error, FileNotFoundError) else "the file cannot be read"
        )
        raise TessellationError(reason, shown, "Check the name and the rights of the file.") from None


def _too_large(shown: str) -> TessellationError:
    return TessellationError(
        "the file is too large",
        shown,
        f"At most {limits.MAX_TESSELLATION_BYTES // 2**20} MB are read. Simplify the borders.",
    )
