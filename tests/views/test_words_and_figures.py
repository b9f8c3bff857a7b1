import re
from dataclasses import replace
from datetime import date
from fractions import Fraction
from math import inf

import numpy as np
import pytest

from dpcore.estimates import Ranged
from dpcore.estimates.words import LIKELY
from dpcore.measures.attribute import Categories
from dpcore.measures.choices import KeyChoices
from dpcore.noise.five_numbers import Quantile
from dpcore.privacy import ContributionBound
from dpcore.views.charts import charts
from dpcore.views.ground import reading
from dpcore.views.ground.plain import chance_words, day, percent, plain, short_date
from dpcore.views.ground.shown import released_numbers
from dpcore.views.maps import map_classes
from dpcore.views.numbers import flows, sentences
from dpcore.views.numbers.guarantee import whose_numbers
from dpcore.views.numbers.ranking import strongest_between
from dpcore.views.report import numbers
from tests.conftest import ROOT
from tests.release.made_releases import made_release
from tests.views.made import measurement

USER, TRIP = ContributionBound.per_user(8), ContributionBound.per_trip()
VISITS = measurement("visits_per_tile", [5000, 700, 2, 10])
FLOWS = measurement("od_flows", [900, 50, 0, 1, 2000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])


@pytest.mark.parametrize(
    ("epsilon", "presence", "doings"),
    [
        ("0.1", "at most 53 times", "at most 55 times"),
        ("1", "at most 74 times", "at most 89 times"),
        ("5", "at most 994 of 1,000 times", "at most 99,996 of 100,000 times"),
        ("20", "practically every time", "practically every time"),
    ],
)
def test_the_promise_names_unit_bound_epsilon_and_both_guesses_as_at_most(epsilon, presence, doings):
    said = sentences.protection(USER, Fraction(epsilon))
    assert "everything a person did" in said
    assert "at most 8 trips of each person" in said
    assert f"ε = {epsilon}" in said
    assert (
        f"Whether somebody is in the data: a guess that is right 50 of 100 times becomes right {presence}."
        in said
    )
    assert (
        "What somebody who is in the data did (clinic or square?): a guess that is right 50 of 100 times becomes right "
        f"{doings}."
    ) in said


def test_at_trip_level_the_promise_says_what_it_means_for_a_person():
    said = sentences.protection(TRIP, Fraction(1, 2))
    assert "one trip" in said
    assert "not a person" in said
    assert said.endswith(
        "For 20 trips of one person the guess whether they are there becomes right at most 99,996 of 100,000 times, and where "
        "they went practically every time."
    )
    assert sentences.protection(TRIP, Fraction(1)).endswith(
        "both guesses become right practically every time."
    )


def test_a_data_set_of_which_nothing_more_is_said_ends_its_sentence():
    split = KeyChoices(splits=(Categories("mode", ("bus", "rail")),))
    release = made_release(period=None, choices=split, weights={"visits_per_tile": 1}, population="")
    assert whose_numbers(release) == f"Data set {release.dataset}."


def test_one_trip_of_each_person_reads_as_one():
    assert "one trip of each person counted" in sentences.protection(
        ContributionBound.per_user(1), Fraction(1)
    )


def test_certainty_is_never_claimed():
    assert "at most 100" not in sentences.protection(USER, Fraction(20))


BREAKS = (20, 50, 100, 200, 500, 1000, 2000)


def test_breaks_are_round_numbers_of_the_finest_noisy_counts():
    assert reading.colour_breaks(VISITS) == BREAKS


def test_breaks_do_not_follow_the_rung():
    louder = measurement("visits_per_tile", [5000, 700, 2, 10], noise=10_000)
    assert reading.colour_breaks(louder) == reading.colour_breaks(VISITS)


@pytest.mark.parametrize("finest", [[0, 0, 0, 0], [-5, -9, -1, 0], [1, 1, 1, 1]])
def test_breaks_of_an_empty_city_are_still_seven(finest):
    breaks = reading.colour_breaks(measurement("visits_per_tile", finest))
    assert len(breaks) == 7
    assert breaks[0] == 1


