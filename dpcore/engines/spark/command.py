"""The options of trips on Spark, and the trips that they name."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from dpcore.api.owner import BadRecords, PrivateTrips, columns_apart
from dpcore.command_line.options import attributes_of, columns
from dpcore.command_line.output import progress
from dpcore.engines.spark import owner
from dpcore.errors import InputError
from dpcore.measures.measure import Engine
from dpcore.measures.trip_rule import TripRule
from dpcore.tiles import Tessellation


def add(command: argparse.ArgumentParser) -> None:
    """Add what Spark needs to know beside files and time zone."""
    command.add_argument("--master", metavar="URL", help="Spark cluster; only with --engine spark")


def check(options: argparse.Namespace) -> None:
    """Refuse an option of Spark where another engine counts."""
    if options.master is not None and options.engine is not Engine.SPARK:
        raise InputError("--master needs Spark", "--master", "Add --engine spark, or leave --master out.")


def fingerprints(options: argparse.Namespace) -> tuple[str, ...]:
    """By what the trips that the options name are known once they are loaded."""
    roles, _ = columns_apart(columns(options), attributes_of(options))
    return (owner.fingerprint_on_spark(options.trips, master=options.master, mapping=roles),)


def loaded(options: argparse.Namespace, tessellation: Tessellation, bad_records: BadRecords) -> PrivateTrips:
    """Trips at paths that Spark itself reads, on this computer or on a cluster. Raises InputError."""
    mapping: Mapping[str, str] = columns(options)
    if (rule := TripRule.of(options.trip_gap, options.stays)) is not None:
        raise InputError("Spark cuts no points into trips", rule.options[0], "Leave --engine spark out.")
    if options.header is not None:
        raise InputError("Spark reads files with a header alone", "--header", "Leave --engine spark out.")
    if options.match_ids:
        raise InputError(
            "Spark reads ids of tiles as they are written", "--match-ids", "Leave --engine spark out."
        )
    if options.by_station:
        roles, own = columns_apart(mapping, attributes_of(options))
        found = owner.inspect_on_spark(options.trips, master=options.master, mapping=roles).by_station
        if not found:
            raise InputError("the files have no ids of stations", options.trips[0], "Leave --by-station out.")
        mapping = {**found, **own}
    return owner.load_on_spark(
        options.trips,
        tessellation,
        timezone=options.timezone,
        bad_records=bad_records,
        master=options.master,
        mapping=mapping,
        times=options.times,
        progress=progress("reading"),
        recount=options.no_cache,
        attributes=attributes_of(options),
    )
