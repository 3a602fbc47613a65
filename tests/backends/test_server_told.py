"""Tests of what a server says of itself, and of what people hear at the end."""

from __future__ import annotations

import pytest

from pytest_vdg.backends._server_answer import Said
from pytest_vdg.backends._server_http import Counts
from pytest_vdg.backends._server_settings import ServerSettings
from pytest_vdg.backends._server_told import Told
from pytest_vdg.errors import CouldNotBeJudged

COUNTS = Counts(
    requests=1234, retries=5, failed=2, prompt_tokens=3_000_000, completion_tokens=4000
)


def told(*, scoring: str = "generate", **server: object) -> Told:
    """Return what has heard nothing yet."""
    url = "http://127.0.0.1:8000/v1"
    given = {"url": url, **server}
    return Told(ServerSettings.of("m", given, scoring=scoring))


def said(model: str = "", system: str = "", *, cut: bool = False) -> Said:
    """Return an answer of which nothing else matters."""
    return Said(
        text="A", first=None, prompt_tokens=1, model=model, system=system, cut=cut
    )


def notes(of: Told, counts: Counts = COUNTS) -> tuple[str, ...]:
    """Return the notes of a server that counts tokens."""
    return of.notes(counts, counts_tokens=True, not_used=())


def test_a_server_may_leave_its_name_out() -> None:
    """Before, between and after answers that tell it; then only another one counts."""
    heard = told()
    for name in ("", "m-1", "", "m-1"):
        heard.note(said(name))
    assert heard.observed(()) == {"server model": "m-1"}
    with pytest.raises(CouldNotBeJudged, match="'m-1' and then as 'm-2'"):
        heard.note(said("m-2"))


def test_three_systems_are_named_and_the_others_counted() -> None:
    """Each once, however often it answered."""
    heard = told()
    for system in ("b", "a", "b", "", "c"):
        heard.note(said(system=system))
    assert heard.observed(())["server system_fingerprint"] == "a, b, c"
    for system in ("e", "d", "e"):
        heard.note(said(system=system))
    assert heard.observed(())["server system_fingerprint"] == "a, b, c, 2 more"


def test_what_was_sent_is_told_in_a_line() -> None:
    """Requests, tries and tokens, as they were counted."""
    line, _ = notes(told())
    assert line == (
        "m at 127.0.0.1:8000: 1,234 requests (5 of them tried again, 2 given up), "
        "3,000,000 prompt and 4,000 completion tokens"
    )


@pytest.mark.parametrize(
    ("prices", "cost"),
    [
        ({"prompt": 2.5, "completion": 10}, "7.54"),  # 3 * 2.5 + 0.004 * 10
        ({"prompt": 2.5}, "7.5"),
        ({"completion": 10}, "0.04"),
        ({"prompt": 0}, "0"),
    ],
)
def test_prices_are_of_a_million_tokens(prices: dict[str, float], cost: str) -> None:
    """One that is not named costs nothing."""
    assert notes(told(price_per_million=prices))[0].endswith(f"tokens, cost {cost}")


def test_replies_cut_short_are_told_where_they_matter() -> None:
    """A label's probability is known at the first token, which is all that is asked."""
    for scoring, end in (
        ("generate", ", 2 replies cut at their most tokens"),
        ("choice", ""),
    ):
        heard = told(scoring=scoring)
        for cut in (True, False, True):
            heard.replied(said(cut=cut))
        assert notes(heard)[0].endswith("completion tokens" + end)


def test_whoever_asked_nothing_hears_nothing() -> None:
    """But for settings that would not have been used."""
    nothing = Counts()
    assert notes(told(), nothing) == ()
    (note,) = told().notes(nothing, counts_tokens=None, not_used=("device", "dtype"))
    assert "device, dtype" in note


@pytest.mark.parametrize(
    ("counts_tokens", "warned"), [(True, False), (None, False), (False, True)]
)
def test_a_server_that_counts_nothing_is_told(
    counts_tokens: bool | None, warned: bool
) -> None:
    """Only where it is known: a server that was never asked may count."""
    found = told().notes(COUNTS, counts_tokens=counts_tokens, not_used=())
    assert any("no token counts" in note for note in found) == warned
