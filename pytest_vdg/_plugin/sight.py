"""``--vdg-sight``: a session begins with the sight check of its checkpoints.

Apart from collection, because these tests stand in no file: they are added when
it is known which tests will run and whom they ask. So nothing that selects tests
or changes their order (``-k``, ``-m``, ``--lf``, a plugin) takes them away or puts
others before them.

The option adds them to every session. Variable, ``vdg.yaml`` and ini, which also
hold where nobody thinks of a model, add them where a selected test asks one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vdg._plugin import outcomes
from pytest_vdg._plugin.marker import ASK, KEYWORD, MARKER, needs_model
from pytest_vdg._plugin.state import NO_CHECKPOINT, STATE, State, without_checkpoint
from pytest_vdg.errors import CouldNotBeJudged, did_you_mean
from pytest_vdg.sessions.asks import Ask

if TYPE_CHECKING:
    from pytest_vdg.runs import Run
    from pytest_vdg.sessions.sight import SightCheck
    from pytest_vdg.sessions.sight_step import SightStep

FOLDER = "vdg-sight"
"""What stands in node ids in place of a file: ``vdg-sight::step-2000``."""
_DEST = "vdg_sight"
_ONLY: pytest.StashKey[tuple[str, ...]] = pytest.StashKey()
"""Names of the checks that were typed as tests to run."""


def is_sight(nodeid: str) -> bool:
    """Return whether *nodeid* is of a test that was added here."""
    return nodeid.startswith(f"{FOLDER}::")


def take_named(config: pytest.Config) -> None:
    """Take ids like ``vdg-sight::step-2000`` from the paths that pytest looks for.

    Whoever copies one from a summary, or clicks on it in an editor, wants that
    check again; there is no file of this name. Must run before collection.
    """
    named = {arg: name for arg in config.args if (name := _named(arg, config))}
    if named:
        config.stash[_ONLY] = tuple(dict.fromkeys(named.values()))
        config.args[:] = [arg for arg in config.args if arg not in named]
        setattr(config.option, _DEST, True)


def _named(arg: str, config: pytest.Config) -> str:
    """Return the name of the check that *arg* is the node id of, or nothing."""
    path, _, name = str(arg).partition("::")
    there = config.invocation_params.dir / path
    return name if PurePath(path).name == FOLDER and not there.exists() else ""


def begin(session: pytest.Session, ours: Sequence[pytest.Item]) -> None:
    """Put the checks before all tests, of which *ours* may ask a model; plan them.

    Raises ``UsageError`` where there is no checkpoint, and `ConfigError` as
    settings do.
    """
    state = session.config.stash[STATE]
    used = _used(state, ours)
    if not used:
        return
    from pytest_vdg.sessions.sight_step import steps_of

    steps = steps_of(state.session, used)
    wanted = _only(session.config, steps)
    group = SightChecks.from_parent(
        session,
        name=FOLDER,
        nodeid=FOLDER,
        path=session.config.rootpath / FOLDER,
        checks=[(step, used[step.checkpoint]) for step in wanted],
    )
    session.items[:0] = session.genitems(group)


def _used(state: State, ours: Sequence[pytest.Item]) -> Mapping[str, Ask]:
    """Return each checkpoint to be checked with what the first test asks of it."""
    asking = [
        item
        for item in ours
        if needs_model(item) and not without_checkpoint(state, item.stash[ASK])
    ]
    typed = bool(state.config.getoption(_DEST))
    if not typed and not (asking and state.settings.sight):
        return {}
    from pytest_vdg.sessions.sight_step import require_asking

    require_asking(state.settings)
    found: dict[str, Ask] = {}
    for item in asking:
        for checkpoint in _asked_by(state, item):
            found.setdefault(checkpoint, item.stash[ASK])
    if not found:
        if state.settings.checkpoint is None:
            raise pytest.UsageError(_no_checkpoint(state))
        found[state.session.checkpoint(Ask())] = Ask()
    return found


def _no_checkpoint(state: State) -> str:
    named = state.config.stash.get(_ONLY, ())
    if named:
        return (
            f"{FOLDER}::{named[0]}: {NO_CHECKPOINT}. Where the marker of a test "
            "names it, type that test, too"
        )
    return f"{state.settings.where['sight'].named}: {NO_CHECKPOINT}"


def _asked_by(state: State, item: pytest.Item) -> Iterator[str]:
    """Yield the checkpoints that *item* asks: its own, and that it is held against."""
    yield state.session.checkpoint(item.stash[ASK])
    if "vdg_baseline" in getattr(item, "fixturenames", ()):
        other = state.settings.compared.locate()
        if other is not None:
            yield other


def _only(config: pytest.Config, steps: Sequence[SightStep]) -> list[SightStep]:
    """Return those of *steps* that were typed, or all where none was."""
    named = config.stash.get(_ONLY, ())
    names = [step.name for step in steps]
    for name in named:
        if name not in names:
            raise pytest.UsageError(
                f"{FOLDER}::{name}: no selected test asks a checkpoint of this name."
                + did_you_mean(name, names)
            )
    return [step for step in steps if not named or step.name in named]


class SightChecks(pytest.Collector):
    """What holds the checks, where other tests have a file."""

    def __init__(self, *, checks: Sequence[tuple[SightStep, Ask]], **node: Any) -> None:  # noqa: ANN401 - pytest's
        """Hold each of *checks* with what tests ask of its checkpoint."""
        super().__init__(**node)
        self._checks = checks

    def collect(self) -> Iterator[SightTest]:
        """Yield a test for each check."""
        for step, ask in self._checks:
            yield SightTest.from_parent(self, name=step.name, step=step, ask=ask)


class SightTest(pytest.Item):
    """The sight check of one checkpoint, as a vdg test like any other."""

    def __init__(self, *, step: SightStep, ask: Ask, **node: Any) -> None:  # noqa: ANN401 - pytest's
        """Make *step*; *ask* says which tests belong to it, for workers."""
        super().__init__(**node)
        self._step = step
        self._made: SightCheck | None = None
        self.stash[ASK] = ask
        self.stash[outcomes.EVERYWHERE] = True
        self.add_marker(MARKER)
        self.keywords[KEYWORD] = True

    def setup(self) -> None:
        """Ask, as a fixture would: what cannot be judged is an error."""
        if self.config.getoption("setupplan", default=False):
            return
        try:
            run = self._step.run()
        except CouldNotBeJudged as error:
            if isinstance(error.__cause__, pytest.exit.Exception):
                raise error.__cause__ from None  # ends the session, as in any test
            raise
        self._tell(run)
        self._made = self._step.judge(run)

    def _tell(self, run: Run) -> None:
        from pytest_vdg.sessions.judging import described

        told = described(run).items()
        self.user_properties.extend((f"vdg.run.{name}", value) for name, value in told)

    def runtest(self) -> None:
        """Pass if the checkpoint sees; else fail with the claim that decided."""
        from pytest_vdg.sessions.sight_step import claim

        assert self._made is not None
        claim(self._made)

    def repr_failure(
        self,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: Any = None,  # noqa: ANN401 - pytest's
    ) -> Any:  # noqa: ANN401 - pytest's
        """Show what a claim says, and none of our code."""
        shown = super().repr_failure(excinfo, style)
        if outcomes.finding_of(excinfo.value) is not None:
            outcomes.only_message(self, shown, str(excinfo.value))
        return shown

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return a place that is none, and the headline of a failure."""
        return self.path, 0, f"sight check: {self.name}"
