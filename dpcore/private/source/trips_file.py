"""TripsFile: the bytes of one trips file, on disk or uploaded, opened again for every pass; and all those of a folder."""

from __future__ import annotations

import codecs
import io
import re
import stat
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Final, cast
from urllib.parse import unquote

import pyarrow as pa

from dpcore import limits
from dpcore.errors import InputError
from dpcore.places import TRIPS_ENDINGS
from dpcore.private.sealed import Sealed
from dpcore.private.source.content import FIRST_BYTES, ByteStream, Content, content_of, unpacked
from dpcore.private.source.every_file import found_and_refusals, raise_together
from dpcore.private.source.plt_text import PltText, Track, ends_of, place_in, tracks_of
from dpcore.private.source.trips_folder import (
    folder_of_trips,
    left_out_notes,
    names_without_people,
    printable,
    twins,
)

_MAX_NAME: Final = 200
_MARKS: Final = ("\t", "|", ";", ",", " ")
"""What may separate the names of columns that the owner gives, and so the fields of the file."""
_NULL: Final = "__HIVE_DEFAULT_PARTITION__"
"""The value of a folder whose records have none."""
_MAY_HOLD: Final = f"It may hold files that end in {', '.join(TRIPS_ENDINGS)}"
_LAST_LINE: Final = 100
"""The last line that may hold the names of the columns."""
_LINE_END: Final = re.compile(rb"\r\n|\r|\n")
HEADER_LINES: Final = 2
"""Lines of ``TripsFile.header``, which are no lines of the file."""


