"""Trajectories of GeoLife (``.plt``) as one CSV text, so that one reader checks the lines of both.

A file has six lines of header, then one point a line: latitude, longitude, 0, altitude, days since 1899-12-30, date, time (GMT).
One file is one trajectory. In the folders of the data set, ``NNN/Trajectory/*.plt``, the user is ``NNN``. Source: the user guide
of GeoLife 1.3 (Zheng, Fu, Xie, Ma and Li, Microsoft Research).
"""

from __future__ import annotations

import io
import re
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.sealed import Sealed

MARK: Final = b"Geolife trajectory"
"""The first line of every file begins with it."""
COLUMNS: Final = ("uid", "tid", "lat", "lng", "zero", "altitude", "days", "date", "time")
"""Columns of the text: user, trajectory, and what stands in a file."""

_HEADER_LINES: Final = 6
_LINE: Final = re.compile(rb"(?m)^(?=[^\n])")
_FOLDER: Final = "trajectory"


@dataclass(frozen=True, repr=False)
class Track(Sealed):
    """One file of a trajectory."""

    name: str
    """Its path in the folder that was named, for messages and as the id of the trajectory."""
    user: str
    """The user; empty if nobody knows."""
    content: Path | bytes

    def body(self) -> bytes:
        """Its lines below the header, each with LF at its end. Raises InputError: gone, too large, or no such file.

        The gate ends lines at CR too. Every line must end as ``PltText`` sees it, or a line would name its user itself.
        """
        data = None
        with suppress(OSError):
            data = self.content if isinstance(self.content, bytes) else self._bytes_of_file(self.content)
        if data is None:
            raise InputError("the file cannot be opened", self.name, "It may have been moved.")
        if len(data) > limits.MAX_TRAJECTORY_BYTES:
            raise InputError(
                f"a trajectory has more than {limits.MAX_TRAJECTORY_BYTES:,} bytes",
                self.name,
                "Write its points as CSV.",
            )
        *header, body = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n", _HEADER_LINES)
        if not data.startswith(MARK) or len(header) < _HEADER_LINES:
            raise InputError(
                "not a trajectory of GeoLife: its six lines of header are missing",
                self.name,
                "Leave the file out.",
            )
        return body if not body or body.endswith(b"\n") else body + b"\n"

    @staticmethod
    def _bytes_of_file(place: Path) -> bytes:
        with place.open("rb") as file:
            return file.read(limits.MAX_TRAJECTORY_BYTES + 1)


def tracks_of(folder: Path, inside: Sequence[str]) -> tuple[Track, ...]:
    """The trajectories of a folder, by their paths in it.

    Raises InputError: some are in a folder of a user and others are not, or a name has characters that no id may have.
    """
    tracks = []
    for path in inside:
        *_, user, parent, _ = ("", "", *(folder.resolve() / path).parts)
        known = user if parent.lower() == _FOLDER else ""
        if not (path + known).isprintable():
            raise InputError("the name of a trajectory has control characters", folder.name, "Rename it.")
        tracks.append(Track(path, known, folder / path))
    without = [track.name for track in tracks if not track.user]
    if without and len(without) < len(tracks):
        raise InputError(
            "some trajectories are in the folder of a user, others are not",
            without[0],
            "Keep all in folders such as 001/Trajectory, or none.",
        )
    return tuple(tracks)


class PltText(io.RawIOBase):
    """Readable bytes: a header, then every line of every trajectory behind its user and its name."""

    def __init__(self, tracks: Sequence[Track]) -> None:
        super().__init__()
        self._coming = iter(tracks)
        self._ready = ",".join(COLUMNS).encode() + b"\n"
        self._position = self._bytes_of_file = 0

    def readable(self) -> bool:
        """True: the bytes can be read."""
        return True

    def tell(self) -> int:
        """How many bytes of the files were read."""
        return self._bytes_of_file

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer and return the number of bytes. Raises InputError as ``Track.body``."""
        while self._position == len(self._ready):
            track = next(self._coming, None)
            if track is None:
                return 0
            body = track.body()
            self._bytes_of_file += len(body)
            names = f"{_field(track.user)},{_field(track.name)},".encode("utf-8", "replace")
            # in a replacement a backslash would mean something
            self._ready, self._position = _LINE.sub(names.replace(b"\\", rb"\\"), body), 0
        count = min(len(buffer), len(self._ready) - self._position)
        buffer[:count] = self._ready[self._position : self._position + count]
        self._position += count
        return count


def ends_of(tracks: Sequence[Track]) -> list[int]:
    """The last line of each trajectory in the text, counted from 1. Reads all files."""
    return list(accumulate((track.body().count(b"\n") for track in tracks), initial=1))[1:]


def place_in(tracks: Sequence[Track], ends: Sequence[int], line: int) -> tuple[str, int]:
    """The file and its line of a line of the text, both counted from 1; ``ends`` as from ``ends_of``."""
    number = min(bisect_left(ends, line), len(tracks) - 1)
    before = ends[number - 1] if number else 1
    return tracks[number].name, line - before + _HEADER_LINES


def _field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"') else text
