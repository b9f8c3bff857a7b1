"""Which roles a visit has, and why it has none: plain rules over what the server knows of the visit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from dpcore.errors import AtlasError, InputError
from pages.parts.local_use import not_local
from pages.parts.login_settings import providers
from pages.parts.role_map import Role, RoleMap

VIEW: Final = "view"


@dataclass(frozen=True)
class Visit:
    """All that the rules look at, as the server knows it; nothing that a browser could claim for itself."""

    mode: str = ""
    """EPSILON_ATLAS_MODE: empty, or ``view`` for a server that shows releases only."""
    secrets: Mapping[str, object] | InputError = field(default_factory=dict)
    """The operator's secrets; an error if they are there and cannot be read."""
    user: Mapping[str, object] = field(default_factory=dict)
    """Claims of the identity token, from the signed cookie; empty before login."""
    address: object = None
    """Where the server listens."""
    peer: str | None = None
    """The other end of the connection; None if it is this computer."""
    headers: tuple[tuple[str, str], ...] = ()
    trusted_headers: object = None
    """Streamlit's option server.trustedUserHeaders."""
    now: float = math.inf
    """Seconds since 1970."""


class Closed(Enum):
    """Why a visitor has no role."""

    LOG_IN = "log in"
    LOG_IN_AGAIN = "the login ran out"
    UNVERIFIED = "the address is not verified"
    NO_ROLE = "the address has no role"
    NOT_LOCAL = "login is not configured and this is not local use"
    MISCONFIGURED = "the settings cannot be used"


@dataclass(frozen=True)
class Admission:
    """The roles of a visit, or why there are none."""

    roles: frozenset[Role] = frozenset()
    closed: Closed | None = None
    reason: str = ""
    """Why a visit is not local use."""
    fault: AtlasError | None = None
    """What the operator has to mend."""
    providers: tuple[str | None, ...] = ()
    """Where the visitor may log in."""
    address: str = ""
    """The address of whoever is logged in."""


def admission(visit: Visit) -> Admission:
    """The roles of a visit; settings that cannot be used admit nobody."""
    try:
        return _admission(visit)
    except AtlasError as fault:
        return Admission(closed=Closed.MISCONFIGURED, fault=fault)


def _admission(visit: Visit) -> Admission:
    if visit.mode not in {"", VIEW}:
        raise InputError.unknown("mode", "EPSILON_ATLAS_MODE", [VIEW])
    if isinstance(visit.secrets, InputError):
        raise visit.secrets
    if "auth" in visit.secrets:
        return _logged_in(visit, visit.secrets)
    if "roles" in visit.secrets:
        raise InputError("roles without a login", "secrets.toml", "Write [auth] as well, or remove [roles].")
    if visit.mode == VIEW:
        return Admission(frozenset({Role.VIEWER}))
    reason = not_local(visit.address, visit.peer, visit.headers)
    return Admission(closed=Closed.NOT_LOCAL, reason=reason) if reason else Admission(frozenset(Role))


def _logged_in(visit: Visit, secrets: Mapping[str, object]) -> Admission:
    """The roles of the address that a provider vouches for."""
    known = providers(secrets["auth"], visit.trusted_headers)
    role_map = RoleMap.read(secrets.get("roles", {}))
    user = visit.user
    if user.get("is_logged_in") is not True:
        return Admission(closed=Closed.LOG_IN, providers=known)
    email = user.get("email")
    address = email if isinstance(email, str) else ""
    if "exp" in user and not _ahead(user["exp"], visit.now):
        return Admission(closed=Closed.LOG_IN_AGAIN, providers=known, address=address)
    if not address or user.get("email_verified") is not True:
        return Admission(closed=Closed.UNVERIFIED, address=address)
    roles = role_map.roles_of(address)
    if visit.mode == VIEW:
        roles &= {Role.VIEWER}
    return Admission(roles, None if roles else Closed.NO_ROLE, address=address)


def _ahead(exp: object, now: float) -> bool:
    """Whether the time of expiry is a time, and has not come."""
    return isinstance(exp, int | float) and not isinstance(exp, bool) and now < exp < math.inf
