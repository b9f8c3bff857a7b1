"""One part of a release whose tables are split, as a release of that part alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dpcore.measures.split import part_number
from dpcore.release.release import Release, Tables


def part_of(release: Release, part: Mapping[str, str]) -> Release:
    """The tables of one combination of categories, such as ``{"mode": "bus"}``, in the shape of tables that are not split.

    Nothing is drawn: the values are those of the release, with the same noise. Tables of people are left out. Whatever reads a
    release reads its part. Raises InputError if the release has no such part.
    """
    plan = release.plan
    number = part_number(plan.choices.splits, part)
    if not plan.choices.splits:
        return release
    own = plan.of_parts
    measurements = {
        name: release.measurements[name].part(own.measure(name).keys(release.tessellation.tile_ids), number)
        for name in own.weights
    }
    return replace(release, plan=own, drawn=Tables(measurements))
