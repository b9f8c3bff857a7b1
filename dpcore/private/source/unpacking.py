"""Opens gzip and zip by content, one data file each; sizes that an archive declares are not believed."""

from __future__ import annotations

import gzip
import sys
import zipfile
from contextlib import suppress
from typing import IO, BinaryIO, Final, cast

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source.content import Content

UNPACKING_ERRORS: Final = (
    EOFError,
    OSError,
    ValueError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
)
"""What the standard library raises for damaged archives (with zlib.error, which its callers add)."""

_ENCRYPTED: Final = 0x1
_MAX_MEMBERS: Final = 100


def unpacked(stored: BinaryIO, content: Content, name: str) -> IO[bytes]:
    """The CSV bytes inside, as a stream that unpacks only what is read.

    Raises:
        InputError: damaged, encrypted, or not exactly one data file (``__MACOSX/`` is ignored).

    """
    if content is Content.GZIP:
        return cast("IO[bytes]", gzip.GzipFile(fileobj=stored, mode="rb"))
    if content is Content.ZIP:
        return _only_member(stored, name)
    return stored


def _only_member(stored: BinaryIO, name: str) -> IO[bytes]:
    archive, sparing = None, _Sparing(stored)
    with suppress(*UNPACKING_ERRORS):
        archive = zipfile.ZipFile(cast("IO[bytes]", sparing))
    if archive is None:
        raise _too_many(name) if sparing.exceeded else _damaged(name)
    sparing.most = sys.maxsize - 1
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir() and not member.filename.startswith("__MACOSX/")
    ]
    if len(archive.infolist()) > _MAX_MEMBERS:
        raise _too_many(name)
    if len(members) != 1:
        raise InputError(
            f"the zip archive holds {len(members):,} files",
            name,
            "Zip one CSV file, nothing else.",
        )
    member = members[0]
    if member.flag_bits & _ENCRYPTED:
        raise InputError("the zip archive is encrypted", name, "Zip it without a password.")
    # other methods unpack a whole block at a time, however large it is: only these two can be counted
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InputError(
            "the zip archive uses a rare method", name, "Zip it again with the usual one, deflate."
        )
    with suppress(*UNPACKING_ERRORS):
        return archive.open(member)
    raise _damaged(name)


class _Sparing:
    """A file for the standard library, which takes the table of contents of an archive into memory at once.

    What an archive declares of its table is not used: whatever form it has, it ends in one request for its bytes.
    """

    def __init__(self, stored: BinaryIO) -> None:
        self._stored = stored
        self.seek, self.tell, self.seekable = stored.seek, stored.tell, stored.seekable
        self.most = limits.MAX_ARCHIVE_DIRECTORY_BYTES
        """Bytes of one request."""
        self.exceeded = False

    def read(self, size: int = -1) -> bytes:
        """As of the file; raises OSError where there are more bytes than may be asked for."""
        data = self._stored.read(min(size if size >= 0 else sys.maxsize, self.most + 1))
        if len(data) > self.most:
            self.exceeded = True
            raise OSError
        return data


def _too_many(name: str) -> InputError:
    return InputError("the zip archive holds too many files", name, "Zip one CSV file, nothing else.")


def _damaged(name: str) -> InputError:
    return InputError("the zip archive is damaged", name, "Make or download it again.")
