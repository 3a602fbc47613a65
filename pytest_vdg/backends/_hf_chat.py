"""The chat as text, and which of its tokens stand for a picture.

Apart from the inputs because a template is the checkpoint's own: here it is
found out whether it leaves out the video, before any pixel is touched.
"""

from __future__ import annotations

from typing import Any

from pytest_vdg.backends._hf_digest import once_a_model
from pytest_vdg.backends._hf_load import Loaded
from pytest_vdg.errors import BackendError, VideoNotConsumed
from pytest_vdg.frames.clip import Clip

KINDS = ("video", "image")


def pictures_of(loaded: Loaded, clip: Clip | None) -> int:
    """Return how many placeholders stand for *clip* in a chat: one for a video."""
    if clip is None:
        return 0
    return 1 if loaded.family.frames_as == "video" else len(clip)


def mark_of(loaded: Loaded) -> str | None:
    """Return what stands for a video, or a picture, in a chat's text, if it is told."""
    mark: str | None = getattr(loaded.processor, f"{_kind(loaded)}_token", None)
    return mark


def _kind(loaded: Loaded) -> str:
    return loaded.family.frames_as.removesuffix("s")


def render_chat(loaded: Loaded, text: str, *, pictures: int) -> str:
    """Return the chat as text, with *pictures* placeholders before the question.

    Raises `BackendError` where *text* itself holds a mark that pictures stand for.
    """
    written = sorted(mark for mark in _visual_marks(loaded) if mark in text)
    if written:
        raise BackendError(
            f"the question's text contains {written[0]!r}, which this model reads as "
            "the place of a picture. Write it in another way"
        )
    kind = _kind(loaded)
    content = [{"type": kind}] * pictures + [{"type": "text", "text": text}]
    rendered: str = loaded.processor.apply_chat_template(
        [{"role": "user", "content": content}],
        add_generation_prompt=True,
        tokenize=False,
    )
    mark = mark_of(loaded)
    if mark is None:
        return rendered
    found = rendered.count(mark)
    if pictures and found == 0:
        raise VideoNotConsumed(
            "the chat template drops the video: the prompt it makes holds no "
            f"{mark!r}.\nCompare the checkpoint's chat template with that of its "
            "base model."
        )
    if found != pictures:
        raise BackendError(
            f"the prompt holds {mark!r} {found} times where {pictures} was expected; "
            "the chat template writes it by itself"
        )
    return rendered


@once_a_model
def visual_token_ids(loaded: Loaded) -> frozenset[int]:
    """Return the ids of tokens that stand for a part of a picture.

    As the model knows them; a processor may name so what it writes around one.
    """
    found = map(_named_ids, (loaded.model.config, loaded.processor))
    return next((ids for ids in found if ids), frozenset())


@once_a_model
def _visual_marks(loaded: Loaded) -> frozenset[str]:
    """Return what stands for a picture, or a part of one, in a prompt's text."""
    names = ("video_token", "image_token")
    found = {getattr(loaded.processor, name, None) for name in names}
    ids = visual_token_ids(loaded) | _named_ids(loaded.processor)
    found.update(map(loaded.tokenizer.convert_ids_to_tokens, ids))
    return frozenset(mark for mark in found if isinstance(mark, str) and mark)


def _named_ids(part: Any) -> frozenset[int]:  # noqa: ANN401
    """Return what a config or a processor names as tokens of pictures."""
    names = (f"{kind}_token_{end}" for kind in KINDS for end in ("id", "index"))
    found = (getattr(part, name, None) for name in names)
    return frozenset(token for token in found if isinstance(token, int))
