"""Where a bundle waits between being drawn and being committed, and how it is handed over.

A bundle is written in a private folder, its digest is committed in the ledger, and only then it moves to where
anyone may read it. So nobody ever sees a bundle that was not committed, and a run that is cut short at any line can
be taken up again: a bundle that waits is handed over, never drawn a second time (two draws would be two releases).
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from dpcore import places
from dpcore.errors import AtlasError, BundleError, InputError, LedgerError, UnfinishedError
from dpcore.ledger import Reservation
from dpcore.measures.measurement import Measurement
from dpcore.private import store
from dpcore.release import verify_bundle


@contextmanager
def alone(ledger: str, dataset: str) -> Iterator[None]:
    """No other process of this computer publishes from the same account meanwhile; others wait.

    The lock ends with the process, however it ends.
    """
    lock = f"{sha256(f'{ledger} {dataset}'.encode()).hexdigest()[:32]}.lock"
    handle = os.open(store.folder("waiting") / lock, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def chain(reservation: Reservation) -> str:
    """The name of the chain of releases that a reservation belongs to."""
    return f"{reservation.ledger} {reservation.dataset} {reservation.group}"


def release_id(reservation: Reservation) -> str:
    """The name of a release: data set, number of its entry, and the first digits of that entry's hash."""
    return f"{reservation.dataset.replace(' ', '-')}-{reservation.number}-{reservation.entry_hash[:6]}"


def waiting(release_id: str) -> Path:
    """Where the bundle of a release waits until it is committed; exists only when it is whole."""
    return store.folder("waiting") / release_id


def all_waiting() -> list[Path]:
    """Every whole bundle that waits."""
    return [place.parent for place in store.folder("waiting").glob("[!.]*/manifest.json")]


def published() -> Path:
    """Where the bundles of all releases of this computer are kept; anyone may read them."""
    return places.home() / "releases"


def handed_over(release_id: str, digest: str, out: Path | None) -> Path:
    """The public folder of a committed bundle: moved there from where it waited, and copied to ``out``.

    Raises LedgerError where the bundle that was paid for is no longer there.
    """
    public = published() / release_id
    if not public.exists():
        if not waiting(release_id).exists():
            raise LedgerError(
                "this release was paid for, but its bundle is no longer on this computer",
                release_id,
                "Restore it from a copy; the ledger holds its digest.",
            )
        _must_be_committed(waiting(release_id), digest)  # before it moves: another draw must never be seen
        public.parent.mkdir(parents=True, exist_ok=True)
        waiting(release_id).rename(public)
    _must_be_committed(public, digest)
    if out is None:
        return public
    if not _holds(out, digest):
        _copy(public, out)
    return out


@contextmanager
def paid(reservation: Reservation) -> Iterator[None]:
    """Say of whatever fails in the block that the release is paid for, and how to finish it."""
    if reservation.state != "reserved":  # it was finished before
        yield
        return
    try:
        yield
    except AtlasError as error:
        cause = f"{error.what}: {error.where}. {error.mend.rstrip('.')}"
    except Exception as error:  # noqa: BLE001 - its text may quote a cell; told by its name alone
        cause = type(error).__name__
    else:
        return
    raise UnfinishedError(
        "the release is paid for but could not be finished",
        f"entry {reservation.number} of the ledger, {cause}",
        f"Then finish it on the Release page, or repeat it with the nonce {reservation.nonce}: nothing is charged again.",
    )


def _must_be_committed(folder: Path, digest: str) -> None:
    if manifest_digest(folder) != digest:
        raise LedgerError(
            "the bundle here is not the one that was committed",
            folder.name,
            "It was changed, or drawn from a copy of this data folder. Restore it from a copy of the release.",
        )


def is_drawn(reservation: Reservation) -> bool:
    """Whether the noise of a release was drawn: it is committed, or a whole bundle of it waits.

    A bundle that waits and does not verify was damaged and never seen: it counts for nothing.
    """
    if reservation.state != "reserved":
        return reservation.state == "committed"
    try:
        verify_bundle(waiting(release_id(reservation)))
    except BundleError:
        return False
    return True


def draw_of(measurements: Mapping[str, Measurement]) -> str:
    """Names the draw that measurements come from; the same for every release of a chain.

    The lowest rung and the listed cells never change when a release is raised, and no two draws share them.
    """
    digest = sha256()
    for name, measurement in sorted(measurements.items()):
        for part in (name.encode(), measurement.cell_numbers.tobytes(), measurement.values[0].tobytes()):
            digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()


def discard(release_id: str) -> None:
    """Delete a bundle that waits, and parts of it that a run cut short left behind. Nobody has seen them."""
    place = waiting(release_id)
    for left in (place, *place.parent.glob(f".{release_id}-*")):
        shutil.rmtree(left, ignore_errors=True)


def must_be_free(out: Path | None) -> None:
    """Refuse, before anything is spent, a place that cannot be written or holds something other than a bundle of ours."""
    if out is None:
        return
    try:
        empty = not out.exists() or (out.is_dir() and not any(out.iterdir()))
        if not empty and not (out / "manifest.json").is_file():
            raise InputError("the folder is not empty", str(out), "Choose a new or empty one.")
        out.parent.mkdir(parents=True, exist_ok=True)
        Path(tempfile.mkdtemp(dir=out.parent, prefix=".part-")).rmdir()
    except OSError:
        raise InputError("the folder cannot be written", str(out), "Choose another one.") from None


def must_hold(out: Path | None, digest: str | None) -> None:
    """Refuse a place that holds another bundle than this one."""
    if out is not None and (out / "manifest.json").is_file() and not _holds(out, digest):
        raise InputError("the folder holds another release", str(out), "Choose a new one.")


def manifest_digest(folder: Path) -> str:
    """SHA-256 of a bundle's manifest, which holds those of all its other files."""
    return sha256((folder / "manifest.json").read_bytes()).hexdigest()


def _holds(out: Path, digest: str | None) -> bool:
    return (out / "manifest.json").is_file() and manifest_digest(out) == digest


def _copy(public: Path, out: Path) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        part = out.with_name(f".{out.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(public, part)
        if out.exists():
            out.rmdir()
        part.rename(out)
    except OSError:
        raise InputError(
            "the folder cannot be written",
            str(out),
            f"The release is safe in {public}; copy it from there, or repeat with the same nonce.",
        ) from None
