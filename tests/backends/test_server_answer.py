"""Tests of reading a server's answer: a reply where there is one, and no guess."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.backends._server_answer import label_probabilities, read_answer
from pytest_vdg.errors import BackendError

long_numbers = st.integers(309, 400).map(lambda digits: -(10**digits))
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | long_numbers
    | st.floats()
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "message",
                    "content",
                    "logprobs",
                    "usage",
                    "top_logprobs",
                    "token",
                    "logprob",
                    "finish_reason",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


def answer(message: object, **choice: object) -> dict[str, Any]:
    """Return an answer whose only choice holds *message*."""
    return {"choices": [{"message": message, "finish_reason": "stop", **choice}]}


def top(entries: object) -> dict[str, Any]:
    """Return an answer ``A`` whose first place lists *entries*."""
    content = [{"token": "A", "logprob": -0.1, "top_logprobs": entries}]
    return answer({"content": "A"}, logprobs={"content": content})


def entry(token: object, probability: float) -> dict[str, object]:
    """Return one listed token."""
    return {"token": token, "logprob": math.log(probability)}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "without a choice"),
        ({"choices": []}, "without a choice"),
        ({"choices": None}, "without a choice"),
        ({"choices": ["A"]}, "no message"),
        (answer(None), "no message"),
        (answer({"content": None}), "no text"),
        (answer({}), "no text"),
        (answer({"content": None, "tool_calls": [{}]}), "call of a tool"),
        (answer({"content": "A"}, finish_reason="content_filter"), "content filter"),
        (answer({"content": "A"}, finish_reason="error"), "amid the reply"),
        (answer({"content": None, "reasoning": "hm"}), "no text"),
    ],
)
def test_what_is_no_reply_is_an_error(given: dict[str, Any], message: str) -> None:
    """Each is a failed cell with its reason, never an answer."""
    with pytest.raises(BackendError, match=message):
        read_answer(given)


@pytest.mark.parametrize(
    ("message", "ended", "text"),
    [
        ({"content": " B\n"}, "stop", " B\n"),
        ({"content": ""}, "stop", ""),
        ({"content": [{"type": "text", "text": "B"}]}, "stop", "B"),
        ({"content": None, "refusal": "I cannot."}, "stop", "I cannot."),
        ({"content": None, "reasoning_content": "hm"}, "length", ""),
        ({"content": "The ans"}, "length", "The ans"),
    ],
)
def test_what_a_model_said_is_kept_verbatim(
    message: dict[str, Any], ended: str, text: str
) -> None:
    """A refusal, a silence and a thought cut short are replies that choose nothing."""
    said = read_answer(answer(message, finish_reason=ended))
    assert said.text == text
    assert said.cut == (ended == "length")


@given(json_values)
def test_no_answer_breaks_it(value: object) -> None:
    """Any JSON object is read or refused, with nothing else raised."""
    given = value if isinstance(value, dict) else {"choices": [value]}
    try:
        said = read_answer(given)
    except BackendError:
        return
    assert isinstance(said.text, str)


def test_labels_count_with_and_without_a_space() -> None:
    """Both begin a reply with the label, as in process."""
    said = read_answer(top([entry("A", 0.5), entry(" A", 0.2), entry("B", 0.2)]))
    found = label_probabilities(said.first or {}, ("A", "B"))
    assert found.probabilities == pytest.approx({"A": 0.7 / 0.9, "B": 0.2 / 0.9})
    assert found.label_mass == pytest.approx(0.9)
    assert found.best == "A"


@pytest.mark.parametrize("space", ["\u0120", "\u2581", "\n"])
def test_spaces_of_other_tokenizers_count(space: str) -> None:
    """Some servers give tokens as they are in the vocabulary."""
    found = label_probabilities({space + "B": 0.6, "A": 0.3}, ("A", "B"))
    assert found.best == "B"


def test_a_label_that_is_not_listed_has_no_probability_made_up() -> None:
    """It may be as probable as the least that is listed: 0.1 of 0.6 is not little."""
    found = label_probabilities({"A": 0.6, "the": 0.1}, ("A", "B"))
    assert (found.probabilities, found.label_mass, found.best) == (None, None, "A")


def test_a_label_that_cannot_matter_is_none() -> None:
    """At most 0.001 of 0.9 is missed: below the hundredth that is allowed."""
    found = label_probabilities({"A": 0.9, "the": 0.001}, ("A", "B"))
    assert found.probabilities == {"A": 1.0, "B": 0.0}


def test_other_words_are_no_labels() -> None:
    """A lower case letter, a word that begins with one, and a full stop are not."""
    found = label_probabilities({"a": 0.5, "An": 0.3, "B.": 0.1}, ("A", "B"))
    assert found.best is None


@given(
    st.dictionaries(st.sampled_from(["A", " A", "B", "C", "x"]), st.floats(1e-6, 0.19))
)
def test_probabilities_are_a_distribution(first: dict[str, float]) -> None:
    """They sum to one over all labels, and the best has the most."""
    found = label_probabilities(first, ("A", "B", "C"))
    if found.probabilities is not None:
        assert sum(found.probabilities.values()) == pytest.approx(1)
        most = max(found.probabilities.values())
        assert found.best is not None
        assert found.probabilities[found.best] == most


@pytest.mark.parametrize(
    "entries",
    [
        None,
        [],
        "A",
        [entry(None, 0.5)],
        [{"token": "A"}],
        [{"token": "A", "logprob": None}],
        [{"token": "A", "logprob": math.nan}],
        [{"token": "A", "logprob": 0.5}],
        [{"token": "A", "logprob": 10**400}],
        [entry("A", 0.9), entry("B", 0.9)],
    ],
)
def test_unsound_probabilities_are_none(entries: object) -> None:
    """Missing, partial and impossible lists leave the text, and no number."""
    said = read_answer(top(entries))
    assert (said.text, said.first) == ("A", None)


def test_rounding_makes_no_list_unsound() -> None:
    """A sum of 1.0005 is what is left of one; it is no more than all."""
    said = read_answer(top([entry("A", 0.7), entry("B", 0.3005)]))
    found = label_probabilities(said.first or {}, ("A", "B"))
    assert found.probabilities == pytest.approx(
        {"A": 0.7 / 1.0005, "B": 0.3005 / 1.0005}
    )
    assert found.label_mass == 1.0


def test_a_token_ruled_out_is_listed_as_such() -> None:
    """Servers write -9999 or minus infinity for probability 0; any less is no more."""
    never = {"B": -9999.0, "C": -math.inf, "D": -(10**400)}
    ruled = [{"token": token, "logprob": value} for token, value in never.items()]
    said = read_answer(top([entry("A", 0.9), *ruled]))
    found = label_probabilities(said.first or {}, ("A", "B", "C", "D"))
    assert found.probabilities == {"A": 1.0, "B": 0.0, "C": 0.0, "D": 0.0}


@pytest.mark.parametrize(
    "usage",
    [None, {}, *({"prompt_tokens": n} for n in (0, -1, True, 7.5, "7", 10**400))],
)
def test_a_token_count_that_is_none_is_none(usage: object) -> None:
    """Neither zero tokens nor more than there are can be what a prompt costs."""
    assert (
        read_answer(answer({"content": "A"}) | {"usage": usage}).prompt_tokens is None
    )


def test_what_a_server_says_of_an_answer_is_kept() -> None:
    """Its count of the prompt, its name of the model, its own fingerprint."""
    told = {"usage": {"prompt_tokens": 7}, "model": "m-1", "system_fingerprint": "fp"}
    said = read_answer(answer({"content": "A"}) | told)
    assert (said.prompt_tokens, said.model, said.system) == (7, "m-1", "fp")
