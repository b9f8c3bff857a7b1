"""What one person can do to a number.

How far can one person move a count?

4 minutes, :material/person_add:

How far one person's trips move three tables, with a bound on trips and without.
"""

from dataclasses import astuple
from fractions import Fraction

import streamlit as st

from dpcore.lessons import contribution, hiding
from dpcore.lessons.city import city
from dpcore.noise.accuracy import half_width
from dpcore.views.ground.plain import number
from pages.learn.parts import frame
from pages.learn.parts.frame import one_listed, one_of, picture

SAME, DIFFERENT = "invented: M times the same trip", "invented: M different trips"
PEOPLE = {f"{trips} trip{'s' * (trips > 1)}": trips for trips in (1, 4, 10, 20, 50, 100, 490)}
TABLES = {"Tiles": "visits_per_tile", "Flows": "od_flows", "Hours": "trips_per_hour"}
RULES = {
    "visits_per_tile": "A trip has two ends: L1 = L2 = L\N{INFINITY} = 2M, for both ends may fall into one tile.",
    "od_flows": "A trip is one journey: L1 = L2 = L\N{INFINITY} = M.",
    "trips_per_hour": "A trip starts once and ends once: L1 = 2M, L2 = \N{SQUARE ROOT}2 M, and no hour moves by more than M.",
}
LISTED = 8
NOTES = r"""
**Four measures of one change** $d$ (a list of numbers, one for each count): $L_0$ is how many are not zero,
$L_1 = \sum|d_i|$, $L_2 = \sqrt{\sum d_i^2}$, $L_\infty = \max|d_i|$. Laplace noise of scale $L_1/\varepsilon$ hides every $d$
up to $L_1$; Gaussian noise goes by $L_2$; thresholds for rare cells need $L_0$ and $L_\infty$.

**With at most $M$ trips** of each person, over everything that a person could do:

| table | $L_0$ | $L_1$ | $L_2$ | $L_\infty$ |
|---|---|---|---|---|
| visits, both ends | $2M$ | $2M$ | $2M$ | $2M$ |
| flows | $M$ | $M$ | $M$ | $M$ |
| starts and ends by hour | $2M$ | $2M$ | $\sqrt2\,M$ | $M$ |

No single person reaches all four: many different counts make $L_0$ large, and one count alone makes the others large. $L_0$ is
also at most the number of counts.

**Which trips count** must depend on that person's trips alone. Here it is the first M; a release takes those with the
smallest secret hash, so that nobody can foretell them. A shared random sample would not do: without one person, other trips
of everybody else would be drawn.

*Ask the class:* which table lets one person do least? What would change if each pair of places counted once a person?
"""
SOURCES = (
    "Dwork, McSherry, Nissim, Smith: Calibrating noise to sensitivity in private data analysis, TCC 2006",
    "Wilson, Zhang, Lam, Desfontaines and others: Differentially private SQL with bounded user contribution, PETS 2020",
)


def change_asked() -> contribution.Change:
    """A person, a table, and the bound if there is one."""
    who, where, bound = st.columns([3, 3, 3])
    one = one_listed(who, "A person with", [*PEOPLE, SAME, DIFFERENT], "20 trips", key="5-person")
    shown = one_of(where, "Table", [*TABLES], "Tiles", key="5-table")
    bounded = bound.toggle(
        "Only M trips of each person count", key="5-bounded", bind="query-params", disabled=one not in PEOPLE
    )
    most = bound.slider(
        "M", 1, 50, 8, key="5-most", bind="query-params", disabled=not bounded and one in PEOPLE
    )
    if one in PEOPLE:
        person = int(hiding.people_with(PEOPLE[one])[0])
        return contribution.of_person(TABLES[shown], person, most if bounded else None)
    return contribution.of_invented(TABLES[shown], most, same=one == SAME)


def in_and_out(change: contribution.Change) -> None:
    """The counts that move most, with this person or without."""
    there = st.toggle(f"{change.name} is in the data", value=True, key="5-there", bind="query-params")
    for column, cell in zip(st.columns(3), change.moved_most(3), strict=False):
        added, away = int(change.added[cell]), int(change.others[cell])
        column.metric(
            contribution.cell_name(change.table, cell),
            number(away + added if there else away),
            f"{added} by {change.name}" if there else f"without {change.name}",
            delta_color="off",
            delta_arrow="off",
            border=True,
        )


def what_moves(change: contribution.Change) -> None:
    """The tiles on a map, other counts as bars."""
    if change.table == "visits_per_tile":
        outside = int(change.added[-1])
        dark = st.context.theme.type == "dark"
        drawn = contribution.moved_map(city().tessellation, change.added[:-1], dark=dark)
        st.image(drawn, width="stretch", alt=f"Map of what {change.name} moves")
        if outside:
            st.caption(
                f"Not on the map: {outside} ends of these trips lie outside all tiles. They share one more count."
            )
    else:
        cells = change.moved_most(LISTED)
        names = [contribution.cell_name(change.table, cell) for cell in cells]
        picture(contribution.moved_chart(names, change.added[cells].tolist()), "moved")


def how_much(change: contribution.Change) -> None:
    """Four norms of the change beside what anybody can reach."""
    limits = change.limits
    picture(
        contribution.norms_chart(astuple(change.norms), None if limits is None else astuple(limits)), "sizes"
    )
    if limits is None:
        st.caption(
            "Without a bound nobody knows how far the next person can move these counts, so no noise is wide enough."
        )
    else:
        st.caption(
            f"Brown marks: the most that anybody can reach with M = {change.max_trips}. {RULES[change.table]} Noise that hides "
            f"it at ε = 1 stays within {half_width(Fraction(1, limits.total)):,} in 95 of 100 counts."
        )


mine = frame.opening(__file__)
change = change_asked()
in_and_out(change)
moving, sizes = st.columns(2)
with moving:
    what_moves(change)
with sizes:
    how_much(change)
frame.what_happened(
    "Taking one person out moves some counts, and most where that person travels most. The **sensitivity** of a table is "
    "the most that anybody at all can move it, added over all counts (L1). With a bound of M trips it is a number that is known "
    "before a single trip is read."
)
frame.why(
    "Noise has to be as wide as the most that anybody can do. The 490 trips of the busiest courier are not that number: **the "
    "number was read off the data**. "
    "Somebody may make more, and the width of noise made for 490 tells that the courier is there (one machine of lesson 14 does this). So M is chosen "
    "beforehand, for everybody, and at most M trips of each person count. A small M makes the noise narrow, at the price of the trips that "
    "are left out. Which M is best is the question of lesson 4."
)
frame.verify(
    "Choose 20 trips, Tiles, and M = 8: the bar of L1 ends at 2 x 8 = 16, as does its mark. Choose Hours: the mark of L2 stands at "
    "\N{SQUARE ROOT}2 x 8 = 11.3."
)
frame.check(
    "A table counts arrivals and departures at each station, one list for both. At most 5 rides of each person count. How far can "
    "one person move it, all moves added?",
    ["5", "10", "It depends on the person"],
    1,
    "Each ride departs once and arrives once: 5 rides move the table by at most 10.",
    key="05",
)
frame.closing(mine, NOTES, SOURCES)
