"""pytest-xdist: one model, one worker; and what workers tell the controller.

Apart from the hooks because all of it is for a plugin that may be absent.

With ``-n`` and no ``--dist``, all tests of one checkpoint go to one worker, so
that its weights are loaded once. xdist's own way to group, a suffix to the
node id, would rename tests in reports, and has no effect on pytest 9.2 with
xdist 3.8. So workers write down who belongs together, and the controller
schedules by that::

    controller  folder in workerinput ........ reads files, schedules by group
    worker      collects, writes its file, sends the ids of its tests ^
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from pytest_vdg._plugin.marker import ASK
from pytest_vdg._plugin.options import maybe_configured, one_checkpoint_for_all
from pytest_vdg._plugin.seats import FOLDER_INPUT, Node, give_seat, was_helping

FOLDER: pytest.StashKey[Path] = pytest.StashKey()
_SCHEDULES: pytest.StashKey[bool] = pytest.StashKey()
OUTPUT = "vdg"
"""Key in ``workeroutput`` of all that we send."""


def is_worker(config: pytest.Config) -> bool:
    """Return whether this process is a worker of xdist."""
    return hasattr(config, "workerinput")


def claim_scheduling(config: pytest.Config) -> None:
    """Decide to schedule, if the user left it open and there may be a model.

    Must run before xdist turns ``-n`` into ``--dist=load``.
    """
    option = config.option
    if getattr(option, "numprocesses", None) and maybe_configured(config):
        config.stash[FOLDER] = Path(tempfile.mkdtemp(prefix="vdg-"))
        config.stash[_SCHEDULES] = option.dist == "no" and not option.distload


def release(config: pytest.Config) -> None:
    """Remove what `claim_scheduling` made."""
    folder = config.stash.get(FOLDER, None)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def tell_worker(node: Node) -> None:
    """Tell the worker at *node* where to write its groups, and where it sits."""
    folder = node.config.stash.get(FOLDER, None)
    if folder is not None:
        node.workerinput[FOLDER_INPUT] = str(folder)
        give_seat(node)


def write_groups(config: pytest.Config, items: Sequence[pytest.Item]) -> None:
    """Write down, on a worker, which of *items* belong together."""
    folder = getattr(config, "workerinput", {}).get(FOLDER_INPUT)
    if folder is None or not Path(folder).is_dir():
        return  # not ours to schedule, or a worker on another machine
    groups = {item.nodeid: _group(config, item) for item in items if ASK in item.stash}
    worker: str = getattr(config, "workerinput", {})["workerid"]
    path = Path(folder) / f"{worker}.json"
    path.write_text(json.dumps(groups), encoding="utf-8")


def _group(config: pytest.Config, item: pytest.Item) -> str:
    checkpoint = item.stash[ASK].checkpoint
    if checkpoint is None or one_checkpoint_for_all(config):
        return "vdg"
    return f"vdg-{crc32(checkpoint.encode()):08x}"


def make_scheduler(config: pytest.Config, log: object) -> object | None:
    """Return a scheduler that keeps groups together, or None to leave it."""
    folder = config.stash.get(FOLDER, None)
    if folder is None or not config.stash[_SCHEDULES]:
        return None
    return _scheduler(config, log, folder)


def _scheduler(config: pytest.Config, log: object, folder: Path) -> object:
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    class GroupScheduling(LoadScopeScheduling):  # type: ignore[misc]
        """Each group to one worker, every other test to whoever is free."""

        groups: Mapping[str, str] | None = None

        def _split_scope(self, nodeid: str) -> str:
            if self.groups is None:  # first asked when all have collected
                self.groups = _read_groups(folder)
            return self.groups.get(nodeid, nodeid)

        def remove_node(self, node: Any) -> str | None:  # noqa: ANN401
            """Hand on what a dead worker left, without the test that killed it.

            xdist also hands on what was done, as work of no test, and waits
            for its end for ever. A worker that had not come to its tests yet was
            killed by none of them.
            """
            units = self.assigned_work.pop(node)
            left = [u for u in units.values() if not all(u.values())]
            if not left:
                return None
            crashed: str | None = None
            if not was_helping(folder, node.gateway.id):
                crashed = next(test for test, done in left[0].items() if not done)
                left[0][crashed] = True  # reported as failed by whoever called
            self.workqueue.update(
                {scope: u for scope, u in units.items() if not all(u.values())}
            )
            for other in self.assigned_work:
                self._reschedule(other)
            return crashed

        def _reschedule(self, node: Any) -> None:  # noqa: ANN401
            super()._reschedule(node)
            # A worker begins a test when it knows the next one; one that took
            # the place of a dead one would get one, and wait.
            while self.workqueue and not node.shutting_down:
                if self._pending_of(self.assigned_work[node]) > 1:
                    break
                self._assign_work_unit(node)

    return GroupScheduling(config, log)


def _read_groups(folder: Path) -> dict[str, str]:
    groups: dict[str, str] = {}
    for path in sorted(folder.glob("*.json")):
        groups.update(json.loads(path.read_text(encoding="utf-8")))
    return groups


def send(config: pytest.Config, message: Mapping[str, Any]) -> None:
    """Send *message*, made of plain values, from a worker to the controller."""
    output: dict[str, Any] = getattr(config, "workeroutput", {})
    output[OUTPUT] = {**output.get(OUTPUT, {}), **message}


def received(node: Node) -> dict[str, Any]:
    """Return what the worker at *node* sent; empty if it died."""
    output: dict[str, Any] = getattr(node, "workeroutput", {})
    found: dict[str, Any] = output.get(OUTPUT, {})
    return found
