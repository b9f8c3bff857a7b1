"""What all commands that spend share: options of the release and of the account that pays, and the step that publishes."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dpcore import curator, limits
from dpcore.api import owner
from dpcore.command_line import options as read
from dpcore.command_line.output import progress
from dpcore.errors import InputError, PrivacyError
from dpcore.ledger import Account, Ledger
from dpcore.ledger.storage import is_url
from dpcore.planning.choice import whole
from dpcore.privacy import ContributionBound, PrivacyUnit, decimal_text, exact_budget
from dpcore.release import CHOSEN, kind_of
from dpcore.release.release import IsAsked
from dpcore.tiles import Tessellation

_DEFAULT_TOTAL = "10"


def add_ledger(command: argparse.ArgumentParser) -> None:
    """Add the option for the ledger."""
    command.add_argument(
        "--ledger", metavar="FILE", help="a file, or a PostgreSQL URL; default: one in the user's data folder"
    )


def add_nonce(command: argparse.ArgumentParser) -> None:
    """Add the option for the nonce."""
    command.add_argument("--nonce", metavar="TEXT", help="a nonce used before gives that release again")


def add_account(command: argparse.ArgumentParser) -> None:
    """Add the options of the account that pays."""
    add_ledger(command)
    command.add_argument("--dataset", metavar="NAME", help="data set that pays; default: the file's name")
    command.add_argument("--total-budget", metavar="B", help="total budget, at first use; default: 10")
    command.add_argument(
        "--account-unit", metavar="user|trip", help="account's unit, at first use; default: the privacy unit"
    )
    command.add_argument("--population", default="", metavar="TEXT", help="who is in the data, at first use")
    add_nonce(command)
    command.add_argument(
        "--yes",
        action="store_true",
        help="ask nothing: publish even if most trips lie outside the tiles, and open an account with the default total",
    )


def add_promise(command: argparse.ArgumentParser, *, epsilon: str) -> None:
    """Add the options for privacy unit, bound and epsilon; ``epsilon`` is the help text of the last one."""
    command.add_argument("--privacy-unit", required=True, metavar="user|trip")
    command.add_argument(
        "--max-trips", type=whole, metavar="M", help="with user: how many trips of each person count"
    )
    command.add_argument("--epsilon", required=True, metavar="E", help=epsilon)


def add_bundle(command: argparse.ArgumentParser) -> None:
    """Add the options for the bundle that is written and for the account that pays."""
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the bundle")
    command.add_argument("--title", default="", metavar="TEXT", help="title; default: the data set")
    command.add_argument("--note", default="", metavar="TEXT", help="free text for readers")
    command.add_argument("--publisher", default="", metavar="TEXT", help="who publishes, for readers")
    command.add_argument(
        "--parameters-chosen",
        choices=CHOSEN,
        default="after_preview",
        help="when epsilon, M, tiles and dates were chosen, as the manifest will say; default: after_preview",
    )
    command.add_argument("--part", metavar="NAME", help="declared part of the data set that these trips are")
    add_account(command)


def add_synthetic(kind: argparse.ArgumentParser, *, epsilon: str = "total epsilon of all tables") -> None:
    """Add the options of every kind of synthetic release."""
    read.add_files(kind)
    read.add_dates(kind)
    add_promise(kind, epsilon=epsilon)
    add_bundle(kind)


def promised_bound(options: argparse.Namespace) -> ContributionBound:
    """The contribution bound that the options name; raises PrivacyError if the account that they name could not pay for it."""
    bound = read.bound(options)
    if bound is None:  # argparse asks for the unit
        raise PrivacyError("a release needs its unit", "--privacy-unit", "Choose user or trip.")
    if getattr(options, "account_unit", None) is not None:  # a study has no account
        curator.must_be_payable(bound.unit, PrivacyUnit.parse(options.account_unit))
    return bound


def publish(
    options: argparse.Namespace,
    asked: IsAsked,
    trips: owner.PrivateTrips,
    tessellation: Tessellation,
    *,
    counted: Callable[[], None] | None = None,
    expected: str = "",
) -> None:
    """Charge the account that the options name, write the bundle, and say what it cost. A new account is opened.

    ``expected``: what is expected of it, in words, to be said beside what came. ``counted`` says to the owner what will be
    counted. It is called after the nonce was shown, unless nobody may look.
    """
    ledger = ledger_named(options)
    account, is_new = paying(ledger, options, asked.bound.unit)
    request = curator.Request(
        account.dataset,
        asked,
        options.title or account.dataset,
        options.note,
        fresh_nonce(
            ledger,
            options,
            account.dataset,
            kind_of(asked).terms(asked),
            tessellation.digest,
            trips.timezone,
            options.title,
            options.note,
            options.parameters_chosen,
            options.part,
            *([f"publisher {options.publisher}"] if options.publisher else []),
            *trips.made_by,
        ),
        options.parameters_chosen,
        options.part,
        publisher=options.publisher,
    )
    if not read.is_silent(options):
        if counted is not None:
            counted()
    elif is_new or ledger.reservation(account.dataset, request.nonce) is None:  # what was charged is finished
        owner.must_be_unseen(trips.fingerprints)
    if is_new:  # its terms are final, so everything that can be refused is refused first
        curator.must_be_publishable(trips, tessellation, request, account, ledger, out=options.out)
        curator.register(ledger, account)
    receipt = curator.publish(
        trips, tessellation, request, ledger, out=options.out, progress=progress("publishing")
    )
    tell(replace(receipt, expected=expected))


def tell_counting(found: owner.CountingTrips, bound: ContributionBound) -> None:
    """Say to the owner how many trips are counted, in case dates or tiles are wrong; a refusal would reveal it to others."""
    said = f"{found.counting:,} of {found.of:,} trips"
    if bound.max_trips is None:
        said += " lie within what is counted, and all of these count"
    elif found.bounded:
        said += f" count: those within what is counted, at most {bound.max_trips:,} of each person"
    else:
        said += f" lie within what is counted; of these at most {bound.max_trips:,} of each person count"
    print(f"note: for your eyes only: {said}", file=sys.stderr)
    for name, count in found.unlisted.items():
        if count:
            print(f"note: for your eyes only: {name} of {count:,} of them is not listed", file=sys.stderr)


def tell(receipt: curator.Receipt) -> None:
    """Print what was released and what it cost. Notes for the owner go to standard error."""
    if receipt.repeated:
        print("note: this nonce was published before, so nothing was charged", file=sys.stderr)
    kind = kind_of(receipt.release.plan)
    rule = receipt.release.trip_rule
    expected = [f"expected: {receipt.expected}"] if receipt.expected else []
    came = kind.told(receipt.release)
    for note in (*receipt.notes, *([] if rule is None else [rule.words]), *expected, *came):
        print(f"note: {note}", file=sys.stderr)
    print(f"release {receipt.release.id}")
    for line in kind.numbers(receipt.release):
        print(line)
    delta = f" and delta {receipt.charged_delta}" if receipt.charged_delta else ""
    print(f"charged {decimal_text(receipt.charged)}{delta}, left {decimal_text(receipt.left)}")


def must_lie_on_tiles(options: argparse.Namespace, trips: owner.PrivateTrips, tiles: Tessellation) -> None:
    """Warn if most trips lie outside the tiles, and go on only if the owner agrees; else raise InputError.

    The warning is for the owner's eyes only. It comes before the ledger is opened, so nothing is written yet. Who declares that
    everything was chosen before looking is told nothing: the warning is an exact answer about the trips.
    """
    if read.is_silent(options):
        return
    warned = owner.outside_warning(trips, tiles)
    if warned is None:
        if (few := owner.unknown_ids(trips)) is not None:
            print(f"note: for your eyes only: {few}", file=sys.stderr)
        return
    print(f"note: for your eyes only: {warned}", file=sys.stderr)
    if options.yes or (_at_a_terminal() and _agreed("Publish all the same?")):
        return
    raise InputError(
        "it is not confirmed that these trips and tiles belong together",
        "--trips and --tiles",
        "Check both, or add --yes. Nothing was charged or written.",
    )


def _at_a_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _agreed(question: str) -> bool:
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def ledger_named(options: argparse.Namespace) -> Ledger:
    """The ledger that the options name; says so if it is a new one."""
    if options.ledger is None:
        return curator.default_ledger()
    if not is_url(options.ledger) and not Path(options.ledger).exists():
        print(
            f"note: there was no ledger at {options.ledger}: a new one begins, which does not know of earlier charges",
            file=sys.stderr,
        )
    return curator.ledger_at(options.ledger)


def paying(ledger: Ledger, options: argparse.Namespace, unit: PrivacyUnit) -> tuple[Account, bool]:
    """The account that pays, and whether it is new. Other terms than those of a registered account are refused.

    The total of a new account is final, so it is shown. At a terminal the owner must agree to it, unless it was given.
    """
    name = _own_name(options.trips) if options.dataset is None else options.dataset
    known = {account.dataset: account for account in ledger.accounts()}.get(name)
    total = None if options.total_budget is None else exact_budget(options.total_budget)
    currency = None if options.account_unit is None else PrivacyUnit.parse(options.account_unit)
    if known is None:
        account = Account(name, options.population, currency or unit, total or exact_budget(_DEFAULT_TOTAL))
        account.must_have(options.part)
        _tell_opening(options, account)
        return account, True
    for option, given, stored in (
        ("--total-budget", total, known.total),
        ("--account-unit", currency, known.unit),
    ):
        if given is not None and given != stored:
            raise PrivacyError(
                "the account was registered with other terms, which are final",
                f"{option} of {name}",
                "Leave the option out, or name another data set if these are other people.",
            )
    return known, False


def _tell_opening(options: argparse.Namespace, account: Account) -> None:
    named = options.total_budget is not None
    print(
        f"note: the account {account.dataset} is new. Its first release opens it with a final total of epsilon "
        f"{decimal_text(account.total)} for all its releases together{'' if named else '; choose another total with --total-budget'}",
        file=sys.stderr,
    )
    if not (named or options.yes) and _at_a_terminal() and not _agreed("Open it?"):
        raise InputError(
            "the account is not opened",
            account.dataset,
            "Name its total with --total-budget. Nothing was charged.",
        )


def fresh_nonce(ledger: Ledger, options: argparse.Namespace, *facts: object) -> str:
    """The nonce of this request. It is printed before anything is spent, so a run that is cut short can be repeated."""
    nonce: str = options.nonce or curator.fresh_nonce(ledger, *facts)
    if options.nonce is None:
        print(f"note: if this run is cut short, repeat it with --nonce {nonce}", file=sys.stderr)
    return nonce


def _own_name(trips: list[str]) -> str:
    """The default name of a data set: that of its file or folder."""
    if len(trips) > 1:
        raise InputError(
            "several trips files need a name for their data set",
            "--dataset",
            "Name it: the same people must pay from one account, whichever of their files are counted.",
        )
    file = Path(trips[0])
    # without this, every file with a name in another alphabet would get the account "csv"
    if re.search(r"[A-Za-z0-9]", file.stem) is None:
        raise InputError(
            "the name of the trips file cannot be the name of a data set",
            "--dataset",
            "Name the data set with letters a to z and digits: it is the account that pays.",
        )
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", file.name).strip("-.")[: limits.MAX_NAME_CHARACTERS].strip("-.")
