"""The one owner of a visitor's state: what is loaded, what is chosen, what was drawn for looking.

Streamlit forgets a widget when its page is left, so what must outlive a page stands here. Private objects live in the
session of their owner only. None is given to a cache, because all visitors share caches. None is given to a callback as
``args``, because Streamlit keeps these as long as the session: callbacks ask for ``session()`` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from dpcore import curator
from dpcore.api import owner, studies
from dpcore.context import Context
from dpcore.errors import AtlasError
from dpcore.estimates import Estimates
from dpcore.measures.keys import Districts
from dpcore.measures.plan import Plan
from dpcore.privacy import RUNGS, ContributionBound
from dpcore.tiles import Box
from dpcore.views.ground import reading
from dpcore.views.maps.tile_map import visits_map
from dpcore.views.planning.beside_truth import TilesRight
from pages.owner.parts.state.data_sets import DataSet, built_in_city, first_preview, with_context
from pages.owner.parts.state.draft import START_RUNG, Draft, Look, Work, first_draft
from pages.owner.parts.state.draft_kept import fields_of, put_back
from pages.owner.parts.state.form import Form, between
from pages.owner.parts.state.results import KEPT_PREVIEWS, Growing, Kept, NumberedPreview, Picture
from pages.parts.held import Ear, epsilon_ear
from pages.parts.roles import Role, require

ABOUT_TRIPS, ABOUT_USERS = "tiles about trips", "tiles about users"
"""Fields of the form: numbers that the owner declares before trips are loaded."""
MOST_DECLARED = 10**12
BUILT_IN = "Built-in city"
"""Name of a project until trips are loaded."""

DATA_PAGE = ("data ", "trips ", "tiles ", "column ", "spark ")
"""Fields of a project that begin so are those of the Data page, and stay when other trips are loaded."""
OF_ITS_TRIPS = ("release chosen", "release text ", "release trips", "release users")
"""Fields of a plan that are about its trips: those of another month on the same tiles are asked anew."""
MADE_FOR = "release made for"
"""Field with the fingerprints of the trips for which a plan was made: a look at them is a look before it."""
CHOSEN = "explore chosen"
"""Field of a project with the places that are chosen on the maps of Explore, as links name them."""
MERGED = "explore merged"
"""Field with how far tiles are merged there."""
_STARTED = " begun "
_PICTURES = ("visits picture", "flows picture")


@dataclass(repr=False)
class Opened:
    """The project that is open, as this session read or saved it last."""

    id: str | None = None
    """None until there is something to save."""
    saved: studies.Project = field(default_factory=lambda: studies.Project(BUILT_IN))
    stamp: int | None = None
    """Of the file as it was read or written; another one means that another tab changed it."""
    fault: AtlasError | None = None
    """What went wrong with it last, to be told once."""


@dataclass(repr=False)
class Session:
    """Everything this visitor has."""

    data: DataSet | None = None
    box: Box | None = None
    """Box for a grid, as drawn or taken from the extent of the trips."""
    kept: Kept = field(default_factory=Kept)
    """What pages worked out from the data set: previews, pictures, comparisons, curves, studies."""
    draws: int = 0
    """How many previews were drawn; it never falls."""
    listed: int = 0
    """How often places were chosen in a list on Explore."""
    uploads: int = 0
    """Part of the key of the upload widget: with another key the browser's file is dropped."""
    drafted: Draft | None = None
    """What is about to be published of the loaded data set, as filled in so far."""
    looks: dict[str, set[Look]] = field(default_factory=dict)
    """Looks at each file, by its fingerprint. They are kept when the file is loaded again, alone or with others."""
    seen: set[Look] = field(default_factory=set)
    """Looks at the loaded trips, in any of their files; all drafts for these trips share this set."""
    ahead: set[str] = field(default_factory=set)
    """Fingerprints of the files that were looked at before they were loaded: the open project keeps their looks."""
    loading: str | None = None
    """Name of what is being loaded. If it is set in the next run of the page, the loading was stopped."""
    spends: list[Work[curator.Receipt]] = field(default_factory=list)
    """Spends whose result was not shown yet; they outlive their page and their data set."""
    late: list[curator.Receipt | AtlasError] = field(default_factory=list)
    """Results of spends that nobody waited for."""
    form: Form = field(default_factory=Form)
    """What widgets show again; its values are the choices of the project."""
    prepared: set[str] = field(default_factory=set)
    """Folders that were prepared since a project was saved, also by a loading that was refused or stopped."""
    project: Opened | None = None
    """None before the first page is shown."""
    held: tuple[owner.TripsFile, ...] = ()
    """Uploaded trips files that are chosen: the browser's are gone when the Data page is left."""
    held_tiles: tuple[str, bytes] | None = None
    """Name and bytes of the uploaded tiles."""
    refused_tiles: tuple[tuple[str, ...], tuple[str, str, str, frozenset[str]]] | None = None
    """The digest and options of the tiles that were refused last, and the refusal: what, where, and how to mend it."""
    save: Callable[[], None] = lambda: None
    """Saves the open project now, as after each page."""
    agreed: bool = False
    """Whether the owner agreed to look at these trips before the plan is decided."""
    start: int = START_RUNG
    """Where maps begin; the browser remembers where they were left."""
    loads: int = 0
    """How many data sets were loaded."""
    starts: int = 0
    """How often another page chose where maps begin."""
    _by_accuracy: bool = False
    _proposed: dict[str, Any] = field(default_factory=dict)

    def load(self, data: DataSet) -> None:
        """Take a data set in place of the one before, and drop all that was made from that one.

        What was chosen for a release of the same trips stays, but how it was chosen is asked again. Of other trips on the same tiles, such
        as those of another month, the plan and its account stay, but for what is declared and written about them; and so does
        what lies under the map.
        """
        before = self.data.trips.fingerprint if self.data else None
        month = (
            self.data and not self.data.is_demo and data.tessellation.digest == self.data.tessellation.digest
        )
        made_for = self.data.trips.fingerprints if self.data and month else ()
        same = data.trips.fingerprint in {before, self._promised()}
        if self.data is None or data.tessellation.digest != self.data.tessellation.digest:
            self.form.values.pop(CHOSEN, None)
        under = self.data.context if self.data and month and data.context is None else None
        self.data = data if under is None else with_context(data, under.context)
        self.loads += 1
        self.start = START_RUNG  # where the maps of other tiles begin
        if not same and not (data.is_demo and self._promised()):
            self.agreed = False
            self.form.values = {
                name: one
                for name, one in self.form.values.items()
                if name.startswith((*DATA_PAGE, "trajectories "))
                or (month and name.startswith("release ") and not name.startswith(OF_ITS_TRIPS))
            }
            if made_for:
                self.form.values[MADE_FOR] = sorted({*self._made_for(), *made_for})
        self.form.values.pop("release chosen", None)
        self.seen = set().union(*(self.looks.get(file, ()) for file in data.trips.fingerprints))
        self._drop_results()
        if data.period_observed:
            self.looked(Look.PERIOD)

    def _made_for(self) -> tuple[str, ...]:
        """The files for which the plan was made before it was kept for these trips; of a project that was written elsewhere what fits."""
        saved = self.form.values.get(MADE_FOR)
        return tuple(one for one in saved if isinstance(one, str)) if isinstance(saved, list) else ()

    def forget(self) -> None:
        """Drop the data set and everything that was made from it, and begin a project of its own for what comes."""
        self.data, self.box = None, None
        self.uploads += 1
        self.held, self.held_tiles, self.refused_tiles, self.agreed = (), None, None, False
        self.ahead.clear()
        self.form.values.clear()
        self.form.show_again()
        self.project = Opened()
        self._drop_results()
        _clear_widgets("box ")

    def draft(self) -> Draft:
        """The draft of a release of the loaded data set, begun at its first use."""
        data = self._data()
        if self.drafted is None:
            self.drafted = first_draft(
                data.tessellation,
                is_demo=data.is_demo,
                form=data.trips.form,
                choices=data.choices,
                attributes=data.trips.attributes,
            )
            self.drafted.looked = self.seen
            if not data.is_demo:
                self.drafted.files, self.drafted.earlier = data.trips.fingerprints, self._made_for()
                self._declare(self.drafted)
            self._proposed = fields_of(self.drafted)
            if not self.stands_in:
                put_back(self.drafted, self.form.values)
        return self.drafted

    def restore(self, values: dict[str, Any]) -> None:
        """Put all choices of a project back: loading a data set drops what was chosen for another one."""
        self.form.values = values
        if not self.stands_in:
            put_back(self.draft(), values)

    @property
    def stands_in(self) -> bool:
        """Whether the built-in city is shown because the trips of the project are gone: its choices are not theirs."""
        return self._promised() is not None and (self.data is None or self.data.is_demo)

    def _promised(self) -> str | None:
        """The fingerprint of the trips of the open project."""
        loaded = self.project.saved.loaded if self.project else None
        return None if loaded is None else loaded.trips.fingerprint

    def noted(self) -> dict[str, Any]:
        """All choices of the pages, as a project keeps them: those that were made, and not what was only proposed."""
        self.form.take_up()
        if self.drafted is not None and not self.stands_in:
            for name, value in fields_of(self.drafted).items():
                if name in self.form.values or value != self._proposed.get(name, ""):
                    self.form.values[name] = value
        return dict(self.form.values)

    @property
    def merged(self) -> int:
        """How far tiles are merged on the map of estimates: percent of noise to each side, 0 for none."""
        return int(self.form.read(MERGED, int, 0, between(0, 100)))

    def agree(self) -> DataSet:
        """Epsilon is one choice of Explore and Release: maps begin where Release put it. Returns the data set with such maps."""
        draft = self.draft()
        by_accuracy, self._by_accuracy = self._by_accuracy, draft.by_accuracy
        if not draft.by_accuracy and draft.epsilon in RUNGS and draft.epsilon != RUNGS[draft.rung]:
            draft.rung = RUNGS.index(draft.epsilon)
            self._begin_maps_at(draft.rung)
        elif draft.by_accuracy and not by_accuracy:  # a move that the browser has yet to tell is older
            self._begin_maps_at(draft.rung)
        return self._data()

    def epsilon_ear(self) -> Ear:
        """Keeps the stop at which a slider over these trips was let go."""
        link = self._data().geometry.link
        return epsilon_ear(link, RUNGS, lambda: self.draft().rung, lambda rung: self.draft().stop_at(rung))

    def map_key(self, name: str) -> str:
        """The key of a map with a slider: another one where another page chose its epsilon, which it would tell over."""
        return f"{name} {self.starts}" if self.starts else name

    def _begin_maps_at(self, rung: int) -> None:
        """Let maps begin at a rung that another page chose: with another link the browser forgets where they were left."""
        data = self._data()
        self.start, self.starts = rung, self.starts + 1
        link = f"{data.geometry.link.partition(_STARTED)[0]}{_STARTED}{self.starts}"
        self.data = replace(data, geometry=replace(data.geometry, link=link))
        for kind in _PICTURES:
            self.kept.by_kind.pop(kind, None)

    def put_under(self, context: Context | None) -> None:
        """Put this under the maps of the data set, or nothing; pictures with other names are made anew, and no noise is drawn."""
        self.data = with_context(self._data(), context)
        for kind in (*_PICTURES, "flows of districts", "segment maps", "report beside truth"):
            self.kept.by_kind.pop(kind, None)

    def _declare(self, draft: Draft) -> None:
        """Begin with the numbers that were declared for the size of the tiles, before the trips were loaded."""
        fits = between(1, MOST_DECLARED)
        draft.trips = self.form.read(ABOUT_TRIPS, int | None, None, fits)
        draft.users = self.form.read(ABOUT_USERS, int | None, None, fits) if draft.form.users else None

    def looked(self, look: Look) -> None:
        """Remember that the loaded trips were looked at; the built-in city is public. Call it before anything is shown.

        A new look is saved at once: the run of the page may go on for minutes, or never come to its end.
        """
        if self._data().is_demo:
            return
        new = look not in self.seen
        self.seen.add(look)
        owner.remember_looks(self._data().trips.fingerprints)
        for file in self._data().trips.fingerprints:
            self.looks.setdefault(file, set()).add(look)
        if new:
            self.save()

    def looked_ahead(self, fingerprints: Iterable[str], look: Look) -> None:
        """Remember a look at some files, whether they are loaded already or later, under whatever name."""
        files = (*fingerprints,)
        owner.remember_looks(files)
        for file in files:
            self.ahead.add(file)
            self.looks.setdefault(file, set()).add(look)
            if self.data is not None and file in self.data.trips.fingerprints:
                self.looked(look)
        self.save()

    def reset_columns(self) -> None:
        """Let the widgets of the columns begin again with what the names tell."""
        _clear_widgets("column ")
        self.form.forget("column ")

    def _drop_results(self) -> None:
        """Forget what was worked out, the draft, and what its widgets showed: all made for another data set."""
        self.kept = Kept()
        self.drafted = None
        self.late.clear()  # they were shown; what was not is still among the spends
        _clear_widgets("release ")
        _clear_widgets("synthesize ")

    def draw(self, plan: Plan) -> NumberedPreview:
        """A fresh preview of the loaded trips; that it was looked at is remembered."""
        drawn = studies.preview(self._data().trips, plan)
        self.looked(Look.PREVIEW)
        self.draws += 1
        return NumberedPreview(drawn, self.draws)

    def plan(self, bound: ContributionBound | None = None) -> Plan:
        """The plan of the preview of a bound, of the chosen one if none is named."""
        return self._growing(bound).plan

    def explored(self, bound: ContributionBound | None = None) -> tuple[str, ...]:
        """The measures of this plan that Explore shows or estimates from."""
        return self._growing(bound).explored

    def preview(self, bound: ContributionBound | None = None) -> studies.Preview:
        """The preview of a bound with at least the measures of Explore, drawn at its first use."""
        return self.showing(*self.explored(bound), bound=bound)

    def drawn(self, bound: ContributionBound | None = None) -> NumberedPreview:
        """The same with the number of its draw."""
        return NumberedPreview(self.preview(bound), self._growing(bound).number)

    def showing(self, *measures: str, bound: ContributionBound | None = None) -> studies.Preview:
        """The preview of a bound with at least these measures (all, if none is named); what is missing is drawn now.

        What was drawn before stays as it was: a page can show its first measure while it waits for the others.
        """
        mine = self._growing(bound)
        if mine.lacks(measures):
            self.looked(Look.PREVIEW)
        return mine.showing(measures)

    def _growing(self, bound: ContributionBound | None) -> Growing:
        bound, data = bound or self.draft().bound, self._data()
        if data.is_demo and bound in data.first_bounds:
            return first_preview(data, bound)
        return self.kept.last("preview", bound, lambda: self._new_preview(bound), most=KEPT_PREVIEWS)

    def _new_preview(self, bound: ContributionBound) -> Growing:
        self.draws += 1
        data = self._data()
        return Growing(data.trips, data.tessellation, data.usual_plan(bound), self.draws, self.kept)

    def estimates(self, rung: int, progress: Callable[[float], None] | None = None) -> Estimates:
        """What a release of the chosen preview would tell at a rung; estimated at the first look at that stop."""
        self.preview()
        return self._growing(None).estimates(rung, progress)

    def estimated(self, rung: int) -> bool:
        """Whether the estimates of a rung are there already."""
        return self._growing(None).estimated(rung)

    def tiles_right(self, rung: int) -> TilesRight:
        """How right drawn values and estimates of the tiles are at a rung. Private."""
        self.preview()
        return self._growing(None).tiles_right(rung)

    def curve_errors(self, bound: ContributionBound, rung: int) -> Mapping[str, float]:
        """How far estimates of a bound are from all trips at a rung, by table of ``views.tradeoff``. Private."""
        self.preview(bound)
        return self._growing(bound).curve_errors(rung)

    def known_errors(self, bound: ContributionBound) -> dict[int, Mapping[str, float]]:
        """Those of the rungs where they were counted."""
        return self._growing(bound).known_errors()

    def number_of_draw(self, bound: ContributionBound) -> int:
        """What tells the preview of a bound from every other one, also before anything is counted."""
        return self._growing(bound).number

    def visits_picture(self, districts: Districts | None = None) -> bytes:
        """The map of visits of the chosen bound, packed at its first use: unchanged bytes are not sent again."""
        data, mine, visits = self._data(), self.showing("visits_per_tile"), "visits_per_tile"

        def packed() -> Picture:
            return Picture(
                visits_map(
                    data.geometry,
                    mine.measurements[visits],
                    start_rung=self.start,
                    mark=data.mark,
                    scale=self.colour_breaks(),
                    truth=mine.truth[visits],
                    estimates=self.estimates_link(),
                    districts=districts,
                )
            )

        number = self._growing(None).number
        return self.kept.last("visits picture", number, packed, most=KEPT_PREVIEWS).message

    def estimates_link(self) -> str:
        """The link between the maps of this preview and its estimates; no other draw ever has the same."""
        return f"{self._data().geometry.link} preview {self._growing(None).number}"

    def colour_breaks(self) -> tuple[int, ...]:
        """One colour scale for every bound: otherwise a change of the bound would not show how much it leaves out."""
        everyone = self.showing("visits_per_tile", bound=ContributionBound.per_trip())
        return reading.colour_breaks(everyone.measurements["visits_per_tile"])

    def _data(self) -> DataSet:
        if self.data is None:
            raise RuntimeError("no data set is loaded")
        return self.data


