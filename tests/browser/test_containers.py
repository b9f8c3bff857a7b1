"""A team's server as containers/ starts it: a ledger, a server for owners, one for viewers, and a proxy, in a real browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import playwright.sync_api
import psycopg
import pytest

from tests import containers, oidc_provider
from tests.browser.conftest import PATIENCE, free_port, settled, wait_for
from tests.ledger.postgresql import own_server
from tests.test_viewer_mode import PRIVATE

ADA = "ada@example.org"
READER, PASSWORD = "reader", "four words are enough"
CADDY = Path(sys.executable).with_name("caddy")


def test_the_viewer_has_no_private_room():
    removed = containers.stages()["public"].removed()
    at = {path.replace("/opt/atlas/", "").replace("dpcore/app/", "") for path in removed}
    there = {path for path in PRIVATE if (containers.ROOT / path).exists()}
    assert at == there | {"dpcore/command_line"}


class Team:
    """The running servers, and how each is reached."""

    def __init__(self, place: Path, stack: ExitStack) -> None:
        self.place, self.stack, self.roots = place, stack, {}
        self.port, self.ledger_port = free_port(), free_port()
        self.settings = {
            "OWNER_HOST": "owner.localhost",
            "VIEWER_HOST": "viewer.localhost",
            "LEDGER_PASSWORD": "of-the-ledger",
            "READER": READER,
            "READER_PASSWORD_HASH": subprocess.run(
                [CADDY, "hash-password", "--plaintext", PASSWORD], check=True, capture_output=True, text=True
            ).stdout.strip(),
        }
        self.services = containers.compose(self.settings)["services"]
        self.owner, self.viewer = (f"https://{name}.localhost:{self.port}" for name in ("owner", "viewer"))
        ledger = self.services["ledger"]["environment"]
        stack.enter_context(
            own_server(ledger["POSTGRES_PASSWORD"], containers.HOSTS["ledger"], self.ledger_port)
        )
        with self.connected(ledger, "postgres") as connection:
            connection.execute(f"CREATE DATABASE {ledger['POSTGRES_DB']}")
        self.provider = stack.enter_context(oidc_provider.running(f"{self.owner}/oauth2callback"))
        (place / "login.toml").write_text(self.provider.settings([ADA], []), encoding="utf-8")
        os.chown(place / "login.toml", 10001, 10001)
        for name in ("owner", "viewer"):
            self.serve(name)
        self.serve_proxy()

    def connected(self, given: dict[str, str], name: str):
        return psycopg.connect(
            host=containers.HOSTS["ledger"],
            port=self.ledger_port,
            user=given["POSTGRES_USER"],
            password=given["POSTGRES_PASSWORD"],
            dbname=name,
            autocommit=True,
        )

    def root(self, name: str) -> containers.Root:
        """A folder of the service's own, and its volumes as compose.yaml names them."""
        place = self.place / name
        place.mkdir()
        place.chmod(0o755)
        root = containers.Root(place)
        for volume in self.services[name]["volumes"]:
            here, there, *rights = volume.split(":")
            if here.startswith("./"):
                continue
            containers.given_to_the_user(self.place / here)
            (root.read if rights else root.written)[there] = self.place / here
        self.roots[name] = root
        return root

    def environment(self, name: str) -> dict[str, str]:
        given = self.services[name].get("environment", {})
        own = containers.stages()[name].environment() if name in containers.stages() else {}
        texts = {key: str(value) for key, value in (own | given).items()}
        return {
            key: text.replace("@ledger:5432/", f"@ledger:{self.ledger_port}/") for key, text in texts.items()
        }

    def start(self, name: str, words: list[str]) -> subprocess.Popen:
        process = self.roots[name].start(words, self.environment(name))

        def ended() -> None:
            process.terminate()
            process.wait(PATIENCE / 1000)

        self.stack.callback(ended)
        return process

    def serve(self, name: str) -> None:
        root = self.root(name)
        stage, removed = containers.stages()[name], containers.stages()["public"].removed()
        assert stage.given("USER") == ["10001:10001"]
        assert self.services[name]["read_only"]
        root.read["/opt/atlas"] = containers.installed(root.place, removed if name == "viewer" else ())
        for secret in self.services[name].get("secrets", []):
            root.read[f"/run/secrets/{secret['target']}"] = self.place / "login.toml"
        # The one change: each listens at an address of its own, for this machine has one network for all.
        here = f"--server.address={containers.HOSTS[name]}"
        self.start(name, [*stage.entrypoint(), *self.services[name].get("command", []), here])
        wait_for(f"http://{containers.HOSTS[name]}:8501")

    def serve_proxy(self) -> None:
        root = self.root("proxy")
        file = root.place / "Caddyfile"
        options = f"{{\n\thttp_port {free_port()}\n\thttps_port {self.port}\n\tadmin off\n\tskip_install_trust\n}}\n"
        file.write_text(
            options + (containers.FOLDER / "Caddyfile").read_text(encoding="utf-8"), encoding="utf-8"
        )
        root.read["/etc/caddy/Caddyfile"] = file
        self.start(
            "proxy",
            ["env", "XDG_DATA_HOME=/data", str(CADDY), "run", "--config", "/etc/caddy/Caddyfile"],
        )

    def run(self, name: str, *words: str) -> str:
        """What a command says that is run in a service, as `compose exec` does."""
        before = (self.roots[name].place / "log").stat().st_size
        ended = self.start(name, list(words)).wait(PATIENCE / 1000)
        said = (self.roots[name].place / "log").read_text(encoding="utf-8")[before:]
        assert ended == 0, said
        return said


