"""Notes about ledgers on this computer, so that a ledger that was set back or replaced is noticed.

A ledger restored from an old backup, or deleted and begun anew, would give spent budget back. Its chain of hashes alone
cannot show that its last lines are missing. Two notes kept elsewhere can: which ledger is at an address, and the last line
of a ledger that was seen here.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import Final

from dpcore import disk, places
from dpcore.errors import LedgerError
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.storage import is_url

_LAST_LINE: Final = re.compile(r"([0-9]{1,12}) ([0-9a-f]{64})\n")


def checked_ledger(address: str | Path) -> Ledger:
    """The ledger at an address, checked from its first line to the last line that was ever seen here.

    Raises LedgerError if lines were changed or are missing, or if another ledger is there. Nothing can be spent until that
    is mended.
    """
    public = _public(address)
    note = _folder() / f"at-{sha256(public.encode()).hexdigest()[:32]}"
    known = _text(note)
    if known is not None and not is_url(address) and not Path(address).exists():
        raise _replaced(public, note)
    ledger = Ledger.opened(address)
    if known is None:
        _write(note, ledger.identity)
    elif known != ledger.identity:
        raise _replaced(public, note)
    last = _text(_last_line(ledger))
    if last is None:
        ledger.verify()
        return ledger
    found = _LAST_LINE.fullmatch(last)
    if found is None:
        raise _unreadable(_last_line(ledger))
    ledger.verify([(int(found[1]), found[2])])
    return ledger


def remember(ledger: Ledger) -> None:
    """Note the last line of a ledger. Call it after everything that adds a line."""
    number, line = ledger.head()
    known = _LAST_LINE.fullmatch(_text(_last_line(ledger)) or "")
    if known is None or int(known[1]) < number:  # so that a slower process never sets the note back
        _write(_last_line(ledger), f"{number} {line}\n")


def _folder() -> Path:
    return places.home() / "ledgers-seen"


def _last_line(ledger: Ledger) -> Path:
    return _folder() / f"of-{ledger.identity[:32]}"


def _text(note: Path) -> str | None:
    """The text of a note; None if there is no note."""
    try:
        return note.read_text(encoding="ascii")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeError):
        raise _unreadable(note) from None


def _write(note: Path, text: str) -> None:
    try:
        note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with disk.written(note) as part:
            part.write_text(text, encoding="ascii")
    except OSError:
        raise LedgerError(
            "the note about the ledger cannot be written",
            str(note),
            "Free some space, or make the folder writable.",
        ) from None


def _public(address: str | Path) -> str:
    """The address without user and password."""
    if not is_url(address):
        return str(Path(address).resolve())
    return re.sub(r"//[^@/]*@", "//", str(address)).partition("?")[0]


def _replaced(public: str, note: Path) -> LedgerError:
    return LedgerError(
        "the ledger that was used here before is gone: it was deleted, moved or replaced",
        public,
        f"Restore it from a backup. Only if you really want a new ledger, delete the note {note}: the spends of the old "
        "ledger are then no longer counted.",
    )


def _unreadable(note: Path) -> LedgerError:
    return LedgerError(
        "the note about a ledger cannot be read", str(note), "Make it readable, or restore it from a backup."
    )
