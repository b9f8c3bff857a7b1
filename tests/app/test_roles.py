"""Who may see what: every rule, in every spelling that somebody might try."""

from __future__ import annotations

import math
import subprocess
import tomllib
from dataclasses import replace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpcore.errors import InputError
from pages.parts import roles
from pages.parts.admission import Closed, Role, RoleMap, Visit, admission, not_local, providers
from tests.app.conftest import LOCAL
from tests.conftest import ROOT

NOBODY, VIEWER, BOTH = frozenset(), frozenset({Role.VIEWER}), frozenset(Role)
ASK = roles.visit  # the function of production, before any test replaces it

AUTH = {
    "redirect_uri": "https://atlas.example.org/oauth2callback",
    "cookie_secret": "0123456789abcdef" * 4,
    "client_id": "atlas",
    "client_secret": "s3cret",
    "server_metadata_url": "https://login.example.org/.well-known/openid-configuration",
}
SECRETS = {"auth": AUTH, "roles": {"owner": ["Ada@Example.org"], "viewer": ["*@council.example"]}}
ADA = {"is_logged_in": True, "email": "ada@example.org", "email_verified": True, "exp": 2_000.0}


def served(user=None, secrets=SECRETS, **more) -> Visit:
    """A visit to a server with a login, from anywhere."""
    return Visit(secrets=secrets, user=ADA if user is None else user, address="0.0.0.0", now=1_000.0, **more)


def from_host(host: str, **more: str) -> Visit:
    headers = {"Host": host, "Origin": f"http://{host}", **more}
    return replace(LOCAL, headers=tuple(headers.items()))


# Local use


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8501", "127.0.0.1", "127.0.0.1:8501", "[::1]", "[::1]:8501", "LOCALHOST:8501"],
)
def test_who_sits_at_the_computer_is_the_owner(host):
    assert admission(from_host(host)).roles == BOTH


@pytest.mark.parametrize("address", ["localhost", "127.0.0.1", "::1"])
def test_the_server_listens_to_this_computer(address):
    assert admission(replace(LOCAL, address=address)).roles == BOTH


@pytest.mark.parametrize(
    "address",
    [
        None,
        "",
        "0.0.0.0",
        "::",
        "*",
        "192.168.1.4",
        "127.0.0.1.nip.io",
        "unix:///a/socket",
        "LOCALHOST ",
        True,
    ],
)
def test_a_server_that_others_reach_has_no_local_use(address):
    seen = admission(replace(LOCAL, address=address))
    assert (seen.roles, seen.closed) == (NOBODY, Closed.NOT_LOCAL)


@pytest.mark.parametrize(
    "host",
    [
        "localhost.evil.com",
        "localhost.evil.com:8501",
        "127.0.0.1.nip.io",
        "127.0.0.1.nip.io:8501",
        "evil.com",
        "evil.com:localhost",
        "localhost:8501.evil.com",
        "localhost:8501@evil.com",
        "localhost@evil.com",
        "evil.com#localhost",
        "xlocalhost",
        "localhost.",
        "localhost:",
        "localhost:123456",
        "localhost:\u0661",
        "loca\u017fhost",
        "localhost\n",
        " localhost",
        "localhost,evil.com",
        "[::1].evil.com",
        "::1",
        "[::2]:8501",
        "[::ffff:127.0.0.1]",
        "127.1",
        "127.0.0.2",
        "0.0.0.0:8501",
        "2130706433",
        "192.168.1.4:8501",
        "",
    ],
)
def test_a_name_that_only_looks_local_is_not(host):
    assert admission(from_host(host)).roles == NOBODY


def test_a_request_without_a_host_or_with_two_is_nobodys():
    origin = ("Origin", "http://localhost:8501")
    for hosts in ([], [("Host", "localhost:8501")] * 2, [("Host", "localhost:8501"), ("host", "evil.com")]):
        assert admission(replace(LOCAL, headers=(*hosts, origin))).roles == NOBODY
    assert admission(replace(LOCAL, headers=())).roles == NOBODY


