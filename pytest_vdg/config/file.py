"""`VdgConfig`: what ``vdg.yaml`` says, every key known and every type checked.

Apart from the settings that options and the environment add to it, so that a
file is judged by itself: a value keeps the type it was written in, and a
misspelt key is an error with the line it stands in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pytest_vdg.config.kinds import (
    CAPS,
    DRAWS,
    SAMPLING,
    SERVER,
    SLICE,
    TOP,
    Kind,
    hint,
    named,
)
from pytest_vdg.config.switches import NAME
from pytest_vdg.config.template import read_template
from pytest_vdg.errors import ConfigError, did_you_mean
from pytest_vdg.runs import Caps

if TYPE_CHECKING:
    from pytest_vdg.config.claims import ClaimSpec
    from pytest_vdg.config.strict_yaml import Document

FILE_NAME = "vdg.yaml"
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


KEYS = frozenset({*TOP, "sampling", "server", "slices", "claims", "caps"})
"""All keys that a ``vdg.yaml`` may hold."""


def load_config(path: Path | str) -> VdgConfig:
    """Read the ``vdg.yaml`` at *path*, or raise `ConfigError` with the line.

    No value is converted: where a number is wanted, ``'8'`` is an error that
    shows what to write. ``no``, ``on`` and ``yes`` are texts.
    """
    from pytest_vdg.config.strict_yaml import read_yaml

    document = read_yaml(Path(path).absolute())
    _require_known(document, document.values, KEYS)
    values = _checked(document, {k: document.values.get(k) for k in TOP}, TOP)
    values.update(_sections(document))
    for name in ("baseline_dir", "cache_dir", "replay"):
        if name in values:
            values[name] = document.path.parent / str(values[name])
    if "template" in values:
        values["template"] = read_template(document, "template")
    return VdgConfig(path=document.path, given=frozenset(document.values), **values)


def _sections(document: Document) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "sampling" in document.values:
        found["sampling"] = _sampling(document)
    if "server" in document.values:
        found["server"] = _server(document)
    if "slices" in document.values:
        found["slices"] = _slices(document)
    if "claims" in document.values:
        from pytest_vdg.config.claims import read_claims  # NumPy comes with it

        found["claims"] = read_claims(document)
    if "caps" in document.values:
        found["caps"] = Caps(**_section(document, CAPS, "caps"))
    return found


def _sampling(document: Document) -> SamplingSpec:
    values = _section(document, SAMPLING, "sampling")
    ways = [name for name in ("frames", "fps", "protocol") if name in values]
    if len(ways) != 1:
        raise ConfigError(
            f"{document.where('sampling')}: 'sampling' needs exactly one of frames, "
            f"fps and protocol, got {' and '.join(ways) or 'none'}. "
            "Write for example: sampling: {frames: 8}"
        )
    if "max_frames" in values and ways != ["fps"]:
        raise ConfigError(
            f"{document.where('sampling', 'max_frames')}: 'sampling.max_frames' "
            "belongs to 'fps'. Write for example: sampling: {fps: 1, max_frames: 32}"
        )
    return SamplingSpec(**values)


def _server(document: Document) -> dict[str, Any]:
    if not isinstance(document.values["server"], dict):
        # Not shown: whoever writes one line may have put a password into it.
        raise ConfigError(
            f"{document.where('server')}: 'server' must be a mapping. Write for "
            "example: server: {url: http://localhost:8000/v1}"
        )
    return _section(document, SERVER, "server")


def _slices(document: Document) -> dict[str, SliceSpec]:
    entries = document.values["slices"]
    if not isinstance(entries, dict):
        raise _wrong(document, ("slices",), entries, "a mapping from name to slice")
    return {name: _slice(document, name) for name in entries}


def _slice(document: Document, name: str) -> SliceSpec:
    if not NAME.fullmatch(name):
        raise ConfigError(
            f"{document.where('slices', name)}: slice name {name!r} must be made of "
            "letters, digits, '.', '_' and '-': a file is named after it"
        )
    values = _section(document, SLICE, "slices", name)
    for key in ("path", "videos", "pinned"):
        if key in values:
            values[key] = document.path.parent / values[key]
    if "template" in values:
        values["template"] = read_template(document, "slices", name, "template")
    drawn = [key for key in DRAWS if key in values]
    if "pinned" in values and drawn:
        raise ConfigError(
            f"{document.where('slices', name, drawn[0])}: slice {name!r} is pinned, so "
            f"that its file names its questions: remove {' and '.join(drawn)}, or "
            "'pinned'"
        )
    return SliceSpec(**{"benchmark": name, **values})


def _section(
    document: Document, kinds: Mapping[str, Kind], *place: str
) -> dict[str, Any]:
    entries: Any = document.values
    for key in place:
        entries = entries[key]
    if not isinstance(entries, dict):
        raise _wrong(document, place, entries, f"a mapping with {', '.join(kinds)}")
    _require_known(document, entries, kinds, *place)
    return _checked(document, entries, kinds, *place)


def _require_known(
    document: Document,
    values: Mapping[str, object],
    known: Collection[str],
    *place: str,
) -> None:
    for key in values:
        if key not in known:
            raise ConfigError(
                f"{document.where(*place, key)}: unknown key "
                f"{'.'.join((*place, key))!r}." + did_you_mean(key, known)
            )


def _checked(
    document: Document,
    values: Mapping[str, object],
    kinds: Mapping[str, Kind],
    *place: str,
) -> dict[str, Any]:
    """Return the values that are there, or say which is not of its kind."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        if (*place, key) not in document.lines:
            continue
        if not kinds[key].accepts(value):
            raise _wrong(document, (*place, key), value, kinds[key].words, kinds[key])
        found[key] = kinds[key].make(value)
    return found


def _wrong(
    document: Document,
    place: tuple[str, ...],
    value: object,
    words: str,
    kind: Kind | None = None,
) -> ConfigError:
    return ConfigError(
        f"{document.where(*place)}: {'.'.join(place)!r} must be {words}, got "
        f"{named(value)}.{hint(place[-1], value, kind)}"
    )
