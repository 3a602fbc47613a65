"""Main memory that can be taken, from made-up files of the system."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vdg.backends._free_memory import available

GIB = 1 << 30
MACHINE = "MemTotal:       64 kB\nMemFree:        1 kB\nMemAvailable:   {} kB\n"


def system(folder: Path, *, free: int, groups: str) -> tuple[Path, Path]:
    """Return folders that say *free* bytes, and which *groups* a process is in."""
    proc, mounted = folder / "proc", folder / "cgroup"
    (proc / "self").mkdir(parents=True)
    (proc / "meminfo").write_text(MACHINE.format(free // 1024))
    (proc / "self" / "cgroup").write_text(groups)
    mounted.mkdir()
    return proc, mounted


def write(folder: Path, **numbers: object) -> None:
    """Write files of a control group; ``__`` in a name stands for a point."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in numbers.items():
        (folder / name.replace("__", ".")).write_text(f"{value}\n")


def test_a_machine_without_limits_says_what_it_can_spare(tmp_path: Path) -> None:
    """Not what is free: what it keeps of files is let go when it is needed."""
    proc, groups = system(tmp_path, free=20 * GIB, groups="0::/\n")
    assert available(proc, groups) == 20 * GIB


def test_a_container_may_take_less_than_the_machine_has(tmp_path: Path) -> None:
    """Of 8 GiB it has 3, of which 1 is files that were not used of late."""
    proc, groups = system(tmp_path, free=20 * GIB, groups="0::/\n")
    write(groups, memory__max=8 * GIB, memory__current=3 * GIB)
    write(groups, memory__stat=f"anon 1\ninactive_file {GIB}")
    assert available(proc, groups) == 6 * GIB


@pytest.mark.parametrize("groups", ["0::/\n", "4:memory:/\n"])
def test_a_checkpoint_that_was_read_before_takes_no_room(
    tmp_path: Path, groups: str
) -> None:
    """Read twice, its files are called active; the system lets go of them, too.

    By them alone, a second session in a container of 8 GiB would have 1 left.
    """
    proc, mounted = system(tmp_path, free=20 * GIB, groups=groups)
    files = f"active_file {6 * GIB}\ninactive_file 0\nactive_anon {GIB}"
    limit, used = 8 * GIB, 7 * GIB
    write(mounted, memory__max=limit, memory__current=used, memory__stat=files)
    old = mounted / "memory"
    write(old, memory__limit_in_bytes=limit, memory__usage_in_bytes=used)
    write(old, memory__stat=files.replace("active", "total_active", 1))
    assert available(proc, mounted) == 7 * GIB


@pytest.mark.parametrize(
    "groups", ["", "\n", "nonsense\n", "0::\n", "1:memory\n", "4:memory:/\udcff\n"]
)
def test_files_that_are_not_as_known_limit_nothing(tmp_path: Path, groups: str) -> None:
    """Other systems have the same files; nothing is refused for how they write."""
    proc, mounted = system(tmp_path, free=2 * GIB, groups="")
    found = groups.encode(errors="surrogateescape")
    (proc / "self" / "cgroup").write_bytes(found)
    write(mounted, memory__max="lots", memory__current=GIB, memory__stat="anon\n\nx y")
    assert available(proc, mounted) == 2 * GIB
    (proc / "meminfo").write_text("MemAvailable:\nMemAvailable: 5 kB\n")
    assert available(proc, mounted) == 5 * 1024


def test_what_is_called_a_digit_and_is_no_number_limits_nothing(tmp_path: Path) -> None:
    """Where a limit or what is kept of files should stand, and nothing fails."""
    proc, groups = system(tmp_path, free=2 * GIB, groups="0::/job\n")
    write(groups / "job", memory__max="²", memory__current=GIB)
    write(groups, memory__max=9 * GIB, memory__current=GIB, memory__stat="x_file ²")
    assert available(proc, groups) == 2 * GIB


def test_the_narrowest_group_around_a_process_counts(tmp_path: Path) -> None:
    """A group's limit holds for all below it; one without a limit says ``max``."""
    proc, groups = system(tmp_path, free=20 * GIB, groups="0::/pod/job\n")
    write(groups / "pod" / "job", memory__max="max", memory__current=GIB)
    write(groups / "pod", memory__max=4 * GIB, memory__current=3 * GIB)
    assert available(proc, groups) == GIB


def test_groups_of_the_first_kind_are_read_too(tmp_path: Path) -> None:
    """There memory has a tree of its own, and no limit is a very large number."""
    found = "9:cpu,memory:/job\n1:cpu:/\n"
    proc, groups = system(tmp_path, free=20 * GIB, groups=found)
    own = groups / "memory" / "job"
    write(own, memory__limit_in_bytes=2 * GIB, memory__usage_in_bytes=GIB // 2)
    write(own, memory__stat=f"total_inactive_file {GIB // 4}")
    outer = groups / "memory"
    write(outer, memory__limit_in_bytes=(1 << 63) - 4096, memory__usage_in_bytes=0)
    assert available(proc, groups) == 2 * GIB - GIB // 4


def test_more_than_a_group_may_hold_leaves_nothing(tmp_path: Path) -> None:
    """A limit that was lowered under a running process is not a debt."""
    proc, groups = system(tmp_path, free=GIB, groups="0::/\n")
    write(groups, memory__max=GIB, memory__current=2 * GIB)
    assert available(proc, groups) == 0


def test_a_system_that_tells_nothing_is_asked_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without ``/proc``, the free pages count; without those, nothing is known."""
    pages = {"SC_AVPHYS_PAGES": 3, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr("os.sysconf", pages.__getitem__)
    assert available(tmp_path / "no", tmp_path / "no") == 3 * 4096

    def unknown(name: str) -> int:
        raise ValueError(name)

    monkeypatch.setattr("os.sysconf", unknown)
    assert available(tmp_path / "no", tmp_path / "no") is None


def test_a_group_may_have_colons_in_its_name(tmp_path: Path) -> None:
    """As those of containerd under systemd have."""
    name = "kubepods.slice:cri-containerd:4f5a"
    proc, groups = system(tmp_path, free=20 * GIB, groups=f"0::/{name}\n")
    write(groups / name, memory__max=4 * GIB, memory__current=GIB)
    assert available(proc, groups) == 3 * GIB
