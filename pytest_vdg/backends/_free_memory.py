"""`available`: main memory that a process may still take, the machine's and its own.

Apart from what asks for it because a container's limit is told nowhere but in the
files of its control group, of which there are two kinds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_PROC = Path("/proc")
_GROUPS = Path("/sys/fs/cgroup")
_UNLIMITED = 1 << 60
"""What the first kind of control group says where nothing is limited, about."""


def available(proc: Path = _PROC, groups: Path = _GROUPS) -> int | None:
    """Return how many bytes can still be taken; None where that is not told.

    What is kept of files counts as free, those in use too: it is let go when needed.
    *proc* and *groups* are where the system tells it.
    """
    found = [_of_machine(proc), *_of_groups(proc, groups)]
    return min((each for each in found if each is not None), default=None)


def _of_machine(proc: Path) -> int | None:
    for line in _read(proc / "meminfo").splitlines():
        name, _, value = line.partition(":")
        kilobytes = value.split()[:1]
        if name == "MemAvailable" and kilobytes and kilobytes[0].isdecimal():
            return int(kilobytes[0]) * 1024
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not told on this system
        return None


def _of_groups(proc: Path, groups: Path) -> Iterator[int]:
    """Yield what each control group of this process leaves it, outer ones too."""
    for line in _read(proc / "self" / "cgroup").splitlines():
        number, kinds, name = ([*line.split(":", 2), "", ""])[:3]
        if number and not kinds:
            yield from _left(groups, name, ("memory.max", "memory.current", ""))
        elif "memory" in kinds.split(","):
            names = "memory.limit_in_bytes", "memory.usage_in_bytes"
            yield from _left(groups / "memory", name, (*names, "total_"))


def _left(root: Path, name: str, files: tuple[str, str, str]) -> Iterator[int]:
    """Yield what is left in the group called *name* below *root*, and above it.

    Inside a container the root itself is often the group, whatever its name.
    *files* hold a limit and what is used of it; the third begins the names of what
    a group and those below it hold.
    """
    limit_file, used_file, begin = files
    parts = [part for part in name.split("/") if part not in ("", "..")]
    for depth in range(len(parts), -1, -1):
        folder = root.joinpath(*parts[:depth])
        limit = _number(folder / limit_file)
        used = _number(folder / used_file)
        if limit is None or used is None or limit >= _UNLIMITED:
            continue
        kept = _of_files(folder / "memory.stat", begin)
        yield max(0, limit - used + min(kept, used))


def _of_files(path: Path, begin: str) -> int:
    """Return the bytes of files that a group holds: a checkpoint that was read, too.

    Those that were read twice count as active, and are let go all the same.
    """
    pairs = (line.partition(" ") for line in _read(path).splitlines())
    told = {key: int(value) for key, _, value in pairs if value.strip().isdecimal()}
    return sum(told.get(f"{begin}{kind}_file", 0) for kind in ("inactive", "active"))


def _number(path: Path) -> int | None:
    text = _read(path).strip()
    return int(text) if text.isdecimal() else None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except (OSError, ValueError):  # another system, or hidden from this process
        return ""
