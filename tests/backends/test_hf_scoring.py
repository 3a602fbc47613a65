"""Tests of scoring: label tokens, one forward pass, greedy generation."""

from __future__ import annotations

import math
from collections.abc import Iterable
from types import SimpleNamespace

import pytest

from pytest_vdg.backends._hf_inputs import ModelInputs
from pytest_vdg.backends._hf_load import Loaded
from pytest_vdg.backends._hf_scoring import (
    choose,
    decode_reply,
    label_tokens,
    target_logs,
)
from pytest_vdg.errors import BackendError

torch = pytest.importorskip("torch")


class WordPieces:
    """A tokenizer that knows *pieces*, takes the longest first, and no other."""

    all_special_ids = (0,)

    def __init__(self, *pieces: str) -> None:
        self.ids = {"<unk>": 0, "\n": 1} | {p: i for i, p in enumerate(pieces, 2)}

    def __call__(self, text: str, *, add_special_tokens: bool) -> dict[str, list[int]]:
        """Encode *text*; what no piece begins is ``<unk>``."""
        found = []
        while text:
            known = [piece for piece in self.ids if text.startswith(piece)]
            piece = max(known, key=len, default=text[0])
            found.append(self.ids.get(piece, 0))
            text = text[len(piece) :]
        return {"input_ids": found}

    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool) -> str:
        """Put the pieces together again."""
        pieces = {i: piece for piece, i in self.ids.items()}
        return "".join(pieces[int(i)] for i in ids if i or not skip_special_tokens)


def asked(tokenizer: WordPieces, logits: list[float]) -> tuple[Loaded, ModelInputs]:
    """Return a model that gives *logits* after the prompt, and an input for it."""
    answer = SimpleNamespace(logits=torch.tensor([[[0.0] * len(logits), logits]]))
    loaded = Loaded(
        processor=SimpleNamespace(tokenizer=tokenizer),
        model=lambda **inputs: answer,
        device="cpu",
        frames_per_token=1,
        forward_options={},
    )
    inputs = ModelInputs(
        tensors={},
        rendered="\n",
        frames_seen=1,
        visual_tokens=1,
        prompt_tokens=1,
        digest="",
    )
    return loaded, inputs


def test_a_label_counts_with_and_without_a_space() -> None:
    """A model may begin its reply either way; both are the label."""
    tokenizer = WordPieces("A", " A", "B", " B")
    assert label_tokens(tokenizer, "\n", ["A", "B"]) == {"A": (2, 3), "B": (4, 5)}


def test_a_space_that_is_a_token_of_its_own_is_no_label() -> None:
    """Where the space is split off, only the bare label is one token."""
    tokenizer = WordPieces(" ", "A", "B")
    assert label_tokens(tokenizer, "\n", ["A", "B"]) == {"A": (3,), "B": (4,)}


def test_a_label_that_melts_into_the_prompt_is_no_token_of_the_reply() -> None:
    """What changes the tokens of the prompt could not have been generated."""
    tokenizer = WordPieces("\nA", "A", " A", "B")
    assert label_tokens(tokenizer, "\n", ["A", "B"]) == {"A": (4,), "B": (5,)}


@pytest.mark.parametrize(
    ("pieces", "labels", "reason"),
    [
        (("A", "B", "1", "0"), ["A", "10"], "'10' is no single token"),
        (("A",), ["A", "E"], "'E' is no single token"),
        (("A", " A"), ["A", " A"], "share a token"),
    ],
    ids=["long", "unknown", "shared"],
)
def test_labels_without_a_token_of_their_own_are_refused(
    pieces: tuple[str, ...], labels: list[str], reason: str
) -> None:
    """The message names the way to score that always works."""
    with pytest.raises(BackendError, match=reason) as raised:
        label_tokens(WordPieces(*pieces), "\n", labels)
    assert "scoring: generate" in str(raised.value)


