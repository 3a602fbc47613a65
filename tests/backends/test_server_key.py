"""Tests of the API key: taken from one of two variables, and readable nowhere."""

from __future__ import annotations

import httpx2
import pytest

from pytest_vdg.backends._server_key import (
    HIDDEN,
    key_variable,
    make_auth,
    without_key,
)

OURS, COMMON = "VDG_API_KEY", "OPENAI_API_KEY"


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (OURS, COMMON):
        monkeypatch.delenv(name, raising=False)


def sent() -> str | None:
    """Return the header that a request would carry."""
    request = httpx2.Request("POST", "http://127.0.0.1:8000/v1")
    passed = next(make_auth().auth_flow(request))
    assert passed is request
    return request.headers.get("authorization")


@pytest.mark.parametrize(
    ("ours", "common", "used"),
    [
        ("our-key", "common-key", OURS),
        ("our-key", None, OURS),
        (None, "common-key", COMMON),
        ("", "common-key", COMMON),
        (" \n", "common-key", COMMON),
        ("", "", ""),
        (None, None, ""),
    ],
)
def test_the_first_that_says_something_is_used(
    monkeypatch: pytest.MonkeyPatch, ours: str | None, common: str | None, used: str
) -> None:
    """Ours before the common one; an empty one says nothing, and none sends none."""
    keys = {name: key for name, key in ((OURS, ours), (COMMON, common)) if key}
    for name, key in keys.items():
        monkeypatch.setenv(name, key)
    assert key_variable() == used
    assert sent() == (f"Bearer {keys[used]}" if used else None)


def test_a_line_break_at_the_end_is_no_part_of_a_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Files of secrets end in one; it would be no header, and be found in no text."""
    monkeypatch.setenv(OURS, " our-key\n")
    assert sent() == "Bearer our-key"
    assert without_key("it is our-key.") == f"it is {HIDDEN}."


def test_either_key_is_made_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it stands, however often, though the other one was sent."""
    monkeypatch.setenv(OURS, "our-key")
    monkeypatch.setenv(COMMON, "common-key")
    text = "our-key, common-key and our-keyour-key"
    assert without_key(text) == f"{HIDDEN}, {HIDDEN} and {HIDDEN}{HIDDEN}"


def test_a_word_that_is_no_secret_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Local servers take ``EMPTY``: replies that hold it stay as they are."""
    monkeypatch.setenv(OURS, "EMPTY")
    assert without_key("the cup is EMPTY") == "the cup is EMPTY"
    monkeypatch.setenv(OURS, "sesame")
    assert without_key("open sesame") == f"open {HIDDEN}"
