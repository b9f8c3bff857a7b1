"""Options that several commands share, and how their values are parsed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Final

from dpcore import limits
from dpcore.api import owner
from dpcore.command_line.output import progress
from dpcore.errors import InputError, PrivacyError
from dpcore.measures import MEASURES
from dpcore.measures.attribute import Attribute, attribute_of, distinct
from dpcore.measures.choices import WINDOWS, KeyChoices
from dpcore.measures.keys import Period, Step
from dpcore.measures.measure import Engine
from dpcore.measures.sums import BY, sum_of
from dpcore.measures.trip_rule import TripRule
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.tiles import STATION_RADIUS_M, Tessellation, read_tessellation
from dpcore.tiles.districts import halved, own_districts
from dpcore.tiles.overlaps import CHOICES, REFUSE


def add_tile_options(command: argparse.ArgumentParser) -> None:
    """Add the options that belong to ``--tiles``."""
    command.add_argument("--tile-id", metavar="NAME", help="property that holds the id of a tile")
    command.add_argument(
        "--merge-ids", action="store_true", help="join tiles with one id into one; else they are refused"
    )
    command.add_argument(
        "--overlaps",
        choices=tuple(CHOICES),
        default=REFUSE,
        help="which tile keeps a place that several share: the first in the file, the smaller one, or none; default: %(default)s",
    )
    command.add_argument(
        "--tiles-crs", metavar="EPSG:CODE", help="coordinate system of tiles whose file declares none"
    )
    command.add_argument("--layer", metavar="NAME", help="layer of the tiles, where their file has several")
    command.add_argument(
        "--station-radius",
        type=float,
        default=STATION_RADIUS_M,
        metavar="M",
        help="radius of the tile of a station in metres, if the tiles are a table of stations (.csv); "
        "default: %(default)g",
    )


def tiles_of(
    options: argparse.Namespace, reader: Callable[..., Tessellation] = read_tessellation
) -> Tessellation:
    """The tiles that the options name, read by a function such as ``read_tessellation``; raises TessellationError."""
    return reader(
        options.tiles,
        options.tiles.name,
        tile_id=options.tile_id,
        merge_ids=options.merge_ids,
        overlaps=options.overlaps,
        tiles_crs=options.tiles_crs,
        layer=options.layer,
        station_radius=options.station_radius,
    )


_VISITS: Final = frozenset({"visits_per_tile"})
NO_DISTRICTS: Final = "none"
_OWN: Final = "own"
_UNSEEN: Final = "before_data"


def add_files(command: argparse.ArgumentParser) -> None:
    """Add the options that name trips, tiles and time zone, and say how they are read."""
    command.add_argument(
        "--trips",
        nargs="+",
        required=True,
        metavar="T",
        help="one or more files of trips, or folders of such files; together one data set",
    )
    command.add_argument(
        "--engine",
        type=_engine,
        default=Engine.COMPILED,
        metavar="|".join(engine.value for engine in Engine),
        help="what counts the trips; the answers are the same; default: compiled",
    )
    command.add_argument("--master", metavar="URL", help="Spark cluster; only with --engine spark")
    command.add_argument(
        "--column",
        type=_column,
        action="append",
        default=[],
        metavar="ROLE=NAME",
        help="the column that has a role, where its name does not tell; may be given several times. Roles: "
        f"{', '.join(owner.ROLES)}",
    )
    command.add_argument(
        "--header",
        metavar="NAMES",
        help="names of the columns of files that do not name them, separated as their fields are; \\t stands for a tab",
    )
    command.add_argument(
        "--times",
        choices=owner.TIMES,
        help="order in which times are written, where it is not that of 2024-03-01 10:00",
    )
    command.add_argument(
        "--attribute",
        type=attribute_of,
        action="append",
        default=[],
        metavar="NAME=a,b,c|NAME=LOW:HIGH:UNIT",
        help="keep an attribute of the trips: its public categories, or its lowest and highest value and the unit; may be given "
        "several times; --column NAME=COLUMN says which column it is, where its name does not tell",
    )
    command.set_defaults(split=[], sum=[])
    command.add_argument("--tiles", type=Path, required=True, metavar="G", help="file of tiles")
    add_tile_options(command)
    command.add_argument(
        "--by-station",
        action="store_true",
        help="count a bike share file by the ids of its stations instead of coordinates; the tiles must have these ids",
    )
    command.add_argument(
        "--trip-gap",
        metavar="TIME",
        help="cut points without trip ids into trips where a person has no point for longer, such as 30min or 2h",
    )
    command.add_argument(
        "--stays",
        metavar="DISTANCE,TIME",
        help="cut points without trip ids into trips between stays, such as 200m,20min; only with --privacy-unit user",
    )
    command.add_argument("--timezone", metavar="NAME", help="IANA name of the city's time zone")
    command.add_argument(
        "--drop-bad", action="store_true", help="leave out bad records instead of refusing the file"
    )
    command.add_argument("--no-cache", action="store_true", help="read and count again")


def add_dates(command: argparse.ArgumentParser) -> None:
    """Add the option for the public period."""
    command.add_argument(
        "--dates", type=period, metavar="FIRST/LAST", help="public period, both days included"
    )


def add_trips(command: argparse.ArgumentParser) -> None:
    """Add the options for trips, tiles and time zone, and for the public keys of tables."""
    add_files(command)
    add_dates(command)
    command.add_argument(
        "--step", type=_step, metavar="day|week|month", help="step of the series over dates; default: day"
    )
    command.add_argument(
        "--split",
        type=attribute_of,
        action="append",
        metavar="NAME=a,b,c",
        help="split every table of trips by a public list of categories; what is not listed counts as other, what is empty as "
        "missing; may be given twice; --column NAME=COLUMN as for --attribute",
    )
    command.add_argument(
        "--sum",
        type=sum_of,
        action="append",
        metavar="NAME=LOW:HIGH:UNIT",
        help="add the measures sum_NAME and mean_NAME of a number of each trip between public bounds, in whole units: duration "
        "(minutes), distance (km), or an attribute such as fare=0:100:0.01; may be given several times; --column NAME=COLUMN as "
        "for --attribute",
    )
    command.add_argument(
        "--by",
        choices=BY,
        help="table in whose cells sums and means are told; default: one number over all trips",
    )
    command.add_argument(
        "--windows",
        type=_windows,
        metavar="H,H,...",
        help="hours at which time windows begin",
    )
    command.add_argument(
        "--bins",
        type=_bins,
        action="append",
        default=[],
        metavar="MEASURE=EDGES",
        help="bins of a histogram: 5,10,20 or FIRST:LAST:WIDTH; may be given several times",
    )
    command.add_argument(
        "--points",
        type=whole,
        metavar="K",
        help="count visits at every tile that a trip passes, at most K of each; default: at both ends",
    )
    command.add_argument(
        "--districts",
        type=_districts,
        metavar="N|own|none",
        help="districts of od_districts: the tiles halved into N groups, or those of the tile file; none: no flows "
        "between districts; default: as many as pay",
    )
    command.add_argument(
        "--most-trips",
        type=whole,
        metavar="C",
        help="total_trips counts at most C trips of each person; default: from the declared numbers, or 20 times M",
    )


def loaded(
    options: argparse.Namespace, must_be: Callable[[owner.PrivateTrips], None] = lambda _: None
) -> tuple[owner.PrivateTrips, Tessellation]:
    """The trips and tiles that the options name; as ``noted_tiles`` and ``trips_on``."""
    tessellation = noted_tiles(options)
    return trips_on(options, tessellation, must_be), tessellation


def noted_tiles(options: argparse.Namespace) -> Tessellation:
    """The tiles that the options name. What was repaired is said on standard error."""
    tessellation = tiles_of(options, read_tessellation if options.no_cache else owner.read_tessellation)
    for note in tessellation.notes:
        print(f"note: {note}", file=sys.stderr)
    return tessellation


def trips_on(
    options: argparse.Namespace,
    tessellation: Tessellation,
    must_be: Callable[[owner.PrivateTrips], None] = lambda _: None,
) -> owner.PrivateTrips:
    """The trips that the options name. What was left out is said on standard error, unless nobody may look.

    To say it is a look at the trips. So a command refuses its options before it asks for trips, and ``must_be`` refuses trips that
    do not serve it before anything is said of them.
    """
    if options.master is not None and options.engine is not Engine.SPARK:
        raise InputError("--master needs Spark", "--master", "Add --engine spark, or leave --master out.")
    if not is_silent(options):
        trips = _loaded(options, tessellation)
        must_be(trips)
        tell_report(trips)
        return trips
    try:
        trips = _loaded(options, tessellation)
    except InputError as error:
        if not owner.counts_bad_records(error):
            raise
        raise InputError(
            "there are bad records, and nothing is said of them where nobody looked",
            f"--parameters-chosen {_UNSEEN}",
            "Add --drop-bad, or leave the option out to be told which: that is a look at the trips. Nothing was charged.",
        ) from None
    must_be(trips)
    return trips


def must_promise(trips: owner.PrivateTrips, *bounds: ContributionBound) -> None:
    """Refuse trips that cannot be protected under these bounds. Raises PrivacyError."""
    for bound in bounds:
        trips.must_hide(bound.unit)
        owner.must_have_users(trips, bound)


def is_silent(options: argparse.Namespace) -> bool:
    """Whether the owner declares that everything was chosen before looking. Then nothing is told that depends on the trips."""
    return getattr(options, "parameters_chosen", None) == _UNSEEN


def _loaded(options: argparse.Namespace, tessellation: Tessellation) -> owner.PrivateTrips:
    bad_records = owner.BadRecords.DROP if options.drop_bad else owner.BadRecords.REFUSE
    with nullcontext() if is_silent(options) else owner.looks_of_refusals(lambda: _fingerprints(options)):
        if options.engine is Engine.SPARK:
            return _loaded_on_spark(options, tessellation, bad_records)
        rule = TripRule.of(options.trip_gap, options.stays)
        files = owner.trips_files(options.trips, options.header)
        return owner.load(
            files,
            [form_of(file, options) for file in files],
            tessellation,
            timezone=options.timezone,
            bad_records=bad_records,
            progress=progress("reading"),
            recount=options.no_cache,
            engine=options.engine,
            rule=rule,
        )


def _fingerprints(options: argparse.Namespace) -> tuple[str, ...]:
    """By what the trips that the options name are known once they are loaded, on either engine."""
    from dpcore.api import studies  # noqa: PLC0415 - it imports comparisons, which few commands need

    if options.engine is Engine.SPARK:
        roles, _ = owner.columns_apart(_columns(options), declared(options))
        return (studies.fingerprint_on_spark(options.trips, master=options.master, mapping=roles),)
    return owner.fingerprints(owner.trips_files(options.trips, options.header))


def _loaded_on_spark(
    options: argparse.Namespace, tessellation: Tessellation, bad_records: owner.BadRecords
) -> owner.PrivateTrips:
    """Trips at paths that Spark itself reads, on this computer or on a cluster."""
    from dpcore.api import studies  # noqa: PLC0415 - it imports comparisons, which few commands need

    mapping: Mapping[str, str] = _columns(options)
    if (rule := TripRule.of(options.trip_gap, options.stays)) is not None:
        raise InputError("Spark cuts no points into trips", rule.options[0], "Leave --engine spark out.")
    if options.header is not None:
        raise InputError("Spark reads files with a header alone", "--header", "Leave --engine spark out.")
    if options.by_station:
        roles, own = owner.columns_apart(mapping, declared(options))
        found = studies.inspect_on_spark(options.trips, master=options.master, mapping=roles).by_station
        if not found:
            raise InputError("the files have no ids of stations", options.trips[0], "Leave --by-station out.")
        mapping = {**found, **own}
    return studies.load_on_spark(
        options.trips,
        tessellation,
        timezone=options.timezone,
        bad_records=bad_records,
        master=options.master,
        mapping=mapping,
        times=options.times,
        progress=progress("reading"),
        recount=options.no_cache,
        attributes=declared(options),
    )


def declared(options: argparse.Namespace) -> tuple[Attribute, ...]:
    """The attributes of trips that the options keep, with those by which tables are split and those that are added up."""
    wanted = [*options.split, *(one.attribute for one in options.sum if one.attribute is not None)]
    return distinct([*options.attribute, *(one for one in wanted if one not in options.attribute)])


def tell_report(trips: owner.PrivateTrips) -> None:
    """Say on standard error what was left out while trips were read."""
    report = trips.report
    for name, of_file in trips.files or [(trips.name, report)]:
        if not of_file.records:
            print(f"note: there are no records in {name}, only a header", file=sys.stderr)
    for rule in report.dropped:
        of = f", {rule.file}" if rule.file else ""
        print(
            f"note: left out {rule.count:,} of {report.records:,} records{of}: {rule.rule}", file=sys.stderr
        )
    for said in report.unlisted_words:
        print(f"note: {said}", file=sys.stderr)


def _engine(text: str) -> Engine:
    try:
        return Engine(text)
    except ValueError:
        raise argparse.ArgumentTypeError("give compiled, duckdb or spark") from None


def form_of(file: owner.TripsFile, options: argparse.Namespace) -> owner.Inspection:
    """The form of a file of trips, as the options have it read; raises InputError."""
    roles, own = owner.columns_apart(_columns(options), declared(options))
    seen = owner.inspect(file, roles, times=options.times)
    if options.by_station and seen.has_points:  # otherwise the file has only ids
        if not seen.by_station:
            raise InputError("the file has no ids of stations", file.name, "Leave --by-station out.")
        seen = owner.inspect(file, seen.by_station, times=options.times)
    return owner.keeping(file, seen, declared(options), own)


def _columns(options: argparse.Namespace) -> dict[str, str]:
    """Role -> column, as the options name them."""
    roles = [role for role, _ in options.column]
    twice = sorted({role for role in roles if roles.count(role) > 1})
    if twice:
        raise InputError(
            "a role is given twice", f"--column {', '.join(twice)}", "Give each role one column."
        )
    return dict(options.column)


def _column(text: str) -> tuple[str, str]:
    role, given, name = text.partition("=")
    if not (role.strip() and given and name.strip()):
        raise argparse.ArgumentTypeError("write ROLE=NAME such as uid=person")
    return role.strip(), name.strip()


def bound(options: argparse.Namespace) -> ContributionBound | None:
    """The contribution bound that the options name, or None."""
    if options.privacy_unit is None and options.max_trips is None:
        return None
    if options.privacy_unit is None:
        raise PrivacyError(
            "a bound needs its unit", "--max-trips", "Add --privacy-unit user, or leave the bound out."
        )
    return ContributionBound(PrivacyUnit.parse(options.privacy_unit), options.max_trips)


def choices(options: argparse.Namespace) -> KeyChoices:
    """The public keys that the options choose."""
    names = [name for name, _ in options.bins]
    if len(set(names)) != len(names):
        raise InputError("the bins of a measure are chosen twice", "--bins", "Give them once.")
    step, windows = options.step or Step.DAY, options.windows or WINDOWS
    return KeyChoices(
        options.dates,
        step,
        windows,
        dict(options.bins),
        options.points,
        most_trips=options.most_trips,
        sums=tuple(options.sum),
        by=options.by,
        splits=tuple(options.split),
    )


def with_districts(options: argparse.Namespace, choices: KeyChoices, tiles: Tessellation) -> KeyChoices:
    """The choices with the districts that the options name; the same ones if a rule decides. Raises TessellationError."""
    if options.districts is None or options.districts == NO_DISTRICTS:
        return choices
    districts = own_districts(tiles) if options.districts == _OWN else halved(tiles, options.districts)
    if districts is None:
        raise InputError(
            "every tile is a district of its own, which groups nothing"
            if any(tiles.districts)
            else "the tiles have no districts of their own",
            "--districts own",
            "Give each tile a property district, or write --districts 20 to halve the map.",
        )
    return replace(choices, districts=districts)


def tell_unused(options: argparse.Namespace, measures: Iterable[str]) -> None:
    """Say on standard error which choices of dates, windows and bins have no effect on these measures."""
    asked = {*measures}
    cells = {options.by} if options.by else set()  # sums are told in the cells of that table
    over_dates = any(MEASURES[name].needs_period for name in asked | cells if name in MEASURES)
    by_window = any("window" in MEASURES[name].layout.columns for name in asked if name in MEASURES)
    played = {
        "--districts": options.districts in {None, NO_DISTRICTS} or "od_districts" in asked,
        "--most-trips": options.most_trips is None or "total_trips" in asked,
        "--dates": options.dates is None or over_dates,
        "--step": options.step is None or over_dates,
        "--windows": options.windows is None or by_window,
        "--split": not options.split or any(name not in MEASURES or MEASURES[name].terms for name in asked),
        **{f"--sum {one.name}": not asked.isdisjoint(one.names) for one in options.sum},
        "--points": options.points is None or not (asked | cells).isdisjoint(_VISITS),
        **{f"--bins {name}": name in asked for name, _ in options.bins},
    }
    unused = [option for option, plays in played.items() if not plays]
    if unused:
        print(f"note: no effect on {', '.join(sorted(asked))}: {', '.join(unused)}", file=sys.stderr)


def whole(text: str) -> int:
    """A whole number, also written like 1e6."""
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not number.is_integer() or abs(number) > 1e12:
        raise argparse.ArgumentTypeError("not a whole number")
    return int(number)


def period(text: str) -> Period:
    """Two days such as ``2024-04-01/2024-04-28``."""
    try:
        first, last = (date.fromisoformat(day) for day in text.split("/"))
    except ValueError:
        raise argparse.ArgumentTypeError("give two days such as 2024-04-01/2024-04-28") from None
    return Period(first, last)


def _step(text: str) -> Step:
    try:
        return Step(text)
    except ValueError:
        raise argparse.ArgumentTypeError("give day, week or month") from None


def _districts(text: str) -> int | str:
    if text in {_OWN, NO_DISTRICTS}:
        return text
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("give a number of districts, own or none")
    return int(text)


def _windows(text: str) -> tuple[int, ...]:
    if not all(hour.strip().isdecimal() for hour in text.split(",")):
        raise argparse.ArgumentTypeError("give hours such as 2,6,10,14,18,22")
    return tuple(int(hour) for hour in text.split(","))


def _bins(text: str) -> tuple[str, tuple[str, ...]]:
    """A measure and the edges of its bins, given as a list or as ``FIRST:LAST:WIDTH``."""
    name, given, edges = (part.strip() for part in text.partition("="))
    if not (name and given):
        raise argparse.ArgumentTypeError("write MEASURE=EDGES such as travel_time=5,10,20")
    if ":" not in edges:
        return name, tuple(edges.split(","))
    try:
        first, last, width = (Decimal(part) for part in edges.split(":"))
        steps = (last - first) / width
        rising = width > 0 and 0 < steps < limits.MAX_BINS
        fits = rising and steps == int(steps)
    except (ArithmeticError, ValueError):
        rising = fits = False
    if not fits:
        raise argparse.ArgumentTypeError(
            f"{name}: LAST minus FIRST is not a multiple of WIDTH"
            if rising
            else f"{name}: give rising edges such as 5,10,20, or FIRST:LAST:WIDTH of at most {limits.MAX_BINS} edges"
        )
    return name, tuple(str(first + step * width) for step in range(int(steps) + 1))
