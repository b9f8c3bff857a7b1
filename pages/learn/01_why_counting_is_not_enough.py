"""Why counting is not enough.

The table hides every count below ten. Is that not private?

4 minutes, :material/visibility_off:

Two tables hide small counts and differ by one day. Their difference shows the trip of one person. With noise it does not.
"""

from functools import partial
from inspect import getsource
from typing import Final

import streamlit as st

from dpcore import demo
from dpcore.lessons import attacks, differencing
from dpcore.lessons.city import city
from dpcore.privacy import RUNGS, best_guess
from dpcore.views.ground.plain import number
from pages.learn.parts import classroom, frame
from pages.learn.parts.frame import at_most, one_listed, one_of, picture

TRIES: Final = 1_000
_SHOW: Final = ("First table", "One more day", "Second minus first")
PLACES = ("D041", "D050", "D024", "D043", "D088")
NOTES = r"""
**Subtracting.** Two sums over sets that differ by one record give that record. A rule that looks at each table alone
cannot see it: whether a count is safe depends on all other tables that will ever be printed. Hiding cells does not help
either where row sums are printed: a single hidden cell of a row is the sum less the others.

**The bound.** Let a mechanism be $\varepsilon$-differentially private, and let one trip be there or not with even chances.
Odds move by at most $e^{\varepsilon}$, so nobody is right more often than $e^{\varepsilon}/(1+e^{\varepsilon})$. Here each
table gets $\varepsilon/2$ and a trip changes a count by 1. An attacker who knows all other trips needs the second
table alone and is right with $e^{\varepsilon/2}/(1+e^{\varepsilon/2})$. An attacker who subtracts two noisy tables has the
noise of both. Both stay below the bound, because a trip of the last day is in one of the tables only.

**The noise** of a table is one ladder for all stops of the slider, so that moving it tells no more (lesson 2).

*Ask the class:* which tables of your town are printed every month? What would a table of hours, or of age groups, add?
"""
SOURCES = (
    "Denning, Denning, Schwartz: The tracker: a threat to statistical database security, ACM TODS 1979",
    "Dinur, Nissim: Revealing information while preserving privacy, PODS 2003",
    "Wasserman, Zhou: A statistical framework for differential privacy, JASA 2010 (guessing under the bound)",
)


def day_name(day: int) -> str:
    """A day such as Tue 12 March."""
    return f"{demo.DEMO_PERIOD.days[day]:%a} {demo.DEMO_PERIOD.days[day].day} March"


def exact(tables: differencing.TwoTables) -> None:
    """The rule that hides small counts, and what subtracting makes of it."""
    (first, second), dark = tables.printed, st.context.theme.type == "dark"
    shown = one_of(st.container(), "Map", _SHOW, _SHOW[0], key="1-map")
    if shown == _SHOW[2]:
        drawn = differencing.difference_map(
            city().tessellation, second - first, tables.told, "Trips of that one day", dark=dark
        )
    else:
        title = f"Until {day_name(tables.day - (shown == _SHOW[0]))}"
        drawn = differencing.count_map(
            city().tessellation, first if shown == _SHOW[0] else second, title, dark=dark
        )
    picked, told = st.columns([3, 2])
    picked.image(drawn, width="stretch", alt=f"Map: {shown}")
    told.metric(
        "Small counts of that day that come out exactly", f"{tables.small_but_told.sum()}", border=True
    )
    told.metric("Tiles with exactly one trip", f"{len(tables.singled_out)}", border=True)
    if len(tables.singled_out):
        ones = tables.singled_out.tolist()
        tile = one_listed(
            told, "One trip came from", ones, ones[0], format_func=city().tile_name, key="1-from"
        )
        one = differencing.only_visitor(tables, tile)
        told.markdown(f"First table: **{number(first[tile])}**. One more day: **{number(second[tile])}**.")
        told.warning(
            f"On {day_name(tables.day)} at {one.hour} h, **{one.person}** went from {city().tile_name(tile)} to {city().tile_name(tables.place)}. "
            "Anybody who knows that only this neighbour goes there now knows the day.",
            icon=":material/person_alert:",
        )


