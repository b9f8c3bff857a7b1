#!/usr/bin/env bash
# Streamlit 1.67.0, with the protobuf that it installs, and websockets 15 or later as a client.
#
# A page keeps its step in the address: the callback of a button sets `st.query_params["step"]`.
# Expected: once a callback has set it, every later run of that session reads what was set.
# Seen: each event of a browser carries the browser's own address, and the server takes it over before the run. An event that was sent
# before the browser had read of the new address brings the old one back. The run shows the old step, and the address bar the new one.
# Who is hurt: pages that keep state in the address and have a second control: on a busy browser or a slow line the last click is undone.
#
# The script clicks "Next", and a second button before the answer to the first click was read, with the address of then.
set -euo pipefail
place=$(mktemp -d)
server=""
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet "streamlit==1.67.0" "websockets>=15"

cat > "$place/page.py" <<'PAGE'
import time

import streamlit as st


def go_on():
    st.query_params["step"] = "2"


st.button("Next", on_click=go_on)
st.button("Other")
time.sleep(0.5)
st.write(f"step {st.query_params['step']}")
PAGE

cat > "$place/events.py" <<'EVENTS'
import asyncio
import sys

import streamlit
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect


def event(button: str = "") -> bytes:
    """What a browser tells whose address is still that of the first step."""
    message = BackMsg()
    message.rerun_script.query_string = "step=1"
    if button:
        widget = message.rerun_script.widget_states.widgets.add()
        widget.id, widget.trigger_value = button, True
    return message.SerializeToString()


async def read(socket) -> tuple[dict[str, str], str, str]:
    """The buttons, the last step that was shown and the last address that was sent, once a run was not overtaken by another one."""
    buttons, step, address = {}, "", ""
    while True:
        message = ForwardMsg()
        message.ParseFromString(await socket.recv())
        kind = message.WhichOneof("type")
        if kind == "script_finished" and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
            return buttons, step, address
        if kind == "page_info_changed":
            address = message.page_info_changed.query_string
        elif kind == "delta":
            element = message.delta.new_element
            if element.WhichOneof("type") == "button":
                buttons[element.button.label] = element.button.id
            elif element.WhichOneof("type") == "markdown":
                step = element.markdown.body


async def main(port: str) -> None:
    async with connect(f"ws://localhost:{port}/_stcore/stream", subprotocols=["streamlit"], max_size=None) as socket:
        await socket.send(event())
        buttons, step, _ = await read(socket)
        print(f"streamlit {streamlit.__version__}: at first the page shows {step}")
        await socket.send(event(buttons["Next"]))
        await asyncio.sleep(0.2)
        await socket.send(event(buttons["Other"]))
        _, step, address = await read(socket)
    print(f"after a click on Next and one on the other button it shows {step} (expected: step 2); the last address that was sent is {address}")
    if (step, address) != ("step 1", "step=2"):
        raise SystemExit("this has changed")


asyncio.run(main(sys.argv[1]))
EVENTS

port=$("$place/venv/bin/python" -c 'import socket; s = socket.socket(); s.bind(("localhost", 0)); print(s.getsockname()[1])')
cd "$place"
"$place/venv/bin/python" -m streamlit run page.py --server.headless=true --server.port="$port" --browser.gatherUsageStats=false > server.txt 2>&1 &
server=$!
for _ in $(seq 100); do
  "$place/venv/bin/python" -c "import urllib.request; urllib.request.urlopen('http://localhost:$port/_stcore/health', timeout=2)" 2> /dev/null && break
  sleep 0.3
done
"$place/venv/bin/python" events.py "$port"
