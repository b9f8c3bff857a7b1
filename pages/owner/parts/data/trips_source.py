"""The first step of the Data page: which files the trips are in, or where they lie for another engine, and what their columns mean.

A visitor names no file of the server: files of this computer are those of the data folder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import streamlit as st

from dpcore import wings
from dpcore.api import owner
from dpcore.api.code import Loading, TilesLoading
from dpcore.errors import InputError
from dpcore.places import TRIPS_ENDINGS, data_path, data_paths, folders
from dpcore.tiles import Tessellation
from dpcore.views.ground.plain import plain, sentence
from pages.owner.parts.data import load_again
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

_UPLOAD, _FOLDER, _SPARK = "Upload", "Data folder", "Spark"
_SHOWN = 50
"""Names of files in one list."""


class TripsSource(Protocol):
    """Trips that the owner chose, wherever they lie, and how their columns are read."""

    @property
    def name(self) -> str:
        """What they are called."""

    @property
    def has_points(self) -> bool:
        """Whether all have coordinates."""

    @property
    def order_key(self) -> str | None:
        """Key of the widget that says how times are written; None if nothing is asked."""

    def loading(self, tiles: TilesLoading, *, drop: bool) -> Loading:
        """How they are loaded, for the code that pages show."""

    def fingerprints(self) -> tuple[str, ...]:
        """By what the loaded trips will be known. Raises InputError if they cannot be found any more."""

    def load(
        self, tessellation: Tessellation, zone: str, bad_records: owner.BadRecords, progress: owner.Progress
    ) -> owner.PrivateTrips:
        """Have them read, checked and prepared. Raises InputError."""


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
        match = ",".join(self.seen[0].match) or None
        return Loading(how.columns, drop, self.several, tiles, how.times, how.names or None, match)

    def matching(self, rules: Sequence[str]) -> ChosenTrips:
        """The same files, whose ids mean tiles by these rules too."""
        seen = tuple(replace(one, match=tuple(rules)) for one in self.seen)
        return replace(self, how=replace(self.how, seen=seen))

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


def chosen_trips() -> TripsSource | Lacking:
    """The files that the owner chose and their columns; refused ones leave the other steps of the page as they are."""
    places = [_UPLOAD, _FOLDER, *([_SPARK] if _SPARK.lower() in wings.there() else [])]
    place = st.segmented_control(
        "Trips from",
        places,
        help=words.PLACE_HELP,
        required=True,
        **session().form.segment("trips place", places, _UPLOAD),
    )
    if place != _SPARK:
        return _files_on_this_computer(place)
    from pages.owner.parts.data.spark_source import spark_source  # noqa: PLC0415 - the wing may be missing

    return spark_source() or _TRIPS


def _files_on_this_computer(place: str) -> ChosenTrips | Lacking:
    """Files that this computer reads itself."""
    files: tuple[owner.TripsFile, ...] = ()
    how: ChosenColumns | Lacking = _TRIPS
    with load_again.refusals_of_trips():
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
            "Trips files: CSV or text, also as .gz, .bz2 or .zip, Parquet, or GeoLife (.plt)",
            type=[ending.rpartition(".")[2] for ending in TRIPS_ENDINGS],
            accept_multiple_files=True,
            help=words.UPLOAD_HELP,
            key=f"trips upload {session().uploads}",
            on_change=_other_files,
        )
        return _uploaded_files([(upload.name, upload.getvalue()) for upload in uploads])
    names = [*folders(TRIPS_ENDINGS), *data_paths(TRIPS_ENDINGS)]
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
    paths = [data_path(name, folder=name.endswith("/")) for name in chosen]
    for note in owner.left_out_notes(paths):
        st.warning(plain(sentence(note)), icon=":material/rule_folder:")
    return chosen[0], _renamed_files(chosen[0], lambda header: owner.trips_files(paths, header))


def _renamed_files(
    first: str, read: Callable[[str | None], tuple[owner.TripsFile, ...]]
) -> tuple[owner.TripsFile, ...]:
    """Files with the names of columns that the owner gave them, by the name of the first. Names that lack are asked for."""
    try:
        return read(given_names(first) or None)
    except InputError as error:
        load_again.show(error)
        ask_for_names(first, error)
        return ()


def _other_files() -> None:
    """Other files were uploaded, or none: what was held is not chosen any more."""
    session().held = ()
    session().form.values.pop("trips uploaded", None)


def _uploaded_files(uploads: list[tuple[str, bytes]]) -> tuple[str, tuple[owner.TripsFile, ...]]:
    """The first name and the uploaded files, also after the page was left, which takes the browser's files away.

    They stay in memory. A project keeps their names alone: after a reload the page says which files to choose again.
    """
    mine = session()
    if uploads:
        mine.held = _renamed_files(uploads[0][0], lambda header: owner.TripsFile.uploads(uploads, header))
        mine.form.values["trips uploaded"] = [file.name for file in mine.held]
    elif mine.held:
        st.caption(words.STILL_CHOSEN.format(names=plain(owner.name_of_files(mine.held))))
    else:
        names = mine.form.values.get("trips uploaded")
        if isinstance(names, list) and names:
            st.caption(words.UPLOAD_AGAIN.format(names=plain(", ".join(map(str, names[:3])))))
    called = uploads[0][0] if uploads else mine.held[0].name if mine.held else ""
    return called, mine.held
