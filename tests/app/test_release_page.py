"""The Release page in every state, driven without a browser; each test spends in a ledger of its own."""

from __future__ import annotations

import re
import shutil
from fractions import Fraction
from threading import Event

import pytest
from streamlit.runtime.scriptrunner import StopException
from streamlit.testing.v1 import AppTest

from dpcore import curator, limits, places
from dpcore.errors import InternalError
from dpcore.estimates import known_words
from dpcore.ledger import Account, Ledger
from dpcore.noise.forecast import forecast
from dpcore.planning.default_plan import default_plan
from dpcore.privacy import PrivacyUnit
from dpcore.release.estimates import estimates_of
from dpcore.views.ground.plain import plain
from dpcore.views.numbers.estimated import known_card, known_of
from dpcore.views.planning.advice import worth
from pages.owner.parts.state.draft import Work
from tests.app.open_parts import open_box
from tests.app.own_trips import given
from tests.app.test_pages import CANARY, texts, trips
from tests.conftest import ROOT

PAGE = "pages/owner/release.py"
REVIEW = "Review and publish …"
KNOWN = "Known tiles"


@pytest.fixture(autouse=True)
def own_ledger(tmp_path, own_home, monkeypatch):
    """A ledger and a shelf for bundles that no other test sees."""
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path / "releases"))
    shutil.rmtree(own_home / "ledgers", ignore_errors=True)


@pytest.fixture
def app():
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    return test.switch_page(PAGE).run()


def own(content: bytes):
    """A visitor with trips of the own, who opens this page first."""
    visitor = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    return given(visitor, content).switch_page(PAGE).run()


def button(app, start: str):
    return next(b for b in app.button if b.label.startswith(start))


def labels(app) -> list[str]:
    return [b.label for b in app.button]


def metric(app, label: str) -> str:
    return next(m for m in app.metric if m.label == label).value


def review(app, how: str = "before_data"):
    app.radio[0].set_value(how).run()
    return button(app, REVIEW).click().run()


def little(app):
    """A plan of one small table, so that a test is quick."""
    return app.multiselect[0].set_value(["trips_per_weekday"]).run()


def publish(app):
    little(app)
    review(app)
    button(app, "Publish and charge").click().run()
    assert not app.exception
    return app


def lines() -> int:
    return curator.default_ledger().head()[0]


def spent(dataset: str = "demo city") -> Fraction:
    return curator.default_ledger().statement(dataset).spent


def test_looking_and_trying_everything_spends_nothing(app):
    before = lines()
    assert not app.exception
    assert metric(app, "Price") == "ε 1"
    assert metric(app, "Left after it") == "ε 9"
    slider = next(s for s in app.select_slider if s.label.startswith("Highest"))
    slider.set_value(Fraction(2)).run()
    assert metric(app, "Price") == "ε 2"
    assert (
        "becomes right at most 89 times. What somebody who is in the data did (clinic or square?): a guess that is right 50 of 100 "
        "times becomes right at most 99 times" in texts(app)
    )
    app.number_input[0].set_value(1).run()
    next(c for c in app.button_group if c.label == "Decide by").set_value("Accuracy").run()
    review(app)
    assert any(label.startswith("Publish and charge") for label in labels(app))
    assert not app.exception
    assert lines() == before
    assert curator.default_ledger().accounts() == ()


def test_the_last_word_needs_to_know_how_the_parameters_were_chosen(app):
    assert button(app, REVIEW).disabled
    assert "Still needed: how" in texts(app)
    app.radio[0].set_value("after_preview").run()
    assert not button(app, REVIEW).disabled


def readable(app) -> int:
    """Tiles that are expected to be known in a typical city."""
    (told,) = re.findall(
        r"In a typical city, where all tiles have trips, about ([\d,]+)\.",
        "\n".join(one.value for one in app.caption),
    )
    return int(told.replace(",", ""))


def test_more_epsilon_promises_more_readable_places(app):
    before = readable(app)
    next(s for s in app.select_slider if s.label.startswith("Highest")).set_value(Fraction(10)).run()
    assert readable(app) > before


