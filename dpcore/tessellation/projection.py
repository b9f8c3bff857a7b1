"""From a known coordinate system to WGS84, without a guess and without the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyproj
import pyproj.network
from pyproj.exceptions import CRSError, ProjError

from dpcore.errors import TessellationError
from dpcore.tessellation.features import Ring

_WGS84: Final = 4326
_MEND: Final = "Reproject the tiles to EPSG:4326 (WGS84)."


@dataclass(frozen=True)
class Projection:
    """Turns coordinates of one file into longitude and latitude in WGS84."""

    note: str | None
    """What is done, in plain words; None: nothing."""
    transformer: Any = None
    """Of pyproj; None: the coordinates are WGS84 already."""

    @classmethod
    def of(cls, organisation: object, code: object, source_name: str) -> Projection:
        """The projection of an entry of gpkg_spatial_ref_sys, such as ``EPSG`` and 25833.

        Only EPSG codes are known, so the definition that the file gives is never run. Raises TessellationError
        for an undefined or unknown system and where no transformation of stated accuracy is installed.
        """
        if (
            not isinstance(organisation, str)
            or organisation.strip().casefold() != "epsg"
            or not isinstance(code, int)
        ):
            raise TessellationError("the coordinate system is undefined or unknown", source_name, _MEND)
        if code == _WGS84:
            return cls(None)
        pyproj.network.set_network_enabled(active=False)  # type: ignore[attr-defined]  # public, says its manual
        try:
            system = pyproj.CRS.from_epsg(code)
            if not (system.is_geographic or system.is_projected) or len(system.axis_info) != 2:
                raise TessellationError(f"EPSG:{code} is no system of places on a map", source_name, _MEND)
            # No ballpark: an approximation may be off by hundreds of metres without saying so.
            transformer = pyproj.Transformer.from_crs(system, _WGS84, always_xy=True, allow_ballpark=False)
        except (CRSError, ProjError):
            raise TessellationError(
                f"EPSG:{code} cannot be turned into WGS84 exactly enough", source_name, _MEND
            ) from None
        return cls(f"coordinates were reprojected from EPSG:{code} to WGS84", transformer)

    def to_wgs84(self, ring: Ring, where: str) -> Ring:
        """Corners in WGS84; shape (corners, 2), longitude first. The same corner gives the same bits.

        Raises TessellationError for a corner outside the system's range.
        """
        if self.transformer is None:
            return ring
        try:
            lng, lat = self.transformer.transform(ring[:, 0], ring[:, 1], errcheck=True)
        except ProjError:
            raise TessellationError(
                "a corner lies outside the range of the coordinate system", where, "Check the layer's system."
            ) from None
        return np.column_stack((lng, lat))
