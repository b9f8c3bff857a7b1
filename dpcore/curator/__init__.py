"""The door between what is private and what is published: nothing passes that was not paid for.

``publish`` makes a release of trips, ``finish`` takes up one that was cut short, ``top_up`` raises an earlier one;
``synthesize`` and ``finish_synthesis`` do the same for synthetic releases, at ``synthesis_price``;
``must_be_publishable`` and ``must_be_synthesizable`` refuse, before an account is opened, what could not be published;
``default_ledger`` opens the ledger that pays, ``releases`` lists what was paid from it.
"""

from dpcore.curator.accounts import default_ledger, fresh_nonce, ledger_at, register
from dpcore.curator.desk import release_id
from dpcore.curator.giving_back import void
from dpcore.curator.library import committed_digest, releases
from dpcore.curator.publishing import finish, must_be_publishable, publish
from dpcore.curator.request import Receipt, Request
from dpcore.curator.software import command_of_choices
from dpcore.curator.synthesis_price import synthesis_price
from dpcore.curator.synthesizing import finish_synthesis, must_be_synthesizable, synthesize
from dpcore.curator.synthetic_request import SyntheticReceipt, SyntheticRequest
from dpcore.curator.topping_up import raised_plan, top_up

__all__ = [
    "Receipt",
    "Request",
    "SyntheticReceipt",
    "SyntheticRequest",
    "command_of_choices",
    "committed_digest",
    "default_ledger",
    "finish",
    "finish_synthesis",
    "fresh_nonce",
    "ledger_at",
    "must_be_publishable",
    "must_be_synthesizable",
    "publish",
    "raised_plan",
    "register",
    "release_id",
    "releases",
    "synthesis_price",
    "synthesize",
    "top_up",
    "void",
]