def test_accuracy_first_gives_the_epsilon(app):
    draft = app.session_state["atlas"].draft()
    (visits,) = [one for one in forecast(draft.plan(), draft.facts) if one.measure == "visits_per_tile"]
    next(c for c in app.button_group if c.label == "Decide by").set_value("Accuracy").run()
    wanted = next(n for n in app.number_input if n.label.startswith("A count may be off"))
    assert wanted.value == visits.half_width, "it begins with what epsilon gives"
    assert 0.99 < float(metric(app, "Price").removeprefix("ε ")) <= 1  # ε 1 gives as much noise
    wanted = next(n for n in app.number_input if n.label.startswith("A count may be off"))
    wanted.set_value(1).run()
    assert not app.exception
    assert "too much privacy" in app.error[0].value


def test_a_move_of_a_map_that_is_told_late_does_not_undo_the_choice_by_accuracy(app):
    session = app.session_state["atlas"]
    before = session.data.geometry.link
    next(c for c in app.button_group if c.label == "Decide by").set_value("Accuracy").run()
    links = [session.agree().geometry.link for _ in range(2)]
    assert before not in links, "what the browser has yet to tell is of another link"
    assert links[0] == links[1], "once, and not with each run"


def test_publishing_charges_once_and_gives_a_receipt(app):
    publish(app)
    assert "Published" in texts(app)
    assert spent() == 1
    assert curator.default_ledger().account("demo city").unit is PrivacyUnit.USER
    (release,) = curator.releases(curator.default_ledger(), "demo city")
    assert release.plan.epsilon == 1
    assert release.parameters_chosen == "before_data"
    assert f"`{release.id}`" in texts(app)
    assert metric(app, "Left after it") == "ε 8"
    assert "Earlier releases" in texts(app)
    app.switch_page("pages/owner/data.py").run()
    app.switch_page(PAGE).run()
    assert not app.exception
    assert spent() == 1


def test_a_double_click_and_two_windows_are_one_charge(app):
    review(little(app))
    other = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page(PAGE).run()
    review(little(other))
    button(app, "Publish and charge").click().run()
    button(other, "Publish and charge").click().run()
    assert not app.exception
    assert not other.exception
    assert "nothing was charged again" in texts(other)
    assert spent() == 1
    assert len(curator.releases(curator.default_ledger(), "demo city")) == 1


def test_publishing_the_same_plan_again_is_a_new_charge_and_says_so(app):
    publish(app)
    app.radio[0].set_value("after_preview").run()
    assert "published before" in texts(app), "before the button is pressed"
    assert button(app, REVIEW).proto.type == "secondary"
    review(app)
    assert any("published before" in m.value for m in app.markdown)
    button(app, "Publish and charge").click().run()
    assert spent() == 2


def test_an_exhausted_account_says_what_would_fit(app):
    next(t for t in app.text_input if t.label.startswith("Budget for all")).set_value("1.5").run()
    publish(app)
    assert "The budget does not hold it" in texts(app)
    assert "ε = 0.5 would fit" in texts(app)
    assert metric(app, "Left after it") == "not enough"
    app.radio[0].set_value("before_data").run()
    assert button(app, REVIEW).disabled
    assert spent() == 1


def test_trips_are_refused_on_an_account_of_people_with_the_reason(app):
    publish(app)
    next(c for c in app.button_group if c.label == "Hide").set_value(PrivacyUnit.TRIP).run()
    assert not app.exception
    assert "cannot be paid from an account of users" in app.error[0].value
    assert "without limit" in app.error[0].value
    assert REVIEW not in labels(app)


def test_the_last_release_of_the_same_tiles_can_be_looked_at_before_the_next(app):
    label = "The last release of these tiles"
    assert label not in [box.label for box in app.expander]
    app.multiselect[0].set_value(["visits_per_tile"]).run()
    review(app)
    button(app, "Publish and charge").click().run()
    open_box(app, "map before ", label)
    said = plain("Trips in the built-in city, up to ε = 1: visits per tile. It is public already.")
    assert said in texts(app)