@pytest.mark.parametrize(
    "name",
    [
        "X-Forwarded-For",
        "x-forwarded-host",
        "X-FORWARDED-PROTO",
        "X-Forwarded-Anything",
        "Forwarded",
        "X-Real-IP",
        "Via",
        "True-Client-IP",
        "CF-Connecting-IP",
        "X-Original-Host",
        "X-Original-For",
        "X-Cluster-Client-Ip",
        "Fly-Client-IP",
        "X-Envoy-External-Address",
        "Fastly-Client-IP",
        "X-Azure-ClientIP",
        "X-ARR-SSL",
        "X-AppEngine-User-IP",
    ],
)
@pytest.mark.parametrize("value", ["203.0.113.5", "127.0.0.1", ""])
def test_a_proxy_makes_a_server_public(name, value):
    assert admission(from_host("localhost:8501", **{name: value})).roles == NOBODY


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:3000",
        "http://evil.com",
        "http://localhost:8501.evil.com",
        "http://evil.com@localhost:8501",
        "null",
        "",
        "file://",
        "ftp://localhost:8501",
        "http://[::1",
    ],
)
def test_another_page_cannot_speak_for_the_owner(origin):
    assert admission(from_host("localhost:8501", Origin=origin)).roles == NOBODY


def test_a_request_without_an_origin_came_from_no_page():
    assert admission(replace(LOCAL, headers=(("Host", "localhost:8501"),))).roles == NOBODY


def test_who_connects_from_elsewhere_is_not_local():
    assert not_local("localhost", "203.0.113.5", LOCAL.headers)
    assert not not_local("localhost", None, LOCAL.headers)


# Login


def test_the_roles_of_the_map():
    assert admission(served()).roles == BOTH
    assert admission(served({**ADA, "email": "ADA@example.ORG"})).roles == BOTH
    assert admission(served({**ADA, "email": "Grace@Council.Example"})).roles == VIEWER


@pytest.mark.parametrize(
    "email",
    [
        "mallory@evil.example",
        "ada@example.org.evil.com",
        "xada@example.org",
        "ada@xexample.org",
        "ada@sub.example.org",
        "ada",
        "@example.org",
        "ada@",
        "ada@example.org ",
        " ada@example.org",
        "ada@example.org\n",
        "ada@example.org,grace@council.example",
        '"ada@example.org"@evil.example',
        "ada@example.org@evil.example",
        "mallory@evil.example@council.example",
        "grace@sub.council.example",
        "grace@council.example.evil.com",
        "grace@evilcouncil.example",
        "*@council.example",
        "grace@council.example.",
        "gra ce@council.example",
        "@council.example",
        "ada@e\u0445ample.org",  # a Cyrillic letter that looks like x
        "ada@example.or\uff47",  # a full-width g
        "\u212aate@council.example",  # a Kelvin sign, which is k in lower case
        "",
    ],
)
def test_nothing_matches_by_a_part_of_its_text(email):
    assert admission(served({**ADA, "email": email})).roles == NOBODY


@pytest.mark.parametrize(
    "email", [None, True, 1, ["ada@example.org"], {"ada@example.org": 1}, b"ada@example.org"]
)
def test_an_address_is_a_text(email):
    assert admission(served({**ADA, "email": email})).roles == NOBODY


@pytest.mark.parametrize("verified", [False, None, "true", "True", 1, 1.0, [True], "false"])
def test_only_a_verified_address_has_a_role(verified):
    seen = admission(served({**ADA, "email_verified": verified}))
    assert (seen.roles, seen.closed) == (NOBODY, Closed.UNVERIFIED)
    silent = {name: value for name, value in ADA.items() if name != "email_verified"}
    assert admission(served(silent)).closed is Closed.UNVERIFIED


@pytest.mark.parametrize("logged_in", [False, None, "true", 1])
def test_who_is_not_logged_in_is_asked_to(logged_in):
    assert admission(served({**ADA, "is_logged_in": logged_in})).closed is Closed.LOG_IN
    assert admission(served({})).closed is Closed.LOG_IN


