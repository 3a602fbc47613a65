"""Scoring ``option_text``: how likely each option's text is behind the prompt."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from pytest_vdg.backends._hf_inputs import ModelInputs, build_inputs
from pytest_vdg.backends._hf_options import Options, OptionTokens, Spelling, likelihoods
from pytest_vdg.backends.protocol import Prompt, Reply
from pytest_vdg.backends.transformers import TransformersBackend, TransformersSettings
from pytest_vdg.errors import BackendError, ConfigError
from tests.backends.test_hf_scoring import WordPieces
from tests.backends.test_sharing import FAMILIES, asked, good, requests
from tests.backends.test_transformers import with_nan
from tests.backends.tinymodel import rewrite_weights

torch = pytest.importorskip("torch")

CHECKED = ("black", "shuffled")


def opened(path: Path, **settings: object) -> TransformersBackend:
    """Return a backend that scores by the options' texts."""
    return TransformersBackend(
        TransformersSettings(
            checkpoint=path,
            device="cpu",
            **{"scoring": "option_text", **settings},  # type: ignore[arg-type]
        )
    )


def by_hand(model: TransformersBackend, request: object) -> dict[str, float]:
    """Return what each option's share should be: a plain pass for each of them.

    The tiny tokenizers join nothing across the end of the prompt: a token is a word
    or a character.
    """
    model.load()
    assert model._asking is not None
    loaded = model._asking.loaded
    prompt: Prompt = request.prompt  # type: ignore[attr-defined]
    inputs = build_inputs(loaded, prompt.text, request.clip)  # type: ignore[attr-defined]
    sums = {}
    for label, text in zip(prompt.labels, prompt.option_texts, strict=True):
        words = loaded.tokenizer(text, add_special_tokens=False)["input_ids"]
        given = dict(inputs.tensors)
        before = given["input_ids"].shape[1]
        for name in ("input_ids", "attention_mask", "mm_token_type_ids"):
            if name in given:
                fill = {"input_ids": words, "attention_mask": [1] * len(words)}
                more = torch.tensor([fill.get(name, [0] * len(words))])
                given[name] = torch.cat([given[name], more], dim=1)
        with torch.inference_mode():
            log_p = torch.log_softmax(loaded.model(**given).logits[0].float(), dim=-1)
        places = range(before - 1, before - 1 + len(words))
        sums[label] = sum(
            float(log_p[i, w]) for i, w in zip(places, words, strict=True)
        )
    total = sum(math.exp(each) for each in sums.values())
    return {label: math.exp(each) / total for label, each in sums.items()}


def longer(prompt: Prompt) -> Prompt:
    """Return *prompt* with options of several words."""
    texts = ("red", "the green shape", "blue first")
    return replace(prompt, option_texts=texts)


