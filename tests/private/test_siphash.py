import os
import subprocess
import sys

import numpy as np
import pytest

from dpcore.private.siphash import hash_rows, hash_texts

KEY = bytes(range(16))


def texts(*messages: bytes):
    offsets = np.cumsum([0, *(len(message) for message in messages)]).astype(np.int64)
    return offsets, np.frombuffer(b"".join(messages) or b"\0", np.uint8)


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (0, 0x726FDB47DD0E0E31),  # the first vector of the authors' own list
        (8, 0x93F5F5799A932462),
        (15, 0xA129CA6149BE45E5),  # the vector printed in Aumasson and Bernstein 2012
        (16, 0x3F2ACC7F57C29BDB),
        (56, 0xB78DBFAF3A8D83BD),
    ],
)
def test_texts_hash_to_the_published_answers(length, expected):
    assert int(hash_texts(*texts(bytes(range(length))), KEY)[0]) == expected


@pytest.mark.parametrize("words", [1, 2, 7])
def test_rows_hash_as_the_text_of_their_words_does(words):
    message = bytes(range(8 * words))
    row = np.frombuffer(message, "<u8").reshape(words, 1)
    assert hash_rows(row, KEY)[0] == hash_texts(*texts(message), KEY)[0]


def test_each_text_is_hashed_for_itself():
    together = hash_texts(*texts(b"a", b"", b"user-1"), KEY)
    alone = [hash_texts(*texts(message), KEY)[0] for message in (b"a", b"", b"user-1")]
    assert together.tolist() == alone


def test_another_key_gives_another_hash():
    assert hash_texts(*texts(b"a"), KEY)[0] != hash_texts(*texts(b"a"), bytes(16))[0]


def test_a_key_of_another_length_is_refused():
    with pytest.raises(ValueError, match="16 bytes"):
        hash_texts(*texts(b"a"), b"short")


def test_the_kernel_survives_a_read_only_install(tmp_path):
    """Numba falls back to the user's cache folder; importing must not fail either way."""
    code = "import dpcore.private.siphash"
    (tmp_path / "file").write_text("no folder can be made below a file", encoding="utf-8")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "file" / "cache")}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
