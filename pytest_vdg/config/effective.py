"""The effective configuration as text: every value with where it comes from.

Apart from ``settings`` because it is only for reading.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_vdg.config.settings import Settings
from pytest_vdg.config.specs import VdgConfig
from pytest_vdg.config.switches import DEFAULT, OUTPUTS, SWITCHES


def describe(settings: Settings) -> list[str]:
    """Return the effective configuration, a value and its source a line."""
    rows = [
        (name, _shown(found.value), found.named)
        for name, found in settings.where.items()
    ]
    config = settings.config
    for name in _file_only():
        named = f"vdg.yaml: {name}" if name in config.given else DEFAULT
        rows.append((name, _shown(getattr(config, name)), named))
    for name, claim in config.claims.items():
        rows.append((f"claims.{name}", claim.text, f"vdg.yaml:{claim.line}"))
    widths = [max(len(row[i]) for row in rows) for i in (0, 1)]
    return [
        f"{name:<{widths[0]}}  {value:<{widths[1]}}  {named}"
        for name, value, named in rows
    ]


def _file_only() -> list[str]:
    shared = {switch.name for switch in (*SWITCHES, *OUTPUTS)} | {"path", "given"}
    return [name for name in VdgConfig.__dataclass_fields__ if name not in shared]


def _shown(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return ", ".join(sorted(value)) or "-"
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value)
    parts = getattr(value, "__dataclass_fields__", None)
    if parts is not None:
        pairs = ((name, getattr(value, name)) for name in parts)
        return ", ".join(
            f"{k}={v}" for k, v in pairs if v is not None and v is not False
        )
    text = str(value)
    # A template has many lines, and here each value has one.
    return f"{text!r:.60}" if "\n" in text else text