@pytest.mark.parametrize("exp", [999, 1_000, 0, -1, "2000", None, True, math.nan, math.inf, [2_000]])
def test_a_login_runs_out(exp):
    seen = admission(served({**ADA, "exp": exp}))
    assert (seen.roles, seen.closed) == (NOBODY, Closed.LOG_IN_AGAIN)
    assert seen.providers == (None,)


def test_a_login_holds_until_it_runs_out():
    assert admission(served({**ADA, "exp": 1_001})).roles == BOTH
    endless = {name: value for name, value in ADA.items() if name != "exp"}
    assert admission(served(endless)).roles == BOTH


def test_with_a_login_the_own_computer_is_no_exception():
    at_home = replace(LOCAL, secrets=SECRETS)
    assert admission(at_home).closed is Closed.LOG_IN
    assert admission(replace(at_home, user={**ADA, "email": "mallory@evil.example"})).roles == NOBODY


def test_with_a_login_and_no_map_nobody_passes():
    seen = admission(served(secrets={"auth": AUTH}))
    assert (seen.roles, seen.closed) == (NOBODY, Closed.NO_ROLE)


@pytest.mark.parametrize(
    "table",
    [
        None,
        [],
        "ada@example.org",
        {"owner": "ada@example.org"},
        {"owner": {"ada@example.org": True}},
        {"owner": ["ada@example.org", 7]},
        {"owner": ["ada"]},
        {"owner": ["*"]},
        {"owner": ["*@*"]},
        {"owner": ["*@*.example.org"]},
        {"owner": ["*@example"]},
        {"owner": ["a*@example.org"]},
        {"owner": ["@example.org"]},
        {"owner": ["*@.example.org"]},
        {"owner": ["ada@example.org "]},
        {"owner": [""]},
        {"owner": ["ada@example.org"], "viewers": []},
        {"Owner": ["ada@example.org"]},
        {"owner": ["ada@example.org"], "viewer": ["\u212a@example.org"]},
    ],
)
def test_a_malformed_map_admits_nobody_and_tells_the_operator(table):
    seen = admission(served(secrets={"auth": AUTH, "roles": table}))
    assert (seen.roles, seen.closed) == (NOBODY, Closed.MISCONFIGURED)
    assert "[roles]" in str(seen.fault)
    assert "ada@" not in str(seen.fault)


def test_an_empty_map_is_a_map():
    assert RoleMap.read({}).roles_of("ada@example.org") == NOBODY
    assert RoleMap.read({"owner": [], "viewer": ["*@example.org"]}).roles_of("ada@example.org") == VIEWER


@pytest.mark.parametrize(
    "change",
    [
        {"cookie_secret": None},
        {"cookie_secret": ""},
        {"cookie_secret": "x" * 31},
        {"redirect_uri": None},
        {"redirect_uri": "https://atlas.example.org/"},
        {"redirect_uri": "/oauth2callback"},
        {"redirect_uri": "http://atlas.example.org/oauth2callback"},
        {"redirect_uri": "http://localhost.evil.com/oauth2callback"},
        {"client_id": None},
        {"client_secret": ""},
        {"server_metadata_url": None},
        {"spare": {"client_id": "x"}},
        {"spare_one": dict.fromkeys(("client_id", "client_secret", "server_metadata_url"), "x")},
    ],
    ids=str,
)
def test_a_login_that_is_not_safe_or_not_complete_admits_nobody(change):
    auth = {name: value for name, value in {**AUTH, **change}.items() if value is not None}
    seen = admission(served(secrets={**SECRETS, "auth": auth}))
    assert (seen.roles, seen.closed) == (NOBODY, Closed.MISCONFIGURED)
    assert AUTH["client_secret"] not in str(seen.fault)


@pytest.mark.parametrize("auth", [{}, None, "yes", []])
def test_an_empty_login_is_not_the_same_as_none(auth):
    assert admission(replace(LOCAL, secrets={"auth": auth})).closed is Closed.MISCONFIGURED
    assert admission(Visit(mode="view", secrets={"auth": auth})).closed is Closed.MISCONFIGURED