def test_probabilities_match_a_softmax_by_hand() -> None:
    """Both spellings of a label add up, and the rest of the mass is kept apart."""
    # Odds of <unk>, newline, "A", " A", "B": 2, 2, 1, 2, 1 of 8.
    odds = [2.0, 2.0, 1.0, 2.0, 1.0]
    tokenizer = WordPieces("A", " A", "B")
    loaded, inputs = asked(tokenizer, [math.log(odd) for odd in odds])
    choice = choose(loaded, inputs, ["A", "B"])
    assert choice.probabilities == pytest.approx({"A": 3 / 4, "B": 1 / 4})
    assert choice.label_mass == pytest.approx(4 / 8)
    assert choice.best == "A"


def test_all_spellings_add_up_where_each_label_has_several() -> None:
    """Odds of 1 and 3 for one label, of 2 and 2 for the other, are equal chances."""
    odds = [1.0, 1.0, 1.0, 3.0, 2.0, 2.0]
    tokenizer = WordPieces("A", " A", "B", " B")
    loaded, inputs = asked(tokenizer, [math.log(odd) for odd in odds])
    choice = choose(loaded, inputs, ["A", "B"])
    assert choice.probabilities == pytest.approx({"A": 1 / 2, "B": 1 / 2})
    assert choice.label_mass == pytest.approx(8 / 10)
    rows = torch.tensor(odds).log().expand(2, -1)
    logs = target_logs(rows, [(2, 3), (4, 5)])
    assert logs.exp().tolist() == pytest.approx([4 / 10, 4 / 10])
    assert target_logs(rows, [(3,), (0,)]).exp().tolist() == pytest.approx([0.3, 0.1])


def test_no_mass_is_more_than_all_of_it() -> None:
    """Rounding may bring the sum of float32 probabilities above 1."""
    loaded, inputs = asked(
        WordPieces("A", "B", "C"), [-math.inf, -math.inf, -3.8, -1.9, -2.7]
    )
    mass = choose(loaded, inputs, ["A", "B", "C"]).label_mass
    assert mass == pytest.approx(1)
    assert mass <= 1


def test_the_first_of_equals_is_best() -> None:
    """A tie is broken by the order of the options, not by chance."""
    loaded, inputs = asked(WordPieces("A", "B"), [0.0] * 4)
    assert choose(loaded, inputs, ["B", "A"]).best == "B"


@pytest.mark.parametrize("broken", [math.nan, math.inf])
def test_broken_logits_are_no_answer(broken: float) -> None:
    """A NaN anywhere means broken weights, not a preference."""
    loaded, inputs = asked(WordPieces("A", "B"), [broken, 0.0, 0.0, 0.0])
    with pytest.raises(BackendError, match="not finite"):
        choose(loaded, inputs, ["A", "B"])


def test_tokens_ruled_out_are_fine_unless_all_labels_are() -> None:
    """Minus infinity is how models mask tokens; a masked label is probability 0."""
    loaded, inputs = asked(WordPieces("A", "B"), [-math.inf, 0.0, 0.0, -math.inf])
    assert choose(loaded, inputs, ["A", "B"]).probabilities == {"A": 1.0, "B": 0.0}
    loaded, inputs = asked(WordPieces("A", "B"), [0.0, 0.0, -math.inf, -math.inf])
    with pytest.raises(BackendError, match="no probability"):
        choose(loaded, inputs, ["A", "B"])


@pytest.mark.parametrize("echo", [True, False], ids=["echo", "reply-only"])
def test_the_prompt_is_cut_off_only_where_it_is(echo: bool) -> None:
    """Families differ in whether they give the prompt back; the reply does not."""
    tokenizer = WordPieces("A", "B", ".")
    prompt, reply = [2, 4, 3, 4], [3, 4, 0]
    output = torch.tensor([prompt + reply if echo else reply])
    assert decode_reply(tokenizer, output, torch.tensor([prompt])) == "B."
