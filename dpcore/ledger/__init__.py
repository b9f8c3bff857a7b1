"""The ledger: what was spent on whom, exactly, for good.

``ledger`` is what others call; ``account`` holds the values that it speaks of. Behind it: ``terms`` (what may be
asked), ``composition`` (what releases cost together), ``book`` and ``books`` (the replay of entries), ``chain``
(hashes), ``storage``, ``address`` and ``faults`` (the database), ``words`` (refusals and statements).
"""

from dpcore.ledger.account import Account, Entry, Price, Reservation, Sighting, Statement
from dpcore.ledger.ledger import Ledger

__all__ = ["Account", "Entry", "Ledger", "Price", "Reservation", "Sighting", "Statement"]
