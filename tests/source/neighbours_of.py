"""Neighbouring files: a base of several people, and the lines of one person more, well formed or broken in many ways.

A base is written in every form that is recognised. What one person adds is a *chunk*: bytes that stand on lines of their
own somewhere in the file. Whatever the chunk holds, the records of all others must be read as they are without it.
"""

from __future__ import annotations

import csv
import functools
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import pyarrow as pa
import shapely
from reading_of import gzipped, parquet, reading_of, upload, zipped

from dpcore.errors import AtlasError, InternalError
from dpcore.measures.trip_rule import TripRule
from dpcore.private.source import Inspection, inspect
from dpcore.private.source.forms import FORMS, Form
from dpcore.tiles import Tessellation
from tests.points_of import GAP

TILES = ("23", "24", "25", "26")
"""Ids of four square tiles: numbers, as stations have."""
PERSON = "p7"
"""Whose records come and go. No edit of them can write the letter k, which the ids of all others hold."""
OTHERS = ("kw1", " kw 2", "zoë k", 'k"w"4', "k,w;5", "007k")
_START = datetime(2024, 3, 4, 6, 10)


@functools.cache
def tiles() -> Tessellation:
    """Four squares, named by numbers."""
    boxes = [shapely.box(x, y, x + 1, y + 1) for y in (0, 1) for x in (0, 1)]
    return Tessellation.of(TILES, [""] * 4, boxes, "four numbered tiles")


OLD = (
    "trips", "trips between tiles", "records", "bike share (old)", "bike share (new)", "bike share (old), by station",
    "bike share (new), by station", "Hubway (MAPC)", "synthetic trips", "synthetic trips between tiles",
    "taxi zones (yellow)", "taxi zones (green)", "taxi zones (for hire)",
)  # fmt: skip
"""Forms since the first version."""