@dataclass(frozen=True, repr=False, eq=False)
class TripsFile(Sealed):
    """One trips file whose size and kind of content were checked. Nothing of it is parsed yet.

    Made by ``TripsFile.on_disk`` or ``TripsFile.uploaded``.
    """

    name: str
    """Printable file name for messages and captions; for a file in a folder of trips its path inside that folder."""
    size: int
    """Bytes as stored, before unpacking."""
    content: Content
    """Recognised by the first bytes. The name agrees with it."""
    _bytes: Path | bytes | tuple[Track, ...]
    header: str = ""
    """Lines that are read before those of the file, because its owner names the columns; or the number of the line with their names.

    See ``with_header``.
    """
    folders: tuple[tuple[str, str | None], ...] = ()
    """Columns that the folders above the file name, as ``user_id=u1`` does, each with the one value that it has in all records."""

    @classmethod
    def on_disk(cls, path: str | Path, name: str | None = None, header: str | None = None) -> TripsFile:
        """A file of this computer, read by its absolute path; never a glob, a URL or a device. ``name``: its name in messages.

        ``header``: the names of its columns, as in ``with_header``. Its first record then does not tell what kind it is.
        Raises InputError: missing, not a plain file, empty, too large, of a kind that is not opened, or as ``with_header``.
        """
        given = Path(path)
        name = _shown_name(given.name if name is None else name)
        with suppress(OSError, ValueError):  # ValueError: a NUL character in the path
            place = given.resolve(strict=True)
            status = place.stat()
            if not stat.S_ISREG(status.st_mode):
                raise InputError("not a plain file", name, "Choose a CSV or Parquet file.")
            _check_size(name, status.st_size, limits.MAX_FILE_BYTES)
            with place.open("rb") as opened:
                first = opened.read(FIRST_BYTES)
            content = content_of(first, name, names_given=header is not None)
            trips = cls(name, status.st_size, content, place)
            return trips if header is None else trips.with_header(header)
        raise InputError("the file cannot be opened", name, "Check the path and the right to read it.")

    @classmethod
    def uploaded(cls, name: str, data: bytes, header: str | None = None) -> TripsFile:
        """An upload, held in memory. Its name serves only for the ending and for messages. ``header``: as for ``on_disk``.

        Raises InputError: empty, over ``limits.MAX_UPLOAD_BYTES``, of a kind that is not opened, or as ``with_header``.
        """
        short = _shown_name(name.replace("\\", "/").rpartition("/")[2])
        _check_size(short, len(data), limits.MAX_UPLOAD_BYTES)
        content = content_of(data[:FIRST_BYTES], short, names_given=header is not None)
        file = cls(short, len(data), content, data)
        return file if header is None else file.with_header(header)

    @classmethod
    def of_tracks(cls, folder: Path, inside: Sequence[str]) -> TripsFile:
        """The GeoLife trajectories of a folder, by their paths in it, as one file.

        Raises InputError: they are too large together or cannot be opened, or only some of them name their user.
        """
        tracks = tracks_of(folder, inside)
        name = _shown_name(folder.name or str(folder))
        with suppress(OSError):
            size = sum((folder / path).stat().st_size for path in inside)
            _check_size(name, size, limits.MAX_FILE_BYTES)
            return cls(name, size, Content.PLT, tracks)
        raise InputError("the file cannot be opened", name, "Check the path and the right to read it.")

    @classmethod
    def uploads(cls, files: Sequence[tuple[str, bytes]], header: str | None = None) -> tuple[TripsFile, ...]:
        """Several uploads, which together may be as large as one. ``header``: as for ``on_disk``.

        Raises InputError: too many or too large together, or as ``uploaded``.
        """
        if len(files) > limits.MAX_UPLOADED_FILES:
            raise InputError(
                f"{len(files):,} uploads, the limit is {limits.MAX_UPLOADED_FILES:,}",
                "uploads",
                "Put the files into the data folder.",
            )
        names = [name for name, _ in files]
        _must_not_be_twins(names, names)
        if len(files) > 1:
            _check_size("all uploads together", sum(len(data) for _, data in files), limits.MAX_UPLOAD_BYTES)
        found = list[TripsFile]()
        faults = list[InputError]()
        for name, data in files:
            try:
                found.append(cls.uploaded(name, data, header))
            except InputError as error:
                faults.append(error)
        raise_together([*faults, *found_and_refusals(found if len(files) > 1 else [], _must_open)[1]])
        return tuple(found)

    @property
    def _tracks(self) -> tuple[Track, ...]:
        """The trajectories of GeoLife. A file that stands alone names no user."""
        return self._bytes if isinstance(self._bytes, tuple) else (Track(self.name, "", self._bytes),)

    @property
    def names_users(self) -> bool:
        """Whether trajectories are in folders of their users."""
        return isinstance(self._bytes, tuple) and bool(self._bytes[0].user)

    def where(self, place: int) -> tuple[str, int]:
        """The file and the line (or row) in it where a record is, both counted from 1."""
        if self.content is Content.PLT:
            return place_in(self._tracks, self._ends, place)
        return self.name, place

    @cached_property
    def _ends(self) -> list[int]:
        return ends_of(self._tracks)

    def with_header(self, header: str) -> TripsFile:
        """This file read with the names of columns that its owner gives, because its first line is a record.

        ``header``: the number of the line that holds their names, below titles and remarks, which are then no records. Or
        names, separated as the fields of the file are: by commas, semicolons, bars, blanks, or tabs, which may be
        written as a backslash and a t.
        Raises InputError: the content names its columns itself, or this is no line of names.
        """
        if self.content in {Content.PARQUET, Content.PLT}:
            raise InputError(
                f"{self.content.what} names its columns itself",
                self.name,
                "Leave --header out.",
                options=("--header",),
            )
        line = header.replace("\\t", "\t").strip(" ")
        if line.isdecimal() and 1 < int(line) <= _LAST_LINE:
            return replace(self, header=line.lstrip("0"))
        if not line.replace("\t", "").isprintable() or not (
            mark := next((m for m in _MARKS if m in line), "")
        ):
            raise InputError(
                "this is no line of names",
                "--header",
                f"Write it such as uid,datetime,lat,lng, or give the number of the line that holds the names, 2 to {_LAST_LINE}.",
                options=("--header",),
            )
        return replace(self, header=f'"sep={mark}"\n{line}\n')

    def more_columns(self, own: Sequence[str]) -> dict[str, str | None]:
        """The columns that folders name, with their values, and that the file does not hold itself: those win."""
        return {name: value for name, value in self.folders if name not in own}

    @property
    def lines_more(self) -> int:
        """How many lines stand before those that are read; negative where lines were added that the file does not hold."""
        if self.header.isdecimal():
            return int(self.header) - 1
        return -HEADER_LINES if self.header else 0

    @property
    def max_rows(self) -> int:
        """Most records that may be read; fewer for an upload, which somebody else may have sent."""
        return limits.MAX_UPLOAD_ROWS if isinstance(self._bytes, bytes) else limits.MAX_TRIP_ROWS

    @property
    def max_unpacked(self) -> int:
        """Most bytes that unpacking may produce. The bytes really produced are counted."""
        if isinstance(self._bytes, bytes):
            return limits.MAX_UPLOAD_UNPACKED_BYTES
        return limits.MAX_FILE_BYTES

    def open_bytes(self) -> BinaryIO:
        """The bytes as stored, seekable, from the beginning; trajectories of GeoLife as one text, which is not seekable.

        Raises InputError: the file is gone or may not be read any more.
        """
        if self.content is Content.PLT:
            return cast("BinaryIO", PltText(self._tracks))
        if isinstance(self._bytes, bytes):
            return io.BytesIO(self._bytes)
        with suppress(OSError):
            return cast("Path", self._bytes).open("rb")
        raise self._moved_error()

    def open_arrow(self) -> pa.NativeFile:
        """The bytes as stored, for Arrow, without a copy in Python.

        Raises InputError: the file is gone or may not be read any more.
        """
        if isinstance(self._bytes, bytes):
            return pa.BufferReader(self._bytes)
        with suppress(OSError):
            return pa.OSFile(str(self._bytes))
        raise self._moved_error()

    def open_text(self) -> ByteStream:
        """The bytes of the one CSV text inside, unpacked, counted and checked while they are read.

        Raises InputError: an archive that is damaged or does not hold exactly one data file.
        """
        stored = self.open_bytes()
        try:
            inner = unpacked(stored, self.content, self.name)
        except InputError:
            stored.close()
            raise
        stream = ByteStream(
            self.name,
            stored,
            inner,
            self.size,
            self.max_unpacked,
            header_decides=not self.header or self.header.isdecimal(),
        )
        if self.header.isdecimal():
            stream.put_back(_without_lines(stream.read(limits.MAX_RECORD_BYTES), int(self.header) - 1))
        elif self.header:
            stream.put_back(
                self.header.encode() + stream.read(len(codecs.BOM_UTF8)).removeprefix(codecs.BOM_UTF8)
            )
        return stream

    def identity(self) -> str | None:
        """Tells a file on disk from a changed one without reading it; None for an upload.

        Besides path, size and inode it covers two times: the last change of the bytes, which programs that copy or unpack
        may set freely, and the last change of the file's entry, which they cannot set. Raises InputError: the file is
        gone.
        """
        if isinstance(self._bytes, bytes):
            return None
        places = [track.content for track in self._bytes] if isinstance(self._bytes, tuple) else [self._bytes]
        with suppress(OSError):
            known: list[str] = []
            for place in places:
                status = cast("Path", place).stat()
                times = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
                known += (str(place), *map(str, times))
            return "\n".join(known)
        raise self._moved_error()

    def digest(self, key: bytes, tell: Callable[[float], None] | None = None) -> str:
        """Keyed BLAKE2b of the bytes as stored, 64 hexadecimal digits. Equal bytes give equal digests, however they are read.

        The ledger and the looks of an owner know a file by its digest. So ``header`` is no part of it: otherwise other names of
        columns would make another file, which could be counted as another part.
        The key (16 to 64 bytes, secret) keeps others from testing which file was loaded. ``tell`` is called with the share
        that was read, 0 to 1, after every block. Its exception ends the reading.
        """
        state, done = blake2b(key=key, digest_size=32), 0
        with self.open_bytes() as file:
            while block := file.read(2**20):
                state.update(block)
                done += len(block)
                if tell is not None:
                    tell(min(1.0, done / self.size))
        return state.hexdigest()

    def _moved_error(self) -> InputError:
        return InputError("the file cannot be opened", self.name, "It may have been moved.")


