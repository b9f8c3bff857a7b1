"""Trips files and a tessellation become PrivateTrips. Each file is read once and stored on disk, prepared, as a part.

The steps: open the files, digest them, take known parts from the private folder, then read, check, prepare and store the
others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from dpcore import limits
from dpcore.errors import InputError
from dpcore.measures.measure import Engine
from dpcore.measures.trip_rule import TripRule
from dpcore.private import looks, store
from dpcore.private.bounding import bounding_key
from dpcore.private.digests import Digested, digest_of_set, digested, fingerprints
from dpcore.private.engine import memory
from dpcore.private.prepare import Preparation, note_of_long_ways
from dpcore.private.prepared import LocalRows, Part
from dpcore.private.prepared.folders import Inputs, part_folder, set_folder, sweep
from dpcore.private.prepared.part import DESCRIPTION, must_share_no_hash
from dpcore.private.prepared.writing import PartWriter, Pipeline
from dpcore.private.progress import Progress, share
from dpcore.private.sealed import Sealed
from dpcore.private.source import BadRecords, Inspection, Reading, Together, TripsFile, read
from dpcore.private.source.content import Content
from dpcore.private.source.inspection import must_have_trips
from dpcore.private.source.report import summed
from dpcore.private.trips import PrivateTrips
from dpcore.tiles import Tessellation
from dpcore.tiles.id_rules import IdMatcher

_DIGESTING: Final = 0.05
"""The share of the work that digesting takes, if files are not known."""

_SOON_READ: Final = 64 * 2**20
"""Bytes of trips that are read in a moment."""

_HELD: Final = 2**28
"""Most bytes of prepared rows of one part in memory: some three million trips. More of them cost less on disk than in memory that is used once."""

Files = Sequence[tuple[TripsFile, Inspection]]


def load(
    file: TripsFile | Sequence[TripsFile],
    inspection: Inspection | Sequence[Inspection],
    tessellation: Tessellation,
    *,
    timezone: str | None,
    bad_records: BadRecords = BadRecords.REFUSE,
    progress: Progress | None = None,
    recount: bool = False,
    keep: bool = True,
    engine: Engine = Engine.COMPILED,
    rule: TripRule | None = None,
    stored: Callable[[Path], object] | None = None,
) -> PrivateTrips:
    """Trips that are ready to be counted, from the private folder where the same bytes were read before.

    Args:
        file: the trips file, or several that are one data set. Their order does not matter.
        inspection: its form and columns, as recognised or chosen; for several files one each.
        tessellation: tiles to which the points are assigned, WGS84.
        timezone: IANA name of the city's clock.
        bad_records: whether one bad record refuses a file, or is dropped and reported.
        progress: called in this thread with the share of all bytes that was read, 0 to 1. An exception of it ends the
            loading, and nothing of the file that was being read is left.
        recount: read again even if a file was read before.
        keep: False if nobody will ask for the trips again: what is read is then held in memory, unless it is too large for that.
        engine: the engine that is to count the trips, on this computer.
        rule: cuts points into trips. Files of points need it, and no other files may have it.
        stored: called in this thread with each folder of the private folder that these trips have, as soon as it is there.

    Raises:
        InputError: something in a file cannot be used, or the files do not fit together. Files that were read before it
            stay in the private folder, and earlier data are untouched.

    """
    sweep()
    if engine is Engine.SPARK:
        raise InputError(
            "Spark reads its trips itself", "engine", "Use load_on_spark of dpcore.engines.spark.owner."
        )
    pairs = to_be_cut(as_files(file, inspection), rule)
    _must_match(pairs, tessellation)
    files, inspections = [one for one, _ in pairs], [seen for _, seen in pairs]
    key = bounding_key()
    tell, tell_folder = progress or (lambda _share: None), stored or (lambda _folder: None)
    known = digested(
        files,
        key,
        share(progress, 0.0, _DIGESTING),
        afresh=recount,
        told=[told_by_folders(*pair) for pair in pairs],
    )
    fingerprint = digest_of_set(known, key)
    room = 0 if keep else min(_HELD, memory.affordable() // 4)
    loader = PartLoader(tessellation, timezone, bad_records, key, rule, room)
    parts = loader.all_parts(
        _sources(known, inspections, rule), share(tell, _DIGESTING, 0.99), tell_folder, afresh=recount
    )
    folder = parts[0].folder
    if len(parts) > 1:
        held = any(part.held for part in parts)
        folder = store.passing_folder() if held else set_folder([part.folder for part in parts], key)
        tell_folder(folder)
        must_share_no_hash(parts, folder, key)
    if recount:
        store.forget_answers(folder)
    tell(1.0)
    report = summed([part.report for part in parts], [part.name for part in parts])
    said = dict.fromkeys(note for seen in inspections for note in seen.notes)
    return PrivateTrips(
        name=name_of(files),
        _rows=LocalRows.of(parts),
        folder=folder,
        tile_ids=tessellation.tile_ids,
        form=inspections[0].recorded,
        timezone=str(timezone),
        _reading=replace(report, notes=(*report.notes, *said)),
        tiles_digest=tessellation.digest,
        fingerprint=fingerprint,
        extras=_common_extras(inspections),
        engine=engine,
        file_fingerprints=tuple(sorted(one.digest for one in known)) if len(known) > 1 else (),
        tessellation=tessellation,
        rule=rule,
        read_as=reader_of(pairs),
        attributes=tuple(one.attribute for one in inspections[0].kept),
    )


def as_files(file: TripsFile | Sequence[TripsFile], inspection: Inspection | Sequence[Inspection]) -> Files:
    """Each file with its inspection. Raises InputError for no files, too many, or files with different content of trips."""
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


def _must_match(files: Files, tessellation: Tessellation) -> None:
    """Refuse rules for ids that the tiles or the files do not allow; raises InputError."""
    for file, seen in files:
        IdMatcher(tessellation.tile_ids, seen.match)
        if seen.match and seen.has_points:
            raise InputError(
                "the file has coordinates, and no ids of tiles are read",
                file.name,
                "Leave --match-ids out (in a notebook: match_ids).",
                options=("--match-ids",),
            )


def told_by_folders(file: TripsFile, inspection: Inspection) -> tuple[tuple[str, str | None], ...]:
    """The columns that are read and that folders name, with the value that all records of the file have."""
    needed = {*inspection.needed.values()}
    return tuple((name, value) for name, value in file.folders if name in needed)


def name_of(files: Sequence[TripsFile]) -> str:
    """The name of a data set in captions and messages."""
    return files[0].name if len(files) == 1 else f"{len(files):,} files"


def reader_of(files: Files) -> str:
    """What of the reading decides which records are one trip, beside a rule and the time zone; in any order of files.

    Where a rule cuts points, people and times come from columns, and a point without a place is in no trip. So it holds every
    column that is read, by its name, and the order of times. Records with trip ids are one trip by two columns alone, the
    user and the trip id. Both hold the names of columns that the owner gave. Empty where each row is a trip.
    """
    said = set()
    for file, seen in files:
        if seen.layout == "trips":
            continue
        cut = seen.layout == "points"
        roles = seen.needed if cut else {role: seen.needed[role] for role in _IDS if role in seen.needed}
        columns = ", ".join(f"{role}={name}" for role, name in sorted(roles.items()))
        given = f" of {file.header.splitlines()[-1]}" if file.header else ""
        said.add(f"{columns}{given}" + (f" ({seen.times})" if cut else ""))
    return "; ".join(sorted(said))


_IDS: Final = ("uid", "tid")


Sources = Sequence[tuple[Digested, Inspection]]
"""The files of one part: one file, or all files of points, of which one person may have some in each."""


def _sources(
    known: Sequence[Digested], inspections: Sequence[Inspection], rule: TripRule | None
) -> list[Sources]:
    """The files that are read together."""
    pairs = list(zip(known, inspections, strict=True))
    return [[pair] for pair in pairs] if rule is None else [pairs]


def to_be_cut(files: Files, rule: TripRule | None) -> Files:
    """The files as the rule has them: it makes points of GeoLife's trajectories, which are trips without it.

    Raises InputError: points without a rule, or a rule for a file that has trips.
    """
    found = []
    for file, seen in files:
        if rule is None:
            must_have_trips(file.name, seen)
        elif seen.layout != "points" and file.content is not Content.PLT:
            raise InputError(
                "a rule that cuts points, for a file that has trips of its own",
                f"{file.name}, form {seen.form}",
                f"Leave {rule.options[0]} out, or load the files of points apart.",
            )
        found.append((file, seen if rule is None else replace(seen, layout="points")))
    return found


def faults_of_records(files: Files, timezone: str | None) -> list[InputError]:
    """What refuses some files for their records, whatever their tiles are. Whoever is told of bad records has looked.

    More than ``_SOON_READ`` bytes are not read: what is bad in them is told once they are loaded.
    """
    faults: list[InputError] = []
    for file, seen in files if sum(file.size for file, _ in files) <= _SOON_READ else ():
        try:
            with store.scratch() as scratch, looks.of_refusals(partial(fingerprints, [file])):
                reading = read(file, seen, timezone=timezone, work_folder=scratch)
                deque(reading.points() if seen.layout == "points" else reading.batches(), maxlen=0)
        except InputError as error:
            faults.append(error)
    return faults


@dataclass(frozen=True, repr=False, eq=False)
class PartLoader(Sealed):
    """Everything that reading a file needs besides the file. It is the same for all files of a data set."""

    tessellation: Tessellation
    timezone: str | None
    bad_records: BadRecords
    key: bytes
    rule: TripRule | None = None
    room: int = 0
    """Bytes of a part that are held in memory, in place of the private folder."""

    def all_parts(
        self, every: Sequence[Sources], progress: Progress, stored: Callable[[Path], object], *, afresh: bool
    ) -> list[Part]:
        """The part of each of them, one after the other, whose folder ``stored`` is told. Otherwise as ``loaded``."""
        sizes = [sum(one.file.size for one, _ in sources) for sources in every]
        total, done, parts = max(1, sum(sizes)), 0, list[Part]()
        for sources, size in zip(every, sizes, strict=True):
            told = share(progress, done / total, (done + size) / total)
            done += size
            parts.append(self.loaded(sources, told, afresh=afresh))
            stored(parts[-1].folder)
            told(1.0)
        return parts

    def loaded(self, sources: Sources, progress: Progress, *, afresh: bool) -> Part:
        """The part of a file, or of files that are read together. The same bytes are read once, unless ``afresh``.

        ``progress`` is called in this thread with the share that was read; an exception of it ends the loading. Raises
        InputError if something in the file cannot be used. Nothing of it is left then.
        """
        folder = self._folder(sources)
        part = None if afresh else Part.open(folder, _name_of(sources))
        if part is None:
            return self._part_of_sources(sources, folder, progress, afresh=afresh)
        for one, _ in sources:
            one.keep()
        return part

    def _folder(self, sources: Sources) -> Path:
        """The folder of the part. Its name covers everything that its rows follow from."""
        zone, tiles = str(self.timezone), self.tessellation.digest
        inputs = [
            Inputs(
                one.digest,
                inspection,
                tiles,
                zone,
                self.bad_records,
                self.key,
                self.rule,
                one.file.header,
                told_by_folders(one.file, inspection),
            )
            for one, inspection in sources
        ]
        return part_folder(inputs, self.key)

    def _reading(self, sources: Sources, progress: Progress, work_folder: Path) -> Reading | Together:
        files = [(one.file, inspection) for one, inspection in sources]
        how: Any = {
            "timezone": self.timezone,
            "bad_records": self.bad_records,
            "progress": progress,
            "work_folder": work_folder,
        }
        return read(*files[0], **how) if self.rule is None else Together(files, self.rule, **how)

    def _part_of_sources(self, sources: Sources, folder: Path, progress: Progress, *, afresh: bool) -> Part:
        name = _name_of(sources)
        seen = sources[0][1]
        kept = tuple(one.attribute for one in seen.kept)
        tiles = self.tessellation
        prepare = Preparation(tiles, self.key, tuple(seen.extras), kept, seen.match)
        with (
            store.scratch() as scratch,
            store.new_folder(store.folder("cache")) as place,
            Pipeline() as pipeline,
        ):
            reached = _Reached(pipeline)
            reading = self._reading(sources, reached.reach, scratch)
            writer = PartWriter(place, name, prepare, tiles.tile_names, self.room)
            lasting = any(one.identity is None for one, _ in sources)  # nobody can read an upload again
            runs = writer.write(pipeline, reading.batches(), lambda: progress(reached.share))
            notes = (*reading.report.notes, *note_of_long_ways(writer.long))
            part = writer.describe(runs, replace(reading.report, notes=notes))
            for one, _ in sources:
                one.must_be_unchanged()
            for one, _ in sources:
                one.keep()
            if part.held:
                return replace(part, folder=store.passing_folder())
            if not store.appear(place, folder, lasting=lasting):
                there = None if afresh else Part.open(folder, name)
                if there is not None:  # another process was faster: its counts stay
                    return there
                store.move_into(place, folder, DESCRIPTION)  # the folder never disappears for readers
                store.forget_answers(folder)
        return replace(part, folder=folder)


def _name_of(sources: Sources) -> str:
    return name_of([one.file for one, _ in sources])


class _Reached:
    """The share of a file that was read. The reading thread writes it, and the waiting thread reports it."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self.share = 0.0

    def reach(self, share: float) -> None:
        """Store a share. Raises StoppedError if the reading is to end."""
        self._pipeline.must_go_on()
        self.share = share