@dataclass(frozen=True)
class Shape:
    """One form, and how its records are written here."""

    form: Form
    mixed: bool = False
    """Whether times are written in every way that the form takes, beside each other."""

    @property
    def columns(self) -> tuple[str, ...]:
        """An unread column first, then those of the form, then another unread one."""
        signs = {"rideid": "ride_id", "syntheticid": "synthetic_id", "rentalid": "Rental Id"}
        return (
            "note",
            *self.form.headers.values(),
            *(signs[sign] for sign in sorted(self.form.signs)),
            *self.form.extras.values(),
            "remark",
        )

    @property
    def has_users(self) -> bool:
        """Whether records name their person."""
        return "uid" in self.form.headers

    @property
    def of_records(self) -> bool:
        """Whether a trip has several lines."""
        return self.form.layout != "trips"

    def columns_of_times(self) -> set[str]:
        """The names of the columns that hold times."""
        headers = self.form.headers
        return {headers[role] for role in ("started_at", "ended_at", "datetime") if role in headers}

    def time(self, moment: datetime, way: int = 0) -> str:
        """A time as this form writes it; ``way`` chooses among spellings of one kind, or of all."""
        if self.mixed and (way + moment.minute) % 3 != 1:
            offset = ("", "+01:00", "+0100", "")[way % 4]
            return f"{moment:%Y-%m-%d %H:%M:%S}{offset}"
        if self.form.times == "month-first":
            plain = f"{moment.month}/{moment.day}/{moment:%Y} {moment.hour}:{moment:%M:%S}"
            return (plain, f"{moment:%m/%d/%y %H:%M}", f" {plain}")[way % 3]
        if self.form.times == "day-first":
            plain = f"{moment.day}/{moment.month}/{moment:%Y} {moment.hour}:{moment:%M:%S}"
            return (plain, f"{moment:%d.%m.%y %H:%M}", f" {plain}")[way % 3]
        plain = f"{moment:%Y-%m-%d %H:%M:%S}"
        return (plain, plain.replace(" ", "T"), f"{plain}.1234567", f" {plain} ")[way % 4]

    def trip(self, user: str, number: int) -> list[list[str]]:
        """One trip as cells of its lines; the number chooses its time, its places and its spelling."""
        start = _START + timedelta(hours=7 * number, days=len(user))
        x, y = number % 2 + 0.5, number // 2 % 2 + 0.25
        spelled: dict[str, str] = {
            "uid": user, "tid": str(number % 4),
            "started_at": self.time(start, number), "ended_at": self.time(start + timedelta(minutes=25), number),
            "start_lat": ("{}", "+{}", "{}e0", " {}")[number % 4].format(y), "start_lng": str(x),
            "end_lat": ("0.75", "", "1.75", "NULL", "1.75")[number % 5], "end_lng": str(1.5 - number % 2),
            "start_tile": TILES[number % 4], "start_station": TILES[number % 4] + (".0" if number % 2 else ""),
            "geometry": (f"LINESTRING ({x} {y}, 0.1 0.2, 1.5 0.75)", f'{{"type": "MultiPoint", "coordinates": [[{x}, {y}], [1, 1]]}}',
                         "", f"  MultiLineString z(({x} {y} 7, 1 2 7))")[number % 4],
            "end_tile": (there := (TILES[number % 3], "", " 24 ", "\\N", "nowhere")[number % 5]), "end_station": there,
        }  # fmt: skip
        more = {
            "note": ("", "a note", "two, parts", 'a "word"', "ü")[number % 5], "remark": "=1+1" if number % 2 else "",
            "ride_id": f"r{number}", "synthetic_id": f"s{number}", "Rental Id": str(number),
        }  # fmt: skip
        more |= {
            header: {
                "zip": ("'02139", "", "10115.0"),
                "gender": ("1", "Female", "?"),
                "user_type": ("member", "Casual", ""),
            }[name][number % 3]
            for name, header in self.form.extras.items()
        }
        roles = {header: role for role, header in self.form.headers.items()}
        if not self.of_records:
            return [[spelled[roles[name]] if name in roles else more[name] for name in self.columns]]
        lines = []
        for step in range(number % 3 + 1):
            own = spelled | {
                "datetime": self.time(start + timedelta(minutes=9 * step), number + step),
                "lat": str(0.5 + (number + step) % 2),
                "lng": str(0.5 + step % 2),
            }
            lines.append([own[roles[name]] if name in roles else more[name] for name in self.columns])
        return lines

    def __hash__(self) -> int:
        """By name: a form holds dictionaries."""
        return hash((self.form.name, self.mixed))


NEW = ("points", "trips along lines", "Santander Cycles (old)")
"""Forms whose columns are read in ways of their own. The others differ from these and from the older ones by names alone."""
SHAPES = {form.name: Shape(form) for form in FORMS if form.name in {*OLD, *NEW}}


def rule_of(seen: Sequence[Inspection]) -> TripRule | None:
    """What cuts the lines of files into trips, where they have none."""
    return GAP if any(one.layout == "points" for one in seen) else None


def line(cells: list[str], separator: str = ",") -> bytes:
    """One line of CSV, without its end; quotes only where they must be."""
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="").writerow(cells)
    return out.getvalue().encode()


def base_trips(shape: Shape) -> list[list[list[str]]]:
    """The trips of all others: some of more people than one, some with more trips than count."""
    return [
        shape.trip(user, 5 * person + number)
        for person, user in enumerate(OTHERS)
        for number in range((9, 1, 4, 3, 2, 5)[person])
    ]


@functools.cache
def base_lines(shape: Shape, separator: str = ",") -> tuple[bytes, ...]:
    """The lines of all others, in an order that separates records of one trip."""
    lines = [line(cells, separator) for trip in base_trips(shape) for cells in trip]
    return tuple(lines[1::2] + lines[::2])


