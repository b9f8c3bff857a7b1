"""Lesson 2: fresh noise for every question is averaged away, rescaled noise is solved for, the ladder holds."""

from functools import partial
from inspect import getsource

import streamlit as st

from dpcore.lessons.asking import slider
from dpcore.lessons.attacks import all_rungs, averaging, two_stops
from dpcore.lessons.city import city
from pages.learn.parts import classroom, frame, notes_on_people
from pages.learn.parts.choices import one_listed
from pages.learn.parts.three_sliders import EPSILON, MOST, fresh, held, rescaled

mine = frame.opening("02_the_slider_that_leaks")
made = classroom.drawn("2-slider", partial(slider, city().starts, EPSILON, MOST))
names = city().tessellation.tile_ids
frame.try_it()
st.markdown(
    "How many trips start in each tile? **One trip** is hidden: it changes one number by 1, and the noise fits that."
)
place = names.index(one_listed(st.container(), "Tile", names, names[0], key="2-place"))
asking, sliding, ladder = st.tabs(
    ["Ask again", "The smooth slider", "The ladder"], key="2-slider", bind="query-params"
)
for tab, show in (
    (asking, partial(fresh, made, place, names[place])),
    (sliding, partial(rescaled, made)),
    (ladder, partial(held, made)),
):
    if tab.open:  # the others wait until they are looked at
        with tab:
            show()
if st.button("New noise", icon=":material/casino:"):
    classroom.next_turn("2-slider")
    st.rerun()
frame.what_happened()
st.markdown(
    "On average every fresh answer at ε 0.5 brings the mean nearer to the truth, while the bill grows without being shown. The smooth slider is "
    "worse: it moves one draw of noise in and out, and two stops are two equations. The ladder of this app survives both: "
    "its coarser stops are made of the finest one that was paid for."
)
frame.attack_code(
    getsource(averaging.mean_so_far), getsource(two_stops.truth_from), getsource(all_rungs.weighted_mean)
)
frame.why()
st.markdown(
    "What several answers tell can add up. So a tool must either **charge for every answer**, or **make new answers out of "
    "old ones**, which tells nothing more. This app does both: a new release is charged, moving its slider is free."
)
frame.verify("20 questions at ε 0.5 cost 10, as much as all thirteen stops of the ladder together.")
frame.check(
    "A dashboard draws new noise at ε = 0.1 every time the page loads. You reload it 100 times. What has been spent?",
    ["0.1", "1", "10"],
    2,
    "100 answers of 0.1 each: ε = 10, whoever looked at them.",
    key="02",
)
frame.closing(mine, notes_on_people.ASKING.mathematics, notes_on_people.ASKING.sources)
