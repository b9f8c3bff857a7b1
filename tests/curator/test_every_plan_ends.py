"""Whatever is asked for is refused before the charge, or published and read back: never paid for and lost."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction

import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpcore import curator
from dpcore.errors import AtlasError, InternalError, UnfinishedError
from dpcore.kinds.roy.choices import RoyChoices, groups_of
from dpcore.kinds.stability.choices import COLUMNS, StabilityChoices
from dpcore.kinds.stability.plan import Variant
from dpcore.kinds.tree.choices import Making, Outside, Source, TreeChoices
from dpcore.kinds.tree.levels import DESCRIPTORS, Descriptor
from dpcore.kinds.tree.plan import Definition, Strategy
from dpcore.kinds.tree.tree import Consistency
from dpcore.ledger import Account
from dpcore.measures import MEASURES
from dpcore.measures.choices import GRIDS, KeyChoices
from dpcore.measures.keys import Period, Step
from dpcore.measures.plan import Plan
from dpcore.noise import mechanisms
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.release import release_table, verify_bundle
from dpcore.tiles import Tessellation
from tests.cities import Trip, private

AUDIT = 400
IDS = (
    ("A", "B", "C", "D"),
    ("007", "1", "12", "2"),
    ("1.5", "1e5", "inf", "nan"),
    ("UNKNOWN", "before", "null", "total"),
    ("a, b", "c & d", "e (f)", "g's #1"),
)
TITLES = st.sampled_from(["Town", "", "a | b *c* `d` # e", "=1+1", "---", "x" * 120])
TEXTS = st.sampled_from(
    ["Town", "", "a | b *c* `d` # e", "=1+1", "---", "\u2067right to left", "x" * 4_000, "a\n\n\nb"]
)


def usually(good, odd):
    """Nine times of ten something that can be."""
    return st.integers(0, 9).flatmap(lambda number: st.sampled_from(odd if number == 9 else good))


def fractions(*texts):
    return [Fraction(text) for text in texts]


EPSILONS = usually(
    fractions("1", "0.1", "0.123457", "2.5", "20", "0.001"),
    fractions("0.0005", "21", "1/3", "4/3", "1/7", "1/2000000", "1000001/1000000"),
)
BOUNDS = st.sampled_from(
    [
        ContributionBound.per_trip(),
        *(ContributionBound.per_user(most) for most in (1, 2, 3, 7, 9_973, 10_000)),
    ]
)
DAYS = st.builds(
    lambda first, days: Period(first, first + timedelta(days=days)),
    st.sampled_from([date(1970, 1, 1), date(2024, 2, 28), date(2024, 4, 1), date(2090, 12, 31)]),
    st.sampled_from([0, 1, 6, 31, 400]),
)
_numbers = itertools.count()


def tiles(ids: tuple[str, ...]) -> Tessellation:
    boxes = [shapely.box(x, y, x + 1, y + 1) for y in (0, 1) for x in (0, 1)]
    return Tessellation.of(list(ids), [""] * 4, boxes, "four tiles")


@pytest.fixture(scope="module")
def riders():
    """Makes the trips of a few people in a home of its own; with places on the way, days apart and outside."""

    def make():
        way = ("A", "B", "D", "outside", "C")
        return private(
            [
                Trip(
                    f"u{user}",
                    None if (user, trip) == (3, 1) else way[(user + trip) % 5],
                    way[(user * trip) % 5],
                    f"2024-04-0{1 + trip} {7 + user:02d}:30",
                    f"2024-04-0{1 + trip} {8 + user:02d}:10",
                    via=() if (user, trip) == (3, 1) else (way[user % 5], way[trip % 5]),
                )
                for user in range(8)
                for trip in range(4)
            ]
        )

    return make


EDGES = usually([("1", "2"), ("0.5", "10"), ("3",), tuple(str(n) for n in range(1, 300))], [("2", "1")])


@st.composite
def plans(draw):
    names = draw(st.lists(st.sampled_from(list(MEASURES)), min_size=1, max_size=5, unique=True))
    weights = {name: draw(st.sampled_from([1, 2, 3, 7, 100, 999_983, 1_000_000])) for name in names}
    histograms = draw(
        st.lists(st.sampled_from(["travel_time", "jump_length", "trips_per_user"]), max_size=2, unique=True)
    )
    choices = KeyChoices(
        draw(DAYS),
        draw(st.sampled_from(Step)),
        draw(usually([(2, 6, 10, 14, 18, 22), (0,), (6, 18), tuple(range(24))], [(23, 1)])),
        {name: draw(EDGES) for name in histograms},
        draw(usually([None, 2, 10, 1_000], [1_001])),
    )
    summed = any(name in GRIDS for name in names)  # only histograms have quantiles to buy
    plan = Plan.up_to(
        draw(BOUNDS),
        weights,
        draw(EPSILONS),
        choices,
        five_numbers=draw(st.sampled_from([0, 0, 1, 50, 1_000_000])) if summed else 0,
        ranges=draw(usually(fractions("0", "0", "0.1", "0.000001"), fractions("1/3", "0.999999")))
        if summed
        else Fraction(0),
        false_flows=draw(usually(fractions("1", "0.001", "50"), fractions("1/3"))),
    )
    if draw(st.booleans()):
        plan = replace(plan, rungs=tuple(sorted({*plan.rungs, draw(EPSILONS), draw(EPSILONS)})))
    return plan


@st.composite
def syntheses(draw):
    bound, epsilon, kind = (
        draw(BOUNDS),
        draw(EPSILONS),
        draw(st.sampled_from(["roy", "stability", "tree", "tree"])),
    )
    if kind == "roy":
        period = draw(DAYS)
        days = draw(
            st.lists(st.sampled_from([period.first, period.last, date(2024, 4, 3)]), max_size=2, unique=True)
        )
        together = draw(
            st.sampled_from([(), ("hour+duration",), ("end+hour=7", "start+date"), ("start+end",)])
        )
        return RoyChoices(
            bound,
            epsilon,
            period,
            frozenset(days),
            by_month=draw(st.booleans()),
            together=groups_of(together, 2, ""),
            measured=groups_of(draw(st.sampled_from([(), ("hour+band",), ("hour+start",)])), 1, ""),
            bands=draw(st.sampled_from([(), ("0.5", "20")])),
        )
    if kind == "stability":
        one = st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=3, unique=True).map(tuple)
        return StabilityChoices(
            bound,
            epsilon,
            draw(usually(fractions("1/1000000", "1/8000001", "1e-30", "0.00001"), fractions("1"))),
            draw(st.sampled_from(Variant)),
            tuple(draw(st.lists(one, min_size=1, max_size=4))),
            draw(st.none() | DAYS),
            draw(usually([5, 15, 60, 720], [7])),
        )
    scale = draw(
        st.sampled_from(
            [DESCRIPTORS, (Descriptor("Low", Fraction(1, 3)), Descriptor("High", Fraction(1))),
             (Descriptor("Low", Fraction(1, 999_983)), Descriptor("High", Fraction(1)))]
        )
    )  # fmt: skip
    named = draw(st.lists(st.sampled_from("ABCD"), max_size=4, unique=True))
    return TreeChoices(
        bound,
        epsilon,
        draw(st.sampled_from([1, 2, 3, 5, 64])),
        tuple((tile, draw(st.sampled_from([one.name for one in scale]))) for tile in named),
        scale,
        Making(
            draw(st.sampled_from(Source)),
            draw(st.sampled_from([None, 1, 30])),
            draw(st.sampled_from(Outside)),
        ),
        draw(st.sampled_from(Definition)),
        draw(st.sampled_from(Strategy)),
        draw(st.sampled_from(Consistency)),
        draw(st.none() | DAYS),
    )


def unless_refused(make):
    """What is made, or None where it is refused in words that are ours."""
    try:
        return make()
    except UnfinishedError as error:
        raise AssertionError(f"paid for and lost: {error}") from error
    except InternalError as error:
        raise AssertionError(f"a fault of ours: {error}") from error
    except AtlasError:
        return None


def new_account(draw, ledger) -> tuple[str, str | None]:
    """An account of its own for every example, and the part that pays; most are of trips, where every plan has a price."""
    unit = draw(st.sampled_from([PrivacyUnit.TRIP, PrivacyUnit.TRIP, PrivacyUnit.USER]))
    parts = draw(st.sampled_from([(), ("north", "south")]))
    name = f"town {next(_numbers)}"
    curator.register(ledger, Account(name, "all", unit, Fraction(100), parts, unit if parts else None))
    return name, draw(st.sampled_from([None, *parts]))


def ends(ledger, spend):
    """A receipt whose bundle verifies, or None where the request was refused and the ledger is as it was."""
    before = ledger.head()
    receipt = unless_refused(spend)
    if receipt is None:
        assert ledger.head() == before
        return None
    verify_bundle(receipt.folder, digest=receipt.digest)
    return receipt


def tables_end(riders, data) -> bool:
    draw, ledger = data.draw, curator.default_ledger()
    plan = unless_refused(lambda: draw(plans()))
    town = tiles(draw(st.sampled_from(IDS)))
    name, part = new_account(draw, ledger)
    if plan is None:
        return False
    request = unless_refused(
        lambda: curator.Request(name, plan, draw(TITLES), draw(TEXTS), "once", "before_data", part)
    )
    if request is None:
        return False
    given = replace(riders, tile_ids=town.tile_ids, tiles_digest=town.digest)
    with pytest.MonkeyPatch.context() as patch:
        if draw(st.booleans()):
            patch.setattr(mechanisms, "is_sparse", lambda keys: "destination" in keys.columns)
        receipt = ends(ledger, lambda: curator.publish(given, town, request, ledger))
        if receipt is None:
            return False
        for measure in plan.weights:
            for rung in receipt.release.plan.rungs:
                release_table(receipt.release, measure, rung)
        higher = draw(EPSILONS)
        ends(ledger, lambda: curator.top_up(ledger, receipt.release.id, higher, nonce="more"))
    return True


def synthetic_ends(riders, data) -> bool:
    draw, ledger = data.draw, curator.default_ledger()
    choices = unless_refused(lambda: draw(syntheses()))
    town = tiles(draw(st.sampled_from(IDS[:1] if isinstance(choices, TreeChoices) else IDS)))
    name, part = new_account(draw, ledger)
    if choices is None:
        return False
    request = unless_refused(
        lambda: curator.Request(name, choices, draw(TITLES), draw(TEXTS), "once", "before_data", part)
    )
    if request is None:
        return False
    given = replace(riders, tile_ids=town.tile_ids, tiles_digest=town.digest)
    return ends(ledger, lambda: curator.publish(given, town, request, ledger)) is not None


def examples(count: int, **more):
    return settings(
        max_examples=count, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True, **more
    )


@pytest.mark.parametrize("end", [tables_end, synthetic_ends])
def test_every_plan_is_refused_for_nothing_or_published_and_read_back(end, riders):
    given_trips, published = riders(), []

    @examples(25, derandomize=True, database=None)
    @given(st.data())
    def run(data):
        published.append(end(given_trips, data))

    run()
    assert sum(published) >= 6  # of as many that are not refused is said that they end


@pytest.mark.audit
@pytest.mark.parametrize("end", [tables_end, synthetic_ends])
def test_many_plans_are_refused_for_nothing_or_published_and_read_back(end, riders):
    given_trips = riders()

    @examples(AUDIT, database=None)
    @given(st.data())
    def run(data):
        end(given_trips, data)

    run()