@dataclass(frozen=True)
class Layout:
    """How a CSV file is written, apart from its records."""

    name: str = "trips.csv"
    separator: str = ","
    end: bytes = b"\n"
    bom: bytes = b""
    last_end: bool = True

    def file(self, shape: Shape, lines: tuple[bytes, ...] | list[bytes]) -> bytes:
        """The stored bytes of a file of these lines."""
        header = self.bom + self.separator.join(shape.columns).encode()
        text = self.end.join([header, *lines]) + (self.end if self.last_end else b"")
        if self.name.endswith(".gz"):
            return gzipped(text)
        return zipped({"trips.csv": text}) if self.name.endswith(".zip") else text


LAYOUTS = (
    Layout(),
    Layout(separator=";", bom=b"\xef\xbb\xbf"),
    Layout("trips.csv.gz", end=b"\r\n"),
    Layout("trips.zip", last_end=False),
    Layout(end=b"\r"),
)

PLACES = ("top", "middle", "end", "apart")


def with_chunk(lines: tuple[bytes, ...], chunk: bytes, place: str) -> list[bytes]:
    """The lines with a chunk among them; ``apart`` puts the halves of a chunk of two lines far from each other."""
    middle = len(lines) // 2
    if place == "apart" and b"\n" in chunk:
        one, other = chunk.split(b"\n", 1)
        return [lines[0], one, *lines[1:-1], other, lines[-1]]
    at = {"top": 0, "end": len(lines)}.get(place, middle)
    return [*lines[:at], chunk, *lines[at:]]


def pieces(chunk: bytes) -> int:
    """How many lines a chunk has at most, however they are counted."""
    return len([piece for piece in chunk.replace(b"\r", b"\n").split(b"\n") if piece])


def read_rows(data: bytes, name: str, *, drop: bool) -> Counter | None:
    """The trips that are read, as a multiset of (user, everything that is handed on); None where the file is refused."""
    try:
        file = upload(data, name)
        table, _ = reading_of(file, drop=drop, rule=rule_of)
    except InternalError as error:
        raise AssertionError(f"a fault instead of a refusal: {error}") from None
    except AtlasError:
        return None
    return Counter((row["user_id"], repr(row)) for row in table.to_pylist())


def difference(base: Counter, rows: Counter, shape: Shape, most: int) -> str:
    """What one person changed about the others; empty if nothing."""
    if shape.has_users:
        known = {user for user, _ in base}
        others = Counter({row: n for row, n in rows.items() if row[0] in known})
        if others != base:
            lost, new = base - others, others - base
            return f"others lost {lost.total()} trips and have {new.total()} new ones"
    elif base - rows:
        return f"{(base - rows).total()} trips of others are lost, {(rows - base).total()} are new"
    more = (rows - base).total()
    return f"{more} trips more by {most} lines" if more > most else ""


def is_of(shape: Shape, data: bytes, name: str) -> bool:
    """Whether a file is recognised as the form it was written in."""
    return inspect(upload(data, name)).form == shape.form.name


TIMES: Mapping[str, Callable[[str], str]] = {
    "year first": lambda _: "2024-03-05 10:00:00",
    "year first with T": lambda _: "2024-03-05T10:00:00",
    "with Z": lambda _: "2024-03-05T10:00:00Z",
    "with an offset": lambda _: "2024-03-05 10:00:00+05:30",
    "with a short offset": lambda _: "2024-03-05 10+02",
    "month first": lambda _: "3/5/2024 10:00",
    "month first, two digits": lambda _: "03/05/24 10:00:00",
    "day first": lambda _: "31/3/2024 10:00",
    "without hours": lambda _: "2024-03-05",
    "past midnight": lambda _: "2024-03-05 24:30:00",
    "with the name of a zone": lambda _: "2024-03-05 10:00:00 America/New_York",
    "with a name of no zone": lambda _: "2024-03-05 10:00:00 Nowhere/Else",
    "with the name of a month": lambda _: "5-Mar-2024 10:00",
    "without signs": lambda _: "20240305T100000Z",
    "with an exponent": lambda _: "1.709632800E9",
    "of no time": lambda _: "NaT",
    "of the year 1": lambda _: "0001-01-01T00:00:00Z",
    "of the year 9999": lambda _: "9999-12-31T23:59:59Z",
    "in seconds": lambda _: "1709632800",
    "in words": lambda _: "yesterday",
    "of nothing": lambda _: "",
}
"""All times of a trip in one way, which may not be that of the others."""