def test_providers_with_names_are_offered_by_name():
    provider = {name: AUTH[name] for name in ("client_id", "client_secret", "server_metadata_url")}
    shared = {name: AUTH[name] for name in ("redirect_uri", "cookie_secret")}
    assert providers({**shared, "uni": provider, "city": provider}) == ("uni", "city")
    assert providers({**AUTH, "client_kwargs": {"prompt": "login"}}) == (None,)
    assert providers({**AUTH, "redirect_uri": "http://localhost:8501/oauth2callback"}) == (None,)


def test_no_header_may_say_who_somebody_is():
    seen = admission(served(trusted_headers={"X-User": "email"}))
    assert (seen.roles, seen.closed) == (NOBODY, Closed.MISCONFIGURED)


def test_secrets_that_cannot_be_read_admit_nobody():
    fault = InputError("the secrets cannot be read", "secrets.toml", "Mend the file.")
    for mode in ("", "view"):
        assert admission(replace(LOCAL, mode=mode, secrets=fault)).roles == NOBODY


def test_roles_without_a_login_admit_nobody():
    for mode in ("", "view"):
        seen = admission(replace(LOCAL, mode=mode, secrets={"roles": SECRETS["roles"]}))
        assert (seen.roles, seen.closed) == (NOBODY, Closed.MISCONFIGURED)


# Viewer mode


def test_in_viewer_mode_without_a_login_everybody_is_viewer_and_nobody_owner():
    assert admission(replace(LOCAL, mode="view")).roles == VIEWER
    assert admission(Visit(mode="view", address="0.0.0.0", peer="203.0.113.5")).roles == VIEWER


def test_in_viewer_mode_with_a_login_only_who_has_a_role_is_viewer():
    assert admission(served(mode="view")).roles == VIEWER
    assert admission(served({**ADA, "email": "mallory@evil.example"}, mode="view")).closed is Closed.NO_ROLE
    assert admission(served({**ADA, "email_verified": False}, mode="view")).closed is Closed.UNVERIFIED
    assert admission(served({}, mode="view")).closed is Closed.LOG_IN


@pytest.mark.parametrize("mode", ["View", "viewer", " view", "0", "off"])
def test_a_mode_that_nobody_knows_admits_nobody(mode):
    assert admission(replace(LOCAL, mode=mode)).closed is Closed.MISCONFIGURED


# What Streamlit is asked


@pytest.fixture
def secrets_at(monkeypatch):
    """Where the secrets are, from now on."""

    def at(*places) -> None:
        monkeypatch.setattr(st, "secrets", type(st.secrets)())
        st.config.set_option("secrets.files", [str(place) for place in places])

    before = st.get_option("secrets.files")
    yield at
    st.config.set_option("secrets.files", before)


def test_without_a_request_nobody_has_a_role():
    assert admission(ASK()).roles == NOBODY


def test_a_file_that_was_named_and_is_missing_admits_nobody(secrets_at, tmp_path):
    secrets_at(tmp_path / "secrets.toml")
    assert isinstance(ASK().secrets, InputError)


@pytest.mark.parametrize("text", ["[auth", "[auth]\nclient_id = ", "\0", "[auth]\n[auth]\n"])
def test_a_broken_file_admits_nobody(secrets_at, tmp_path, text):
    (tmp_path / "secrets.toml").write_text(text)
    secrets_at(tmp_path / "secrets.toml")
    assert isinstance(ASK().secrets, InputError)
    (tmp_path / "secrets.toml").write_bytes(b"\xff\xfe[auth]")
    secrets_at(tmp_path / "secrets.toml")
    assert isinstance(ASK().secrets, InputError)


def test_a_server_that_asked_for_a_login_never_stops_asking(secrets_at, tmp_path, monkeypatch):
    monkeypatch.setattr(roles, "_LOGIN_WAS_SEEN", type(roles._LOGIN_WAS_SEEN)())
    place = tmp_path / "secrets.toml"
    place.write_text("")
    secrets_at(place)
    assert ASK().secrets == {}
    place.write_text('[auth]\nclient_id = "x"\n')
    secrets_at(place)
    assert ASK().secrets == {"auth": {"client_id": "x"}}
    place.write_text("")
    secrets_at(place)
    assert isinstance(ASK().secrets, InputError)


