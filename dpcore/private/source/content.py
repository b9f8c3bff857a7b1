"""The bytes of a trips file: their kind is recognised by the first ones, then they are unpacked, counted and checked.

The name of a file must agree with its bytes. Sizes that an archive declares are not trusted.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final, cast

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source.plt_text import MARK

if TYPE_CHECKING:
    from typing_extensions import Buffer


FIRST_BYTES: Final = 512
"""So many bytes are enough to recognise the content."""


class Content(Enum):
    """The kinds of content that are opened. A new kind of archive is one more here, with its opener in ``_OPENERS``."""

    CSV = "CSV text", (), (".csv", ".txt", ".tsv", ".tab")
    GZIP = "a gzip archive", (b"\x1f\x8b",), (".gz", ".gzip")
    BZIP2 = "a bzip2 archive", (b"BZh",), (".bz2",)
    ZIP = "a zip archive", (b"PK\x03\x04", b"PK\x05\x06"), (".zip",)
    PARQUET = "Parquet", (b"PAR1",), (".parquet", ".pq")
    PLT = "a GeoLife trajectory", (MARK,), (".plt",)

    def __init__(self, what: str, marks: tuple[bytes, ...], endings: tuple[str, ...]) -> None:
        self.what = what
        """Its name in messages."""
        self.marks = marks
        """Its bytes begin with one of them. Text has none."""
        self.endings = endings
        """Its file names end with one of them."""


_OF_TEXTS: Final = frozenset({b"{", b"[", b"<", b"%PDF"})
"""Marks of what is no table, and yet begins with a line of text."""
_OFFICE: Final = (b"[Content_Types].xml", b"_rels/", b"docProps/", b"xl/", b"mimetype")
"""Names of the files with which such an archive begins, or their beginnings."""
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
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
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"\x04\x22\x4d\x18", "an LZ4 archive"),
    (b"\x1f\x9d", "an archive of compress"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
    (b"{", "JSON"),
    (b"[", "JSON"),
    (b"<", "HTML or XML"),
)


_TAR: Final = "a tar archive"
_TAR_NAMES: Final = (".tgz", ".tbz", ".tbz2")
_TAR_MARK: Final = 262
"""So many bytes tell a tar archive."""


def content_of(first: bytes, name: str, *, names_given: bool = False) -> Content:
    """The content of a file by its first FIRST_BYTES bytes, if it can be opened and agrees with the ending of the name.

    No record decides the kind of a file. A text may begin with the letters of a mark, such as ``ORC``. So such a mark counts only
    if the name says the same, or if the first line is the mark alone or no text, or if no table begins with it.
    ``names_given``: the owner names the columns, so a text begins with a record. Then a mark of letters counts only if the name
    says the same.
    Raises InputError: empty, of another kind (never opened, above all never unpickled), or named as another kind.
    """
    if not first:
        raise InputError("the file is empty", name, "Choose a CSV or Parquet file with a header.")

    line = first.splitlines()[0]

    def tells_kind(mark: bytes, endings: tuple[str, ...] = ()) -> bool:
        if name.lower().endswith(endings) or not _may_be_text(mark):
            return True
        return not names_given and (mark in _OF_TEXTS or line.strip() == mark or not _is_written(line))

    content = next(
        (
            kind
            for kind in Content
            for mark in kind.marks
            if first.startswith(mark) and tells_kind(mark, kind.endings)
        ),
        None,
    )
    if content is Content.ZIP and _first_member(first).startswith(_OFFICE):
        raise _not_opened(name, "an Excel or Office document")
    if content is None:
        for magic, kind in _REFUSED:
            # a byte-order mark or white space may come before a JSON or XML document
            begins = first.lstrip(b"\xef\xbb\xbf \t\r\n") if len(magic) == 1 else first
            if begins.startswith(magic) and tells_kind(magic):
                raise _not_opened(name, kind, _other_way(kind, magic, name))
        content = Content.CSV
    _must_be_no_tar(first, content, name)
    if not name.lower().endswith(content.endings):
        says = f"the name ends in .{name.rpartition('.')[2]}" if "." in name else "the name has no ending"
        raise InputError(
            f"{says}, the content is {content.what}",
            name,
            f"Rename it to end in {' or '.join(content.endings)}, or choose another file.",
        )
    return content


def _may_be_text(line: bytes) -> bool:
    """Whether a text may begin with these bytes: it is UTF-8 without NUL."""
    decoder = codecs.getincrementaldecoder("utf-8")("strict")  # the bytes may end inside a letter
    try:
        return "\0" not in decoder.decode(line)
    except UnicodeDecodeError:
        return False


def _is_written(line: bytes) -> bool:
    """Whether these bytes are a line that a person would write: text without control characters."""
    return _may_be_text(line) and not _CONTROL.search(line)


def _first_member(archive: bytes) -> bytes:
    """The name of the first file in a zip archive, from the header of that file. Its content is not looked at."""
    return archive[30 : 30 + int.from_bytes(archive[26:28], "little")]


def _is_tar(first: bytes) -> bool:
    """Whether these are the first bytes of a tar archive (POSIX ustar): a name that NUL ends, and the mark of the format."""
    return first[257:_TAR_MARK] == b"ustar" and b"\0" in first[:257]


def _must_be_no_tar(first: bytes, content: Content, name: str) -> None:
    """Refuse a tar archive, also one inside another archive; raises InputError."""
    if content is Content.CSV and _is_tar(first):
        raise _not_opened(name, _TAR)
    if content in _UNPACKERS and _holds_tar(first, content, name):
        raise _not_opened(name, f"{_TAR} inside an archive")


def _holds_tar(first: bytes, content: Content, name: str) -> bool:
    """Whether an archive holds a tar archive, by its first bytes, or by its name where these do not unpack to enough."""
    unpacker, begin = _UNPACKERS[content](), b""
    with suppress(*UNPACKING_ERRORS, zlib.error):
        begin = unpacker.decompress(first, FIRST_BYTES)
    unknown = len(begin) < _TAR_MARK and not unpacker.eof
    return _is_tar(begin) or (unknown and name.lower().endswith(_TAR_NAMES))


def _kind_inside(first: bytes) -> str:
    """What an archive holds instead of a text, by the first bytes of what is inside; empty if that is not known."""
    if _is_tar(first):
        return _TAR
    known = [(mark, kind.what) for kind in Content for mark in kind.marks] + [*_REFUSED]
    return next((kind for mark, kind in known if first.startswith(mark)), "")


_HEADER: Final = " If this is a text that begins with a record, name its columns with --header."
_JSON: Final = (
    " Write it as CSV or Parquet, or load it as a data frame: pandas.read_json(path, lines=True, dtype=False), "
    "which changes no id and no time, and json_normalize where fields are nested."
)


def _other_way(kind: str, mark: bytes, name: str) -> str:
    """How a file of a refused kind can be read all the same; empty where it cannot."""
    if kind == "JSON" and not name.lower().endswith((".csv", ".txt")):
        return _JSON
    return _HEADER if _may_be_text(mark) else ""


def _not_opened(name: str, kind: str, more: str = "") -> InputError:
    spreadsheet = "Save it as CSV UTF-8 in Excel. " if "Office" in kind or kind.startswith("UTF-16") else ""
    unpack = "Unpack it: a folder of files is one data set. " if "archive" in kind else ""
    accepted = f"{unpack}Accepted are CSV (UTF-8), gzip, bzip2 or zip of one CSV, Parquet, and trajectories of GeoLife (.plt)."
    options = ("--header",) if more == _HEADER else ()
    return InputError(f"the content is {kind}", name, f"{spreadsheet}{accepted}{more}", options=options)


UNPACKING_ERRORS: Final = (
    EOFError,
    OSError,
    ValueError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
)
"""What the standard library raises for damaged archives (with zlib.error, which its callers add)."""

_UNPACKERS: Final[Mapping[Content, Callable[[], Any]]] = {
    Content.GZIP: partial(zlib.decompressobj, 31),
    Content.BZIP2: bz2.BZ2Decompressor,
}
"""Those that unpack as many bytes as are asked for."""

_ENCRYPTED: Final = 0x1
_MAX_MEMBERS: Final = 100


def unpacked(stored: BinaryIO, content: Content, name: str) -> IO[bytes]:
    """The CSV bytes inside, as a stream that unpacks only as much as is read.

    Raises InputError: damaged, encrypted, or not exactly one data file (``__MACOSX/`` is ignored).
    """
    opener = _OPENERS.get(content)
    return stored if opener is None else opener(stored, name)


def _gzip(stored: BinaryIO, _: str) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(fileobj=stored, mode="rb"))


def _only_member(stored: BinaryIO, name: str) -> IO[bytes]:
    archive, limited = None, _LimitedReads(stored)
    with suppress(*UNPACKING_ERRORS):
        archive = zipfile.ZipFile(cast("IO[bytes]", limited))
    if archive is None:
        raise _too_many(name) if limited.exceeded else _damaged(name)
    limited.most = sys.maxsize - 1  # the table of contents was read; members are unpacked piece by piece
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir()
        and not member.filename.startswith("__MACOSX/")
        and member.filename.rpartition("/")[2][:1] != "."  # .DS_Store of a Mac
    ]
    if len(archive.infolist()) > _MAX_MEMBERS:
        raise _too_many(name)
    if len(members) != 1:
        raise InputError(
            f"the zip archive holds {len(members):,} files",
            name,
            "Unpack it: a folder of files is one data set. Or zip one CSV file and nothing else.",
        )
    member = members[0]
    if member.flag_bits & _ENCRYPTED:
        raise InputError("the zip archive is encrypted", name, "Zip it without a password.")
    # Other methods unpack a whole block at a time, however large. Only with these two can bytes be counted.
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InputError(
            "the zip archive uses a rare method", name, "Zip it again with the usual one, deflate."
        )
    with suppress(*UNPACKING_ERRORS):
        return archive.open(member)
    raise _damaged(name)


def _bzip2(stored: BinaryIO, _: str) -> IO[bytes]:
    return cast("IO[bytes]", bz2.BZ2File(stored))


_OPENERS: Final[Mapping[Content, Callable[[BinaryIO, str], IO[bytes]]]] = {
    Content.GZIP: _gzip,
    Content.BZIP2: _bzip2,
    Content.ZIP: _only_member,
}
"""How the one CSV text of an archive is opened. Other content is read as it is."""


class _LimitedReads:
    """A file that refuses a request for too many bytes at once.

    The standard library reads the table of contents of an archive by one such request, whatever its form. So this limits the
    memory that the table takes, without relying on the size that the archive declares.
    """

    def __init__(self, stored: BinaryIO) -> None:
        self._stored = stored
        self.seek, self.tell, self.seekable = stored.seek, stored.tell, stored.seekable
        self.most = limits.MAX_ARCHIVE_DIRECTORY_BYTES
        """Most bytes of one request."""
        self.exceeded = False

    def read(self, size: int = -1) -> bytes:
        """As the file's ``read``. Raises OSError if more bytes are requested than allowed."""
        data = self._stored.read(min(size if size >= 0 else sys.maxsize, self.most + 1))
        if len(data) > self.most:
            self.exceeded = True
            raise OSError
        return data


