"""The README of a bundle of tables."""

from __future__ import annotations

import numpy as np

from dpcore.estimates import Estimated, Estimates, words
from dpcore.estimates.draws import DRAWS
from dpcore.measures.keys import OUTSIDE
from dpcore.measures.measurement import Measurement
from dpcore.privacy import Promise, decimal_text
from dpcore.release import layout, readme, statements
from dpcore.release.estimates import FLOWS
from dpcore.release.release import Release
from dpcore.release.tables import disclosed_at, key_columns
from dpcore.release.texts import fenced, markdown

_EXAMPLE = 1_240
_ADDED = 3  # rows that are added up in an example
_NUMBERS_OF_TRIPS = ("total_trips", "incomplete_trips")  # too large for the example


def blocks(release: Release) -> list[str]:
    """The README without its heading."""
    return [
        *_contents_lines(release),
        *_promise(release),
        *_reading(release),
        *_estimates(release),
        *_adding_up(release),
        *_files(release),
        *_verifying(),
        *_opening(release),
        *readme.making(release, statements.mechanism(release)),
    ]


def _contents_lines(release: Release) -> list[str]:
    about = (
        f"Counts of trips on {len(release.tessellation.tile_ids):,} public tiles, with random noise added to every "
        "single value (differential privacy). The next two sections say what the noise hides and what it does not hide. "
        "Everything in this folder is public and may be copied."
    )
    days = release.plan.choices.period
    period = (
        "no series over dates"
        if days is None
        else f"the series over dates covers {days.first.isoformat()} to {days.last.isoformat()}, chosen by the owner; the "
        "other tables count the trips of all days"
    )
    facts = readme.facts(release, period)
    facts += [f"- {sentence}" for sentence in statements.own_keys(release)]
    facts += [
        f"- Tables of trips are split by {one.name}: {', '.join(markdown(label) for label in one.labels)}. What is not on the list is "
        "other, what is empty is missing. Tables of people are not split."
        for one in release.plan.choices.splits
    ]
    if release.raised_from is not None:
        facts.append(f"- Adds finer values to the release {markdown(release.raised_from)}")
    return ["## What this is", about, "\n".join(facts), *readme.note(release)]


def _promise(release: Release) -> list[str]:
    plan = release.plan
    exceptions = "\n".join(f"- {sentence}" for sentence in statements.not_protected(release))
    return [
        "## What is promised",
        statements.protects(plan.bound),
        statements.promise(Promise.of(plan.bound, plan.epsilon)),
        "## What is not promised",
        exceptions,
        # after a preview, the list above says it already
        *(() if release.parameters_chosen == "after_preview" else (statements.chosen_for(release),)),
    ]


def _reading(release: Release) -> list[str]:
    finest = _exemplary(release)
    width = finest.half_widths[-1]
    lower = [decimal_text(rung) for rung in reversed(release.plan.rungs[:-1])]
    rungs = (
        f"The tables also hold the same counts with more noise, for the smaller epsilons {', '.join(lower)}: "
        "columns value_at_E and half_width_95_at_E. These columns reveal nothing more. They do not protect better either: all "
        f"of them lie in this folder, so the promise is that of epsilon {decimal_text(release.plan.epsilon)}. Use the column "
        f"value.{_bins_at_every_rung(release)}"
        if lower
        else ""
    )
    title = markdown(release.plan.measure(finest.measure).title)
    absent = [
        f"{markdown(release.plan.measure(one.measure).title)}: {statements.absent(one)}"
        for one in release.measurements.values()
        if one.cells is not None
    ]
    return [
        "## How to read a number",
        (
            f"For example, read a value of {_EXAMPLE:,} with a half width of {width:,}, as in the table {title}, as: about "
            f"{_EXAMPLE:,} ({_amount(_EXAMPLE - width)} to {_EXAMPLE + width:,}), of the trips that count."
        ),
        statements.HALF_WIDTH,
        *([rungs] if rungs else []),
        *_sums(release),
        "### Negative values",
        statements.NEGATIVE,
        *(["### Keys that are not listed", *absent] if absent else []),
    ]


