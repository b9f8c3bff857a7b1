"""Data: load trips and tiles, see what was read and what was refused."""

from dataclasses import replace

import streamlit as st

from dpcore import owner
from dpcore.data_folder import TRIPS_ENDINGS, listed, opened
from dpcore.errors import AtlasError
from dpcore.key_choices import KeyChoices
from dpcore.tessellation import Tessellation
from dpcore.views.plain import plain
from pages.owner.parts import tiles, words
from pages.owner.parts.key_form import key_form
from pages.owner.parts.session import DataSet, data_set, loaded, session
from pages.parts.messages import refused


def trips_file() -> owner.TripsFile | None:
    """The trips file that the owner chose, or None."""
    names = listed(TRIPS_ENDINGS)
    place = st.segmented_control(
        "Trips from",
        ["Upload", "Data folder"],
        default="Upload",
        help=words.PLACE_HELP,
        key="trips place",
        required=True,
    )
    if place == "Upload":
        upload = st.file_uploader(
            "Trips file: CSV, .csv.gz, .zip with one CSV, or Parquet",
            type=["csv", "gz", "zip", "parquet"],
            help=words.UPLOAD_HELP,
            key=f"trips upload {session().uploads}",
        )
        return owner.TripsFile.uploaded(upload.name, upload.getvalue()) if upload else None
    if not names:
        st.info(words.NO_FOLDER, icon=":material/folder_off:")
        return None
    name = st.selectbox("Trips file", names, index=None, placeholder="Choose a file")
    return owner.TripsFile.on_disk(opened(name)) if name else None


def columns(file: owner.TripsFile) -> owner.Inspection | None:
    """The form of the file as recognised, and a way to say which column plays which role."""
    seen, problem = None, None
    try:
        seen = owner.inspect(file)
    except AtlasError as error:
        problem = error
    header = seen.columns if seen else owner.column_names(file)
    told = st.empty()
    with st.expander("Columns", expanded=seen is None):
        st.caption(words.COLUMNS_HELP)
        known = dict(seen.mapping) if seen else {}
        roles = (
            tuple(known) if seen else owner.LAYOUTS[st.selectbox("What is one row?", tuple(owner.LAYOUTS))]
        )
        chosen = {}
        for start in range(0, len(roles), 4):
            for role, cell in zip(roles[start : start + 4], st.columns(4), strict=False):
                likely = known.get(role, role)
                index = header.index(likely) if likely in header else None
                chosen[role] = cell.selectbox(role, header, index=index, key=f"column of {role}")
    if None in chosen.values():
        if problem is not None:
            with told:
                refused(problem)
        return None
    found = seen if seen and chosen == known else owner.inspect(file, chosen)
    if found.by_station and st.checkbox("Count by station id", help=words.BY_STATION_HELP, key="by station"):
        return owner.inspect(file, found.by_station)
    return found


def clock() -> str | None:
    """The city's time zone."""
    return st.selectbox(
        "Time zone of the city",
        owner.time_zones(),
        index=None,
        placeholder="Choose a zone",
        help=words.ZONE_HELP,
    )


def load(
    file: owner.TripsFile,
    seen: owner.Inspection,
    tessellation: Tessellation,
    zone: str,
    choices: KeyChoices,
    *,
    drop: bool,
) -> None:
    """Read, check and prepare the trips; on success they replace what was loaded before."""
    bar = st.progress(0.0, "Reading")
    try:
        trips = owner.load(
            file,
            seen,
            tessellation,
            timezone=zone,
            bad_records=owner.BadRecords.DROP if drop else owner.BadRecords.REFUSE,
            progress=lambda share: bar.progress(min(share, 1.0), "Reading"),
        )
    except AtlasError as error:
        refused(error)
        return
    finally:
        bar.empty()
    session().load(data_set(trips, tessellation, choices))


def report(data: DataSet) -> None:
    """What was read and what was refused, by rule; for the owner only."""
    st.subheader("Loaded")
    st.caption(f"{data.mark} {plain(data.trips.name)}, {len(data.tessellation.tile_ids):,} tiles.")
    read = data.trips.report
    cards = st.columns(4)
    cards[0].metric("Trips", f"{read.trips:,}", border=True)
    cards[1].metric("Trips with one end only", f"{read.incomplete:,}", border=True)
    cards[2].metric("Records left out", f"{read.dropped_records:,}", border=True)
    outside = owner.share_outside(data.trips)
    cards[3].metric("Ends outside every tile", f"{outside:.0%}", border=True)
    if outside > 0.5:
        st.warning(words.MOSTLY_OUTSIDE, icon=":material/wrong_location:")
    for rule in read.dropped:
        where = ", ".join(f"{place:,}" for place in rule.places)
        lines = "line" if len(rule.places) == 1 else "lines"
        st.markdown(
            f"- {rule.count:,} left out: {plain(rule.rule)}, column {plain(rule.column)}; {lines} {where}"
        )
    for note in (*read.unlisted_words, *read.notes, *data.tessellation.notes):
        st.markdown(f"- {plain(note)}")
    if data.period is None and st.button(
        "Use the first and last day of the trips", help=words.OBSERVED_PERIOD
    ):
        found = replace(data.choices, period=owner.observed_period(data.trips))
        session().load(data_set(data.trips, data.tessellation, found, period_observed=True))
        st.rerun()
    st.page_link("pages/owner/explore.py", label="Explore these trips", icon=":material/travel_explore:")


def first_step() -> tuple[owner.TripsFile | None, owner.Inspection | None]:
    """The trips file and its columns; a refused one leaves the other steps as they are."""
    st.subheader("1 Trips")
    try:
        file = trips_file()
        seen = columns(file) if file else None
    except AtlasError as error:
        refused(error)
        return None, None
    if file and seen:
        st.success(f"{plain(file.name)} is read as: {plain(seen.form)}", icon=":material/check:")
    return file, seen


def choose() -> None:
    """The form of this page, top to bottom."""
    file, seen = first_step()
    st.subheader("2 Tiles")
    tessellation = tiles.chosen(file, seen)
    st.subheader("3 Clock, dates and bins")
    zone = clock()
    try:
        choices = key_form()
    except AtlasError as error:
        refused(error)
        return
    drop = st.checkbox("Leave out bad records instead of refusing the file", help=words.DROP_HELP)
    needed = {"trips": seen, "tiles": tessellation, "the time zone": zone}
    missing = [name for name, value in needed.items() if value is None]
    if missing:
        st.caption(f"Still needed: {', '.join(missing)}.")
    if st.button("Load", type="primary", disabled=bool(missing)):
        load(file, seen, tessellation, zone, choices, drop=drop)


def leave() -> None:
    """Ways back: to the built-in city, and to a computer that holds nothing."""
    back, forget = st.columns(2)
    if back.button("Back to the built-in city"):
        session().forget()
        st.rerun()
    with forget.popover("Forget all loaded trips", icon=":material/delete:"):
        st.markdown(words.FORGET)
        if st.button("Delete them"):
            session().forget()
            owner.forget()
            st.rerun()


session()  # no name of a file is shown to anyone but the owner
st.title("Data")
st.caption(words.DATA_INTRO)
choose()
try:
    report(loaded())
except AtlasError as error:
    refused(error)
try:
    leave()
except AtlasError as error:
    refused(error)
