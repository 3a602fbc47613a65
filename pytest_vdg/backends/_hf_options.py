"""`option_text`: how likely a model finds the text of each option behind a prompt.

Apart from the scoring by labels because here an answer is many tokens: where they
begin, where they end, and what is read for each of them is decided in this file.

The probability of an option is that of its text, written straight behind the
prompt or with a space before it, whichever the model would rather write; both
are counted. Where the text of one option is the beginning of another's, what is
compared is the probability of a reply that holds the text and nothing more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pytest_vdg.backends._hf_greedy import stop_tokens
from pytest_vdg.backends._hf_inputs import ModelInputs, on_device
from pytest_vdg.backends._hf_load import Loaded, Tensor, Tokenizer
from pytest_vdg.backends._hf_scoring import target_logs
from pytest_vdg.backends._hf_tree import Element
from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.backends.work import Work
from pytest_vdg.errors import BackendError

MOST_QUESTIONS = 1024
"""Questions whose tokens are held, as each is asked under several conditions."""

Tokens = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Spelling:
    """One way to write the text of an option behind a prompt."""

    option: int
    """Which option, counted from 0."""
    tokens: Tokens
    """What follows the part of the prompt that is kept."""
    ends: Tokens = ()
    """Tokens any of which ends the reply; none where more may follow the text."""

    @property
    def read(self) -> Tokens:
        """What the model reads behind the part of the prompt that is kept."""
        return self.tokens if self.ends else self.tokens[:-1]

    @property
    def targets(self) -> tuple[Tokens, ...]:
        """What is to follow the part that is kept, and each token that is read."""
        single = tuple((token,) for token in self.tokens)
        return (*single, self.ends) if self.ends else single


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of one question as tokens behind its prompt."""

    labels: tuple[str, ...]
    lengths: tuple[int, ...]
    """Characters of each text."""
    replaced: Tokens
    """Last tokens of the prompt, which melt with some text into others: they are
    left out, and written by each spelling."""
    spellings: tuple[Spelling, ...]


class OptionTokens:
    """Finds how the texts of options continue a prompt."""

    def __init__(self, loaded: Loaded) -> None:
        """Hold nothing yet."""
        self._tokenizer = loaded.tokenizer
        self._stops = tuple(sorted(t for t in stop_tokens(loaded) if t is not None))
        self._found = lru_cache(maxsize=MOST_QUESTIONS)(self._find)

    def of(self, inputs: ModelInputs, prompt: Prompt) -> Options:
        """Return the options of *prompt*, whose input is *inputs*.

        Raises `BackendError` for an option without a text, and where the tokens
        of the input are not those of the text that it was made of.
        """
        for label, text in zip(prompt.labels, prompt.option_texts, strict=True):
            if not text.strip():
                raise BackendError(
                    f"option {label!r} has no text, so that scoring option_text cannot "
                    "say how likely it is. Set: scoring: choice"
                )
        rendered = inputs.rendered
        # Special tokens divide a text before anything else does.
        last = max(map(rendered.rfind, self._tokenizer.all_special_tokens), default=-1)
        found = self._found(
            rendered[max(0, last) :], last < 0, prompt.labels, prompt.option_texts
        )
        cut = len(found.replaced)
        ids = inputs.tensors["input_ids"][0]
        if cut >= len(ids) or tuple(ids[len(ids) - cut :].tolist()) != found.replaced:
            raise BackendError(
                "the model's input does not end with the tokens of its text, so that "
                "no option's text can be put behind it. Set: scoring: choice"
            )
        return found

    def _find(
        self, tail: str, plain: bool, labels: tuple[str, ...], texts: tuple[str, ...]
    ) -> Options:
        before = self._encoded(tail)
        wholes = [
            (option, self._encoded(tail + space + text))
            for option, text in enumerate(texts)
            for space in ("", " ")
        ]
        # All options are scored from the same place, or their sums have not the
        # same meaning.
        kept = min(_common(before, whole) for _, whole in wholes)
        written = list(
            dict.fromkeys((option, whole[kept:]) for option, whole in wholes)
        )
        ends = self._ends(plain) if _one_begins_another(written) else ()
        return Options(
            labels=labels,
            lengths=tuple(len(text) for text in texts),
            replaced=before[kept:],
            spellings=tuple(
                Spelling(option=option, tokens=tokens, ends=ends)
                for option, tokens in written
            ),
        )

    def _ends(self, plain: bool) -> Tokens:
        """Return the tokens that end a reply: without a chat, so does a line's end."""
        ends = set(self._stops)
        if plain:
            line = self._encoded("\n")[-1:]
            ends.update(set(line) - {self._tokenizer.unk_token_id})
        if not ends:
            raise BackendError(
                "the text of one option is the beginning of another's, and this model "
                "has no token that ends a reply. Set: scoring: choice"
            )
        return tuple(sorted(ends))

    def _encoded(self, text: str) -> Tokens:
        return encoded(self._tokenizer, text)


