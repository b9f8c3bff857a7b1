"""Text becomes codes of a public list, and nothing that was not listed slips in or out."""

import numpy as np
import pyarrow as pa
import pytest

from dpcore.errors import InputError, PrivacyError
from dpcore.measures.riders import Attribute

ZIP = Attribute("zip", ("02139", "02140"), unknown="X")


def test_listed_texts_get_their_place_and_all_others_the_last_one():
    texts = ["02140", "02139", "99999", None, "", "2139", "X"]
    assert ZIP.encoded(texts).tolist() == [1, 0, 2, 2, 2, 2, 2]
    assert ZIP.encoded(pa.array(texts)).dtype == np.int32
    assert ZIP.encoded([]).tolist() == []


def test_without_a_category_an_unlisted_value_is_refused_and_never_quoted():
    gender = Attribute("gender", ("Male", "Female"))
    assert gender.encoded(np.array(["Female", "Male"])).tolist() == [1, 0]
    for texts in (["Male", "secret-canary"], ["Male", None]):
        with pytest.raises(InputError) as raised:
            gender.encoded(texts)
        assert "'gender'" in str(raised.value)
        assert "category for unknown values" in str(raised.value)
        assert "canary" not in str(raised.value)


@pytest.mark.parametrize("listed", [Attribute, lambda *a: Attribute(*a, unknown="a")])
def test_a_list_says_each_value_once(listed):
    with pytest.raises(PrivacyError, match="once"):
        listed("zip", ("a", "a"))
    with pytest.raises(PrivacyError, match="once"):
        Attribute("zip", ())
    with pytest.raises(PrivacyError, match="once"):
        Attribute("zip", ("X",), unknown="X")
