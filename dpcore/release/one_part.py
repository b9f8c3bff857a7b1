"""One part of a release whose tables are split, as a release of that part alone, and the parts of one of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from dpcore.errors import InputError
from dpcore.measures.keys import KeySet
from dpcore.measures.measurement import Measurement
from dpcore.measures.split import part_number
from dpcore.release.release import Release


def part_of(release: Release, part: Mapping[str, str]) -> Release:
    """The tables of one combination of categories, such as ``{"mode": "bus"}``, in the shape of tables that are not split.

    Nothing is drawn: the values are those of the release, with the same noise and the same promise. Tables of people are in every
    part as they are. Whatever reads a release reads its part. Raises InputError if the release has no such part.
    """
    plan = release.plan
    number = part_number(plan.choices.splits, part)
    if not plan.choices.splits:
        return release
    unsplit = plan.unsplit
    tile_ids = release.tessellation.tile_ids
    measurements = {
        name: one.part(unsplit.measure(name).keys(tile_ids), number) if plan.measure(name).splits else one
        for name, one in release.measurements.items()
    }
    drawn = replace(release.drawn, measurements=measurements, stated=None)
    named = ", ".join(f"{name} {label}" for name, label in part.items())
    return replace(release, title=f"{release.title}: {named}", plan=unsplit, drawn=drawn, part=dict(part))


def must_be_whole(release: Release) -> Release:
    """The release, if its tables are not split; raises InputError, which names the categories."""
    splits = release.plan.choices.splits
    if splits:
        listed = "; ".join(f"{one.name}: {', '.join(one.labels[:10])}" for one in splits)
        raise InputError(
            "the tables of this release are split, and this shows one part of them",
            release.id,
            f"Choose one (on the command line --category NAME=CATEGORY, in the library dpcore.part_release). There are {listed}.",
        )
    return release


def split_tables(release: Release) -> tuple[str, ...]:
    """The tables of a release that are split, in its order."""
    return tuple(name for name in release.measurements if release.plan.measure(name).splits)


def part_keys(release: Release, measure: str) -> KeySet:
    """The keys of one part of a table."""
    return release.plan.unsplit.measure(measure).keys(release.tessellation.tile_ids)


def tables_of(release: Release, measure: str, parts: Iterable[int]) -> dict[int, Measurement]:
    """A table of each of some parts, by their numbers."""
    found, keys = release.measurements[measure], part_keys(release, measure)
    return {at: found.part(keys, at) for at in parts}