# Pages


def texts(app) -> str:
    kinds = ("title", "subheader", "markdown", "text", "caption", "error", "info")
    return "\n".join(str(element.value) for kind in kinds for element in getattr(app, kind))


def opened(path: str = "app.py") -> AppTest:
    app = AppTest.from_file(str(ROOT / path), default_timeout=60).run()
    assert not app.exception
    return app


VISITS = {
    "stranger": (served({**ADA, "email": "mallory@evil.example"}), "has no role here"),
    "not logged in": (served({}), "Log in"),
    "ran out": (served({**ADA, "exp": 1}), "ran out"),
    "not local": (from_host("evil.com:8501"), "Open to its owner only"),
    "malformed map": (
        served(secrets={"auth": AUTH, "roles": []}),
        "[roles]".replace("[", "\\[").replace("]", "\\]"),
    ),
}


@pytest.mark.parametrize("name", VISITS)
@pytest.mark.parametrize("path", ["app.py", "pages/owner/explore.py"])
def test_who_has_no_role_sees_one_calm_page(name, path, visited):
    visit, words = VISITS[name]
    visited(visit)
    app = opened(path)
    assert words in texts(app)
    assert not app.metric
    assert not app.get("bidi_component")
    assert "atlas" not in app.session_state


@pytest.mark.parametrize(
    "path", ["explore", "data", "release", "report", "compare", "synthesize", "trajectories"]
)
def test_the_script_of_an_owner_page_gives_a_viewer_nothing(path, visited):
    visited(served({**ADA, "email": "grace@council.example"}))
    app = opened(f"pages/owner/{path}.py")
    assert "for the owner of the data" in texts(app)
    assert not app.metric
    assert not app.get("bidi_component")
    assert not app.get("arrow_data_frame")
    assert "atlas" not in app.session_state


def test_a_viewer_finds_no_page_of_the_owner(visited):
    visited(served({**ADA, "email": "grace@council.example"}))
    app = opened()
    assert not {"Data", "Explore", "Release"} & {page["page_name"] for page in app._registered_pages.values()}
    assert "Logged in as grace@council.example" in texts(app)


def test_a_role_that_is_lost_closes_the_page_at_the_next_run(visited):
    visited(served())
    app = opened()
    assert app.metric
    visited(served({**ADA, "exp": 1_000}))
    app.run()
    assert "ran out" in texts(app)
    assert not app.metric
    assert not app.get("bidi_component")


def test_an_address_is_shown_as_plain_text(visited):
    visited(served({**ADA, "email": "*[x](http://evil.example)*<b>"}))
    app = opened()
    assert "Logged in as *[x](http://evil.example)*<b>" in [text.value for text in app.text]


# Settings


def test_the_example_of_secrets_is_closed_until_it_is_filled_in():
    example = tomllib.loads((ROOT / ".streamlit" / "secrets.example.toml").read_text(encoding="utf-8"))
    assert admission(served(secrets=example)).closed is Closed.MISCONFIGURED
    filled = {
        **example["auth"],
        **{name: AUTH[name] for name in ("cookie_secret", "client_id", "client_secret")},
    }
    seen = admission(served(secrets={**example, "auth": filled}))
    assert seen.roles == BOTH


def test_git_ignores_secrets():
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    subprocess.run(["git", "check-ignore", "-q", ".streamlit/secrets.toml"], cwd=ROOT, check=True)


def test_the_server_refuses_other_pages_and_has_no_door_for_programs():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["enableCORS"] is True
    assert config["server"]["enableXsrfProtection"] is True
    assert config["server"]["enableAgentApi"] is False
    assert config["server"]["address"] == "localhost"
    assert not {"corsAllowedOrigins", "trustedUserHeaders", "cookieSecret"} & set(config["server"])
