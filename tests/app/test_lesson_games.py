"""What learners do in the lessons that are games: guess, choose, audit, accuse; and what a link restores."""

from __future__ import annotations

import time

import pytest

from dpcore.lessons.city import city
from tests.app.test_lessons import opened

GAME = "pages/learn/06_shapes_of_noise.py"
GHOSTS = "pages/learn/07_ghost_flows.py"
GUESS = {"6-part": "Guess against the bot"}
BITS = "pages/learn/10_tiny_bits.py"
AUDIT = "pages/learn/14_find_the_broken_mechanism.py"


@pytest.fixture(scope="module", autouse=True)
def city_is_there(city_home):
    city()
    return city_home


def metric(app, label):
    return next(one.value for one in app.metric if label in one.label)


def press(app, label):
    began = time.process_time()
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception, app.exception
    return time.process_time() - began


def test_twenty_guesses_are_counted_and_a_new_game_begins_at_nothing():
    app = opened(GAME, **GUESS)
    for number in range(20):
        press(app, "My trip is in")
        assert metric(app, "You").endswith(f"of {number + 1}")
        assert metric(app, "same answers").endswith(f"of {number + 1}")
    assert "My trip is in" not in [button.label for button in app.button]
    assert any(text.value.startswith("Answer 20: your trip was") for text in app.markdown)
    press(app, "New game")
    assert metric(app, "You") == "0 of 0"
    assert metric(app, "Answer 1 of 20")


def test_another_noise_begins_another_game_and_a_link_brings_its_epsilon():
    app = opened(GAME, **{"6-part": "Many counts", "6-counts": "20"})
    assert app.slider(key="6-counts").value == 20
    app = opened(GAME, **GUESS, **{"6-epsilon": "0.1", "6-noise": "Gaussian"})
    press(app, "My trip is out")
    assert metric(app, "You").endswith("of 1")
    app.segmented_control(key="6-noise").set_value("geometric").run()
    assert metric(app, "You") == "0 of 0"
    assert metric(app, "The bound") == "52.5 %"


def test_a_link_restores_the_state_of_ghosts_and_bits():
    app = opened(GHOSTS, **{"7-threshold": "5", "7-cut": "150 districts", "7-epsilon": "0.5"})
    assert app.slider(key="7-threshold").value == 5
    assert any("22,500 flows" in text.value for text in app.caption)
    app = opened(GHOSTS, **{"7-part": "No list of flows", "7-stable": "11"})
    assert app.slider(key="7-stable").value == 11
    assert metric(app, "δ") == "1 in 30,130"
    app = opened(BITS, **{"10-digits": "6", "10-output": "3"})
    assert metric(app, "Outputs in all") == "126"


def test_a_higher_threshold_leaves_fewer_ghosts_of_the_same_draw():
    app = opened(GHOSTS)
    first = int(metric(app, "Ghost flows").replace(",", ""))
    assert first > 30_000
    app.slider(key="7-threshold").set_value(12).run()
    assert int(metric(app, "Ghost flows").replace(",", "")) < 10
    app.slider(key="7-threshold").set_value(1).run()
    assert int(metric(app, "Ghost flows").replace(",", "")) == first


def test_the_bits_say_only_what_is_true():
    app = opened(BITS, **{"class": "7", "10-part": "All digits"})
    assert metric(app, "told wrongly") == "0"
    assert 0.7 < float(metric(app, "those that tell").rstrip(" %")) / 100 < 0.9


def test_the_largest_audit_answers_at_once_and_is_kept():
    app = opened(AUDIT, **{"14-trials": "30,000", "14-machine": "C"})
    assert any("C** " in text.value and "(30,000)" in text.value for text in app.caption)
    found = metric(app, "The auditor says")
    app.run()
    assert metric(app, "The auditor says") == found
    assert min(press(app, "Audit again") for _ in range(3)) < 0.3


def test_the_accused_are_judged_and_new_machines_begin_anew():
    app = opened(AUDIT, **{"class": "7", "14-accused": "A"})
    assert any("1 marked" in text.value for text in app.caption)
    assert not app.toggle
    app = opened(AUDIT, **{"class": "7", "14-accused": ["A", "B", "C", "D", "E"]})
    app.toggle[0].set_value(True).run()
    honest = [text.value for text in app.markdown if "is honest**" in text.value]
    assert len(honest) == 1
    verdicts = [box.value for box in (*app.success, *app.warning, *app.info)]
    nobody_wronged = "**F is honest**" in honest[0]
    assert any("nobody wronged" in text for text in verdicts) == nobody_wronged
    press(app, "New machines")
    assert any("0 marked" in text.value for text in app.caption)