def _must_open(file: TripsFile) -> TripsFile:
    """The file, if what is packed in it is a text. Raises InputError as ``open_text``."""
    if file.content in {Content.GZIP, Content.BZIP2, Content.ZIP}:
        with file.open_text() as text:
            text.read(FIRST_BYTES)
    return file


def _without_lines(data: bytes, lines: int) -> bytes:
    """The bytes behind some lines, each of which ends with LF, CR LF or CR."""
    for _ in range(lines):
        found = _LINE_END.search(data)
        data = data[found.end() :] if found else b""
    return data


def _check_size(name: str, size: int, limit: int) -> None:
    if size > limit:
        raise InputError(
            f"the file has {size:,} bytes, the limit is {limit:,}",
            name,
            "Split it by months, or write it as Parquet.",
        )


def _shown_name(name: str) -> str:
    return printable(name)[-_MAX_NAME:] or "file"


def trips_files(
    paths: Sequence[str | Path],
    header: str | None = None,
    look: Callable[[TripsFile], object] = lambda _: None,
) -> tuple[TripsFile, ...]:
    """The files that the paths name. A folder stands for all trips files below it, at any depth.

    A file of a folder is called by its path inside it (``date=2024-03-01/part-0.parquet``, ``user_id=(1)/part-0.parquet``). All
    GeoLife trajectories of a folder are one file. Folders whose names are those of a column and its value are columns of the files below them.
    ``left_out_notes`` says which files of a folder are not read, and why.

    ``header``: as in ``TripsFile.with_header``. ``look``: tried on the others too where some cannot be opened, so that what it refuses
    is told with them. Raises InputError: a path cannot be opened, a folder holds no trips file, or there are too many.
    """
    named: list[tuple[Path, str]] = []
    folders: list[TripsFile] = []
    for path in map(Path, paths):
        if path.is_dir():
            found = folder_of_trips(path)
            below = [*found.trips]
            tracks = [inside for inside in below if inside.lower().endswith(Content.PLT.endings)]
            if tracks:
                folders.append(TripsFile.of_tracks(path, tracks))
                below = sorted({*below} - {*tracks})
            elif not below:
                raise InputError(
                    "no trips file in the folder",
                    path.name or str(path),
                    f"{'; '.join((_MAY_HOLD, *left_out_notes([path])))}.",
                )
            named += [(path / inside, inside) for inside in below]
        else:
            named.append((path, path.name))
        if len(named) > limits.MAX_TRIPS_FILES:
            raise InputError(
                f"more than {limits.MAX_TRIPS_FILES:,} files",
                path.name,
                "Join the files of a month into one.",
            )
    _must_not_be_twins([str(path) for path, _ in named], [name for _, name in named])
    times = Counter(name for _, name in named)  # files with equal names are told apart by their folders
    told = names_without_people([name if times[name] == 1 else str(path) for path, name in named])
    files, faults = list[TripsFile](), list[InputError]()
    for (path, name), called in zip(named, told, strict=True):
        try:
            files.append(replace(TripsFile.on_disk(path, called, header), folders=_named_in(path)))
        except InputError as error:
            inside = name != path.name or path.parent in map(Path, paths)
            mend = f"Move it out of the folder, or: {error.mend}" if inside else error.mend
            faults.append(InputError(error.what, error.where, mend, options=error.options))
    sound, packed = found_and_refusals(files if len(named) > 1 else [], _must_open)
    if faults or packed:
        raise_together([*faults, *packed, *found_and_refusals(sound, look)[1]])
    return *files, *(file if header is None else file.with_header(header) for file in folders)


def _must_not_be_twins(places: Sequence[str], names: Sequence[str]) -> None:
    """Refuse two files that are called alike but for their endings; raises InputError."""
    if (alike := twins(places)) is not None:
        called = dict(zip(places, names, strict=True))
        raise InputError(
            "the same trips twice, by the names of the files",
            " and ".join(names_without_people([called[place] for place in alike])),
            "Leave one out if it is a copy, such as what unpacking leaves. Otherwise name them differently.",
        )


def _named_in(path: Path) -> tuple[tuple[str, str | None], ...]:
    """The columns that the folders of a path name, as Hive, Spark, DuckDB and pandas write them; of two with one name the inner one."""
    pairs = (part.partition("=") for part in path.parts[:-1])
    found = {name: unquote(value) for name, mark, value in pairs if name and mark}
    return tuple((name, None if value == _NULL else value) for name, value in found.items())
