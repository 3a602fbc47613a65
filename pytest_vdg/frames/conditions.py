"""Conditions: what is done to a clip before the model sees it.

Apart from decoding and from asking so that every backend is shown the very
same pictures. A condition is a value that can be written in a file; adding one
is one function and one line in `_KINDS`, or one call of `register_condition`.

All conditions but those of rate keep the number of frames, their size and the
time marks; only the pictures change. What is random depends on the run's seed,
the condition and the question's id, never on the order of calls, the worker or
the batch.

``compressed:28``, ``sampled:8`` and ``fps:2`` are not made of the frames of the
others: they are *read* otherwise. `view_of` says how; `apply` then changes
nothing, and refuses a clip that was read for another condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pytest_vdg.errors import ConditionNotApplicable, ConfigError, did_you_mean
from pytest_vdg.frames import _transforms
from pytest_vdg.frames._numbers import CRF, FRAMES, RATE, Number, meant
from pytest_vdg.frames._transforms import Draw, Request, Transform
from pytest_vdg.frames.clip import Clip
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.frames.view import View

__all__ = [
    "LADDER",
    "RATES",
    "Condition",
    "Draw",
    "Request",
    "Transform",
    "apply",
    "crf_of",
    "derange",
    "known_conditions",
    "needs_partner",
    "register_condition",
    "view_of",
]

LADDER = ("black", "single_frame", "shuffled", "original")
"""The conditions of the ladder, from the one that shows least."""
RATES = ("sampled", "fps")
"""Names of the conditions that show another number of frames."""


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """A transform and what its spec may look like."""

    transform: Transform
    arguments: tuple[str, ...] = ()
    """Arguments that the spec may have; it may always have none."""
    partner: bool = False
    """Whether a clip of another video is needed."""
    number: Number | None = None
    """The number that the spec must have; None for none."""
    view: Callable[[Sampling, str], View] | None = None
    """From the run's sampling and the number to what is read; None: as the run."""


_KINDS: dict[str, _Kind] = {
    "original": _Kind(transform=_transforms.original),
    "black": _Kind(transform=_transforms.black),
    "single_frame": _Kind(transform=_transforms.single_frame, arguments=("middle",)),
    "shuffled": _Kind(transform=_transforms.shuffled, arguments=("blocks",)),
    "reversed": _Kind(transform=_transforms.reversed_),
    "text_only": _Kind(transform=_transforms.text_only),
    "mismatched": _Kind(transform=_transforms.mismatched, partner=True),
    "compressed": _Kind(
        transform=_transforms.compressed,
        number=CRF,
        view=lambda own, crf: View(sampling=own, crf=int(crf)),
    ),
    "sampled": _Kind(
        transform=_transforms.sampled,
        number=FRAMES,
        view=lambda own, count: View(sampling=own.of_frames(int(count))),
    ),
    "fps": _Kind(
        transform=_transforms.original,
        number=RATE,
        view=lambda own, rate: View(sampling=own.of_rate(float(rate))),
    ),
}


@dataclass(frozen=True, kw_only=True)
class Condition:
    """What is done to a clip, as a value; `str()` gives the spec back."""

    name: str
    """A registered name, e.g. ``single_frame``."""
    argument: str | None = None
    """What follows the colon, e.g. ``middle``."""

    def __post_init__(self) -> None:
        """Refuse what is not registered, and say what was probably meant."""
        kind = _KINDS.get(self.name)
        if kind is None:
            numbered = [name for name, known in _KINDS.items() if known.number]
            hint = meant(str(self.name), self.argument, numbered)
            raise ConfigError(
                f"unknown condition {self.name!r}."
                f"{hint or did_you_mean(str(self.name), _KINDS)} "
                "Example: conditions: [original, black, single_frame:middle]"
            )
        if kind.number is not None:
            kind.number.check(self.name, self.argument)
            return
        if self.argument is None or self.argument in kind.arguments:
            return
        if not kind.arguments:
            raise ConfigError(
                f"condition {self.name!r} takes no argument, got {self.argument!r}. "
                f"Example: {self.name}"
            )
        specs = [f"{self.name}:{argument}" for argument in kind.arguments]
        raise ConfigError(
            f"condition {self.name!r} does not know the argument {self.argument!r}."
            f"{did_you_mean(str(self), specs)} Example: {specs[0]}"
        )

    @classmethod
    def parse(cls, spec: str) -> Condition:
        """Return the condition that *spec* names.

        >>> Condition.parse("single_frame:middle")
        Condition(name='single_frame', argument='middle')
        """
        if not isinstance(spec, str):
            raise ConfigError(
                f"a condition is a text, got {spec!r}. Example: single_frame:middle"
            )
        name, colon, argument = spec.partition(":")
        return cls(name=name, argument=argument if colon else None)

    def __str__(self) -> str:
        """Return the spec."""
        return self.name if self.argument is None else f"{self.name}:{self.argument}"