def _sums(release: Release) -> list[str]:
    """How sums and means stand in the files."""
    held = [one for one in release.plan.choices.sums if {*one.names} & {*release.measurements}]
    if not held:
        return []
    told = "; ".join(
        f"{one.name}: {one.text.partition('=')[2].replace(':', ' to ', 1).replace(':', ' in units of ')}"
        for one in held
    )
    return [
        "### Sums and means",
        (
            f"Values were set to public bounds and added up in whole units ({markdown(told)}). A table sum_NAME holds these units. A table "
            "mean_NAME holds three parts: above, what the values are above the lower bound; below, what they are below the upper bound; missing, the "
            "whole range for each value that is missing. The mean is the lower bound plus above / (above + below) of the range, and (above + below) / range "
            f"is the number of values. Its 95 % range is that of a ratio: python -m dpcore table . {held[0].names[1]} prints it, if that table is here."
        ),
    ]


def _exemplary(release: Release) -> Measurement:
    """The table of the example: visits, or the first that does not count how many trips there are in all."""
    held = release.measurements
    cells = [name for name in held if name not in _NUMBERS_OF_TRIPS]
    return held[layout.MAPPED if layout.MAPPED in held else [*cells, *held][0]]


def _estimates(release: Release) -> list[str]:
    """Released count, share that counts and estimate, each told apart."""
    if release.drawn.stated is not None and not release.drawn.stated.computed:
        return ["## Estimates", words.NOT_COMPUTED]
    if release.drawn.stated is None or not release.drawn.stated.estimates.tables:
        return []
    estimates = release.drawn.stated.estimates
    return [
        "## How to read an estimate",
        (
            "A released value with its half width is the fact of this release. It speaks of the trips that count, and its interval of the "
            "noise alone. The files in the folder estimates say what the tables tell together: the columns counted, counted_low "
            "and counted_high of the trips that count"
            + (
                "; the columns all, all_low and all_high of all trips."
                if estimates.share is not None
                else ", at the highest epsilon."
            )
        ),
        *_example(release, estimates),
        "\n".join(f"- {sentence}" for sentence in statements.on_estimates(release, estimates)),
        "Estimates for a smaller epsilon are computed when they are asked for:",
        fenced(
            f"python -m dpcore table . {layout.MAPPED if layout.MAPPED in estimates.tables else next(iter(estimates.tables))} "
            f"--estimate {'counted' if estimates.share is None else 'all'}"
        ),
    ]


def _example(release: Release, estimates: Estimates) -> list[str]:
    """One tile in all three ways: what was released, what counts, and all trips."""
    if layout.MAPPED not in estimates.tables:
        return []
    table, drawn = estimates.tables[layout.MAPPED], release.measurements[layout.MAPPED]
    # the largest estimate, not the largest value: that one is lifted by noise more often than lowered
    row = int(np.argmax(table.counted.values))
    at = int(np.searchsorted(drawn.cell_numbers, table.cell_numbers[row]))
    if at == len(drawn.cell_numbers) or drawn.cell_numbers[at] != table.cell_numbers[row]:
        return []
    (tile,) = table.keys.labels(table.cell_numbers[row : row + 1])["tile_id"]
    value, width = int(drawn.values[-1][at]), drawn.half_widths[-1]
    rows = [
        f"| released, of the trips that count | {_amount(value)} | {_amount(value - width)} to {_amount(value + width)} (noise alone) |"
    ]
    for whose, numbers in (("the trips that count", table.counted), ("all trips", table.all_trips)):
        if numbers is not None:
            shown = words.rounded(*numbers.cell(row))
            rows.append(
                f"| estimate, of {whose} | about {shown[0]} | {shown[1]} to {shown[2]} ({words.LIKELY}) |"
            )
    return [
        f"For example {drawn.counts} of the tile {markdown(tile)}:",
        "\n".join(["| what | number | range |", "|---|---|---|", *rows]),
    ]


