"""Firefox by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/), which it speaks without a driver beside it."""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PIL import Image
from websockets.sync.client import connect

NAMES = ("firefox-esr", "firefox")
LISTENS = "WebDriver BiDi listening on "
SETTINGS = {
    "webgl.force-enabled": True,  # drawn in software on a machine without a graphics card
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "app.normandy.enabled": False,
}


def found() -> str | None:
    """Path of a Firefox on this machine that has a screen to draw on, or None."""
    screen = os.environ.get("DISPLAY") or shutil.which("Xvfb")
    return next((path for path in map(shutil.which, NAMES) if path), None) if screen else None


class Firefox:
    """One page of a Firefox, and every error that its console told."""

    def __init__(self, socket):
        self._socket, self._last, self.errors = socket, 0, []
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])
        self._page = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.call("browsingContext.setViewport", context=self._page, viewport={"width": 1280, "height": 900})

    def call(self, method: str, **parameters):
        """What a command answers; errors of the console that come before the answer are kept."""
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": parameters}))
        while True:
            said = json.loads(self._socket.recv(timeout=120))
            if said.get("method") == "log.entryAdded" and said["params"]["level"] == "error":
                self.errors.append(said["params"]["text"])
            if said.get("id") != self._last:
                continue
            assert said["type"] == "success", said
            return said["result"]

    def open(self, address: str) -> None:
        self.call("browsingContext.navigate", context=self._page, url=address, wait="complete")

    def see(self, expression: str):
        """The value of a JavaScript expression: text, a number, whether, or null. `$` finds elements, in shadows too."""
        told = self.call(
            "script.evaluate",
            expression=f"(($) => {expression})({_FIND})",
            target={"context": self._page},
            awaitPromise=True,
        )
        assert told["type"] == "success", told["exceptionDetails"]["text"]
        return told["result"].get("value")

    def wait(self, expression: str, seconds: float = 90):
        """Wait until an expression is true; its value."""
        end = time.monotonic() + seconds
        while not (value := self.see(expression)):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.2)
        return value

    def box(self, selector: str) -> tuple[float, float, float, float]:
        """Left, top, width and height of an element, brought into sight."""
        script = f"""(() => {{
          const one = $({json.dumps(selector)})[0];
          one.scrollIntoView({{ block: "center" }});
          const {{ left, top, width, height }} = one.getBoundingClientRect();
          return JSON.stringify([left, top, width, height]);
        }})()"""
        return tuple(json.loads(self.see(script)))

    def press(self, selector: str, x: float = 0.5, y: float = 0.5, *, to: float | None = None) -> None:
        """Click an element at a share of its width and height, or pull it from there to another share of its width."""
        left, top, wide, high = self.box(selector)
        at = round(top + high * y)
        moves = [_move(round(left + wide * x), at), {"type": "pointerDown", "button": 0}]
        moves += [] if to is None else [_move(round(left + wide * to), at)]
        pointer = {"type": "pointer", "id": "mouse", "actions": [*moves, {"type": "pointerUp", "button": 0}]}
        self.call("input.performActions", context=self._page, actions=[pointer])

    def colours(self, selector: str) -> int:
        """How many colours an element shows."""
        x, y, width, height = self.box(selector)
        clip = {"type": "box", "x": x, "y": y, "width": width, "height": height}
        shot = self.call("browsingContext.captureScreenshot", context=self._page, clip=clip)["data"]
        with Image.open(io.BytesIO(base64.b64decode(shot))) as picture:
            return len(np.unique(np.asarray(picture.convert("RGB")).reshape(-1, 3), axis=0))


_FIND = """(selector) => [document, ...[...document.querySelectorAll("*")].map((each) => each.shadowRoot).filter(Boolean)]
  .flatMap((rooted) => [...rooted.querySelectorAll(selector)])"""


def _move(x: int, y: int) -> dict:
    return {"type": "pointerMove", "x": x, "y": y, "duration": 100}


@contextmanager
def _screen():
    """A screen that nobody sees: without any, Firefox draws no WebGL."""
    if os.environ.get("DISPLAY") or shutil.which("Xvfb") is None:
        yield os.environ
        return
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-nolisten", "tcp"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield {**os.environ, "DISPLAY": f":{server.stdout.readline().strip()}"}
    finally:
        server.terminate()
        server.wait(30)
        server.stdout.close()


@contextmanager
def firefox(path: str, folder: Path):
    """A Firefox without a window; ``folder``: for its profile."""
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in SETTINGS.items()]
    (folder / "user.js").write_text("\n".join(lines))
    command = [path, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0"]
    with _screen() as environment:
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        try:
            told = next(line for line in process.stderr if LISTENS in line)
            with connect(f"{told.split(LISTENS)[1].strip()}/session", max_size=None) as socket:
                yield Firefox(socket)
        finally:
            process.terminate()
            process.wait(30)
            process.stderr.close()
