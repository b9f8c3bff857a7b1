"""Lesson 12: a clinic may be hidden better than a square, but sharp counts around it say who is there."""

from functools import partial
from inspect import getsource

import streamlit as st

from dpcore.lessons import places
from dpcore.lessons.attacks import exclusion
from dpcore.privacy import RUNGS, best_guess, decimal_text
from dpcore.views.lessons.places import certainty, two_ways
from pages.learn.parts import classroom, frame
from pages.learn.parts.choices import one_listed
from pages.learn.parts.notes_on_release import PLACES, PLACES_SOURCES
from pages.learn.parts.percent import at_most
from pages.learn.parts.pictures import picture

TRIES = 1_000

mine = frame.opening("12_places_that_matter_more")
frame.try_it()
st.markdown(
    f"On one day, trips leave **{places.STATION}**. Some go to a clinic in **{places.CLINIC}**, most elsewhere, many to the square at the "
    f"**{places.SQUARE}**. Say how delicate each place is: the counts of delicate ones get more noise. **One trip** is hidden."
)
left, right = st.columns(2)
clinic = one_listed(left, "The clinic is", places.NAMES, places.NAMES[4], key="12-clinic")
others = one_listed(right, "The square and all others are", places.NAMES, places.NAMES[0], key="12-others")
epsilon = left.select_slider("ε of Critical", RUNGS[1:8], RUNGS[3], decimal_text, key="12-epsilon", bind="query-params")  # fmt: skip
times = right.select_slider(
    "Public-ish may have so many times as much", places.TIMES, 5, key="12-times", bind="query-params"
)
judged = places.judged(clinic, others, times, epsilon)
square = places.numbers()[places.SQUARE]
for column, name, loss in zip(
    st.columns(3),
    (f"ε of the clinic ({clinic})", f"ε of the square ({others})", "ε of the whole trip"),
    (judged.loss(judged.clinic), judged.loss(square), judged.price.record),
    strict=True,
):
    column.metric(name, decimal_text(loss), border=True)
st.caption(
    f"A place's ε hides whether a trip **went on** there or ended before. It says of the clinic: from 50 % to at most {at_most(best_guess(judged.loss(judged.clinic)))}. "
    "The ε of the whole trip hides whether it was made. A person with several trips loses at most as many times as much."
)
st.markdown(
    "**Attack.** Somebody left the station. You know where all others went, but not: **did this one go to the clinic or to the square?**"
)
share = classroom.drawn(
    "12-excluded", partial(places.attacked, judged, TRIES), clinic, others, times, epsilon, TRIES
)
found = classroom.drawn("12-counts", partial(places.told, judged), clinic, others, times, epsilon)
for column, name, value in zip(
    st.columns(3),
    (f"Right in {TRIES:,} tries", "Right by formula", "Sure where both counts agree"),
    (share, judged.right, judged.surest),
    strict=True,
):
    column.metric(name, f"{100 * (min(value, 0.9999)):.2f} %" if value < 1 else "100 %", border=True)
by_times = [places.judged(clinic, others, one, epsilon) for one in places.TIMES]
left, right = st.columns(2)
with left:
    alone = best_guess(judged.rate(judged.clinic))
    rights, sures = [one.right for one in by_times], [one.surest for one in by_times]
    picture(certainty(places.TIMES, rights, sures, alone, times), "certainty-by-exclusion")
with right:
    st.markdown(
        "**How many went to the clinic?** Everybody here went somewhere, so two ways lead to the number: "
        "its own noisy count, and all who left less all others."
    )
    picture(
        two_ways(found.truth, (found.own, found.own_within), (found.left, found.left_within)),
        "clinic-in-two-ways",
    )
    if st.button("New noise", icon=":material/casino:"):
        classroom.next_turn("12-excluded")
        classroom.next_turn("12-counts")
        st.rerun()
frame.what_happened()
st.markdown(
    "The clinic's own count keeps its noise, whatever the others show. But where the square's count is sharp, a trip that is **missing** "
    "there must have gone to the clinic. From some point on, subtracting all sharp counts even gives the number at the clinic exactly. "
    "No promise was broken: the clinic's ε is about *went on there or ended before*, the ε of the whole trip about *made or not*. *Clinic or square* is "
    "a third question. It changes the counts of both places, so the ε of both add up: "
    f"{decimal_text(judged.loss(judged.clinic))} + {decimal_text(judged.loss(square))} = {decimal_text(judged.loss(judged.clinic) + judged.loss(square))} here."
)
frame.attack_code(getsource(exclusion.log_odds), getsource(exclusion.what_is_left))
frame.why()
st.markdown(
    "Personal levels buy accuracy where it hurts least, and that is worth having. But places are not apart: who is not here is there. So "
    "**give harmless places only an ε that you would defend alone**, show the ε of the whole trip beside that of the clinic, and set levels "
    "from what places are, never from data. With all places Critical both numbers are the same ε, and *clinic or square* has 2 ε at most. "
    "As soon as other places have more, their counts tell more of the clinic than its own ε does."
)
frame.verify(
    "At ε 0.5 and 5 times, the square's noise has the rate (2.5 - 0.5 / 3) / 2 = 1.17, so the attacker is right with "
    "1 / (1 + exp(-1.17)) = 76 %. The clinic's own count has the rate 0.5 / 3: 54 %."
)
frame.check(
    "A map protects clinics with ε = 0.1 and everything else with ε = 10. What protects a visit to a clinic?",
    ["ε = 0.1", "ε = 10.1 at worst: sharp counts elsewhere tell it", "Nothing at all has been promised"],
    1,
    "Clinic instead of square takes a trip from one count and gives it to another: 0.1 and 10 add up, and the 10 gives it away. "
    "The ε of the whole trip is about another question, whether it was made at all: then one budget covers all of it, here 10.",
    key="12",
)
frame.closing(mine, PLACES, PLACES_SOURCES)
