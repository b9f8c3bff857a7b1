"""The first step of the Data page: which files the trips are in, or where they lie for Spark, and what their columns mean.

A visitor names no file of the server and no master of Spark: files of this computer are those of the data folder, and the
master is the one that whoever runs the app has set. The secret key that chooses trips goes to the master's workers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import streamlit as st

from dpcore.api import owner, studies
from dpcore.api.code import Loading, TilesLoading
from dpcore.errors import InputError
from dpcore.places import TRIPS_ENDINGS, folders, listed, opened
from dpcore.tiles import Tessellation
from dpcore.views.ground.plain import plain
from pages.owner.parts.data.trip_columns import (
    ChosenColumns,
    Lacking,
    ask_for_names,
    chosen_columns,
    given_names,
    key_of_order,
)
from pages.owner.parts.state import words
from pages.owner.parts.state.session import session
from pages.parts.messages import refusals, refused

MASTER: Final = "EPSILON_ATLAS_SPARK_MASTER"
"""Setting of whoever runs the app: the address of a cluster. Without it Spark runs on this computer."""

SPARK_INTRO: Final = (
    "Spark reads, checks and counts the trips where they lie, for data that one computer cannot hold. Answers are the "
    "same. Noise, ledger and releases stay on this computer."
)
SPARK_MISSING: Final = "Spark is not installed here. Run `pip install -r requirements-spark.txt`, with Java 17 or later, and start the app again."
ADDRESS_HELP: Final = (
    "Parquet, one row a trip; a folder may be partitioned, for example by date. The connector of the cluster must be able "
    "to open it."
)
CODES_TRAVEL: Final = "To the workers travel the tiles, the form, the clock and the secret key that chooses which trips of a person count."
_REMOTE: Final = re.compile(r"(?:s3a|gs|abfss?|hdfs)://\S+")
_FILES, _ADDRESS = "Data folder", "Address"


@dataclass(frozen=True)
class SparkSource:
    """Trips on Spark that the owner chose, and how their columns are read."""

    paths: tuple[str, ...]
    master: str | None
    seen: owner.Inspection
    columns: Mapping[str, str] | None = None
    """Role -> column, where the owner chose them."""
    order_key: None = None
    """Spark reads times as their columns declare them, so nothing is asked."""

    def loading(self, tiles: TilesLoading, *, drop: bool) -> Loading:
        """How they are loaded, for the code that pages show."""
        return Loading(self.columns, drop, self.several, tiles)

    @property
    def several(self) -> bool:
        """Whether there are more files than one."""
        return len(self.paths) > 1

    @property
    def name(self) -> str:
        """The last part of the first path, and how many more there are."""
        first = self.paths[0].rstrip("/").rpartition("/")[2]
        return first if len(self.paths) == 1 else f"{first} and {len(self.paths) - 1:,} more"

    @property
    def has_points(self) -> bool:
        """Whether the trips have coordinates."""
        return self.seen.has_points

    def fingerprints(self) -> tuple[str, ...]:
        """By what the loaded trips will be known. Raises InputError if they cannot be found any more."""
        return (studies.fingerprint_on_spark(self.paths, master=self.master, mapping=self.seen.mapping),)

    def load(
        self,
        tessellation: Tessellation,
        zone: str,
        bad_records: owner.BadRecords,
        progress: owner.Progress,
    ) -> owner.PrivateTrips:
        """Have them read, checked and prepared on Spark; raises as ``studies.load_on_spark`` does."""
        return studies.load_on_spark(
            self.paths,
            tessellation,
            timezone=zone,
            bad_records=bad_records,
            master=self.master,
            mapping=self.seen.mapping,
            progress=progress,
        )


def spark_source() -> SparkSource | None:
    """The form of this choice; None until it is filled in, or where Spark cannot be used."""
    if not studies.spark_is_installed():
        st.info(SPARK_MISSING, icon=":material/extension_off:")
        return None
    st.caption(SPARK_INTRO)
    master = os.environ.get(MASTER) or None
    st.caption(f"Spark runs on {plain(master) if master else 'this computer'}. {CODES_TRAVEL}")
    with refusals():
        paths = _paths()
        return _spark_columns(paths, master) if paths else None
    return None


def _paths() -> tuple[str, ...]:
    """What the owner chose: files of the data folder, or an address of the cluster's storage."""
    form = session().form
    place = st.segmented_control(
        "Trips for Spark from",
        [_FILES, _ADDRESS],
        required=True,
        **form.segment("spark place", [_FILES, _ADDRESS], _FILES),
    )
    if place == _FILES:
        names = [name for name in listed(TRIPS_ENDINGS) if name.endswith(".parquet")]
        start = form.several("spark files", names)
        chosen = st.multiselect("Parquet files", names, placeholder="Choose files", **start)
        return tuple(str(opened(name)) for name in chosen)
    address = st.text_input(
        "Address of a file or a folder",
        placeholder="s3a://bucket/trips/",
        help=ADDRESS_HELP,
        **form.value("spark address", str, ""),
    ).strip()
    if address and not _REMOTE.fullmatch(address):
        raise InputError(
            "not an address that Spark opens from here",
            "Address",
            "Begin with s3a://, gs://, abfs://, abfss:// or hdfs://; files of this computer are in the data folder.",
        )
    return (address,) if address else ()