def test_a_release_is_raised_for_the_difference(app):
    publish(app)
    target = next(s for s in app.selectbox if s.label == "Raise to ε")
    target.set_value(Fraction(3)).run()
    assert "Costs ε 2 more" in texts(app)
    button(app, "Raise to ε 3").click().run()
    button(app, "Raise and charge ε 2").click().run()
    assert not app.exception
    assert not app.error
    assert spent() == 3
    newest = curator.releases(curator.default_ledger(), "demo city")[-1]
    assert newest.raised_from
    assert "Raised since" in texts(app)


def test_what_was_cut_short_is_finished_without_a_charge(app, monkeypatch):
    def crash(*_, **__):
        raise RuntimeError("the lights went out")

    with monkeypatch.context() as broken:
        broken.setattr(Ledger, "commit", crash)
        review(app)
        button(app, "Publish and charge").click().run()
        assert "is paid for but could not be finished" in app.error[0].value
    assert spent() == 1
    again = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page(PAGE).run()
    assert "Not finished" in texts(again)
    button(again, "Finish it").click().run()
    assert "published too, if this release is still to be drawn" in texts(again)
    button(again, "Finish, without a charge").click().run()
    assert not again.exception
    assert "Published" in texts(again)
    assert "Not finished" not in texts(again)
    assert spent() == 1


def test_the_ledger_is_printed_and_checked(app):
    publish(app)
    button(app, "Check the whole ledger").click().run()
    assert any("as they were written" in s.value for s in app.success)
    assert "registered with" in texts(app)


def test_own_trips_need_a_name_and_a_population_and_show_nothing_exact():
    app = own(trips(users=40))
    assert not app.exception
    assert metric_labels(app) == [KNOWN, "Price"]
    named(app, "city trams", "riders of 2024")
    assert metric(app, KNOWN) == "unknown"
    assert CANARY not in texts(app)
    assert "200" not in texts(app)  # the exact number of trips
    button(app, "Use the true numbers").click().run()
    assert not app.exception
    assert next(n for n in app.number_input if n.label == "Trips, about").value == 200
    assert next(n for n in app.number_input if n.label == "People, about").value == 40
    assert "depends on them" in texts(app)
    assert "before_data" not in app.radio[0].options
    assert len(app.radio[0].options) == 2


def named(app, dataset: str, population: str) -> None:
    next(t for t in app.text_input if t.label == "Name of the data set").set_value(dataset)
    next(t for t in app.text_input if t.label == "Who is in the data").set_value(population).run()


def metric_labels(app) -> list[str]:
    return [m.label for m in app.metric]


def test_own_trips_are_published_under_their_own_account():
    app = own(trips(users=40))
    named(app, "city trams", "riders of 2024")
    next(t for t in app.text_input if t.label == "Title").set_value("Trams").run()
    next(t for t in app.text_input if t.label == "Who publishes (optional)").set_value(" Tram office").run()
    little(app)
    review(app)
    assert "Tram office" in texts(app), "what is confirmed"
    button(app, "Publish and charge").click().run()
    assert not app.exception
    assert not app.error
    assert spent("city trams") == 1
    (release,) = curator.releases(curator.default_ledger(), "city trams")
    assert (release.publisher, release.population) == ("Tram office", "riders of 2024")
    assert "trips_over_time" not in release.measurements  # no period was given
    # what was filled in belongs to this data set alone
    app.switch_page("pages/owner/data.py").run()
    button(app, "Back to the built-in city").click().run()
    app.switch_page(PAGE).run()
    assert not app.exception
    assert "city trams" not in texts(app)


def test_the_account_of_the_built_in_city_is_not_for_own_trips(app):
    publish(app)
    given(app, trips(users=40)).switch_page(PAGE).run()
    assert not [s for s in app.selectbox if s.label == "Data set"]
    named(app, "demo city", "riders of 2024")
    assert not app.exception
    assert "belongs to the built" in app.error[0].value
    assert spent() == 1


