"""What ``vdg doctor`` says of the project: file, checkpoint, slices, folders.

Apart from the machine because it hangs on settings, which may not be there.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vdg._commands._check import Check, State, looked, nearest, writable
from pytest_vdg._commands._check_backend import checked_backend, made
from pytest_vdg.config.ci import in_ci
from pytest_vdg.config.settings import Settings
from pytest_vdg.config.switches import LOCAL_BACKENDS, SERVER_BACKEND
from pytest_vdg.errors import ConfigError, VdgError
from pytest_vdg.sessions.asks import DEFAULT_SLICE, Ask
from pytest_vdg.sessions.executors import LOCAL
from pytest_vdg.spelling import count, size

if TYPE_CHECKING:
    from pytest_vdg.backends._hf_room import Memory

_LITTLE = 1_000_000_000
"""Free space below which there is a warning, in bytes."""


def project(settings: Settings) -> Iterator[Check]:
    """Yield what stands in the way of a run by *settings*, and what does not."""
    yield from looked("config", lambda: _config(settings))
    if settings.replay is None:
        yield from looked("backend", lambda: checked_backend(settings))
        yield from looked("checkpoint", lambda: _checkpoint(settings))
        if settings.compare_to is not None:
            yield from looked("against", lambda: _checkpoint(settings.compared))
    else:
        yield from looked("replay", lambda: _replay(settings))
    yield from _slices(settings)
    yield from looked("cache", lambda: _cache(settings))
    yield from looked("baselines", lambda: _baselines(settings))
    yield from looked("outputs", lambda: _outputs(settings))
    yield from looked("github", _github)


def slice_names(settings: Settings) -> tuple[str, ...]:
    """Return the slices of ``vdg.yaml``, or the one that is used where it has none."""
    return tuple(settings.config.slices) or (DEFAULT_SLICE,)


def _config(settings: Settings) -> Iterator[Check]:
    path = settings.config.path
    if path is None:
        told = "there is no vdg.yaml here: defaults hold"
        yield Check(about="config", told=told)
        return
    yield Check(about="config", told=f"{path} is valid")
    settings.run_settings()


def _checkpoint(settings: Settings) -> Iterator[Check]:
    where = settings.locate()
    if where is None:
        yield Check(
            about="checkpoint",
            state=State.WARN,
            told="none is configured: tests that need one are skipped",
            advice="vdg doctor CHECKPOINT, or write checkpoint: PATH into vdg.yaml",
        )
        return
    if settings.backend == SERVER_BACKEND:
        yield _server(settings, where)
        return
    if settings.backend not in LOCAL_BACKENDS:
        told = f"{where}: what that is, backend {settings.backend} knows alone"
        yield Check(about="checkpoint", told=told)
        return
    yield from _local(settings, where)


def _server(settings: Settings, where: str) -> Check:
    """Look at a server's settings; it is not asked, which may cost money."""
    from pytest_vdg.backends._server_key import key_variable
    from pytest_vdg.backends.openai_server import OpenAIBackend

    backend = made(settings, where)
    assert isinstance(backend, OpenAIBackend)
    backend.close()
    variable = key_variable()
    key = f"its key from {variable}" if variable else "without a key"
    told = f"{where} at {backend.settings.host}, {key}: a server, not asked here"
    return Check(about="checkpoint", told=told)


def _local(settings: Settings, where: str) -> Iterator[Check]:
    """Look at a checkpoint as far as that needs no weights."""
    from pytest_vdg.backends.transformers import TransformersBackend

    folder = Path(where)
    try:
        # Making it checks every file that a run would refuse; nothing is fetched.
        backend = made(settings, where, fetch=False)
    except ConfigError as error:
        if folder.is_dir() or settings.config.local_files_only:
            raise
        # A run may fetch it, and this may not.
        yield Check(about="checkpoint", state=State.WARN, told=str(error))
        return
    assert isinstance(backend, TransformersBackend)
    backend.close()
    files = backend.files
    weight = sum(path.stat().st_size for path in files.weight_files)
    number = count(len(files.weight_files), "weight file")
    told = f"{where}: {number}, {size(weight)}"
    base = "" if files.adapter is None else f"; an adapter of {files.folder}"
    yield Check(about="checkpoint", told=told + base)
    for note in backend.notes:
        yield Check(about="checkpoint", state=State.WARN, told=note)
    yield from _model(files.config)
    if settings.executor == LOCAL:  # else it is asked where there may be more
        yield from looked("memory", lambda: [_room(backend.memory)])


def _model(config: Mapping[str, Any]) -> Iterator[Check]:
    from pytest_vdg.backends.machine import knows_model_type

    kind = str(config.get("model_type", ""))
    if knows_model_type(kind):
        yield Check(about="model", told=f"{kind}: known to the installed transformers")
    elif not config.get("auto_map"):
        yield Check(
            about="model",
            state=State.FAIL,
            told=f"{kind or 'no model_type'}: not known to the installed transformers",
            advice="pip install --upgrade transformers",
        )


