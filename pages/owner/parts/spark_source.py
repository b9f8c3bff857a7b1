"""Trips on Spark as a choice of the Data page: where they lie, and the form they are read as.

A visitor names no file of the server and no master: files of this computer are those of the data folder, and the master
is the one that whoever runs the app has set. The secret key that chooses trips goes to the master's workers.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final

import streamlit as st

from dpcore import owner
from dpcore.errors import AtlasError, InputError
from dpcore.places import TRIPS_ENDINGS, listed, opened
from dpcore.tessellation import Tessellation
from dpcore.views.plain import plain
from pages.parts.messages import refusals, refused

MASTER: Final = "EPSILON_ATLAS_SPARK_MASTER"
"""Setting of whoever runs the app: the address of a cluster. Without it Spark runs on this computer."""

INTRO: Final = (
    "Spark reads, checks and counts the trips where they lie, for data that one computer cannot hold. Answers are the "
    "same. Noise, ledger and releases stay on this computer."
)
MISSING: Final = "Spark is not installed here. Run `pip install -r requirements-spark.txt`, with Java 17 or later, and start the app again."
ADDRESS_HELP: Final = (
    "Parquet, one row a trip; a folder may be partitioned, for example by date. The connector of the cluster must be able "
    "to open it."
)
CODES_TRAVEL: Final = "To the workers travel the tiles, the form, the clock and the secret key that chooses which trips of a person count."
_REMOTE: Final = re.compile(r"(?:s3a|gs|abfss?|hdfs)://\S+")
_FOLDER, _ADDRESS = "Data folder", "Address"


@dataclass(frozen=True)
class SparkSource:
    """Trips on Spark that the owner chose, and how their columns are read."""

    paths: tuple[str, ...]
    master: str | None
    seen: owner.Inspection

    @property
    def name(self) -> str:
        """The last part of the first path, and how many more there are."""
        first = self.paths[0].rstrip("/").rpartition("/")[2]
        return first if len(self.paths) == 1 else f"{first} and {len(self.paths) - 1:,} more"

    @property
    def has_points(self) -> bool:
        """Whether the trips have coordinates."""
        return self.seen.has_points

    def load(
        self,
        tessellation: Tessellation,
        zone: str,
        bad_records: owner.BadRecords,
        progress: owner.Progress,
    ) -> owner.PrivateTrips:
        """Have them read, checked and prepared on Spark; raises as ``owner.load_on_spark`` does."""
        return owner.load_on_spark(
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
    if not owner.spark_is_installed():
        st.info(MISSING, icon=":material/extension_off:")
        return None
    st.caption(INTRO)
    master = os.environ.get(MASTER) or None
    st.caption(f"Spark runs on {plain(master) if master else 'this computer'}. {CODES_TRAVEL}")
    try:
        paths = _paths()
    except AtlasError as error:
        refused(error)
        return None
    return _columns(paths, master) if paths else None


def _paths() -> tuple[str, ...]:
    """What the owner chose: files of the data folder, or an address of the cluster's storage."""
    place = st.segmented_control(
        "Trips for Spark from", [_FOLDER, _ADDRESS], default=_FOLDER, key="spark place", required=True
    )
    if place == _FOLDER:
        names = [name for name in listed(TRIPS_ENDINGS) if name.endswith(".parquet")]
        chosen = st.multiselect("Parquet files", names, key="spark files", placeholder="Choose files")
        return tuple(str(opened(name)) for name in chosen)
    address = st.text_input(
        "Address of a file or a folder",
        key="spark address",
        placeholder="s3a://bucket/trips/",
        help=ADDRESS_HELP,
    ).strip()
    if address and not _REMOTE.fullmatch(address):
        raise InputError(
            "not an address that Spark opens from here",
            "Address",
            "Begin with s3a://, gs://, abfs://, abfss:// or hdfs://; files of this computer are in the data folder.",
        )
    return (address,) if address else ()


def _columns(paths: tuple[str, ...], master: str | None) -> SparkSource | None:
    """Look at the columns when asked: that starts Spark. What was found stays until another choice is made."""
    looked = (paths, master)
    if st.button("Look at the columns", key="spark look"):
        st.session_state.pop("spark seen", None)
        with refusals(), st.spinner("Asking Spark"):
            st.session_state["spark seen"] = (looked, owner.inspect_on_spark(paths, master=master))
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
    if chosen != dict(roles):
        with refusals():
            seen = owner.inspect_on_spark(paths, master=master, mapping=chosen)
        return None
    st.success(f"These trips are read as: {plain(seen.form)}", icon=":material/check:")
    return SparkSource(paths, master, seen)
