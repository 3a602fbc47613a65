"""`greedy_replies`: the most probable reply to each prompt, a token at a time.

Apart from plain generation because here a reply is only a longer prompt: what
was read of it stays read, and replies that end early leave the others alone.
A reply that is one label and the end of the turn takes two passes.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vdg.backends._hf_load import Loaded, Tensor
from pytest_vdg.backends._hf_scoring import refuse_nan
from pytest_vdg.backends._hf_shared import Prompt, SharedForward
from pytest_vdg.backends._hf_tree import Element


def greedy_replies(
    loaded: Loaded, shared: SharedForward, prompts: Sequence[Prompt], most: int
) -> list[str | Exception]:
    """Return the reply to each of *prompts*, at most *most* tokens long.

    A prompt that the model cannot read has the exception in its place.
    """
    stops = stop_tokens(loaded)
    said: list[list[int]] = [[] for _ in prompts]
    failed: dict[int, Exception] = {}
    open_ = list(range(len(prompts)))
    for _ in range(most):
        asked = [_longer(prompts[i], said[i]) for i in open_]
        endings = dict(zip(open_, shared.endings(asked), strict=True))
        open_ = []
        for i, ending in endings.items():
            try:
                token = _best(ending)
            except Exception as error:  # noqa: BLE001 - one prompt's answer
                failed[i] = error
                continue
            if token not in stops:
                said[i].append(token)
                open_.append(i)
        if not open_:
            break
    return [
        failed[i] if i in failed else _text(loaded, said[i])
        for i in range(len(prompts))
    ]


def _best(ending: Tensor | Exception) -> int:
    if isinstance(ending, Exception):
        raise ending
    refuse_nan(ending)
    return int(ending.argmax())


def _longer(prompt: Prompt, said: Sequence[int]) -> list[Element]:
    """Return *prompt* with the tokens of *said* behind it."""
    last = max(prompt[-1].positions)
    axes = len(prompt[-1].positions)
    more = []
    for place, token in enumerate(said, last + 1):
        positions = (place,) * axes
        more.append(Element((token, positions), (token,), positions))
    return [*prompt, *more]


def stop_tokens(loaded: Loaded) -> set[int]:
    """Return the tokens that end a reply."""
    ends = loaded.model.generation_config.eos_token_id
    return set(ends) if isinstance(ends, (list, tuple)) else {ends}


def _text(loaded: Loaded, said: Sequence[int]) -> str:
    return str(loaded.tokenizer.decode(said, skip_special_tokens=True))
