"""From a model input to an answer: one forward pass, or greedy generation.

Apart from the inputs so that both ways to score read the very same tensors.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_vdg.backends._hf_inputs import ModelInputs, on_device
from pytest_vdg.backends._hf_load import Loaded, Tensor, Tokenizer
from pytest_vdg.backends._hf_tree import Node
from pytest_vdg.errors import BackendError


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Result of `choose`."""

    probabilities: Mapping[str, float]
    """Label to probability, renormalised over the labels."""
    label_mass: float
    """Probability that all labels hold together, [0, 1]."""

    @property
    def best(self) -> str:
        """The most probable label, the first of equals."""
        return max(self.probabilities, key=lambda label: self.probabilities[label])


def label_tokens(
    tokenizer: Tokenizer, rendered: str, labels: Sequence[str]
) -> dict[str, tuple[int, ...]]:
    """Return the tokens with which a reply to *rendered* can begin as a label.

    A label may begin a reply with or without a space before it; both count
    where both are single tokens. Raises `BackendError` where a label is no
    single token, or two labels begin with the same one.
    """
    before = _encode(tokenizer, rendered)
    found = {}
    for label in labels:
        after = (_encode(tokenizer, rendered + start) for start in (label, " " + label))
        single = {ids[-1] for ids in after if ids[:-1] == before}
        found[label] = tuple(sorted(single - set(tokenizer.all_special_ids)))
    tokens = [token for ids in found.values() for token in ids]
    lost = [label for label, ids in found.items() if not ids]
    if lost or len(set(tokens)) != len(tokens):
        what = f"{lost[0]!r} is no single token" if lost else "two labels share a token"
        raise BackendError(
            f"labels {list(labels)!r} cannot be scored by one forward pass of this "
            f"model: {what}. Set: scoring: generate"
        )
    return found


class LabelTokens:
    """`label_tokens`, looked up once for prompts that end alike.

    Special tokens divide a text before anything else does, so what follows the
    last one is tokenized the same whatever stood before it.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Hold nothing yet."""
        self._tokenizer = tokenizer
        self._found: dict[tuple[str, tuple[str, ...]], dict[str, tuple[int, ...]]] = {}

    def of(self, rendered: str, labels: Sequence[str]) -> dict[str, tuple[int, ...]]:
        """Return what `label_tokens` returns."""
        specials = self._tokenizer.all_special_tokens
        last = max((rendered.rfind(token) for token in specials), default=-1)
        if last < 0:
            return label_tokens(self._tokenizer, rendered, labels)
        key = rendered[last:], tuple(labels)
        if key not in self._found:
            self._found[key] = label_tokens(self._tokenizer, rendered, labels)
        return self._found[key]


def choose(loaded: Loaded, inputs: ModelInputs, labels: Sequence[str]) -> Choice:
    """Return the probability of each label as the first token of the reply."""
    tokens = label_tokens(loaded.tokenizer, inputs.rendered, labels)
    return choice_of(plain_pass(loaded, inputs), tokens)


def plain_pass(loaded: Loaded, inputs: ModelInputs) -> Tensor:
    """Return the logits after one prompt, ``(vocabulary,)``, float32."""
    import torch

    with torch.inference_mode():
        given = on_device(loaded, inputs.tensors)
        output = loaded.model(**given, **loaded.forward_options)
    return output.logits[0, -1].float()


def choice_of(logits: Tensor, tokens: Mapping[str, Sequence[int]]) -> Choice:
    """Return the probability of each label in *logits*, ``(vocabulary,)``."""
    import torch

    refuse_nan(logits)
    log_p = torch.log_softmax(logits, dim=-1)
    if all(len(ids) == 1 for ids in tokens.values()):  # most often, and much cheaper
        joint = log_p[[ids[0] for ids in tokens.values()]]
    else:
        joint = torch.stack(
            [torch.logsumexp(log_p[list(ids)], 0) for ids in tokens.values()]
        )
    mass = float(torch.logsumexp(joint, 0).exp())
    shares = torch.softmax(joint, dim=0).tolist()
    if not math.isfinite(sum(shares)):
        raise BackendError(f"the model gives labels {list(tokens)!r} no probability")
    return Choice(
        probabilities=dict(zip(tokens, shares, strict=True)),
        label_mass=min(1.0, mass),
    )


def target_logs(logits: Tensor, targets: Sequence[Sequence[int]]) -> Tensor:
    """Return how likely *targets* are to come next, ``(n,)``, natural logarithms.

    *logits* are ``(n, vocabulary)``; of the tokens of one target, any may come.
    """
    import torch

    log_p = torch.log_softmax(logits.float(), dim=-1)
    if all(len(ids) == 1 for ids in targets):
        return log_p[range(len(targets)), [ids[0] for ids in targets]]
    pairs = zip(log_p, targets, strict=True)
    return torch.stack([torch.logsumexp(row[list(ids)], 0) for row, ids in pairs])


def ending_of(logits: Tensor, node: Node, kept: Sequence[int]) -> Tensor:
    """Return what *node* asks of its *logits*, which are those after places *kept*."""
    targets = node.elements[-1].targets
    places = [kept.index(place) for place in node.asked]
    if targets is None:
        return logits[places[-1]].float().clone()
    return target_logs(logits[places], targets)


def generate(loaded: Loaded, inputs: ModelInputs, max_new_tokens: int) -> str:
    """Return the greedy reply, special tokens left out."""
    import torch

    greedy = copy.deepcopy(loaded.model.generation_config)
    greedy.update(
        max_new_tokens=max_new_tokens, return_dict_in_generate=True, output_logits=True
    )
    with torch.inference_mode():
        given = on_device(loaded, inputs.tensors)
        output = loaded.model.generate(**given, generation_config=greedy)
    for logits in output.logits:
        refuse_nan(logits)
    return decode_reply(loaded.tokenizer, output.sequences, given["input_ids"])


def decode_reply(tokenizer: Tokenizer, output: Tensor, input_ids: Tensor) -> str:
    """Return the reply in *output*, with the prompt cut off if it is there.

    Models that are given embeddings return the reply alone.
    """
    import torch

    reply, prompt = output[0], input_ids[0]
    length = len(prompt)
    if len(reply) >= length and torch.equal(reply[:length], prompt):
        reply = reply[length:]
    return str(tokenizer.decode(reply, skip_special_tokens=True))


def refuse_nan(logits: Tensor) -> None:
    """Raise for logits of a broken model; -inf for tokens ruled out is fine."""
    if not math.isfinite(float(logits.max())):  # max() of a NaN is NaN
        raise BackendError("the model's output is not finite (NaN or infinite logits)")


def _encode(tokenizer: Tokenizer, text: str) -> list[int]:
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])
