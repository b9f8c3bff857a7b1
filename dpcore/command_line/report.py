"""``report``: a release as one offline page. It reads the bundle alone, and needs no trips and no ledger."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dpcore.errors import InputError
from dpcore.privacy import exact_epsilon, rung_number
from dpcore.release import read_tables
from dpcore.views.report import report_html

if TYPE_CHECKING:
    from dpcore.command_line.options import Commands


def add_to(commands: Commands) -> None:
    """Add ``report``."""
    report = commands.add_parser("report", help="write a release as one page that needs no network")
    report.add_argument("bundle", type=Path, metavar="DIR", help="a bundle: its folder or its .zip")
    report.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="the page, such as report.html"
    )
    report.add_argument("--epsilon", metavar="E", help="open it at this revealed rung; default: the highest")
    report.set_defaults(run=_report)


def _report(options: argparse.Namespace) -> None:
    release = read_tables(options.bundle)
    epsilon = None if options.epsilon is None else exact_epsilon(options.epsilon)
    page = report_html(release, rung_number(release.plan.rungs, epsilon))
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
