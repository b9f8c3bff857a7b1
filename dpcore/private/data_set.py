"""Several files as one data set: what they must have in common, and what is said of all of them together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source import Inspection, ReadReport, TripsFile

Files = Sequence[tuple[TripsFile, Inspection]]


def as_files(file: TripsFile | Sequence[TripsFile], inspection: Inspection | Sequence[Inspection]) -> Files:
    """Each file with what was recognised of it.

    Raises:
        InputError: none or too many files, or files that do not tell the same about trips.

    """
    files = [file] if isinstance(file, TripsFile) else [*file]
    seen = [inspection] if isinstance(inspection, Inspection) else [*inspection]
    if not files:
        raise InputError("there are no trips files", "trips", "Choose one file at least.")
    if len(files) > limits.MAX_TRIPS_FILES:
        raise InputError(
            f"{len(files):,} files, the limit is {limits.MAX_TRIPS_FILES:,}",
            "trips",
            "Join the files of a month into one.",
        )
    pairs = list(zip(files, seen, strict=True))
    _must_agree(pairs)
    return pairs


def name_of(files: Sequence[TripsFile]) -> str:
    """What a data set is called in captions and messages."""
    return files[0].name if len(files) == 1 else f"{len(files):,} files"


def common_extras(inspections: Sequence[Inspection]) -> tuple[str, ...]:
    """The attributes of a trip that every file has."""
    return tuple(name for name in inspections[0].extras if all(name in seen.extras for seen in inspections))


def _must_agree(files: Files) -> None:
    """Refuse files of which one tells what another does not."""
    first_file, first = files[0]
    for file, seen in files[1:]:
        for what, one, other in (
            ("users", first.has_users, seen.has_users),
            ("coordinates", first.has_points, seen.has_points),
        ):
            if one != other:
                having, lacking = (first_file, file) if one else (file, first_file)
                raise InputError(
                    f"one file has {what}, another has none",
                    f"{having.name} and {lacking.name}",
                    "Load them apart, or name the columns of the other file.",
                )


def must_differ(files: Sequence[TripsFile], digests: Sequence[str]) -> None:
    """Refuse the same bytes twice: every trip would count twice."""
    first: dict[str, TripsFile] = {}
    for file, digest in zip(files, digests, strict=True):
        if digest in first:
            raise InputError(
                "the same trips twice", f"{first[digest].name} and {file.name}", "Leave one out."
            )
        first[digest] = file


def summed(reports: Sequence[ReadReport], names: Sequence[str]) -> ReadReport:
    """One report of several files; what was left out and what is noted says of which file."""
    if len(reports) == 1:
        return reports[0]
    missing: Counter[str] = Counter()
    unlisted: Counter[str] = Counter()
    for report in reports:
        missing.update(report.missing)
        unlisted.update(report.unlisted)
    return ReadReport(
        records=sum(report.records for report in reports),
        trips=sum(report.trips for report in reports),
        incomplete=sum(report.incomplete for report in reports),
        missing=dict(missing),
        dropped=tuple(
            replace(rule, file=name)
            for report, name in zip(reports, names, strict=True)
            for rule in report.dropped
        ),
        unlisted=dict(unlisted),
        notes=tuple(
            f"{name}: {note}" for report, name in zip(reports, names, strict=True) for note in report.notes
        ),
    )
