"""Do pictures reach the model behind a server? Found out before it is asked.

Apart from the backend because this is the one thing that cannot be looked up:
what a server does with a picture is seen in what it counts, and else in what it
can name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pytest_vdg.backends._server_answer import Said
from pytest_vdg.errors import VideoNotConsumed
from pytest_vdg.frames.clip import Clip

QUESTION = "What is shown here? Answer with one word."
"""What pictures are counted with; the answer does not matter."""
COLOURS = {
    "red": (230, 20, 20),
    "blue": (20, 20, 230),
    "green": (20, 200, 20),
    "yellow": (240, 240, 20),
}
COLOUR_QUESTION = (
    "What color are the pictures?\nA. red\nB. blue\nC. green\nD. yellow\n"
    "Answer with the letter of the correct option."
)
ADVICE = (
    "Check that the model and its chat template take images, how many images (or "
    "frames of a video) the server allows in a prompt, and that no proxy leaves parts "
    "of a message out. Until then a low score says nothing of the model's sight"
)
_LEAST_GROWTH = 1.2
"""Ratio of the tokens of a video to those of one of half as many frames, at least."""
_LEAST_SLOPE = 0.75
_MANY = 16
"""Frames from which on the later half is held against the earlier one."""

Count = Callable[[Clip | None], int]
"""Tokens of `QUESTION` with a clip, or with none."""
Ask = Callable[[Clip], Said]
"""The reply to `COLOUR_QUESTION` about a clip."""


def check_images(count: Count, clip: Clip) -> None:
    """Raise `VideoNotConsumed` unless each image of *clip* costs tokens.

    The last one must cost some, and all together as much as if each cost as
    much as the last: no server may leave out the first ones, the last ones, or
    all of them.
    """
    n = len(clip)
    tokens = {k: count(pictures(clip, k)) for k in sorted({1, max(1, n - 1), n})}
    none = count(None)
    if tokens[n] <= none or tokens[1] <= none:
        raise _lost(f"{none} tokens without an image, {_told(tokens)}")
    last = tokens[n] - (tokens[n - 1] if n > 1 else none)
    if last <= 0:
        raise _lost(f"the last of {n} images costs no token: {_told(tokens)}")
    if tokens[n] - none < (n - 0.5) * last - _digits(n):
        raise _lost(
            f"{n} images cost {tokens[n] - none} tokens, though the last one costs "
            f"{last}: not all of them are there ({_told(tokens)})"
        )


def check_video(count: Count, clip: Clip) -> None:
    """Raise `VideoNotConsumed` unless more frames of as long a video cost more.

    A server that samples a video again shows other frames than were sampled.
    """
    n = len(clip)
    other = n // 2 if n > 5 else 2 * n + 4  # pairs and fours of frames may be merged
    if n >= _MANY:
        other -= other % 4  # an unfilled four would cost as much as a full one
    few, many = sorted((n, other))
    none = count(None)
    tokens = {k: count(pictures(clip, k)) for k in (few, many)}
    if min(tokens.values()) <= none:
        raise _lost(f"{none} tokens without a video, {_told(tokens, 'frame')}")
    if tokens[many] - none < _LEAST_GROWTH * (tokens[few] - none):
        raise _lost(
            f"a video of more frames costs no more tokens ({_told(tokens, 'frame')}, "
            f"{none} without): the server samples videos again"
        )
    later = (tokens[many] - tokens[few]) / (many - few)
    if n >= _MANY and later < _LEAST_SLOPE * (tokens[few] - none) / few:
        raise _lost(
            f"not all of {n} frames are there ({_told(tokens, 'frame')}, {none} "
            "without): the server allows fewer"
        )


def check_colours(ask: Ask, clip: Clip) -> None:
    """Raise `VideoNotConsumed` unless plain colours are named, all of them.

    For servers that count no tokens. The prompts differ in the pictures alone,
    so that a model which does not get them, and answers the same prompt the same
    way, names one of them right at most. It shows that pictures arrive, not that
    every one does.
    """
    said = {c: ask(pictures(clip, len(clip), rgb)).text for c, rgb in COLOURS.items()}
    right = sum(_names(reply, colour) for colour, reply in said.items())
    if right < len(COLOURS):
        heard = ", ".join(f"{colour}: {reply[:30]!r}" for colour, reply in said.items())
        raise _lost(
            "the server tells no token counts (usage.prompt_tokens), and of "
            f"{len(COLOURS)} plain colours the model named {right} ({heard})"
        )


def pictures(clip: Clip, frames: int, rgb: Sequence[int] | None = None) -> Clip:
    """Return a clip of *frames* pictures, of the size and length of *clip*.

    Of one colour, or each of another shade, growing lighter from left to right.
    """
    height, width = clip.size
    if rgb is None:
        across = np.linspace(0, 100, width)[None, None, :, None]
        along = np.linspace(0, 150, frames)[:, None, None, None]
        shown = np.broadcast_to(across + along, (frames, height, width, 3))
    else:
        shown = np.broadcast_to(np.asarray(rgb), (frames, height, width, 3))
    start, end = clip.timestamps_s[0], clip.timestamps_s[-1]
    if end <= start:
        end = start + 1.0
    return Clip(
        frames=shown.astype(np.uint8),
        timestamps_s=np.linspace(start, end, frames),
        source_fps=clip.source_fps,
        source_frames=max(clip.source_frames, frames),
        source_indices=tuple(range(frames)),
        reader="synthetic",
    )


def _digits(n: int) -> int:
    """Return how many more digits the number n takes than 1 to n, in all.

    Some templates number the images, and some tokenizers count each digit.
    """
    return sum(len(str(n)) - len(str(k)) for k in range(1, n + 1))


def _names(reply: str, colour: str) -> bool:
    """Tell whether *reply* is the label of *colour*, or names it and no other."""
    words = set(re.findall(r"[a-z]+", reply.lower()))
    label = "abcd"[list(COLOURS).index(colour)]
    named = words & set(COLOURS)
    if named:
        return named == {colour}
    return words == {label}


def _told(tokens: Mapping[int, int], what: str = "image") -> str:
    return ", ".join(f"{n} with {k} {what}{'s' * (k != 1)}" for k, n in tokens.items())


def _lost(found: str) -> VideoNotConsumed:
    return VideoNotConsumed(
        f"pictures do not reach the model behind the server: {found}.\n{ADVICE}"
    )