HUGE = "9" * 4_097
CELLS = (
    "", " ", "NULL", "\\N", "null", "NA", "nan", "NaN", "inf", "-inf", "1e400", "-1e400", "1e-400", "0x1p3", "-", "+",
    ".", "-0.0", "+1.5", "++1", "1,5", "52,5163", "91", "-91", "181", "-180.0000001", "1_0", "\u0661", "1e", "23.0", "023", "23",
    "7", "007", "7.0", " p7", "p7 ", "\u00a0p7", "p7\x0b", "\ufeffp7", "p7\u200b", "\u2028", "\x1cp7", "\x85", "p7\tp7",
    "2024-03-05 10:00:00", "2024-03-05T10:00:00Z", "2024-03-05 10:00:00+02:00", "2024-03-05 10+02", "2024-03-05",
    "2024-03-05 10", "2024-03-05 10:00", "2024-03-05 10:00:00.", "2024-03-05 10:00:00.123456789", "20240305T100000",
    "3/5/2024 10:00", "03/05/24 10:00:00", "31/1/2024 10:00", "13/13/2024 10:00", "3/5/24 25:00", "1709632800",
    "0001-01-01 00:00:00", "9999-12-31 23:59:59", "1969-12-31 23:59:59", "2101-01-01 00:00:00", "1970-01-01T00:00:00Z",
    "2024-02-30 10:00:00", "2024-03-31 02:30:00", "2024-10-27 02:30:00", "2024-03-05 10:00:60", "now", "epoch", "infinity",
    "=cmd|' /C calc'!A0", "@SUM(1)", "-1+1", "x" * 4_096, "x" * 4_097, HUGE, "0." + HUGE, "'", "'02139", "Alien", "9" * 21,
    "K", "true", "None",
)  # fmt: skip
"""Cells that some column somewhere cannot hold, or must not take for something else."""

