"""A measure is written in one place: one module with one call is enough for exact answers, release, report and comparison."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from fractions import Fraction

import pytest

import dpcore
from dpcore import curator
from dpcore.api import owner
from dpcore.api.compat import ANALYSES
from dpcore.command_line import main
from dpcore.measures import GRIDS, MEASURES, choices, measure_named, register
from dpcore.measures.choices import KeyChoices
from dpcore.measures.measure import Engine
from dpcore.measures.plan import Plan
from dpcore.noise.forecast import Facts, forecast
from dpcore.noise.weights import proposal
from dpcore.privacy import ContributionBound
from dpcore.private import exact
from dpcore.release import read_bundle, verify_bundle
from dpcore.views.report import report, report_html
from tests.cities import Trip, four_tiles, private
from tests.curator.asking import account, request

RULED, BY_SQL = "long_trips", "halves_of_the_day"
MODULE = '''
"""Two measures that nobody asked before: one that compiled passes can count, one that SQL alone says."""
from dpcore.measures import register
from dpcore.measures.bins import Bins, Grid
from dpcore.measures.keys import KeySet, plain_axis
from dpcore.measures.measure import Cells, Kind, Layout, Measure, Section, Value, in_bins

HOURS = Bins.at("1 2 6", 3_600_000_000)
GRID = Grid.of(HOURS, "hours", "0 1 24", lowest="0")


def long_trips(choices):
    bins = choices.bins("long_trips", HOURS)
    return Measure(
        name="long_trips", title="Long trips (hours)", explanation="How many hours trips took.", section=Section.OD,
        counts="trips", layout=Layout.of_bins("hours"), cells_per_trip=1, keys=lambda _: KeySet((bins.axis,)),
        terms=in_bins(bins, "duration_us", "complete"), weight=30, whole=False, bins=bins, grid=GRID,
    ).counted_by(Cells.BINS_OF_TRIPS, Value.DURATION)


def halves_of_the_day(_):
    return Measure(
        name="halves_of_the_day", title="Trips by half of the day", explanation="Before noon or after.",
        section=Section.OVERVIEW, counts="trips",
        layout=Layout(Kind.LINE, ("half",), "halves", labels={"0": "morning", "1": "afternoon"}),
        cells_per_trip=1, keys=lambda _: KeySet((plain_axis("half", ("0", "1")),)),
        sql="SELECT CASE WHEN end_hour % 24 < 12 THEN 0 ELSE 1 END AS half, count(*) AS n FROM kept GROUP BY 1",
        weight=25,
    )


register(long_trips, halves_of_the_day)
'''


@pytest.fixture(autouse=True)
def new_measures(tmp_path):
    """The module beside those of the package, as long as a test runs."""
    file = tmp_path / "new_measures.py"
    file.write_text(MODULE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("new_measures", file)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    yield
    for name in (RULED, BY_SQL):
        del choices._MAKERS[name], choices._USUAL[name]


def rides():
    """Forty people with a morning ride of half an hour and an evening ride of three hours."""
    return [
        trip
        for user in range(40)
        for trip in (
            Trip(f"u{user}", "A", "B", "2024-04-01 08:00", "2024-04-01 08:30"),
            Trip(f"u{user}", "B", "A", "2024-04-01 17:00", "2024-04-01 20:00"),
        )
    ]


def published(nonce: str, epsilon: str = "20"):
    plan = Plan.up_to(ContributionBound.per_user(2), {RULED: 1, BY_SQL: 1, "od_flows": 1}, Fraction(epsilon))
    return replace(request(epsilon, nonce), plan=plan)


@pytest.mark.parametrize("engine", [Engine.COMPILED, Engine.DUCKDB])
def test_it_is_counted_exactly_by_its_rule_or_by_its_sql(engine, monkeypatch):
    by_sql = []
    count = exact.duckdb.count_rows
    monkeypatch.setattr(
        exact.duckdb,
        "count_rows",
        lambda b, r, m, *more: by_sql.extend(x.name for x in m) or count(b, r, m, *more),
    )
    trips = replace(private(rides()), engine=engine)
    assert owner.exact_table(trips, RULED, None)["value"] == [40, 0, 40, 0]
    assert sum(owner.exact_table(trips, BY_SQL, ContributionBound.per_user(1))["value"]) == 40
    assert owner.exact_table(trips, BY_SQL, None) == {"half": ["0", "1"], "value": [40, 40]}
    if engine is Engine.COMPILED:
        assert set(by_sql) == {BY_SQL}


def test_it_is_released_reported_and_compared():
    ledger = account("100")
    folders = [
        curator.publish(private(rides()), four_tiles(), published(nonce), ledger).folder
        for nonce in ("one", "two")
    ]
    for folder in folders:
        verify_bundle(folder)
    release = read_bundle(folders[0])
    assert list(release.measurements) == [RULED, BY_SQL, "od_flows"]
    exact = {RULED: [40, 0, 40, 0], BY_SQL: [40, 40]}
    for name, values in exact.items():
        measurement = release.measurements[name]
        off = abs(measurement.values[-1] - values)
        assert (off <= 10 * measurement.half_widths[-1] + 10).all()
        assert measurement.sensitivity == 2

    shown = report(release, len(release.plan.rungs) - 1)
    entries = {entry.measure: entry for section in shown.sections for entry in section.entries}
    assert [section.key for section in shown.sections] == ["overview", "od"]
    assert entries[RULED].explanation == "How many hours trips took."
    assert len(entries[RULED].five) == 5
    assert all(entries[name].charts for name in exact)
    assert list(entries[BY_SQL].charts[0].table["at"]) == ["morning", "afternoon"]
    page = report_html(release)
    assert all(measure_named(name).title in page for name in exact)

    compared = dpcore.compare(*folders)
    assert {RULED, BY_SQL, "od_flows"} <= set(compared["measure"])
    assert {"emd", "jsd"} <= set(compared[compared["measure"] == RULED]["metric"])
    assert compared.attrs["left_out"] == {}


def test_it_has_weight_forecast_quantiles_and_a_name_on_the_command_line(capsys):
    bound, facts = ContributionBound.per_user(2), Facts(1_000, 100, 4)
    weights = proposal([RULED, BY_SQL, "od_flows"], bound, Fraction(1), facts).weights
    assert set(weights) == {RULED, BY_SQL, "od_flows"}
    plan = Plan.up_to(bound, weights, "1", KeyChoices(edges={RULED: ("1", "3")}), five_numbers=1)
    assert [one.title for one in forecast(plan, facts)][:2] == [
        "Long trips (hours)",
        "Trips by half of the day",
    ]
    assert plan.measure(RULED).keys(()).size == 3
    assert plan.histograms == (RULED,)
    assert RULED in GRIDS
    assert BY_SQL not in GRIDS
    with pytest.raises(SystemExit):
        main(["exact", "--help"])
    assert RULED in capsys.readouterr().out


def test_it_stands_after_the_others_and_is_no_analysis_of_another_package():
    assert list(MEASURES)[-2:] == [RULED, BY_SQL]
    assert not {RULED, BY_SQL} & set(ANALYSES)
    with pytest.raises(ValueError, match="already a measure named od_flows"):
        register(lambda _: MEASURES["od_flows"])
