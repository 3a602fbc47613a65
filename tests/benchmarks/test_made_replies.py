"""Thousands of made replies: none is read as an option that it does not choose.

``python -m bench.replies`` reads a hundred thousand of them, and more.
"""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.answers import parse_answer
from tests.benchmarks.replies import MadeReply, made_replies, wrongly_read


def read(seed: int, count: int) -> list[tuple[MadeReply, str | None]]:
    """Return replies and the labels that the parser found in them."""
    found = islice(made_replies(seed), count)
    return [(made, parse_answer(made.reply, made.options)) for made in found]


@pytest.mark.parametrize("seed", range(4))
def test_no_reply_is_read_as_an_option_it_does_not_choose(seed: int) -> None:
    """A reply made to choose k parses to k or to nothing, never to another."""
    assert wrongly_read(read(seed, 1_000)) == []


@given(st.integers(min_value=1_000))
def test_no_reply_is_misread_whatever_the_seed(seed: int) -> None:
    """The same holds of replies that nobody has seen before."""
    assert wrongly_read(read(seed, 5)) == []


def test_most_replies_that_choose_are_read() -> None:
    """Caution is not bought by reading nothing: 19 of 20 plain choices parse."""
    chose = [pair for pair in read(0, 2_000) if pair[0].chosen]
    # Who changes his mind aloud is often not understood, and need not be.
    plain = [label for made, label in chose if not made.kind.startswith("taken back")]
    assert sum(label is not None for label in plain) >= 0.95 * len(plain)


def test_the_made_replies_are_known_to_mislead() -> None:
    """A parser that takes the first capital it knows is caught."""
    pairs = [
        (made, next((c for c in made.reply if c in made.options), None))
        for made, _ in read(0, 500)
    ]
    assert len(wrongly_read(pairs)) > 100


def test_the_same_seed_makes_the_same_replies() -> None:
    """What a seed found can be looked at again."""
    assert read(7, 50) == read(7, 50)
