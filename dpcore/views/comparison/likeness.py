"""A comparison as words, tables and pictures: scores, two tables in one picture, metrics by epsilon."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.comparison import METRICS, CountTable, Pair, Score, Side, left_out, matched, step_of_both
from dpcore.comparison.curves import Curve
from dpcore.comparison.formulas import shares
from dpcore.comparison.layout import BEYOND, LAYOUTS, places
from dpcore.measures import MEASURES
from dpcore.measures.keys import Axis, Step
from dpcore.measures.measure import Kind
from dpcore.noise.accuracy import half_width
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.charts.series import bin_names
from dpcore.views.ground.plain import day, noise_range, percent, plain, sentence
from dpcore.views.ground.style import NOISY, TRUE, Json

Numbers = NDArray[np.float64]


NO_ANSWER: Final = "\N{EM DASH}"
_BETTER: Final = {"lower": "lower is better", "higher": "higher is better"}


def title(measure: str) -> str:
    """What people call a measure."""
    words = measure.replace("_", " ").replace("+", " and ")
    return MEASURES[measure].title if measure in MEASURES else sentence(words)


def said_beside(one: Side, other: Side) -> tuple[str, ...]:
    """What must be read beside a comparison, and what is not compared and why, a sentence each."""
    apart = [
        f"Not compared: {title(name)}, because {reason.what}."
        for name, reason in left_out(one, other).items()
    ]
    alone = []
    for mine, theirs in ((one, other), (other, one)):
        names = [title(name) for name in mine.tables if name not in theirs.tables]
        alone += [f"Not compared, only in {mine.name}: {', '.join(names)}."] if names else []
    return (*dict.fromkeys((*one.notes, *other.notes)), *apart, *alone)


def score_table(scores: Sequence[Score]) -> dict[str, list[str]]:
    """The scores as columns of text, one row each."""
    return {
        "table": [title(score.measure) for score in scores],
        "what": [METRICS[score.metric].title for score in scores],
        "value": [amount(score.value, score.unit) for score in scores],
        "better": [_BETTER[METRICS[score.metric].better] for score in scores],
        "perfect": [f"{score.best:.3g}" for score in scores],
        "note": [score.note for score in scores],
    }


def amount(value: float | None, unit: str = "") -> str:
    """A value with its unit, with as many digits as are useful.

    >>> amount(0.012345), amount(1234.5, "metres"), amount(3, "hours")
    ('0.0123', '1,234 metres', '3 hours')
    """
    if value is None:
        return NO_ANSWER
    text = f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"
    return f"{text} {unit}".rstrip()


def explanations() -> str:
    """What each metric says, as a list (Markdown)."""
    return "\n".join(
        f"- **{plain(metric.title)}** ({plain(metric.reach)}, {_BETTER[metric.better]}). {plain(metric.explanation)}"
        for metric in METRICS.values()
    )


def headline(scores: Sequence[Score]) -> list[tuple[str, str, str]]:
    """Up to four scores that tell most, as label, value and what it means."""
    wanted = (
        ("visits_per_tile", "emd"),
        ("visits_per_tile", "kendall_tau"),
        ("visits_per_tile", "ssim"),
        ("od_flows", "top_100_overlap"),
    )
    by_name = {(score.measure, score.metric): score for score in scores}
    found = [by_name[key] for key in wanted if key in by_name and by_name[key].value is not None]
    return [
        (
            f"{METRICS[score.metric].title}",
            amount(score.value, score.unit),
            f"{title(score.measure)}; {_BETTER[METRICS[score.metric].better]}",
        )
        for score in found
    ]


COLOURS: Final = (TRUE, NOISY)
"""Of side A and of side B."""
_HEIGHT: Final = 300
_DAYS: Final = {Step.DAY: 1, Step.WEEK: 7, Step.MONTH: 31}
"""The most days between two dates of a series without a gap."""


def overlays(
    one: CountTable, other: CountTable, names: tuple[str, str], mark: str, *, as_shares: bool
) -> list[tuple[str, Chart]]:
    """The pictures of an ordered measure with both sides in each, and what stands above each.

    ``names``: of A and of B. ``as_shares``: shares of each side's total, what is negative taken for 0; else counts.
    A series over dates stands on its own dates, whatever those of the other side are. InputError if the cells of the
    tables do not mean the same.
    """
    if one.layout.kind is Kind.DATES:
        return [("", _series(one, other, names, mark, as_shares=as_shares))]
    pair = matched(one, other)
    sides = [_amounts(side, as_shares=as_shares) for side in (pair.one, pair.other)]
    counted = zip((pair.one, pair.other), pair.rates, strict=True)
    widths = [_half_width(counts, rate, as_shares=as_shares) for counts, rate in counted]
    table = pd.DataFrame(
        {
            **{name: np.asarray(column, dtype=object) for name, column in pair.columns.items()},
            "place": places(pair.layout, pair.columns),
            **dict(zip(names, sides, strict=True)),
        }
    ).sort_values("place")
    found = []
    for group, rows in table.groupby(list(pair.layout.groups)) if pair.layout.groups else [((), table)]:
        words = " on ".join(f"{word}s" for word in group)
        drawn = _overlay(pair, rows, names)
        found.append((words, _chart_of_both(drawn, pair.measure, names, widths, mark, as_shares=as_shares)))
    return found


def _amounts(counts: Numbers, *, as_shares: bool) -> Numbers:
    if not as_shares:
        return counts
    found = shares(counts)
    return np.zeros(len(counts)) if found is None else found


def _half_width(counts: Numbers, rate: Fraction | None, *, as_shares: bool) -> float:
    """The 95 % half width of the noise of one count, as it is drawn; 0 where nothing says that there is noise."""
    total = float(np.maximum(counts, 0).sum()) if as_shares else 1.0
    return half_width(rate) / total if rate is not None and total > 0 else 0.0


def _series(
    one: CountTable, other: CountTable, names: tuple[str, str], mark: str, *, as_shares: bool
) -> Chart:
    """Two series over dates, each on its own dates; a line ends where the next date is missing."""
    longest = _DAYS[step_of_both(one, other)]
    sides = []
    for name, side in zip(names, (one, other), strict=True):
        dates = side.columns["date"]
        # what lies beyond the period is in the numbers, and no day of the picture
        inside = ~np.isin(dates, BEYOND)
        rows = pd.DataFrame(
            {
                "at": pd.to_datetime(pd.Series(dates[inside], dtype=object)),
                "side": name,
                "value": _amounts(side.values, as_shares=as_shares)[inside],
            }
        ).sort_values("at")
        rows["run"] = (rows["at"].diff() > pd.Timedelta(days=longest)).cumsum()
        sides.append(rows)
    widths = [_half_width(side.values, side.rate, as_shares=as_shares) for side in (one, other)]
    rows = pd.concat(sides, ignore_index=True)
    return _chart_of_both(rows, one.measure, names, widths, mark, as_shares=as_shares)


def _overlay(pair: Pair, rows: pd.DataFrame, names: tuple[str, str]) -> pd.DataFrame:
    labels = _labels(pair, rows)
    return pd.DataFrame(
        {
            "at": [*labels, *labels],
            "side": [names[0]] * len(rows) + [names[1]] * len(rows),
            "value": [*rows[names[0]], *rows[names[1]]],
        }
    )


def _chart_of_both(
    long: pd.DataFrame,
    measure: str,
    sides: tuple[str, str],
    widths: Sequence[float],
    mark: str,
    *,
    as_shares: bool,
) -> Chart:
    """Both sides over one another, from rows of place, side and value; of dates with the number of the run.

    ``widths``: half width of the noise of each side.
    """
    x = charts.axis(type="category")
    if "run" in long:
        x = charts.axis(**charts.DATES)
    looks = zip(COLOURS, ("5px,3px", "solid"), strict=True)
    traces = [
        _side(long[long["side"] == side], side, look, words, as_shares=as_shares)
        for side, look, words in zip(
            sides, looks, [_amount_words(measure, wide, as_shares=as_shares) for wide in widths], strict=True
        )
    ]
    y = charts.axis("share", ticksuffix=" %") if as_shares else charts.axis("count", **charts.WHOLE)
    figure = charts.figure(traces, height=_HEIGHT, x=x, y=y, mark=mark, legend=True)
    alt = f"{title(measure)}: {sides[0]} dashed, {sides[1]} solid"
    return Chart(long, figure, alt, charts.file_name(measure, "compared"))


def _amount_words(measure: str, wide: float, *, as_shares: bool) -> Callable[[float], str]:
    """How a pointer reads an amount: value, range and unit; ``wide``: half width of its noise."""
    counts = MEASURES[measure].counts if measure in MEASURES else "counts"
    # groups of one table add up to one total: starts and ends of the same trips
    whole = "of the whole table" if measure in LAYOUTS and LAYOUTS[measure].groups else f"of all {counts}"

    def share_words(value: float) -> str:
        if not wide:
            return f"{percent(value, 2)} {whole}"
        low, high = percent(max(0.0, value - wide), 2), percent(value + wide, 2)
        return f"about {percent(value, 2)} {whole}<br>{noise_range(low, high)}"

    return share_words if as_shares else lambda value: charts.about(value, value - wide, value + wide, counts)


def _side(
    rows: pd.DataFrame,
    side: str,
    look: tuple[str, str],
    words: Callable[[float], str],
    *,
    as_shares: bool,
) -> Json:
    """The line of one side; it is broken where a run of dates ends. ``look``: colour and dashes; ``words``: of each amount."""
    colour, dash = look
    at, values = rows["at"].to_numpy(), rows["value"].to_numpy(dtype=float)
    name = charts.text_of(side)
    says = [
        f"{name}<br>{_place(place)}: {words(value)}"
        for place, value in zip(rows["at"], values.tolist(), strict=True)
    ]
    if "run" in rows:
        ends = np.flatnonzero(np.diff(rows["run"])) + 1
        at, values = np.insert(at, ends, at[ends - 1]), np.insert(values, ends, np.nan)
        says = np.insert(np.array(says, dtype=object), ends, "").tolist()
    else:
        at = np.array([charts.text_of(str(place)) for place in at], dtype=object)
    drawn = 100 * values if as_shares else values  # plotly's own percent stands without a space
    return charts.dotted(charts.line(at, drawn, says, name=side, color=colour, dash=dash))


def _place(at: object) -> str:
    return day(at) if isinstance(at, pd.Timestamp) else charts.text_of(str(at))


def _labels(pair: Pair, rows: pd.DataFrame) -> list[object]:
    if pair.layout.kind is Kind.BINS:
        starts, ends = (tuple(_short(str(edge)) for edge in rows[name]) for name in ("bin_start", "bin_end"))
        axis = Axis("bin_start", starts, ends=ends, end_column="bin_end")
        return list(bin_names(axis, whole=MEASURES[pair.measure].whole))
    keys = [str(label) for label in rows[pair.layout.columns[-1]]]
    named = (
        {} if pair.layout.groups else pair.layout.labels
    )  # in small charts side by side the keys alone have room
    return [named.get(key, key) for key in keys]


def _short(edge: str) -> str:
    return edge.removesuffix(".0")


def curve_chart(curve: Curve, mark: str) -> Chart:
    """One metric against epsilon: its mean, and the band that holds 95 of 100 releases."""
    metric = METRICS[curve.metric]
    table = pd.DataFrame(
        {
            "epsilon": [float(band.epsilon) for band in curve.bands],
            "mean": [band.mean for band in curve.bands],
            "low": [band.low for band in curve.bands],
            "high": [band.high for band in curve.bands],
        }
    )
    unit = f"in {curve.unit}; " if curve.unit else ""
    says = [
        f"ε = {epsilon:g}: {amount(mean, curve.unit)} on average<br>"
        f"95 of 100 releases: {amount(low, curve.unit)} to {amount(high, curve.unit)}"
        for epsilon, mean, low, high in table.itertuples(index=False)
    ]
    traces = [
        *charts.band(table["epsilon"], table["low"], table["high"]),
        charts.dotted(charts.line(table["epsilon"], table["mean"], says, name=metric.title)),
    ]
    figure = charts.figure(
        traces,
        height=300,
        x=charts.axis("ε", type="log", tickformat="~g"),
        # above the picture, where it has room: beside the axis it would be longer than the plot is high
        above=(metric.title, f"{unit}{metric.better} is better"),
        mark=mark,
    )
    alt = f"{title(curve.measure)}: {metric.title} at each epsilon"
    return Chart(table, figure, alt, charts.file_name(curve.measure, curve.metric, "by epsilon"))


def curve_words(curve: Curve) -> str:
    """How a curve was made (plain words)."""
    note = f" Note: {curve.note}." if curve.note else ""
    return f"Read off {curve.draws} throw-away previews. The band holds 95 of 100 releases.{note}"
