"""`resolve`: options, environment, ``vdg.yaml`` and ini made into `Settings`.

Apart from ``file`` because a file is only one of four voices, and from the
plugin because the command line tool listens to the same four.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_vdg.config.protocols import scoring_of
from pytest_vdg.config.settings import Settings, Sourced
from pytest_vdg.config.specs import VdgConfig
from pytest_vdg.config.switches import (
    AUTO,
    DEFAULT,
    FILE,
    OFF,
    OUTPUTS,
    SWITCHES,
    Switch,
    Voice,
    typed,
)

_DEFAULTS: dict[str, object] = {
    "backend": "transformers",
    "seed": 0,
    "cache_dir": ".vdg",
    "baseline_dir": "vdg_baselines",
    "no_cache": False,
    "summary": AUTO,
    "annotations": AUTO,
    "spread": False,
    "executor": "local",
    "sight": False,
}


def resolve(voices: Sequence[Voice], *, base: Path, config: VdgConfig) -> Settings:
    """Let the first of *voices* that speaks decide each setting.

    *base* is where the project lies; defaults start at the folder of the
    configuration file where there is one.
    """
    home = config.path.parent if config.path else base
    spoken = [*voices, Voice(source=DEFAULT, base=home, values=_DEFAULTS)]
    decided = (s for s in (*SWITCHES, *OUTPUTS) if s.name != "config")
    where = {s.name: _decide(s, spoken, home) for s in decided}
    protocol = config.sampling.protocol
    scoring = scoring_of(protocol, where["backend"].value)
    if scoring is not None and where["scoring"].value is None:
        where["scoring"] = Sourced(
            value=scoring,
            source=FILE,
            named=f"vdg.yaml: protocol {protocol}",
            base=home,
        )
    where["config"] = _config_source(voices, config, home)
    return Settings(config=config, base=home, where=where)


def _config_source(voices: Sequence[Voice], config: VdgConfig, home: Path) -> Sourced:
    switch = SWITCHES[1]
    for voice in voices:
        if "config" in voice.values:
            return Sourced(
                value=config.path,
                source=voice.source,
                named=voice.named(switch),
                base=home,
            )
    return Sourced(
        value=config.path,
        source=DEFAULT,
        named="found" if config.path else "there is none",
        base=home,
    )


def _decide(switch: Switch, voices: Sequence[Voice], home: Path) -> Sourced:
    for voice in voices:
        if switch.name in voice.values:
            named = DEFAULT if voice.source == DEFAULT else voice.named(switch)
            value = typed(switch, voice.values[switch.name], named)
            named_path = switch.kind == "output" and value not in (AUTO, OFF)
            if switch.kind == "path" or named_path:
                value = voice.base / Path(str(value)).expanduser()
            return Sourced(
                value=value, source=voice.source, named=named, base=voice.base
            )
    return Sourced(value=None, source=DEFAULT, named=DEFAULT, base=home)


def file_voice(config: VdgConfig, base: Path) -> Voice:
    """Return what *config* says about where to run."""
    names = {switch.name for switch in SWITCHES} & config.given
    return Voice(
        source=FILE,
        base=config.path.parent if config.path else base,
        values={name: getattr(config, name) for name in names},
    )
