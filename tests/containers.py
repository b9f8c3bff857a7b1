"""What ``containers/`` starts, without an engine of containers: the same files, commands and settings in locked roots.

A root holds this machine's programs, the image's own files, the volumes and ``/memory``. Nothing but volumes and ``/memory`` can be written,
the user has no rights, and hosts have the names that compose gives them. What is not tried is the base image and the networks.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.conftest import ROOT

FOLDER = ROOT / "containers"
HOSTS = {"ledger": "127.0.0.2", "owner": "127.0.0.3", "viewer": "127.0.0.4"}
"""Where each service listens: one address for each, as one network would give them."""
_PROGRAMS = ("usr", "bin", "sbin", "lib", "lib64")


@dataclass(frozen=True)
class Stage:
    """A stage of the Containerfile: its instructions in order, those of the stage below first."""

    lines: tuple[tuple[str, str], ...] = ()

    def given(self, instruction: str) -> list[str]:
        """What follows each of its instructions of a kind."""
        return [rest for name, rest in self.lines if name == instruction]

    def environment(self) -> dict[str, str]:
        """All variables that it sets."""
        pairs = (pair.split("=", 1) for line in self.given("ENV") for pair in shlex.split(line))
        return dict(pairs)

    def entrypoint(self) -> list[str]:
        """The command that it starts."""
        return json.loads(self.given("ENTRYPOINT")[-1])

    def removed(self) -> list[str]:
        """The paths that it deletes."""
        runs = (shlex.split(line) for line in self.given("RUN"))
        return [path for words in runs if words[:2] == ["rm", "-r"] for path in words[2:]]


def stages() -> dict[str, Stage]:
    """The stages of the Containerfile, by name."""
    found: dict[str, Stage] = {}
    name = ""
    for line in (FOLDER / "Containerfile").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        instruction, rest = line.split(" ", 1)
        if instruction == "FROM":
            below, name = re.fullmatch(r"(\S+) AS (\S+)", rest).groups()
            found[name] = Stage(found.get(below, Stage()).lines)
        else:
            found[name] = Stage((*found[name].lines, (instruction, rest)))
    return found


def filled(value: object, settings: Mapping[str, str]) -> object:
    """A part of compose.yaml with its ``${NAME:?...}`` filled in."""
    if isinstance(value, str):
        return re.sub(r"\$\{(\w+):\?[^}]*\}", lambda found: settings[found[1]], value)
    if isinstance(value, list):
        return [filled(one, settings) for one in value]
    if isinstance(value, dict):
        return {name: filled(one, settings) for name, one in value.items()}
    return value


def compose(settings: Mapping[str, str]) -> dict:
    """compose.yaml with the settings of an ``.env``."""
    import yaml

    return filled(yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8")), settings)


def installed(place: Path, removed: Sequence[str]) -> Path:
    """What an image holds in ``/opt/atlas``: the files of the wheel, less those that its stage removes."""
    atlas = place / "atlas"
    ignored = shutil.ignore_patterns("secrets*.toml")
    shutil.copytree(ROOT / "dpcore", atlas / "dpcore", ignore=ignored)
    shutil.copytree(ROOT / "pages", atlas / "dpcore" / "app" / "pages", ignore=ignored)
    shutil.copytree(ROOT / ".streamlit", atlas / "dpcore" / "app" / ".streamlit", ignore=ignored)
    shutil.copy(ROOT / "app.py", atlas / "dpcore" / "app")
    for path in removed:
        found = atlas / Path(path).relative_to("/opt/atlas")
        shutil.rmtree(found) if found.is_dir() else found.unlink()
    return atlas


@dataclass
class Root:
    """A locked root, and what is laid into it: folders or files of this machine, by their paths there."""

    place: Path
    read: dict[str, Path] = field(default_factory=dict)
    """Laid so that nobody can write them."""
    written: dict[str, Path] = field(default_factory=dict)

    def command(self, words: Sequence[str]) -> list[str]:
        """A command of root that starts another one inside, as a user without rights."""
        hosts, prefix = self.place / "hosts", Path(sys.base_prefix)
        hosts.write_text("127.0.0.1 localhost\n" + "".join(f"{at} {name}\n" for name, at in HOSTS.items()))
        shared = [Path("/") / name for name in _PROGRAMS if (Path("/") / name).exists()]
        read = {str(path): path for path in (*shared, prefix, Path(sys.prefix))}
        read |= {"/etc/hosts": hosts, "/etc/ssl": Path("/etc/ssl")} | self.read
        lines = ["mount -t tmpfs tmpfs $root", "mkdir $root/memory", "mkdir $root/dev $root/proc"]
        lines += ["mount --rbind /dev $root/dev", "mount --rbind /proc $root/proc"]
        for there, here in (*read.items(), *self.written.items()):
            made = "mkdir -p" if here.is_dir() else "install -D /dev/null"
            lines += [f"{made} $root{there}", f"mount --bind {shlex.quote(str(here))} $root{there}"]
            lines += [f"mount -o remount,ro,bind $root{there}"] if there in read else []
        lines += ["mount -t tmpfs -o mode=1777 tmpfs $root/memory", "mount -o remount,ro $root"]
        rights = "--reuid=10001 --regid=10001 --clear-groups --no-new-privs --bounding-set=-all"
        lines += [f'cd $root && exec chroot $root setpriv {rights} "$@"']
        (self.place / "root").mkdir(exist_ok=True)
        script = "set -eu; root=$1; shift; " + " && ".join(lines)
        return ["unshare", "--mount", "sh", "-c", script, "sh", str(self.place / "root"), *words]

    def start(self, words: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """A program inside, with these variables and no others. What it says goes to the file ``log``."""
        path = f"{Path(sys.executable).parent}:/usr/bin:/bin:/usr/sbin:/sbin"
        with (self.place / "log").open("ab") as log:
            return subprocess.Popen(
                self.command(words),
                env={"PATH": path, **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )


def given_to_the_user(*places: Path) -> None:
    """Let the user of the images write in folders, as the volumes of the images do."""
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
        os.chown(place, 10001, 10001)
