"""What a manifest says before the tables are read: the plan, the texts, the anchor. Nothing is believed yet.

``reading`` puts the release together and then writes its manifest anew; what differs from the one that was read, a
half width or a member too many, is refused there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import Final, cast, get_args

from dpcore import limits
from dpcore.errors import AtlasError, BundleError
from dpcore.measures.bought import BoughtQuantiles
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.measures.plan import USUAL_FALSE_FLOWS, Plan, exact_false_flows
from dpcore.privacy import ContributionBound, PrivacyUnit, exact_epsilon
from dpcore.release.bought_members import bought_of, ranged, share_of_ranges, weight_of_five_numbers
from dpcore.release.fields import Fields, wrong
from dpcore.release.layout import listed_files
from dpcore.release.manifest import FALSE_FLOWS, FORMAT, SCHEMA_VERSION
from dpcore.release.release import Anchor, Chosen

SYNTHETIC_FORMAT: Final = "epsilon-atlas synthetic release"
"""What the manifest of a synthetic release says it is, see ``dpcore.synthetic_release``."""

_NAME: Final = 200
_NUMBER: Final = 40
HASH: Final = re.compile(r"[0-9a-f]{64}")
ZONE: Final = re.compile(r"[A-Za-z0-9_+\-/]{1,64}")
_MOST_COUNT: Final = 10**15
_TEXT: Final = limits.MAX_RELEASE_TEXT_CHARACTERS


@dataclass(frozen=True)
class Listing:
    """How a sparse table came to list what it lists."""

    threshold: int
    listed_at: Fraction


@dataclass(frozen=True)
class Outline:
    """A manifest as it was read; fields as in ``Release``."""

    id: str
    title: str
    note: str
    dataset: str
    population: str
    created: datetime
    raised_from: str | None
    plan: Plan
    timezone: str
    anchor: Anchor
    parameters_chosen: Chosen
    command: str
    software: Mapping[str, str]
    listings: Mapping[str, Listing]
    """Of the sparse measures."""
    files: Mapping[str, str]
    """SHA-256 of every file but the manifest."""
    five_numbers: BoughtQuantiles | None
    ranges: BoughtQuantiles | None


def check_version(document: Mapping[str, object], place: str) -> None:
    """Refuse what is no manifest, and a manifest of a version that this program does not know."""
    if document.get("format") == SYNTHETIC_FORMAT:
        raise BundleError(
            "this is a release of synthetic trips, not of tables",
            place,
            "Load its trips.parquet as you load any trips; verify checks it.",
        )
    if document.get("format") != FORMAT:
        raise BundleError("this is no manifest of a release", place, "Name the folder of a release.")
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
    told = members.fields("release")
    try:
        plan = _plan(members)
        five_numbers, ranges = bought_of(members, plan)
    except BundleError:
        raise
    except AtlasError as error:
        raise BundleError(error.what, f"{place}, {error.where}", error.mend) from None
    return Outline(
        id=told.text("id", _NAME),
        title=told.text("title", limits.MAX_TITLE_CHARACTERS),
        note=told.lines("note", limits.MAX_NOTE_CHARACTERS),
        dataset=told.text("dataset", _NAME),
        population=told.text("population", _TEXT),
        created=told.moment("created"),
        raised_from=told.text("raised_from", _NAME) if told.has("raised_from") else None,
        plan=plan,
        timezone=matching(members, "timezone", ZONE, "the name of a time zone"),
        anchor=anchor_of(members.fields("ledger_entry")),
        parameters_chosen=chosen_of(members),
        command=members.lines("command", limits.MAX_COMMAND_CHARACTERS),
        software=members.texts("software", _NAME),
        listings={
            entry.text("name", _NAME): Listing(
                entry.fields("listing").whole("threshold", _MOST_COUNT),
                entry.fields("listing").fraction("listed_at"),
            )
            for entry in members.listed("measures")
            if entry.has("listing")
        },
        files=_files(members, plan),
        five_numbers=five_numbers,
        ranges=ranges,
    )


def _plan(members: Fields) -> Plan:
    privacy = members.fields("privacy")
    unit = PrivacyUnit.parse(privacy.text("unit", _NAME))
    most = privacy.whole("max_trips", _MOST_COUNT) if privacy.has("max_trips") else None
    weights = {
        entry.text("name", _NAME): entry.whole("weight", limits.MAX_BUNDLE_WEIGHT)
        for entry in members.listed("measures")
    }
    if len(weights) < len(members.listed("measures")):
        raise wrong(members.place("measures"), "a list in which no measure stands twice")
    rungs = tuple(_rung(entry) for entry in privacy.listed("rungs"))
    if len(rungs) > limits.MAX_BUNDLE_RUNGS:
        raise wrong(privacy.place("rungs"), f"a list of at most {limits.MAX_BUNDLE_RUNGS} rungs")
    return Plan(
        ContributionBound(unit, most),
        weights,
        rungs,
        _choices(members),
        weight_of_five_numbers(members),
        share_of_ranges(members),
        ranged(members, tuple(weights)),
        exact_false_flows(members.text(FALSE_FLOWS, _NUMBER))
        if members.has(FALSE_FLOWS)
        else USUAL_FALSE_FLOWS,
    )


def _rung(entry: Fields) -> Fraction:
    """An epsilon that its decimal text names exactly, because columns are named by the text."""
    return exact_epsilon(entry.text("decimal", _NUMBER))


def _choices(members: Fields) -> KeyChoices:
    """The period, and what else was chosen; a manifest that says nothing of it means the usual keys."""
    days = members.fields("period") if members.has("period") else None
    period = None if days is None else Period(days.day("first"), days.day("last"))
    if not members.has("key_choices"):
        return KeyChoices(period)
    try:
        return replace(KeyChoices.of_terms(members.plain("key_choices")), period=period)
    except (TypeError, ValueError):
        raise wrong(members.place("key_choices"), "choices of keys that this program knows") from None


def anchor_of(entry: Fields) -> Anchor:
    """The anchor that a manifest names."""
    try:
        currency = PrivacyUnit(entry.text("currency", _NAME))
    except ValueError:
        raise wrong(entry.place("currency"), "user or trip") from None
    return Anchor(
        ledger=entry.text("ledger", _NAME),
        number=entry.whole("number", _MOST_COUNT),
        hash=entry.text("hash", _NAME),
        currency=currency,
        charged=entry.fraction("charged"),
        total=entry.fraction("total_budget"),
        part=entry.text("part", _NAME) if entry.has("part") else None,
    )


def chosen_of(members: Fields) -> Chosen:
    """When the parameters were chosen."""
    text = members.text("parameters_chosen", _NAME)
    if text not in get_args(Chosen):
        raise wrong(members.place("parameters_chosen"), " or ".join(get_args(Chosen)))
    return cast("Chosen", text)


def _files(members: Fields, plan: Plan) -> dict[str, str]:
    expected = listed_files(plan.weights, five_numbers=bool(plan.five_numbers))
    if set(members.names("files")) != set(expected):
        raise wrong(members.place("files"), f"the list {', '.join(expected)}")
    files = members.fields("files")
    return {name: matching(files.fields(name), "sha256", HASH, "a SHA-256") for name in expected}


def matching(members: Fields, name: str, pattern: re.Pattern[str], expected: str) -> str:
    """A text that a pattern allows; raises BundleError, saying what was expected."""
    text = members.text(name, _NAME)
    if not pattern.fullmatch(text):
        raise wrong(members.place(name), expected)
    return text
