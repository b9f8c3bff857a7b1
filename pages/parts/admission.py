"""The roles of a visit, or why it has none: plain rules over what the server knows of the visit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Final, TypeAlias, cast
from urllib.parse import urlsplit

from dpcore.errors import AtlasError, InputError
from dpcore.exact_json import Check, Fault, read_as
from pages.parts.tile_server import tile_server

_ROLES: Final = "secrets.toml, [roles]"

# Plain ASCII only: lower-casing other letters can make two different addresses equal (a Kelvin sign is a k).
_DOMAIN: Final = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+"
_ADDRESS: Final = re.compile(rf"[a-z0-9.!#$%&'+/=?^_`{{|}}~-]+@{_DOMAIN}")
_ENTRY: Final = re.compile(rf"(?:\*|[a-z0-9.!#$%&'+/=?^_`{{|}}~-]+)@{_DOMAIN}")


class Role(Enum):
    """What a visitor may see."""

    OWNER = "owner"
    """Private data, previews, and everything that a viewer sees."""
    VIEWER = "viewer"
    """Releases."""


_Entry: TypeAlias = Annotated[
    str,
    Check(
        lambda one: isinstance(one, str) and one.isascii() and _ENTRY.fullmatch(one.lower()) is not None,
        "a whole address in quotes, or *@ and a whole domain",
    ),
]


@dataclass(frozen=True)
class RoleMap:
    """The entries of each role."""

    owner: tuple[_Entry, ...] = ()
    viewer: tuple[_Entry, ...] = ()

    @classmethod
    def read(cls, table: object) -> RoleMap:
        """The entries of a table of roles; raises InputError for anything else, which tells all faults at once.

        It gives the number of an entry and never quotes it, because its reader may not be the operator.
        """
        faults: list[Fault] = []
        read = read_as(cls, {**table} if isinstance(table, Mapping) else table, _ROLES, faults)
        if faults:
            raise InputError.of_faults(
                faults, "Write a table of two lists, owner = [...] and viewer = [...]."
            )
        return cast("RoleMap", read)

    def roles_of(self, address: str) -> frozenset[Role]:
        """The roles of a verified address; none if it is not a plain address."""
        lower = address.lower() if address.isascii() else ""
        if not _ADDRESS.fullmatch(lower):
            return frozenset()
        spellings = {lower, "*@" + lower.partition("@")[2]}
        if not spellings.isdisjoint(map(str.lower, self.owner)):
            return frozenset(Role)
        return frozenset() if spellings.isdisjoint(map(str.lower, self.viewer)) else frozenset({Role.VIEWER})


LOCAL_ADDRESSES: Final = ("localhost", "127.0.0.1", "::1")

_LOCAL_HOST: Final = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)
_OF_PROXIES: Final = (
    "forwarded", "x-forwarded", "x-original-", "x-real-ip", "via", "x-client-ip", "x-cluster-client-ip", "true-client-ip",
    "fly-client-ip", "fly-forwarded-", "x-envoy-", "cf-", "x-appengine-", "fastly-client-ip", "x-azure-", "x-arr-",
)  # fmt: skip
"""Beginnings of headers that a proxy adds."""


def not_local(address: object, peer: str | None, headers: Iterable[tuple[str, str]]) -> str:
    """Why a visit is not local use, in words; empty if it is.

    Args:
        address: Where the server listens, as configured.
        peer: Address of the other end of the connection; None if it is this computer.
        headers: Headers of the request that opened the connection, names and values; a browser always
            sends Host and Origin, so a request without them is not local use.
    """
    sent: dict[str, list[str]] = {}
    for name, value in headers:
        sent.setdefault(name.lower(), []).append(value)
    if address not in LOCAL_ADDRESSES:
        return "The server listens to other computers as well."
    if peer is not None:
        return "The request came from another computer."
    if any(name.startswith(_OF_PROXIES) for name in sent):
        return "The request came through a proxy."
    host = sent.get("host", [])
    if len(host) != 1 or not _LOCAL_HOST.fullmatch(host[0]):
        return "The page was opened under another name than localhost."
    if not _same_origin(sent.get("origin", []), host[0]):
        return "The request came from another page than this one."
    return ""


def _same_origin(origin: list[str], host: str) -> bool:
    """Whether the page that opened the connection came from this server, not from another one on this computer."""
    if len(origin) != 1:
        return False
    try:
        parts = urlsplit(origin[0])
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and parts.netloc.lower() == host.lower()


_AUTH: Final = "secrets.toml, [auth]"
CALLBACK: Final = "/oauth2callback"
SHORTEST_COOKIE_SECRET: Final = 32
OF_A_PROVIDER: Final = ("client_id", "client_secret", "server_metadata_url")


def providers(auth: object, trusted_headers: object = None) -> tuple[str | None, ...]:
    """The providers that a visitor may choose from; None stands for the one without a name.

    Raises InputError if the settings are incomplete or would let somebody in who did not log in.
    """
    if not isinstance(auth, Mapping):
        raise InputError("login is not configured", _AUTH, "Write a table; see secrets.example.toml.")
    if trusted_headers:
        # Streamlit would let such a header replace the address of the visitor who logged in.
        raise InputError("two ways to log in", "server.trustedUserHeaders", "Leave it empty.")
    secret = auth.get("cookie_secret")
    if not isinstance(secret, str) or len(secret) < SHORTEST_COOKIE_SECRET:
        # It signs the cookie that says who somebody is. Whoever guesses it can pretend to be anybody.
        raise InputError(
            "the cookie secret is too short",
            f"{_AUTH} cookie_secret",
            f"Write at least {SHORTEST_COOKIE_SECRET} random characters, for example of: openssl rand -hex 32.",
        )
    _check_redirect(auth.get("redirect_uri"))
    named = [name for name, value in auth.items() if isinstance(value, Mapping) and name != "client_kwargs"]
    found: list[str | None] = [*([None] if "client_id" in auth else []), *named]
    if not found:
        raise InputError("login names no provider", _AUTH, f"Write {', '.join(OF_A_PROVIDER)}.")
    for name in found:
        section = auth if name is None else auth[name]
        missing = [key for key in OF_A_PROVIDER if not isinstance(section.get(key), str) or not section[key]]
        if missing or (name and "_" in name):
            raise InputError(
                "a login provider is incomplete",
                _AUTH if name is None else f"{_AUTH[:-1]}.{name}]",
                f"Write {', '.join(missing)}." if missing else "Choose a name without an underscore.",
            )
    return tuple(found)


def _check_redirect(uri: object) -> None:
    place = f"{_AUTH} redirect_uri"
    parts = urlsplit(uri) if isinstance(uri, str) else urlsplit("")
    if not parts.path.endswith(CALLBACK) or not parts.hostname:
        raise InputError(
            "the way back from the login is missing",
            place,
            f"Write this app's address, ending in {CALLBACK}.",
        )
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOCAL_ADDRESSES):
        raise InputError("the way back from the login is open to listeners", place, "Begin it with https://.")


VIEW: Final = "view"


@dataclass(frozen=True)
class Visit:
    """All that the rules look at, as the server knows it. Nothing of it can be claimed by a browser."""

    mode: str = ""
    """EPSILON_ATLAS_MODE: empty, or ``view`` for a server that shows releases only."""
    background: Mapping[str, str] = field(default_factory=dict)
    """The environment variables that name a tile server."""
    secrets: Mapping[str, object] | InputError = field(default_factory=dict)
    """The operator's secrets, or an error if they cannot be read."""
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
    """The roles of a visit; if the settings cannot be used, nobody is admitted."""
    try:
        return _admission(visit)
    except AtlasError as fault:
        return Admission(closed=Closed.MISCONFIGURED, fault=fault)


def _admission(visit: Visit) -> Admission:
    if visit.mode not in {"", VIEW}:
        raise InputError.unknown("mode", "EPSILON_ATLAS_MODE", [VIEW])
    tile_server(visit.background)
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
    if "exp" in user and not _is_in_the_future(user["exp"], visit.now):
        return Admission(closed=Closed.LOG_IN_AGAIN, providers=known, address=address)
    if not address or user.get("email_verified") is not True:
        return Admission(closed=Closed.UNVERIFIED, address=address)
    roles = role_map.roles_of(address)
    if visit.mode == VIEW:
        roles &= {Role.VIEWER}
    return Admission(roles, None if roles else Closed.NO_ROLE, address=address)


def _is_in_the_future(exp: object, now: float) -> bool:
    """Whether the time of expiry is a number and lies in the future."""
    return isinstance(exp, int | float) and not isinstance(exp, bool) and now < exp < math.inf
