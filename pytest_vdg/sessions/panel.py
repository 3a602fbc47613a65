"""`run_panel`: the cells of several models on one slice, one model after the other.

Apart from the session, which is about one checkpoint and its baseline: here each
model has a session of its own, closed before the next begins, so that no two are
in memory together. What is kept in the store is not asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vdg.audits.origin import took_part
from pytest_vdg.audits.panel import CONDITIONS, ORIGINAL, TEXT_ONLY, Kind, Member, Panel
from pytest_vdg.config.settings import Settings, Sourced
from pytest_vdg.config.switches import COMMAND_LINE
from pytest_vdg.errors import ConfigError, CouldNotBeJudged, VdgError
from pytest_vdg.runs import Run
from pytest_vdg.sessions.asks import Ask
from pytest_vdg.sessions.filtered import filter_notes
from pytest_vdg.sessions.replay import Replay, StoredRun
from pytest_vdg.sessions.session import VdgSession

if TYPE_CHECKING:
    from pytest_vdg.benchmarks.slices import Slice
    from pytest_vdg.engine.progress import Progress
    from pytest_vdg.sessions.models import MakeBackend

    ShowProgress = Callable[[str, Progress], None]

_FILTERED = (
    "{name} took part in the filter that left these questions, which removed what it "
    "happened to answer: its blind gap here lies too low. Look at models that did not"
)
_SIGHTED = (
    "{name} stands among the text models, and its stored run was shown the video: a "
    "video model belongs to --models, also where it is asked without"
)
_ASKED_BY = ("scoring", "option_likelihood", "instruction", "sampling", "seed")
"""What of a run's fingerprint should be the same for all models of a panel."""
TEXT_BACKEND = "text-lm"
"""How language models without eyes are asked, if nothing else is said."""


@dataclass(frozen=True, kw_only=True)
class PanelAsk:
    """Whom to ask about what."""

    models: tuple[str, ...] = ()
    """Video models: folders or hub ids, or names of stored runs."""
    text_models: tuple[str, ...] = ()
    """Text-only models."""
    slice: str | None = None
    """Slice of vdg.yaml or a benchmark; None where *given* is."""
    given: Slice | None = None
    """The slice itself, of a benchmark that vdg.yaml does not name."""
    text_backend: str = TEXT_BACKEND
    conditions: tuple[str, ...] = CONDITIONS
    """What video models are asked under."""

    @property
    def named(self) -> tuple[tuple[Kind, str], ...]:
        """Kind and name of each model, video models first."""
        video: list[tuple[Kind, str]] = [("video", name) for name in self.models]
        return (*video, *(("text", name) for name in self.text_models))

    def __post_init__(self) -> None:
        """Refuse a panel of nobody, and a model that is named twice."""
        named = [name for _, name in self.named]
        if not named:
            raise ConfigError("a panel needs a model: --models A B --text-models T")
        twice = sorted({name for name in named if named.count(name) > 1})
        if twice:
            raise ConfigError(
                f"{twice[0]!r} is named twice: it would count twice. Name each model "
                "once, with --models if it can be shown a video, else --text-models"
            )
        lacking = [c for c in (ORIGINAL, TEXT_ONLY) if c not in self.conditions]
        if lacking:
            raise ConfigError(f"an audit takes the condition {lacking[0]}, too")


def run_panel(
    settings: Settings,
    ask: PanelAsk,
    *,
    progress: ShowProgress | None = None,
    make_backend: MakeBackend | None = None,
) -> Panel:
    """Return the panel that *ask* wants; from stored runs where *settings* replay.

    Raises
    ------
    ConfigError
        For a model, slice or condition that nothing is known by, before any
        model is loaded.
    CouldNotBeJudged
        When a model cannot be asked, or the runs do not fit together.
    """
    if settings.replay is not None:
        return _replayed(settings, ask)
    places = [_settings(settings, ask, kind, name) for kind, name in ask.named]
    _require_apart(ask, places)
    slice_ = ask.given or _slice(places[0], ask)
    for each in places:
        _try(each, make_backend)
    notes = list(slice_.notes)
    members: list[tuple[Kind, str, Run]] = []
    for (kind, name), own in zip(ask.named, places, strict=True):
        session = VdgSession(own, make_backend=make_backend, progress=progress)
        try:
            conditions = ask.conditions if kind == "video" else (TEXT_ONLY,)
            run = session.evaluate(slice_, conditions=conditions)
            known = (*notes, *filter_notes(run, slice_.drawn))  # told of the panel
            notes += [f"{name}: {n}" for n in session.notes if n not in known]
        finally:
            session.close()
        members.append((kind, name, run))
    return _panel(members, slice_, tuple(notes))


def _settings(settings: Settings, ask: PanelAsk, kind: Kind, name: str) -> Settings:
    """Return *settings* about the model called *name*, whatever else they name."""
    option = "--models" if kind == "video" else "--text-models"

    def said(value: str) -> Sourced:
        return Sourced(value=value, source=COMMAND_LINE, named=option, base=Path.cwd())

    where = {**settings.where, "checkpoint": said(name)}
    if kind == "text":
        where["backend"] = said(ask.text_backend)
    return replace(settings, where=where)


