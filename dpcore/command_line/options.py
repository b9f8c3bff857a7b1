"""Options that several commands share, and how their values are parsed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Final

from dpcore import wings
from dpcore.api import owner
from dpcore.command_line.output import progress
from dpcore.errors import InputError, PrivacyError, TessellationError
from dpcore.measures import MEASURES
from dpcore.measures.attribute import Attribute, attribute_of, distinct
from dpcore.measures.choices import KeyChoices
from dpcore.measures.measure import Engine
from dpcore.measures.trip_rule import TripRule
from dpcore.planning.choice import Choice, add_options, given_arguments, period
from dpcore.planning.key_choices import KEY_CHOICES, NO_DISTRICTS, OWN
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.tiles import STATION_RADIUS_M, Tessellation, read_tessellation
from dpcore.tiles.districts import halved, own_districts
from dpcore.tiles.id_rules import RULES, read_rules
from dpcore.tiles.overlaps import CHOICES, REFUSE

TILE_CHOICES: Final = (
    Choice("tile_id", "property that holds the id of a tile", "NAME"),
    Choice("merge_ids", "join tiles with one id into one; else they are refused", read=bool),
    Choice(
        "overlaps",
        f"which tile keeps a place that several share: the first in the file, the smaller one, or none; default: {REFUSE}",
        among=tuple(CHOICES),
    ),
    Choice("tiles_crs", "coordinate system of tiles whose file declares none", "EPSG:CODE"),
    Choice("layer", "layer of the tiles, where their file has several", "NAME"),
    Choice(
        "station_radius",
        "radius of the tile of a station in metres, if the tiles are a table of stations (.csv); "
        f"default: {STATION_RADIUS_M:g}",
        "M",
        float,
    ),
)
"""How ``--tiles`` are read: the arguments of ``read_tessellation``."""


def tiles_of(
    options: argparse.Namespace, reader: Callable[..., Tessellation] = read_tessellation
) -> Tessellation:
    """The tiles that the options name, read by a function such as ``read_tessellation``; raises TessellationError."""
    return reader(options.tiles, options.tiles.name, **given_arguments(options, TILE_CHOICES))


_VISITS: Final = frozenset({"visits_per_tile"})
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
        metavar="|".join(_engines()),
        help="what counts the trips; the answers are the same; default: compiled",
    )
    for engine in wings.commands("engines").values():
        engine.add(command)
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
        help="names of the columns of files that do not name them, separated as their fields are; \\t stands for a tab; or the number of the line that "
        "holds them, such as 4",
    )
    command.add_argument(
        "--times",
        choices=owner.TIMES,
        help="how times are written, where not as 2024-03-01 10:00: with the day or the month first; as dates alone, which are read as "
        "midnight; as times of day alone (of 1 January 2000); as days that Excel counts; or with a zone that is the city's and left out",
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
    command.set_defaults(splits=[], sums=[])
    command.add_argument("--tiles", type=Path, required=True, metavar="G", help="file of tiles")
    add_options(command, TILE_CHOICES)
    command.add_argument(
        "--match-ids",
        type=read_rules,
        default=(),
        metavar="RULE[,RULE]",
        help="let an id of the trips that no tile has be that of a tile written differently, by public rules: "
        + ", ".join(f"{name} ({rule.about})" for name, rule in RULES.items()),
    )
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
    add_options(command, KEY_CHOICES)


def trips_and_tiles(
    options: argparse.Namespace, must_be: Callable[[owner.PrivateTrips], None] = lambda _: None
) -> tuple[owner.PrivateTrips, Tessellation]:
    """The trips and tiles that the options name; as ``noted_tiles`` and ``trips_on``. What is wrong with both is told at once."""
    tessellation = noted_tiles(options)
    return trips_on(options, tessellation, must_be), tessellation


def noted_tiles(options: argparse.Namespace) -> Tessellation:
    """The tiles that the options name. What was repaired is said on standard error."""
    try:
        tessellation = tiles_of(options, read_tessellation if options.no_cache else owner.read_tessellation)
    except TessellationError as error:
        faults = _faults_of_trips(options)
        if not faults:
            raise
        raise InputError.together([error, *faults]) from None
    for note in tessellation.notes:
        print(f"note: {note}", file=sys.stderr)
    return tessellation


def _faults_of_trips(options: argparse.Namespace) -> list[InputError]:
    """What is wrong with the trips too, where the tiles are refused: by the names of files and columns, or else in the records.

    No record is read where nobody may look, or where bad ones are left out.
    """
    if not getattr(options, "trips", None) or options.engine.value in wings.commands("engines"):
        return []
    try:
        files = owner.trips_files(options.trips, options.header, lambda file: form_of(file, options))
    except InputError as error:
        return [error]

    def cut(file: owner.TripsFile) -> Sequence[tuple[owner.TripsFile, owner.Inspection]]:
        rule = TripRule.of(options.trip_gap, options.stays)
        return owner.to_be_cut([(file, form_of(file, options))], rule)

    found, faults = owner.found_and_refusals(files, cut)
    if not (faults or options.drop_bad or is_silent(options)):
        of_records = owner.faults_of_records([pair for pairs in found for pair in pairs], options.timezone)
        faults = [*{(error.what, error.mend): error for error in reversed(of_records)}.values()]
    return faults


def trips_on(
    options: argparse.Namespace,
    tessellation: Tessellation,
    must_be: Callable[[owner.PrivateTrips], None] = lambda _: None,
) -> owner.PrivateTrips:
    """The trips that the options name. What was left out is said on standard error, unless nobody may look.

    To say it is a look at the trips. So a command refuses its options before it asks for trips, and ``must_be`` refuses trips that
    do not serve it before anything is said of them.
    """
    for engine in wings.commands("engines").values():
        engine.check(options)
    if not is_silent(options):
        trips = _trips(options, tessellation)
        must_be(trips)
        tell_report(trips)
        return trips
    try:
        trips = _trips(options, tessellation)
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


def _trips(options: argparse.Namespace, tessellation: Tessellation) -> owner.PrivateTrips:
    bad_records = owner.BadRecords.DROP if options.drop_bad else owner.BadRecords.REFUSE
    with nullcontext() if is_silent(options) else owner.looks_of_refusals(lambda: _fingerprints(options)):
        elsewhere = wings.commands("engines").get(options.engine.value)
        if elsewhere is not None:
            trips: owner.PrivateTrips = elsewhere.loaded(options, tessellation, bad_records)
            return trips
        rule = TripRule.of(options.trip_gap, options.stays)
        for note in owner.left_out_notes(options.trips):  # names of files, said before anything is read
            print(f"note: {note}", file=sys.stderr)
        files = owner.trips_files(options.trips, options.header, lambda file: form_of(file, options))
        return owner.load(
            files,
            owner.every_file(files, lambda file: form_of(file, options)),
            tessellation,
            timezone=options.timezone,
            bad_records=bad_records,
            progress=progress("reading"),
            recount=options.no_cache,
            keep=not options.no_cache,
            engine=options.engine,
            rule=rule,
        )


def _fingerprints(options: argparse.Namespace) -> tuple[str, ...]:
    """By what the trips that the options name are known once they are loaded, on whichever engine."""
    elsewhere = wings.commands("engines").get(options.engine.value)
    if elsewhere is not None:
        known: tuple[str, ...] = elsewhere.fingerprints(options)
        return known
    return owner.fingerprints(owner.trips_files(options.trips, options.header))


def attributes_of(options: argparse.Namespace) -> tuple[Attribute, ...]:
    """The attributes of trips that the options keep, with those by which tables are split and those that are added up."""
    wanted = [*options.splits, *(one.attribute for one in options.sums if one.attribute is not None)]
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
    for said in (*report.unlisted_words, *report.notes):
        print(f"note: {said}", file=sys.stderr)


def _engines() -> list[str]:
    """The engines that are there: those of this computer, and the wings."""
    return [Engine.COMPILED.value, Engine.DUCKDB.value, *wings.there("engines")]


def _engine(text: str) -> Engine:
    if text in _engines():
        return Engine(text)
    known = any(text == one.value for one in Engine)
    raise argparse.ArgumentTypeError(
        f"{f'{text} is not there: ' if known else ''}give {' or '.join(_engines())}"
    )


def form_of(file: owner.TripsFile, options: argparse.Namespace) -> owner.Inspection:
    """The form of a file of trips, as the options have it read; raises InputError."""
    roles, own = owner.columns_apart(columns(options), attributes_of(options))
    seen = owner.inspect(file, roles, times=options.times)
    if options.by_station and seen.has_points:  # otherwise the file has only ids
        if not seen.by_station:
            raise InputError("the file has no ids of stations", file.name, "Leave --by-station out.")
        seen = owner.inspect(file, seen.by_station, times=options.times)
    return replace(owner.keeping(file, seen, attributes_of(options), own), match=options.match_ids)


def columns(options: argparse.Namespace) -> dict[str, str]:
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
    names = [name for name, _ in options.edges]
    if len(set(names)) != len(names):
        raise InputError("the bins of a measure are chosen twice", "--bins", "Give them once.")
    said = given_arguments(options, KEY_CHOICES) | {
        "period": options.dates,
        "edges": dict(options.edges),
        "districts": None,
    }
    return KeyChoices(**said)


def with_districts(options: argparse.Namespace, choices: KeyChoices, tiles: Tessellation) -> KeyChoices:
    """The choices with the districts that the options name; the same ones if a rule decides. Raises TessellationError."""
    if options.districts is None or options.districts == NO_DISTRICTS:
        return choices
    districts = own_districts(tiles) if options.districts == OWN else halved(tiles, options.districts)
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
        "--split": not options.splits or any(name not in MEASURES or MEASURES[name].terms for name in asked),
        **{f"--sum {one.name}": not asked.isdisjoint(one.names) for one in options.sums},
        "--points": options.visits_cap is None or not (asked | cells).isdisjoint(_VISITS),
        **{f"--bins {name}": name in asked for name, _ in options.edges},
    }
    unused = [option for option, plays in played.items() if not plays]
    if unused:
        print(f"note: no effect on {', '.join(sorted(asked))}: {', '.join(unused)}", file=sys.stderr)