def test_parts_of_an_account_can_be_chosen():
    ledger = curator.default_ledger()
    curator.register(
        ledger,
        Account("city trams", "riders", PrivacyUnit.USER, Fraction(2), ("north", "south"), PrivacyUnit.USER),
    )
    app = own(trips(users=40))
    next(s for s in app.selectbox if s.label == "Data set").set_value("city trams").run()
    assert not app.exception
    next(s for s in app.selectbox if s.label == "Part").set_value("north").run()
    assert not app.exception


def test_choices_outlive_the_page(app):
    next(s for s in app.select_slider if s.label.startswith("Highest")).set_value(Fraction(3)).run()
    app.switch_page("pages/owner/data.py").run()
    app.switch_page(PAGE).run()
    assert metric(app, "Price") == "ε 3"


def test_numbers_that_do_not_fit_together_are_refused_and_the_rest_stays(app):
    next(n for n in app.number_input if n.label == "Trips, about").set_value(5).run()
    assert not app.exception
    assert len(app.error) == 1
    assert "do not fit together" in app.error[0].value
    next(n for n in app.number_input if n.label == "People, about").set_value(5).run()
    assert not app.error


def test_a_plan_of_nothing_is_refused_in_words(app):
    app.multiselect[0].set_value([]).run()
    assert not app.exception
    assert "needs a measure" in app.error[0].value


@pytest.fixture
def interrupted(monkeypatch):
    """The page is cut off while it watches a spend, as by a click. Gives what lets the spends end, and waits for it."""
    may_end, publish_once, over, begin, begun = Event(), curator.publish, Work.over, Work.begin, []

    def slow(*given, **more):
        assert may_end.wait(60)
        return publish_once(*given, **more)

    def cut(self, seconds):
        if seconds > 0 and not may_end.is_set():
            raise StopException
        return over(self, seconds)

    def recorded(self):
        begun.append(self)
        begin(self)

    def let_end():
        may_end.set()
        assert all(over(work, 60) for work in begun)

    monkeypatch.setattr(curator, "publish", slow)
    monkeypatch.setattr(Work, "over", cut)
    monkeypatch.setattr(Work, "begin", recorded)
    return let_end


def test_a_release_keeps_its_receipt_whatever_is_loaded_while_it_runs(app, interrupted):
    review(little(app))
    button(app, "Publish and charge").click().run()
    given(app, trips())
    assert not app.session_state["atlas"].data.is_demo
    app.switch_page(PAGE).run()
    assert "Published" not in texts(app)
    interrupted()
    app.run()
    assert not app.exception
    (release,) = curator.releases(curator.default_ledger(), "demo city")
    assert f"`{release.id}`. Charged ε 1. Left: ε 9 in the account of demo city" in texts(app)
    assert spent() == 1
    given(app, trips(users=30)).switch_page(PAGE).run()  # it was shown
    assert "Published" not in texts(app)


def test_a_receipt_leads_to_the_viewer_only_if_the_viewer_shows_that_release(app, tmp_path):
    publish(app)
    assert "Viewer and Library show the folder" in texts(app)
    assert not app.get("page_link")
    (release,) = curator.releases(curator.default_ledger(), "demo city")
    shutil.copytree(places.published() / release.id, tmp_path / "releases" / release.id)
    app.run()
    assert "Viewer and Library show the folder" not in texts(app)
    assert {link.proto.label for link in app.get("page_link")} == {"Open in the Viewer"}


def test_a_release_whose_dialog_was_closed_shows_its_receipt_once(app, interrupted):
    review(little(app))
    button(app, "Publish and charge").click().run()
    app.session_state["atlas"].drafted.of_kinds["tables"].pending = None  # what closing the dialog does
    interrupted()
    app.run()
    assert not app.exception
    assert texts(app).count("Published") == 1


