"""`Ask`: what one test wants to know, and the slice that it means.

Apart from the session because names are looked up here and nothing is kept:
a misspelt one must be found before a model is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_vdg.config.settings import Settings
from pytest_vdg.config.specs import SliceSpec
from pytest_vdg.errors import (
    BenchmarkError,
    ConfigError,
    CouldNotBeJudged,
    did_you_mean,
)
from pytest_vdg.sessions.judging import endings_told

if TYPE_CHECKING:
    from pytest_vdg.benchmarks.schema import Benchmark
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


def texts(value: str | Sequence[str]) -> tuple[str, ...]:
    """Return *value*, one name or several, as several."""
    return (value,) if isinstance(value, str) else tuple(value)


def require_slice(settings: Settings, ask: Ask) -> None:
    """Raise `ConfigError` for a slice or benchmark that nothing is known by."""
    name = _name(settings, ask)
    pinned = _spec(settings, name).pinned
    if pinned is not None and not pinned.is_file():
        raise ConfigError(
            f"slice {name!r} is pinned in {pinned}, which is not there. "
            f"Make it with: vdg slice BENCHMARK --to {pinned}"
        )


@contextmanager
def about_slice(name: str) -> Iterator[None]:
    """Let what is wrong with a benchmark or a run begin with the slice's name.

    The lower layers name a file, a folder or a question; whoever reads the
    first line in a CI summary knows slices.
    """
    try:
        yield
    except (BenchmarkError, CouldNotBeJudged) as error:
        said = f"slice {name!r}"
        if said in str(error).partition("\n")[0]:
            raise
        raise type(error)(f"{said}: {error}") from error


def take_slice(settings: Settings, ask: Ask) -> Slice:
    """Return the questions that *ask* is about; reads its benchmark.

    `Slice.notes` says what people should hear of it, records left out first.
    Raises `ConfigError` where the template does not fit one of its questions.
    """
    from pytest_vdg.benchmarks.registry import load_benchmark
    from pytest_vdg.benchmarks.rotation import rotated

    name = _name(settings, ask)
    spec = _spec(settings, name)
    with endings_told(), about_slice(name):
        benchmark = load_benchmark(
            spec.benchmark,
            spec.path,
            videos=spec.videos,
            variant=spec.variant,
            on_bad_records=spec.on_bad_records,
        )
        draw = _drawn if spec.pinned is None else _pinned
        slice_ = draw(benchmark, spec, ask, name + suffix(ask))
    if settings.questions is not None:
        # Slices nest: the beginning is what fewer questions would have drawn.
        slice_ = replace(slice_, ids=slice_.ids[: settings.questions])
    notes = (*problem_notes(name, benchmark), *slice_.notes)
    slice_ = replace(slice_, template=spec.template, notes=notes)
    if spec.rotate is not None:
        slice_ = rotated(slice_, spec.rotate)
    _try_prompts(settings, name, slice_)
    return slice_


def _try_prompts(settings: Settings, name: str, slice_: Slice) -> None:
    """Raise `ConfigError` where a prompt cannot be made, while no model is there."""
    asked = settings.run_settings()
    try:
        asked.on(slice_)
    except ConfigError as error:
        said = str(error).removeprefix(f"slice {slice_.name!r}: ")
        raise ConfigError(f"slice {name!r}: {said}") from error


def _drawn(benchmark: Benchmark, spec: SliceSpec, ask: Ask, name: str) -> Slice:
    from pytest_vdg.benchmarks.slices import take

    return take(
        benchmark,
        name=name,
        questions=ask.questions if ask.questions is not None else spec.questions,
        tasks=ask.tasks if ask.tasks is not None else spec.tasks,
        seed=ask.seed if ask.seed is not None else spec.seed,
        at_least=spec.at_least,
        per_video=spec.per_video,
    )


def _pinned(benchmark: Benchmark, spec: SliceSpec, ask: Ask, name: str) -> Slice:
    """Return what the pinned file names, or of it what *ask* wants."""
    from pytest_vdg.benchmarks.pinned import load_slice

    assert spec.pinned is not None
    whole = load_slice(benchmark, spec.pinned)
    if ask.seed is not None:
        raise ConfigError(
            f"slice {name!r} is pinned in {spec.pinned}: another seed cannot draw "
            "other questions. Leave the seed out, or 'pinned' in vdg.yaml"
        )
    for task in ask.tasks or ():
        if task not in whole.tasks:
            raise ConfigError(
                f"slice {name!r}, pinned in {spec.pinned}, has no task {task!r}."
                + did_you_mean(task, whole.tasks)
            )
    wanted = whole.tasks if ask.tasks is None else ask.tasks
    ids = tuple(q.id for q in whole.questions if q.task in wanted)
    if ask.questions is not None and ask.questions > len(ids):
        raise ConfigError(
            f"{ask.questions} questions were asked of slice {name!r}, which is pinned "
            f"in {spec.pinned} and has {len(ids)}"
        )
    return replace(whole, name=name, ids=ids[: ask.questions])


def problem_notes(name: str, benchmark: Benchmark) -> list[str]:
    """Return what is told of records of *benchmark* that are left out, or odd."""
    notes = []
    for dropped, what in ((True, "left out"), (False, "odd, but used")):
        found = [p for p in benchmark.problems if p.dropped is dropped]
        if found:
            first = f"{found[0].file}, {found[0].record}: {found[0].reason}"
            notes.append(
                f"slice {name!r}: records of benchmark {benchmark.name!r} that are "
                f"{what}: {len(found)} (first: {first}); `vdg slice --all` lists them"
            )
    return notes


def named_slice(settings: Settings, ask: Ask) -> str:
    """Return what the run of *ask* will call its slice; reads no benchmark."""
    return _name(settings, ask) + suffix(ask)


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
    from pytest_vdg.benchmarks.registry import benchmark_names

    return set(benchmark_names())


def slice_key(slice_: Slice) -> str:
    """Return what makes runs on *slice_* the same run, whatever tests call it."""
    # Where the videos lie, too: the digest of a slice does not tell.
    asked = slice_.name, slice_.digest, slice_.benchmark.digest, slice_.template or ""
    return ":".join((*asked, str(slice_.benchmark.root)))


def suffix(ask: Ask) -> str:
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