def test_an_axis_holds_the_intervals_of_its_rung_and_goes_below_zero_only_if_one_does():
    days = measurement("trips_over_time", [301, 900, 800, 700, 301])
    for rung, wide in enumerate(days.half_widths):
        assert released_numbers(days, rung).limits()[0] == 0
        assert released_numbers(days, rung).limits()[1] >= 900 + wide
    noisy = measurement("trips_over_time", [-40, 900, 800, 700, 0])
    assert released_numbers(noisy, 0).limits()[0] <= -40 - noisy.half_widths[0]
    few = np.array([0, 4])
    assert released_numbers(days, 2).limits(few)[1] < 400, "what is not drawn widens no axis"


def test_an_axis_stays_where_it_already_holds_all():
    loud = measurement("trips_over_time", [0, 90_000, 100, 100, 0])
    assert len({released_numbers(loud, rung).limits()[1] for rung in (1, 2)}) == 1


def test_truth_makes_room_on_the_axis():
    days = measurement("trips_over_time", [0, 900, 800, 700, 0])
    assert released_numbers(days, 2).limits(truth=np.array([0, 5000, 0, 0, 0]))[1] >= 5000


def test_a_sparse_measurement_never_trusts_less_than_its_threshold():
    sparse = measurement("od_flows", np.zeros(16, int))
    object.__setattr__(sparse, "threshold", 777)
    assert reading.trusted_from(sparse, 2) == 777


def test_errors_in_numbers():
    seen = reading.series_error(VISITS, 2, np.array([5010, 700, 0, 10]))
    assert (seen.noise, seen.worst, seen.typical) == (3, 10, 1.0)
    said = "Noise ± 3 (95 %). {}: median 1, largest 10."
    assert sentences.error(seen, VISITS) == said.format("Error with the bound")
    whole = replace(VISITS, bound=ContributionBound.per_trip())
    assert sentences.error(seen, whole) == said.format("Error")


def test_from_outside_to_outside_is_no_flow_to_trust():
    size = FLOWS.keys.size
    only = measurement("od_flows", [0] * (size - 1) + [10_000])
    assert reading.trusted(only, 2).sum() == 1
    assert not reading.trusted_flows(only, 2).any()
    assert sentences.flow_card(only, 2).value == "0"
    assert "No flow stands out" in sentences.flow_sentence(only, 2)
    found = flows.first_flows(released_numbers(only, 2), size, size)
    assert size - 1 not in {*found.between.tolist(), *found.apart.tolist()}
    assert len(found.between) + len(found.apart) == size - 1


def test_every_number_of_flows_to_trust_says_how_many_may_be_false():
    """Two flows that nobody made may stand among those to trust: the page of the owner says it as the viewer does."""
    for said in (sentences.flow_card(FLOWS, 2).note, sentences.flow_sentence(FLOWS, 2)):
        assert "at most one of them is false" in said


def test_a_number_is_told_no_finer_than_its_interval():
    def words(value, low, high):
        return numbers._value_words(Quantile("travel_time", "p50", value, low, high, "free"))

    assert words(93.901, 72, 168) == "about 90 (72 to 168)"
    assert words(5.652, 5, 7.5) == "about 5.7 (5 to 7.5)"
    assert words(0.4321, 0.4301, 0.4352) == "about 0.432 (0.4301 to 0.4352)"
    assert words(4.4, 4, 44) == "about 4 (4 to 44)"
    assert words(14.9, 14, 74) == "about 15 (14 to 74)", "never outside of its own interval"
    assert words(7, 7, 7) == "about 7 (7 to 7)"
    assert words(7, 6, inf) == "about 7 (6 or more)"
    assert words(7, -inf, 8) == "about 7 (8 or less)"
    assert words(7, -inf, inf) == "cannot be told"


def test_drawn_flows_are_between_two_tiles_and_the_same_at_every_rung():
    strongest = strongest_between(released_numbers(FLOWS, -1))
    origin, destination = np.unravel_index(strongest, FLOWS.keys.shape)
    assert len(strongest)
    assert (origin != destination).all()
    assert (np.stack([origin, destination]) < 3).all()


def test_the_table_of_flows_is_sorted_by_noisy_count_and_says_its_intervals():
    shown = released_numbers(FLOWS, 2)
    table = flows.flows_table(shown, {"A": "Harbour"}, flows.first_flows(shown, 2).between)
    assert table["trips"].tolist() == [2000, 50]
    assert table["from"].tolist() == ["B", "Harbour"]
    assert table["95 %"].tolist() == ["1,997 to 2,003", "47 to 53"]
    assert "true" not in table