def test_a_spend_that_failed_while_its_dialog_was_closed_says_so(app, interrupted, monkeypatch):
    def refuse(*_, **__):
        raise InternalError.at("a test")

    monkeypatch.setattr(curator, "publish", refuse)
    review(little(app))
    button(app, "Publish and charge").click().run()
    app.session_state["atlas"].drafted.of_kinds["tables"].pending = None
    interrupted()
    app.run()
    assert any("a test" in str(error.value) for error in app.error)


def test_a_release_of_which_little_could_be_read_is_no_green_button(app):
    """The page judges by what was declared; nothing is read off the trips for it."""
    assert button(app, REVIEW).proto.type == "primary"
    assert not any("could be read" in warning.value for warning in app.warning)
    given(app, trips()).switch_page("pages/owner/data.py").run()
    app.switch_page(PAGE).run()
    named(app, "city trams", "riders of 2024")
    assert any("It is not known yet" in warning.value for warning in app.warning)
    assert button(app, REVIEW).proto.type == "secondary"
    next(n for n in app.number_input if n.label == "Trips, about").set_value(300).run()
    next(n for n in app.number_input if n.label == "People, about").set_value(30).run()
    (said,) = [warning.value for warning in app.warning if "could be read" in warning.value]
    assert "Little of this could be read" in said
    assert "What would help most" in texts(app)
    assert button(app, REVIEW).proto.type == "secondary"


def test_advice_is_taken_with_one_click_and_leaves_nothing_looked_at(app):
    app.number_input[0].set_value(50).run()
    before = readable(app)
    lines = [m.value for m in app.markdown if "instead of" in m.value]
    at = next(number for number, line in enumerate(lines) if line.startswith("M ="))
    promised = int(lines[at].rpartition("\\: about ")[2].split()[0])
    next(b for b in app.button if b.key == f"take advice {at}").click().run()
    assert not app.exception
    assert app.number_input[0].value < 50
    assert readable(app) == before + promised
    assert not any("M = " in m.value for m in app.markdown if "instead of" in m.value)
    assert "before_data" in app.session_state["atlas"].draft().ways


def test_advice_is_what_comes_also_where_the_cap_of_the_total_was_typed(app):
    next(n for n in app.number_input if n.label.startswith("Most trips of one person")).set_value(90).run()
    app.number_input[0].set_value(50).run()
    draft = app.session_state["atlas"].draft()
    found = worth(draft.plan(), draft.facts).helps
    at = next(number for number, one in enumerate(found) if one.change.startswith("M ="))
    next(b for b in app.button if b.key == f"take advice {at}").click().run()
    assert not app.exception
    assert draft.plan() == found[at].plan
    assert found[at].plan.choices.most_trips != 90
    field = next(n for n in app.number_input if n.label.startswith("Most trips of one person"))
    assert field.value == draft.most_trips


def test_the_plan_of_the_page_is_the_default_plan_for_what_is_declared_now():
    def default(draft):
        return default_plan(draft.bound, draft.epsilon, draft.tessellation, draft.facts, draft.choices)

    def field(start):
        return next(n for n in app.number_input if n.label.startswith(start))

    app = own(trips())
    named(app, "city trams", "riders of 2024")
    draft = app.session_state["atlas"].draft()
    first = draft.plan()
    assert first == default(draft)
    field("Trips, about").set_value(300_000).run()
    field("People, about").set_value(34_000).run()
    assert not app.exception
    assert draft.plan() == default(draft)
    assert draft.plan().weights["total_trips"] < first.weights["total_trips"]
    total = next(n for n in app.number_input if n.key == "release weight user total_trips")
    assert total.value == draft.plan().weights["total_trips"]
    total.set_value(35).run()
    field("Trips, about").set_value(400_000).run()
    assert not app.exception
    assert draft.plan().weights["total_trips"] == 35, "an edited weight stays"
    assert {*draft.plan().weights} == {*app.multiselect[0].value}


def test_the_last_word_says_what_the_release_will_give(app):
    review(app)
    said = texts(app)
    for label in ("Noise of a released count", "Trips that count", "Expected"):
        assert f"**{label}**" in said
    assert "lie in them; estimates of all trips" in said


