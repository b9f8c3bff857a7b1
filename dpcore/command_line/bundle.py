"""Commands that read bundles alone: ``table``, ``ask``, ``report``, ``picture`` and ``verify``. They need no trips and no ledger."""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction
from pathlib import Path
from typing import Final

import pyarrow as pa

from dpcore.command_line.output import progress, tell_written, write, write_public
from dpcore.errors import InputError
from dpcore.privacy import exact_epsilon, rung_number
from dpcore.release import ESTIMATES, kind_of, read_bundle, verify_bundle
from dpcore.release.estimates import estimate_columns, said_of
from dpcore.release.kinds import must_be_tables
from dpcore.release.one_part import must_be_whole, part_of


def _add_table(table: argparse.ArgumentParser) -> None:
    table.add_argument("bundle", type=Path, metavar="DIR", help="a bundle: its folder or its .zip")
    table.add_argument(
        "measure",
        metavar="MEASURE",
        help="a measure, or five_numbers: summaries of the histograms; of other kinds than tables one of theirs",
    )
    table.add_argument("--epsilon", metavar="E", help="a released rung of the total; default: the highest")
    table.add_argument(
        "--estimate",
        choices=ESTIMATES,
        help="print what all tables tell together instead, with likely ranges: of the trips that count, or of all trips",
    )
    table.set_defaults(run=_table)


def add_category(command: argparse.ArgumentParser) -> None:
    """Add the option for one part of tables that are split."""
    command.add_argument(
        "--category",
        type=_category,
        action="append",
        default=[],
        metavar="NAME=CATEGORY",
        help="of a release whose tables are split, the category to take; once for each attribute",
    )


def _category(text: str) -> tuple[str, str]:
    name, given, category = text.partition("=")
    if not given:
        raise argparse.ArgumentTypeError("write NAME=CATEGORY such as mode=bus")
    return name.strip(), category.strip()


def _add_ask(ask: argparse.ArgumentParser) -> None:
    ask.description = (
        "Of a trajectory tree: 'A, B' visit both; 'A > B' A and later B; 'A B' A and next B, with * for one place and ** "
        "for any number between; '^ A B' begin so; '^ A ?' begin so, and which places come next. Of large counts: "
        "'on_loc = A, on_time = 07:30'. count is the estimate; at_least and at_most include noise and what is not listed."
    )
    ask.add_argument("bundle", type=Path, metavar="BUNDLE", help="its folder or its .zip")
    ask.add_argument(
        "question",
        metavar="QUESTION",
        help='such as "A > B"; ids with spaces or signs stand in double quotes',
    )
    ask.set_defaults(run=_ask)


def _add_verify(verify: argparse.ArgumentParser) -> None:
    verify.add_argument("bundle", type=Path, metavar="DIR")
    verify.add_argument("--ledger", metavar="FILE", help="also check that this ledger paid for it")
    verify.set_defaults(run=_verify)


def _add_report(report: argparse.ArgumentParser) -> None:
    report.add_argument("bundle", type=Path, metavar="DIR", help="a bundle: its folder or its .zip")
    report.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="the page, such as report.html"
    )
    add_category(report)
    report.add_argument(
        "--epsilon", metavar="E", help="the released rung that it shows; default: the highest"
    )
    report.add_argument(
        "--static", action="store_true", help="maps and tables without charts and the 4.8 MB of their library"
    )
    report.add_argument(
        "--top-n-flows",
        type=int,
        metavar="N",
        help="strongest flows between tiles to draw and list; default: 150 and 100",
    )
    report.set_defaults(run=_report)


def _add_picture(picture: argparse.ArgumentParser) -> None:
    picture.add_argument("bundle", type=Path, metavar="DIR", help="a bundle: its folder or its .zip")
    picture.add_argument(
        "--view", default="map", metavar="VIEW", help="such as map, flows, rhythm, rankings or promise"
    )
    picture.add_argument("--out", type=Path, required=True, metavar="FILE", help="the picture: .png or .svg")
    add_category(picture)
    picture.add_argument("--epsilon", metavar="E", help="show this released rung; default: the highest")
    picture.add_argument(
        "--link",
        default="",
        metavar="QUERY",
        help="more of the view, as the Viewer's link has it: tile=A1&numbers=released",
    )
    picture.add_argument(
        "--sentence",
        default="",
        metavar="TEXT",
        help="what is said of it; default: what follows from the release",
    )
    picture.set_defaults(run=_picture)