def _adding_up(release: Release) -> list[str]:
    """How a sum and its range follow from the draws, in three lines of pandas."""
    stated = release.drawn.stated
    if stated is None or stated.draws is None or stated.draws.why_none:
        return []
    name = next(iter(stated.draws.tables))
    table = stated.estimates.tables[name]
    columns = [column for axis in table.keys.axes for column in key_columns(axis)]
    keys = [
        key for key in zip(*table.keys.labels(table.cell_numbers).values(), strict=True) if OUTSIDE not in key
    ]
    rows = [
        key[0] if len(key) == 1 else key for key in keys[:_ADDED]
    ]  # the first ones: public, whatever was counted
    whose = "the trips that count" if stated.estimates.share is None else "all trips"
    return [
        "## How to add up",
        (
            "Do not add ends of ranges: errors of different rows partly cancel, and the error of what all have in common does not. Add up "
            "each draw instead, and take the middle 95 of the 100 sums."
        ),
        f"Draws are of {whose}. For example {len(rows)} rows of {markdown(release.plan.measure(name).title)}: the range of their sum, and its middle.",
        fenced(
            "import pandas as pd\n"
            f"draws = pd.read_parquet({layout.draws_parquet_name(name)!r}).set_index({columns[0] if len(columns) == 1 else columns!r})\n"
            f"print(draws.loc[{rows!r}].sum().quantile([0.025, 0.5, 0.975]))"
        ),
    ]


def _amount(number: int) -> str:
    """A number with a minus sign instead of a hyphen."""
    return f"{number:,}".replace("-", "\N{MINUS SIGN}")


def _bins_at_every_rung(release: Release) -> str:
    """What a column of a smaller epsilon reveals together with bins that were bought."""
    if release.ranges is None:
        return ""
    coarsest = release.plan.rungs[0]
    return (
        f" The bins of these columns were bought with epsilon {decimal_text(release.ranges.epsilon)}. So the columns of epsilon "
        f"{decimal_text(coarsest)} alone reveal as much as epsilon {decimal_text(disclosed_at(release, 0))}."
    )


def _files(release: Release) -> list[str]:
    rows = [
        "| file | holds |",
        "|---|---|",
        f"| {layout.MANIFEST} | every fact of this release for programs, with the SHA-256 of all other files |",
        f"| {layout.REGISTRY} | a draft record for the OpenDP deployments registry |",
        *readme.tile_files(_map_columns(release)),
    ]
    if layout.MAPPED in release.measurements:
        rows.append(
            f"| {layout.MAP} | the tiles with their visits{_of_all_parts(release)}: value, half_width_95{_estimate_columns(release)} |"
        )
    rows += [
        f"| {layout.csv_name(name)}, .parquet | {markdown(release.plan.measure(name).title)}: one row for each "
        f"{', '.join(measurement.keys.columns)}; counts {measurement.counts}; 95 % half width "
        f"{measurement.half_widths[-1]:,}, epsilon {decimal_text(measurement.epsilon(-1))} of "
        f"{decimal_text(release.plan.epsilon)} |"
        for name, measurement in release.measurements.items()
    ]
    stated = release.drawn.stated
    if stated is not None:
        rows += [
            f"| {layout.estimate_csv_name(name)}, .parquet | estimates: {markdown(release.plan.measure(name).title)}, one row for each "
            f"{', '.join(found.keys.columns)}{_flows_left_out(found)} |"
            for name, found in stated.estimates.tables.items()
        ]
        rows += [
            f"| {layout.draws_csv_name(name)}, .parquet | draws of these estimates: draw_000 to draw_{DRAWS - 1:03}, a column each |"
            for name in (stated.draws.tables if stated.draws is not None else ())
        ]
    if release.five_numbers is not None:
        rows.append(
            f"| {layout.csv_name(layout.FIVE_NUMBERS)}, .parquet | five-number summaries of the histograms: one row for each "
            "measure, statistic (p5 to p95); the true number lies between low_95 and high_95 in at least 95 of 100 cases (inf: that "
            "side is open); half_width_95 is the wider side; each number was bought with epsilon "
            f"{decimal_text(release.five_numbers.epsilon_of_one)} |"
        )
    return [
        "## Files",
        "\n".join(rows),
        (
            "The keys outside, before and after stand for everything beyond the tiles and the period. In CSV files, a text that a "
            "spreadsheet would run as a formula begins with an apostrophe. Parquet files hold it unchanged."
        ),
    ]


