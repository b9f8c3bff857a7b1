import random

import numpy as np
import pyarrow as pa
import pytest

from dpcore.private.prepared.users import SharedHashError, UserTable
from dpcore.private.siphash import hash_texts

KEY = bytes(range(16))
TOP_BITS = 0xFFF << 52  # hashes that differ in nothing else meet soon


def ids(*texts):
    return pa.array(texts, pa.string())


def siphash(text):
    data = np.frombuffer(text.encode(), np.uint8)
    return int(hash_texts(np.array([0, len(data)]), data, KEY).view(np.int64)[0])


def test_the_hash_of_an_id_is_siphash_of_its_text_whatever_came_before():
    users = UserTable(KEY)
    assert users.hashes(ids("7", "007", "7")).to_pylist() == [siphash("7"), siphash("007"), siphash("7")]
    assert users.hashes(ids("é", "007")).to_pylist() == [siphash("é"), siphash("007")]
    assert users.count == 3


def test_ids_that_are_missing_have_no_hash():
    users = UserTable(KEY)
    assert users.hashes(ids("a", None, "b")).to_pylist() == [siphash("a"), None, siphash("b")]
    assert users.hashes(ids(None, None)).to_pylist() == [None, None]
    assert users.hashes(ids()).to_pylist() == []
    assert users.count == 2


def test_users_are_told_apart_however_many_come():
    names = [f"{number * 7919:x}" * (1 + number % 5) for number in range(30_000)]
    drawn = random.Random(1).choices(names, k=90_000)
    users = UserTable(KEY)
    hashes = [
        text for begin in range(0, 90_000, 7000) for text in users.hashes(ids(*drawn[begin : begin + 7000]))
    ]
    assert users.count == len(set(drawn)) == len(set(hashes))
    told = {
        text: hash_
        for batch in users.users(1000)
        for hash_, text in zip(*batch.to_pydict().values(), strict=True)
    }
    assert told == {text: siphash(text) for text in set(drawn)}


def test_a_slice_of_ids_is_read_from_its_own_beginning():
    whole = ids("a", None, "bb", "ccc", "a")
    assert UserTable(KEY).hashes(whole.slice(2, 2)).to_pylist() == [siphash("bb"), siphash("ccc")]


def test_two_ids_of_one_hash_are_found_exactly():
    """Planted: of the hash twelve bits count, so that among 400 ids two meet."""
    names = [f"u{number}" for number in range(400)]
    first: dict[int, str] = {}
    meeting = next(name for name in names if first.setdefault(siphash(name) & TOP_BITS, name) != name)
    apart = names[: names.index(meeting)]
    users = UserTable(KEY, TOP_BITS)
    for _ in range(2):
        users.hashes(ids(*apart, *reversed(apart)))
    assert users.count == len(apart)
    for texts in ((meeting,), (*apart, meeting), (None, meeting)):
        with pytest.raises(SharedHashError) as error:
            users.hashes(ids(*texts))
        assert str(error.value) == ""


def test_an_id_that_begins_like_another_of_the_same_hash_is_another():
    users = UserTable(KEY, 0)
    users.hashes(ids("ab", "ab"))
    for other in ("a", "abc", "ba", ""):
        with pytest.raises(SharedHashError):
            users.hashes(ids(other))
