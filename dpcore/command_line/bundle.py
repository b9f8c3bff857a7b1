"""Commands that read bundles alone: ``table``, ``report`` and ``verify``. They need no trips and no ledger."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dpcore import curator
from dpcore.command_line.output import write
from dpcore.comparison.agreement import consistent_table
from dpcore.errors import InputError
from dpcore.measures.plan import FIVE_NUMBERS
from dpcore.noise.five_numbers import columns as columns_of
from dpcore.privacy import exact_epsilon, rung_number
from dpcore.release import read_bundle, read_tables, release_table, verify_bundle
from dpcore.release.five_numbers import five_numbers
from dpcore.views.report import report_html

if TYPE_CHECKING:
    from dpcore.command_line.options import Commands


def add_to(commands: Commands) -> None:
    """Add ``table``, ``report`` and ``verify``."""
    table = commands.add_parser("table", help="print a released table with its 95 %% half widths")
    table.add_argument("bundle", type=Path, metavar="DIR", help="a bundle: its folder or its .zip")
    table.add_argument(
        "measure", metavar="MEASURE", help="a measure, or five_numbers: summaries of the histograms"
    )
    table.add_argument("--epsilon", metavar="E", help="a revealed rung of the total; default: the highest")
    table.add_argument(
        "--consistent",
        action="store_true",
        help="put in agreement with the other tables of the release: equal totals are equal; files stay as drawn",
    )
    table.set_defaults(run=_table)

    verify = commands.add_parser("verify", help="check every file of a bundle")
    verify.add_argument("bundle", type=Path, metavar="DIR")
    verify.add_argument("--ledger", metavar="FILE", help="also check that this ledger paid for it")
    verify.set_defaults(run=_verify)

    report = commands.add_parser("report", help="write a release as one page that needs no network")
    report.add_argument("bundle", type=Path, metavar="DIR", help="a bundle: its folder or its .zip")
    report.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="the page, such as report.html"
    )
    report.add_argument("--epsilon", metavar="E", help="open it at this revealed rung; default: the highest")
    report.add_argument(
        "--static", action="store_true", help="maps and tables without charts and the 4.8 MB of their library"
    )
    report.set_defaults(run=_report)


def _report(options: argparse.Namespace) -> None:
    release = read_tables(options.bundle)
    epsilon = None if options.epsilon is None else exact_epsilon(options.epsilon)
    page = report_html(release, rung_number(release.plan.rungs, epsilon), static=options.static)
    try:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        part = options.out.with_name(f".{options.out.name}.part")
        part.write_text(page, encoding="utf-8")
        part.replace(options.out)
    except OSError:
        raise InputError(
            "the page cannot be written", str(options.out), "Choose another file with --out."
        ) from None
    print(f"wrote {options.out} ({len(page.encode()) / 1e6:.1f} MB)", file=sys.stderr)


def _table(options: argparse.Namespace) -> None:
    epsilon = None if options.epsilon is None else exact_epsilon(options.epsilon)
    release = read_tables(options.bundle)
    if options.measure == FIVE_NUMBERS:
        if options.consistent:
            raise InputError(
                "only measures can be put in agreement",
                FIVE_NUMBERS,
                "Leave --consistent out, or ask for a measure.",
            )
        write(sys.stdout, columns_of(five_numbers(release, epsilon)))
        return
    if not options.consistent:
        write(sys.stdout, release_table(release, options.measure, epsilon))
        return
    columns, table, said = consistent_table(release, options.measure, epsilon)
    print(f"note: {f'values of {options.measure} are ' if table.reason else ''}{said}", file=sys.stderr)
    write(sys.stdout, columns)


def _verify(options: argparse.Namespace) -> None:
    digest = None
    if options.ledger is not None:
        digest = curator.committed_digest(curator.ledger_at(options.ledger), read_bundle(options.bundle))
    print(verify_bundle(options.bundle, digest=digest))
