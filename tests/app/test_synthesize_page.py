"""The Synthesize page: what it shows beside the truth, what it says of prices, and how synthetic releases are published."""

from __future__ import annotations

from base64 import b64decode
from datetime import date
from fractions import Fraction
from io import BytesIO
from zipfile import ZipFile

import pytest
from streamlit.testing.v1 import AppTest

from dpcore import curator
from dpcore.kinds.roy import owner as roy_owner
from dpcore.kinds.roy.article import PAPER, PRINTED, PRINTED_MEANS, SOUND, Outliers, printed
from dpcore.kinds.roy.choices import groups_of
from dpcore.kinds.stability.plan import Variant
from dpcore.privacy import PrivacyUnit
from dpcore.release import read_bundle, write_bundle, zipped
from pages.owner.parts.state.draft import Look
from pages.owner.parts.synthesize import opal, words
from pages.owner.parts.synthesize.model import _which_draw
from tests.app.own_trips import given
from tests.app.test_pages import CANARY, open_code, texts, trips
from tests.conftest import ROOT
from tests.curator.asking_synthetic import synthetic_releases
from tests.synthetic_release.made_synthetic import made_synthetic, roy_choices

PAGE = "pages/owner/synthesize.py"


@pytest.fixture(autouse=True)
def own_ledger(tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))


@pytest.fixture
def app():
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)


@pytest.fixture
def city(app):
    app.switch_page(PAGE).run()
    assert not app.exception
    return app


@pytest.fixture
def own(app):
    """Trips of the owner's own file, whose dates were not given when it was loaded."""
    given(app, trips()).switch_page(PAGE).run()
    assert not app.exception
    return app


def dated(app) -> None:
    for field, day in zip(app.date_input, (date(2024, 4, 1), date(2024, 4, 7)), strict=True):
        field.set_value(day)
    app.run()
    assert not app.exception


def choose(app, label: str, value) -> None:
    found = [one for one in (*app.get("button_group"), *app.selectbox) if one.label == label]
    found[0].set_value(value).run()
    assert not app.exception


def press(app, label: str) -> None:
    next(button for button in app.button if button.label.startswith(label)).click().run()
    assert not app.exception


def scripts(app) -> str:
    open_code(app)
    return "\n".join(one.value for one in app.code)


def open_tab(app, tab: str) -> None:
    app.session_state[app.session_state["atlas"].form.key("synthesize tab")] = tab
    app.run()
    assert not app.exception


def cards(app) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def tables(app) -> str:
    return "\n".join(str(table.value.to_dict("list")) for table in (*app.table, *app.dataframe))


def images(app) -> list[str]:
    urls = [drawn.url for image in app.get("image") for drawn in image.proto.imgs]
    return [b64decode(url.partition("base64,")[2]).decode() for url in urls]


def test_it_opens_on_the_city_with_a_draw_beside_the_truth_that_is_kept_until_a_new_one_is_asked_for(city):
    found = cards(city)
    assert list(found)[:4] == [
        "Synthetic trips",
        "Ends of trips moved by",
        "Top 20 routes kept",
        "Mean duration",
    ]
    assert 150_000 < int(found["Synthetic trips"].replace(",", "")) < 210_000
    assert "Protects everything a person did" in texts(city)
    assert "Demo data" in texts(city)
    original, synthetic = images(city)
    assert "Original" in original
    assert "Synthetic" in synthetic
    assert all("Demo data" in one for one in (original, synthetic))
    assert original != synthetic
    assert "Station Quarter" in tables(city)  # people's names for tiles, not their ids
    assert not city.error
    before = images(city)
    choose(city, "Pictures", "Routes")
    assert "busiest routes" in images(city)[0]
    choose(city, "Pictures", "Over time")
    assert b"Demo data" in city.get("plotly_chart")[0].proto.SerializeToString()
    choose(city, "Pictures", "Visits")
    assert images(city) == before
    press(city, "Draw again")
    assert images(city)[0] == before[0]
    assert images(city)[1] != before[1]
    # as published: what it really costs, and no way to publish
    choose(city, "Mode", "As published (study only)")
    found = cards(city)
    assert (found["ε it names"], found["Replace one"], found["Add or remove"]) == ("0.9", "ε 2.7", "ε 1.35")
    said = texts(city)
    assert words.PAPER_WARNING in said
    assert "**4.5** and **2.25**" in said
    assert not any("ublish" in button.label for button in city.button)
    assert not any("download" in str(type(one)).lower() for one in city.get("download_button"))