@pytest.mark.parametrize(
    "text", ["[x](javascript:1)", "![](http://a)", ":smile:", "$x$", "<b>", "`a`", "# a", "~~a~~"]
)
def test_names_cannot_become_markup(text):
    shown = plain(text)
    assert shown.replace("\\", "").replace("\N{WORD JOINER}", "") == text
    for special in "[]()!:$<>`#~*_":
        assert shown.count(special) == shown.count(f"\\{special}")


@pytest.mark.parametrize("text", ["https://a.b/c", "see www.a.b", "a@b.c", ":material/home:", "ftp://a"])
def test_what_browsers_look_for_behind_the_escapes_is_parted(text):
    """Addresses, icons and emoji are made of the text after its escapes were read."""
    read = plain(text).replace("\\", "")
    assert not re.search(r"://|www\.|@\w|:material", read)
    assert read.replace("\N{WORD JOINER}", "") == text


def test_a_tile_that_is_known_to_be_few_or_none_is_told_from_one_that_noise_hides():
    """At the finest rung (± 3) nothing is hidden: the empty tile is known to be empty. At the coarsest (± 300) it is not."""
    visits = measurement("visits_per_tile", [5000, 700, 2, 900])
    few = reading.few_below(reading.colour_breaks(visits))
    assert few == 50
    assert reading.few_or_none(visits, 2, few).tolist() == [False, False, True, False]
    assert not reading.few_or_none(visits, 0, few).any()
    lucky = measurement("visits_per_tile", [5000, 700, -290, 900])
    assert not reading.few_or_none(lucky, 0, few).any(), "by luck alone"
    assert sentences.readable_card(visits, 2).note == "None is drowned by noise. 1 has few or none."
    assert "drowned by noise" in sentences.readable_card(visits, 0).note
    assert "few or none" not in sentences.readable_card(visits, 0).note
    breaks = reading.colour_breaks(visits)
    classes = map_classes.classes_of_shown(released_numbers(visits, 2), breaks)
    assert classes.tolist()[2] == map_classes.SMALL
    assert (np.delete(classes, 2) >= map_classes.FIRST).all()
    assert (map_classes.classes_of_shown(released_numbers(visits, 0), breaks) != map_classes.SMALL).all()
    stands_out = reading.trusted(visits, 2)
    assert not (stands_out & reading.few_or_none(visits, 2, few)).any()


def test_of_an_estimate_few_goes_before_drowned_and_both_before_its_number():
    shown = Ranged(
        *np.array(
            [[3.0, 30.0, 60.0, 700.0, 0.0], [0.0, 0.0, 40.0, 600.0, 0.0], [9.0, 60.0, 80.0, 800.0, 200.0]]
        )
    )
    visits = released_numbers(measurement("visits_per_tile", [0] * 4), 2)
    made = replace(visits, numbers=shown, note=LIKELY, finest=None)
    drowned, few, first = map_classes.HIDDEN, map_classes.SMALL, map_classes.FIRST
    assert map_classes.classes_of_shown(made, (5, 10, 50)).tolist() == [
        few,
        drowned,
        first + 3,
        first + 3,
        drowned,
    ]
    assert len(set(map_classes.colours_of((5, 10, 50)))) == 6
    assert map_classes.few_words(10, estimated=True) == "likely below 10"


def test_percent_and_dates_have_one_form_each():
    """No other form of a share or a date is left in what pages and views write; along an axis of dates a day is 1 Apr, in one place."""
    folders = [ROOT / "dpcore" / "views", ROOT / "pages" / "owner", ROOT / "pages" / "released"]
    texts = {place: place.read_text(encoding="utf-8") for folder in folders for place in folder.rglob("*.py")}
    assert len(texts) > 50
    axes = ROOT / "dpcore" / "views" / "charts" / "charts.py"
    assert charts.DATES["tickformat"] == "%-d %b\n%Y", (
        "the year stands below the first day and where it changes"
    )
    assert short_date(date(2024, 4, 1)) == "1 Apr"
    texts[axes] = texts[axes].replace("%-d %b\\n%Y", "", 1)
    others = {
        place.name: found
        for place, text in texts.items()
        if (found := re.findall(r"\{[^{}]*:\.\d%\}|NO-BREAK SPACE|%-?d %[bB]", text))
        and "lessons" not in place.parts
    }
    assert others == {}
    assert (percent(0.124), chance_words(0.999), day(date(2024, 4, 1))) == ("12 %", "over 99 %", "2024-04-01")