def test_the_receipt_says_what_was_expected_and_what_came_as_every_page_says_it(app):
    app.multiselect[0].set_value(["visits_per_tile", "total_trips", "trips_per_hour"]).run()
    review(app)
    (expected,) = re.findall(
        r"\d[\d,to ]* of 150 tiles known; of 100 visits, [\d, to]+ lie in them", texts(app)
    )[:1]
    button(app, "Publish and charge").click().run()
    assert not app.exception
    (release,) = app.session_state["atlas"].draft().releases(curator.default_ledger(), "demo city")
    said = texts(app)
    assert f"Expected: {expected}." in said
    came = known_of(estimates_of(release))
    assert known_words(came) in said
    on_maps = known_card(release.measurements["visits_per_tile"], estimates_of(release))
    assert known_words(came) in on_maps.note
    assert on_maps.value == f"{came.known} of 150"


def test_districts_and_the_cap_of_the_total_are_public_choices_with_proposals(app):
    def field(start):
        return next(n for n in app.number_input if n.label.startswith(start))

    assert field("Districts, by halving").proto.placeholder == "7, proposed"
    assert "proposed" in field("Most trips of one person").proto.placeholder
    field("Districts, by halving").set_value(4).run()
    field("Most trips of one person").set_value(90).run()
    assert not app.exception
    choices = app.session_state["atlas"].draft().plan().choices
    assert (len(choices.districts.names), choices.most_trips) == (4, 90)
    next(c for c in app.button_group if c.label == "Hide").set_value(PrivacyUnit.TRIP).run()
    assert not app.exception
    assert not any(n.label.startswith("Most trips of one person") for n in app.number_input)
    assert "od_flows" in app.session_state["atlas"].draft().plan().weights


def test_where_flows_are_not_bought_release_and_explore_say_from_which_epsilon_on_they_would_be():
    def said(words: str) -> bool:
        return any(words in one.value.replace("\\", "") for one in app.caption)

    app = own(trips(users=40)).switch_page("pages/owner/explore.py").run()
    assert said("Flows between tiles are not bought without declared numbers.")
    named(app.switch_page(PAGE).run(), "city trams", "riders of 2024")
    assert said("Flows between tiles are not bought without declared numbers.")
    for label, about in (("Trips, about", 300), ("People, about", 100)):
        next(n for n in app.number_input if n.label == label).set_value(about).run()
    assert said("Flows between tiles would be bought")
    app.switch_page("pages/owner/explore.py").run()
    assert said("Flows between tiles would be bought")


def test_a_split_says_its_cost_before_it_is_chosen_and_is_published(app):
    (split,) = [one for one in app.multiselect if one.label == "Split by"]
    said = "\n".join(one.value for one in app.caption)
    assert "counts are on average 7 times smaller" in said
    assert "No longer so" in said
    split.set_value(["mode"]).run()
    assert not app.exception
    assert any(m.label.startswith(f"{KNOWN}, in an average part") for m in app.metric)
    app.switch_page("pages/owner/data.py").run()
    app.switch_page(PAGE).run()
    assert next(one for one in app.multiselect if one.label == "Split by").value == ["mode"]
    publish(app)
    assert not app.exception
    (release,) = curator.releases(curator.default_ledger(), "demo city")
    assert [one.name for one in release.plan.choices.splits] == ["mode"]


def test_too_many_parts_are_refused_on_the_page_and_nothing_is_offered(app, monkeypatch):
    monkeypatch.setattr(limits, "MAX_PARTS_OF_TABLES", 6)
    next(one for one in app.multiselect if one.label == "Split by").set_value(["mode"]).run()
    assert not app.exception
    assert "7 parts, the limit is 6" in "\n".join(one.value for one in app.error)
    assert REVIEW not in labels(app)
    next(one for one in app.multiselect if one.label == "Split by").set_value([]).run()
    assert not app.error
    assert REVIEW in labels(app)