def _clear_widgets(start: str) -> None:
    for key in [key for key in st.session_state if str(key).startswith(start)]:
        del st.session_state[key]


def index_of(options: Iterable[object], value: object) -> int | None:
    """Where ``value`` stands among the options of a widget; None where it does not.

    A starting value is always the widget's own default, which is sent in every run of a page. One that is put
    into the state of the session is sent once, and lost where somebody types while the page is still being sent:
    the browser would show another value than the page has.
    """
    return next((at for at, option in enumerate(options) if option == value), None)


def session() -> Session:
    """This visitor's session; made at the first visit. The run of a visitor who is not the owner ends here."""
    require(Role.OWNER)
    mine: Session = st.session_state.setdefault("atlas", Session())
    return mine


def key_of(widget: str, field: str | None = None) -> str:
    """The key of a widget of the Release page; ``field``: that of the draft which it shows, if it has another name."""
    return session().form.key(f"release {widget}", f"release {field or widget.replace(' ', '_')}")


def loaded() -> DataSet:
    """The loaded data set; the built-in city if nothing else was loaded."""
    mine = session()
    if mine.data is None:
        with st.spinner("Building the synthetic city (only at the first start)"):
            city = built_in_city()
            values = dict(mine.form.values)
            mine.load(city)
            mine.restore(values)
    return mine.agree()
