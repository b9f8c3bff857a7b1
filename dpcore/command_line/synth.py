"""Commands that spend and write synthetic releases: ``synth roy``, ``stability`` and ``trajectory-tree``."""

from __future__ import annotations

import argparse
import re
import sys
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from dpcore import curator, limits, owner
from dpcore.command_line import options as read
from dpcore.command_line import synth_tree
from dpcore.command_line.accounts import add_account, fresh_nonce, must_lie_on_tiles, opened, paying
from dpcore.errors import InputError, PrivacyError
from dpcore.privacy import ContributionBound, decimal_text, exact_epsilon
from dpcore.synthesis.choices import SynthesisChoices
from dpcore.synthesis.roy_choices import MAX_ZIP_CHARACTERS, MAX_ZIPS, ZIP, RoyChoices, zips_of
from dpcore.synthesis.stability.choices import COMBINATIONS, StabilityChoices, usual_variant
from dpcore.synthesis.stability.plan import Variant
from dpcore.synthetic_release.statements import shown_rows
from dpcore.tessellation import Tessellation

if TYPE_CHECKING:
    from dpcore.command_line.options import Commands

_DELTA = re.compile(r"[0-9]{1,4}(\.[0-9]{1,20})?(e-[0-9]{1,2})?|[0-9]{1,20}/[0-9]{1,20}")


def add_to(commands: Commands) -> None:
    """Add ``synth`` with its kinds."""
    synth = commands.add_parser(
        "synth", help="charge the ledger and write synthetic trips that anyone may hold"
    )
    kinds = synth.add_subparsers(metavar="KIND", required=True)

    roy = kinds.add_parser("roy", help="trips drawn from noisy tables (Roy, Kantarcioglu, Sweeney 2016)")
    _add_common(roy)
    roy.add_argument(
        "--holidays", type=_days, default=frozenset(), metavar="DAY,DAY,...", help="count as weekend"
    )
    roy.add_argument("--attributes", default="", metavar="a,b", help="of riders: user_type, gender")
    roy.add_argument(
        "--zips", type=Path, metavar="FILE", help="public list of zips, one a line: draws zips too"
    )
    roy.add_argument("--by-month", action="store_true", help="stations may be busy in different months")
    roy.set_defaults(run=_roy)

    stability = kinds.add_parser(
        "stability", help="large noisy counts of taps on and off, as for the Opal cards"
    )
    _add_common(stability)
    stability.add_argument(
        "--delta", metavar="D", help=f"total of all combinations; default: {limits.DEFAULT_DELTA}"
    )
    stability.add_argument(
        "--combinations",
        default=",".join("+".join(one) for one in COMBINATIONS),
        metavar="a,b,a+b",
        help="of on_time, on_loc, off_time, off_loc; default: each alone, and time and place together",
    )
    stability.add_argument(
        "--minutes", type=read.whole, default=15, metavar="N", help="length of a bin of times"
    )
    stability.add_argument(
        "--variant",
        choices=[variant.value for variant in Variant],
        help="default: user, or add-remove with the unit trip",
    )
    stability.set_defaults(run=_stability)

    tree = kinds.add_parser(
        "trajectory-tree",
        help="how often each way begins so, with more noise where places are more delicate (PLDP-TD)",
    )
    _add_common(
        tree,
        epsilon="of Critical places for one trajectory; a whole record can lose more, and that is charged",
    )
    synth_tree.add_options(tree)
    tree.set_defaults(run=_tree)


def _add_common(kind: argparse.ArgumentParser, *, epsilon: str = "total of all tables") -> None:
    read.add_files(kind)
    read.add_dates(kind)
    kind.add_argument("--privacy-unit", required=True, metavar="user|trip")
    kind.add_argument("--max-trips", type=read.whole, metavar="M", help="with user: trips that count of each")
    kind.add_argument("--epsilon", required=True, metavar="E", help=epsilon)
    kind.add_argument("--out", type=Path, required=True, metavar="DIR")
    kind.add_argument("--title", default="", metavar="TEXT")
    kind.add_argument("--note", default="", metavar="TEXT")
    kind.add_argument(
        "--parameters-chosen",
        choices=["before_data", "after_preview", "paid"],
        default="after_preview",
        help="when epsilon, M, tiles and dates were chosen: the manifest says it; default: after_preview",
    )
    kind.add_argument("--part", metavar="NAME", help="declared part of the data set that these trips are")
    add_account(kind)


def _roy(options: argparse.Namespace) -> None:
    if options.dates is None:
        raise PrivacyError(
            "synthetic trips need a public period",
            "--dates",
            "Give its first and last day, such as --dates 2024-04-01/2024-04-28; they are never read off the data.",
        )
    zips = () if options.zips is None else _zips(options.zips)
    attributes = tuple(name.strip() for name in options.attributes.split(",") if name.strip())
    _publish(
        options,
        RoyChoices(
            _bound(options),
            exact_epsilon(options.epsilon),
            options.dates,
            options.holidays,
            (*([ZIP] if zips else []), *attributes),
            zips,
            options.by_month,
        ),
    )


