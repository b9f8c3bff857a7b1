"""ByteStream: CSV bytes on their way to the parser, counted and checked before it sees them."""

from __future__ import annotations

import codecs
import io
import zlib
from contextlib import suppress
from typing import IO, TYPE_CHECKING, BinaryIO, Final

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source.unpacking import UNPACKING_ERRORS

if TYPE_CHECKING:
    from typing_extensions import Buffer

_PIECE: Final = 2**20


class ByteStream(io.RawIOBase):
    """Readable bytes of one CSV text: UTF-8, without NUL, no endless line, no more than the limit.

    The checks look at every byte, also at those of columns that are never decoded. A fault raises
    InputError with the line where it stands.
    """

    def __init__(self, name: str, stored: BinaryIO, inner: IO[bytes], size: int, limit: int) -> None:
        super().__init__()
        self._name, self._stored, self._inner = name, stored, inner
        self._size, self._limit = size, limit
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._kept = b""
        self._count = 0
        self._lines = 0
        self._line_bytes = 0

    @property
    def share(self) -> float:
        """Share of the stored bytes that was read, 0 to 1."""
        return min(1.0, self._stored.tell() / max(1, self._size))

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int = -1) -> bytes:
        """At most ``size`` checked bytes; none at the end.

        Raises:
            InputError: damaged, too long, or not UTF-8 text.

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
        return b"".join(pieces)

    def readinto(self, buffer: Buffer) -> int:
        """Fill a buffer with checked bytes; how many there were."""
        view = memoryview(buffer).cast("B")
        data = self.read(len(view))
        view[: len(data)] = data
        return len(data)

    def put_back(self, data: bytes) -> None:
        """Bytes that the next read returns first: what was read with the header."""
        self._kept = data + self._kept

    def close(self) -> None:
        """Close the file as well."""
        if not self.closed:
            self._inner.close()
            self._stored.close()
        super().close()

    def _piece(self, size: int) -> bytes:
        data = None
        with suppress(*UNPACKING_ERRORS, zlib.error):
            data = self._inner.read(size)
        if data is None:
            raise InputError(
                "the archive is damaged or cut short"
                if self._inner is not self._stored
                else "cannot be read",
                self._name,
                "Make or download it again.",
            )
        self._count += len(data)
        if self._count > self._limit:
            raise InputError(
                f"unpacks to more than {self._limit:,} bytes", self._name, "Split the file by months."
            )
        self._check_text(data)
        self._check_lines(data)
        return data

    def _check_text(self, data: bytes) -> None:
        nul = data.find(b"\0")
        if nul >= 0:
            raise self._not_text("holds a NUL byte", data[:nul])
        if data and data.isascii() and not self._decoder.getstate()[0]:
            return
        try:
            self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            # the error itself holds bytes of the file: only its position leaves this block
            start = max(0, error.start)
        else:
            return
        raise self._not_text("is not UTF-8", data[:start])

    def _not_text(self, what: str, before: bytes) -> InputError:
        return InputError(
            f"the text {what}",
            f"{self._name}, line {self._lines + _line_ends(before) + 1:,}",
            "Is this UTF-8? Save the file as CSV, UTF-8.",
        )

    def _check_lines(self, data: bytes) -> None:
        begin = 0
        while len(data) - begin + self._line_bytes > limits.MAX_RECORD_BYTES:
            reach = begin + limits.MAX_RECORD_BYTES - self._line_bytes
            end = max(data.rfind(b"\n", begin, reach), data.rfind(b"\r", begin, reach))
            if end < 0:
                raise InputError(
                    f"a line has more than {limits.MAX_RECORD_BYTES:,} bytes",
                    f"{self._name}, line {self._lines + _line_ends(data[:begin]) + 1:,}",
                    "Is this a CSV file with one record a line?",
                )
            begin, self._line_bytes = end + 1, 0
        last = max(data.rfind(b"\n", begin), data.rfind(b"\r", begin))
        self._line_bytes = len(data) - last - 1 if last >= 0 else self._line_bytes + len(data) - begin
        self._lines += _line_ends(data)


def _line_ends(data: bytes) -> int:
    return data.count(b"\n") or data.count(b"\r")
