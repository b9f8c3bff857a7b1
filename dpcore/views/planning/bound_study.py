"""Bias and noise against the bound M, as a chart, a table and sentences.

The errors may be exact (an owner's study) or estimated from a release. The caller says which by the mark that is
written into the picture; the two parts of the error keep their names and colours everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from dpcore.measures import measure_named
from dpcore.noise.bound_choice import BoundAdvice, CellError, best, common_bound
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.plain import percent
from dpcore.views.ground.style import NOISY, TRUE

NOISE_NAME: Final = "privacy noise"
BIAS_NAME: Final = "left out by the bound"
SCALED_NAME: Final = "not repaired by scaling"
TOTAL_NAME: Final = "both together"
_TOTAL: Final = "#7d8590"
_COLOURS: Final = {NOISE_NAME: NOISY, BIAS_NAME: TRUE, SCALED_NAME: TRUE, TOTAL_NAME: _TOTAL}


def error_chart(measure: str, errors: Sequence[CellError], mark: str, *, scaled: bool = False) -> Chart:
    """Noise, bias and both together of one cell of a measure against M, with the best M marked.

    ``scaled`` says that the errors are those of estimates for all trips.
    """
    chosen, counts = best(errors), measure_named(measure).counts
    bias_name = SCALED_NAME if scaled else BIAS_NAME
    parts = {
        NOISE_NAME: [error.noise for error in errors],
        bias_name: [error.bias for error in errors],
        TOTAL_NAME: [error.total for error in errors],
    }
    table = pd.DataFrame(
        [
            {"M": error.max_trips, "part": part, "off by": sizes[at], "best": error is chosen}
            for at, error in enumerate(errors)
            for part, sizes in parts.items()
        ]
    )
    bounds = [f"{error.max_trips:,}" for error in errors]
    drawn = [
        charts.dotted(
            charts.line(
                bounds,
                charts.symlog(sizes),
                [
                    f"M = {bound}: off by {_amount(size)} {counts}<br>{part}"
                    for bound, size in zip(bounds, sizes, strict=True)
                ],
                name=part,
                color=_COLOURS[part],
                dash="5px,3px" if part == TOTAL_NAME else "solid",
            )
        )
        for part, sizes in parts.items()
    ]
    look = {"symbol": "circle-open", "size": 14, "color": _TOTAL, "line": {"width": 2}}
    ring = charts.dots(
        [f"{chosen.max_trips:,}"], charts.symlog([chosen.total]), [], name="least together", **look
    )
    figure = charts.figure(
        [*drawn, {**ring, "showlegend": False}],
        height=380,
        x=charts.axis("trips counted per person, at most (M)", type="category", tickangle=0),
        y=charts.axis(f"{counts} per cell", **charts.SYMLOG),
        mark=mark,
        legend=True,
    )
    title = measure_named(measure).title
    alt = (
        f"{title}: privacy noise rises with M, what is {bias_name} falls. "
        f"Least together at M = {chosen.max_trips}."
    )
    return Chart(table, figure, alt, charts.file_name(measure, "by bound"))


def best_bounds(errors: Mapping[str, Sequence[CellError]]) -> dict[str, list[str]]:
    """The best bound of each measure with its errors there, as columns of a table."""
    rows = [(measure_named(name), best(row)) for name, row in errors.items()]
    return {
        "picture": [measure.title for measure, _ in rows],
        "best M": [f"{error.max_trips:,}" for _, error in rows],
        NOISE_NAME: [_amount(error.noise) for _, error in rows],
        BIAS_NAME: [_amount(error.bias) for _, error in rows],
        TOTAL_NAME: [_amount(error.total) for _, error in rows],
    }


def differing(errors: Mapping[str, Sequence[CellError]]) -> str:
    """How far the best bounds of the measures lie apart, and the bound that serves all least badly (Markdown)."""
    bounds = {name: best(row).max_trips for name, row in errors.items()}
    low, high = min(bounds, key=bounds.__getitem__), max(bounds, key=bounds.__getitem__)
    if bounds[low] == bounds[high]:
        return f"**M = {bounds[low]:,}** is best for every picture."
    common, ratio = common_bound(errors)
    return (
        f"The best M differs from picture to picture: **{bounds[low]:,}** for {_title(low)}, **{bounds[high]:,}** for "
        f"{_title(high)}. Large counts bear more noise, so they gain from a larger M. One M serves a whole release: "
        f"with **M = {common:,}** no picture is more than {_times(ratio)} as wrong as with its own best M."
    )


def advice(measure: str, found: BoundAdvice) -> str:
    """The suggested bound of a measure with its reason, worded as an estimate (Markdown)."""
    kept = next(kept for kept in found.kept if kept.max_trips == found.max_trips)
    error = best(found.errors)
    counts = measure_named(measure).counts
    cost = (
        f"leaves an error of about {_amount(error.bias)} {counts} on an average cell after scaling to all trips"
        if found.scaled
        else f"leaves out about {_amount(error.bias)} {counts} on an average cell"
    )
    return (
        f"**M = {found.max_trips:,}** suits {_title(measure)} best, as far as the noisy histogram tells. It keeps about "
        f"{percent(kept.share)} of all trips ({percent(kept.low)} to {percent(kept.high)}), {cost}, and needs noise of about {_amount(error.noise)} on each. An estimate: trips are "
        "assumed to be spread over the cells as in the built-in city."
    )


def _title(measure: str) -> str:
    return measure_named(measure).title.lower()


def _amount(size: float) -> str:
    """A mean count: one decimal only where it matters.

    >>> _amount(3.14), _amount(3140.4)
    ('3.1', '3,140')
    """
    return f"{size:.1f}" if size < 10 else f"{size:,.0f}"


def _times(ratio: float) -> str:
    """A factor in words.

    >>> _times(1.23), _times(7.1)
    ('1.3 times', '8 times')
    """
    up = -(-ratio * 10 // 1) / 10 if ratio < 3 else float(-(-ratio // 1))
    return f"{up:g} times"
