"""What the Release page says that a spend adds to an account, and giving back what was spent for nothing."""

from __future__ import annotations

import shutil
from dataclasses import replace
from fractions import Fraction

import pytest
from streamlit.testing.v1 import AppTest

from dpcore import curator
from dpcore.curator import price
from dpcore.errors import PrivacyError
from dpcore.ledger import Account, Ledger
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound, PrivacyUnit
from tests.app.own_trips import given
from tests.app.test_pages import trips
from tests.app.test_release_page import PAGE, REVIEW, button, little, metric, review, spent, texts
from tests.conftest import ROOT
from tests.curator.asking_synthetic import synthetic_releases


@pytest.fixture(autouse=True)
def own_ledger(tmp_path, own_home, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "ledger.db"))
    shutil.rmtree(own_home / "ledgers", ignore_errors=True)


@pytest.fixture
def app():
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)


def of_account(app, account: Account, part: str | None = None):
    """The Release page of own trips that are paid from an account."""
    curator.register(curator.default_ledger(), account)
    return of_trips(app, account, part)


def of_trips(app, account: Account, part: str | None = None, users: int = 40):
    """The Release page of the trips of so many people, paid from an account that exists."""
    given(app, trips(users)).switch_page(PAGE).run()
    next(s for s in app.selectbox if s.label == "Data set").set_value(account.dataset).run()
    if part:
        of_part(app, part)
    next(t for t in app.text_input if t.label == "Title").set_value("Trams").run()
    assert not app.exception
    return little(app)


def of_part(app, part: str):
    return next(s for s in app.selectbox if s.label == "Part").set_value(part).run()


def up_to(app, epsilon: str):
    slider = next(s for s in app.select_slider if s.label.startswith("Highest"))
    return slider.set_value(Fraction(epsilon)).run()


def publish(app):
    review(app)
    button(app, "Publish and charge").click().run()
    assert not app.exception
    assert not app.error


PARTS = Account("trams", "riders", PrivacyUnit.USER, Fraction(3), ("north", "south"), PrivacyUnit.USER)


def test_parts_that_run_side_by_side_are_charged_once_and_the_page_says_so(app):
    up_to(of_account(app, PARTS, "north"), "2")
    publish(app)
    up_to(of_trips(app, PARTS, "south", users=30), "1")  # the same file cannot be two parts
    assert (metric(app, "Price"), metric(app, "Left after it")) == ("ε 1", "ε 1")
    assert "adds ε 0 to what is spent" in texts(app)
    review(app)
    assert "ε 1 of 3" in texts(app)
    button(app, "Publish and charge ε 0").click().run()
    assert not app.error
    assert spent("trams") == 2
    up_to(app, "2")  # more than is left, but only half of it is charged
    assert metric(app, "Left after it") == "ε 0"
    app.radio[0].set_value("before_data").run()
    assert not button(app, REVIEW).disabled
    up_to(app, "5")
    assert metric(app, "Left after it") == "not enough"
    assert "ε 4 is asked, ε 1 is left. ε = 2 would fit" in texts(app)


def test_a_release_of_a_part_is_raised_for_what_the_account_pays(app):
    up_to(of_account(app, PARTS, "north"), "1")
    publish(app)
    up_to(of_trips(app, PARTS, "south", users=30), "3")
    publish(app)
    assert spent("trams") == 3  # nothing is left, and yet the north may follow for nothing
    target = next(s for s in app.selectbox if s.label == "Raise to ε" and Fraction(2) in values(s))
    target.set_value(Fraction(3)).run()
    assert "Costs ε 0 more" in texts(app)
    button(app, "Raise to ε 3").click().run()
    button(app, "Raise and charge ε 0").click().run()
    assert not app.error
    assert spent("trams") == 3


def values(selectbox) -> list[Fraction]:
    return [Fraction(option) for option in selectbox.options]


def test_the_histogram_is_offered_for_what_it_adds_to_the_account(app):
    account = Account("trips", "riders", PrivacyUnit.TRIP, Fraction(10))
    of_account(app, account)
    plan = Plan.up_to(ContributionBound.per_user(500), {"trips_per_user": 1}, Fraction(1, 10))
    cost = price(plan, PrivacyUnit.TRIP).epsilon
    assert cost == Fraction(1, 5)
    button(app, "Pay ε 0.2 for").click().run()
    button(app, "Publish and charge ε 0.2").click().run()
    assert not app.error
    assert spent("trips") == cost


def test_a_histogram_that_the_account_does_not_hold_is_not_offered(app):
    of_account(app, replace(PARTS, total=Fraction(1, 20)))
    assert not [b for b in app.button if b.label.startswith("Pay ε")]
    assert "It would cost ε 0.1, and ε 0.05 is left" in texts(app)


def cut_short(app, where: str, monkeypatch):
    """A release of the city that stopped after it was charged."""

    def crash(*_, **__):
        raise RuntimeError("the lights went out")

    app.switch_page(PAGE).run()
    little(app)
    with monkeypatch.context() as broken:
        broken.setattr(*((Ledger, where) if where == "commit" else (where,)), crash)
        review(app)
        button(app, "Publish and charge").click().run()
    assert spent() == 1
    again = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page(PAGE).run()
    assert "Not finished" in texts(again)
    return again


def test_synthetic_trips_that_were_cut_short_are_finished_here_without_a_charge(app, monkeypatch):
    def crash(*_, **__):
        raise RuntimeError("the lights went out")

    app.switch_page("pages/owner/synthesize.py").run()
    next(iter(app.radio)).set_value("before_data").run()
    with monkeypatch.context() as broken:
        broken.setattr(Ledger, "commit", crash)
        button(app, REVIEW).click().run()
        button(app, "Publish and charge").click().run()
    again = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page(PAGE).run()
    assert "Not finished" in texts(again)
    button(again, "Finish it").click().run()
    button(again, "Finish, without a charge").click().run()
    assert not again.exception
    assert not again.error
    assert "Published" in texts(again)
    assert "Not finished" not in texts(again)
    assert "See it in the Library" in [link.proto.label for link in again.get("page_link")]
    (release,) = synthetic_releases()
    assert release.plan.epsilon == spent() == 1


def test_what_was_charged_and_not_drawn_is_given_back_with_a_reason(app, monkeypatch):
    app = cut_short(app, "dpcore.curator.publishing._draw", monkeypatch)
    button(app, "Give back ε 1").click().run()
    assert "needs a reason" in app.error[0].value
    assert spent() == 1
    reason = next(t for t in app.text_input if t.label.startswith("How is it known"))
    reason.set_value("the computer went off before it began").run()
    button(app, "Give back ε 1").click().run()
    assert not app.exception
    assert not app.error
    assert spent() == 0
    assert "Not finished" not in texts(app)
    assert "the computer went off" in texts(app)


def test_what_was_drawn_is_not_given_back_and_the_page_says_why(app, monkeypatch):
    app = cut_short(app, "commit", monkeypatch)
    next(t for t in app.text_input if t.label.startswith("How is it known")).set_value("I hope so").run()

    def drawn(*_):
        raise PrivacyError("noise was drawn already", "entry 2", "Finish it.")

    monkeypatch.setattr(curator, "void", drawn)
    button(app, "Give back ε 1").click().run()
    assert not app.exception
    assert "Noise was drawn already" in app.error[0].value
    assert spent() == 1
