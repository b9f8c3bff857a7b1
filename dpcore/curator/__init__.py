"""The only way from private trips to a published release: nothing leaves that was not paid for.

``publish`` makes a release of any kind and charges its ``price``. ``finish`` completes one that was cut short, ``void`` gives one
back of which nothing was drawn, ``top_up`` raises an earlier release of tables. ``must_be_publishable`` refuses, before an
account is opened, what could not be published. ``default_ledger`` opens the ledger that pays, ``releases`` lists what it paid for.
"""

from dpcore.curator.accounts import default_address, default_ledger, fresh_nonce, ledger_at, register
from dpcore.curator.library import committed_digest, releases
from dpcore.curator.makers import price
from dpcore.curator.pending import release_id
from dpcore.curator.pricing import must_be_payable
from dpcore.curator.publishing import must_be_publishable, publish
from dpcore.curator.request import Receipt, Request, kind_of_entry
from dpcore.curator.topping_up import finish, raised_plan, top_up, void

__all__ = [
    "Receipt",
    "Request",
    "committed_digest",
    "default_address",
    "default_ledger",
    "finish",
    "fresh_nonce",
    "kind_of_entry",
    "ledger_at",
    "must_be_payable",
    "must_be_publishable",
    "price",
    "publish",
    "raised_plan",
    "register",
    "release_id",
    "releases",
    "top_up",
    "void",
]
