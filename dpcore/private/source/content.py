"""What a file holds, told from its first bytes; its name must say the same."""

from __future__ import annotations

from enum import Enum
from typing import Final

from dpcore.errors import InputError

FIRST_BYTES: Final = 512
"""So many bytes are enough to tell."""


class Content(Enum):
    """The four kinds of content that are opened."""

    CSV = "CSV text"
    GZIP = "a gzip archive"
    ZIP = "a zip archive"
    PARQUET = "Parquet"


_ENDINGS: Final = {
    Content.CSV: (".csv", ".txt"),
    Content.GZIP: (".gz",),
    Content.ZIP: (".zip",),
    Content.PARQUET: (".parquet", ".pq"),
}

_ACCEPTED: Final = (
    (b"PAR1", Content.PARQUET),
    (b"\x1f\x8b", Content.GZIP),
    (b"PK\x03\x04", Content.ZIP),
    (b"PK\x05\x06", Content.ZIP),
)

_REFUSED: Final = (
    *((b"\x80" + bytes([protocol]), "a Python pickle") for protocol in range(2, 6)),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x89HDF", "HDF5"),
    (b"ARROW1", "Arrow or Feather"),
    (b"FEA1", "Feather"),
    (b"ORC", "ORC"),
    (b"Obj\x01", "Avro"),
    (b"%PDF", "PDF"),
    (b"SQLite format 3\x00", "SQLite or GeoPackage"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
    (b"{", "JSON"),
    (b"[", "JSON"),
    (b"<", "HTML or XML"),
)


def content_of(first: bytes, name: str) -> Content:
    """The content, if it is one that is opened and agrees with the ending of the name.

    Args:
        first: the first FIRST_BYTES bytes of the file, or all of a shorter one.
        name: file name; only its ending is read.

    Raises:
        InputError: empty, of another kind (never opened, least of all unpickled), or named as another kind.

    """
    if not first:
        raise InputError("the file is empty", name, "Choose a CSV or Parquet file with a header.")
    content = next((kind for magic, kind in _ACCEPTED if first.startswith(magic)), None)
    if content is Content.ZIP and b"[Content_Types].xml" in first:
        raise _not_opened(name, "an Excel or Office document")
    if content is None:
        for magic, kind in _REFUSED:
            # a byte-order mark or white space may stand before a JSON or XML document
            if (first.lstrip(b"\xef\xbb\xbf \t\r\n") if len(magic) == 1 else first).startswith(magic):
                raise _not_opened(name, kind)
        content = Content.CSV
    if not name.lower().endswith(_ENDINGS[content]):
        says = f"the name ends in .{name.rpartition('.')[2]}" if "." in name else "the name has no ending"
        raise InputError(
            f"{says}, the content is {content.value}",
            name,
            f"Rename it to end in {' or '.join(_ENDINGS[content])}, or choose another file.",
        )
    return content


def _not_opened(name: str, kind: str) -> InputError:
    return InputError(
        f"the content is {kind}",
        name,
        "Accepted are CSV (UTF-8), gzip or zip of one CSV, and Parquet.",
    )
