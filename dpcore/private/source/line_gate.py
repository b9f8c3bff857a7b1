"""The gate before the CSV parser: each record is one line, and lines that are not records never reach the parser.

A parser that meets an open quotation mark reads on into the lines below, which belong to other people. So every line is
checked here first, alone, and taken out alone if it cannot be read by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore import limits
from dpcore.loops import loop
from dpcore.private.sealed import Sealed
from dpcore.private.source.content import ByteStream
from dpcore.private.source.report import OPEN_QUOTE, Rule, field_count, too_long_for

Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]
Words = NDArray[np.uint64]

_LF, _CR, _QUOTE = 10, 13, 34
_OPEN, _RAGGED, _LONG = 0, 1, 2
_KINDS: Final = 3
_ONE, _EACH, _LOW = np.uint64(1), np.uint64(0x0101010101010101), np.uint64(0x7F7F7F7F7F7F7F7F)


@dataclass(frozen=True, repr=False, eq=False)
class Lines(Sealed):
    """Some whole lines of a file, without lines that are not records."""

    text: pa.Buffer
    """A line with numbers as column names, then the records. It is overwritten when the next but one is read."""
    places: Longs
    """The line of each record in the file, counted from 1."""
    bad: tuple[tuple[Rule, int, Longs], ...]
    """The lines that were taken out: the rule, the position of the column (-1: the whole record), and the lines."""
    share: float
    """Share of the stored bytes that was read, 0 to 1."""


class LineGate:
    """Takes the lines of a CSV text below its header, block by block."""

    def __init__(
        self,
        stream: ByteStream,
        width: int,
        separator: str,
        line: int,
        *,
        most: int,
        added: int = 0,
        unnamed: int = 0,
    ) -> None:
        """The stream must be after the header, which has ``width`` names and ends with line number ``line``.

        ``most``: characters of the longest field. ``added``: columns that a reader put before those of the file. ``unnamed``: a
        record may have so many fields more than the header, if they are empty.
        """
        self._most, self._added, self._unnamed = most, added, unnamed
        self._stream, self._width, self._separator, self._line = stream, width, ord(separator), line
        names = separator.join(map(str, range(width))).encode() + b"\n"
        self._text, self._begin = -len(names) % 8, len(names) + -len(names) % 8
        # the rest of the last block, a block, and a word with LF, which ends the last line of a file
        room = (self._begin + limits.MAX_RECORD_BYTES + 2 + limits.CSV_BLOCK_BYTES) // 8 * 8 + 16
        # Buffers of Arrow, because its threads may hold them longer than this object, and no Python object is attached.
        self._buffers = [pa.allocate_buffer(room) for _ in range(2)]
        for buffer in self._buffers:
            np.frombuffer(buffer, np.uint8)[self._text : self._begin] = np.frombuffer(names, np.uint8)
        self._rest: Bytes = np.empty(0, np.uint8)
        self._places = np.empty(room // 2, np.int64)  # a line that is not empty has two bytes with its end
        self._bad = np.empty((room // 2, 3), np.int64)
        self._ended = False

    def take(self) -> Lines | None:
        """The next lines; None after the last.

        Raises InputError: the bytes cannot be read, or are not text.
        """
        if self._ended:
            return None
        self._buffers.reverse()
        block = np.frombuffer(self._buffers[0], np.uint8)
        begin = self._begin + len(self._rest)
        block[self._begin : begin] = self._rest
        count = self._stream.readinto(block[begin : begin + limits.CSV_BLOCK_BYTES].data)
        end = begin + count
        self._ended = count == 0
        block[end] = _LF
        found = np.empty(5, np.int64)
        passed(
            *(block, self._begin, end, int(self._ended), self._separator, self._width),
            *(self._unnamed, self._most, self._line, block.view(np.uint64), self._places, self._bad, found),
        )
        read, wrote, self._line, good, wrong = found.tolist()
        self._rest = block[read:end].copy()
        return Lines(
            self._buffers[0].slice(self._text, wrote - self._text),
            self._places[:good].copy(),
            tuple(self._faults(self._bad[:wrong])),
            self._stream.share,
        )

    def _faults(self, bad: Longs) -> Iterator[tuple[Rule, int, Longs]]:
        if not len(bad):
            return
        keys = bad[:, 2] * _KINDS + bad[:, 1]
        found, first = np.unique(keys, return_index=True)
        for key in found[np.argsort(first)].tolist():  # in the order of the file
            lines, detail = bad[keys == key, 0], key // _KINDS
            if key % _KINDS == _OPEN:
                yield OPEN_QUOTE, -1, lines
            elif key % _KINDS == _RAGGED:
                yield field_count(detail - self._added, self._width - self._added), -1, lines
            else:
                yield too_long_for(self._most), detail, lines


@loop
def passed(  # noqa: C901, PLR0912, PLR0915, PLR0917 - one loop over all bytes, as fast as it can be; numba takes plain arrays
    block: Bytes,
    begin: int,
    end: int,
    ended: int,
    separator: int,
    width: int,
    unnamed: int,
    most: int,
    line: int,
    words: Words,
    places: Longs,
    bad: Longs,
    found: Longs,
) -> None:
    """Move the records among the whole lines of ``block[begin:end]`` together, starting at ``begin``.

    A line ends with LF, CR LF or CR. Empty lines are not records. Eight bytes are checked at a time. A line with a quotation
    mark is then read byte by byte.

    Args:
        block: with LF at ``end``, so that every line ends, and whole words of eight bytes.
        begin: start of the first line, a multiple of eight.
        end: end of the bytes.
        ended: whether no byte follows.
        separator: between fields.
        width: fields of a record.
        unnamed: most empty fields beyond them, which are cut off.
        most: most characters of a field.
        line: number of the line before.
        words: the block as words.
        places: receives the line number of each record.
        bad: receives line, kind, and number of fields or position of the field, of each other line that is not empty.
        found: receives the start of the unread rest, the end of the records, and the numbers of the last line, of records and of bad lines.

    """
    start = write = begin
    fields, quoted = 1, False
    good = wrong = 0
    for word in range(begin // 8, end // 8 + 1):
        marks, quotes = equal_bytes(words[word], separator), equal_bytes(words[word], _QUOTE)
        ends = equal_bytes(words[word], _LF) | equal_bytes(words[word], _CR)
        while ends:
            before = (ends & (~ends + _ONE)) - _ONE  # the bits below the first end
            at = word * 8 + count_bytes(before)
            ends &= ends - _ONE
            if at > end:
                break
            if at < start:  # LF of CR LF
                continue
            fields += count_bytes(marks & before)
            quoted |= (quotes & before) != 0
            marks &= ~before
            quotes &= ~before
            after = at + 1
            if at == end:
                if not ended:
                    break
            elif block[at] == _CR:
                if after < end:
                    after += block[after] == _LF
                elif not ended:  # LF may follow
                    break
            line += 1
            kind = -1
            detail = 0
            is_open = False
            stop = at
            if quoted:
                fields, is_open = walked(block, start, separator)
            if width < fields <= width + unnamed:
                while at - stop < fields - width and block[stop - 1] == separator:
                    stop -= 1
            if is_open:
                kind = _OPEN
            elif fields - (at - stop) != width:
                kind, detail = _RAGGED, fields
            elif at - start > most:
                detail = long_field(block, start, at, separator, most)
                if detail >= 0:
                    kind = _LONG
            if at == start:
                pass
            elif kind >= 0:
                bad[wrong, 0], bad[wrong, 1], bad[wrong, 2] = line, kind, detail
                wrong += 1
            else:
                places[good] = line
                good += 1
                if write == start and stop == at:
                    write = after
                else:
                    for byte_at in range(start, stop):
                        block[write] = block[byte_at]
                        write += 1
                    for byte_at in range(at, after):
                        block[write] = block[byte_at]
                        write += 1
            start = after
            fields, quoted = 1, False
        fields += count_bytes(marks)
        quoted |= quotes != 0
    found[0], found[1], found[2], found[3], found[4] = min(start, end), write, line, good, wrong


@loop
def equal_bytes(word: np.uint64, byte: int) -> np.uint64:
    """The highest bit of each of the eight bytes that equals ``byte``. Exact, because no sum carries over."""
    other = word ^ (np.uint64(byte) * _EACH)
    return ~(((other & _LOW) + _LOW) | other | _LOW)


@loop
def count_bytes(bits: np.uint64) -> int:
    """How many of the eight bytes have their highest bit set."""
    return int(np.int64((((bits >> np.uint64(7)) & _EACH) * _EACH) >> np.uint64(56)))


@loop
def walked(block: Bytes, at: int, separator: int) -> tuple[int, bool]:
    """Number of fields in the line that begins at ``at``, and whether the line ends within quotation marks.

    Only a quotation mark at the beginning of a field quotes it. Two inside stand for one. Text after the closing mark
    belongs to the field as it is. Arrow reads lines in the same way.
    """
    fields = 1
    while True:
        is_open = block[at] == _QUOTE
        at += is_open
        while is_open:
            byte = block[at]
            if byte in (_LF, _CR):
                return fields, True
            at += 1
            if byte == _QUOTE:
                is_open = block[at] == _QUOTE
                at += is_open
        byte = block[at]
        while byte != separator and byte != _LF and byte != _CR:  # noqa: PLR1714 - numba compiles three comparisons, not a set
            at += 1
            byte = block[at]
        if byte != separator:
            return fields, False
        fields += 1
        at += 1


@loop
def long_field(block: Bytes, start: int, end: int, separator: int, most: int) -> int:
    """Position of the first field with too many characters in a line without open quotation marks; -1 if there is none."""
    field = length = 0
    at = start
    quoted = False
    begins = True
    while at < end:
        byte = block[at]
        at += 1
        if quoted:
            if byte == _QUOTE:
                if at == end or block[at] != _QUOTE:
                    quoted = False
                    continue
                at += 1
        elif byte == separator:
            field += 1
            length = 0
            begins = True
            continue
        elif byte == _QUOTE and begins:
            quoted = True
            begins = False
            continue
        begins = False
        length += (byte & 0xC0) != 0x80  # the first byte of a character
        if length > most:
            return field
    return -1
