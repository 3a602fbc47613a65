"""`Ask`: what one test wants to know, and the slice that it means.

Apart from the session because names are looked up here and nothing is kept:
a misspelt one must be found before a model is made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from pytest_vdg.config.file import SliceSpec
from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from pytest_vdg.benchmarks.slices import Slice

DEFAULT_SLICE = "sight"


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What one test wants to know; None leaves it to the configuration."""

    slice: str | None = None
    conditions: tuple[str, ...] | None = None
    questions: int | None = None
    tasks: tuple[str, ...] | None = None
    seed: int | None = None
    checkpoint: str | None = None


def require_slice(settings: Settings, ask: Ask) -> None:
    """Raise `ConfigError` for a slice or benchmark that nothing is known by."""
    _spec(settings, _name(settings, ask))


def take_slice(settings: Settings, ask: Ask) -> Slice:
    """Return the questions that *ask* is about; reads its benchmark."""
    from pytest_vdg.benchmarks.registry import load_benchmark
    from pytest_vdg.benchmarks.slices import take

    name = _name(settings, ask)
    spec = _spec(settings, name)
    benchmark = load_benchmark(spec.benchmark, spec.path)
    tasks = ask.tasks if ask.tasks is not None else spec.tasks
    seed = ask.seed if ask.seed is not None else spec.seed
    slice_ = take(
        benchmark,
        name=name + _suffix(ask),
        questions=ask.questions if ask.questions is not None else spec.questions,
        tasks=tasks,
        seed=seed,
    )
    limit = settings.questions
    if limit is None or limit >= len(slice_.questions):
        return slice_
    return take(benchmark, name=slice_.name, questions=limit, tasks=tasks, seed=seed)


def _name(settings: Settings, ask: Ask) -> str:
    if ask.slice is not None:
        return ask.slice
    named = settings.config.slices
    if len(named) > 1:
        raise ConfigError(
            f"which slice? vdg.yaml names {', '.join(sorted(named))}. "
            "Say it: @pytest.mark.vdg(slice='...')"
        )
    return next(iter(named), DEFAULT_SLICE)


def _spec(settings: Settings, name: str) -> SliceSpec:
    named = settings.config.slices
    known = _benchmark_names()
    spec = named.get(name, SliceSpec(benchmark=name))
    if name not in named and name not in known:
        raise ConfigError(
            f"there is no slice {name!r}: vdg.yaml names none, and no benchmark "
            "is called so." + did_you_mean(name, {*named, *known})
        )
    if spec.benchmark not in known:
        raise ConfigError(
            f"slice {name!r}: there is no benchmark {spec.benchmark!r}."
            + did_you_mean(spec.benchmark, known)
        )
    return spec


def _benchmark_names() -> set[str]:
    from pytest_vdg.benchmarks.registry import BENCHMARKS, GROUP

    return {*BENCHMARKS, *(point.name for point in entry_points(group=GROUP))}


def _suffix(ask: Ask) -> str:
    """Return what tells a part asked for by a test from the whole slice."""
    parts = [*(ask.tasks or ()), *([str(ask.questions)] if ask.questions else [])]
    if ask.seed is not None:
        parts.append(f"seed{ask.seed}")
    # A file is named after it, and tasks are called anything.
    return re.sub(r"[^\w.+-]", "_", "".join(f"-{part}" for part in parts))


def given_slice(slice_: object, ask: Ask) -> Slice:
    """Return *slice_*, or say why it is none that *ask* can be about."""
    from pytest_vdg.benchmarks.slices import Slice

    if not isinstance(slice_, Slice):
        raise TypeError(
            f"evaluate takes the name of a slice or a Slice, got "
            f"{type(slice_).__name__}. Make one with: take(benchmark, questions=60)"
        )
    if (ask.questions, ask.tasks, ask.seed) != (None, None, None):
        raise TypeError("a Slice is what it is: give questions, tasks, seed to take()")
    return slice_