COMMANDS: Final = {
    "table": _add_table,
    "ask": _add_ask,
    "report": _add_report,
    "picture": _add_picture,
    "verify": _add_verify,
}


def _picture(options: argparse.Namespace) -> None:
    from dpcore.api import pictures  # noqa: PLC0415 - imports maps and charts, which it draws

    release = read_bundle(options.bundle)
    if kind_of(release.plan).in_viewer:
        release = must_be_whole(part_of(release, dict(options.category)) if options.category else release)
    made = pictures.picture(
        release,
        options.out,
        options.view,
        None if options.epsilon is None else exact_epsilon(options.epsilon),
        link=options.link,
        sentence=options.sentence,
    )
    tell_written(made)


def _report(options: argparse.Namespace) -> None:
    from dpcore.views import kinds  # noqa: PLC0415 - imports charts and maps, which one command draws
    from dpcore.views.report import report_html  # noqa: PLC0415 - as above

    epsilon = None if options.epsilon is None else exact_epsilon(options.epsilon)
    found = read_bundle(options.bundle)
    if kinds.has_views(kind_of(found.plan).name):
        if options.top_n_flows is not None:
            raise InputError("this report has no flows to choose from", "--top-n-flows", "Leave it out.")
        rung_number((found.plan.epsilon,), epsilon, found.id)
        kinds.read_rows(found, options.bundle)
        write_public(options.out, kinds.kind_report_html(found).encode())
        return
    release = must_be_tables(found)
    release = part_of(release, dict(options.category)) if options.category else release
    rung = rung_number(release.plan.rungs, epsilon)
    page = report_html(release, rung, static=options.static, top_n_flows=options.top_n_flows)
    write_public(options.out, page.encode())


def _table(options: argparse.Namespace) -> None:
    epsilon = None if options.epsilon is None else exact_epsilon(options.epsilon)
    if options.estimate is not None:
        _estimated_table(options, epsilon)
        return
    release = read_bundle(options.bundle)
    kind = kind_of(release.plan)
    table = kind.shown_table(release, options.measure, epsilon)
    if note := kind.table_note(release, options.measure):
        print(f"note: {note}", file=sys.stderr)
    write(sys.stdout, table.to_pydict())


def _estimated_table(options: argparse.Namespace, epsilon: Fraction | None) -> None:
    release = read_bundle(options.bundle)
    kind, all_trips = kind_of(release.plan), options.estimate == "all"
    found = kind.estimates(release, options.measure, epsilon, progress("estimating"))
    columns = estimate_columns(found, options.measure, all_trips=all_trips)
    for sentence in said_of(release.plan, found, options.measure, all_trips=all_trips):
        print(f"note: {sentence}", file=sys.stderr)
    # a range that is not known is an empty field
    rows = pa.table({name: pa.array(column, from_pandas=True) for name, column in columns.items()})
    write(sys.stdout, rows.to_pydict())


def _ask(options: argparse.Namespace) -> None:
    release = read_bundle(options.bundle)
    answers = kind_of(release.plan).answers(release, options.question).to_pydict()
    whole = {  # of estimates the digits after the point are noise
        name: [round(one) if isinstance(one, float) else one for one in column]
        for name, column in answers.items()
    }
    if None in whole["count"]:
        print(
            "note: where count is empty, what you ask for was too rare to be kept. That never means zero: see at_least and at_most",
            file=sys.stderr,
        )
    write(sys.stdout, whole)


def _verify(options: argparse.Namespace) -> None:
    digest = None
    if options.ledger is not None:
        from dpcore import curator  # noqa: PLC0415 - whoever has no ledger needs none of its rooms

        digest = curator.committed_digest(curator.ledger_at(options.ledger), read_bundle(options.bundle))
    print(verify_bundle(options.bundle, digest=digest, progress=progress("estimating")))
