#!/usr/bin/env bash
# Streamlit 1.67.0, with the protobuf that it installs, and websockets 15 or later as a client.
#
# Whoever gives a file to `st.file_uploader` has the browser ask the server for an address to send it to. The question is asked once.
# Expected: each question is answered, whatever else happens on the page.
# Seen: where the page runs again at that moment, the queue of messages is cleared for the new run. Lifecycle messages are kept, the answer
# (`file_urls_response`) is not. The file is then never sent, and the uploader stays as it was.
# Who is hurt: pages with two uploaders, or with widgets that make the page run while a file is given.
#
# The script asks 40 times between two runs of a page of 50 lines, and counts the answers.
set -euo pipefail
place=$(mktemp -d)
server=""
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet "streamlit==1.67.0" "websockets>=15"

cat > "$place/page.py" <<'PAGE'
import streamlit as st

st.file_uploader("A file", key="file")
for line in range(50):
    st.write(line)
PAGE

cat > "$place/ask.py" <<'ASK'
import asyncio
import sys

import streamlit
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

TRIES = 40
QUIET = 3  # seconds without a message: nothing comes any more


def run_again() -> bytes:
    message = BackMsg()
    message.rerun_script.query_string = ""
    return message.SerializeToString()


def question(name: str) -> bytes:
    message = BackMsg()
    message.file_urls_request.request_id = name
    message.file_urls_request.file_names.append("trips.csv")
    return message.SerializeToString()


async def is_answered(socket, name: str) -> bool:
    while True:
        try:
            raw = await asyncio.wait_for(socket.recv(), QUIET)
        except asyncio.TimeoutError:
            return False
        message = ForwardMsg()
        message.ParseFromString(raw)
        if message.WhichOneof("type") == "file_urls_response" and message.file_urls_response.response_id == name:
            return True


async def main(port: str) -> None:
    async with connect(f"ws://localhost:{port}/_stcore/stream", subprotocols=["streamlit"], max_size=None) as socket:
        await socket.send(run_again())
        await is_answered(socket, "nothing was asked")
        lost = 0
        for number in range(TRIES):
            await socket.send(run_again())
            await socket.send(question(f"question {number}"))
            await socket.send(run_again())
            lost += not await is_answered(socket, f"question {number}")
    print(f"streamlit {streamlit.__version__}: {TRIES} questions, {lost} of them never answered (expected: 0)")
    if lost == 0:
        raise SystemExit("this has changed: all questions were answered")


asyncio.run(main(sys.argv[1]))
ASK

port=$("$place/venv/bin/python" -c 'import socket; s = socket.socket(); s.bind(("localhost", 0)); print(s.getsockname()[1])')
cd "$place"
"$place/venv/bin/python" -m streamlit run page.py --server.headless=true --server.port="$port" --browser.gatherUsageStats=false > server.txt 2>&1 &
server=$!
for _ in $(seq 100); do
  "$place/venv/bin/python" -c "import urllib.request; urllib.request.urlopen('http://localhost:$port/_stcore/health', timeout=2)" 2> /dev/null && break
  sleep 0.3
done
"$place/venv/bin/python" ask.py "$port"
