"""Lesson 1: a table that hides small counts, the same with one more day, and a person falls out; noise holds them."""

from inspect import getsource

import streamlit as st

from dpcore.lessons import differencing
from dpcore.lessons.attacks import differencing as attack
from dpcore.lessons.city import city
from pages.learn.parts import frame, notes_on_people, two_tables
from pages.learn.parts.choices import one_listed

PLACES = ("D041", "D050", "D024", "D043", "D088")

mine = frame.opening("01_why_counting_is_not_enough")
frame.try_it()
st.markdown(
    "Two tables say how many trips came to a place, by where they began. The second holds one more day."
)
to, when = st.columns(2)
ids = city().tessellation.tile_ids
place = one_listed(
    to,
    "Trips to",
    PLACES,
    PLACES[0],
    format_func=lambda one: two_tables.names(ids.index(one)),
    key="1-place",
)
day = when.slider(
    "Day that only the second table holds (5 to 31 March)", 5, 31, 24, key="1-day", bind="query-params"
)
tables = differencing.two_tables(ids.index(place), day - 4)
hiding, noise = st.tabs(
    [f"Counts below {differencing.LEAST} hidden", "With noise"], key="1-answers", bind="query-params"
)
if hiding.open:
    with hiding:
        two_tables.exact(tables)
if noise.open:
    with noise:
        two_tables.with_noise(tables)
frame.what_happened()
st.markdown(
    "Neither table shows a small count. Their difference does: it is the count of one day, tile by tile, and where it is 1 "
    "it is somebody. With noise in both tables the difference is noise too, and hides a single trip, the better the smaller ε is."
)
frame.attack_code(getsource(attack.readable), getsource(attack.extra), getsource(attack.says_there))
frame.why()
st.markdown(
    "A rule such as *hide what is below ten* looks at one table. An attacker looks at all of them, and at what the "
    "neighbours know anyway. **Differential privacy** promises something about all answers together that its ε was spent on: with or "
    "without your trip, each of them is almost equally likely. ε says how nearly."
)
frame.verify(
    "Choose a tile with a 1: its number in the second table is one more than in the first. And where a fair coin "
    "decides whether a trip is in the data, nobody who sees the noisy tables at ε = 1 guesses right more often than e / (1 + e), at most 73.2 %. "
    "*Where* a trip that is in the data went is another question: it takes one trip out and puts another in, so twice ε, at most 88.1 %."
)
frame.check(
    "A town hides counts below 10. It prints 240 trips for March, and 239 for March without the 12th. What is told?",
    [
        "Nothing: both counts are large",
        "That exactly one trip was made on the 12th",
        "Only that few trips were made on the 12th",
    ],
    1,
    "240 less 239 is 1, however large both counts are.",
    key="01",
)
frame.closing(mine, notes_on_people.COUNTING.mathematics, notes_on_people.COUNTING.sources)
