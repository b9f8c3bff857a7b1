"""Whom do we hide?

A trip is hidden. Is the person who made forty of them?

5 minutes, :material/person_search:

Noise that hides one trip does not hide people with many trips. Noise that hides people does.
"""

from fractions import Fraction
from functools import partial
from inspect import getsource

import streamlit as st

from dpcore.lessons import attacks, hiding
from dpcore.lessons.city import city
from dpcore.privacy import PrivacyUnit, at_most_text
from pages.learn.parts import classroom, frame
from pages.learn.parts.frame import at_most, one_listed, one_of, picture

CERTAIN = 0.99
TRIES = 1_000
TRIPS = (1, 2, 4, 7, 10, 16, 32, 64, 128)
UNITS = {"One trip": PrivacyUnit.TRIP, "A person": PrivacyUnit.USER}
NOTES = r"""
**Group privacy.** If each trip is hidden with $\varepsilon$, the presence of a person with $k$ trips is hidden with $k\varepsilon$:
taking the trips away one by one moves the odds by $e^{\varepsilon}$ at most each time. A belief of one half can become
$e^{k\varepsilon}/(1+e^{k\varepsilon})$; it crosses 99 % from $k > \ln(99)/\varepsilon = 4.6/\varepsilon$ trips.

**The attack.** For noise that is likely as $e^{-\rho|v|}$ the odds of a count $y$, given $c$ others and $n$ own trips, move
by $\rho(|y-c| - |y-c-n|)$. Summed over all flows of the person this is the best test there is (Neyman and Pearson). Some
answers move the odds as far as the bound. Answers between $c$ and $c+n$ move them less, and so do flows that contradict each
other. So for more than one trip the attacker is right less often than the bound says.

**The case.** Google shared weekly flows with $\varepsilon = 0.66$ for each journey of a person, each journey counted once a
week. Houssiau, Rocher and de Montjoye ran the test for 32 different journeys: right in 95.4 % of the cases. The bound is
$32 \cdot 0.66 = 21.1$, more than 99.99 %. With the whole numbers that this app draws, the same test is right a little more often.

**Hiding people.** At most $M$ trips of each person count, and the noise is $M$ times as wide. Then $\varepsilon$ holds for
the presence of everybody, and $\varepsilon k/M$ for a person with $k < M$ trips. *Which* trips a person in the data made is another
question. It takes two steps, all trips out and others in, so it has $2\varepsilon$.

*Ask the class:* whom does *one trip is hidden* not protect? Who would choose M, and what does it cost them?
"""
SOURCES = (
    "Houssiau, Rocher, de Montjoye: On the difficulty of achieving differential privacy in practice, Nature Communications 2022",
    "Bassolas and others: Hierarchical organization of urban mobility, Nature Communications 2019 (the release)",
    "Dwork, Roth: The algorithmic foundations of differential privacy, 2014, section 2.3 (groups)",
)


def promise_asked() -> tuple[hiding.Promise, int]:
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
    right = classroom.kept_draw(
        "3-recognised", partial(hiding.recognised, own, promise.rate, TRIES), own, promise.rate
    )
    frame.metrics(
        (f"ε of the presence of {city().people[person]}", at_most_text(promise.loss(trips))),
        ("Certainty of 50 % can grow to", percent(promise.certainty(trips))),
        (f"Attacker right in {TRIES:,} tries", f"{100 * right:.1f} %"),
    )
    st.caption(
        f"{city().people[person]} made {trips} trip{'s' * (trips > 1)}; counted: {promise.counted(trips)}, on {len(own)} different "
        f"journey{'s' * (len(own) > 1)}. "
        "Each time a coin puts this person in or leaves them out; the attacker knows everybody else's trips and sees the noisy flows."
    )


mine = frame.opening(__file__)
st.markdown("Flows between tiles are published with noise. Choose **whom** the noise hides, and how well.")
promise, trips = promise_asked()
everybody, crosses = city().trips_per_person, promise.crosses_from(CERTAIN)
told = 0 if crosses is None else int((everybody >= crosses).sum())
frame.metrics(
    ("99 % can be reached from", "nobody" if crosses is None else f"{crosses} trip{'s' * (crosses > 1)}"),
    ("People whom that concerns", f"{told:,} of {len(everybody):,}"),
)
picture(hiding.people_chart(everybody, crosses, trips), "people-by-trips")
one_person(promise, trips)
frame.again("Attack again", "3-recognised")
frame.what_happened(
    "When **one trip** is hidden, each trip of a person adds its own ε. With many trips the bound promises nothing any more. When "
    "**a person** is hidden, only M trips of each count and the noise is M times as wide: nobody has more than ε, and a person "
    "with one trip has ε / M. In the long run the attacker never gets above the bound, and often stays below it."
)
frame.attack_code(getsource(attacks.log_odds))
frame.why(
    "ε always protects a **privacy unit**: the trip or the person by which two neighbouring data sets differ. Ask for the unit "
    "before you ask for the number. "
    "Google shared flows with ε = 0.66 for each journey of a week. For somebody with one journey, a belief of 50 % that it was "
    "made can rise to at most 66 %. Houssiau, Rocher and de Montjoye (2022) took 32 different ones: the attacker was right in 95 "
    "% of the cases.\n\n"
    "All of this is about **presence**: are the trips in the data, or not? One may also ask *which* trips somebody in the data "
    "made. That takes trips out and puts others in, so at most 2 x ε of a person: from 50 % to at most 88.1 % at ε = 1, not 73.2 "
    "%."
)
frame.verify(
    "32 trips at 0.66 each are 32 x 0.66 = 21.12. And 99 % is reached where trips x ε is above ln 99 = 4.6. Hide a person, ε = 5, M = 8, "
    "one trip: 5 / 8 = 0.625, so from 50 % to at most 65.2 %."
)
frame.check(
    "A bike share hides each ride with ε = 0.5. Somebody rides twice a day. What do four weeks of 56 rides add up to?",
    ["0.5", "28", "It depends on where they ride"],
    1,
    "56 rides of 0.5 each: the promise to this person is ε = 28, which protects nothing.",
    key="03",
)
frame.closing(mine, NOTES, SOURCES)