def require_same(one: Sequence[Reply], other: Sequence[Reply]) -> None:
    """Raise unless both are the same answers on the same inputs."""
    assert [r.input_digest for r in one] == [r.input_digest for r in other]
    assert [r.text for r in one] == [r.text for r in other]
    for mine, theirs in zip(one, other, strict=True):
        assert mine.probabilities == pytest.approx(theirs.probabilities, abs=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
def test_shares_are_those_of_plain_passes(
    built: Callable[[str], Path], family: str
) -> None:
    """Each share is that of a loop over the options, one whole pass for each."""
    wanted = [
        replace(each, prompt=longer(each.prompt))
        for each in requests(videos=1, conditions=CHECKED)
    ]
    model = opened(built(family))
    replies = good(model.ask_many(wanted))
    assert model.sharing.startswith("shares prefixes")
    for request, reply in zip(wanted, replies, strict=True):
        expected = by_hand(model, request)
        assert reply.probabilities == pytest.approx(expected, abs=1e-4)
        assert reply.text == max(expected, key=lambda label: expected[label])
        assert reply.label_mass is None
    plain = asked(built(family), wanted, scoring="option_text", share_prefixes=False)
    require_same(replies, plain)


@pytest.mark.parametrize("size", [1, 3, 7])
def test_no_answer_depends_on_its_batch(
    built: Callable[[str], Path], size: int
) -> None:
    """Asked in groups of any size, in any order, each request has one answer."""
    wanted = requests()
    model = opened(built("qwen2_vl"))
    expected = good(model.ask_many(wanted))
    order = np.random.default_rng(size).permutation(len(wanted)).tolist()
    found: dict[int, Reply] = {}
    for start in range(0, len(order), size):
        group = order[start : start + size]
        answers = good(model.ask_many([wanted[i] for i in group]))
        found.update(zip(group, answers, strict=True))
    require_same([found[i] for i in range(len(wanted))], expected)


@pytest.mark.parametrize("how", [{"batch_tokens": 1}, {"prefix_bytes": 1}])
def test_short_memory_changes_no_answer(
    built: Callable[[str], Path], how: dict[str, int]
) -> None:
    """Few tokens a pass, or nothing held between two calls: the same answers."""
    wanted = requests(videos=1)
    model = opened(built("qwen2_vl"), **how)
    first = good(model.ask_many(wanted))
    require_same(good(model.ask_many(wanted)), first)
    require_same(first, asked(built("qwen2_vl"), wanted, scoring="option_text"))


def test_options_are_branches_of_the_tree(built: Callable[[str], Path]) -> None:
    """An option costs its own tokens and one of the prompt, not the prompt."""
    wanted = requests(videos=1)
    model = opened(built("qwen2_vl"))
    labels = opened(built("qwen2_vl"), scoring="choice")
    for each in (model, labels):
        each.ask_many(wanted)
    options = 3
    # Each option is one word: nothing is read of it, and the last of the prompt
    # once for each in place of once for all.
    extra = len(wanted) * (options - 1)
    assert model.work.lm_tokens == labels.work.lm_tokens + extra


def test_two_ways_to_score_are_two_identities(built: Callable[[str], Path]) -> None:
    """An answer by another scoring, or another length rule, is another answer."""
    ways = [
        opened(built("qwen2_vl"), scoring="choice"),
        opened(built("qwen2_vl")),
        opened(built("qwen2_vl"), option_likelihood="per_character"),
    ]
    found = [each.identity.environment for each in ways]
    assert [each["scoring"] for each in found] == ["choice"] + ["option_text"] * 2
    said = [each.get("option_likelihood") for each in found]
    assert said == [None, "sum", "per_character"]


def test_a_length_rule_that_is_not_known_is_refused() -> None:
    """The message says what was probably meant."""
    with pytest.raises(ConfigError, match="Did you mean 'per_character'"):
        TransformersSettings(checkpoint="x", option_likelihood="per_caracter")  # type: ignore[arg-type]


def test_broken_weights_are_no_answer(
    built: Callable[[str], Path], tmp_path: Path
) -> None:
    """A NaN is an error of each request, shared and plain."""
    own = Path(shutil.copytree(built("qwen2_vl"), tmp_path / "own"))
    rewrite_weights(own, with_nan)
    wanted = requests(videos=1, conditions=("black",))
    for sharing in (True, False):
        answers = opened(own, share_prefixes=sharing).ask_many(wanted)
        assert all("not finite" in str(each) for each in answers)


# -- where an option begins and ends -----------------------------------------


class Pieces(WordPieces):
    """Its word pieces, with the tokens that end a text or a reply."""

    all_special_ids = (0,)
    all_special_tokens = ("<unk>",)
    unk_token_id = 0


def options_of(
    pieces: Sequence[str],
    texts: Sequence[str],
    *,
    prompt: str = "?",
    stop: int | None = 99,
) -> tuple[Options, list[list[str]]]:
    """Return the options behind *prompt*, and each spelling in pieces."""
    tokenizer = Pieces(*pieces)
    loaded = SimpleNamespace(
        tokenizer=tokenizer,
        model=SimpleNamespace(generation_config=SimpleNamespace(eos_token_id=stop)),
    )
    ids = tokenizer(prompt, add_special_tokens=False)["input_ids"]
    inputs = ModelInputs(
        tensors={"input_ids": torch.tensor([[7, *ids]])},
        rendered=prompt,
        frames_seen=0,
        visual_tokens=0,
        prompt_tokens=len(ids) + 1,
        digest="",
    )
    asked = Prompt(
        text=prompt,
        labels=tuple("ABCDE"[: len(texts)]),
        option_texts=tuple(texts),
    )
    found = OptionTokens(loaded).of(inputs, asked)  # type: ignore[arg-type]
    words = {i: piece for piece, i in tokenizer.ids.items()}
    return found, [[words[t] for t in s.tokens] for s in found.spellings]


def test_a_text_counts_with_and_without_a_space() -> None:
    """Whichever the model would rather write; equal tokens count once."""
    _, spelled = options_of(("?", "red", " red", "tea", " "), ("red", "tea"))
    assert spelled == [["red"], [" red"], ["tea"], [" ", "tea"]]
    _, spelled = options_of(("?", "red", "tea"), ("red", "tea"))
    assert len(spelled) == 4  # the space is unknown, and so a token of its own


def test_what_melts_into_the_prompt_is_scored_from_before_it() -> None:
    """All options begin where the tokens of each of them are still the prompt's."""
    pieces = ("Is it", ":", ": red", ":red", "blue", " blue")
    found, spelled = options_of(pieces, ("red", "blue"), prompt="Is it:")
    assert found.replaced == (3,)
    assert spelled == [[":red"], [": red"], [":", "blue"], [":", " blue"]]


def test_a_beginning_of_another_option_has_to_end() -> None:
    """Else the shorter of the two would always be the likelier one."""
    pieces = ("?", "1", "0", "7", " ")
    found, _ = options_of(pieces, ("1", "10", "7"))
    assert {s.ends for s in found.spellings} == {(1, 99)}  # a line's end, the stop
    assert found.spellings[0].targets == ((3,), (1, 99))
    assert found.spellings[0].read == (3,)
    apart, _ = options_of(pieces, ("1", "70", "0"))
    assert {s.ends for s in apart.spellings} == {()}
    assert apart.spellings[0].targets == ((3,),)
    assert apart.spellings[0].read == ()


def test_no_end_of_a_line_ends_a_reply_in_a_chat() -> None:
    """There, only the model's own stop tokens do."""
    pieces = ("?", "1", "0", " ")
    found, _ = options_of(pieces, ("1", "10"), prompt="<unk>?")
    assert {s.ends for s in found.spellings} == {(99,)}
    with pytest.raises(BackendError, match="no token that ends a reply"):
        options_of(pieces, ("1", "10"), prompt="<unk>?", stop=None)


@pytest.mark.parametrize("blank", ["", "  "])
def test_an_option_without_a_text_is_refused(blank: str) -> None:
    """It has no likelihood, and the message names the scoring that works."""
    with pytest.raises(BackendError, match=r"'B' has no text.*scoring: choice"):
        options_of(("?", "red"), ("red", blank))


def two(*likely: float, lengths: tuple[int, ...] = (3, 6)) -> Options:
    """Return two options with one spelling each."""
    return Options(
        labels=("A", "B"),
        lengths=lengths,
        replaced=(),
        spellings=tuple(Spelling(option=i, tokens=(i,)) for i in range(2)),
    )


def test_shares_by_hand() -> None:
    """Sums are compared as they are, or by character."""
    logs = [torch.tensor([-1.0, -2.0]), torch.tensor([-1.5, -2.5])]
    shares = likelihoods(two(), logs, per_character=False)
    assert shares["A"] == pytest.approx(1 / (1 + math.exp(-1)))
    shares = likelihoods(two(), logs, per_character=True)
    odds = math.exp(-4 / 6 + 3 / 3)
    assert shares == pytest.approx({"A": 1 / (1 + odds), "B": odds / (1 + odds)})


def test_spellings_of_one_option_add_up() -> None:
    """Two spellings of 1 in 4 each are as likely as one of 1 in 2."""
    options = replace(
        two(), spellings=tuple(Spelling(option=i, tokens=(i,)) for i in (0, 0, 1))
    )
    logs = [torch.tensor([math.log(p)]) for p in (0.25, 0.25, 0.5)]
    shares = likelihoods(options, logs, per_character=False)
    assert shares == pytest.approx({"A": 0.5, "B": 0.5})


def test_texts_that_cannot_be_are_no_answer() -> None:
    """Minus infinity for one is a share of 0, for all of them an error."""
    never, once = torch.tensor([-math.inf]), torch.tensor([-9.0])
    assert likelihoods(two(), [never, once], per_character=False) == {"A": 0, "B": 1}
    with pytest.raises(BackendError, match="no probability"):
        likelihoods(two(), [never, never], per_character=False)