def with_noise(tables: differencing.TwoTables) -> None:
    """The same two tables with noise, and how often attackers are right about one trip."""
    epsilon = frame.stop(st, "ε of both tables together", RUNGS, RUNGS[5], key="1-epsilon")
    both = classroom.kept_draw(
        "1-noisy-tables", partial(differencing.noisy, tables, RUNGS), tables.place, tables.day
    )[RUNGS.index(epsilon)]
    game = classroom.kept_draw("1-guesses", partial(differencing.game, RUNGS, TRIES))
    at, dark = RUNGS.index(epsilon), st.context.theme.type == "dark"
    left, right = st.columns(2)
    drawn = differencing.difference_map(
        city().tessellation, both[1] - both[0], tables.first >= 0, "Noisy: second minus first", dark=dark
    )
    left.image(drawn, width="stretch", alt="Map of the difference of two noisy tables")
    with right:
        picture(differencing.guesses_chart(game, epsilon, TRIES), "guesses")
    frame.metrics(
        (f"Subtracting, right in {TRIES:,} tries", f"{100 * game.subtracting[at]:.1f} %"),
        ("Knowing all other trips", f"{100 * game.informed[at]:.1f} %"),
        ("Nobody gets above", at_most(best_guess(epsilon))),
    )
    frame.again("New noise", "1-noisy-tables", "1-guesses")
    st.caption(
        f"Each time a fair coin decides whether the trip is in the data. {TRIES:,} tries waver by about 3 points, so a mark may lie on "
        "the line. The noise hides whether one trip is there. It does not hide a person: see lesson 3."
    )


mine = frame.opening(__file__)
st.markdown(
    "Two tables say how many trips came to a place, by where they began. The second holds one more day."
)
to, when = st.columns(2)
ids = city().tessellation.tile_ids
place = one_listed(
    to, "Trips to", PLACES, PLACES[0], format_func=lambda one: city().tile_name(ids.index(one)), key="1-place"
)
day = when.slider(
    "Day that only the second table holds (5 to 31 March)", 5, 31, 24, key="1-day", bind="query-params"
)
tables = differencing.two_tables(ids.index(place), day - 4)
frame.tabs(
    {
        f"Counts below {differencing.LEAST} hidden": partial(exact, tables),
        "With noise": partial(with_noise, tables),
    },
    key="1-answers",
)
frame.what_happened(
    "Neither table shows a small count. Their difference does: it is the count of one day, tile by tile. Where it is 1, it is the "
    "trip of one person. With noise in both tables the difference is noisy too, and it hides a single trip. A smaller ε hides it "
    "better."
)
frame.attack_code(getsource(attacks.readable), getsource(attacks.extra), getsource(attacks.says_there))
frame.why(
    "A rule such as *hide what is below ten* looks at one table. An attacker looks at all of them, and at what the "
    "neighbours know anyway. **Differential privacy** makes a promise about all answers together that ε was spent on: each answer "
    "is almost as likely with your trip as without it. ε says how nearly."
)
frame.verify(
    "Choose a tile with a 1: its number in the second table is one more than in the first. And where a fair coin "
    "decides whether a trip is in the data, nobody who sees the noisy tables at ε = 1 guesses right more often than e / (1 + e), at most 73.2 %. "
    "*Where* a trip that is in the data went is another question. Another place takes one trip out and puts one in, so it costs twice ε, at most 88.1 %."
)
frame.check(
    "A town hides counts below 10. It prints 240 trips for March, and 239 for March without the 12th. What do the two numbers tell?",
    [
        "Nothing: both counts are large",
        "That exactly one trip was made on the 12th",
        "Only that few trips were made on the 12th",
    ],
    1,
    "240 less 239 is 1, however large both counts are.",
    key="01",
)
frame.closing(mine, NOTES, SOURCES)