def view_of(condition: Condition, own: Sampling) -> View:
    """Return how frames are read for *condition* in a run that samples by *own*.

    >>> view_of(Condition.parse("fps:2"), Sampling(fps=1, max_frames=8)).sampling.spec()
    'fps=2,max_frames=8'
    """
    view = _KINDS[condition.name].view
    if view is None:
        return View(sampling=own)
    assert condition.argument is not None, "it has a number"
    return view(own, condition.argument)


def crf_of(condition: Condition) -> int | None:
    """Return at which CRF the video is encoded for *condition*; None for as it is."""
    return view_of(condition, Sampling(frames=1)).crf


def apply(
    condition: Condition,
    clip: Clip,
    *,
    question_id: str,
    seed: int,
    block: int = 1,
    partner: Clip | None = None,
) -> Clip | None:
    """Return *clip* as *condition* shows it; None where it shows no video.

    Parameters
    ----------
    condition
        What to do.
    clip
        The frames that were read as `view_of` says; left as they are.
    question_id, seed
        All that randomness depends on, together with the condition.
    block
        Neighbouring frames that the model merges, for ``shuffled:blocks``.
    partner
        A clip of another video of the same size, for ``mismatched``.

    Raises
    ------
    ConditionNotApplicable
        If the condition has no meaning for this clip.
    """
    if isinstance(block, bool) or not isinstance(block, int) or block < 1:
        raise ValueError(f"block must be an integer of at least 1, got {block!r}")
    request = Request(
        argument=condition.argument,
        draw=Draw(key=f"{seed}:{condition}:{question_id}"),
        block=block,
        partner=partner,
    )
    if clip.crf is not None and condition.name != "compressed":
        raise ValueError(
            f"condition {str(condition)!r} is about the video as it is, and this clip "
            f"was compressed at CRF {clip.crf}"
        )
    shown = _KINDS[condition.name].transform(clip, request)
    if shown is not None and (
        shown.frames.shape != clip.frames.shape
        or not np.array_equal(shown.timestamps_s, clip.timestamps_s)
    ):
        raise ValueError(
            f"condition {str(condition)!r} must keep {clip!r} in count, size and "
            f"times, it gave {shown!r}"
        )
    return shown


def needs_partner(condition: Condition) -> bool:
    """Tell whether *condition* needs the clip of another video."""
    return _KINDS[condition.name].partner


def known_conditions() -> tuple[str, ...]:
    """Return every spec that can be written, sorted; a number as its sign.

    >>> [spec for spec in known_conditions() if ":" in spec][:2]
    ['compressed:CRF', 'fps:R']
    """
    specs = []
    for name, kind in _KINDS.items():
        specs += [name] if kind.number is None else [f"{name}:{kind.number.sign}"]
        specs += [f"{name}:{argument}" for argument in kind.arguments]
    return tuple(sorted(specs))


def register_condition(
    name: str,
    transform: Transform,
    *,
    arguments: Iterable[str] = (),
    partner: bool = False,
) -> None:
    """Make *name* a condition that every backend and benchmark can use.

    Parameters
    ----------
    name
        The word to write in specs: letters, digits and underscores.
    transform
        From a clip to the clip shown. It must keep count, size and times.
    arguments
        Words that may follow the name after a colon.
    partner
        Whether the clip of another video is needed.
    """
    if not name.isidentifier():
        raise ConfigError(
            f"a condition's name is letters, digits and underscores, got {name!r}"
        )
    if name in _KINDS:
        raise ConfigError(f"condition {name!r} exists already; choose another name")
    _KINDS[name] = _Kind(
        transform=transform, arguments=tuple(arguments), partner=partner
    )


def derange(video_ids: Sequence[str], seed: int) -> dict[str, str]:
    """Return for each video another one, whose clip ``mismatched`` shows.

    Each video is shown in place of exactly one other. The result depends on
    *seed* and on the set of ids, not on their order or repetition.

    Raises
    ------
    ConditionNotApplicable
        If there are fewer than two distinct videos.
    """
    distinct = sorted(set(video_ids))
    if len(distinct) < 2:
        raise ConditionNotApplicable(
            f"'mismatched' needs at least two different videos, got {len(distinct)}"
        )
    draw = Draw(key=f"{seed}:mismatched")
    circle = sorted(distinct, key=lambda video: draw.number("video", video))
    return dict(zip(circle, circle[1:] + circle[:1], strict=True))
