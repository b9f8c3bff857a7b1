"""The noise that a plan will have, before anything is spent, and known releases beside it.

All of it follows from public facts alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd

from dpcore.comparison.known_releases import Compared
from dpcore.measures.attribute import Categories
from dpcore.measures.plan import Plan
from dpcore.measures.split import parts_of
from dpcore.measures.sums import Sum, sum_named
from dpcore.noise.expected_estimates import CERTAIN
from dpcore.noise.forecast import Facts, MeasureForecast, forecast
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.plain import percent, plus_minus, rough
from dpcore.views.ground.style import GREY, NOISY

_BEYOND: Final = 10  # noise of more than ten times the average is told as such

ASSUMPTION: Final = (
    "Expected if visits are spread as in a typical city: half of the tiles get less than four tenths of the average, and "
    "one in ten gets more than twice the average. Flows are spread more unevenly. On a fine grid over few stations most "
    "tiles get no visits, so fewer can be read than this says. Nothing here is computed from the trips."
)


OF_A_MEAN: Final = " / count"
MEANS: Final = (
    "Noise and sensitivity of sums and means are in the unit of the number. The noise of a mean is about so much divided by how many values "
    "its cell has: ± 500 minutes / count is ± 5 minutes where there are 100 values. In the middle between the bounds it is less."
)


def table(forecasts: Sequence[MeasureForecast], sums: Sequence[Sum] = ()) -> dict[str, list[str]]:
    """Columns of text, one row for each measure; those of ``sums`` in the unit of what is added up."""
    rows = [
        (
            one.title,
            f"{float(one.epsilon):.3g}",
            *_change_and_noise(one, sum_named(one.measure, sums)),
            f"{one.cells:,}",
            "unknown" if one.average is None else f"about {rough(one.average)}",
            _relative(one.relative),
        )
        for one in forecasts
    ]
    names = (
        "picture",
        "ε of its own",
        "sensitivity",
        "noise of one count (95 %)",
        "counts",
        "average count",
        "noise of an average count",
    )
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def _change_and_noise(one: MeasureForecast, added: Sum | None) -> tuple[str, str]:
    """Sensitivity and noise of one cell: counts, or the unit of what is added up."""
    if added is None:
        return f"{one.sensitivity:,}", plus_minus(one.half_width, one.counts)
    noise = f"± {added.said(one.half_width)}"
    return added.said(one.sensitivity), f"{noise}{OF_A_MEAN}" if one.measure == added.names[1] else noise


def split_words(plan: Plan, splits: Sequence[Categories], facts: Facts) -> str:
    """What a split costs in accuracy, and which tables of a plan stay readable: where noise is at most a quarter of an average count.

    Raises InputError if the tables cannot be split so.
    """
    by = tuple(splits)
    parts = len(parts_of(by))
    plain = replace(plan, five_numbers=0).unsplit
    split = replace(plain, choices=replace(plain.choices, splits=by))
    before, after = (forecast(one, facts) for one in (plain, split))
    said = (
        f"Split by {' and '.join(one.title for one in by)}, every table of trips has {parts:,} parts. The noise of a count stays the "
        f"same, and counts are on average {parts:,} times smaller."
    )
    rows = [(now, then) for now, then in zip(before, after, strict=True) if then.cells > now.cells]
    known = [(now.relative, then.relative, then.title) for now, then in rows if now.relative is not None]
    if not known:
        return f"{said} Declare about how many trips there are to see which tables stay readable."
    kept = [f"{title} (± {percent(wide or 0)})" for _, wide, title in known if (wide or 0) <= CERTAIN]
    lost = [title for was, wide, title in known if was <= CERTAIN < (wide or 0)]
    said += f" Noise of at most a quarter of an average count: {', '.join(kept) or 'no table'}."
    return f"{said} No longer so: {', '.join(lost)}." if lost else said


def _relative(share: float | None) -> str:
    if share is None:
        return "unknown"
    return f"± {percent(share)}" if share <= _BEYOND else f"over {_BEYOND} times as large"


_CERTAINTY: Final = {
    "reported": "reported, not certified",
    "paper": "from the paper",
    "unverified": "unverified",
}
_OURS: Final = "this plan"
_HOLLOW: Final = "circle-open"


def known_chart(rows: Sequence[Compared]) -> Chart:
    """One mark for each release that can be compared; hollow where the number is unverified."""
    table = pd.DataFrame(
        [
            {
                "name": _label(row),
                "epsilon": row.epsilon,
                "what": _OURS if row.ours else _CERTAINTY[row.certainty],
                "reported": row.reported,
                "how": row.how,
            }
            for row in rows
            if row.epsilon is not None
        ]
    )
    what = [*table["what"]]
    drawn = [row for row in rows if row.epsilon is not None]
    says = [
        "<br>".join(
            charts.text_of(line)
            for line in (_label(row), f"ε = {row.epsilon:.3g}", row.reported, row.how)
            if line
        )
        for row in drawn
    ]
    colours = [NOISY if kind == _OURS else GREY for kind in what]
    marks = charts.dots(
        table["epsilon"],
        np.arange(len(table)),
        says,
        size=11,
        color=colours,
        symbol=[_HOLLOW if kind == _CERTAINTY["unverified"] else "circle" for kind in what],
        line={"width": 2, "color": colours},
    )
    figure = charts.figure(
        [marks],
        height=70 + 24 * len(table),
        x=charts.axis(
            "ε, one person over four weeks",
            type="log",
            range=charts.log_range(*_range(table)),
            tickvals=[10**power for power in range(-3, 7)],
            tickformat="~g",
        ),
        y=charts.named_places([*table["name"]]),
    )
    alt = "Epsilon of this plan and of known releases, for one person over four weeks"
    return Chart(table, figure, alt, "known-releases")


def known_caption(rows: Sequence[Compared]) -> str:
    """What the marks mean, and how many releases have none."""
    without = sum(row.epsilon is None for row in rows)
    missing = f" {without} more cannot be compared; the table says why." if without else ""
    return f"Filled: this plan, reported, or read in the paper. Hollow: unverified.{missing}"


def known_columns(rows: Sequence[Compared]) -> dict[str, list[str]]:
    """Columns of text; releases that cannot be compared are in it, with the reason."""
    return {
        "release": [_label(row) for row in rows],
        "reported": [row.reported for row in rows],
        "for one person over four weeks": [
            "cannot be compared" if row.epsilon is None else f"{row.epsilon:.3g}" for row in rows
        ],
        "how": [
            " ".join(filter(None, (row.how, row.note, "Local model." if row.local else ""))) for row in rows
        ],
        "how sure": ["" if row.ours else _CERTAINTY[row.certainty] for row in rows],
        "source": [row.sources[0] if row.sources else "" for row in rows],
    }


def _label(row: Compared) -> str:
    return "This plan" if row.ours else f"{row.publisher} {row.year}: {row.name}"


def _range(table: pd.DataFrame) -> list[float]:
    """From a little below the smallest to a little above the largest; all of it is public."""
    return [float(table["epsilon"].min()) / 2, float(table["epsilon"].max()) * 2]
