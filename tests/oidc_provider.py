"""A login service for tests: OpenID Connect with a key made when it starts, approving whom the test names.

It is as strict as a real one where that matters to us: one registered way back, a client secret, codes that
work once, PKCE, and the nonce handed back in the signed identity token.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT = "epsilon-atlas-test"


@dataclass
class Provider:
    """The service: who logs in next, and what was asked of it."""

    way_back: str
    """The one redirect address that is registered."""
    issuer: str = ""
    client_secret: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    person: dict[str, Any] = field(default_factory=dict)
    """Claims of the person who is approved at the next login; ``lasts`` is how many seconds the login holds."""
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "test", "use": "sig"}))
    asked: list[str] = field(default_factory=list)
    """Paths of all requests."""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    tokens: dict[str, dict[str, Any]] = field(default_factory=dict)

    def settings(self, owner: list[str], viewer: list[str]) -> str:
        """Contents of a secrets file that names this service."""
        return f"""
[auth]
redirect_uri = {json.dumps(self.way_back)}
cookie_secret = {json.dumps(secrets.token_hex(32))}
client_id = "{CLIENT}"
client_secret = {json.dumps(self.client_secret)}
server_metadata_url = "{self.issuer}/.well-known/openid-configuration"

[roles]
owner = {json.dumps(owner)}
viewer = {json.dumps(viewer)}
"""

    def discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "end_session_endpoint": f"{self.issuer}/logout",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        }

    def document(self, path: str, bearer: str) -> dict[str, Any] | None:
        """What the service answers at a path that shows something."""
        if path == "/userinfo":
            return self.tokens.get(bearer)
        keys = {"keys": [self.key.as_dict(private=False)]}
        return {"/.well-known/openid-configuration": self.discovery(), "/jwks": keys}.get(path)

    def place_after(self, path: str, query: dict[str, str]) -> str | None:
        """Where the service sends a browser on: back, with a code or after logging out."""
        if path == "/logout" and query.get("post_logout_redirect_uri") == self.way_back:
            return self.way_back
        code = self.code_for(query) if path == "/authorize" else None
        return f"{self.way_back}?{urlencode({'code': code, 'state': query['state']})}" if code else None

    def claims(self) -> dict[str, Any]:
        """The person's claims as they stand in the identity token."""
        now = int(time.time())
        told = {name: value for name, value in self.person.items() if name != "lasts"}
        return {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": told.get("email", "nobody"),
            "iat": now,
            "exp": now + self.person.get("lasts", 3600),
            **told,
        }

    def code_for(self, query: dict[str, str]) -> str | None:
        """A code for an authorisation request, or None if a real service would refuse it."""
        expected = {"client_id": CLIENT, "redirect_uri": self.way_back, "response_type": "code"}
        if any(query.get(name) != value for name, value in expected.items()) or "state" not in query:
            return None
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        return code

    def token_for(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """Tokens for a code, once; None if the client or its proof is not the one that asked."""
        asked = self.codes.pop(form.get("code", ""), None)
        basic = "Basic " + base64.b64encode(f"{CLIENT}:{self.client_secret}".encode()).decode()
        proof = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(proof).rstrip(b"=").decode()
        if not asked or authorization != basic or asked.get("code_challenge") != challenge:
            return None
        claims = {**self.claims(), "nonce": asked["nonce"]}
        access = secrets.token_urlsafe(16)
        self.tokens[access] = claims
        return {
            "access_token": access,
            "token_type": "Bearer",
            "expires_in": 3600,
            "id_token": jwt.encode({"alg": "RS256", "kid": "test"}, claims, self.key),
        }


def handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    """The service behind its paths."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing: the tests read what was asked."""

        def answer(self, body: dict[str, Any] | None) -> None:
            self.send_response(400 if body is None else 200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(body or {"error": "invalid_request"}).encode())

        def go(self, place: str) -> None:
            self.send_response(302)
            self.send_header("Location", place)
            self.end_headers()

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            provider.asked.append(url.path)
            bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
            place = provider.place_after(url.path, query)
            if place:
                self.go(place)
            else:
                self.answer(provider.document(url.path, bearer))

        def do_POST(self) -> None:
            provider.asked.append(self.path)
            form = parse_qs(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())
            said = {name: values[0] for name, values in form.items()}
            authorization = self.headers.get("Authorization", "")
            self.answer(provider.token_for(said, authorization) if self.path == "/token" else None)

    return Handler


@contextmanager
def running(way_back: str):
    """The service on a port of its own, for an app whose way back is given."""
    provider = Provider(way_back)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(provider))
    server.daemon_threads = True
    provider.issuer = f"http://localhost:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