def _flows_left_out(found: Estimated) -> str:
    """What a list of flows leaves out."""
    return "; pairs below one half are not listed" if found.measure == FLOWS else ""


def _map_columns(release: Release) -> str:
    """Columns of the files for maps besides those of the tiles."""
    if layout.MAPPED not in release.measurements:
        return ""
    return f" {layout.MAPPED}, half_width_95{_estimate_columns(release)},"


def _of_all_parts(release: Release) -> str:
    return ", all parts together" if release.plan.choices.splits else ""


def _estimate_columns(release: Release) -> str:
    """The columns of files for maps that hold the estimate of each tile."""
    column = _estimate_column(release)
    return column and f", {column} with its {words.LIKELY} low to high"


def _estimate_column(release: Release) -> str:
    stated = release.drawn.stated
    if stated is None or not stated.computed or release.plan.choices.splits:
        return ""
    return "estimate_counted" if stated.estimates.share is None else "estimate_all"


def _verifying() -> list[str]:
    return [
        "## How to check that nothing was changed",
        fenced("python -m dpcore verify ."),
        (
            "The package dpcore is part of the project Epsilon Atlas. The command finds every change of a file, unless somebody "
            "rewrote all files consistently, the manifest included. To rule that out, compare the SHA-256 of manifest.json with the "
            "digest that the owner's ledger holds for this release. Ask the owner for it, or add --ledger FILE if you have the ledger."
        ),
    ]


def _opening(release: Release) -> list[str]:
    first = next(iter(release.measurements))
    mapped = layout.MAP if layout.MAPPED in release.measurements else layout.TILES
    arcs = (
        layout.csv_name("od_flows")
        if "od_flows" in release.measurements and not release.plan.choices.splits
        else layout.csv_name(first)
    )
    draws = (
        "2. Add a layer of the type Arc: origin_lng, origin_lat to destination_lng, destination_lat."
        if "od_flows" in release.measurements and not release.plan.choices.splits
        else f"2. Drop {mapped} too: kepler.gl draws its tiles."
    )
    shown = _estimate_column(release)
    styled = (
        f"2. Layer properties, Symbology, Graduated, value: {shown or layout.MAPPED}."
        if layout.MAPPED in release.measurements
        else f"2. Drag {layout.csv_name(first)} there too and join it by tile_id where it has one."
    )
    labelled = (
        "3. Show low and high as labels: a difference in colour within them means nothing."
        if shown and layout.MAPPED in release.measurements
        else "3. Show half_width_95 as a label: a difference in colour that is smaller than this means nothing."
    )
    return [
        "## How to open it",
        (f"QGIS:\n\n1. Drag {layout.TILES_GPKG} into the window.\n{styled}\n{labelled}"),
        (
            f"kepler.gl:\n\n1. Drop {arcs} onto the page.\n{draws}\n3. Set width or colour by value, and filter value to "
            "the larger counts: one just above half_width_95 may still be noise alone."
        ),
        "pandas:\n\n"
        + fenced(
            "import pandas as pd\n"
            f'table = pd.read_parquet("{layout.parquet_name(first)}")\n'
            'table["low"] = table["value"] - table["half_width_95"]'
        ),
        "geopandas:\n\n"
        + fenced(f'import geopandas as gpd\ntiles = gpd.read_parquet("{layout.TILES_PARQUET}")'),
    ]
