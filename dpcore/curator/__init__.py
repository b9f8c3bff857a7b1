"""The door between what is private and what is published: nothing passes that was not paid for.

``publish`` makes a release of trips, ``finish`` takes up one that was cut short, ``top_up`` raises an earlier one;
``must_be_publishable`` refuses, before an account is opened, what could not be published from it;
``default_ledger`` opens the ledger that pays, ``releases`` lists what was paid from it.
"""

from dpcore.curator.accounts import default_ledger, fresh_nonce, ledger_at, register
from dpcore.curator.giving_back import void
from dpcore.curator.library import committed_digest, releases
from dpcore.curator.publishing import finish, must_be_publishable, publish
from dpcore.curator.request import Receipt, Request
from dpcore.curator.topping_up import raised_plan, top_up

__all__ = [
    "Receipt",
    "Request",
    "committed_digest",
    "default_ledger",
    "finish",
    "fresh_nonce",
    "ledger_at",
    "must_be_publishable",
    "publish",
    "raised_plan",
    "register",
    "releases",
    "top_up",
    "void",
]
