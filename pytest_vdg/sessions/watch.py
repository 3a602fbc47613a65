"""`Watch`: each checkpoint that appears in a folder is judged once.

Apart from the command so that a program can watch, too; and from `arrivals`,
which knows files and no models.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_vdg.config.claims import ClaimSpec
from pytest_vdg.config.settings import Settings, Sourced
from pytest_vdg.config.switches import COMMAND_LINE
from pytest_vdg.errors import INTERRUPTS
from pytest_vdg.reports.past import lost_run, past_of
from pytest_vdg.reports.results import Results, TestResult
from pytest_vdg.reports.trend import gravest, run_line
from pytest_vdg.sessions.arrivals import (
    Settling,
    Stamp,
    arrivals,
    stamp_of,
    step_of,
    whole,
)
from pytest_vdg.sessions.asked import asked_digest
from pytest_vdg.sessions.asks import named_slice
from pytest_vdg.sessions.claims import ask_of, check_claims, judge_claims
from pytest_vdg.sessions.judging import told
from pytest_vdg.sessions.session import VdgSession
from pytest_vdg.spelling import moment
from pytest_vdg.store.history import PastRun, keep, past_runs
from pytest_vdg.verdicts import Verdict

_PASSED = str(Verdict.PASS)
_LOST = str(Verdict.COULD_NOT_BE_JUDGED)
_EMPTY = "it holds no file: its save was given up, or has not begun"


@dataclass(kw_only=True)
class Watch:
    """What is watched, what is claimed of it, and what it came to so far."""

    folder: Path
    settings: Settings
    claims: Mapping[str, ClaimSpec]
    tell: Callable[[str], None]
    """Takes a line as soon as there is one."""
    report: Callable[[Results], Iterable[str]] = lambda _: ()
    """Takes the results of each checkpoint; returns lines."""
    processor: Path | None = None
    """Where a processor is taken from that a checkpoint lacks, before *folder*."""
    settle_s: float = 30.0
    command: str = ""
    make_session: Callable[[Settings], VdgSession] = VdgSession
    sleep: Callable[[float], None] = time.sleep
    judged: int = 0
    """Checkpoints that were judged, or could not be, since this was made."""
    outcomes: dict[Path, str] = field(default_factory=dict)
    """Where each checkpoint is, or was, to its gravest verdict."""
    past: list[PastRun] = field(default_factory=list)
    """What was found out since this was made, for the trend."""

    def __post_init__(self) -> None:
        """Raise `ConfigError` for what no checkpoint could be judged by."""
        session = VdgSession(self._settings(self.folder))
        try:
            check_claims(session, self.claims)
            self._asked = asked_digest(session, self.claims)
        finally:
            session.close()
        self._settling = Settling(seconds=self.settle_s)
        self._seen: dict[Path, Stamp] = {}
        self._known = self._remembered()

    def run(self, *, once: bool, every_s: float, most: int | None = None) -> bool:
        """Look again and again; return whether all that is there is fine.

        With *once* until all that is there now has settled and been judged; else
        for ever, or until *most* checkpoints were judged.
        """
        while True:
            arriving = self.look(most, once=once)
            enough = most is not None and self.judged >= most
            if enough or (once and not arriving):
                return bool(self.outcomes) and set(self.outcomes.values()) == {_PASSED}
            self.sleep(min(every_s, max(self.settle_s / 4, 0.1)) if once else every_s)

    def look(self, most: int | None = None, *, once: bool = False) -> bool:
        """Judge what has settled and is new; return whether anything is arriving.

        An empty folder never settles: what goes into it is still to come. Who looks
        *once* gives it up when it was empty for long enough.
        """
        arriving = False
        for path in arrivals(self.folder):
            if most is not None and self.judged >= most:
                break
            stamp = stamp_of(path)
            if stamp is None or self._seen.get(path) == stamp:
                continue
            if not self._settling.settled(path, stamp):
                if once and self._settling.given_up(path, stamp):
                    self._give_up(path, stamp)
                else:
                    arriving = True
                continue
            self._seen[path] = stamp
            self._take(path)
        return arriving

    def _take(self, path: Path) -> None:
        from pytest_vdg.backends.protocol import UNKNOWN_WEIGHTS  # NumPy comes with it

        others = [each for each in (self.processor, self.folder) if each is not None]
        weights, source = "", ""
        try:
            with whole(path, others) as (checkpoint, source):
                session = self.make_session(self._settings(checkpoint))
                try:
                    backend = session.new_backend(str(checkpoint), fetch=False)
                    weights = backend.identity.subject.get("weights", "")
                    weights = "" if weights == UNKNOWN_WEIGHTS else weights
                    backend.close()
                    if weights and weights in self._known:
                        self._known_already(path, *self._known[weights])
                        return
                    results = self._judge(session)
                finally:
                    session.close()
        except INTERRUPTS:
            raise
        except BaseException as error:  # noqa: BLE001 - the next may be sound
            results = self._broken(error)
        lost = any(test.outcome == "error" for test in results.tests)
        if lost and stamp_of(path) is None:
            self.tell(f"{path.name}: deleted before it was judged")
            return
        self._note(path, results, weights, source)

    def _give_up(self, path: Path, stamp: Stamp) -> None:
        self._seen[path] = stamp
        self.outcomes[path] = _LOST
        self.tell(f"{path.name}: {_LOST}: {_EMPTY}")

    def _judge(self, session: VdgSession) -> Results:
        return judge_claims(
            session, self.claims, origin="vdg watch", command=self.command
        )

    def _broken(self, error: BaseException) -> Results:
        said = told(error)
        tests = [TestResult(name=n, outcome="error", message=said) for n in self.claims]
        made = Results(origin="vdg watch", created=moment(), command=self.command)
        return replace(made, tests=tuple(tests))

    def _note(self, path: Path, results: Results, weights: str, source: str) -> None:
        """Tell, keep and report what the checkpoint at *path* came to."""
        name, step = path.resolve().name, step_of(path)
        about = {"environment": self.settings.environment, "step": step}
        past = list(past_of(results, asked=self._asked, **about))  # type: ignore[arg-type]
        for slice_name, lost in self._lost(results).items():
            past += lost_run(
                lost,
                checkpoint=name,
                slice_name=slice_name,
                weights=weights,
                asked=self._asked,
                **about,  # type: ignore[arg-type]
            )
        self.judged += 1
        self.past += past
        words = _gravest(past)
        self.outcomes[path] = words
        if weights and words != _LOST:
            self._known[weights] = name, words
        unkept = self._keep(past)  # first: who reads the line may end the watch
        self.tell(_line(name, past, results, source))
        for line in (*unkept, *self.report(results)):
            self.tell(f"  {line}")

    def _keep(self, past: Sequence[PastRun]) -> list[str]:
        """Add *past* to the history; return why it could not be."""
        if not self.settings.keeps_history:
            return []
        return keep(self.settings.cache_dir, past)

    def _known_already(self, path: Path, name: str, words: str) -> None:
        here = path.resolve().name
        as_ = "" if name == here else f" as {name}"
        self.outcomes[path] = words
        self.tell(f"{here}: judged before{as_}: {words}")

    def _lost(self, results: Results) -> dict[str, Results]:
        """Return the tests that came to nothing, by the slice that they were about."""
        found: dict[str, list[TestResult]] = {}
        for test in results.tests:
            if test.outcome == "error":
                about = named_slice(self.settings, ask_of(self.claims[test.name]))
                found.setdefault(about, []).append(test)
        return {name: replace(results, tests=tuple(t)) for name, t in found.items()}

    def _settings(self, checkpoint: Path) -> Settings:
        """Return the settings about *checkpoint*."""
        said = Sourced(
            value=str(checkpoint.resolve()),
            source=COMMAND_LINE,
            named="vdg watch",
            base=self.settings.base,
        )
        where = {**self.settings.where, "checkpoint": said}
        return replace(self.settings, where=where)

    def _remembered(self) -> dict[str, tuple[str, str]]:
        """Return weights that were judged so before, with name and gravest verdict."""
        if not self.settings.keeps_history:
            return {}
        last: dict[str, dict[str, PastRun]] = {}
        for run in past_runs(self.settings.cache_dir):
            if run.asked == self._asked and run.weights:
                last.setdefault(run.weights, {})[run.slice_name] = run
        found = {
            weights: (next(iter(runs.values())).checkpoint, _gravest(runs.values()))
            for weights, runs in last.items()
        }
        return {
            w: (name, words) for w, (name, words) in found.items() if words != _LOST
        }


def _gravest(past: Iterable[PastRun]) -> str:
    return gravest([words for run in past for _, words in run.verdicts]) or _LOST


def _line(name: str, past: Sequence[PastRun], results: Results, source: str) -> str:
    """Return the one line about a checkpoint."""
    parts = [run_line(run) for run in past if run.questions]
    bad = [t for t in results.tests if t.outcome != "passed"]
    if bad:
        words = str(bad[0].verdict or _LOST)
        said = bad[0].summary
        said = said if said.startswith(words) else f"{words}: {said}"
        parts.append(f"{bad[0].name}: {said}")
    parts += [f"({source})"] if source else []
    return f"{name}: " + "; ".join(parts or [_LOST, *results.faults[:1]])
