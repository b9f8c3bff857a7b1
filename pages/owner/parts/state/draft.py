"""What an owner is about to publish: the account, the plan, its texts, and the spend, which no click can cut short.

The plan is made from public facts and declarations only. Streamlit ends the run of a page when the next event comes. A
spend must not end half way, so it runs once, in a thread of its own. The page only watches it: it may be left or reloaded
meanwhile, and the button may be pressed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from threading import Event, Lock, Thread
from typing import Final, Generic, TypeVar

from dpcore import curator, demo
from dpcore.api import owner
from dpcore.errors import AtlasError, InputError, InternalError
from dpcore.ledger import Account, Ledger
from dpcore.measures import MEASURES
from dpcore.measures.attribute import Amount, Attribute, Categories, reads
from dpcore.measures.choices import USUAL, KeyChoices
from dpcore.measures.data_form import ALL_RECORDED, DataForm
from dpcore.measures.keys import Period
from dpcore.measures.plan import NOTHING, USUAL_FALSE_FLOWS, Plan
from dpcore.measures.sums import MEAN, SUM, Sum, sum_of
from dpcore.noise.expected_estimates import TOTAL
from dpcore.noise.forecast import Facts, accuracy_first
from dpcore.planning.default_plan import (
    DISTRICTS,
    USUAL_BOUND,
    default_bound,
    default_plan,
    with_public_keys,
)
from dpcore.privacy import RUNGS, ContributionBound, PrivacyUnit, exact_budget
from dpcore.release import CHOSEN, Chosen, Release
from dpcore.tiles import Tessellation
from dpcore.tiles.districts import halved

Made = TypeVar("Made")
Tell = Callable[[float], None]


class Work(Generic[Made]):
    """One piece of work, begun at most once."""

    def __init__(self, task: Callable[[Tell], Made]) -> None:
        self._task: Callable[[Tell], Made] | None = task
        self._begun = Lock()
        self._over = Event()
        self._made: Made | None = None
        self._problem: AtlasError | None = None
        self.share = 0.0
        """How much is done, 0 to 1."""
        self.told = False
        """Whether its result was shown."""

    @property
    def begun(self) -> bool:
        """Whether it was started."""
        return self._begun.locked()

    def begin(self) -> None:
        """Start, unless it was started before."""
        if self._begun.acquire(blocking=False):
            task, self._task = (
                self._task,
                None,
            )  # it holds trips, which must not be kept when the work is over
            Thread(target=self._run, args=(task,), daemon=True).start()

    def over(self, seconds: float) -> bool:
        """Wait for at most so many seconds; returns whether the work has ended."""
        return self._over.wait(seconds)

    def result(self) -> Made:
        """Its result; raises the AtlasError that ended it."""
        if self._problem is not None:
            raise self._problem
        if self._made is None:
            raise RuntimeError("the work is not over")
        return self._made

    def _run(self, task: Callable[[Tell], Made]) -> None:
        try:
            self._made = task(self._tell)
        except AtlasError as error:
            self._problem = error
        except Exception as error:  # noqa: BLE001 - the text of an unknown error may quote a cell
            self._problem = InternalError.at(type(error).__name__)
        finally:
            self._over.set()

    def _tell(self, share: float) -> None:
        self.share = min(max(share, 0.0), 1.0)


START_RUNG: Final = RUNGS.index(1)
MOST_TRIPS: Final = 500
"""The largest bound M that pages offer."""

DEMO_DATASET = "demo city"
"""The account of the built-in city; no other data set may use it."""
_DEMO_PEOPLE = 33_000  # of the built-in city, whose truth is public


class Look(Enum):
    """One way of looking at the trips that a plan is made for; its value says in words what was seen.

    After any of them the owner can no longer declare that nobody looked before choosing.
    """

    REPORT = "Exact numbers of what was read were shown on the Data page."
    PREVIEW = "You looked at a preview of these trips on Explore."
    NUMBERS = "The numbers of trips and people were read off the data, so this plan depends on them."
    BOUND = "What each M leaves out was counted on these trips."
    PERIOD = "The first and last day were read off these trips: a choice made after looking."
    COMPARED = "You compared these trips with noisy tables."
    LENGTHS = "You looked at how long the trajectories of these trips are."
    EXTENT = "The extent of these trips was read off them."
    FIELDS = "The empty fields of these trips were counted."
    CLAMPED = "What the bounds of a sum cut off was computed from these trips."
    EARLIER = "This plan was made for other trips on these tiles, and those were looked at."
    ELSEWHERE = "These trips were looked at elsewhere on this computer: in another project or login, by a command or by a program."


def in_words(looked: set[Look]) -> str:
    """All looks in one text; empty if there was none."""
    return " ".join(look.value for look in Look if look in looked)


@dataclass(frozen=True, repr=False, eq=False)
class Pending:
    """One spend that waits for confirmation. Its nonce is fixed here, so it can be charged only once."""

    nonce: str
    title: str
    lines: dict[str, str]
    """What is about to happen, as label and value."""
    button: str
    work: Work[curator.Receipt]
    """Begins when the button is pressed; at most once."""
    warning: str | None = None
    """What its owner should look at first."""


@dataclass(repr=False)
class Publishing:
    """What is about to be published of one kind, and what was published last."""

    title: str = ""
    note: str = ""
    publisher: str = ""
    """Who publishes, as readers will see it; it may be empty."""
    with_context: bool = False
    """Whether the release holds what lies under the map."""
    pending: Pending | None = None
    receipt: curator.Receipt | None = None


def known_beforehand(tiles: int, *, is_demo: bool) -> Facts:
    """What is declared of a data set at first: of the built-in city all, because its truth is public; else nothing."""
    return Facts(demo.DEMO_TRIPS, _DEMO_PEOPLE, tiles) if is_demo else Facts(None, None, tiles)


@dataclass(repr=False)
class Draft:
    """Every choice of the page; starting values are proposals in plain sight."""

    tessellation: Tessellation
    """The public tiles."""
    form: DataForm = ALL_RECORDED
    is_demo: bool = False
    dataset: str = ""
    population: str = ""
    total: str = "10"
    currency: PrivacyUnit = PrivacyUnit.USER
    part: str | None = None
    unit: PrivacyUnit = PrivacyUnit.USER
    max_trips: int = USUAL_BOUND
    choices: KeyChoices = USUAL
    """Dates, windows and bins, as chosen when the data were loaded."""
    categories: tuple[Categories, ...] = ()
    """The declared attributes of the trips by which tables can be split."""
    splits: tuple[str, ...] = ()
    """Names of those by which they are."""
    amounts: tuple[Amount, ...] = ()
    """The declared numbers of the trips, which can be added up."""
    sums: dict[str, str] = field(default_factory=dict)
    """Those that are, with their bounds and unit as they are typed."""
    by: str | None = None
    """The table in whose cells they are; None: over all trips."""
    districts: int | None = None
    """Into how many districts the map is halved; None: those of the tile file, or as many as pay."""
    most_trips: int | None = None
    """The cap of the total; None: the proposed one."""
    weights_of: dict[PrivacyUnit, dict[str, int]] = field(default_factory=dict)
    """The edited weights of the measures, by the unit that is hidden. Without an entry those of the default plan count."""
    five_numbers: int = 0
    """Weight of bought five-number summaries; 0: none are."""
    ranges: Fraction = NOTHING
    """Share of epsilon that buys ranges of bins; 0: none are."""
    ranged: tuple[str, ...] | None = None
    """Histograms whose ranges are bought; None: all with the usual bins."""
    false_flows: Fraction = USUAL_FALSE_FLOWS
    """Empty pairs of tiles that are listed by chance, where there are too many to list all."""
    by_accuracy: bool = False
    epsilon: Fraction = Fraction(1)
    rung: int = START_RUNG
    """The stop where sliders of Explore and of the report stand."""
    wanted: int = 50
    wanted_measure: str = "visits_per_tile"
    chosen: Chosen | None = None
    trips: int | None = None
    users: int | None = None
    counted: dict[str, int | None] = field(default_factory=dict)
    """What of ``trips`` and ``users`` was read off the data. No project keeps it."""
    look: bool = False
    """Whether the true numbers are asked for."""
    looked: set[Look] = field(default_factory=set)
    """What was seen of the trips, which makes the plan depend on them."""
    files: tuple[str, ...] = ()
    """Fingerprints of the files whose looks count, also those of commands and programs; none where no look could matter."""
    earlier: tuple[str, ...] = ()
    """The same of trips for which this plan was made, before it was kept for these: another month of them."""
    of_kinds: dict[str, Publishing] = field(default_factory=dict)
    """Title, last word and receipt, by the kind of release."""
    _read: tuple[tuple[tuple[int, str], str], tuple[Release, ...]] | None = None
    _usual: tuple[tuple[object, ...], Plan] | None = None

    def publishing(self, kind: str, title: str) -> Publishing:
        """Title and note of a release of a kind; the built-in city has a proposed title."""
        return self.of_kinds.setdefault(kind, Publishing(title if self.is_demo else ""))

    @property
    def bound(self) -> ContributionBound:
        """The chosen unit with its bound."""
        if self.unit is PrivacyUnit.TRIP:
            return ContributionBound.per_trip()
        return ContributionBound.per_user(self.max_trips)

    def stop_at(self, rung: int) -> None:
        """Take the stop of a slider."""
        self.rung, self.epsilon, self.by_accuracy = rung, RUNGS[rung], False

    def releases(self, ledger: Ledger, dataset: str) -> tuple[Release, ...]:
        """Releases that the ledger paid for, read again only when it has a new line: reading checks every file."""
        now = (ledger.head(), dataset)
        if self._read is None or self._read[0] != now:
            self._read = (now, curator.releases(ledger, dataset))
        return self._read[1]

    @property
    def way(self) -> Chosen:
        """How the parameters were chosen, as the release says it; never ``before_data`` after a look."""
        return "after_preview" if self.chosen is None or self.chosen not in self.ways else self.chosen

    @property
    def ways(self) -> tuple[Chosen, ...]:
        """The ways of choosing parameters that may still be claimed."""
        return tuple(way for way in CHOSEN if way != "before_data" or not self.seen)

    @property
    def seen(self) -> set[Look]:
        """What was seen of the trips, here or elsewhere on this computer, or of those for which the plan was made."""
        if self.looked:
            return self.looked
        if owner.was_seen(self.files):
            return {Look.ELSEWHERE}
        return {Look.EARLIER} if owner.was_seen(self.earlier) else set()

    def ask_to_look(self) -> None:
        """Read the true numbers in the next run."""
        self.look = True

    @property
    def weights(self) -> dict[str, int]:
        """The weights for the chosen unit. Until they are edited they follow what is declared, as the default plan does."""
        return self.weights_of[self.unit] if self.edited else dict(self.usual(self.epsilon).weights)

    @weights.setter
    def weights(self, weights: dict[str, int]) -> None:
        self.weights_of[self.unit] = weights

    @property
    def edited(self) -> bool:
        """Whether the weights for the chosen unit were edited."""
        return self.unit in self.weights_of

    @property
    def keys(self) -> KeyChoices:
        """Dates, windows and bins, by what tables are split, and what is added up. InputError for what cannot be."""
        by = tuple(one for one in self.categories if one.name in self.splits)
        if not by and not self.sums:
            return self.choices
        sums = tuple(self.sum(name, text) for name, text in self.sums.items())
        return replace(self.choices, splits=by, sums=sums, by=self.by if sums else None)

    def sum(self, name: str, text: str) -> Sum:
        """A number that is added up within typed bounds; InputError for bounds that are none, or that lie beyond what was kept."""
        one = sum_of(f"{name}={text}")
        kept = next((amount for amount in self.amounts if amount.name == name), None)
        if one.attribute is not None and kept is not None and not reads(one.attribute, kept):
            low, high, unit = kept.declared.split(":")
            raise InputError(
                "these trips were loaded with closer bounds, or with another unit",
                f"sum {name}",
                f"Choose bounds within {low} to {high} in units of {unit}, or load the trips again with wider bounds.",
            )
        return one

    def usual(self, epsilon: Fraction) -> Plan:
        """The plan that a release has if nothing is chosen but the bound. A page asks for it often, so the last one is kept."""
        asked = (self.bound, epsilon, self.facts, self.keys)
        if self._usual is None or self._usual[0] != asked:
            found = default_plan(
                self.bound,
                epsilon,
                self.tessellation,
                self.facts,
                self.keys,
                form=self.form,
            )
            self._usual = (asked, found)
        return self._usual[1]

    def keyed(self, plan: Plan) -> Plan:
        """The plan with the districts and the cap of the total that were chosen or are proposed."""
        most = self.most_trips or plan.choices.most_trips
        choices = replace(plan.choices, most_trips=most if TOTAL in plan.weights else None)
        if self.districts is not None and DISTRICTS in plan.weights:
            choices = replace(choices, districts=halved(self.tessellation, self.districts))
        return with_public_keys(
            replace(plan, choices=choices), self.tessellation, self.facts, least_districts=2
        )

    def take(self, plan: Plan) -> None:
        """Take bound, measures, epsilon and public keys of another plan for the same unit."""
        self.max_trips = plan.bound.max_trips or self.max_trips
        self.weights = dict(plan.weights)
        self.five_numbers, self.ranges, self.ranged = plan.five_numbers, plan.ranges, plan.ranged
        if plan.epsilon != self.plan().epsilon:
            self.epsilon, self.by_accuracy = plan.epsilon, False
        self.most_trips = self.districts = None
        proposed, wanted = self.plan().choices, plan.choices
        if wanted.most_trips != proposed.most_trips:
            self.most_trips = wanted.most_trips
        if wanted.districts is not None and wanted.districts != proposed.districts:
            self.districts = len(wanted.districts.names)

    def plan(self) -> Plan:
        """The plan; PrivacyError where its accuracy cannot be had."""
        epsilon = self.epsilon
        usual = self.keyed(
            Plan.up_to(self.bound, self.weights, epsilon, self.keys) if self.edited else self.usual(epsilon)
        )
        if self.by_accuracy:
            epsilon = accuracy_first(
                self.bound,
                usual.weights,
                self.wanted_measure,
                self.wanted,
                usual.choices,
                five_numbers=self.five_numbers,
                ranges=self.ranges,
            )
        return Plan.up_to(
            self.bound,
            usual.weights,
            epsilon,
            usual.choices,
            five_numbers=self.five_numbers,
            ranges=self.ranges,
            ranged=self.ranged,
            false_flows=self.false_flows,
        )

    @property
    def facts(self) -> Facts:
        """What was declared, with the number of public tiles."""
        return Facts(self.trips, self.users, len(self.tessellation.tile_ids))

    @property
    def lacking_terms(self) -> tuple[str, ...]:
        """What a new account still needs, in words; empty if nothing is missing."""
        said = {"a name of the data set": self.dataset, "who is in the data": self.population.strip()}
        return tuple(name for name, value in said.items() if not value)

    def account(self) -> Account:
        """The account as it would be registered."""
        if self.dataset.casefold() == DEMO_DATASET and not self.is_demo:
            raise InputError(
                "this account belongs to the built-in city", "name of the data set", "Choose another name."
            )
        if not self.population.strip():
            raise InputError(
                "a new account needs to say whose trips these are",
                "who is in the data",
                "For example: riders of the tram in 2024.",
            )
        return Account(self.dataset, self.population.strip(), self.currency, exact_budget(self.total))


def names_of(sums: Iterable[str]) -> tuple[str, ...]:
    """The measures of some numbers that are added up."""
    return tuple(f"{kind}{name}" for name in sums for kind in (SUM, MEAN))


def first_draft(
    tiles: Tessellation,
    *,
    is_demo: bool,
    form: DataForm,
    choices: KeyChoices,
    attributes: Sequence[Attribute] = (),
) -> Draft:
    """The page as it opens. For the built-in city, whose truth is public, all but the confirmation is filled in."""
    unit = PrivacyUnit.USER if form.users else PrivacyUnit.TRIP
    draft = Draft(tiles, form, is_demo, unit=unit, currency=unit, choices=choices)
    draft.categories = tuple(one for one in attributes if isinstance(one, Categories))
    draft.amounts = tuple(one for one in attributes if isinstance(one, Amount))
    if is_demo:
        draft.dataset, draft.population = DEMO_DATASET, "Invented people of the built-in city"
    known = known_beforehand(len(tiles.tile_ids), is_demo=is_demo)
    draft.trips, draft.users = known.trips, known.users
    draft.max_trips = default_bound(draft.epsilon, known, choices)
    return draft


def answerable(form: DataForm, period: Period | None) -> tuple[str, ...]:
    """Measures that the form of the data can answer, with the public period that was given. A plan adds districts."""
    return tuple(
        name
        for name, measure in MEASURES.items()
        if not measure.lacks(form) and (period is not None or not measure.needs_period)
    )
