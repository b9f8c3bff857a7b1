import json
from fractions import Fraction

from dpcore.noise.bound_choice import BoundAdvice, CellError, KeptShare
from dpcore.views.planning import bound_study as views


def row(*sizes: tuple[float, float]) -> tuple[CellError, ...]:
    return tuple(
        CellError.of(bound, bias, bias**2, Fraction(1) / Fraction(noise))
        for bound, (bias, noise) in zip((1, 5, 20), sizes, strict=True)
    )


MAP, WEEK = row((50, 2), (12, 10), (0, 40)), row((900, 2), (300, 10), (0, 40))


def test_the_two_parts_have_two_names_and_two_colours_and_the_picture_its_mark():
    chart = views.error_chart("visits_per_tile", MAP, "Owner preview: for the owner only.")
    assert chart.figure["layout"]["title"]["text"] == "Owner preview: for the owner only."
    named = {
        trace["name"]: trace["line"]["color"] for trace in chart.figure["data"] if trace["mode"] != "markers"
    }
    assert list(named) == ["privacy noise", "left out by the bound", "both together"]
    assert len(set(named.values())) == 3
    assert set(chart.table["part"]) == set(named)
    assert "visits per cell" in json.dumps(chart.figure)
    left_out = chart.table[chart.table["part"] == "left out by the bound"]
    assert left_out["off by"].tolist() == [50, 12, 0]


def test_the_bound_with_the_least_total_is_marked():
    chart = views.error_chart("visits_per_tile", MAP, "")
    assert set(chart.table[chart.table["best"]]["M"]) == {5}
    (ring,) = (trace for trace in chart.figure["data"] if trace["mode"] == "markers")
    assert ring["x"] == ["5"]
    assert "M = 5" in chart.alt


def test_the_words_say_that_the_best_bound_differs_from_picture_to_picture():
    said = views.differing({"visits_per_tile": MAP, "trips_per_weekday": WEEK})
    assert "differs from picture to picture" in said
    assert "**5** for visits per tile" in said
    assert "**20** for trips by weekday" in said
    assert "**M = 20** no picture is more than" in said
    assert "best for every picture" in views.differing({"visits_per_tile": MAP})


def test_the_table_has_the_best_bound_of_every_picture():
    table = views.best_bounds({"visits_per_tile": MAP, "trips_per_weekday": WEEK})
    assert table["picture"] == ["Visits per tile", "Trips by weekday"]
    assert table["best M"] == ["5", "20"]
    assert table["left out by the bound"] == ["12", "0.0"]


def test_advice_is_worded_as_an_estimate_with_its_interval():
    kept = tuple(KeptShare(error.max_trips, 0.6, 0.55, 0.64) for error in MAP)
    said = views.advice("visits_per_tile", BoundAdvice(5, MAP, kept))
    assert "**M = 5**" in said
    assert "about 60 % of all trips (55 % to 64 %)" in said
    assert "leaves out about 12 visits" in said
    assert "An estimate" in said
