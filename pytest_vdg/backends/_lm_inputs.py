"""From a prompt to the input of a language model.

Apart from `_hf_inputs`, where a video may be lost: here what can go wrong is
where the answer begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pytest_vdg.backends._hf_digest import tensor_digest
from pytest_vdg.backends._hf_inputs import ModelInputs
from pytest_vdg.backends._hf_load import Loaded
from pytest_vdg.backends._hf_options import encoded
from pytest_vdg.backends._hf_prepare import MOST_TEXTS
from pytest_vdg.backends.work import Work
from pytest_vdg.errors import BackendError
from pytest_vdg.frames.clip import Clip

ANSWER = "\nAnswer:"
"""Behind the prompt of a model without a chat template: here its answer begins."""


class TextBuilder:
    """Makes the inputs of one loaded language model."""

    def __init__(self, loaded: Loaded, work: Work) -> None:  # noqa: ARG002 - as others
        """Hold nothing yet."""
        self._loaded = loaded
        self._made = lru_cache(maxsize=MOST_TEXTS)(self._make)

    def look_ahead(self, clips: Sequence[Clip]) -> None:
        """Do nothing: there are no clips."""

    def build(self, text: str, clip: Clip | None) -> ModelInputs:
        """Return the input for one user message of *text*."""
        if clip is not None:
            raise BackendError("a text-only language model was given a clip")
        return self._made(text)

    def _make(self, text: str) -> ModelInputs:
        import torch

        rendered = rendered_prompt(self._loaded, text)
        ids = torch.tensor([prompt_tokens(self._loaded, rendered)])
        return ModelInputs(
            tensors={"input_ids": ids, "attention_mask": torch.ones_like(ids)},
            rendered=rendered,
            frames_seen=0,
            visual_tokens=0,
            prompt_tokens=int(ids.numel()),
            digest=tensor_digest(ids),
        )


def rendered_prompt(loaded: Loaded, text: str) -> str:
    """Return *text* as the model was trained to be asked, up to its answer.

    By the chat template where there is one; a base model has the text itself, and
    a line that its answer belongs on.
    """
    if not loaded.tokenizer.chat_template:
        return text + ANSWER
    rendered: str = loaded.tokenizer.apply_chat_template(
        [{"role": "user", "content": text}],
        add_generation_prompt=True,
        tokenize=False,
    )
    return rendered


def prompt_tokens(loaded: Loaded, rendered: str) -> list[int]:
    """Return the tokens of *rendered*, with those that begin a text, and none after.

    A tokenizer that was saved by a training may end each text by itself; the answer
    would then be looked for behind the end.
    """
    tokenizer = loaded.tokenizer
    bare = list(encoded(tokenizer, rendered))
    if not bare:
        raise BackendError("the tokenizer makes no token of the prompt")
    bos = tokenizer.bos_token
    if bos and rendered.startswith(bos):  # the template brought it
        return bare
    whole = list(tokenizer(rendered)["input_ids"])
    for start in range(len(whole) - len(bare) + 1):
        if whole[start : start + len(bare)] == bare:
            return whole[:start] + bare
    raise BackendError(
        "the tokenizer writes a prompt otherwise where it adds special tokens, so that "
        "it cannot be told where the answer begins"
    )
