"""Read the files of a bundle, one at a time, from a folder or a zip archive that may be malicious.

Sizes that an archive declares are not trusted: bytes are counted while they are unpacked. Names that lead out of the
bundle, links and devices are refused before anything is opened. Nothing is ever unpacked to disk.
"""

from __future__ import annotations

import io
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from dpcore import limits
from dpcore.errors import BundleError
from dpcore.release.canonical import AGAIN, CHANGED
from dpcore.release.layout import MANIFEST
from dpcore.release.texts import one_line

_DAMAGE: Final = (
    EOFError,
    OSError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
)
"""What the standard library raises for damaged archives."""
_END_RECORD: Final = 22  # bytes of the record that ends a zip archive
_WIDE_LOCATOR: Final = 20  # bytes of the record before it in an archive of more than 4 GB
_ENCRYPTED: Final = 0x1
_BLOCK: Final = 2**18
"""Bytes of a file whose digest is taken that are in memory."""


class Files(Protocol):
    """The files of one bundle."""

    @property
    def names(self) -> frozenset[str]:
        """Names relative to the bundle, with ``/`` between folder and file."""

    def read(self, name: str, most: int) -> bytes:
        """All bytes of one file; raises BundleError if it has more than ``most``, or if all files together are too large."""

    def digest(self, name: str) -> str:
        """The SHA-256 of one file, 64 hexadecimal digits; raises BundleError if all files together are too large."""


class ListedFiles:
    """Files whose SHA-256 a manifest lists; a file that is not listed is refused."""

    def __init__(self, files: Files, sums: Mapping[str, str]) -> None:
        self._files, self._sums = files, sums
        beyond = sorted(files.names - {MANIFEST, *sums})
        if beyond:
            raise BundleError("a file does not belong to the bundle", quotable_name(beyond[0]), "Remove it.")

    @property
    def names(self) -> frozenset[str]:
        """Names of the listed files."""
        return frozenset(self._sums)

    def content(self, name: str) -> bytes:
        """The bytes of a listed file; raises BundleError if their SHA-256 differs."""
        data = self._files.read(name, limits.MAX_BUNDLE_UNPACKED_BYTES)
        self._must_have(name, sha256(data).hexdigest())
        return data

    def must_be_whole(self) -> None:
        """Refuse files of which any SHA-256 differs; raises BundleError. None of them need fit into memory."""
        for name in sorted(self.names):
            self._must_have(name, self._files.digest(name))

    def _must_have(self, name: str, digest: str) -> None:
        if digest != self._sums.get(name):
            raise BundleError(
                "the file was changed: its SHA-256 is not the one in the manifest", name, CHANGED
            )


@contextmanager
def opened(place: Path | bytes) -> Iterator[Files]:
    """The files of a bundle: a folder, a .zip file, or the bytes of one; raises BundleError."""
    if isinstance(place, Path) and place.is_dir():
        yield _Folder(place)
        return
    data = place if isinstance(place, bytes) else _archive_bytes(place)
    if len(data) > limits.MAX_BUNDLE_BYTES:
        raise BundleError(
            "the archive is too large", "bundle", f"At most {limits.MAX_BUNDLE_BYTES // 2**20:,} MB are read."
        )
    yield _Archive(data)


def quotable_name(name: str) -> str:
    """The name of a file as an error may quote it: one line, visible characters only, shortened."""
    return f'"{one_line(name, 80)}"'


class _Counter:
    """Counts how many bytes of one bundle may still be read."""

    def __init__(self) -> None:
        self._left = limits.MAX_BUNDLE_UNPACKED_BYTES

    def most(self, most: int) -> int:
        return min(most, self._left)

    def count(self, data: bytes, most: int, name: str) -> bytes:
        if len(data) > self.most(most):
            raise BundleError("the file is too large", name, AGAIN)
        self._left -= len(data)
        return data


