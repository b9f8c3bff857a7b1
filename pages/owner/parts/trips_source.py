"""The first step of the Data page: which files the trips are in, and what their columns mean."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpcore import owner
from dpcore.errors import AtlasError, InputError
from dpcore.places import TRIPS_ENDINGS, folders, listed, opened
from dpcore.tessellation import Tessellation
from dpcore.views.plain import plain
from pages.owner.parts import words
from pages.owner.parts.session import session
from pages.owner.parts.spark_source import SparkSource, spark_source
from pages.parts.messages import refused

_UPLOAD, _FOLDER, _SPARK = "Upload", "Data folder", "Spark"
_SHOWN = 50
"""Names of files in one list."""


@dataclass(frozen=True, repr=False)
class ChosenTrips:
    """Files that are one data set, each with its form."""

    files: tuple[owner.TripsFile, ...]
    seen: tuple[owner.Inspection, ...]

    @property
    def name(self) -> str:
        """What they are called together."""
        return owner.name_of_files(self.files)

    @property
    def has_points(self) -> bool:
        """Whether all have coordinates."""
        return all(one.has_points for one in self.seen)

    def load(
        self,
        tessellation: Tessellation,
        zone: str,
        bad_records: owner.BadRecords,
        progress: owner.Progress,
    ) -> owner.PrivateTrips:
        """Read, check and prepare them on this computer; raises as ``owner.load`` does."""
        return owner.load(
            self.files, self.seen, tessellation, timezone=zone, bad_records=bad_records, progress=progress
        )


def chosen_trips() -> ChosenTrips | SparkSource | None:
    """The files that the owner chose and their columns; refused ones leave the other steps of the page as they are."""
    place = st.segmented_control(
        "Trips from",
        [_UPLOAD, _FOLDER, _SPARK],
        default=_UPLOAD,
        help=words.PLACE_HELP,
        key="trips place",
        required=True,
    )
    return spark_source() if place == _SPARK else _here(place)


def _here(place: str) -> ChosenTrips | None:
    """Files that this computer reads itself."""
    try:
        files = _files(place)
        seen = _columns(files) if files else None
    except AtlasError as error:
        refused(error)
        return None
    if not files or seen is None:
        return None
    forms = " and ".join(sorted({one.form for one in seen}))
    name = owner.name_of_files(files)
    st.success(
        f"{plain(name)} {'is' if len(files) == 1 else 'are'} read as: {plain(forms)}", icon=":material/check:"
    )
    if len(files) > 1:
        with st.expander(f"{len(files):,} files are one data set"):
            st.caption(words.FILES_HELP)
            st.markdown("\n".join(f"- {plain(file.name)}" for file in files[:_SHOWN]))
            if len(files) > _SHOWN:
                st.caption(f"and {len(files) - _SHOWN:,} more")
    return ChosenTrips(files, seen)


def _files(place: str) -> tuple[owner.TripsFile, ...]:
    if place == _UPLOAD:
        uploads = st.file_uploader(
            "Trips files: CSV, .csv.gz, .zip with one CSV, or Parquet",
            type=["csv", "gz", "zip", "parquet"],
            accept_multiple_files=True,
            help=words.UPLOAD_HELP,
            key=f"trips upload {session().uploads}",
        )
        return owner.TripsFile.uploads([(upload.name, upload.getvalue()) for upload in uploads])
    names = [*folders(TRIPS_ENDINGS), *listed(TRIPS_ENDINGS)]
    if not names:
        st.info(words.NO_FOLDER, icon=":material/folder_off:")
        return ()
    chosen = st.multiselect(
        "Trips files and folders", names, placeholder="Choose files or a folder", help=words.FILES_HELP
    )
    return owner.trips_files([opened(name, folder=name.endswith("/")) for name in chosen]) if chosen else ()


def _columns(files: tuple[owner.TripsFile, ...]) -> tuple[owner.Inspection, ...] | None:
    """The form of each file as recognised, and a way to say which column of theirs plays which role."""
    first, *others = files
    seen, problem = None, None
    try:
        seen = owner.inspect(first)
    except AtlasError as error:
        problem = error
    header = seen.columns if seen else owner.column_names(first)
    told = st.empty()
    with st.expander("Columns", expanded=seen is None):
        st.caption(words.COLUMNS_HELP)
        known = dict(seen.mapping) if seen else {}
        roles = (
            tuple(known) if seen else owner.LAYOUTS[st.selectbox("What is one row?", tuple(owner.LAYOUTS))]
        )
        chosen: dict[str, str] = {}
        for start in range(0, len(roles), 4):
            for role, cell in zip(roles[start : start + 4], st.columns(4), strict=False):
                likely = known.get(role, role)
                index = header.index(likely) if likely in header else None
                column = cell.selectbox(role, header, index=index, key=f"column of {role}")
                if column is not None:
                    chosen[role] = column
    if len(chosen) < len(roles):
        if problem is not None:
            with told:
                refused(problem)
        return None
    mapping = None if seen and chosen == known else chosen
    found = seen if seen and mapping is None else owner.inspect(first, mapping)
    by_station = found.by_station and st.checkbox(
        "Count by station id", help=words.BY_STATION_HELP, key="by station"
    )
    if by_station:
        found = owner.inspect(first, found.by_station)
    rest = [owner.inspect(file, mapping) for file in others]
    return (
        found,
        *(_by_station(file, one) if by_station else one for file, one in zip(others, rest, strict=True)),
    )


def _by_station(file: owner.TripsFile, seen: owner.Inspection) -> owner.Inspection:
    if not seen.has_points:
        return seen
    if not seen.by_station:
        raise InputError("the file has no ids of stations", file.name, "Do not count by station id.")
    return owner.inspect(file, seen.by_station)
