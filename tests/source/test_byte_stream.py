"""The stream of checked bytes, piece by piece."""

from __future__ import annotations

import io

import pytest

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source.content import ByteStream


def read_all(one, size):
    while one.read(size):
        pass


def stream(data, limit=2**40):
    raw = io.BytesIO(data)
    return ByteStream("t.csv", raw, raw, len(data), limit)


@pytest.mark.parametrize("size", [1, 7, 100, -1])
def test_all_bytes_come_through_in_any_piece(size):
    data = "a,ü\r\n€,𝄞\n".encode() * 50
    found = b""
    with stream(data) as one:
        while piece := one.read(size):
            found += piece
        assert one.share == 1.0
    assert found == data


def test_what_is_put_back_comes_first():
    with stream(b"abc") as one:
        one.put_back(one.read(2))
        assert one.read(1) == b"a"
        assert one.read() == b"b"
        assert one.read() == b"c"
        assert one.readable()


def test_the_longest_line_is_counted_to_the_byte(monkeypatch):
    monkeypatch.setattr(limits, "MAX_RECORD_BYTES", 10)
    good = b"123456789\n" * 3 + b"1\r" + b"1234567890"
    for size in (3, 10, 25, 100):
        with stream(good) as one:
            read_all(one, size)
        with (
            stream(good + b"1") as one,
            pytest.raises(InputError, match=r"a line has more than 10 bytes: t.csv, line"),
        ):
            read_all(one, size)


@pytest.mark.parametrize("bad", [b"\0", b"\xff", b"\xe2\x82"])
def test_the_line_of_a_bad_byte_is_named(bad):
    for size in (4, 1000):
        with stream(b"ab\ncd\nef" + bad + b"\n") as one, pytest.raises(InputError, match="line 3"):
            read_all(one, size)


def test_bytes_are_counted_while_they_are_made():
    with stream(b"x" * 100, limit=99) as one, pytest.raises(InputError, match="more than 99 bytes"):
        one.read()
