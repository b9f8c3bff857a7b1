"""What the manifest of a synthetic release says before its tables are read. Nothing is believed yet.

``reading`` puts the release together and then writes its manifest anew; what differs from the one that was read is
refused there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Final, cast, get_args

from dpcore import limits
from dpcore.errors import AtlasError, BundleError
from dpcore.release import Anchor, Chosen
from dpcore.release.fields import Fields, wrong
from dpcore.release.outline import HASH, SYNTHETIC_FORMAT, ZONE, anchor_of, chosen_of, matching
from dpcore.synthesis.choices import SynthesisChoices, choices_of_terms
from dpcore.synthetic_release.manifest import SCHEMA_VERSION
from dpcore.synthetic_release.release import TripForm

_NAME: Final = 200
_TEXT: Final = limits.MAX_RELEASE_TEXT_CHARACTERS
_SEED: Final = re.compile(r"0|[1-9][0-9]{0,18}")
_FILE: Final = re.compile(r"[A-Za-z0-9_.-]{1,120}(/[A-Za-z0-9_.-]{1,120})?")


@dataclass(frozen=True)
class Outline:
    """A manifest as it was read; fields as in ``SyntheticRelease``."""

    id: str
    title: str
    note: str
    dataset: str
    population: str
    created: datetime
    choices: SynthesisChoices
    seed: int
    rows: int
    """Of the file of trips."""
    form: TripForm
    timezone: str
    anchor: Anchor
    charged_delta: Fraction
    parameters_chosen: Chosen
    command: str
    software: Mapping[str, str]
    files: Mapping[str, str]
    """SHA-256 of every file but the manifest, by names that are not checked yet."""


def is_synthetic(document: Mapping[str, object]) -> bool:
    """Whether a manifest says that it is one of a synthetic release."""
    return document.get("format") == SYNTHETIC_FORMAT


def check_version(document: Mapping[str, object], place: str) -> None:
    """Refuse what is no manifest of a synthetic release, and a version that this program does not know."""
    if not is_synthetic(document):
        raise BundleError("this is no manifest of a synthetic release", place, "Name the folder of one.")
    version = document.get("schema_version")
    if not isinstance(version, int) or isinstance(version, bool):
        raise wrong(f"{place}, schema_version", "a whole number")
    if version != SCHEMA_VERSION:
        raise BundleError(
            f"the bundle has schema version {version}",
            place,
            f"This program reads version {SCHEMA_VERSION}. Read it with the version that wrote it, or a newer one.",
        )


def outline_of(document: Mapping[str, object], place: str) -> Outline:
    """The outline of a manifest; raises BundleError, naming the member that is wrong."""
    members = Fields(document, place)
    told, entry, trips = (members.fields(name) for name in ("release", "ledger_entry", "trips"))
    form = trips.text("form", _NAME)
    if form not in get_args(TripForm):
        raise wrong(trips.place("form"), " or ".join(get_args(TripForm)))
    files = members.fields("files")
    names = members.names("files")
    if len(names) > limits.MAX_BUNDLE_FILES or not all(_FILE.fullmatch(name) for name in names):
        raise wrong(members.place("files"), "a list of files")
    return Outline(
        id=told.text("id", _NAME),
        title=told.text("title", limits.MAX_TITLE_CHARACTERS),
        note=told.lines("note", limits.MAX_NOTE_CHARACTERS),
        dataset=told.text("dataset", _NAME),
        population=told.text("population", _TEXT),
        created=told.moment("created"),
        choices=_choices(members),
        seed=int(matching(trips, "seed", _SEED, "a seed of at most 19 digits")),
        rows=trips.whole("rows", limits.MAX_SYNTHETIC_TRIPS),
        form=cast("TripForm", form),
        timezone=matching(members, "timezone", ZONE, "the name of a time zone"),
        anchor=anchor_of(entry),
        charged_delta=entry.fraction("charged_delta"),
        parameters_chosen=chosen_of(members),
        command=members.lines("command", limits.MAX_COMMAND_CHARACTERS),
        software=members.texts("software", _NAME),
        files={name: matching(files.fields(name), "sha256", HASH, "a SHA-256") for name in names},
    )


def _choices(members: Fields) -> SynthesisChoices:
    try:
        return choices_of_terms(members.plain("method"))
    except AtlasError as error:
        raise BundleError(error.what, f"{members.place('method')}, {error.where}", error.mend) from None
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        raise wrong(members.place("method"), "choices that this program knows") from None
