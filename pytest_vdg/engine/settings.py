"""`RunSettings`: how a run is made, as one value.

Apart from the runner so that configuration, keys and fingerprints speak of
the same fields, and so that nothing is set on a model in passing.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from pytest_vdg.benchmarks.prompts import DEFAULT_TEMPLATE, PromptStyle, render
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.errors import ConfigError, did_you_mean
from pytest_vdg.frames.decode import READERS
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.runs import Caps

ON_BAD_MEDIA = ("fail", "skip")
_LEAST = {
    "give_up_after": 1,
    "decode_workers": 0,
    "window_cells": 1,
    "window_bytes": 1,
}
"""Smallest value of settings that count something."""


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """How a run is made. Scoring and the like belong to the backend."""

    sampling: Sampling
    """Which frames of a video are shown."""
    seed: int = 0
    """Of all random choices, together with the question's id."""
    instruction: str | None = None
    """Last line of each prompt; empty for none, None for the benchmark's or ours."""
    template: str | None = None
    """Form of each prompt, as in `PromptStyle`; None for the benchmark's or ours."""
    reader: str = "auto"
    """What decodes videos: ``auto``, ``pyav`` or ``decord``."""
    size: tuple[int, int] | None = None
    """Height and width that all frames are resized to; None: as in the file."""
    caps: Caps = field(default_factory=Caps)
    """How much may be missing before the run cannot be judged."""
    on_bad_media: Literal["fail", "skip"] = "fail"
    """What videos that cannot be read do: stop the run before the model is
    loaded, or become ``failed`` cells that count against the caps."""
    give_up_after: int = 20
    """Stop when each of this many first cells failed in the backend; >= 1."""
    decode_workers: int = 1
    """Processes that read videos while the model works, each of which can be
    stopped; 0 reads them in this process, where nothing stops a reader."""
    decode_timeout_s: float = 120.0
    """Seconds after which reading a video is given up; > 0."""
    window_cells: int = 64
    """Cells that are put together to a backend that takes many; >= 1. What is
    in flight when a run is killed is lost."""
    window_bytes: int = 256 << 20
    """Bytes of frames after which no more cells are put together; >= 1."""

    def __post_init__(self) -> None:
        """Refuse what no run could be made with."""
        for name, known in (("reader", READERS), ("on_bad_media", ON_BAD_MEDIA)):
            given = getattr(self, name)
            if given not in known:
                raise ValueError(
                    f"{name} must be one of {known}, got {given!r}."
                    + did_you_mean(str(given), known)
                )
        if isinstance(self.seed, bool) or not isinstance(self.seed, int):
            raise TypeError(f"seed must be an integer, got {self.seed!r}")
        if self.size is not None and not all(side >= 1 for side in self.size):
            raise ValueError(f"size must be at least (1, 1), got {self.size!r}")
        for name, least in _LEAST.items():
            given = getattr(self, name)
            if given < least:
                raise ValueError(f"{name} must be at least {least}, got {given!r}")
        if not 0 < self.decode_timeout_s < math.inf:
            raise ValueError(
                f"decode_timeout_s must be above 0, got {self.decode_timeout_s!r}"
            )

    @cached_property
    def style(self) -> PromptStyle:
        """How questions are put, as far as no slice says otherwise."""
        given = {"template": self.template, "instruction": self.instruction}
        return PromptStyle(**{k: v for k, v in given.items() if v is not None})

    def on(self, slice_: Slice) -> RunSettings:
        """Return the settings that hold on *slice_*, its prompts tried out.

        A template of the slice wins over one of the settings, which wins over
        the benchmark's own style; an instruction of the settings always holds.
        Raises `ConfigError` for an instruction that the template would not
        show, and for a template that leaves out a part of some question.
        """
        template, instruction = slice_.template or self.template, self.instruction
        theirs = slice_.benchmark.prompt
        if template is None and theirs is not None:
            template = theirs.template
            instruction = theirs.instruction if instruction is None else instruction
        settings = replace(self, template=template, instruction=instruction)
        if self.instruction and not settings.style.uses_instruction:
            raise ConfigError(
                f"slice {slice_.name!r}: its template has no place for the instruction "
                f"{self.instruction!r:.60}. Write {{{{ instruction }}}} in a template "
                "of yours, or leave the instruction out"
            )
        if settings.style.template != DEFAULT_TEMPLATE:
            for question in slice_.questions:
                render(question, settings.style)
        return settings

    def comparable(self) -> dict[str, str]:
        """Return what must be equal for two runs to be compared.

        Caps and policies are left out: they change verdicts, not answers.
        """
        size = "as in the file" if self.size is None else "x".join(map(str, self.size))
        style = self.style
        found = {
            "instruction": _digest(style.instruction),
            "reader": self.reader,
            "sampling": self.sampling.spec(),
            "seed": str(self.seed),
            "size": size,
        }
        # Ours is left out: baselines from before there were others stay valid.
        if style.template != DEFAULT_TEMPLATE:
            found["template"] = _digest(style.template)
        return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
