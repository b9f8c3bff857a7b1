"""The README of a synthetic bundle: for a stranger who has the files and nothing else."""

from __future__ import annotations

from dpcore.privacy import decimal_text
from dpcore.release.layout import MANIFEST, TILES, csv_name
from dpcore.release.manifest import utc_text
from dpcore.release.readme import software_words
from dpcore.release.statements import HALF_WIDTH, NEGATIVE
from dpcore.release.texts import fenced, markdown
from dpcore.synthesis.roy_choices import RoyChoices
from dpcore.synthesis.stability.plan import StabilityHistogram, StabilityPlan
from dpcore.synthesis.workload import NoisyTables
from dpcore.synthetic_release import statements
from dpcore.synthetic_release.layout import LEVELS, TRAJECTORIES, TREE, TRIPS, table_name
from dpcore.synthetic_release.release import SyntheticRelease
from dpcore.synthetic_release.tables import parts_of, schema_of, threshold_of, width_of
from dpcore.trajectory_tree.choices import Source, TreeChoices
from dpcore.trajectory_tree.noisy_tree import NoisyTree


def readme(release: SyntheticRelease) -> bytes:
    """The README as Markdown; free texts of the owner stand in it as text."""
    parts = [
        f"# {markdown(release.title or release.id)}",
        *_what(release),
        *_promise(release),
        *_files(release),
        "## How to read a number",
        HALF_WIDTH,
        *([] if isinstance(release.tables, StabilityHistogram) else [NEGATIVE]),
        *_using(release),
        *_making(release),
    ]
    return ("\n\n".join(parts) + "\n").encode("utf-8")


def _what(release: SyntheticRelease) -> list[str]:
    if isinstance(release.tables, NoisyTree):
        about = (
            "A tree of trajectories: how often each way begins so, with random noise that is larger where places are more "
            "delicate (personalised differential privacy), and synthetic trajectories that follow from it."
        )
    elif isinstance(release.tables, NoisyTables):
        about = "Synthetic trips, and the noisy tables from which they were drawn (differential privacy)."
    else:
        about = "Large counts of trips with random noise (differential privacy); small counts are left out."
    days = release.choices.period
    dates = (
        "all days together"
        if days is None
        else f"{days.first.isoformat()} to {days.last.isoformat()}, chosen by the owner; other days are left out"
    )
    facts = [
        f"- Release: {markdown(release.id)}, made {utc_text(release.created)}",
        f"- Data set: {markdown(release.dataset)}",
        f"- Who is in it, as its owner declares: {markdown(release.population) or 'not declared'}",
        f"- Days: {dates}",
        f"- Clock: hours and dates are local to {markdown(release.timezone)}",
        f"- Places: {len(release.tessellation.tile_ids):,} public tiles",
    ]
    if isinstance(release.choices, RoyChoices) and release.choices.extras:
        facts.append(f"- Attributes of riders, on public lists: {', '.join(release.choices.extras)}")
    note = []
    if release.note:
        quoted = "\n".join(f"> {markdown(line)}".rstrip() for line in release.note.split("\n"))
        note = ["Note of the owner:", quoted]
    said = f"{about} Everything in this folder is public and may be copied."
    return ["## What this is", said, "\n".join(facts), *note]


def _promise(release: SyntheticRelease) -> list[str]:
    exceptions = "\n".join(f"- {sentence}" for sentence in statements.not_protected(release))
    relations = "\n".join(f"- {sentence}" for sentence in statements.relations(release))
    return [
        "## What is promised",
        statements.protects(release),
        statements.promise(release),
        *([relations] if relations else []),
        "## What is not promised",
        exceptions,
        *(
            [statements.chosen(release)] if release.parameters_chosen != "after_preview" else []
        ),  # else said above
    ]


def _files(release: SyntheticRelease) -> list[str]:
    tables = release.tables
    trips = not isinstance(release.choices, TreeChoices) or release.choices.making.source is Source.TRIP
    rows = [
        "| file | holds |",
        "|---|---|",
        f"| {MANIFEST} | every fact of this release for programs, with the SHA-256 of all other files |",
        *([f"| {TRIPS} | the trips, in the form of a trips file |"] if trips else []),
        f"| {TILES} | the tiles: tile_id, tile_name, shape (WGS84) |",
    ]
    if isinstance(tables, NoisyTree):
        rows += [
            f"| {LEVELS} | the public privacy level of every place: tile_id, privacy |",
            (
                f"| {TREE} | {len(tables.tree) - 1:,} nodes: node, parent (0: all), symbol (a tile, $ ended here, + cut here), "
                "depth, level (highest on the path), rate (in 65536ths), value (noisy count), 95 % half width, estimate |"
            ),
            f"| {TRAJECTORIES} | the visits of the trajectories: trajectory, position, tile_id, ending |",
        ]
        return ["## Files", "\n".join(rows), statements.trips(release)]
    plan = tables.plan
    for name in parts_of(plan):
        keys = ", ".join(schema_of(plan, name).names[:-2])
        shown = f", shown from {threshold_of(plan, name)} on" if isinstance(plan, StabilityPlan) else ""
        rows.append(
            f"| {csv_name(table_name(name))}, .parquet | noisy trips by {keys}: 95 % half width {width_of(plan, name):,}{shown} |"
        )
    return ["## Files", "\n".join(rows), statements.trips(release)]


def _using(release: SyntheticRelease) -> list[str]:
    load = f"python -m dpcore exact visits_per_tile --trips {TRIPS} --tiles {TILES} --timezone {release.timezone}\n"
    trips = not isinstance(release.choices, TreeChoices) or release.choices.making.source is Source.TRIP
    return [
        "## How to use it",
        *(["The trips load like any trips:"] if trips else []),
        fenced(f"{load if trips else ''}python -m dpcore verify ."),
        (
            "verify finds every change of a file. Someone who rewrites all files consistently, the manifest included, is found "
            "only by comparing the SHA-256 of manifest.json with the digest that the owner's ledger holds for this release."
        ),
    ]


def _making(release: SyntheticRelease) -> list[str]:
    anchor = release.anchor
    part = f", part {markdown(anchor.part)}" if anchor.part is not None else ""
    delta = f" and delta {float(release.charged_delta):.3g}" if release.charged_delta else ""
    return [
        "## How it was made",
        statements.mechanism(release),
        (
            f"The ledger entry {anchor.number:,} of the account {markdown(release.dataset)}{part} was charged epsilon "
            f"{decimal_text(anchor.charged)}{delta} of epsilon {decimal_text(anchor.total)} in all (counted by "
            f"{anchor.currency.value})."
        ),
        (
            "The command that repeats the computation, with fresh noise and at its price; TRIPS and TILES stand for the "
            "files of the owner:"
        ),
        fenced(release.command or "not recorded"),
        software_words(release.software),
    ]
