"""Places that matter more.

Can a clinic be hidden better than a station square?

5 minutes, :material/local_hospital:

A clinic may be hidden better than a square, but sharp counts of other places tell who is at the clinic.
"""

from functools import partial
from inspect import getsource

import streamlit as st

from dpcore.lessons import attacks, places
from dpcore.privacy import RUNGS, best_guess, decimal_text
from pages.learn.parts import classroom, frame
from pages.learn.parts.frame import at_most, one_listed, picture

TRIES = 1_000
NOTES = r"""
**Rates.** A trip has $h = 2$ tiles and an end, $H = 3$ positions. $\varepsilon$ is the budget of Critical and $B$ that of the
other places. With $m = \varepsilon/3$ the number of all who left and each number of a harmless tile get noise of the rate
$(B - m)/2$, a Critical clinic of the rate $m$. A trip that *ended at the station* instead of going on to the clinic differs by
at most $\varepsilon$ in all (theorem A of `dpcore.kinds.tree`).

**Exclusion.** *Clinic or square* is another question: both trips go on. One count of each place changes by 1, so the odds move by
at most $e^{r_c + r_s}$, with the rates $r_c$ and $r_s$, and in general by $e^{\varepsilon + B}$. Each count speaks for one
answer with the strength of its rate, and is right with the chance $1/(1 + e^{-r})$. The best attacker follows the sharper one.

**All who left less all others.** The variance adds up: with $q = e^{-r}$ and 149 counts it is $149 \cdot 2q/(1-q)^2$. For small
$r$ that is more than the clinic's own noise, for large $r$ it is next to nothing.

**No way around.** Every definition that protects some values less has this weakness. Plain differential privacy of trips does not
have it: make all places Critical.

*Ask the class:* who decides what a place is? What if the clinic is the only place that is Critical?
"""
SOURCES = (
    "Deldar, Abadi: PLDP-TD, Pervasive and Mobile Computing 49, 2018 (the idea; definitions and proofs here are our own)",
    "Jorgensen, Yu, Cormode: Conservative or liberal? Personalized differential privacy, ICDE 2015",
    "Kotsogiannis and others: One-sided differential privacy, 2020 (the exclusion attack)",
)


mine = frame.opening(__file__)
st.markdown(
    f"On one day, trips leave **{places.STATION}**. Some go to a clinic in **{places.CLINIC}**, most elsewhere, many to the square at the "
    f"**{places.SQUARE}**. Say how delicate each place is: the counts of delicate places get more noise. The noise hides **one trip**."
)
left, right = st.columns(2)
clinic = one_listed(left, "The clinic is", places.NAMES, places.NAMES[4], key="12-clinic")
others = one_listed(right, "The square and all others are", places.NAMES, places.NAMES[0], key="12-others")
epsilon = frame.stop(left, "ε of Critical", RUNGS[1:8], RUNGS[3], key="12-epsilon")
times = right.select_slider(
    "Public-ish may have so many times as much", places.TIMES, 5, key="12-times", bind="query-params"
)
judged = places.judged(clinic, others, times, epsilon)
square = places.numbers()[places.SQUARE]
frame.metrics(
    (f"ε of the clinic ({clinic})", decimal_text(judged.loss(judged.clinic))),
    (f"ε of the square ({others})", decimal_text(judged.loss(square))),
    ("ε of the whole trip", decimal_text(judged.price.record)),
)
st.caption(
    "A place's ε hides whether a trip **went on** there or ended before. It says of the clinic: from 50 % to at most "
    f"{at_most(best_guess(judged.loss(judged.clinic)))}. "
    "The ε of the whole trip hides whether it was made. A person with several trips loses at most as many times as much."
)
st.markdown(
    "**Attack.** Somebody left the station. You know where all others went, but not: **did this one go to the clinic or to the square?**"
)
share = classroom.kept_draw(
    "12-excluded", partial(places.attacked, judged, TRIES), clinic, others, times, epsilon, TRIES
)
found = classroom.kept_draw("12-counts", partial(places.clinic_twice, judged), clinic, others, times, epsilon)
frame.metrics(
    *(
        (name, f"{100 * (min(value, 0.9999)):.2f} %" if value < 1 else "100 %")
        for name, value in (
            (f"Right in {TRIES:,} tries", share),
            ("Right by formula", judged.right),
            ("Sure where both counts agree", judged.surest),
        )
    )
)
by_times = [places.judged(clinic, others, one, epsilon) for one in places.TIMES]
left, right = st.columns(2)
with left:
    alone = best_guess(judged.rate(judged.clinic))
    picture(places.certainty_chart(by_times, alone, times), "certainty-by-exclusion")
with right:
    st.markdown(
        "**How many went to the clinic?** Everybody here went somewhere, so two ways lead to the number: "
        "its own noisy count, and all who left less all others."
    )
    picture(places.two_ways_chart(found), "clinic-in-two-ways")
    frame.again("New noise", "12-excluded", "12-counts")
frame.what_happened(
    "The clinic's own count keeps its noise, whatever the others show. But where the square's count is sharp, a trip that is **missing** "
    "there must have gone to the clinic. If the other counts are sharp enough, subtracting them even gives the number at the clinic exactly. "
    "No promise was broken: the clinic's ε is about *went on there or ended before*, the ε of the whole trip about *made or not*. *Clinic or square* is "
    "a third question. It changes the counts of both places, so the ε of both add up: "
    f"{decimal_text(judged.loss(judged.clinic))} + {decimal_text(judged.loss(square))} = "
    f"{decimal_text(judged.loss(judged.clinic) + judged.loss(square))} here."
)
frame.attack_code(getsource(attacks.log_odds_of_place), getsource(attacks.what_is_left))
frame.why(
    "Personal levels buy accuracy where it hurts least, and that is worth having. But places are not independent: a trip that did "
    "not go to one place went to another. So "
    "**give harmless places only an ε that you would defend alone**, show the ε of the whole trip beside that of the clinic, and set levels "
    "from what places are, never from data. With all places Critical both numbers are the same ε, and *clinic or square* has 2 ε at most. "
    "As soon as other places have more, their counts tell more of the clinic than its own ε does."
)
frame.verify(
    "At ε 0.5 and 5 times, the square's noise has the rate (2.5 - 0.5 / 3) / 2 = 1.17, so the attacker is right with "
    "1 / (1 + exp(\N{MINUS SIGN}1.17)) = 76 %. The clinic's own count has the rate 0.5 / 3: 54 %."
)
frame.check(
    "A map protects clinics with ε = 0.1 and everything else with ε = 10. What protects a visit to a clinic?",
    ["ε = 0.1", "ε = 10.1 at worst: sharp counts elsewhere tell it", "Nothing at all has been promised"],
    1,
    "Clinic instead of square takes a trip from one count and gives it to another: 0.1 and 10 add up, and the 10 gives it away. "
    "The ε of the whole trip answers another question, whether the trip was made at all. There one budget covers all of it, here "
    "10.",
    key="12",
)
frame.closing(mine, NOTES, SOURCES)
