"""Formats of logs by name; which one a file is of is seen from its content.

Apart from the readers so that a new one is a file and a line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pytest_vdg.errors import ConfigError, StoreError, did_you_mean
from pytest_vdg.logs._files import glimpse
from pytest_vdg.logs.answers import Log, LogFormat
from pytest_vdg.logs.inspect_logs import INSPECT
from pytest_vdg.logs.lmms_eval import LMMS_EVAL
from pytest_vdg.logs.paper import PAPER
from pytest_vdg.logs.table import TABLE
from pytest_vdg.logs.vlmevalkit import VLMEVALKIT

FORMATS: Mapping[str, LogFormat] = {
    each.name: each for each in (LMMS_EVAL, VLMEVALKIT, INSPECT, PAPER, TABLE)
}


def read_log(path: Path | str, name: str | None = None) -> Log:
    """Return the log at *path*, of the format called *name* or the one it shows.

    Raises `ConfigError` for an unknown name, `StoreError` or `BenchmarkError`
    for a file that cannot be read, or is of no format, or of two.
    """
    source = Path(path)
    if name is not None:
        if name not in FORMATS:
            hint = did_you_mean(name, FORMATS)
            raise ConfigError(f"there is no log format {name!r}.{hint}")
        found = FORMATS[name]
    else:
        found = _seen(source)
    log = found.read(source)
    if not log.answers:
        raise StoreError(f"{source}: holds no answer at all")
    return log


def _seen(path: Path) -> LogFormat:
    seen = glimpse(path)
    found = [each for each in FORMATS.values() if each.recognises(seen)]
    if len(found) == 1:
        return found[0]
    listed = "\n".join(f"  {f.name:<12}{f.expects}" for f in FORMATS.values())
    what = "no log that is known here" if not found else "a log of several formats"
    # Columns of one letter are options, which tell nothing about the format.
    named = sorted(seen.keys, key=lambda k: (len(k) == 1, k))[:12]
    keys = ", ".join(named) or "nothing"
    raise StoreError(f"{path} is {what} (holds {keys}). Say which: --format\n{listed}")
