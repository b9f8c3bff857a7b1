"""The ledger: what was spent on whom, exactly, for good.

``ledger`` is what others call; ``account`` holds the values that it speaks of and says what they may be. Behind it:
``entries`` (what a line says, and the chain of hashes), ``replay`` (accounts computed from the entries, and what releases
cost together), ``asking`` (refusals and statements), ``counted_files`` (from which files a data set was counted),
``storage`` (the database), and ``last_seen``: what this computer remembers of ledgers, so that a ledger that was set back is noticed.
"""

from dpcore.ledger.account import Account, Entry, Price, Reservation, Sighting, Statement
from dpcore.ledger.ledger import Ledger

__all__ = ["Account", "Entry", "Ledger", "Price", "Reservation", "Sighting", "Statement"]
