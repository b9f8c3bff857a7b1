"""The manifest of a release: one JSON object with every fact that a reader needs to use it and to judge it.

It holds facts about the plan. Of the data it holds only what was drawn: no number of rows, no file name and no
fingerprint. Amounts are decimal texts and exact fractions; all numbers are whole. All kinds share the head and add members
of their own. A manifest is never trusted: ``reading`` writes it again from what it found, and compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from dpcore import limits
from dpcore.context import Context
from dpcore.errors import BundleError, InputError
from dpcore.exact_json import Part, at_most, matching
from dpcore.measures.trip_rule import TripRule
from dpcore.privacy import PrivacyUnit
from dpcore.release import statements
from dpcore.release.canonical import CHANGED, SEAL, epsilon_of, sealed, utc_text
from dpcore.release.fields import Count, Exact, Name, difference, lines, text, typed_part, wrong
from dpcore.release.kind import AnyKind, Object
from dpcore.release.kinds import kind_of
from dpcore.release.layout import (
    CONTEXT,
    CONTEXT_SINCE,
    DRAWS_SINCE,
    FOR_MAPS,
    FOR_MAPS_SINCE,
    MANIFEST,
    README,
    STATED_SINCE,
)
from dpcore.release.release import Anchor, AnyRelease, Chosen, IsAsked
from dpcore.release.texts import markdown
from dpcore.tiles import Tessellation
from dpcore.version import VERSION

_READ_VERSIONS: Final = (1, FOR_MAPS_SINCE, STATED_SINCE, CONTEXT_SINCE, DRAWS_SINCE)
STATEMENTS: Final = "statements"
"""The member that holds sentences; versions of this program may word them differently."""

_UNDER: Final = (
    f"`{CONTEXT}` holds water, parks, streets, railways and names around the tiles, so that a map is recognised. Nothing was "
    "counted on it."
)


@dataclass(frozen=True)
class _About(Part):
    id: Name
    title: Annotated[str, text(limits.MAX_TITLE_CHARACTERS)]
    note: Annotated[str, lines(limits.MAX_NOTE_CHARACTERS)]
    dataset: Name
    population: Annotated[str, text(limits.MAX_RELEASE_TEXT_CHARACTERS)]
    created: datetime
    publisher: Annotated[str, text(limits.MAX_TITLE_CHARACTERS)] = ""
    raised_from: Name | None = None


@dataclass(frozen=True)
class _Entry(Part):
    ledger: Name
    number: Count
    hash: Name
    currency: Literal["user", "trip"]
    charged: Exact
    total_budget: Exact
    part: Name | None = None
    charged_delta: Exact | None = None


@dataclass(frozen=True)
class _Head(Part):
    release: _About
    ledger_entry: _Entry
    timezone: Annotated[str, matching(r"[A-Za-z0-9_+\-/]{1,64}", "the name of a time zone")]
    parameters_chosen: Chosen
    command: Annotated[str, lines(limits.MAX_COMMAND_CHARACTERS)]
    software: Annotated[Mapping[Name, Name], at_most(1_000)]
    trip_rule: Name | None = None


def manifest_of(
    release: AnyRelease,
    tiles: Tessellation,
    rows: int,
    files: Mapping[str, str],
    version: int | None = None,
) -> Object:
    """The sealed manifest of a release. ``tiles`` are its tiles as drawn. ``rows`` is that of ``Kind.members``.

    ``files`` holds the SHA-256 of every other file by name, 64 hexadecimal digits each. ``version``: of the schema; None for the
    one in which such a release is written.
    """
    kind, bound, anchor = kind_of(release.plan), release.plan.bound, release.anchor
    rule = release.trip_rule
    least = max(kind.least_version(release), 0 if release.context is None else CONTEXT_SINCE)
    head: Object = {
        "format": kind.format,
        "schema_version": version or least,
        "release": {
            "id": release.id,
            "title": release.title,
            "note": release.note,
            "dataset": release.dataset,
            "population": release.population,
            **({"publisher": release.publisher} if release.publisher else {}),
            "created": utc_text(release.created),
        },
        "privacy": {
            "unit": bound.unit.value,
            "max_trips": bound.max_trips,
            "neighbouring_relation": statements.RELATION,
        },
        "ledger_entry": {
            "ledger": anchor.ledger,
            "number": anchor.number,
            "hash": anchor.hash,
            "currency": anchor.currency.value,
            "charged": epsilon_of(anchor.charged),
            "total_budget": epsilon_of(anchor.total),
            "part": anchor.part,
        },
        "parameters_chosen": release.parameters_chosen,
        "tiles": {"count": len(tiles.tile_ids), "digest": tiles.digest},
        "timezone": release.timezone,
        **({} if rule is None else {"trip_rule": rule.text}),
        **({} if release.context is None else {"context": _context(release.context)}),
        "software": dict(release.software),
        "command": release.command,
        STATEMENTS: kind.statements(release) | ({} if rule is None else {"trip_rule": rule.words}),
        "files": {name: {"sha256": digest} for name, digest in files.items()},
    }
    for name, member in kind.members(release, rows).items():
        known = head.get(name)  # an object of the head takes in what the kind adds to it
        head[name] = {**known, **member} if isinstance(known, dict) and isinstance(member, dict) else member
    return sealed(head)


def _context(context: Context) -> Object:
    """The member that says what lies under the map: whose it is, and how many shapes and names."""
    shapes = {kind: len(layer) for kind, layer in context.layers.items()}
    return {"attribution": context.attribution, "shapes": shapes, "names": len(context.places)}


def readme_of(release: AnyRelease) -> bytes:
    """The README of a bundle as Markdown, for a reader who has nothing but the files."""
    parts = [f"# {markdown(release.title or release.id)}", *kind_of(release.plan).readme(release)]
    if release.context is not None:
        parts += ["## What lies under the map", f"{_UNDER} {markdown(release.context.attribution)}".rstrip()]
    return ("\n\n".join(parts) + "\n").encode("utf-8")


def version_of(document: Mapping[str, object]) -> int:
    """The version of the schema of a manifest; raises BundleError for one that this program does not know."""
    version = document.get("schema_version")
    if type(version) is not int:
        raise wrong("schema_version", "a whole number")
    if version not in _READ_VERSIONS:
        raise BundleError(
            f"the bundle has schema version {version}",
            MANIFEST,
            f"This program reads versions up to {max(_READ_VERSIONS)}. Read it with the version that wrote it, or a newer one.",
        )
    return version


def files_of_version(version: int, kind: AnyKind, plan: IsAsked, members: Object) -> tuple[str, ...]:
    """The files that a bundle of this version has and one of an earlier version had not. ``Kind.files`` names all others."""
    maps = FOR_MAPS if version >= FOR_MAPS_SINCE else ()
    return (*maps, *(kind.stated_files(plan, members) if version >= STATED_SINCE else ()))


def head_of(members: Object) -> Mapping[str, Any]:
    """The fields of a ``Release`` that the head of a manifest holds; raises BundleError, naming the wrong members."""
    head = typed_part(_Head, members)
    entry, charged_delta = head.ledger_entry, head.ledger_entry.charged_delta
    try:
        rule = None if head.trip_rule is None else TripRule.of_text(head.trip_rule)
    except InputError:
        raise wrong("trip_rule", "a rule that cuts points into trips") from None
    return {
        **vars(head.release),
        "timezone": head.timezone,
        "trip_rule": rule,
        "anchor": Anchor(
            ledger=entry.ledger,
            number=entry.number,
            hash=entry.hash,
            currency=PrivacyUnit(entry.currency),
            charged=entry.charged.exact,
            total=entry.total_budget.exact,
            part=entry.part,
        ),
        "charged_delta": 0 if charged_delta is None else charged_delta.exact,
        "parameters_chosen": head.parameters_chosen,
        "command": head.command,
        "software": head.software,
    }


def must_agree(document: Mapping[str, object], expected: Mapping[str, object]) -> None:
    """Refuse a manifest that differs from the expected one in anything but the wording of its sentences.

    If this version wrote it, the number of sentences and the titles of measures must agree too. Another version may have
    written more or fewer sentences, and other titles.
    """
    software = document.get("software")
    ours = isinstance(software, dict) and is_ours(software)
    sentences = _shape(document.get(STATEMENTS), ours) == _shape(expected[STATEMENTS], ours)
    loose = {STATEMENTS, SEAL}
    found = {name: value for name, value in document.items() if name not in loose}
    wanted = {name: value for name, value in expected.items() if name not in loose}
    if not ours:
        found, wanted = _untitled(found), _untitled(wanted)
    place = difference(found, wanted, MANIFEST)
    if place is not None or not sentences:
        raise BundleError(
            "the manifest does not agree with the plan and the tables",
            place or f"{MANIFEST}, {STATEMENTS}",
            CHANGED,
        )


def is_ours(software: Mapping[str, str]) -> bool:
    """Whether a release says that this version of the program wrote it."""
    return software.get("epsilon-atlas") == VERSION


def must_be_the_readme(found: bytes, expected: bytes, software: Mapping[str, str]) -> None:
    """Refuse a README that this version wrote and that does not follow from the release.

    Another version worded its README differently, so that README is not compared; ``Verdict.words`` says so.
    """
    if is_ours(software) and found != expected:
        raise BundleError("the README does not agree with the release", README, CHANGED)


def _untitled(document: Mapping[str, object]) -> dict[str, object]:
    """A manifest without the titles of its measures."""
    measures = document.get("measures")
    if not isinstance(measures, list):
        return {**document}
    plain = [
        {name: value for name, value in one.items() if name != "title"} if isinstance(one, dict) else one
        for one in measures
    ]
    return {**document, "measures": plain}


def _shape(value: object, counted: bool) -> object:
    """The structure of sentences without their words; with ``counted``, also how many there are in a list.

    Without it, all lists of one sentence or more have the same shape. An empty list has another one.
    """
    if isinstance(value, dict):
        return {name: _shape(member, counted) for name, member in value.items()}
    if isinstance(value, list):
        kinds = [type(item) for item in value]
        return kinds if counted else bool(kinds) and {str, *kinds}
    return type(value)
