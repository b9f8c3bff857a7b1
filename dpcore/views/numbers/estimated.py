"""What pages and reports show of the estimates of a release: beside each released count, never instead of it.

Three things stand together wherever a reader could take a number for all trips: the released count with its noise, the
share of trips that counted, and the estimate with its likely range. Everything here is made from public values.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd

from dpcore.estimates import (
    Estimated,
    Estimates,
    Known,
    Ranged,
    Regions,
    known_tiles,
    known_words,
    of_tiles,
    reach,
    regions,
    why_as_drawn,
)
from dpcore.estimates.known import are_known
from dpcore.estimates.words import LIKELY_MEANS, assumption, most_words, share_range, share_words
from dpcore.measures.choices import USUAL_MOST_TRIPS
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.noise.expected_estimates import CERTAIN
from dpcore.privacy import PrivacyUnit
from dpcore.release.estimates import are_computed, estimates_to_show
from dpcore.release.release import Release
from dpcore.tiles import Tessellation
from dpcore.views.ground import reading
from dpcore.views.ground.plain import cell, number, percent, plus_minus
from dpcore.views.ground.reading import breaks_of_counts
from dpcore.views.ground.shown import ALL, COUNTED, ranged, spoken_of
from dpcore.views.numbers.sentences import Card, release_cards

TILES_KNOWN: Final = "Known tiles"
KNOWN_MEANS: Final = (
    f"A tile is known if its likely range reaches at most {percent(CERTAIN)} of the estimate to either side. Of 100 visits: the tiles "
    "weighted by their estimates. Nearly empty or hidden by noise: the range holds 0."
)
"""How much of a map is known, the same on every page."""
_ON_TILES: Final = frozenset({"visits_per_tile", "visits_per_time_tile"})
KNOWN_COUNTS: Final = f"estimates known within {percent(CERTAIN)}"
"""A column of the table of accuracy."""
_NOT_ALL: Final = "Of the trips that count, not of all."


def about_of(estimates: Estimates) -> str:
    """Which trips the estimates of a release are about."""
    return COUNTED if estimates.share is None else ALL


def about_counts(plan: Plan) -> str:
    """Which trips the released counts of a plan hold."""
    return ALL if plan.bound.max_trips is None else COUNTED


def switch_words(estimates: Estimates) -> tuple[str, str]:
    """What stands on the two sides of the switch."""
    return f"Estimate for {about_of(estimates)}", "Released counts"


def doubtful(estimates: Estimates) -> bool:
    """Whether the assumption must be read first, and marked."""
    return estimates.share is not None and estimates.share.doubtful


def share_text(estimates: Estimates) -> str:
    """The share of trips that count, as a sentence; where it is not known, why."""
    return estimates.why_not_all if estimates.share is None else share_words(estimates.share)


def about_released(release: Release, estimates: Estimates) -> str:
    """Which trips released counts hold, and which share of all these are."""
    most = release.plan.bound.max_trips
    if most is None:
        said = "Released counts hold all trips."
        return said if are_computed(estimates) else f"{said} {share_text(estimates)}"
    return f"These are {COUNTED}: at most {most:,} of each person. {share_text(estimates)}"


def about_estimates(plan: Plan, estimates: Estimates) -> str:
    """Share and assumption in reading order, and what all trips are; first of all, if nothing is estimated, why."""
    if not are_computed(estimates):
        return estimates.why_not_all
    if estimates.tables and {*estimates.tables} == {*estimates.as_drawn}:
        return why_as_drawn(plan, estimates.as_drawn[0])
    if estimates.share is None:
        return f"{estimates.why_not_all} The estimate is for the trips that count."
    said = list(assumption(estimates.share))
    if estimates.share.low < 1:
        said.append(most_words(plan.choices.most_trips or USUAL_MOST_TRIPS))
    return " ".join(said)


def estimate_breaks(release: Release, measure: str) -> tuple[int, ...]:
    """Colour breaks for the estimates of a measure over tiles, made of those at the finest rung: public and the same at all.

    None without estimates.
    """
    finest = estimates_to_show(release, of=(measure,)).tables.get(measure)
    if finest is None:
        return ()
    values = ranged(finest).values.reshape(-1, len(finest.keys.axes[-1].labels))
    return breaks_of_counts(np.rint(values[:, :-1]).astype(np.int64).ravel())  # the last column lies outside


def regions_at(tiles: Tessellation, visits: Measurement, rung: int, merged: int) -> Regions | None:
    """Tiles merged until the noise of each region is at most ``merged`` percent, with noisy sums; None without merging."""
    return regions(tiles, visits, rung, merged / 100) if merged else None


def share_card(release: Release, estimates: Estimates) -> Card:
    """Which share of all trips the released counts hold."""
    share = estimates.share
    value, note = "unknown", estimates.why_not_all
    if share is not None:
        value = "all" if share.low == 1 else f"about {percent(share.value, 0 if share.value >= 0.1 else 1)}"
        note = "" if share.low == 1 else f"Likely range {share_range(share)}."
    most = release.plan.choices.most_trips or USUAL_MOST_TRIPS
    means = "Released counts hold these trips alone."
    if share is not None and share.low < 1:
        means = f"{means} {most_words(most)}"
    return Card("Trips that count", value, note, means)


def known_of(estimates: Estimates) -> Known | None:
    """How much is known of the tiles at a stop; None without visits per tile."""
    table = estimates.tables.get("visits_per_tile")
    return None if table is None else known_tiles(of_tiles(table, ranged(table)))


def known_card(drawn: Measurement | None, estimates: Estimates) -> Card | None:
    """How many tiles are known by their estimates; None where visits per tile are not estimated.

    ``drawn``: the drawn visits per tile, to say how wide their noise is; None where another card says it.
    """
    found = known_of(estimates)
    if found is None:
        return None
    whose = spoken_of(estimates.tables["visits_per_tile"])
    return Card(
        TILES_KNOWN,
        f"{found.known:,} of {found.tiles:,}",
        known_words(found) if drawn is None else f"{known_words(found)} {noise_words(drawn, estimates.rung)}",
        f"Estimates of {whose}. {KNOWN_MEANS} {LIKELY_MEANS}",
    )


def noise_words(drawn: Measurement, rung: int) -> str:
    """The noise of one released count, and whose trips it counts, as a sentence."""
    wide = drawn.half_widths[rung]
    if drawn.bound.unit is not PrivacyUnit.USER:
        return f"Noise of a released count: {plus_minus(wide, drawn.counts)}."
    counts = "" if drawn.counts == "trips" else drawn.counts
    return f"Noise of a released count: {plus_minus(wide, counts)} of {COUNTED}."


def flows_card(release: Release, estimates: Estimates) -> Card | None:
    """How many flows between districts are known well; None without districts."""
    table = estimates.tables.get("od_districts")
    if table is None:
        return None
    known, drawn = int(are_known(ranged(table)).sum()), release.measurements["od_districts"]
    return Card(
        "Flows between districts",
        f"{known:,} of {table.keys.size:,}",
        f"have a likely range within ± {percent(CERTAIN)}; outside counts as a district. {noise_words(drawn, estimates.rung)}",
        f"Pairs of districts whose likely range, of {spoken_of(table)}, reaches at most a quarter of the estimate to either side.",
    )


def estimate_cards(release: Release, estimates: Estimates) -> tuple[Card, ...]:
    """The cards beside the map of estimates."""
    visits = release.measurements.get("visits_per_tile")
    known = None if visits is None else known_card(visits, estimates)
    cards = (share_card(release, estimates), known, flows_card(release, estimates))
    return tuple(card for card in cards if card is not None)


def released_cards(release: Release, estimates: Estimates) -> tuple[Card, ...]:
    """The cards beside the map of released counts: the share of trips that they hold stands first.

    How much is known is said of the estimates here too, because no page says two numbers of it.
    """
    known = known_card(None, estimates)
    cards = release_cards(release, estimates.rung, known=known is not None)
    if release.plan.bound.unit is PrivacyUnit.USER:
        cards = tuple(replace(card, note=f"{card.note} {_NOT_ALL}") for card in cards)
    share = [share_card(release, estimates)] if are_computed(estimates) else []
    return (*share, *([] if known is None else [known]), *cards)


def rank_said(shown: Ranged, cell: int, among: str) -> str:
    """The rank of a cell among all that are shown, and the ranks that their ranges leave open.

    ``among``: what is ranked, and by what.
    """
    rank = 1 + int((shown.values > shown.values[cell]).sum())
    best = 1 + int((shown.low > shown.high[cell]).sum())
    worst = len(shown.values) - int((shown.high < shown.low[cell]).sum())
    told = f"Rank {rank:,} of {len(shown.values):,} {among}"
    return f"{told}; the ranges leave open {best:,} to {worst:,}." if best < worst else f"{told}."


def rank_words(release: Release, estimates: Estimates, tile: int) -> str:
    """The rank of a tile by its estimate, and the ranks that the likely ranges leave open."""
    table = estimates.tables["visits_per_tile"]
    shown = ranged(table).at(slice(len(release.tessellation.tile_ids)))
    return rank_said(shown, tile, f"tiles by the estimate of {spoken_of(table)}")


def visits_table(
    release: Release, estimates: Estimates, measure: str = "visits_per_tile", cells: slice = slice(None)
) -> pd.DataFrame:
    """Every tile with its estimate and its released count, the largest first; the last row is what lies outside.

    ``cells``: those of one time window, where the measure has several.
    """
    table, drawn = estimates.tables.get(measure), release.measurements[measure]
    wide, values = drawn.half_widths[estimates.rung], drawn.values[estimates.rung][cells]
    guess, by = {}, values.astype(np.float64)
    if table is not None:
        shown = ranged(table).at(cells)
        heads, by = (f"estimate, {spoken_of(table)}", "likely from", "likely to"), shown.values
        guess = {head: np.rint(one).astype(np.int64) for head, one in zip(heads, shown.columns, strict=True)}
    found = pd.DataFrame(
        {
            "tile": [*drawn.keys.axes[-1].labels],
            "name": [*(cell(name) for name in release.tessellation.called), ""],
            **guess,
            "released count": values,
            "noise from": values - wide,
            "noise to": values + wide,
        }
    )
    order = np.argsort(-by[:-1], kind="stable")
    return found.iloc[[*order, len(found) - 1]].reset_index(drop=True)


def accuracy_table(release: Release, estimates: Estimates) -> dict[str, list[str]]:
    """The noise of each measure and what can be read of it, and how many of its estimates are known; as columns."""
    columns = reading.accuracy_table(release, estimates.rung)
    if not are_computed(estimates):
        return columns
    known = [_known_cells(estimates.tables.get(name)) for name in release.measurements]
    first, *others = columns.items()
    return dict([first, (KNOWN_COUNTS, known), *others])


def _known_cells(table: Estimated | None) -> str:
    """How many estimates of a table are known, such as ``31 of 208``; empty where none has a range. Outside is no tile."""
    if table is None:
        return ""
    shown = ranged(table)
    known = are_known(of_tiles(table, shown) if table.measure in _ON_TILES else shown)
    return f"{int(known.sum()):,} of {len(known):,}" if np.isfinite(shown.high).any() else ""


def note_of_map(
    drawn: Measurement, estimates: Estimates, what: str = "released counts", merged: Regions | None = None
) -> str:
    """What stands above a map of tiles in one line: how sure the estimates are, and the noise of the drawn values.

    ``what``: what the drawn values are called; ``merged``: the regions that the map shows in place of tiles.
    """
    noise = f"{what}: noise ±{number(drawn.half_widths[estimates.rung])} {drawn.counts} (95 %)"
    if merged is not None:
        usual = _usual_of_regions(estimates, merged)
        return (
            f"half of the regions have a likely range within ±{percent(usual)}; {noise}" if usual else noise
        )
    table = estimates.tables[drawn.measure]
    found, what_known = (
        known_tiles(of_tiles(table, ranged(table))),
        "counts" if drawn.keys.shape[:-1] else "tiles",
    )
    return f"{found.known:,} of {found.tiles:,} {what_known} are known within {percent(CERTAIN)}; {noise}"


def _usual_of_regions(estimates: Estimates, merged: Regions) -> float:
    """How far the likely range of a readable region reaches: half of them reach no farther. 0 where none is readable."""
    shown = merged.counted if estimates.share is None else merged.of_all(estimates.share)
    wide = reach(shown)[merged.readable]
    return float(np.median(wide)) if len(wide) else 0.0


def sure_of_regions(estimates: Estimates, merged: Regions | None, noise: int) -> str:
    """How sure regions are beyond their noise of ``noise`` percent, as sentences; empty where noise says it all."""
    share = estimates.share
    if merged is None or share is None or share.low == 1:
        return ""
    usual = _usual_of_regions(estimates, merged)
    if 100 * usual <= noise:
        return ""
    return (
        f"Noise of {COUNTED}: at most ± {noise} %. For {ALL} typically ± {percent(usual)}, because the share that counts is "
        f"{share_range(share)}."
    )
