"""Blocks of Markdown that the READMEs of all kinds share."""

from __future__ import annotations

from dpcore.privacy import decimal_text
from dpcore.release.canonical import utc_text
from dpcore.release.layout import TILES, TILES_GPKG, TILES_PARQUET
from dpcore.release.release import AnyRelease
from dpcore.release.texts import fenced, markdown


def facts(release: AnyRelease, days: str) -> list[str]:
    """What every manifest says of a release, a list item each; ``days`` says which days are counted."""
    return [
        f"- Release: {markdown(release.id)}, made {utc_text(release.created)}",
        f"- Data set: {markdown(release.dataset)}",
        f"- People in it, as declared by the owner: {markdown(release.population) or 'not declared'}",
        *([f"- Published by: {markdown(release.publisher)}"] if release.publisher else []),
        f"- Days: {days}",
        f"- Time zone: hours and dates are local to {markdown(release.timezone)}",
        *([] if release.trip_rule is None else [f"- Trips: {release.trip_rule.words}"]),
    ]


def note(release: AnyRelease) -> list[str]:
    """The note of the owner, quoted."""
    if not release.note:
        return []
    quoted = "\n".join(f"> {markdown(line)}".rstrip() for line in release.note.split("\n"))
    return ["Note of the owner:", quoted]


def tile_files(more: str = "") -> list[str]:
    """Lines of the list of files for the tiles; ``more``: columns that the files for maps have besides."""
    columns = "tile_id, tile_name,"
    return [
        f"| {TILES} | the tiles: {columns} shape (WGS84) |",
        f"| {TILES_GPKG} | the tiles as a GeoPackage, for QGIS: {columns}{more} shape (WGS84) |",
        f"| {TILES_PARQUET} | the same as GeoParquet, for geopandas |",
    ]


def making(release: AnyRelease, mechanism: str) -> list[str]:
    """How a release was made, what it cost, and with which software."""
    anchor = release.anchor
    part = f", part {markdown(anchor.part)}" if anchor.part is not None else ""
    delta = f" and delta {float(release.charged_delta):.3g}" if release.charged_delta else ""
    versions = ", ".join(markdown(f"{name} {text}") for name, text in sorted(release.software.items()))
    return [
        "## How it was made",
        mechanism,
        (
            f"Entry {anchor.number:,} of the ledger charged the account {markdown(release.dataset)}{part} epsilon "
            f"{decimal_text(anchor.charged)}{delta}. The total budget of the account is epsilon {decimal_text(anchor.total)} per "
            f"{anchor.currency.value}."
        ),
        (
            "This command repeats the computation with fresh noise and at the same price. TRIPS and TILES stand for the files "
            "of the owner:"
        ),
        fenced(release.command or "not recorded"),
        # sorted, so that the README does not depend on the order in which the versions were read
        f"Computed with {versions or 'versions that were not recorded'}.",
    ]
