"""`VdgConfig` and its parts: what a ``vdg.yaml`` can say, and what it is by default.

Apart from the reader of the file, which checks what is written, because all that
asks for a setting needs this and nothing of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pytest_vdg.runs import Caps

if TYPE_CHECKING:
    from pytest_vdg.config.claims import ClaimSpec

DEFAULT_FRAMES = 8


@dataclass(frozen=True, kw_only=True)
class SamplingSpec:
    """Which frames to look at, as written; `Sampling` of ``frames`` acts on it."""

    frames: int | None = None
    fps: float | None = None
    max_frames: int | None = None
    endpoints: bool = False
    protocol: str | None = None
    """Name of a preset that fixes everything a paper fixed."""


@dataclass(frozen=True, kw_only=True)
class SliceSpec:
    """Which questions a slice holds, as written under ``slices``."""

    benchmark: str
    """Name of a registered benchmark."""
    path: Path | None = None
    """Where its files lie; None for built-in ones."""
    videos: Path | None = None
    """Folder of its videos, where they lie elsewhere."""
    variant: str | None = None
    """Which of the benchmark's forms; None for the first."""
    on_bad_records: Literal["strict", "skip"] = "strict"
    questions: int | None = None
    """How many; None for all."""
    tasks: tuple[str, ...] | None = None
    seed: int = 0
    at_least: int = 1
    """Questions of each task."""
    per_video: Literal["all", "one"] = "all"
    pinned: Path | None = None
    """File that names the questions, in place of the five keys above."""
    rotate: int | None = None
    """Rotations of the options that each question is asked under; None for one."""
    template: str | None = None
    """Form of the prompts, as text; None leaves it to the file or the benchmark."""


@dataclass(frozen=True, kw_only=True)
class VdgConfig:
    """What one ``vdg.yaml`` says; paths are absolute, what it omits is default."""

    path: Path | None = None
    """The file; None when there is none."""
    given: frozenset[str] = frozenset()
    """Keys that the file holds."""
    checkpoint: str | None = None
    backend: str = "transformers"
    device: str | None = None
    dtype: str | None = None
    attention: str | None = None
    frames_as: str | None = None
    """``images``: show a local model each frame as a picture; None for its own way."""
    quantisation: str | None = None
    """``nf4`` or ``int8``: quantise weights as they are loaded; None: as stored."""
    device_map: str | None = None
    """``auto``: lay one model over all devices; None: on one."""
    offload: bool = False
    """Whether parts of a model that fit on no device may lie in main memory."""
    base: str | None = None
    """Checkpoint that an adapter belongs to; None for the one that it names."""
    scoring: str | None = None
    option_likelihood: str | None = None
    """``sum`` or ``per_character``, under scoring ``option_text``."""
    max_new_tokens: int | None = None
    trust_remote_code: bool = False
    allow_pickle: bool = False
    local_files_only: bool | None = None
    threads: int | None = None
    share_prefixes: bool | None = None
    """False: ask each prompt as a whole; None and True: share if it is exact."""
    batch_tokens: int | None = None
    server: Mapping[str, Any] | None = None
    """What is asked where the backend is ``openai``, as written."""
    revision: str | None = None
    instruction: str | None = None
    """Last line of the prompt; None for the benchmark's or ours."""
    template: str | None = None
    """Form of the prompt, as text; None for the benchmark's or ours."""
    sampling: SamplingSpec = SamplingSpec(frames=DEFAULT_FRAMES)
    seed: int = 0
    reader: str = "auto"
    decode_workers: int | None = None
    decode_timeout_s: float | None = None
    time_budget: str | None = None
    """How long models may be asked, e.g. ``30m``."""
    conditions: tuple[str, ...] = ("original", "black")
    """What a marker asks for that names none."""
    slices: Mapping[str, SliceSpec] = field(default_factory=dict)
    claims: Mapping[str, ClaimSpec] = field(default_factory=dict)
    """What `vdg run` judges, by name."""
    caps: Caps = field(default_factory=Caps)
    on_bad_media: str = "fail"
    baseline_dir: Path | None = None
    environment: str | None = None
    """What baselines are kept apart for; None where they are not."""
    cache_dir: Path | None = None
    replay: Path | None = None
    """Folder of stored runs to judge in place of asking."""
    compare_to: str | None = None
    """Checkpoint that is the baseline, in place of the committed file."""
    spread: bool | str = False
    """Whether all workers of xdist ask; ``force`` where they share a GPU, too."""
    executor: str | None = None
    """Who asks: ``local``, this process, or ``ray``, actors on a cluster."""
    ray: Mapping[str, Any] | None = None
    """The cluster, where the executor is ``ray``, as written."""
    sight: bool = False
    """Whether a session begins with the sight check of its checkpoints."""
