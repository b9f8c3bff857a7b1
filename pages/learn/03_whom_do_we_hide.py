"""Lesson 3: noise that hides one trip lets people with many trips be told; noise that hides people does not."""

from fractions import Fraction
from functools import partial
from inspect import getsource

import streamlit as st

from dpcore.lessons import hiding
from dpcore.lessons.attacks import presence
from dpcore.lessons.city import city
from dpcore.privacy import PrivacyUnit, at_most_text
from dpcore.views.lessons.hiding import people
from pages.learn.parts import classroom, frame, notes_on_people
from pages.learn.parts.choices import one_listed, one_of
from pages.learn.parts.percent import at_most
from pages.learn.parts.pictures import picture

CERTAIN = 0.99
TRIES = 1_000
TRIPS = (1, 2, 4, 7, 10, 16, 32, 64, 128)
UNITS = {"One trip": PrivacyUnit.TRIP, "A person": PrivacyUnit.USER}


def chosen() -> tuple[hiding.Promise, int]:
    """What is promised, and the trips of one person."""
    whom, much, who = st.columns([3, 4, 3])
    unit = UNITS[one_of(whom, "Hide", [*UNITS], "One trip", key="3-hide")]
    name = "ε for each trip" if unit is PrivacyUnit.TRIP else "ε for each person"
    epsilon = much.slider(name, 0.05, 6.0, 0.66, 0.01, key="3-epsilon", bind="query-params")
    trips = one_listed(who, "A person with so many trips", TRIPS, 32, key="3-trips")
    most = 1
    if unit is PrivacyUnit.USER:
        most = whom.number_input(
            "M: trips of each person that count (1 to 50)", 1, 50, 8, key="3-most", bind="query-params"
        )
    return hiding.Promise(unit, Fraction(str(epsilon)), most), trips


def percent(share: float) -> str:
    """A bound, rounded up; a share near one is never rounded up to certainty."""
    return "more than 99.99 %" if share > 0.9999 else at_most(share, 2)


def one_person(promise: hiding.Promise, trips: int) -> None:
    """What that person can lose, and how often the best attacker is right about them."""
    person = int(hiding.people_with(trips)[0])
    own = hiding.journeys(person, None if promise.unit is PrivacyUnit.TRIP else promise.max_trips)
    right = classroom.drawn(
        "3-recognised", partial(hiding.recognised, own, promise.rate, TRIES), own, promise.rate
    )
    one, two, three = st.columns(3)
    one.metric(
        f"ε of the presence of {city().people[person]}", at_most_text(promise.loss(trips)), border=True
    )
    two.metric("Certainty of 50 % can grow to", percent(promise.certainty(trips)), border=True)
    three.metric(f"Attacker right in {TRIES:,} tries", f"{100 * right:.1f} %", border=True)
    st.caption(
        f"{city().people[person]} made {trips} trip{'s' * (trips > 1)}; counted: {promise.counted(trips)}, on {len(own)} different journey{'s' * (len(own) > 1)}. "
        "Each time a coin puts this person in or leaves them out; the attacker knows everybody else's trips and sees the noisy flows."
    )


mine = frame.opening("03_whom_do_we_hide")
frame.try_it()
st.markdown("Flows between tiles are published with noise. Choose **whom** the noise hides, and how well.")
promise, trips = chosen()
everybody, crosses = city().trips_per_person, promise.crosses_from(CERTAIN)
told = 0 if crosses is None else int((everybody >= crosses).sum())
reach, share = st.columns(2)
reach.metric(
    "99 % can be reached from",
    "nobody" if crosses is None else f"{crosses} trip{'s' * (crosses > 1)}",
    border=True,
)
share.metric("People whom that concerns", f"{told:,} of {len(everybody):,}", border=True)
picture(people(everybody, crosses, trips), "people-by-trips")
one_person(promise, trips)
if st.button("Attack again", icon=":material/casino:"):
    classroom.next_turn("3-recognised")
    st.rerun()
frame.what_happened()
st.markdown(
    "When **one trip** is hidden, each trip of a person adds its own ε. With many trips the bound says nothing any more. When "
    "**a person** is hidden, only M trips of each count and the noise is M times as wide: ε is the most for everybody, and "
    "somebody with one trip has ε / M. In the long run the attacker never gets beyond the bound, and often stays below it."
)
frame.attack_code(getsource(presence.log_odds))
frame.why()
st.markdown(
    "ε always speaks of a **unit**: what one data set has more than its neighbour. Ask for it before you ask for the number. "
    "Google shared flows with ε = 0.66 for each journey of a week. That moves a belief of 50 % that a journey was made to at most 66 %, for somebody "
    "with one journey. Houssiau, Rocher and de Montjoye (2022) took 32 different ones: the attacker was right in 95 % of the cases.\n\n"
    "All of this is about **presence**: are the trips in the data, or not? For somebody who is in the data one may also ask *which* trips "
    "they made. That takes trips out and puts others in, so at most 2 x ε of a person: from 50 % to at most 88.1 % at ε = 1, not 73.2 %."
)
frame.verify(
    "32 trips at 0.66 each are 32 x 0.66 = 21.12. And 99 % is reached where trips x ε is above ln 99 = 4.6. Hide a person, ε = 5, M = 8, "
    "one trip: 5 / 8 = 0.625, so from 50 % to at most 65.2 %."
)
frame.check(
    "A bike share hides each ride with ε = 0.5. Somebody rides twice a day. What do four weeks of 56 rides add up to?",
    ["0.5", "28", "It depends on where they ride"],
    1,
    "56 rides of 0.5 each: the promise to this person is ε = 28, which is none.",
    key="03",
)
frame.closing(mine, notes_on_people.UNITS.mathematics, notes_on_people.UNITS.sources)