def _stability(options: argparse.Namespace) -> None:
    bound = _bound(options)
    variant = usual_variant(bound.unit) if options.variant is None else Variant(options.variant)
    combinations = tuple(
        tuple(column.strip() for column in one.split("+")) for one in options.combinations.split(",")
    )
    delta = _exact_delta(limits.DEFAULT_DELTA if options.delta is None else options.delta)
    choices = StabilityChoices(
        bound, exact_epsilon(options.epsilon), delta, variant, combinations, options.dates, options.minutes
    )
    choices.plan()  # refuses what cannot be before the trips are read
    _publish(options, choices)


def _tree(options: argparse.Namespace) -> None:
    synth_tree.days_are_trips(options)
    choices = synth_tree.choices_without_levels(options, _bound(options))
    trips, tessellation = read.loaded(options)
    choices = synth_tree.with_levels(choices, options.levels, tessellation)
    choices.plan(tessellation)  # refuses what cannot be before an account is registered
    _pay(options, choices, trips, tessellation)


def _publish(options: argparse.Namespace, choices: RoyChoices | StabilityChoices) -> None:
    trips, tessellation = read.loaded(options)
    if isinstance(choices, RoyChoices):
        choices.plan(tessellation)  # refuses what cannot be before an account is registered
    _pay(options, choices, trips, tessellation)


def _pay(
    options: argparse.Namespace,
    choices: SynthesisChoices,
    trips: owner.PrivateTrips,
    tessellation: Tessellation,
) -> None:
    must_lie_on_tiles(options, trips, tessellation)
    ledger = opened(options)
    account, is_new = paying(ledger, options, choices.bound.unit)
    request = curator.SyntheticRequest(
        account.dataset,
        choices,
        options.title or account.dataset,
        options.note,
        fresh_nonce(
            ledger,
            options,
            account.dataset,
            choices.terms(),
            tessellation.digest,
            trips.timezone,
            options.title,
            options.note,
            options.parameters_chosen,
            options.part,
        ),
        options.parameters_chosen,
        options.part,
    )
    if isinstance(choices, RoyChoices | StabilityChoices):
        _tell_counting(owner.counting_trips(trips, tessellation, choices))
    if is_new:  # its terms stand for good: only once nothing can be refused any more
        curator.must_be_synthesizable(trips, tessellation, request, account, ledger, out=options.out)
        curator.register(ledger, account)
    _tell(
        curator.synthesize(
            trips, tessellation, request, ledger, out=options.out, progress=read.progress("publishing")
        )
    )


def _tell_counting(found: owner.CountingTrips) -> None:
    """For the owner's eyes: a choice of dates or tiles may be a mistake, and a refusal would tell others of the trips."""
    print(
        f"note: for your eyes alone: {found.counting:,} of {found.of:,} trips lie within what is counted, before any bound "
        "on people",
        file=sys.stderr,
    )
    for name, count in found.unlisted.items():
        if count:
            print(f"note: for your eyes alone: {name} of {count:,} of them is on no list", file=sys.stderr)


def _tell(receipt: curator.SyntheticReceipt) -> None:
    if receipt.repeated:
        print("note: this nonce was published before; nothing was charged", file=sys.stderr)
    for note in receipt.notes:
        print(f"note: {note}", file=sys.stderr)
    for note in shown_rows(receipt.release):
        print(f"note: {note}", file=sys.stderr)
    print(f"release {receipt.release.id}")
    for line in synth_tree.both_numbers(receipt.release):
        print(line)
    delta = f" and delta {receipt.charged_delta}" if receipt.charged_delta else ""
    print(f"charged {decimal_text(receipt.charged)}{delta}, left {decimal_text(receipt.left)}")


def _bound(options: argparse.Namespace) -> ContributionBound:
    bound = read.bound(options)
    if bound is None:  # argparse asks for the unit
        raise PrivacyError("a release needs its unit", "--privacy-unit", "Choose user or trip.")
    return bound


def _exact_delta(text: str) -> Fraction:
    """The exact number that a text such as ``0.000001``, ``1e-6`` or ``1/8000000`` names; its limits are checked later."""
    if not _DELTA.fullmatch(text) or text.endswith("/0"):
        raise PrivacyError(
            "delta must be a small positive number",
            "--delta",
            f"Write it such as 0.000001, 1e-6 or 1/8000000, from {limits.MIN_DELTA} to {limits.MAX_DELTA}.",
        )
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise PrivacyError("delta must be a number", "--delta", "Nothing can be divided by 0.") from None


def _days(text: str) -> frozenset[date]:
    try:
        return frozenset(date.fromisoformat(day.strip()) for day in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError("give days such as 2024-04-01,2024-05-01") from None


def _zips(place: Path) -> tuple[str, ...]:
    """The lines of a public list."""
    most = MAX_ZIPS * 4 * (MAX_ZIP_CHARACTERS + 2)
    try:
        with place.open("rb") as file:
            data = file.read(most + 1)
        lines = data.decode("utf-8-sig").splitlines() if len(data) <= most else []
    except (OSError, UnicodeDecodeError):
        lines = []
    found = zips_of(lines, place.name)
    if not found:
        raise InputError(
            "the list of zips cannot be read",
            str(place),
            f"Give a text file with 1 to {MAX_ZIPS:,} zips, one a line.",
        )
    return found
