"""From the coordinate system that a file declares to WGS84, without guessing and without the network.

A system is named by its code in a register, such as ``EPSG:25833``. Its definition comes from the register that PROJ holds,
never from the file. Where a file declares no system, its owner may (``tiles_crs``); where it declares one, no other is taken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import TessellationError

System = tuple[str, str]
"""A register and a code in it, such as ``("EPSG", "25833")``."""

WGS84: Final[System] = ("EPSG", "4326")
UNKNOWN: Final[System] = ("", "")
"""A system that the file declares and that no register holds."""

_MEND: Final = "Reproject the tiles to EPSG:4326 (WGS84)."
# EPSG:25833, urn:ogc:def:crs:EPSG::25833, urn:ogc:def:crs:OGC:1.3:CRS84, http://www.opengis.net/def/crs/EPSG/0/25833, CRS84
_WRITTEN: Final = re.compile(
    r"(?:urn:ogc:def:crs:|https?://www\.opengis\.net/def/crs/)?(?:(epsg|esri|ignf|ogc)[:/](?:[0-9.]*[:/])?)?([a-z0-9]{1,20})",
    re.IGNORECASE,
)


def system_of(text: object) -> System:
    """The system that a text names; ``UNKNOWN`` if it is no such name. CRS84 is WGS84, longitude first as everywhere here."""
    found = _WRITTEN.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        return UNKNOWN
    register, code = (found[1] or "").upper(), found[2].upper()
    if code == "CRS84":
        return WGS84
    return (register, code) if register else UNKNOWN


def system_of_crs(crs: object) -> System | None:
    """The system of a data frame, as pyproj knows it; ``UNKNOWN`` if no register holds it, or if its datum is not known.

    None if the frame has none. A register may hold a system that is alike but for the datum, and lies 100 metres off.
    """
    if crs is None:
        return None
    import pyproj  # noqa: PLC0415 - most tiles are in WGS84

    try:
        found = pyproj.CRS.from_user_input(crs).to_2d()
    except pyproj.exceptions.CRSError:
        return UNKNOWN
    known = found.datum is not None and "unknown" not in found.datum.name.lower()
    held = found.to_authority(min_confidence=70) if known else None
    return system_of(":".join(held)) if held else UNKNOWN


def system_of_file(
    declared: System | None, wanted: str | None, source_name: str, *, otherwise: System | None
) -> System:
    """The system of a file: the one that it declares, else the wanted one, else the one that its format implies.

    ``declared``: None if the file declares none. ``wanted``: ``tiles_crs`` of the owner. ``otherwise``: None if the format
    implies none. Raises TessellationError if there is none, or if the wanted one is not the declared one.
    """
    asked = None if wanted is None else system_of(wanted)
    if asked == UNKNOWN:
        raise TessellationError(
            "this is no coordinate system",
            "--tiles-crs",
            "Give a code such as EPSG:25833.",
            options=("--tiles-crs",),
        )
    if declared is not None and declared != UNKNOWN:
        if asked not in {None, declared}:
            raise TessellationError(
                f"the file declares {':'.join(declared)}, and --tiles-crs says {wanted}",
                source_name,
                "Leave --tiles-crs out, which is for files that declare no system. If the file is wrong, correct what it declares.",
                options=("--tiles-crs",),
            )
        return declared
    found = asked or (otherwise if declared is None else None)
    if found is None:
        raise TessellationError(
            "the coordinate system is undefined or unknown",
            source_name,
            "If you know it, name it with --tiles-crs EPSG:... (in a notebook: tiles_crs; on the Data page: Coordinate system of the file).",
            options=("--tiles-crs",),
        )
    return found


@dataclass(frozen=True)
class Projection:
    """Turns the coordinates of one file into longitude and latitude in WGS84."""

    note: str | None
    """What it does, in words. None if it does nothing."""
    transformer: Any = None
    """A transformer of pyproj. None if the coordinates are WGS84 already."""

    @classmethod
    def of(cls, system: System, source_name: str) -> Projection:
        """The projection of a system.

        Raises TessellationError for a code in no register, and if no transformation of stated accuracy is installed.
        """
        if system == WGS84:
            return cls(None)
        import pyproj.network  # noqa: PLC0415 - most tiles are in WGS84
        from pyproj.exceptions import CRSError, ProjError  # noqa: PLC0415 - as above

        said = ":".join(system)
        pyproj.network.set_network_enabled(active=False)  # type: ignore[attr-defined]  # public, says its manual
        try:
            here = pyproj.CRS.from_authority(*system)
            if not (here.is_geographic or here.is_projected) or len(here.axis_info) != 2:
                raise TessellationError(f"{said} is not a system of places on a map", source_name, _MEND)
            # No ballpark transformation: it may be off by hundreds of metres without saying so.
            transformer = pyproj.Transformer.from_crs(
                here, ":".join(WGS84), always_xy=True, allow_ballpark=False
            )
        except (CRSError, ProjError):
            raise TessellationError(
                f"{said} cannot be turned into WGS84 exactly enough", source_name, _MEND
            ) from None
        return cls(f"coordinates were reprojected from {said} to WGS84", transformer)

    def to_wgs84(self, ring: NDArray[np.float64], where: str) -> NDArray[np.float64]:
        """Corners in WGS84; shape (corners, 2), longitude first. Equal corners give equal bits.

        Raises TessellationError for a corner outside the system's range.
        """
        if self.transformer is None:
            return ring
        from pyproj.exceptions import ProjError  # noqa: PLC0415 - as above

        try:
            lng, lat = self.transformer.transform(ring[:, 0], ring[:, 1], errcheck=True)
        except ProjError:
            raise TessellationError(
                "a corner lies outside the range of the coordinate system", where, "Check which system it is."
            ) from None
        return np.column_stack((lng, lat))
