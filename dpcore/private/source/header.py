"""The header of a CSV text: the names of its columns, what stands between them, and where the records begin."""

from __future__ import annotations

import codecs
import csv
import re
from dataclasses import dataclass

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source.byte_stream import ByteStream

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|$)")
_VALUE = re.compile(r"\s*[-+]?[\d.,:/ T-]*\d[\d.,:/ TZ+-]*\s*")


@dataclass(frozen=True)
class Header:
    """The first record of a CSV text: public."""

    names: tuple[str, ...]
    """Names of the columns as written, without quotes and white space around them."""
    separator: str
    """A comma, or a semicolon where the header has no comma."""


def read_header(stream: ByteStream, name: str) -> Header:
    """The column names of the first record; the stream then stands at the second.

    A byte-order mark, quotes and white space around names are removed. Empty lines before the header
    are skipped.

    Raises:
        InputError: no header, more than ``limits.MAX_COLUMNS`` columns, or a first record that looks like
            data: then no cell of it is shown.

    """
    first = stream.read(limits.MAX_RECORD_BYTES)
    begin = len(codecs.BOM_UTF8) if first.startswith(codecs.BOM_UTF8) else 0
    end = begin
    while end < len(first):
        line = _LINE.match(first, end)
        end = line.end() if line else len(first)
        record = first[begin:end]
        if record.count(b'"') % 2 == 0:  # else a quoted name holds a line break
            if record.strip():
                break
            begin = end
    text = first[begin:end].decode("utf-8", errors="replace").strip("\r\n")
    stream.put_back(first[end:])
    if not text.strip():
        raise InputError("the file has no header", name, "Write the names of the columns on the first line.")
    header = Header(_cells(text, ","), ",")
    if len(header.names) == 1 and ";" in text:
        header = Header(_cells(text, ";"), ";")
    check_names(header.names, name)
    return header


def _cells(text: str, separator: str) -> tuple[str, ...]:
    try:
        return tuple(cell.strip() for cell in next(csv.reader([text], delimiter=separator)))
    except csv.Error:
        return (text,)


def check_names(names: tuple[str, ...], file_name: str) -> None:
    """Refuses a header that cannot be one: too wide, or made of values.

    Raises:
        InputError: names the file and never a cell.

    """
    if len(names) > limits.MAX_COLUMNS:
        raise InputError(
            f"{len(names):,} columns, the limit is {limits.MAX_COLUMNS}", file_name, "Keep the needed ones."
        )
    # the first record of a file without a header is private: it must not be shown as names of columns
    if any(_VALUE.fullmatch(name) for name in names) or any(len(name) > 80 for name in names):
        raise InputError(
            "the first line looks like data, not like names of columns",
            file_name,
            "Write a header line first, for example user_id,started_at,ended_at,start_lat,...",
        )