def _common_extras(inspections: Sequence[Inspection]) -> tuple[str, ...]:
    """The attributes of a trip that all files have."""
    return tuple(name for name in inspections[0].extras if all(name in seen.extras for seen in inspections))


def _attributes_of_one(first: Inspection, seen: Inspection) -> list[tuple[str, bool, bool]]:
    """What of two files has an attribute that the other lacks."""
    kept = [{one.attribute for one in both.kept} for both in (first, seen)]
    return [(f"the attribute {one.name}", one in kept[0], one in kept[1]) for one in kept[0] ^ kept[1]]


def _must_agree(files: Files) -> None:
    """Refuse files if one has a column that another lacks."""
    first_file, first = files[0]
    for file, seen in files[1:]:
        for what, one, other in (
            ("users", first.recorded.users, seen.recorded.users),
            ("coordinates", first.recorded.points, seen.recorded.points),
            ("times", first.recorded.times, seen.recorded.times),
            ("other ends", first.recorded.ends, seen.recorded.ends),
            *_attributes_of_one(first, seen),
        ):
            if one != other:
                having, lacking = (first_file, file) if one else (file, first_file)
                raise InputError(
                    f"one file has {what}, another has none",
                    f"{having.name} and {lacking.name}",
                    "Load them apart, or name the columns of the other file.",
                )
