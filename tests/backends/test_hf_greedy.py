"""Greedy replies of a model that says what it is told to: no torch is needed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.backends._hf_greedy import greedy_replies
from pytest_vdg.backends._hf_load import Loaded
from pytest_vdg.backends._hf_shared import SharedForward
from pytest_vdg.backends._hf_tree import Element
from pytest_vdg.errors import BackendError

STOPS = (5, 6)
WORDS = 8
FAILS, BROKEN = 8, 9
"""What a script holds where no logits come, and where they are NaN."""


class Told:
    """A model that answers prompt *i*, one token long, by script *i*."""

    def __init__(self, scripts: Sequence[Sequence[int]]) -> None:
        """Have been asked nothing."""
        self.scripts = scripts
        self.asked: list[list[Element]] = []

    def endings(self, prompts: Sequence[Sequence[Element]]) -> list[Any]:
        """Return the logits after each of *prompts*, which hold what was said."""
        self.asked = [list(prompt) for prompt in prompts]
        return [self._next(prompt) for prompt in prompts]

    def _next(self, prompt: Sequence[Element]) -> Any:  # noqa: ANN401
        first, *said = (token for element in prompt for token in element.tokens)
        script = self.scripts[first]
        assert said == list(script[: len(said)])
        token = script[len(said)]
        if token == FAILS:
            return BackendError(f"{first} cannot be read")
        logits = np.full(WORDS, np.nan if token == BROKEN else 0.0)
        logits[token % WORDS] += 1
        return logits


def replies(told: Told, most: int, stops: object = STOPS) -> list[str | Exception]:
    """Return the greedy replies of *told*, each token a digit."""
    loaded = SimpleNamespace(
        model=SimpleNamespace(generation_config=SimpleNamespace(eos_token_id=stops)),
        tokenizer=SimpleNamespace(
            decode=lambda said, skip_special_tokens: "".join(map(str, said))
        ),
    )
    prompts = [
        [Element(("prompt", i), (i,), (7, 9, 8))] for i in range(len(told.scripts))
    ]
    return greedy_replies(
        cast("Loaded", loaded), cast("SharedForward", told), prompts, most
    )


SCRIPTS = st.lists(
    st.lists(st.integers(0, WORDS - 1), min_size=6, max_size=6), min_size=1, max_size=5
)


@given(SCRIPTS, st.integers(1, 6))
def test_a_reply_ends_at_its_own_stop(scripts: list[list[int]], most: int) -> None:
    """Or after *most* tokens, whenever the others end; what stops it is not in it."""
    expected = [
        "".join(str(token) for token in takewhile(lambda t: t not in STOPS, s[:most]))
        for s in scripts
    ]
    assert replies(Told(scripts), most) == expected


def test_one_stop_need_not_be_a_list() -> None:
    """As most checkpoints name it; one that names none is stopped by the limit."""
    assert replies(Told([[1, 3, 2]]), 3, stops=3) == ["1"]
    assert replies(Told([[1, 3, 2]]), 3, stops=None) == ["132"]


def test_a_prompt_that_fails_leaves_the_others() -> None:
    """Half a reply is no answer, and neither is one of logits that are no numbers."""
    said = replies(Told([[1, 2, 3], [4, FAILS, 1], [4, 4, BROKEN]]), 3)
    assert said[0] == "123"
    assert [str(each) for each in said[1:]] == [
        "1 cannot be read",
        "the model's output is not finite (NaN or infinite logits)",
    ]
    assert all(isinstance(each, BackendError) for each in said[1:])


def test_what_was_said_stands_behind_the_prompt() -> None:
    """After its last place on any axis, one place a token, the same on all axes."""
    told = Told([[1, 2, 3]])
    replies(told, 3)
    places = [element.positions for element in told.asked[0]]
    assert places == [(7, 9, 8), (10, 10, 10), (11, 11, 11)]
