"""Bundles that are drawn and not yet committed: where they wait, and how they become public.

A bundle is written in a private folder. Its digest is committed in the ledger. Only then does it move to the public
folder. So nobody but the owner sees a bundle before it is committed. A run that was cut short at any line can be finished: a
whole bundle that waits is published as it is and never drawn again, because two draws would be two releases.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from dpcore import disk, places
from dpcore.errors import AtlasError, BundleError, InputError, LedgerError, UnfinishedError
from dpcore.ledger import Reservation
from dpcore.measures.measurement import Measurement
from dpcore.private import store
from dpcore.release import must_be_unchanged, read_bundle


@contextmanager
def alone(ledger: str, dataset: str) -> Iterator[None]:
    """Hold the lock of one account: other processes of this computer that publish from it wait.

    The lock ends with the process, however that ends.
    """
    lock = f"{sha256(f'{ledger} {dataset}'.encode()).hexdigest()[:32]}.lock"
    handle = os.open(store.folder("waiting") / lock, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def chain(reservation: Reservation) -> str:
    """Name of the chain to which a reservation belongs: a first release and the top-ups that raise it."""
    return f"{reservation.ledger} {reservation.dataset} {reservation.group}"


def release_id(reservation: Reservation) -> str:
    """The name of a release: data set, number of its entry, and the first digits of that entry's hash."""
    return f"{reservation.dataset.replace(' ', '-')}-{reservation.number}-{reservation.entry_hash[:6]}"


def waiting(release_id: str) -> Path:
    """The folder in which a bundle waits until it is committed. It appears only when the bundle is whole."""
    return store.folder("waiting") / release_id


def all_waiting() -> list[Path]:
    """The folders of all whole bundles that wait."""
    return [place.parent for place in store.folder("waiting").glob("[!.]*/manifest.json")]


def delivered(release_id: str, digest: str, out: Path | None) -> Path:
    """Move a committed bundle to the public folder, copy it to ``out`` if that is given, and return where it lies.

    Raises LedgerError if the bundle that was paid for is no longer on this computer, or is another one.
    """
    public = places.published() / release_id
    if not public.exists():
        if not waiting(release_id).exists():
            raise LedgerError(
                "this release was paid for, but its bundle is no longer on this computer",
                release_id,
                "Restore it from a copy; the ledger holds its digest.",
            )
        _must_be_committed(waiting(release_id), digest)  # first: another draw must never become public
        public.parent.mkdir(parents=True, exist_ok=True)
        _move(waiting(release_id), public, digest)
    _must_be_committed(public, digest)
    shutil.rmtree(waiting(release_id), ignore_errors=True)  # a copy, unlike a move, leaves it behind
    _mark(release_id).unlink(missing_ok=True)  # a committed entry is never given back
    if out is None:
        return public
    if not _holds(out, digest):
        _deliver_copy(public, out, digest)
    return out


@contextmanager
def paid(reservation: Reservation) -> Iterator[None]:
    """Turn any failure in the block into an UnfinishedError, which says how to finish the release that is paid for."""
    if reservation.state != "reserved":  # it was finished before
        yield
        return
    try:
        yield
    except AtlasError as error:
        cause = f"{error.what}: {error.where}. {error.mend.rstrip('.')}"
    except Exception as error:  # noqa: BLE001 - its text may quote a cell, so only its class is named
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
    """Whether a release has its final noise: it is committed, or a whole bundle of it waits.

    A waiting bundle that cannot be read was damaged. It was never public, so finishing the release draws it again. Its
    budget is not given back all the same, see ``may_have_been_seen``. Its estimates are not computed again: their last
    digits differ between computers, and that is no reason for another draw.
    """
    if reservation.state != "reserved":
        return reservation.state == "committed"
    try:
        read_bundle(waiting(release_id(reservation)))
    except BundleError:
        return False
    return True


def draw_of(measurements: Mapping[str, Measurement]) -> str:
    """A digest that names the draw behind some measurements. It is the same for every release of a chain.

    A top-up changes neither the lowest rung nor the listed cells, and no two draws have both in common.
    """
    digest = sha256()
    for name, measurement in sorted(measurements.items()):
        for part in (name.encode(), measurement.cell_numbers.tobytes(), measurement.values[0].tobytes()):
            digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()


def discard(release_id: str) -> None:
    """Delete a damaged bundle that waits, and the parts of one that a run left when it was cut short.

    None of it was public: it lay in a folder that only the owner of the trips can read.
    """
    for left in _folders(release_id):
        shutil.rmtree(left, ignore_errors=True)


def mark_as_drawn(release_id: str) -> None:
    """Note that noise was drawn, before the first byte of it is written. The note stays until the release is committed."""
    store.write_once(_mark(release_id), b"")


def may_have_been_seen(release_id: str) -> bool:
    """Whether noise of a release was ever written on this computer: whole, in part, or deleted since.

    Anyone who can read the private folder could have looked at it, so its budget must never be given back. The note of
    ``mark_as_drawn`` tells it even where a failed run removed what it had written.
    """
    return _mark(release_id).exists() or any(place.exists() for place in _folders(release_id))


def _mark(release_id: str) -> Path:
    return store.folder("waiting") / f".{release_id}.drawn"


def _folders(release_id: str) -> list[Path]:
    """The folder of a bundle that waits, and the folders in which it was being written."""
    place = waiting(release_id)
    return [place, *place.parent.glob(f".{release_id}-*")]


def must_be_free(out: Path | None) -> None:
    """Refuse, before anything is spent, a folder that cannot be written or that holds anything but a bundle."""
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


def must_not_hold_another(out: Path | None, digest: str | None) -> None:
    """Refuse a folder that holds a bundle with another digest; any bundle if the digest is None."""
    if out is not None and (out / "manifest.json").is_file() and not _holds(out, digest):
        raise InputError("the folder holds another release", str(out), "Choose a new one.")


def manifest_digest(folder: Path) -> str:
    """The digest of a bundle: the SHA-256 of its manifest, which lists the SHA-256 of all other files."""
    return sha256((folder / "manifest.json").read_bytes()).hexdigest()


def _holds(out: Path, digest: str | None) -> bool:
    return (out / "manifest.json").is_file() and manifest_digest(out) == digest


def _move(whole: Path, public: Path, digest: str) -> None:
    """Rename the folder, or copy it if the public one lies on another disk, to which nothing can be renamed."""
    try:
        whole.rename(public)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _copy(whole, public, digest)


def _deliver_copy(public: Path, out: Path, digest: str) -> None:
    try:
        _copy(public, out, digest)
    except OSError:
        raise InputError(
            "the folder cannot be written",
            str(out),
            f"The release is safe in {public}; copy it from there, or repeat with the same nonce.",
        ) from None


def _copy(whole: Path, target: Path, digest: str) -> None:
    """Copy a bundle. Under its name the copy appears only when all its bytes are on the disk and are those that were committed.

    So the caller may delete the original afterwards.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    shutil.copytree(whole, part)
    for place in (*part.rglob("*"), part):
        (disk.sync_folder if place.is_dir() else disk.sync)(place)
    must_be_unchanged(part, digest)
    if target.exists():
        target.rmdir()
    part.rename(target)
    disk.sync_folder(target.parent)
