"""What all kinds of synthetic releases share: choices, manifest, README.

Synthetic rows are post-processing of noisy tables or of a noisy tree. They cost nothing and reveal nothing more, so the seed
with which they are drawn is public.
"""

from __future__ import annotations

import shlex
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Generic, Protocol, TypeVar, cast

import pyarrow as pa

from dpcore import limits
from dpcore.errors import AtlasError, BundleError, InputError
from dpcore.exact_json import Part, matching, whole
from dpcore.measures.keys import Period
from dpcore.planning.choice import Choice, arguments_of, words_of
from dpcore.planning.python_text import call
from dpcore.privacy import PrivacyUnit, decimal_text, must_be_decimal, rung_number
from dpcore.release import readme, statements
from dpcore.release.canonical import CHANGED, delta_of, epsilon_of
from dpcore.release.fields import typed_part, wrong
from dpcore.release.files import ListedFiles
from dpcore.release.kind import Card, Kind, Object, Rows
from dpcore.release.kinds.trip_rows import TripForm, TripRows, trip_schema
from dpcore.release.layout import MANIFEST, TILES, TRIPS
from dpcore.release.release import IsAsked, Release
from dpcore.release.texts import fenced
from dpcore.tiles import Tessellation


@dataclass(frozen=True)
class _Trips(Part):
    form: TripForm
    seed: Annotated[str, matching("0|[1-9][0-9]{0,18}", "a seed of at most 19 digits")]
    rows: Annotated[int, whole(limits.MAX_SYNTHETIC_TRIPS)]


@dataclass(frozen=True)
class _Manifest(Part):
    method: Mapping[str, object]
    trips: _Trips


class Choices(IsAsked, Protocol):
    """What an owner chooses for a synthesis; together with the tiles it makes a plan."""

    @property
    def period(self) -> Period | None:
        """Public dates; None if none were chosen."""

    @property
    def loss(self) -> tuple[Fraction, Fraction]:
        """Epsilon and delta of one privacy unit, added or removed."""

    def terms(self) -> Object:
        """The choices as the ledger and the manifest store them."""


class HasOrigin(Protocol):
    """Noisy tables, or a noisy tree."""

    @property
    def origin(self) -> str:
        """``release`` if it was paid for."""


Chosen = TypeVar("Chosen", bound=Choices)
Noisy = TypeVar("Noisy", bound=HasOrigin)


@dataclass(frozen=True, eq=False)
class Synthetic(Generic[Noisy]):
    """What is drawn for a synthesis."""

    tables: Noisy
    """Noisy tables, or a noisy tree, with the origin ``release``."""
    seed: int
    """Seed with which the trips are drawn. Public, because the trips are post-processing. 0 if no trip is drawn."""
    form: TripForm

    def must_be_released(self, plan: object) -> None:
        """Refuse a preview with a ValueError, because only our own code could pass one."""
        del plan
        if self.tables.origin != "release":
            raise ValueError("a preview is never released: its noise was not paid for")

    def __repr__(self) -> str:
        """The name of the class, without any number."""
        return f"<{type(self).__name__}>"