def encoded(tokenizer: Tokenizer, text: str) -> Tokens:
    """Return the tokens of *text* alone."""
    return tuple(tokenizer(text, add_special_tokens=False)["input_ids"])


def branches(prompt: Sequence[Element], options: Options) -> list[list[Element]]:
    """Return *prompt* with each spelling behind it, as elements of the prefix tree.

    The last token of what is kept is in each branch: the output after it says how
    likely the first token of a text is.
    """
    kept = list(prompt[: len(prompt) - len(options.replaced)])
    last = kept.pop()
    if len(last.tokens) != 1:
        raise BackendError("no text stands between the video and the answer")
    return [[*kept, _branch(last, each)] for each in options.spellings]


def _branch(last: Element, spelling: Spelling) -> Element:
    tokens = (*last.tokens, *spelling.read)
    start = max(map(int, last.positions))
    further = range(start + 1, start + len(tokens))
    places = tuple((int(axis), *further) for axis in last.positions)
    single = len(tokens) == 1  # then it is text like any other
    return Element(
        key=(tokens, places, spelling.targets),
        tokens=tokens,
        positions=tuple(axis[0] for axis in places) if single else places,
        targets=spelling.targets,
    )


def plain_logs(
    loaded: Loaded,
    inputs: ModelInputs,
    options: Options,
    spelling: Spelling,
    work: Work,
) -> Tensor:
    """Return what a branch's ending is, by a pass over all of prompt and spelling."""
    import torch

    kept = inputs.prompt_tokens - len(options.replaced)
    tensors = {
        name: _continued(name, value, kept, spelling.read)
        if getattr(value, "shape", ())[:2] == (1, inputs.prompt_tokens)
        else value
        for name, value in inputs.tensors.items()
    }
    asked = len(spelling.targets)
    how = dict(loaded.forward_options)
    if "logits_to_keep" in how:
        how["logits_to_keep"] = asked
    with torch.inference_mode():
        output = loaded.model(**on_device(loaded, tensors), **how)
    work.passes += 1
    work.lm_tokens += kept + len(spelling.read)
    work.vision_tokens += inputs.visual_tokens
    return target_logs(output.logits[0, -asked:], spelling.targets)


def _continued(name: str, values: Tensor, kept: int, more: Tokens) -> Tensor:
    """Return the first *kept* of input *name*, and those of the text behind them."""
    import torch

    filled = (
        more if name == "input_ids" else [int(name == "attention_mask")] * len(more)
    )
    new = torch.tensor([list(filled)], dtype=values.dtype)
    return torch.cat([values[:, :kept], new], dim=1)


def likelihoods(
    options: Options, logs: Sequence[Tensor], *, per_character: bool
) -> Mapping[str, float]:
    """Return label to probability, renormalised over the options.

    *logs* are the log-probabilities of each spelling's targets. *per_character*
    divides an option's by the length of its text before it is compared.
    """
    found = [float(each.sum()) for each in logs]
    if any(math.isnan(each) for each in found):
        raise BackendError("the model's output is not finite (NaN or infinite logits)")
    scores = [-math.inf] * len(options.labels)
    for spelling, log_p in zip(options.spellings, found, strict=True):
        scores[spelling.option] = _log_sum(scores[spelling.option], log_p)
    if per_character:
        pairs = zip(scores, options.lengths, strict=True)
        scores = [score / length for score, length in pairs]
    best = max(scores)
    if best == -math.inf:
        raise BackendError(
            f"the model gives the texts of {list(options.labels)!r} no probability"
        )
    shares = [math.exp(score - best) for score in scores]
    total = sum(shares)
    return dict(zip(options.labels, (s / total for s in shares), strict=True))


def _log_sum(one: float, other: float) -> float:
    high, low = max(one, other), min(one, other)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many tokens both begin with."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _one_begins_another(written: Sequence[tuple[int, Tokens]]) -> bool:
    return any(
        mine != other and tokens != longer and longer[: len(tokens)] == tokens
        for mine, tokens in written
        for other, longer in written
    )
