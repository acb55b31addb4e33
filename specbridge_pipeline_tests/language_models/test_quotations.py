"""What a prompt quotes cannot end its quotation."""

from hypothesis import given
from hypothesis import strategies as st

from specbridge_pipeline.language_models.quotations import CLOSING, OPENING, without_marks


@given(st.text(alphabet="<>a "))
def test_no_mark_is_left_and_nothing_else_is_taken(text: str) -> None:
    found = without_marks(text)
    assert OPENING not in found
    assert CLOSING not in found
    assert (found == text) == (OPENING not in text and CLOSING not in text)
    assert found.replace("<", "").replace(">", "") == text.replace("<", "").replace(">", "")
