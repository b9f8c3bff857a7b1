"""The header of a CSV text: the names of its columns, what stands between them, and where the records begin."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field

from dpcore import limits
from dpcore.csv_rows import fields_of
from dpcore.errors import InputError
from dpcore.private.source.byte_stream import ByteStream

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|$)")
_VALUE = re.compile(
    r"\s*[-+]?[\d.,:/ T-]*\d[\d.,:/ TZ+-]*\s*"  # a number, a date or a time, or else a piece that only data has:
    r"|.*(?:\d{4}-\d\d?-\d\d?|\d\d?[/.]\d\d?[/.]\d\d|\d:\d\d|\d[.,]\d{4}).*",
    re.DOTALL,
)
_LONGEST_NAME = 80
_LONGEST_LINE = 2**17
"""Characters; a field of more is not read, and is no name anyway."""
_OTHER_MARKS = {"\t": "tabs", "|": "vertical bars"}


@dataclass(frozen=True)
class Header:
    """The first line of a CSV text: public."""

    names: tuple[str, ...]
    """Names of the columns as written, without quotes and white space around them."""
    separator: str
    """A comma, or a semicolon where the header has no comma."""
    lines: int = field(default=1, compare=False)
    """Number of its line, counted from 1."""


def read_header(stream: ByteStream, name: str) -> Header:
    """The column names of the first line; the stream then stands at the second.

    A byte-order mark, quotes and white space around names are removed. Empty lines before the header
    are skipped.

    Raises:
        InputError: no header, an open quotation mark, more than ``limits.MAX_COLUMNS`` columns, or a first line that
            looks like data: then no cell of it is shown.

    """
    first = stream.read(limits.MAX_RECORD_BYTES)
    begin = end = len(codecs.BOM_UTF8) if first.startswith(codecs.BOM_UTF8) else 0
    lines = 0
    while end < len(first) and not first[begin:end].strip():
        begin = end
        line = _LINE.match(first, begin)
        end = line.end() if line else len(first)
        lines += 1
    text = first[begin:end].decode("utf-8", errors="replace").strip("\r\n")
    stream.put_back(first[end:])
    if not text.strip():
        raise InputError("the file has no header", name, "Write the names of the columns on the first line.")
    header = Header(_names(text, ",", name), ",", lines)
    if len(header.names) == 1 and ";" in text:
        header = Header(_names(text, ";", name), ";", lines)
    check_names(header.names, name)
    return header


def _names(text: str, separator: str, file_name: str) -> tuple[str, ...]:
    names = fields_of(text, separator)
    if names is None and len(text) < _LONGEST_LINE:
        raise InputError(
            "a quotation mark is left open in the first line",
            file_name,
            "Close it; the header stands on one line.",
        )
    return tuple(name.strip() for name in names or [text])


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
    if any(_VALUE.fullmatch(name) or len(name) > _LONGEST_NAME for name in names):
        raise InputError(
            "the first line looks like data, not like names of columns",
            file_name,
            "Write a header line first, for example user_id,started_at,ended_at,start_lat,...",
        )
    if len(names) == 1 and any(mark in names[0] for mark in _OTHER_MARKS):
        marks = next(words for mark, words in _OTHER_MARKS.items() if mark in names[0])
        raise InputError(f"the fields are separated by {marks}", file_name, "Write commas or semicolons.")