TEXTS: Mapping[str, Callable[[bytes], bytes]] = {
    "well formed": lambda one: one,
    "twice": lambda one: one + b"\n" + one,
    "open quote at the front": lambda one: b'"' + one,
    "open quote at the front of a short line": lambda _: b'"',
    "two open quotes": lambda one: b'"' + one + b'\n"' + one,
    "half quotes on two lines": lambda one: b'"' + one + b"\n" + one + b'"',
    "a closed and an open quote": lambda one: b'"a" "' + one,
    "a quote behind the first letter": lambda one: b'a"' + one,
    "open quote at the end": lambda one: one + b',"',
    "open quote in the last field": lambda one: one + b'"',
    "open quote that begins the last field": lambda one: b",".join([*one.split(b",")[:-1], b'"']),
    "open quote after a space": lambda one: b' "' + one,
    "three quotes": lambda one: b'"""' + one,
    "four quotes": lambda one: b'""""' + one,
    "doubled quotes": lambda one: b'""' + one + b'""',
    "quotes around all": lambda one: b'"' + one.replace(b'"', b'""') + b'"',
    "only a quote and a separator": lambda _: b'",',
    "a quoted line break": lambda one: b'"a\nb"' + one[one.find(b",") :],
    "a quoted empty line": lambda one: b'"a\n\n\nb"' + one[one.find(b",") :],
    "a quoted lone return": lambda one: b'"a\rb"' + one[one.find(b",") :],
    "a quoted return and line feed": lambda one: b'"a\r\nb"' + one[one.find(b",") :],
    "a lone return": lambda one: one[:9] + b"\r" + one[9:],
    "a return at the end": lambda one: one + b"\r",
    "a return at the front": lambda one: b"\r" + one,
    "an escaped quote": lambda one: b'\\"' + one,
    "a backslash at the end": lambda one: one + b"\\",
    "a quote of another kind": lambda one: b"'" + one,
    "a byte-order mark": lambda one: b"\xef\xbb\xbf" + one,
    "half a byte-order mark": lambda one: b"\xef\xbb" + one,
    "NUL": lambda one: one + b"\0",
    "not UTF-8": lambda one: b"\xff" + one,
    "a cut letter": lambda one: one + b"\xc3",
    "a surrogate": lambda one: b"\xed\xa0\x80" + one,
    "one field too few": lambda one: one[one.find(b",") + 1 :],
    "one field too many": lambda one: b"x," + one,
    "many fields too many": lambda one: b"," * 300 + one,
    "one word": lambda _: b"x",
    "a space": lambda _: b" ",
    "nothing": lambda _: b"",
    "empty lines": lambda one: b"\n\n" + one + b"\n\n",
    "empty lines with returns": lambda one: b"\r\n\r\n" + one + b"\r\r",
    "separators alone": lambda one: b"," * one.count(b","),
    "other separators": lambda one: one.replace(b",", b";"),
    "tabs": lambda one: one.replace(b",", b"\t"),
    "a remark": lambda one: b"#" + one,
    "separators of other kinds of lines": lambda one: "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e".encode() + one,
    "a long unread field": lambda one: b"x" * 5_000 + one,
    "a long unread field in quotes": lambda one: b'"' + b"x" * 200_000 + b'"' + one[one.find(b",") :],
    "a line without end": lambda one: b"x" * 1_100_000 + one,
    "a thousand broken lines": lambda one: b"\n".join([b"x"] * 1_000 + [one]),
    "a thousand quotes": lambda one: b'"' * 1_000 + one,
    "an odd thousand of quotes": lambda one: b'"' * 1_001 + one,
    "JSON": lambda _: b'{"a": [1,\n2]}',
    "a word of an end": lambda _: b"\\.",
    "control characters": lambda one: bytes(range(1, 9)) + one + b"\x1a\x1b\x7f",
}
"""What can stand on the lines of one person, from its first well-formed line; commas are the separators there."""


def chunks(shape: Shape, separator: str = ",") -> Iterator[tuple[str, bytes]]:
    """All chunks for a form: each text, each cell in each column, and the header once more."""
    trip = shape.trip(PERSON, 1)
    rest = b"".join(b"\n" + line(cells, separator) for cells in trip[1:])
    for what, text in TEXTS.items():
        first = text(line(trip[0], ","))
        yield what, (first if separator == "," else first.replace(b",", separator.encode())) + rest
    yield "the header again", line(list(shape.columns), separator) + rest
    for what, write in TIMES.items():
        timed = shape.columns_of_times()
        lines = [
            line(
                [
                    write(cell) if name in timed else cell
                    for name, cell in zip(shape.columns, cells, strict=True)
                ],
                separator,
            )
            for cells in trip
        ]
        yield f"times {what}", b"\n".join(lines)
    for column, name in enumerate(shape.columns):
        for number, cell in enumerate(CELLS):
            cells = [*trip[0][:column], cell, *trip[0][column + 1 :]]
            yield f"{name} is cell {number}", line(cells, separator) + rest


def text_table(shape: Shape, records: list[list[str]]) -> bytes:
    """Records as Parquet, all columns as text; an empty cell is null."""
    cells = zip(*records, strict=True)
    return parquet(
        {
            name: pa.array([cell or None for cell in column], pa.string())
            for name, column in zip(shape.columns, cells, strict=True)
        }
    )
