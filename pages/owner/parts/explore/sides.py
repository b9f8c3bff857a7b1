"""Time and comparison on the map of Explore: the owner may have the truth beside noise. Choices are kept with the project."""

from __future__ import annotations

from dpcore.views.ground.reading import colour_breaks
from dpcore.views.maps.two_sides import LOOKS, Look, SideShown
from dpcore.views.maps.window_message import pack_windows, windows_of
from dpcore.views.numbers.area import ARRIVALS
from dpcore.views.numbers.estimated import about_of
from pages.owner.parts.explore.explored import estimates_at, send_tiles
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.session import session
from pages.parts.time_and_sides import OnMap
from pages.parts.time_and_sides import send as send_sides

_WINDOW, _BESIDE, _LOOK = "explore window", "explore beside", "explore look"


def on_map() -> OnMap:
    """What the map shows. A project that was written elsewhere may name a window or a look that there is not."""
    mine = session()
    kept, plan, rung = mine.form.values, mine.plan(), mine.draft().rung
    there = windows_of(plan)
    window = there.index(kept[_WINDOW]) if kept.get(_WINDOW) in there else None
    about = about_of(estimates_at(rung)) if mine.estimated(rung) else ""
    shown = SideShown(plan, rung, about, window, preview=True)
    look: Look = next((one for one in LOOKS if one == kept.get(_LOOK)), "swipe")
    return OnMap(mine.estimates_link(), shown, str(kept.get(_BESIDE, "")), look, 0, _compare, _at, _at)


def _compare(beside: str, look: Look) -> None:
    session().form.values.update({_BESIDE: beside, _LOOK: look})


def _at(window: int | None) -> None:
    session().form.values[_WINDOW] = "" if window is None else windows_of(session().plan())[window]


def send(data: DataSet, on: OnMap) -> None:
    """Give the map the windows of the stop with their true counts, and its two sides."""
    send_sides(on, lambda rung: _windows(on, rung), lambda rung: _send_other(data, on, rung))


def _send_other(data: DataSet, on: OnMap, rung: int) -> None:
    visits = session().preview().measurements["visits_per_tile"]
    send_tiles(data, visits, estimates_at(rung), on.link, which="other tiles")


def _windows(on: OnMap, rung: int) -> bytes:
    mine, estimates = session(), estimates_at(rung)
    preview = mine.preview()
    arrivals, truth = preview.measurements[ARRIVALS], preview.truth[ARRIVALS]

    def packed() -> bytes:
        edges = colour_breaks(arrivals)
        return pack_windows(on.link, preview.plan, arrivals, estimates, breaks=edges, truth=truth)

    return mine.kept.last("windows", (mine.drawn().number, rung), packed, most=2)
