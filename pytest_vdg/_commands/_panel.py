"""What ``audit`` and ``filter`` share: whom to ask, about what, and where it goes.

Apart from both because a panel is named alike, and a benchmark that stands in no
vdg.yaml is found as ``vdg slice`` finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Group, Parameter

from pytest_vdg._commands._arguments import (
    STDOUT,
    Condition,
    File,
    Folder,
    Variadic,
    Where,
    names,
    require_file,
    settings_of,
)
from pytest_vdg._commands._check import nearest, writable
from pytest_vdg._commands._counts import written
from pytest_vdg._commands._progress import progress_line
from pytest_vdg._commands.slice import Source
from pytest_vdg.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_vdg.audits.panel import Panel
    from pytest_vdg.benchmarks.slices import Slice
    from pytest_vdg.config.settings import Settings


@Parameter(name="*", group=Group("The panel", sort_key=3))
@dataclass(frozen=True, kw_only=True)
class Asked:
    """Which models answer, and how text models are asked."""

    models: Annotated[list[str] | None, Variadic] = None
    """Video models: folders, hub ids, or names of stored runs"""
    text_models: Annotated[list[str] | None, Variadic] = None
    """Text-only language models, asked without a video"""
    text_backend: str | None = None
    """How text models are asked (default: text-lm)"""
    conditions: Annotated[list[Condition] | None, Variadic] = None
    """What video models are asked under (default: all six of the ladder)"""


@Parameter(name="*", group=Group("Reports", sort_key=8))
@dataclass(frozen=True, kw_only=True)
class Written:
    """Where reports go."""

    json: Annotated[
        File | None, Parameter(allow_leading_hyphen=True, validator=require_file)
    ] = None
    """Write all numbers to this JSON file; - for standard output, and no text"""
    markdown: File | None = None
    """Write the tables to this Markdown file"""
    html: Folder | None = None
    """Write a page and its pictures to this folder"""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What is looked at: the settings, and the slice where it is at hand."""

    settings: Settings
    name: str
    given: Slice | None
    """Of a benchmark that was found by ``--path``."""


def subject_of(slice_: str, source: Source, where: Where | None) -> Subject:
    """Return what *slice_* is: a slice of vdg.yaml, or a benchmark where it lies."""
    settings = settings_of(where)
    if source == Source():
        return Subject(settings=settings, name=slice_, given=None)
    if slice_ in settings.config.slices:
        raise ConfigError(
            f"slice {slice_!r} stands in {settings.config.path}, which says where it "
            "lies: leave out --path and the like, or name the benchmark"
        )
    from dataclasses import replace

    from pytest_vdg._commands.slice import benchmark_at
    from pytest_vdg.benchmarks.slices import take
    from pytest_vdg.sessions.asks import problem_notes

    benchmark = benchmark_at(slice_, source)
    whole = take(benchmark)
    notes = (*problem_notes(slice_, benchmark), *whole.notes)
    given = replace(whole, ids=whole.ids[: settings.questions], notes=notes)
    return Subject(settings=settings, name=slice_, given=given)


def questions_of(subject: Subject) -> Slice:
    """Return the slice itself; reads its benchmark, asks nobody."""
    if subject.given is not None:
        return subject.given
    from pytest_vdg.sessions.asks import Ask, require_slice, take_slice

    ask = Ask(slice=subject.name)
    require_slice(subject.settings, ask)
    return take_slice(subject.settings, ask)


def panel_of(subject: Subject, asked: Asked, also: Sequence[str] = ()) -> Panel:
    """Return the panel that *asked* names, with the video models *also*."""
    from pytest_vdg.sessions.judging import broken_told
    from pytest_vdg.sessions.panel import TEXT_BACKEND, PanelAsk, run_panel

    conditions = names(asked.conditions)
    models = names(asked.models)
    ask = PanelAsk(
        models=(*models, *(name for name in also if name not in models)),
        text_models=names(asked.text_models),
        slice=subject.name,
        given=subject.given,
        text_backend=asked.text_backend or TEXT_BACKEND,
        **({"conditions": conditions} if conditions else {}),
    )
    with broken_told():
        return run_panel(subject.settings, ask, progress=progress_line())


def require_writable(outputs: Written, *, to: str | None = None) -> None:
    """Refuse outputs that cannot be, and a file *to*, before anybody is asked."""
    printed = outputs.json == STDOUT
    files = {
        "--json": None if printed else outputs.json,
        "--markdown": outputs.markdown,
        "--to": to,
    }
    for option, path in files.items():
        if path is not None and not writable(Path(path)):
            raise ConfigError(f"{option} {path!r} cannot be written")
    if outputs.html is not None:
        from pytest_vdg.reports.drawing import require_drawable

        require_drawable("--html")
        page = Path(outputs.html)
        if not writable(page, folder=True):
            wrong = "cannot be written"
            if nearest(page) == page and not page.is_symlink() and page.is_file():
                wrong = "is a file. Name a folder"
            raise ConfigError(f"--html {outputs.html!r} {wrong}")


def reported(
    outputs: Written,
    lines: Sequence[str],
    values: Mapping[str, object],
    markdown: str,
    pages: Sequence[str] = (),
) -> Sequence[str]:
    """Write the files that *outputs* name; return what is printed."""
    from pytest_vdg.atomic import write_atomically

    wrote = list(pages)
    if outputs.json not in (None, STDOUT):
        write_atomically(Path(str(outputs.json)), f"{written(values)}\n".encode())
        wrote.append(str(outputs.json))
    if outputs.markdown is not None:
        write_atomically(
            Path(outputs.markdown), markdown.encode("utf-8", "backslashreplace")
        )
        wrote.append(outputs.markdown)
    if outputs.json == STDOUT:
        return [written(values)]
    return [*lines, *(f"wrote {path}" for path in wrote)]