def _room(memory: Memory) -> Check:
    """Say whether the checkpoint fits; a run would refuse what does not."""
    try:
        memory.require()
    except ConfigError as error:
        first, _, advice = str(error).partition("\n")
        return Check(about="memory", state=State.FAIL, told=first, advice=advice)
    if memory.warning:
        return Check(about="memory", state=State.WARN, told=memory.warning)
    return Check(about="memory", told=memory.told)


def _replay(settings: Settings) -> Iterator[Check]:
    """Read every run that could be asked for; other files are passed over."""
    from pytest_vdg.sessions.replay import Replay

    where, stored = settings.replay, Replay(settings).stored
    assert where is not None
    if not stored:
        folder = where if where.is_dir() else where.parent
        yield Check(
            about="replay",
            state=State.FAIL,
            told=f"{where} holds no run",
            advice="vdg import ... --to " + str(folder / "NAME.jsonl"),
        )
        return
    faults = [fault for each in stored if (fault := _unread(each.path))]
    for fault in faults:
        yield Check(about="replay", state=State.FAIL, told=fault)
    if sound := len(stored) - len(faults):
        many = count(sound, "stored run")
        yield Check(about="replay", told=f"{many} in {where}")


def _unread(path: Path) -> str | None:
    """Return why the stored run at *path* cannot be read, or None where it can."""
    from pytest_vdg.store.runfile import load_run

    try:
        load_run(path)
    except VdgError as error:
        return str(error)
    return None


def _slices(settings: Settings) -> Iterator[Check]:
    if settings.replay is None:
        for name in slice_names(settings):
            yield from looked("slice", partial(_slice, settings, name))


def _slice(settings: Settings, name: str) -> Iterator[Check]:
    from pytest_vdg.reports.slice import missing_videos
    from pytest_vdg.sessions.asks import take_slice

    found = take_slice(settings, Ask(slice=name))
    gone = missing_videos(found)
    told = f"{name}: {len(found)} questions, {len(found.tasks)} tasks"
    if not gone:
        yield Check(about="slice", told=f"{told}; all videos are there")
        return
    yield Check(
        about="slice",
        state=State.FAIL,
        told=f"{told}; {len(gone)} videos are not there, e.g. {gone[0]}",
        advice=f"vdg benchmarks {found.benchmark.name}, which says where they belong",
    )


def _cache(settings: Settings) -> Iterator[Check]:
    folder = settings.cache_dir
    if not writable(folder, folder=True):
        yield Check(
            about="cache",
            state=State.FAIL,
            told=f"{folder} cannot be written",
            advice="vdg doctor --cache-dir FOLDER",
        )
        return
    free = shutil.disk_usage(nearest(folder.absolute())).free
    kept = sum(path.stat().st_size for path in folder.glob("*") if path.is_file())
    little = free < _LITTLE
    yield Check(
        about="cache",
        state=State.WARN if little else State.OK,
        told=f"{folder}: {size(kept)} kept, {size(free)} of disk free",
        advice="vdg cache prune --older-than 30d" if little else "",
    )


def _baselines(settings: Settings) -> Iterator[Check]:
    from pytest_vdg.sessions.baseline_advice import as_typed

    folder = settings.baseline_dir
    files = sorted((*folder.glob("*.jsonl"), *folder.glob("*/*.jsonl")))
    if not files:
        yield Check(
            about="baselines",
            state=State.WARN,
            told=f"there is none in {folder}: claims against one cannot be judged",
            advice=f"pytest {as_typed(settings)}--vdg-update-baseline",
        )
        return
    for fault in filter(None, map(_unread, files)):
        yield Check(about="baselines", state=State.FAIL, told=fault)
    names = [str(path.relative_to(folder).with_suffix("")) for path in files]
    told = f"{len(files)} in {folder}: {', '.join(names)}"
    yield Check(about="baselines", told=told)


def _outputs(settings: Settings) -> Iterator[Check]:
    for name, where in settings.outputs.items():
        if where == "auto":
            continue
        able = writable(
            Path(where), folder=name == "report", appended=name == "summary"
        )
        told = f"{name}: {where}" + ("" if able else " cannot be written")
        state = State.OK if able else State.FAIL
        yield Check(about="outputs", state=state, told=told)


def _github() -> Iterator[Check]:
    if os.environ.get("GITHUB_ACTIONS") != "true":
        where = "another CI" if in_ci() is not None else "no CI"
        yield Check(about="github", told=f"not here ({where})")
        return
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and writable(Path(summary), appended=True):
        yield Check(about="github", told="Actions, with a step summary")
        return
    yield Check(
        about="github",
        state=State.WARN,
        told="Actions, and no step summary that can be written",
    )