class _Folder:
    def __init__(self, place: Path) -> None:
        self._paths: dict[str, Path] = {}
        self._counter = _Counter()
        try:
            self._list(place, "", 2)
        except OSError:
            raise BundleError("the folder cannot be read", str(place), "Check its rights.") from None

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._paths)

    def read(self, name: str, most: int) -> bytes:
        with self._opened(name) as file:
            return self._counter.count(file.read(self._counter.most(most) + 1), most, name)

    def digest(self, name: str) -> str:
        found = sha256()
        with self._opened(name) as file:
            while data := file.read(_BLOCK):
                found.update(self._counter.count(data, _BLOCK, name))
        return found.hexdigest()

    @contextmanager
    def _opened(self, name: str) -> Iterator[BinaryIO]:
        if name not in self._paths:
            raise _missing(name)
        try:
            # Since the folder was listed, a link or a pipe may have come: do not follow the one or wait for the other.
            handle = os.open(self._paths[name], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(handle, "rb") as file:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise BundleError("this is not a file", name, AGAIN)
                yield file
        except OSError:
            raise BundleError("the file cannot be read", name, "Check its rights.") from None

    def _list(self, folder: Path, before: str, depth: int) -> None:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = before + entry.name
                if len(self._paths) >= limits.MAX_BUNDLE_FILES:
                    raise _too_many()
                if entry.is_symlink():
                    raise BundleError("the bundle holds a link", quotable_name(name), AGAIN)
                if entry.is_dir() and depth > 1:
                    self._list(Path(entry.path), f"{name}/", depth - 1)
                elif entry.is_file():
                    self._paths[name] = Path(entry.path)
                else:
                    raise BundleError("this does not belong to the bundle", quotable_name(name), "Remove it.")


_OF_MAC: Final = re.compile(r"(^|/)(__MACOSX/|\.DS_Store$|\._)")
"""Files that the archiver of macOS adds."""
_NAMED: Final = 5


class _Archive:
    """A bundle as a zip archive, with or without one top folder."""

    def __init__(self, data: bytes) -> None:
        self._counter = _Counter()
        _check_directory(data)
        try:
            self._archive = archive = zipfile.ZipFile(io.BytesIO(data))
        except _DAMAGE:
            raise _damaged() from None
        members = [member for member in archive.infolist() if not member.is_dir()]
        if len(archive.infolist()) > limits.MAX_BUNDLE_FILES:
            raise _too_many()
        for member in members:
            _check_member(member)
        names = [member.filename for member in members]
        of_mac = [name for name in names if _OF_MAC.search(name)]
        if of_mac:
            listed = ", ".join(map(quotable_name, of_mac[:_NAMED]))
            more = f" and {len(of_mac) - _NAMED:,} more" if len(of_mac) > _NAMED else ""
            raise BundleError(
                f"a Mac put files beside those of the bundle: {listed}{more}",
                "archive",
                "Delete them: zip -d BUNDLE.zip '__MACOSX/*' '*.DS_Store' '*/._*'. Or unpack it, delete them, and name the folder.",
            )
        top = "" if MANIFEST in names else _top_folder(names)
        self._members = {name.removeprefix(top): member for name, member in zip(names, members, strict=True)}
        if len(self._members) < len(names) or not all(name.startswith(top) for name in names):
            strange = [name for name in names if not name.startswith(top)] or [
                name for name in names if names.count(name) > 1
            ]
            listed = ", ".join(map(quotable_name, sorted({*strange})[:_NAMED]))
            raise BundleError(
                f"a file is there twice, or outside the folder of the bundle: {listed}", "archive", AGAIN
            )

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._members)

    def digest(self, name: str) -> str:
        return sha256(self.read(name, limits.MAX_BUNDLE_UNPACKED_BYTES)).hexdigest()

    def read(self, name: str, most: int) -> bytes:
        if name not in self._members:
            raise _missing(name)
        try:
            with self._archive.open(self._members[name]) as file:
                data = file.read(self._counter.most(most) + 1)
        except _DAMAGE:
            raise _damaged() from None
        return self._counter.count(data, most, name)


def _archive_bytes(place: Path) -> bytes:
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise BundleError("this is not a bundle", str(place), "Name its folder or its .zip file.")
            return file.read(limits.MAX_BUNDLE_BYTES + 1)
    except OSError as error:
        gone = isinstance(error, FileNotFoundError)
        what = "there is no such bundle" if gone else "the bundle cannot be read"
        raise BundleError(what, str(place), "Name the folder of a release, or its .zip file.") from None


def _check_directory(data: bytes) -> None:
    """Refuse an archive whose table of contents would fill the memory, before that table is read.

    Only the plain form that this program and common tools write is accepted: no comment and no ZIP64 extension.
    """
    end = data[-_END_RECORD:]
    if not data.startswith(b"PK\x03\x04") or end[:4] != b"PK\x05\x06" or end[-2:] != b"\0\0":
        raise BundleError("this is neither a bundle folder nor a plain zip archive", "bundle", AGAIN)
    wide = data[-_END_RECORD - _WIDE_LOCATOR :][:4] == b"PK\x06\x07"
    if wide or int.from_bytes(end[12:16], "little") > limits.MAX_ARCHIVE_DIRECTORY_BYTES:
        raise _too_many()


def _check_member(member: zipfile.ZipInfo) -> None:
    name, parts = member.filename, member.filename.split("/")
    # the name in the archive, before the standard library made it harmless
    raw = member.orig_filename
    if raw != name or "\\" in name or name.startswith("/") or not all(part.strip(". ") for part in parts):
        raise BundleError("a name leads out of the bundle", quotable_name(raw), AGAIN)
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in {0, stat.S_IFREG}:
        raise BundleError("the bundle holds a link", quotable_name(name), AGAIN)
    if member.flag_bits & _ENCRYPTED:
        raise BundleError("the archive is encrypted", quotable_name(name), "Zip it without a password.")
    # other methods unpack a whole block at once, however large it is: only these two can be counted on the way
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BundleError(
            "the archive uses an unusual method", quotable_name(name), "Zip it with the usual one, deflate."
        )


def _top_folder(names: list[str]) -> str:
    tops = [name.removesuffix(MANIFEST) for name in names if name.endswith(f"/{MANIFEST}")]
    if len(tops) != 1 or tops[0].count("/") != 1:
        raise _missing(MANIFEST)
    return tops[0]


def _missing(name: str) -> BundleError:
    return BundleError("a file of the bundle is missing", name, AGAIN)


def _too_many() -> BundleError:
    return BundleError("the bundle holds too many files", "bundle", AGAIN)


def _damaged() -> BundleError:
    return BundleError("the zip archive is damaged", "bundle", AGAIN)
