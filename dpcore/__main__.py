"""The command line: ``python -m dpcore COMMAND``; every command is a function call of the package.

Tables are UTF-8 CSV with a header on standard output, or in the folder ``--out``. Progress goes to standard
error. Bad input ends with exit code 2 and one line ``error: what: where. how to mend``.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import IO

from dpcore import demo, owner
from dpcore.errors import AtlasError, InputError, InternalError, PrivacyError
from dpcore.keys import Period
from dpcore.measures import MEASURES
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.tessellation import read_tessellation


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    try:
        options = _parser().parse_args(arguments)
        options.run(options)
    except AtlasError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of a pipe has enough
        sys.stderr.close()
        return 0
    except Exception as error:  # noqa: BLE001 - the text of an unknown error may quote a cell
        print(f"error: {InternalError.at(_place(error))}", file=sys.stderr)
        return 1
    return 0


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors have the form of all others."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise InputError(message, f"command {self.prog.split()[-1]}", f"See {self.prog} --help.")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m dpcore", description="Differentially private mobility statistics.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    city = commands.add_parser(
        "demo", help="write the synthetic city: trips.parquet, trips.csv, tiles.geojson"
    )
    city.add_argument("--trips", type=_whole, required=True, metavar="N")
    city.add_argument("--tiles", type=_whole, default=demo.DEMO_TILES, metavar="K")
    city.add_argument("--seed", type=_whole, required=True, metavar="S")
    city.add_argument("--out", type=Path, required=True, metavar="DIR")
    city.set_defaults(run=_demo)

    forget = commands.add_parser("forget", help="delete all prepared trips and exact counts of this computer")
    forget.set_defaults(run=lambda _: owner.forget())

    exact = commands.add_parser(
        "exact", help="the exact answer of one measure (owner only: not private, not for sharing)"
    )
    exact.add_argument("measure", metavar="MEASURE", help=", ".join(MEASURES))
    exact.add_argument("--trips", type=Path, required=True, metavar="T")
    exact.add_argument("--tiles", type=Path, required=True, metavar="G")
    exact.add_argument("--tile-id", metavar="COLUMN", help="property that names a tile")
    exact.add_argument("--timezone", metavar="NAME", help="IANA name of the city's clock")
    exact.add_argument("--privacy-unit", metavar="user|trip")
    exact.add_argument("--max-trips", type=_whole, metavar="M")
    exact.add_argument(
        "--dates", type=_period, metavar="FIRST/LAST", help="public period, both days included"
    )
    exact.add_argument(
        "--drop-bad", action="store_true", help="leave out bad records instead of refusing the file"
    )
    exact.add_argument("--no-cache", action="store_true", help="read and count afresh")
    exact.add_argument("--out", type=Path, metavar="DIR", help="write MEASURE.csv there instead of printing")
    exact.set_defaults(run=_exact)
    return parser


def _demo(options: argparse.Namespace) -> None:
    try:
        demo.write_city(options.out, options.trips, options.tiles, options.seed)
    except OSError:
        raise InputError(
            "the folder cannot be written", str(options.out), "Choose another one with --out."
        ) from None


def _exact(options: argparse.Namespace) -> None:
    if options.measure not in MEASURES:
        raise InputError.unknown("measure", options.measure, list(MEASURES))
    bound = _bound(options)
    tessellation = read_tessellation(
        options.tiles, options.tiles.name, id_column=options.tile_id, merge_duplicates=True
    )
    for note in tessellation.notes:
        print(f"note: {note}", file=sys.stderr)
    file = owner.TripsFile.on_disk(options.trips)
    trips = owner.load(
        file,
        owner.inspect(file),
        tessellation,
        timezone=options.timezone,
        bad_records=owner.BadRecords.DROP if options.drop_bad else owner.BadRecords.REFUSE,
        progress=_progress if sys.stderr.isatty() else None,
        recount=options.no_cache,
    )
    report = trips.report
    for rule in report.dropped:
        print(f"note: left out {rule.count:,} of {report.records:,} records: {rule.rule}", file=sys.stderr)
    table = owner.exact_table(trips, options.measure, bound, options.dates)
    if options.out is None:
        _write(sys.stdout, table)
        return
    _write_file(options.out / f"{options.measure}.csv", table)


def _bound(options: argparse.Namespace) -> ContributionBound | None:
    if options.privacy_unit is None and options.max_trips is None:
        return None
    if options.privacy_unit is None:
        raise PrivacyError(
            "a bound needs its unit", "--max-trips", "Add --privacy-unit user, or leave the bound out."
        )
    return ContributionBound(PrivacyUnit.parse(options.privacy_unit), options.max_trips)


def _write_file(place: Path, table: dict[str, list[str] | list[int]]) -> None:
    """Write a private table: readable by its owner alone, whole or not at all."""
    part = None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}-")  # mode 0600
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
            _write(out, table)
        Path(part).replace(place)
    except OSError:
        raise InputError(
            "the folder cannot be written", str(place.parent), "Choose another one with --out."
        ) from None
    finally:
        if part is not None:
            Path(part).unlink(missing_ok=True)


def _write(out: IO[str], table: dict[str, list[str] | list[int]]) -> None:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))


def _whole(text: str) -> int:
    """A whole number; 1e6 is read as 1000000."""
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not number.is_integer() or abs(number) > 1e12:
        raise argparse.ArgumentTypeError("not a whole number")
    return int(number)


def _period(text: str) -> Period:
    try:
        first, last = (date.fromisoformat(day) for day in text.split("/"))
    except ValueError:
        raise argparse.ArgumentTypeError("give two days such as 2024-04-01/2024-04-28") from None
    return Period(first, last)


def _progress(share: float) -> None:
    print(f"\rreading {share:4.0%}", end="\n" if share >= 1 else "", file=sys.stderr, flush=True)


def _place(error: BaseException) -> str:
    """File and line where an unknown error began; never its text."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return type(error).__name__
    return f"{type(error).__name__} in {Path(last.tb_frame.f_code.co_filename).name}, line {last.tb_lineno}"


if __name__ == "__main__":
    sys.exit(main())