def _too_many(name: str) -> InputError:
    return InputError("the zip archive holds too many files", name, "Zip one CSV file and nothing else.")


def _damaged(name: str) -> InputError:
    return InputError("the zip archive is damaged", name, "Make or download it again.")


_PIECE: Final = 2**20
_LINE: Final = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|$)")
_SEP: Final = re.compile(rb'"?sep=[,;\t|]"?|"sep= "', re.IGNORECASE)


class ByteStream(io.RawIOBase):
    """Readable bytes of one CSV text as UTF-8, without NUL, without endless lines, within the limit.

    A text is UTF-8, or Latin-1 if its header is no UTF-8. No record decides it, because then one would change how others are
    read.

    The checks cover every byte, also those of columns that are never decoded. A fault raises InputError with the line of
    the fault.
    """

    def __init__(
        self,
        name: str,
        stored: BinaryIO,
        inner: IO[bytes],
        size: int,
        limit: int,
        *,
        header_decides: bool = False,
    ) -> None:
        """``header_decides``: whether a first line that is no UTF-8 makes the text Latin-1. It must be a header, no record."""
        super().__init__()
        self._name, self._stored, self._inner = name, stored, inner
        self._size, self._limit = size, limit
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._kept = self._first = b""
        self._is_latin: bool | None = None if header_decides else False
        self._count = 0
        self._lines = 0
        self._line_bytes = 0

    @property
    def share(self) -> float:
        """Share of the stored bytes that was read, 0 to 1."""
        return min(1.0, self._stored.tell() / max(1, self._size))

    @property
    def is_latin(self) -> bool:
        """Whether the header is no UTF-8, so that the text is read as Latin-1. Known once the header was read."""
        return bool(self._is_latin)

    def readable(self) -> bool:
        """True: the stream can always be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """At most ``size`` checked bytes; none at the end.

        Raises InputError: damaged, too long, or not UTF-8 text.
        """
        if self._kept:
            kept = self._kept if size < 0 else self._kept[:size]
            self._kept = self._kept[len(kept) :]
            return kept
        wanted = limits.CSV_BLOCK_BYTES if size < 0 else size
        pieces = []
        while wanted > 0 and (piece := self._piece(min(wanted, _PIECE))):
            pieces.append(piece)
            wanted -= len(piece)
        data = b"".join(pieces)
        if size >= 0 and len(data) > size:  # letters that were one byte are two now
            self._kept = data[size:]
        return data[:size] if size >= 0 else data

    def readinto(self, buffer: Buffer) -> int:
        """Fill a buffer with checked bytes. Returns their number."""
        view = memoryview(buffer).cast("B")
        data = self.read(len(view))
        view[: len(data)] = data
        return len(data)

    def put_back(self, data: bytes) -> None:
        """Let the next read return these bytes first. They were read with the header."""
        self._kept = data + self._kept

    def close(self) -> None:
        """Close the stream and the file."""
        if not self.closed:
            self._inner.close()
            self._stored.close()
        super().close()

    def _piece(self, size: int) -> bytes:
        data = None
        with suppress(*UNPACKING_ERRORS, zlib.error):
            data = self._inner.read(max(1, size // 2) if self._is_latin else size)
        if data is None:
            raise InputError(
                "the archive is damaged or cut short"
                if self._inner is not self._stored
                else "cannot be read",
                self._name,
                "Make or download it again.",
            )
        self._first = self._first or data[:FIRST_BYTES]
        self._count += len(data)
        if self._count > self._limit:
            raise InputError(
                f"unpacks to more than {self._limit:,} bytes", self._name, "Split the file by months."
            )
        if self._is_latin is None:
            self._is_latin = _header_is_latin(data)
        if self._is_latin:
            data = data.decode("latin-1").encode()
        self._check_text(data)
        self._check_lines(data)
        return data

    def _check_text(self, data: bytes) -> None:
        """Refuse NUL and what is not UTF-8. A letter may be cut by the end of the piece, but not by the end of the file."""
        nul = data.find(b"\0")
        if nul >= 0:
            raise self._not_text("holds a NUL byte", data[:nul])
        if data and data.isascii() and not self._decoder.getstate()[0]:
            return
        try:
            self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            # the error itself holds bytes of the file, so only its position leaves this block
            start = max(0, error.start)
        else:
            return
        raise self._not_text("is not UTF-8", data[:start])

    def _not_text(self, what: str, before: bytes) -> InputError:
        inside = _kind_inside(self._first) if self._inner is not self._stored and not self._lines else ""
        if inside:
            return _not_opened(self._name, f"{inside} inside an archive")
        return InputError(
            f"the text {what}",
            f"{self._name}, line {self._lines + _line_ends(before) + 1:,}",
            "It is not a text, or of an older encoding, such as Windows-1252, CP949, GBK or Shift_JIS. Save it as CSV UTF-8.",
        )

    def _check_lines(self, data: bytes) -> None:
        """Refuse a line that is too long, also one of several pieces, and count the lines.

        It leaps by as many bytes as a line may have. Within each leap a line must end, and the next leap begins there.
        """
        begin = 0
        while len(data) - begin + self._line_bytes > limits.MAX_RECORD_BYTES:
            reach = begin + limits.MAX_RECORD_BYTES - self._line_bytes
            end = max(data.rfind(b"\n", begin, reach), data.rfind(b"\r", begin, reach))
            if end < 0:
                raise InputError(
                    f"a line has more than {limits.MAX_RECORD_BYTES:,} bytes",
                    f"{self._name}, line {self._lines + _line_ends(data[:begin]) + 1:,}",
                    "Is this a CSV file with one record on each line?",
                )
            begin, self._line_bytes = end + 1, 0
        last = max(data.rfind(b"\n", begin), data.rfind(b"\r", begin))
        self._line_bytes = len(data) - last - 1 if last >= 0 else self._line_bytes + len(data) - begin
        self._lines += _line_ends(data)


def _line_ends(data: bytes) -> int:
    return data.count(b"\n") or data.count(b"\r")


def _header_is_latin(data: bytes) -> bool:
    """Whether the header has bytes that are no UTF-8. Below it are records, which must not decide that."""
    begin, end, _, _ = first_line(data)
    try:
        # a letter that the end of the bytes cuts is no fault
        codecs.getincrementaldecoder("utf-8")("strict").decode(data[begin:end])
    except UnicodeDecodeError:
        return True
    return False


def first_line(data: bytes) -> tuple[int, int, int, str | None]:
    """Where the header of a text begins and ends, its line counted from 1, and the separator that the line before it names.

    A byte-order mark, empty lines and one line such as ``sep=;``, which Excel writes, come before the header.
    """
    begin = end = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    lines, told = 0, None
    while end < len(data):
        line = data[begin:end].strip(b" \r\n")
        if told is None and _SEP.fullmatch(line):
            told = line.strip(b'"')[-1:].decode()
        elif line.strip():
            break
        begin = end
        found = _LINE.match(data, begin)
        end = found.end() if found else len(data)
        lines += 1
    return begin, end, lines, told
