"""TripsFile: the bytes of one trips file, on disk or uploaded, opened again for every pass; and all those of a folder."""

from __future__ import annotations

import codecs
import io
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Final, cast

import pyarrow as pa

from dpcore import limits
from dpcore.errors import InputError
from dpcore.places import TRIPS_ENDINGS
from dpcore.private.sealed import Sealed
from dpcore.private.source.content import FIRST_BYTES, ByteStream, Content, content_of, unpacked
from dpcore.private.source.plt_text import PltText, Track, ends_of, place_in, tracks_of

_MAX_NAME: Final = 200
_MARKS: Final = ("\t", "|", ";", ",", " ")
"""What may separate the names of columns that the owner gives, and so the fields of the file."""
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
    """Lines that are read before those of the file, because its owner names the columns; see ``with_header``."""

    @classmethod
    def on_disk(cls, path: str | Path, name: str | None = None, header: str | None = None) -> TripsFile:
        """A file of this computer, read by its absolute path; never a glob, a URL or a device. ``name``: its name in messages.

        ``header``: the names of its columns, as in ``with_header``. Its first record then does not tell what kind it is.
        Raises InputError: missing, not a plain file, empty, too large, of a kind that is not opened, or as ``with_header``.
        """
        given = Path(path)
        name = _printable(given.name if name is None else name)
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
        short = _printable(name.replace("\\", "/").rpartition("/")[2])
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
        name = _printable(folder.name or str(folder))
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
        if len(files) > 1:
            _check_size("all uploads together", sum(len(data) for _, data in files), limits.MAX_UPLOAD_BYTES)
        return tuple(cls.uploaded(name, data, header) for name, data in files)

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

        ``header``: names, separated as the fields of the file are: by commas, semicolons, bars, blanks, or tabs, which may be
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
        if not line.replace("\t", "").isprintable() or not (
            mark := next((m for m in _MARKS if m in line), "")
        ):
            raise InputError(
                "this is no line of names",
                "--header",
                "Write it such as uid,datetime,lat,lng.",
                options=("--header",),
            )
        return replace(self, header=f'"sep={mark}"\n{line}\n')

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
        raise self._gone()

    def open_arrow(self) -> pa.NativeFile:
        """The bytes as stored, for Arrow, without a copy in Python.

        Raises InputError: the file is gone or may not be read any more.
        """
        if isinstance(self._bytes, bytes):
            return pa.BufferReader(self._bytes)
        with suppress(OSError):
            return pa.OSFile(str(self._bytes))
        raise self._gone()

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
            self.name, stored, inner, self.size, self.max_unpacked, header_decides=not self.header
        )
        if self.header:
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
        raise self._gone()

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

    def _gone(self) -> InputError:
        return InputError("the file cannot be opened", self.name, "It may have been moved.")


def _check_size(name: str, size: int, limit: int) -> None:
    if size > limit:
        raise InputError(
            f"the file has {size:,} bytes, the limit is {limit:,}",
            name,
            "Split it by months, or write it as Parquet.",
        )


def _printable(name: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in name)[-_MAX_NAME:] or "file"


def trips_files(paths: Sequence[str | Path], header: str | None = None) -> tuple[TripsFile, ...]:
    """The files that the paths name. A folder stands for all trips files below it, at any depth.

    Names that begin with a dot or an underscore are left out, and so are links, because a folder holds only what lies in
    it. All GeoLife trajectories of a folder are one file. A file of a folder is called by its path inside it
    (``date=2024-03-01/part-0.parquet``). ``header``: as in ``TripsFile.with_header``. Raises InputError: a path cannot be
    opened, a folder holds no trips file, or there are too many.
    """
    named: list[tuple[Path, str]] = []
    folders: list[TripsFile] = []
    for path in map(Path, paths):
        if path.is_dir():
            below = sorted(_below(path))
            tracks = [inside for inside in below if inside.lower().endswith(Content.PLT.endings)]
            if tracks:
                folders.append(TripsFile.of_tracks(path, tracks))
                below = sorted({*below} - {*tracks})
            elif not below:
                raise InputError(
                    "no trips file in the folder",
                    path.name or str(path),
                    f"It may hold files that end in {', '.join(TRIPS_ENDINGS)}.",
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
    times = Counter(name for _, name in named)  # files with equal names are told apart by their folders
    files = (TripsFile.on_disk(path, name if times[name] == 1 else str(path), header) for path, name in named)
    return *files, *(file if header is None else file.with_header(header) for file in folders)


def _below(folder: Path) -> Iterator[str]:
    seen = 0
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name[0] not in "._"]
        seen += len(folders) + len(files)
        if seen > limits.MAX_FOLDER_ENTRIES:
            raise InputError(
                f"the folder holds more than {limits.MAX_FOLDER_ENTRIES:,} names",
                folder.name,
                "Put the trips files into their own folder.",
            )
        for name in files:
            path = Path(place) / name
            if name[0] not in "._" and name.lower().endswith(TRIPS_ENDINGS) and not path.is_symlink():
                yield path.relative_to(folder).as_posix()