@pytest.fixture(scope="module")
def team(tmp_path_factory):
    if os.geteuid() != 0 or shutil.which("setpriv") is None or not CADDY.exists():
        pytest.skip("needs root, setpriv, and the packages of requirements-ci.txt")
    place = tmp_path_factory.mktemp("team")
    with ExitStack() as stack:
        yield Team(place, stack)


@contextmanager
def reached(chromium, **wanted):
    context = chromium.new_context(ignore_https_errors=True, **wanted)
    try:
        yield context.new_page()
    finally:
        context.close()


@pytest.mark.audit
def test_a_team_publishes_from_one_ledger_and_its_readers_see_it_behind_a_login(team, chromium):
    # The owners' server writes its volumes alone, and the ledger pays what it publishes.
    assert "Read-only" in team.run(
        "owner", "sh", "-c", "touch /opt/atlas/x /x 2>&1 || true; touch /data/y /memory/y"
    )
    city = "--trips /data/city/trips.parquet --tiles /data/city/tiles.geojson --timezone Europe/Berlin"
    team.run(
        "owner",
        *[
            "python",
            "-m",
            "dpcore",
            "demo",
            "--trips",
            "600",
            "--tiles",
            "20",
            "--seed",
            "1",
            "--out",
            "/data/city",
        ],
    )
    team.run(
        "owner",
        "sh",
        "-c",
        'python -m dpcore ledger register "$EPSILON_ATLAS_LEDGER" --dataset city --total-budget 3 --account-unit user && '
        f"python -m dpcore release {city} --privacy-unit user --max-trips 4 --epsilon 1 --measures visits_per_tile "
        "--dataset city --title 'A city of the team' --out /data/releases/city",
    )
    with team.connected(team.services["ledger"]["environment"], "atlas") as connection:
        tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    assert tables[0] > 0

    # Nobody reads without the password: Chromium calls an answer 401 that it cannot satisfy by this name.
    with (
        reached(chromium) as page,
        pytest.raises(playwright.sync_api.Error, match="ERR_INVALID_AUTH_CREDENTIALS"),
    ):
        page.goto(team.viewer)
    with reached(chromium, http_credentials={"username": READER, "password": PASSWORD}) as page:
        page.goto(team.viewer)
        page.get_by_text("A city of the team").first.wait_for()
        settled(page)

    with reached(chromium) as page:  # the owners' server asks who it is
        page.goto(team.owner)
        page.get_by_role("button", name="Log in").wait_for()
        assert page.get_by_test_id("stSidebarNavLink").count() == 0
        team.provider.person = {"email": ADA, "email_verified": True}
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("button", name="Log out").first.wait_for()
        page.get_by_role("link", name="Data").wait_for()
