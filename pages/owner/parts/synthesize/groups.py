"""The owner's own groups on the Synthesize page: what is counted together, what is only measured, and steps of distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from dpcore.kinds.roy import views as synthesis
from dpcore.kinds.roy.association import proposal
from dpcore.kinds.roy.choices import MEASURED_WEIGHT, WEIGHT, groups_of
from dpcore.kinds.roy.domain import PLACE_AND_TIME, Group
from dpcore.kinds.roy.kind import KIND as MODEL
from dpcore.kinds.roy.kind import noisy_tables_of
from dpcore.measures.attribute import Attribute
from dpcore.release import read_bundle, shelf
from dpcore.views.ground.plain import sentence
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.session import session
from pages.owner.parts.synthesize import words as texts


@dataclass(frozen=True)
class OwnGroups:
    """What was chosen."""

    together: tuple[Group, ...]
    measured: tuple[Group, ...]
    bands: tuple[str, ...]


def own_groups(drawn: Sequence[str]) -> OwnGroups:
    """Fields for groups and steps of distance; AtlasError for a text that is none."""
    st.caption(texts.GROUPS_HELP.format(names=", ".join((*PLACE_AND_TIME, *drawn))))
    together, measured, bands = (
        st.text_input(label, help=explained, placeholder=shown, **session().form.value(key, str, "")) or ""
        for label, explained, shown, key in (
            (
                "Counted together",
                texts.TOGETHER_HELP,
                "start,date,hour; start,end,duration",
                "synthesize together",
            ),
            ("Only measured", texts.MEASURED_HELP, "hour+duration", "synthesize measured"),
            ("Steps of distance, km", texts.BANDS_HELP, "0.5, 1, 2, 5", "synthesize bands"),
        )
    )
    proposed_groups()
    return OwnGroups(
        groups_of(_parts(together, ";"), WEIGHT, "counted together"),
        groups_of(_parts(measured, ";"), MEASURED_WEIGHT, "only measured"),
        _parts(bands, ","),
    )


def declared_among(data: DataSet, names: Sequence[str]) -> tuple[Attribute, ...]:
    """The declared attributes of the trips with these names, without those that every form of bike share has."""
    return tuple(
        one for one in data.trips.attributes if one.name in names and one.name not in data.trips.extras
    )


def proposed_groups() -> None:
    """Associations in a release of synthetic trips, and the groups that follow. Nothing is read off trips."""
    if not st.toggle("Associations in a release", help=texts.ASSOCIATIONS, key="synthesize proposals"):
        return
    there = {entry.name: entry for entry in shelf.bundles() if entry.kind is MODEL}
    if not there:
        st.caption(texts.NO_RELEASE)
        return
    name = st.selectbox("Release", [*there], key="synthesize associations")
    told = session().kept.last(
        "associations", name, lambda: proposal(noisy_tables_of(read_bundle(there[name].place)))
    )
    st.table(synthesis.associations_table(told), width="content")
    groups = "; ".join(",".join(pair) for pair in told.pairs)
    st.markdown(texts.PROPOSED.format(groups=groups) if groups else f"{sentence(told.words)}.")


def _parts(text: str, sign: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(sign) if part.strip())