def _spark_columns(paths: tuple[str, ...], master: str | None) -> SparkSource | None:
    """Look at the columns when asked: that starts Spark. What was found stays until another choice is made."""
    looked = (paths, master)
    if st.button("Look at the columns", key="spark look"):
        st.session_state.pop("spark seen", None)
        with refusals(), st.spinner("Asking Spark"):
            st.session_state["spark seen"] = (looked, studies.inspect_on_spark(paths, master=master))
    kept = st.session_state.get("spark seen")
    if kept is None or kept[0] != looked:
        return None
    seen: owner.Inspection = kept[1]
    roles = seen.mapping
    with st.expander("Columns"):
        chosen = {
            role: st.selectbox(
                role, seen.columns, index=seen.columns.index(name), key=f"spark column of {role}"
            )
            for role, name in roles.items()
        }
    with refusals():
        columns = chosen if chosen != dict(roles) else None
        if columns is not None:
            seen = studies.inspect_on_spark(paths, master=master, mapping=columns)
        st.success(f"These trips are read as: {plain(seen.form)}", icon=":material/check:")
        return SparkSource(paths, master, seen, columns)
    return None


_UPLOAD, _FOLDER, _SPARK = "Upload", "Data folder", "Spark"
_SHOWN = 50
"""Names of files in one list."""


@dataclass(frozen=True, repr=False)
class ChosenTrips:
    """Files that are one data set, each with its form."""

    files: tuple[owner.TripsFile, ...]
    how: ChosenColumns

    @property
    def seen(self) -> tuple[owner.Inspection, ...]:
        """The form of each file."""
        return self.how.seen

    @property
    def order_key(self) -> str:
        """Key of the widget that says how times are written."""
        return key_of_order(self.seen[0])

    def loading(self, tiles: TilesLoading, *, drop: bool) -> Loading:
        """How they are loaded, for the code that pages show."""
        how = self.how
        return Loading(how.columns, drop, self.several, tiles, how.times, how.names or None)

    @property
    def several(self) -> bool:
        """Whether there are more files than one."""
        return len(self.files) > 1

    @property
    def name(self) -> str:
        """What they are called together."""
        return owner.name_of_files(self.files)

    @property
    def has_points(self) -> bool:
        """Whether all have coordinates."""
        return all(one.has_points for one in self.seen)

    def fingerprints(self) -> tuple[str, ...]:
        """By what the loaded trips will be known. Raises InputError if a file is gone."""
        return owner.fingerprints(self.files)

    def load(
        self,
        tessellation: Tessellation,
        zone: str,
        bad_records: owner.BadRecords,
        progress: owner.Progress,
    ) -> owner.PrivateTrips:
        """Read, check and prepare them on this computer; raises as ``owner.load`` does. What was said of them is remembered."""
        prepared, how = session().prepared, self.how
        if how.columns or how.times or how.rule:
            owner.remember(self.seen[0].columns, how.said)
        else:  # all is as the names of the columns tell
            owner.forget_columns(self.seen[0].columns)
        return owner.load(
            self.files,
            self.seen,
            tessellation,
            timezone=zone,
            bad_records=bad_records,
            progress=progress,
            rule=self.how.rule,
            stored=lambda folder: prepared.add(folder.name),
        )