def test_the_command_of_the_page_makes_the_choices_of_the_page(own):
    dated(own)
    next(one for one in own.text_input if one.label == "Holidays").set_value("2024-04-01").run()
    open_tab(own, words.MODEL_TAB)
    assert "--holidays 2024-04-01" in scripts(own)
    assert "--dates 2024-04-01/2024-04-07" in scripts(own)
    open_tab(own, words.OPAL_TAB)
    choose(own, "Hide", PrivacyUnit.TRIP)
    choose(own, "Promise and noise", Variant.OPAL)
    choose(own, "Minutes in a bin", 30)
    next(one for one in own.multiselect if one.label == "Counted together").set_value([("on_loc",)]).run()
    made = scripts(own)
    for words_of in ("--variant opal", "--combinations on_loc", "--minutes 30", "--delta 3/4000000"):
        assert words_of in made


def test_a_bar_of_many_draws_says_which_one_is_under_way():
    shares = [run / 20 for run in range(20)]
    assert [_which_draw(share) for share in shares] == [f"draw {run} of 20" for run in range(1, 21)]
    assert _which_draw(1.0) == "draw 20 of 20"


def test_twenty_runs_show_how_far_draws_lie_apart(own):
    dated(own)
    press(own, "Draw 20 times")
    assert "sigma" in tables(own)
    assert "Draw 20 times" not in [button.label for button in own.button]


def test_an_own_file_asks_for_public_dates_carries_its_mark_and_says_what_a_new_account_still_needs(own):
    assert words.NO_PERIOD in texts(own)
    assert not own.metric
    dated(own)
    assert "for the owner only. Do not share" in texts(own)
    assert all("for the owner only. Do not share" in one for one in images(own))
    assert Look.COMPARED in own.session_state["atlas"].draft().looked
    everything = tables(own) + texts(own) + "".join(images(own))
    assert CANARY not in everything
    assert "West *side*" in tables(own)
    (months,) = [one for one in own.toggle if "months apart" in one.label]
    assert months.disabled
    assert not own.error
    assert (
        "Still needed: a name of the data set, who is in the data, a title and how ε and M were chosen."
        in texts(own)
    )
    own.switch_page("pages/owner/release.py").run()
    assert not own.error
    assert (
        "Still needed: a name of the data set, who is in the data, a title and how ε, M, tiles and dates were chosen."
        in texts(own)
    )


def test_dates_without_trips_and_holidays_that_are_none_are_refused_in_words(own):
    for field, day in zip(own.date_input, (date(2020, 4, 1), date(2020, 4, 7)), strict=True):
        field.set_value(day)
    own.run()
    assert not own.exception
    assert "**No trip lies within the tiles and the dates**" in own.error[0].value
    next(one for one in own.text_input if one.label == "Holidays").set_value("May Day").run()
    assert not own.exception
    assert "A holiday is no date" in own.error[0].value


