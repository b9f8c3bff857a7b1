"""The ledger: what was spent, on whom, exactly and permanently.

Others call ``ledger``. ``account`` holds its values and checks them. The rest is internal: ``entries`` (the content of a
line, and the chain of hashes), ``replay`` (accounts computed from the entries, and the joint cost of releases),
``refusals`` (refusals and statements in words), ``counted_files`` (the files from which a data set was counted),
``storage`` (the database), and ``last_seen`` (a note of each ledger on this computer, which reveals one that was set back).
"""

from dpcore.ledger.account import Account, Entry, KnownFiles, Price, Reservation, Statement
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.refusals import READ_AS, TRIP_RULE

__all__ = [
    "READ_AS",
    "TRIP_RULE",
    "Account",
    "Entry",
    "KnownFiles",
    "Ledger",
    "Price",
    "Reservation",
    "Statement",
]
