"""Lesson 13: synthetic trips keep what noisy tables held, and lose what none of them joined, at any epsilon."""

from functools import partial

import streamlit as st

from dpcore.demo import DEMO_PERIOD
from dpcore.lessons import busiest_days
from dpcore.lessons import trips_nobody_made as nobody
from dpcore.privacy import RUNGS, decimal_text
from dpcore.views.lessons import synthetic as views
from pages.learn.parts import classroom, frame
from pages.learn.parts.notes_on_release import TRIPS, TRIPS_SOURCES
from pages.learn.parts.pictures import picture


def what_survives() -> None:
    """Trips drawn from noisy tables, against the true ones."""
    epsilon = st.select_slider(
        "ε for one trip", RUNGS, RUNGS[5], decimal_text, key="13-epsilon", bind="query-params"
    )
    made = classroom.drawn("13-synthetic", partial(nobody.synthesised, epsilon), epsilon)
    exact, asked = nobody.without_noise(), nobody.QUESTIONS
    place = {one.name: at for at, one in enumerate(asked)}
    for column, name in zip(st.columns(3), ("start", "start and end", "end and hour"), strict=True):
        kind = asked[place[name]].group
        column.metric(
            f"{name.capitalize()}: {kind}", f"{100 * made.changed[place[name]]:.1f} % off", border=True
        )
    left, right = st.columns(2)
    with left:
        names, kinds = [one.name for one in asked], [one.group for one in asked]
        picture(views.survival(names, kinds, made.changed, exact.changed), "what-survives")
    with right:
        dates = [day.isoformat() for day in DEMO_PERIOD.days]
        truth = nobody.by_date(nobody.true_trips())
        picture(views.one_date(dates, truth, made.event, nobody.EVENT), "the-day-of-the-match")
    st.caption(
        f"{len(nobody.true_trips()):,} true trips between {nobody.DISTRICTS} districts (of 300,000: the others have an end outside the map, or a duration that is no trip's), {made.trips:,} synthetic ones. Off: the share of trips that must be "
        "changed until both tables agree. The upper four are single things, then two pairs that were measured, then three that were not. Diamonds: without any noise. Trips are "
        f"still drawn by chance, so even then {100 * exact.changed[place['start and end']]:.1f} % must be changed for start and end."
    )
    if st.button("New noise and new trips", icon=":material/casino:"):
        classroom.next_turn("13-synthetic")
        st.rerun()


def printed_figure() -> None:
    """Which noise can have made Figure 1 (c)."""
    st.markdown(
        "An article of Roy, Kantarcioglu and Sweeney (2016) draws trips in a similar way. It counts stations by dates and hours and sets negative counts to 0. Its Figure 1 (c) "
        "prints **0.52 to 0.54 %** for each of the five busiest days, at ε 0.9. **Where did it add noise?** Here on invented trips of the same size."
    )
    epsilon = st.select_slider(
        "ε of the article's table",
        RUNGS_AND_ITS,
        busiest_days.EPSILON,
        decimal_text,
        key="13-named",
        bind="query-params",
    )
    with st.spinner("Inventing a million trips, once"):
        found = busiest_days.emptiness()
    ways = busiest_days.variants(found, epsilon)
    sound = classroom.drawn("13-dates-alone", partial(busiest_days.by_dates_alone, found, epsilon), epsilon)
    for column, name, value in zip(
        st.columns(3),
        ("Cells of the table", "Of them empty", "Phantom trips, all cells, 2/ε"),
        (found.size, found.empty, ways[0].phantoms),
        strict=True,
    ):
        column.metric(name, f"{value:,.0f}", border=True)
    names = [*(way.name for way in ways), "dates alone, sound"]
    shares = [*(way.share for way in ways), sound]
    picture(views.busiest_days(names, shares, found.true_share, busiest_days.PRINTED), "which-noise")
    st.caption(
        f"{found.trips:,} invented trips; the dashed line is their true mean, {found.true_share:.3f} %, the band what the article prints. "
        "The first four are expected values, the last is drawn: a table of dates with a tenth of ε, as the sound model has it."
    )


RUNGS_AND_ITS = sorted({*RUNGS[:8], busiest_days.EPSILON})
mine = frame.opening("13_synthetic_trips")
frame.try_it()
st.markdown(
    "A few tables of all trips get noise. From them, trips are drawn that **nobody made**. Raise ε as far as you like, and see what comes back. "
    "**One trip** is hidden: it adds 1 to one cell of each table."
)
survives, figure = st.tabs(["What survives", "A figure that surprises"], key="13-part", bind="query-params")
for tab, show in ((survives, what_survives), (figure, printed_figure)):
    if tab.open:  # a million trips are invented only for who looks at them
        with tab:
            show()
frame.what_happened()
st.markdown(
    "**Single things survive** almost any noise: thousands of trips stand behind each number. **Pairs that were measured** need more ε. "
    "**What no table joins never comes back**, not even without noise: the match is in the true trips, but no table "
    "joins places with dates, so its visitors were spread over all days. Nor does any synthetic person ride home in the evening. "
    "In the article's table, phantoms on all days would have made the busiest ones small: if its trips are anything like these, it had no noise on all cells. A table of dates alone gets as near as the article, and is sound."
)
frame.why()
st.markdown(
    "Synthetic trips are no copy with the names taken off. They are the tables in another form: **what was not measured was made up**. That is why "
    "they may be shared, and why nobody should look in them for what nobody measured. And a table with far more cells than trips drowns in its "
    "own noise. Who leaves the empty cells alone gets a fine figure, and tells for sure which cells somebody used."
)
frame.verify(
    "At ε 0.9 and scale 2/ε, q = exp(-0.45) = 0.638. An empty cell keeps q / (1 - q x q) = 1.07 trips on average. Times 2.26 million empty cells: "
    "2.4 million, more than twice the real trips, on all days alike. Cells with a trip or two add the rest of the phantoms."
)
frame.check(
    "A city publishes synthetic trips with ε = 10. They show no crowd at the stadium on the day of the match. What follows?",
    ["There was no crowd", "ε was too small", "Nothing, unless a table of places by dates was measured"],
    2,
    "What no table held is drawn independently. Ask which tables were measured before you ask for ε.",
    key="13",
)
frame.closing(mine, TRIPS, TRIPS_SOURCES)