_TRIPS: Final = Lacking(("trips",))


def chosen_trips() -> ChosenTrips | SparkSource | Lacking:
    """The files that the owner chose and their columns; refused ones leave the other steps of the page as they are."""
    place = st.segmented_control(
        "Trips from",
        [_UPLOAD, _FOLDER, _SPARK],
        help=words.PLACE_HELP,
        required=True,
        **session().form.segment("trips place", [_UPLOAD, _FOLDER, _SPARK], _UPLOAD),
    )
    return (spark_source() or _TRIPS) if place == _SPARK else _here(place)


def _here(place: str) -> ChosenTrips | Lacking:
    """Files that this computer reads itself."""
    files: tuple[owner.TripsFile, ...] = ()
    how: ChosenColumns | Lacking = _TRIPS
    with refusals():
        called, files = _files(place)
        how = chosen_columns(called, files) if files else _TRIPS
    if isinstance(how, Lacking):
        return how
    forms = " and ".join(sorted({one.form for one in how.seen}))
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
    return ChosenTrips(how.files, how)


def _files(place: str) -> tuple[str, tuple[owner.TripsFile, ...]]:
    """What the chosen files are called by, and the files; none until some are chosen that can be opened."""
    if place == _UPLOAD:
        uploads = st.file_uploader(
            "Trips files: CSV, .csv.gz, .zip with one CSV, Parquet, or GeoLife (.plt)",
            type=[ending.rpartition(".")[2] for ending in TRIPS_ENDINGS],
            accept_multiple_files=True,
            help=words.UPLOAD_HELP,
            key=f"trips upload {session().uploads}",
            on_change=_other_files,
        )
        return _held([(upload.name, upload.getvalue()) for upload in uploads])
    names = [*folders(TRIPS_ENDINGS), *listed(TRIPS_ENDINGS)]
    if not names:
        st.info(words.NO_FOLDER, icon=":material/folder_off:")
        return "", ()
    chosen = st.multiselect(
        "Trips files and folders",
        names,
        placeholder="Choose files or a folder",
        help=words.FILES_HELP,
        **session().form.several("trips files", names),
    )
    if not chosen:
        return "", ()
    paths = [opened(name, folder=name.endswith("/")) for name in chosen]
    return chosen[0], _named(chosen[0], lambda header: owner.trips_files(paths, header))


def _named(
    first: str, read: Callable[[str | None], tuple[owner.TripsFile, ...]]
) -> tuple[owner.TripsFile, ...]:
    """Files with the names of columns that the owner gave them, by the name of the first. Names that lack are asked for."""
    try:
        return read(given_names(first) or None)
    except InputError as error:
        refused(error)
        ask_for_names(first, error)
        return ()


def _other_files() -> None:
    """Other files were uploaded, or none: what was held is not chosen any more."""
    session().held = ()
    session().form.values.pop("trips uploaded", None)


def _held(uploads: list[tuple[str, bytes]]) -> tuple[str, tuple[owner.TripsFile, ...]]:
    """The first name and the uploaded files, also after the page was left, which takes the browser's files away.

    They stay in memory. A project keeps their names alone: after a reload the page says which files to choose again.
    """
    mine = session()
    if uploads:
        mine.held = _named(uploads[0][0], lambda header: owner.TripsFile.uploads(uploads, header))
        mine.form.values["trips uploaded"] = [file.name for file in mine.held]
    elif mine.held:
        st.caption(words.STILL_CHOSEN.format(names=plain(owner.name_of_files(mine.held))))
    else:
        names = mine.form.values.get("trips uploaded")
        if isinstance(names, list) and names:
            st.caption(words.UPLOAD_AGAIN.format(names=plain(", ".join(map(str, names[:3])))))
    called = uploads[0][0] if uploads else mine.held[0].name if mine.held else ""
    return called, mine.held