class SyntheticKind(Kind[Chosen, Synthetic[Noisy]]):
    """A release of synthetic rows."""

    format: ClassVar[str] = "epsilon-atlas synthetic release"
    entry: ClassVar[str] = "synthesis"
    page: ClassVar[str] = "Synthesize"
    takeaway: ClassVar[str] = (
        "`trips.parquet` loads like any trips file. The noisy tables from which it follows, the tiles, and a README that says what "
        "is promised come with it."
    )
    packed: ClassVar[frozenset[str]] = frozenset({TRIPS})
    choices: ClassVar[tuple[Choice, ...]]
    """What an owner chooses beside epsilon and bound, in the order of code."""
    first_options: ClassVar[tuple[str, ...]] = ("period",)
    """Those that stand first in the command of a manifest."""
    made_by: ClassVar[str]
    """The function of the library that makes a plan."""
    noise: ClassVar[str]
    """Name of the mechanism."""
    what: ClassVar[str]
    """What is in the bundle, for its README."""
    parameters: ClassVar[tuple[str, ...]] = statements.PARAMETERS
    """What an owner chooses."""
    may_be_negative: ClassVar[bool] = True
    extras_words: ClassVar[str] = "Attributes of riders"
    """What ``extras`` are."""

    # What is asked

    def must_be_asked(self, plan: Chosen) -> None:
        must_be_decimal(plan.epsilon)

    def terms(self, plan: Chosen) -> Object:
        return {"kind": self.entry, "choices": plan.terms()}

    def plan_of_terms(self, terms: Mapping[str, object]) -> Chosen:
        try:
            found = self._choices_of(cast("Mapping[str, object]", terms["choices"]))
            self.must_be_asked(found)
        except AtlasError as error:  # this program never wrote such choices
            raise ValueError("choices beyond the limits") from error
        return found

    def wrote_terms(self, terms: Mapping[str, object]) -> bool:
        return super().wrote_terms(terms) and self._is_of_this_kind(terms.get("choices"))

    def loss(self, plan: Chosen) -> tuple[Fraction, Fraction]:
        return plan.loss

    def command(self, plan: Chosen, dataset: str, timezone: str) -> str:
        words = ["python", "-m", "dpcore", "synth", self.name, "--trips", "TRIPS", "--tiles", "TILES"]
        words += ["--timezone", timezone, "--privacy-unit", plan.bound.unit.value]
        if plan.bound.max_trips is not None:
            words += ["--max-trips", str(plan.bound.max_trips)]
        words += ["--epsilon", decimal_text(plan.epsilon)]
        return shlex.join([*words, *self.options(plan), "--dataset", dataset, "--out", "DIR"])

    def options(self, plan: Chosen) -> list[str]:
        """Options of the command that only this kind has, after the public dates."""
        return words_of(plan, self.choices, self.first_options)

    def python(self, plan: Chosen) -> str:
        return call(self.made_by, plan.bound, decimal_text(plan.epsilon), **arguments_of(plan, self.choices))

    # Its bundle

    def wrote_manifest(self, document: Mapping[str, object]) -> bool:
        return super().wrote_manifest(document) and self._is_of_this_kind(document.get("method"))

    def _is_of_this_kind(self, terms: object) -> bool:
        return isinstance(terms, Mapping) and terms.get("kind") == self.name

    def _choices_of(self, terms: Mapping[str, object]) -> Chosen:
        found: Chosen = cast("Any", self.asked).of_terms(terms)
        return found

    def has_trips(self, plan: Chosen) -> bool:
        """Whether there are trips, which load like any trips file."""
        return True

    def extras(self, plan: Chosen) -> tuple[str, ...]:
        """Names of the attributes of riders that the trips have."""
        return ()

    def amounts(self, plan: Chosen) -> frozenset[str]:
        """Those of ``extras`` that are numbers. The others are texts."""
        return frozenset()

    def taken(self, plan: Chosen) -> str | None:
        return TRIPS

    @abstractmethod
    def trips(self, release: Release[Chosen, Synthetic[Noisy]], writer: TripRows) -> Iterator[pa.RecordBatch]:
        """The trips, at most ``limits.MAX_SYNTHETIC_TRIPS``; the same release gives the same rows."""

    def schema_of_trips(self, release: Release[Chosen, Synthetic[Noisy]]) -> pa.Schema:
        """Columns of the trips."""
        return trip_schema(release.drawn.form, self.extras(release.plan), self.amounts(release.plan))

    def batches_of_trips(self, release: Release[Chosen, Synthetic[Noisy]]) -> Iterator[pa.RecordBatch]:
        """The trips as record batches of a trips file."""
        yield from self.trips(release, TripRows(release.tessellation, self.schema_of_trips(release)))

    def rows(self, release: Release[Chosen, Synthetic[Noisy]]) -> Iterator[Rows]:
        if self.has_trips(release.plan):
            yield TRIPS, self.schema_of_trips(release), self.batches_of_trips(release)

    def members(self, release: Release[Chosen, Synthetic[Noisy]], rows: int) -> Object:
        epsilon, delta = release.plan.loss
        return {
            "privacy": {
                "mechanism": self.noise,
                "epsilon": epsilon_of(epsilon),
                "delta": delta_of(delta),
            },
            "ledger_entry": {"charged_delta": delta_of(release.charged_delta)},
            "method": release.plan.terms(),
            **self.drawn_members(release),
            "trips": self._trips_members(release, rows),
        }

    @abstractmethod
    def drawn_members(self, release: Release[Chosen, Synthetic[Noisy]]) -> Object:
        """What the manifest says about the tables or the tree."""

    def repeated(self, release: Release[Chosen, Synthetic[Noisy]]) -> list[str] | None:
        """Names of the tables whose rows are repeated as trips, in this order; None if trips are made in another way."""
        return None

    def _trips_members(self, release: Release[Chosen, Synthetic[Noisy]], rows: int) -> Object:
        trips = self.has_trips(release.plan)
        return {
            "file": TRIPS if trips else None,
            "rows": rows if trips else 0,
            "form": release.drawn.form,
            "columns": self.schema_of_trips(release).names if trips else [],
            "repeats": self.repeated(release),
            "seed": str(release.drawn.seed),
        }

    def plan_of(self, members: Object) -> Chosen:
        try:
            return self._choices_of(typed_part(_Manifest, members).method)
        except AtlasError as error:
            raise BundleError(error.what, f"{MANIFEST}, method, {error.where}", error.mend) from None
        except (KeyError, TypeError, ValueError, ZeroDivisionError):
            raise wrong("method", "choices that this program knows") from None

    def read(
        self, members: Object, plan: Chosen, tiles: Tessellation, files: ListedFiles
    ) -> Synthetic[Noisy]:
        trips = typed_part(_Manifest, members).trips
        return Synthetic(self.read_drawn(plan, tiles, files), int(trips.seed), trips.form)

    @abstractmethod
    def read_drawn(self, plan: Chosen, tiles: Tessellation, files: ListedFiles) -> Noisy:
        """The tables or the tree, from files that anyone may have written."""

    def check(self, release: Release[Chosen, Synthetic[Noisy]], members: Object, files: ListedFiles) -> int:
        """Check that the charge is the price of the promise, and that the rows follow from what was drawn."""
        _must_be_the_charge(release)
        rows = typed_part(_Manifest, members).trips.rows
        self.check_rows(release, rows, files)
        return rows

    @abstractmethod
    def check_rows(self, release: Release[Chosen, Synthetic[Noisy]], rows: int, files: ListedFiles) -> None:
        """Refuse rows that cannot follow from what was drawn; raises BundleError."""

    # What anyone may take out of it

    def shown_table(
        self, release: Release[Chosen, Synthetic[Noisy]], name: str, epsilon: Fraction | None
    ) -> pa.Table:
        rung_number((release.plan.epsilon,), epsilon)  # there is no other
        if name not in self.tables(release):
            raise InputError.unknown("table in this release", name, self.tables(release))
        return self.own_table(release, name)

    @abstractmethod
    def own_table(self, release: Release[Chosen, Synthetic[Noisy]], name: str) -> pa.Table:
        """One of ``tables``."""

    # What it says of itself

    @abstractmethod
    def mechanism(self, release: Release[Chosen, Synthetic[Noisy]]) -> str:
        """How each number of the release was made."""

    @abstractmethod
    def rows_words(self, release: Release[Chosen, Synthetic[Noisy]]) -> str:
        """What the files of trips and trajectories hold."""

    @abstractmethod
    def files_words(self, release: Release[Chosen, Synthetic[Noisy]]) -> list[str]:
        """The lines for tables or tree in the README's list of files."""

    def protects(self, plan: Chosen) -> str:
        """What the privacy unit is, and how much of one unit counts."""
        return statements.protects(plan.bound)

    def relations(self, release: Release[Chosen, Synthetic[Noisy]]) -> tuple[str, ...]:
        """The promise under other relations or in other words, a sentence each."""
        return ()

    def not_protected(self, release: Release[Chosen, Synthetic[Noisy]]) -> tuple[str, ...]:
        """What the promise leaves out, an entry each."""
        return statements.left_out(
            "method, tables, tiles, dates, lists of attributes, bound, epsilon",
            release.plan.bound,
            self.promised(release.plan).presence,
            release.parameters_chosen,
        )

    def chosen(self, release: Release[Chosen, Synthetic[Noisy]]) -> str:
        """When the parameters were chosen."""
        return statements.choice_sentence(release.parameters_chosen, self.parameters)

    def statements(self, release: Release[Chosen, Synthetic[Noisy]]) -> Object:
        return {
            "privacy_unit": self.protects(release.plan),
            "promise": statements.promise(self.promised(release.plan)),
            "relations": list(self.relations(release)),
            "mechanism": self.mechanism(release),
            "trips": self.rows_words(release),
            "parameters_chosen": self.chosen(release),
            "not_protected": list(self.not_protected(release)),
            "half_width": statements.HALF_WIDTH,
            "negative_values": statements.NEGATIVE,
        }

    def readme(self, release: Release[Chosen, Synthetic[Noisy]]) -> list[str]:
        return [
            *self._about(release),
            *self._promise(release),
            *self._files(release),
            "## How to read a number",
            statements.HALF_WIDTH,
            *([statements.NEGATIVE] if self.may_be_negative else []),
            *self._using(release),
            *readme.making(release, self.mechanism(release)),
        ]

    def days_words(self, plan: Chosen) -> str:
        """The days that count, in words."""
        days = plan.period
        if days is None:
            return "all days together"
        return f"{days.first.isoformat()} to {days.last.isoformat()}, chosen by the owner; other days are left out"

    def _about(self, release: Release[Chosen, Synthetic[Noisy]]) -> list[str]:
        facts = [
            *readme.facts(release, self.days_words(release.plan)),
            f"- Places: {len(release.tessellation.tile_ids):,} public tiles",
        ]
        extras = self.extras(release.plan)
        if extras:
            facts.append(f"- {self.extras_words}, from public lists: {', '.join(extras)}")
        said = f"{self.what} Everything in this folder is public and may be copied."
        return ["## What this is", said, "\n".join(facts), *readme.note(release)]

    def _promise(self, release: Release[Chosen, Synthetic[Noisy]]) -> list[str]:
        exceptions = "\n".join(f"- {sentence}" for sentence in self.not_protected(release))
        relations = "\n".join(f"- {sentence}" for sentence in self.relations(release))
        return [
            "## What is promised",
            self.protects(release.plan),
            statements.promise(self.promised(release.plan)),
            *([relations] if relations else []),
            "## What is not promised",
            exceptions,
            *(
                [self.chosen(release)] if release.parameters_chosen != "after_preview" else []
            ),  # after a preview, the list above says it already
        ]

    def _files(self, release: Release[Chosen, Synthetic[Noisy]]) -> list[str]:
        trips = self.has_trips(release.plan)
        rows = [
            "| file | holds |",
            "|---|---|",
            f"| {MANIFEST} | every fact of this release for programs, with the SHA-256 of all other files |",
            *([f"| {TRIPS} | the trips, in the form of a trips file |"] if trips else []),
            *readme.tile_files(),
            *self.files_words(release),
        ]
        return ["## Files", "\n".join(rows), self.rows_words(release)]

    def _using(self, release: Release[Chosen, Synthetic[Noisy]]) -> list[str]:
        load = f"python -m dpcore exact visits_per_tile --trips {TRIPS} --tiles {TILES} --timezone {release.timezone}\n"
        trips = self.has_trips(release.plan)
        return [
            "## How to use it",
            *(["The trips load like any trips file:"] if trips else []),
            fenced(f"{load if trips else ''}python -m dpcore verify ."),
            (
                "verify finds every change of a file, unless somebody rewrote all files consistently, the manifest included. To rule "
                "that out, compare the SHA-256 of manifest.json with the digest that the owner's ledger holds for this release."
            ),
        ]

    def card(self, release: Release[Chosen, Synthetic[Noisy]]) -> Card:
        plan = release.plan
        return replace(super().card(release), period=plan.period, told=self.particulars(plan))

    @abstractmethod
    def particulars(self, plan: Chosen) -> tuple[str, ...]:
        """Sentences that tell two releases of this kind apart."""


def _must_be_the_charge(release: Release[Any, Any]) -> None:
    """Refuse a bundle whose ledger entry did not charge the price of its promise; raises BundleError.

    A synthetic release continues no chain. So an account that counts its unit is charged exactly what one unit can lose. There
    are two exceptions. For a declared part of the data set only what exceeds the other parts is charged, so the charge may
    be less. And an account of trips pays what one trip can lose by a promise to people: only the pricing knows that, and a
    bundle cannot be checked for it.
    """
    anchor, unit = release.anchor, release.plan.bound.unit
    if anchor.currency is PrivacyUnit.TRIP and unit is PrivacyUnit.USER:
        return
    charged, price = (anchor.charged, release.charged_delta), release.plan.loss
    own = anchor.currency is unit  # an account of users never pays for trips
    if own and charged == price:
        return
    if (
        own
        and anchor.part is not None
        and all(0 <= one <= most for one, most in zip(charged, price, strict=True))
    ):
        return
    raise BundleError("the charge is not what the promise costs", f"{MANIFEST}, ledger_entry", CHANGED)
