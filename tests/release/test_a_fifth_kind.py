# ruff: noqa: ARG001, ARG002 - a kind is given more than this one needs
"""A further kind of release is one module: here the number of trips of a city, with noise. It takes the whole road.

``total_kind`` adds it; then it is priced, counted, drawn, written, read, verified and listed like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import pytest

from dpcore import curator
from dpcore.curator.makers import Made, Maker
from dpcore.errors import BundleError, InternalError, PrivacyError
from dpcore.exact_json import Part
from dpcore.ledger import Price
from dpcore.noise.accuracy import half_width
from dpcore.noise.samplers import discrete_laplace
from dpcore.privacy import ContributionBound, PrivacyUnit, decimal_text, exact_epsilon
from dpcore.private.trips import local_rows
from dpcore.release import Card, Kind, kind_of, read_bundle, shelf, statements, verify_bundle, zipped
from dpcore.release.canonical import CHANGED, epsilon_of
from dpcore.release.fields import Count, Exact, typed_part
from dpcore.release.kind import Object
from dpcore.release.layout import README, TILES
from tests.cities import four_tiles
from tests.curator.asking import Cut, account, spent, trips
from tests.release.added_kinds import added
from tests.release.tampering import rewrite

TOTAL = "total.txt"


@dataclass(frozen=True)
class TotalPlan:
    """The number of trips, for so much of epsilon."""

    epsilon: Fraction
    bound: ContributionBound = ContributionBound.per_trip()  # noqa: RUF009 - it never changes


@dataclass(frozen=True)
class Total:
    """What is drawn: one number."""

    value: int

    def must_be_released(self, plan: object) -> None:
        """A number is drawn on the way to a bundle alone."""


@dataclass(frozen=True)
class _Privacy(Part):
    epsilon: Exact


@dataclass(frozen=True)
class _Manifest(Part):
    privacy: _Privacy
    total: Count


class TotalKind(Kind[TotalPlan, Total]):
    """The number of trips of a city."""

    name: ClassVar[str] = "total"
    asked: ClassVar[type] = TotalPlan
    format: ClassVar[str] = "a number of trips"
    entry: ClassVar[str] = "total"
    page: ClassVar[str] = "Release"
    about: ClassVar[str] = "**One number**: all trips of a city"
    takeaway: ClassVar[str] = "`total.txt` holds the number."

    def must_be_asked(self, plan: TotalPlan) -> None:
        if plan.epsilon <= 0:
            raise PrivacyError("epsilon must be positive", "epsilon", "Give more than 0.")

    def terms(self, plan: TotalPlan) -> Object:
        return {"kind": self.entry, "epsilon": decimal_text(plan.epsilon)}

    def plan_of_terms(self, terms: Mapping[str, object]) -> TotalPlan:
        return TotalPlan(exact_epsilon(str(terms["epsilon"])))

    def loss(self, plan: TotalPlan) -> tuple[Fraction, Fraction]:
        return plan.epsilon, Fraction(0)

    def command(self, plan: TotalPlan, dataset: str, timezone: str) -> str:
        return f"python -m total --epsilon {decimal_text(plan.epsilon)} --dataset {dataset} --timezone {timezone}"

    def python(self, plan: TotalPlan) -> str:
        return f"TotalPlan({plan.epsilon!r})"

    def look(self, plan: TotalPlan) -> str:
        return "release.drawn"

    def files(self, plan, tiles) -> tuple[str, ...]:
        return (README, TILES, TOTAL)

    def contents(self, release, tiles) -> Iterator[tuple[str, bytes]]:
        yield TOTAL, _text(release.drawn)

    def members(self, release, rows: int) -> Object:
        return {"privacy": {"epsilon": epsilon_of(release.plan.epsilon)}, "total": release.drawn.value}

    def plan_of(self, members) -> TotalPlan:
        return TotalPlan(typed_part(_Manifest, members).privacy.epsilon.exact)

    def read(self, members, plan, tiles, files) -> Total:
        return Total(typed_part(_Manifest, members).total)

    def check(self, release, members, files) -> int:
        if files.content(TOTAL) != _text(release.drawn):
            raise BundleError("the number is not that of the manifest", TOTAL, CHANGED)
        return 0

    def statements(self, release) -> Object:
        return {"promise": statements.promise(self.promised(release.plan))}

    def readme(self, release) -> list[str]:
        width = half_width(release.plan.epsilon)
        return [f"{release.drawn.value:,} trips, give or take {width:,}", statements.HALF_WIDTH]

    def card(self, release) -> Card:
        epsilon, delta = self.loss(release.plan)
        return Card(
            id=release.id,
            kind=self.name,
            title=release.title,
            dataset=release.dataset,
            bound=release.plan.bound,
            epsilon=epsilon,
            delta=delta,
            period=None,
            created=release.created,
            tiles=len(release.tessellation.tile_ids),
            told=(f"About {release.drawn.value:,} trips.",),
        )


def _text(drawn: Total) -> bytes:
    return f"{drawn.value}\n".encode()


def _price(plan: TotalPlan, currency: PrivacyUnit) -> Price:
    return Price(plan.epsilon, steps=(f"One number for epsilon {decimal_text(plan.epsilon)}.",))


def _check(city, tiles, plan) -> None:
    """Any trips have a number."""


def _count(city, tiles, plan, progress) -> int:
    return sum(len(batch) for batch in local_rows(city).batches(["complete"]))


def _draw(counted: int, plan: TotalPlan, city, tiles) -> Made:
    return Made(plan, Total(max(0, counted + int(discrete_laplace(plan.epsilon, 1)[0]))))


TOTALS = TotalKind()


def total_kind() -> AbstractContextManager[None]:
    """The fifth kind, as long as the block lasts."""
    return added(TOTALS, Maker(_price, _check, _count, _draw))


def asked(epsilon: str = "1", nonce: str = "first") -> curator.Request:
    plan = TotalPlan(Fraction(epsilon))
    return curator.Request("town", plan, "All trips", "", nonce, "before_data")


@pytest.fixture
def fifth() -> Iterator[None]:
    with total_kind():
        yield


@pytest.fixture
def ledger(fifth):
    return account(unit=PrivacyUnit.TRIP)


def test_it_is_priced_published_read_and_verified(ledger, tmp_path):
    plan = asked("2").plan
    assert curator.price(plan, PrivacyUnit.TRIP).epsilon == 2
    receipt = curator.publish(trips(), four_tiles(), asked("2"), ledger, out=tmp_path / "bundle")
    assert (receipt.charged, spent(ledger), receipt.left) == (2, 2, 8)
    found = read_bundle(receipt.folder)
    assert (found.plan, found.drawn) == (plan, receipt.release.drawn)
    assert abs(found.drawn.value - 200) < 40
    assert "--epsilon 2 " in found.command
    digest = curator.committed_digest(ledger, found)
    for place in (receipt.folder, zipped(receipt.folder)):
        assert verify_bundle(place, digest=digest).files == 6
    again = curator.publish(trips(), four_tiles(), asked("2"), ledger)
    assert (again.repeated, again.digest, spent(ledger)) == (True, receipt.digest, 2)


def test_what_was_changed_in_its_bundle_is_found(ledger, tmp_path):
    folder = curator.publish(trips(), four_tiles(), asked(), ledger, out=tmp_path / "bundle").folder
    rewrite(folder, total__txt=b"7\n")
    with pytest.raises(BundleError, match="not that of the manifest"):
        verify_bundle(folder)


def test_it_is_refused_before_it_is_charged_and_finished_after(ledger, monkeypatch):
    with pytest.raises(PrivacyError, match="positive"):
        asked("0")
    with monkeypatch.context() as patch:
        patch.setattr("dpcore.curator.publishing.write_bundle", lambda *_: (_ for _ in ()).throw(Cut()))
        with pytest.raises(Cut):
            curator.publish(trips(), four_tiles(), asked(), ledger)
    (left,) = ledger.statement("town").open_reservations
    assert curator.kind_of_entry(left.terms) == "total"
    receipt = curator.finish(trips(), four_tiles(), left, ledger)
    assert (receipt.charged, spent(ledger), receipt.repeated) == (1, 1, False)


def test_it_has_a_card_and_a_zip_on_the_shelf(ledger, tmp_path, monkeypatch):
    receipt = curator.publish(trips(), four_tiles(), asked(), ledger, out=tmp_path / "bundles" / "one")
    monkeypatch.setenv("EPSILON_ATLAS_BUNDLES", str(tmp_path / "bundles"))
    (entry,) = shelf.bundles()
    assert (entry.name, entry.title, entry.kind) == (receipt.release.id, "All trips", TOTALS)
    assert entry.card.told == (f"About {receipt.release.drawn.value:,} trips.",)
    assert shelf.looked_at(shelf.zip_of(entry.name)).id == entry.name


def test_without_its_module_it_is_known_to_nobody(tmp_path):
    with total_kind():
        receipt = curator.publish(
            trips(), four_tiles(), asked(), account(unit=PrivacyUnit.TRIP), out=tmp_path / "bundle"
        )
    with pytest.raises(BundleError, match="not the manifest of a release"):
        read_bundle(receipt.folder)
    with pytest.raises(InternalError):
        kind_of(asked)