def test_the_opal_tab_shows_thresholds_totals_and_what_a_person_gets_and_takes_the_dates_of_both_tabs(own):
    dated(own)
    open_tab(own, words.OPAL_TAB)
    assert ".. " not in texts(own), "no dot stands twice"
    assert "34.18" in tables(own)
    assert "17.59" in tables(own)
    assert opal.EXHIBIT in texts(own)
    choose(own, "Hide", PrivacyUnit.TRIP)
    shown = tables(own)
    assert "void: nothing is promised" in shown
    assert "replace one" in shown
    assert opal.ONE_TRIP in texts(own)
    assert "without δ: from" in shown
    assert "2024-04-01" in tables(own)  # each date is a part of its own
    open_tab(own, words.MODEL_TAB)
    assert [field.value for field in own.date_input] == [date(2024, 4, 1), date(2024, 4, 7)]
    assert "Synthetic trips" in cards(own)


def test_nothing_large_and_nothing_chosen_are_said_in_words(own):
    open_tab(own, words.OPAL_TAB)
    next(one for one in own.select_slider if one.label == "ε in total").set_value(Fraction(1, 2)).run()
    assert opal.EMPTY in texts(own)
    next(one for one in own.multiselect if one.label == "Counted together").set_value([]).run()
    assert not own.exception
    assert "Choose what is counted together" in texts(own)


def test_publishing_charges_once_hands_over_a_bundle_and_is_remembered_and_the_budget_holds_no_more(city):
    assert cards(city)["Price"] == "ε 1"
    assert "how ε and M were chosen" in texts(city)
    next(iter(city.radio)).set_value("before_data").run()
    press(city, "Review and publish")
    assert "what is published is no draw that you saw" in texts(city)
    assert not curator.default_ledger().accounts()  # nothing was spent yet
    press(city, "Publish and charge ε 1")
    assert not city.error
    assert "Charged ε 1. Left: ε 9" in texts(city)
    release = city.session_state["atlas"].drafted.of_kinds["roy"].receipt.release
    assert release.id in {one.id for one in synthetic_releases()}
    assert release.plan.epsilon == Fraction(1)
    assert curator.default_ledger().statement("demo city").spent == 1
    place = city.session_state["atlas"].drafted.of_kinds["roy"].receipt.folder
    with ZipFile(BytesIO(zipped(place))) as archive:
        assert f"{release.id}/trips.parquet" in archive.namelist()
        archive.extractall(place.parent.parent / "taken")
    assert read_bundle(place.parent.parent / "taken" / release.id).drawn.seed == release.drawn.seed
    assert "Published before" not in texts(city)
    next(one for one in city.select_slider if one.label == "ε in total").set_value(Fraction(10)).run()
    assert cards(city)["Left after it"] == "not enough", "ε 9 is left"
    assert "The budget does not hold it" in texts(city)
    (review,) = [button for button in city.button if button.label.startswith("Review")]
    assert review.disabled
    again = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    again.switch_page(PAGE).run()
    assert not again.exception
    assert "Published before" in "\n".join(one.value for one in again.info)
    assert release.id in "\n".join(one.value for one in again.info)
    open_tab(again, words.OPAL_TAB)  # of the other kind nothing was published
    assert "Published before" not in "\n".join(one.value for one in again.info)


def field(app, label: str):
    return next(one for one in app.text_input if one.label == label)


def test_both_modes_say_which_trips_are_left_out(own):
    dated(own)
    assert words.CLEANING in texts(own)
    assert SOUND in texts(own)
    assert "shorter than 60 seconds or of 24 hours and more" in texts(own)
    choose(own, "Mode", "As published (study only)")
    assert words.CLEANING_PAPER.format(
        rule="3 IQR beyond the quartiles of all trips (ours, the nearest to its words)"
    ) in texts(own)
    assert PAPER in texts(own)
    assert "trips are left after it" in texts(own)
    choose(own, "Outliers lie", Outliers.NARROW)
    assert words.CLEANING_PAPER.format(
        rule="1.5 IQR beyond the quartiles of its start and end (ours)"
    ) in texts(own)


