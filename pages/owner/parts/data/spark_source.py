"""Trips on Spark for the Data page: where they lie, and what their columns mean.

A visitor names no master of Spark: it is the one that whoever runs the app has set. The secret key that chooses trips goes to
the master's workers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import streamlit as st

from dpcore.api import owner
from dpcore.api.code import Loading, TilesLoading
from dpcore.engines.spark import owner as spark
from dpcore.errors import InputError
from dpcore.places import TRIPS_ENDINGS, data_path, data_paths
from dpcore.tiles import Tessellation
from dpcore.views.ground.plain import plain
from pages.owner.parts.state.session import session
from pages.parts.messages import refusals

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
        return (spark.fingerprint_on_spark(self.paths, master=self.master, mapping=self.seen.mapping),)

    def load(
        self,
        tessellation: Tessellation,
        zone: str,
        bad_records: owner.BadRecords,
        progress: owner.Progress,
    ) -> owner.PrivateTrips:
        """Have them read, checked and prepared on Spark; raises as ``spark.load_on_spark`` does."""
        return spark.load_on_spark(
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
    if not spark.spark_is_installed():
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
        names = [name for name in data_paths(TRIPS_ENDINGS) if name.endswith(".parquet")]
        start = form.several("spark files", names)
        chosen = st.multiselect("Parquet files", names, placeholder="Choose files", **start)
        return tuple(str(data_path(name)) for name in chosen)
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
            st.session_state["spark seen"] = (looked, spark.inspect_on_spark(paths, master=master))
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
            seen = spark.inspect_on_spark(paths, master=master, mapping=columns)
        st.success(f"These trips are read as: {plain(seen.form)}", icon=":material/check:")
        return SparkSource(paths, master, seen, columns)
    return None