def _require_apart(ask: PanelAsk, places: Sequence[Settings]) -> None:
    """Refuse one folder under two names, before a night's work on it.

    A copy elsewhere is known by its weights, once they are read.
    """
    seen: dict[tuple[Kind, Path], str] = {}
    for (kind, name), own in zip(ask.named, places, strict=True):
        located = own.locate()
        if located is None or not Path(located).is_dir():
            continue
        other = seen.setdefault((kind, Path(located).resolve()), name)
        if other != name:
            raise ConfigError(
                f"{other!r} and {name!r} are one folder: it would count twice. Name "
                "each model once"
            )


def _try(settings: Settings, make_backend: MakeBackend | None) -> None:
    """Tell of a model that cannot be asked before a night's work on the others.

    A folder is looked at without its weights; what a hub has is not known yet.
    """
    located = settings.locate()
    if located is not None and Path(located).is_dir() and make_backend is None:
        VdgSession(settings).new_backend(located, fetch=False).close()


def _slice(settings: Settings, ask: PanelAsk) -> Slice:
    session = VdgSession(settings)
    try:
        wanted = Ask(slice=ask.slice)
        session.require_known(wanted)
        return session.slice(wanted)
    finally:
        session.close()


def _panel(
    found: Sequence[tuple[Kind, str, Run]], slice_: Slice | None, notes: tuple[str, ...]
) -> Panel:
    """Join the runs; a model whose run's name is another's, too, keeps its own."""
    names = [run.checkpoint for _, _, run in found]
    members = [
        Member(
            run=run,
            kind=kind,
            named=run.checkpoint if names.count(run.checkpoint) == 1 else name,
        )
        for kind, name, run in found
    ]
    heard = [] if slice_ is None else took_part(slice_.drawn, members)
    told = [_FILTERED.format(name=name) for name in heard]
    return Panel(
        members=tuple(members),
        slice_name=found[0][2].slice_name,
        texts=() if slice_ is None else slice_.questions,
        notes=(*notes, *told, *_asked_otherwise(members)),
        filtered_before=tuple(heard),
    )


def _asked_otherwise(members: Sequence[Member]) -> Iterator[str]:
    """Yield what members were not asked alike in; a mean over them mixes it."""
    for key in _ASKED_BY:
        found: dict[str, list[str]] = {}
        for member in members:
            how = member.run.fingerprint.comparable.get(key, "")
            if how and not (member.kind == "text" and key == "sampling"):
                found.setdefault(how, []).append(member.name)
        if len(found) > 1:
            told = "; ".join(
                f"{how[:40]}: {', '.join(who)}" for how, who in found.items()
            )
            yield f"models of the panel were not asked alike, {key} is {told}"


def _replayed(settings: Settings, ask: PanelAsk) -> Panel:
    """Return the panel of stored runs, each by the name of its checkpoint."""
    slice_, notes = _at_hand(settings, ask)
    name = ask.given.name if ask.given is not None else ask.slice
    found: list[tuple[Kind, str, Run]] = []
    for kind, model in ask.named:
        own = _settings(settings, ask, kind, model)
        replay = Replay(own)
        needed = (ORIGINAL, TEXT_ONLY) if kind == "video" else (TEXT_ONLY,)
        wanted = Ask(slice=name)
        held = _held(replay.stored, replay.slice_name(wanted), model)
        also = () if kind == "text" else tuple(c for c in held if _wanted(c, ask))
        if kind == "text" and ORIGINAL in held:
            notes = (*notes, _SIGHTED.format(name=model))
        run = replay.run(wanted, tuple(dict.fromkeys((*needed, *also))))
        found.append((kind, model, run.only((*needed, *also))))
    if slice_ is not None and not _fits(slice_, found[0][2]):
        other = f"the questions of the stored runs are not those of {slice_.name!r} now"
        slice_, notes = None, (*notes, f"the questions' text is not at hand: {other}")
    return _panel(found, slice_, notes)


def _fits(slice_: Slice, run: Run) -> bool:
    answers = {q.id: q.answer for q in slice_.questions}
    return {q.id: q.answer for q in run.questions}.items() <= answers.items()


def _held(stored: Sequence[StoredRun], slice_name: str, model: str) -> tuple[str, ...]:
    """Return the conditions of the stored run of *model*; none where it is not told."""
    names = {model, Path(model).name}
    of = [s for s in stored if s.slice_name == slice_name and s.checkpoint in names]
    return of[0].conditions if len(of) == 1 else ()


def _wanted(condition: str, ask: PanelAsk) -> bool:
    return condition.split(":", 1)[0] in {c.split(":", 1)[0] for c in ask.conditions}


def _at_hand(settings: Settings, ask: PanelAsk) -> tuple[Slice | None, tuple[str, ...]]:
    """Return the slice with its texts where it can be read, else why it cannot."""
    if ask.given is not None:
        return ask.given, ask.given.notes
    try:
        slice_ = _slice(replace(settings, where=_alive(settings)), ask)
    except CouldNotBeJudged:
        raise
    except VdgError as error:
        first = str(error).partition("\n")[0]
        return None, (f"the questions' text is not at hand: {first}",)
    return slice_, slice_.notes


def _alive(settings: Settings) -> dict[str, Sourced]:
    """Return where *settings* point, without the folder to replay."""
    return {**settings.where, "replay": replace(settings.where["replay"], value=None)}
