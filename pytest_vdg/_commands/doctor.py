"""``vdg doctor``: what is installed, what is configured, and what would run.

Apart from ``config`` because it tries what it finds; no weight is loaded, no
question asked, nothing fetched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from pytest_vdg._commands._arguments import Flag, Where, settings_of
from pytest_vdg._commands._check import Check, State
from pytest_vdg._commands._check_cluster import cluster
from pytest_vdg._commands._check_machine import machine
from pytest_vdg._commands._check_project import project, slice_names
from pytest_vdg._commands._counts import written
from pytest_vdg._commands._outcome import Failed
from pytest_vdg.config.settings import Settings
from pytest_vdg.config.switches import SERVER_BACKEND
from pytest_vdg.errors import ConfigError
from pytest_vdg.sessions.executors import LOCAL


def doctor(
    checkpoint: str | None = None,
    /,
    *,
    json: Flag = False,
    where: Where | None = None,
) -> Sequence[str]:
    """Look whether a run would work here, and say what would run.

    Looks at packages, devices, decoders, disk, configuration, checkpoint,
    slices and baselines. Each line is ok, warn or FAIL, with what to type. No
    weight is loaded and nothing is fetched. Leaves with 1 if anything is FAIL.

    example:
      vdg doctor
      vdg doctor checkpoints/step-2000 --device cuda

    Parameters
    ----------
    checkpoint
        Folder or hub id (default: that of vdg.yaml).
    json
        Write JSON, not text.
    """
    settings, fault = _settings(where, checkpoint)
    backend = "transformers" if settings is None else settings.backend
    device = None if settings is None else settings.device
    away = settings is not None and (
        settings.executor != LOCAL or settings.replay is not None
    )
    checks = [*machine(backend=backend, device=device, elsewhere=away), *fault]
    would: Mapping[str, str] = {}
    if settings is not None:
        checks += project(settings)
        checks += cluster(settings)
        would = _would_run(settings)
    failed = [check for check in checks if check.state is State.FAIL]
    lines = [written(_values(checks, would))] if json else _told(checks, would)
    return Failed(lines) if failed else lines


def _settings(
    where: Where | None, checkpoint: str | None
) -> tuple[Settings | None, list[Check]]:
    try:
        return settings_of(where, checkpoint=checkpoint), []
    except ConfigError as error:
        return None, [Check(about="config", state=State.FAIL, told=str(error))]


def _would_run(settings: Settings) -> dict[str, str]:
    named = settings.checkpoint_named() or "none"
    config = settings.config
    limit = settings.questions
    first = " (before all else, the sight check)" if settings.sight else ""
    against = {} if settings.compare_to is None else {"against": settings.compare_to}
    return {
        "checkpoint": named
        if settings.replay is None
        else f"runs in {settings.replay}",
        **against,
        "backend": _asked_by(settings),
        "slices": ", ".join(slice_names(settings)),
        "questions": "all" if limit is None else f"at most {limit} a slice",
        "conditions": ", ".join(config.conditions),
        "claims": (
            ", ".join(config.claims) or "those of the tests; vdg.yaml names none"
        )
        + first,
    }


def _asked_by(settings: Settings) -> str:
    """Return who asks how, as far as that is another run than the plain one."""
    told = [settings.backend]
    if settings.backend != SERVER_BACKEND:  # a server takes no notice of these
        config = settings.config
        told.append(f"device {settings.device or 'auto'}")
        told += [
            f"{name} {value}"
            for name, value in (
                ("quantisation", config.quantisation),
                ("device_map", config.device_map),
                ("frames_as", config.frames_as),
                ("base", config.base),
            )
            if value is not None
        ]
        told += ["offload"] if config.offload else []
    if settings.executor != LOCAL:
        told.append(f"executor {settings.executor}")
    return ", ".join(told)


def _told(checks: Sequence[Check], would: Mapping[str, str]) -> list[str]:
    lines = [line for check in checks for line in check.lines()]
    if would:
        lines += ["", "what would run"]
        lines += [f"  {name:<12}{value}" for name, value in would.items()]
    numbers = {s: sum(check.state is s for check in checks) for s in State}
    summary = ", ".join(f"{number} {state}" for state, number in numbers.items())
    return [*lines, "", summary]


def _values(checks: Sequence[Check], would: Mapping[str, str]) -> dict[str, object]:
    return {
        "ok": all(check.state is not State.FAIL for check in checks),
        "checks": [{**asdict(each), "state": str(each.state)} for each in checks],
        "would_run": dict(would),
    }
