"""Which files of trips their owner was told something of on this computer: afterwards no release may say that nobody had looked.

A look is remembered by the keyed fingerprint of the file, before anything is told, and never forgotten. Exact counts, previews
and a refusal that counts bad records are looks. The built-in city is public. The pages of the app
remember theirs here too, and what was seen in the project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dpcore.errors import AtlasError, PrivacyError
from dpcore.private import store


def remember(files: Iterable[str]) -> None:
    """Remember that these files were looked at; whatever is known already is not written again."""
    _mark(store.folder("looks"), files)


def call_public(files: Iterable[str]) -> None:
    """Say of files of invented trips that everybody may look at them."""
    _mark(store.folder("looks", "public"), files)


def was_seen(files: Iterable[str]) -> bool:
    """Whether one of these files was looked at; nobody hides those of invented trips."""
    seen, public = store.folder("looks"), store.folder("looks", "public")
    return any((seen / one).exists() and not (public / one).exists() for one in files)


def must_be_unseen(files: Iterable[str]) -> None:
    """Refuse to say that everything was chosen before anyone looked; raises PrivacyError if one of these files was looked at."""
    if was_seen(files):
        raise PrivacyError(
            "these trips were looked at on this computer, so nobody can say that all was chosen before",
            '--parameters-chosen before_data (in Python parameters_chosen="before_data")',
            "Leave it out: the release then says that its parameters were chosen after a look. Nothing was charged.",
        )


@contextmanager
def of_refusals(files: Callable[[], Iterable[str]]) -> Iterator[None]:
    """Remember a look where the block is refused with counts of bad records; ``files`` gives what is then remembered."""
    try:
        yield
    except AtlasError as error:
        if counts_bad_records(error):
            remember(files())
        raise


def counts_bad_records(error: AtlasError) -> bool:
    """Whether a refusal tells how many records are bad, and where."""
    return bool(getattr(error, "__notes__", ())) and not error.faults


def _mark(folder: Path, files: Iterable[str]) -> None:
    for one in files:
        if not (folder / one).exists():  # else each run of a page would wait for the disk
            store.write_once(folder / one, b"")