def test_the_four_variants_take_the_rule_for_outliers_of_the_page_and_show_why_the_printed_days_cannot_be(
    own, monkeypatch
):
    rules = []

    def kept(of):
        return lambda *args, outliers, **more: rules.append(outliers) or of(*args, outliers=outliers, **more)

    for name in ("paper_variants", "paper_variants_of_invented"):
        monkeypatch.setattr(roy_owner, name, kept(getattr(roy_owner, name)))
    dated(own)
    choose(own, "Mode", "As published (study only)")
    for rule in (Outliers.ATTRIBUTE, Outliers.PAIR):
        choose(own, "Outliers lie", rule)
        for of in ("The loaded trips", "Invented trips like the paper's"):
            choose(own, "On", of)
            if of != "The loaded trips":
                size = next(one for one in own.select_slider if one.label == "Invented trips")
                size.set_value(100_000).run()
            press(own, "Work out all four")  # the last result is that of another rule
        shown = tables(own)
        assert "nothing: the truth" in shown, rule
        assert "not private" in shown, rule
        assert "are empty" in texts(own), f"why the printed days cannot be, {rule}"
    assert rules == [Outliers.ATTRIBUTE] * 2 + [Outliers.PAIR] * 2


def test_groups_of_the_owner_are_measured_drawn_and_said_in_the_command(own):
    dated(own)
    field(own, "Counted together").set_value("start,date,hour; start, end, duration=3").run()
    field(own, "Only measured").set_value("hour+duration").run()
    field(own, "Steps of distance, km").set_value("0.5, 2").run()
    assert not own.exception
    assert not own.error
    assert "start and date and hour" in tables(own)
    made = scripts(own)
    for said in (
        "--together start,date,hour=2",
        "--together start,end,duration=3",
        "--measure hour+duration=1",
    ):
        assert said in made
    assert "--bands 0.5,2" in made
    field(own, "Counted together").set_value("start,income").run()
    assert not own.exception
    assert "attributes of these trips" in own.error[0].value
    field(own, "Counted together").set_value("start").run()
    assert "Not a group of attributes" in own.error[0].value


def test_the_sweep_shows_every_metric_at_each_epsilon_in_both_modes(own):
    dated(own)
    choose(own, "Draws of each", 5)
    press(own, "Sweep: 5 draws at each of 6")
    assert not own.error
    shown = tables(own)
    for said in ("as published", "sound", "Mean of all tables", "ε 0.9"):
        assert said in shown
    for metric in PRINTED:
        assert f"{PRINTED_MEANS} {printed(metric)}." in texts(own)
    assert "leaves out here whatever lies more than 3 IQR beyond the quartiles of all trips" in texts(own)
    assert not any(button.label.startswith("Sweep") for button in own.button)
    choose(own, "Draws of each", 20)
    assert any(button.label.startswith("Sweep: 20") for button in own.button)


def test_groups_are_proposed_by_what_a_release_tells_of_associations(own, tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path / "bundles"))
    dated(own)
    toggle = next(one for one in own.toggle if one.label == "Associations in a release")
    toggle.set_value(True).run()
    assert words.NO_RELEASE in texts(own)
    write_bundle(
        made_synthetic(roy_choices(measured=groups_of(["hour+gender"], 1, ""))), tmp_path / "bundles" / "one"
    )
    own.run()
    assert not own.exception
    assert not own.error
    assert "hour and gender" in tables(own)
    assert "by chance" in tables(own)
    assert "No group is proposed; associations " in texts(own)


def test_dates_that_were_typed_here_hold_elsewhere_and_after_a_reload_as_long_as_they_are_a_period(own):
    dated(own)
    again = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page(PAGE).run()
    assert [field.value for field in again.date_input] == [date(2024, 4, 1), date(2024, 4, 7)]
    again.date_input[0].set_value(date(2024, 4, 8)).run()
    assert "the period is empty or too long" in " ".join(one.value for one in again.error).lower()
    assert not again.switch_page("pages/owner/trajectories.py").run().exception
    assert not again.error
