"""Synthetic trips.

What survives in trips that nobody made?

4 minutes, :material/auto_awesome:

Synthetic trips keep what the noisy tables measured. At any epsilon they lose what no table joined.
"""

from functools import partial

import streamlit as st

from dpcore.lessons import trips_nobody_made as nobody
from dpcore.privacy import RUNGS
from pages.learn.parts import classroom, frame
from pages.learn.parts.frame import picture

RUNGS_AND_ITS = sorted({*RUNGS[:8], nobody.EPSILON})
NOTES = r"""
**The model.** Four tables get noise: starts with ends (8 of 16 parts of $\varepsilon$), hours and kind of day by start (5),
dates (2), durations by distance (1). A trip adds 1 to one cell of each, so the parts add up. The tables are made to agree by
least squares, negative cells are projected away, and trips are drawn: start and end, then kind of day and hour by start,
then date by kind of day. What no table joins is drawn independently: the date of a trip knows nothing of its end.

**The measure.** With shares $p$ and $p'$ of the cells of a table, $\tfrac12 \sum |p - p'|$ is the share of trips that must be
changed until both tables agree.

**Figure 1 (c).** An empty cell set to 0 where negative keeps $\mathrm{E}\max(V, 0) = q/(1-q^2)$ trips. The article's noise
has the scale $2/\varepsilon$, so $q = e^{-0.45}$ at $\varepsilon = 0.9$, and 2.3 million empty cells claim 2.4 million trips
for one million real ones. They lie on all days alike, so the share of the busiest days must fall to less than half. The
article prints 0.52 to 0.54 %. Of the ways to noise this very table, only noise on occupied cells alone comes near (0.515 %
here), and that shows which cells are occupied: then no $\varepsilon$ holds. A table of dates alone, with noise on each date,
comes as near (about 0.54 %) and is sound, but it is not the table that the article describes. This is likely, not proved: it
follows from invented trips of the same shape, and the article's data may differ. Its five groups of tables also add up, to 5
times the $\varepsilon$ that it names where one trip is replaced.

*Ask the class:* which table would bring the match back, and what would it cost the others?
"""
SOURCES = (
    "Roy, Kantarcioglu, Sweeney: Practical differentially private modeling of human movement data, DBSec 2016",
    "McKenna, Miklau, Sheldon: Winning the NIST contest, 2021 (choosing tables, measuring, drawing)",
    "Kapp, Mihaljevic: Reconsidering utility: unveiling the limitations of synthetic mobility data generation, 2024",
)


def what_survives() -> None:
    """Trips drawn from noisy tables, against the true ones."""
    epsilon = frame.stop(st, "ε for one trip", RUNGS, RUNGS[5], key="13-epsilon")
    made = classroom.kept_draw("13-synthetic", partial(nobody.synthesised, epsilon), epsilon)
    exact, asked = nobody.without_noise(), nobody.QUESTIONS
    place = {one.name: at for at, one in enumerate(asked)}
    frame.metrics(
        *(
            (
                f"{name.capitalize()}: {asked[place[name]].group}",
                f"{100 * made.changed[place[name]]:.1f} % off",
            )
            for name in ("start", "start and end", "end and hour")
        )
    )
    left, right = st.columns(2)
    with left:
        picture(nobody.survival_chart(made), "what-survives")
    with right:
        picture(nobody.one_date_chart(made.event), "the-day-of-the-match")
    st.caption(
        f"{len(nobody.true_trips()):,} true trips between {nobody.DISTRICTS} districts (of 300,000: the others have an end outside the "
        f"map, or a duration that is no trip's), {made.trips:,} synthetic ones. Off: the share of trips that must be "
        "changed until both tables agree. The upper four are single things, then two pairs that were measured, then three that were "
        "not. Diamonds: without any noise. Trips are "
        f"still drawn by chance, so even then {100 * exact.changed[place['start and end']]:.1f} % must be changed for start and end."
    )
    frame.again("New noise and new trips", "13-synthetic")


def printed_figure() -> None:
    """Which noise can have made Figure 1 (c)."""
    st.markdown(
        "An article of Roy, Kantarcioglu and Sweeney (2016) draws trips in a similar way. It counts stations by dates and hours and "
        "sets negative counts to 0. Its Figure 1 (c) "
        "prints **0.52 to 0.54 %** for each of the five busiest days, at ε 0.9. **Where did it add noise?** Here on invented trips of the same size."
    )
    epsilon = frame.stop(st, "ε of the article's table", RUNGS_AND_ITS, nobody.EPSILON, key="13-named")
    with st.spinner("Inventing a million trips, once"):
        found = nobody.emptiness()
    ways = nobody.variants(found, epsilon)
    sound = classroom.kept_draw("13-dates-alone", partial(nobody.by_dates_alone, found, epsilon), epsilon)
    frame.metrics(
        ("Cells of the table", f"{found.size:,}"),
        ("Of them empty", f"{found.empty:,}"),
        ("Phantom trips, all cells, 2/ε", f"{ways[0].phantoms:,.0f}"),
    )
    names = [*(way.name for way in ways), "dates alone, sound"]
    shares = [*(way.share for way in ways), sound]
    picture(nobody.shares_chart(names, shares, found.true_share), "which-noise")
    st.caption(
        f"{found.trips:,} invented trips; the dashed line is their true mean, {found.true_share:.3f} %, the band what the article prints. "
        "The first four are expected values, the last is drawn: a table of dates with a tenth of ε, as the sound model has it."
    )


mine = frame.opening(__file__)
st.markdown(
    "A few tables of all trips get noise. Trips that **nobody made** are drawn from these tables. Raise ε as far as you like, and "
    "see what comes back. The noise hides **one trip**, which adds 1 to one cell of each table."
)
# a million trips are invented only for who looks at them
frame.tabs({"What survives": what_survives, "A figure that surprises": printed_figure}, key="13-part")
frame.what_happened(
    "**Single things survive** almost any noise: thousands of trips stand behind each number. **Pairs that were measured** need more ε. "
    "**What no table joins never comes back**, not even without noise: the match is in the true trips, but no table "
    "joins places with dates, so its visitors were spread over all days. No synthetic person rides home in the evening either. "
    "In the article's table, phantoms on all days would have made the busiest ones small: if its trips are anything like these, "
    "it had no noise on all cells. A table of dates alone gets as near as the article, and is sound."
)
frame.why(
    "Synthetic trips are not a copy without names. They are the tables in another form: **what was not measured was made up**. That is why "
    "they may be shared, and why nobody should look in them for what nobody measured. And a table with far more cells than trips "
    "drowns in its own noise. A tool that adds no noise to empty cells gets a good figure, and tells for sure which cells "
    "somebody used."
)
frame.verify(
    "At ε 0.9 and scale 2/ε, q = exp(\N{MINUS SIGN}0.45) = 0.638. An empty cell keeps q / (1 - q x q) = 1.07 trips on average. Times 2.26 million empty cells: "
    "2.4 million, more than twice the real trips, on all days alike. Cells with a trip or two add the rest of the phantoms."
)
frame.check(
    "A city publishes synthetic trips with ε = 10. They show no crowd at the stadium on the day of the match. What follows?",
    ["There was no crowd", "ε was too small", "Nothing, unless a table of places by dates was measured"],
    2,
    "What no table held is drawn independently. Ask which tables were measured before you ask for ε.",
    key="13",
)
frame.closing(mine, NOTES, SOURCES)
