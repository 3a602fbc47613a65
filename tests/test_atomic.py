"""Files that are written whole, and what is no file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_vdg._commands._check import writable
from pytest_vdg.atomic import is_stream, write_atomically
from pytest_vdg.errors import StoreError


def test_a_file_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    """Nothing else is left beside it; folders are made, and none is replaced."""
    path = tmp_path / "a" / "b.json"
    for data in (b"old", [b"n", b"ew"]):
        write_atomically(path, data)
    assert [each.name for each in path.parent.iterdir()] == ["b.json"]
    assert path.read_bytes() == b"new"
    with pytest.raises(StoreError, match="cannot be written"):
        write_atomically(path.parent, b"")
    assert path.read_bytes() == b"new"


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="there is no /dev/fd")
def test_what_is_no_file_is_written_to_as_it_is() -> None:
    """A pipe stays one, as does a device: no file takes its place."""
    reader, writer = os.pipe()
    try:
        path = Path(f"/dev/fd/{writer}")
        assert writable(path)
        write_atomically(path, b"told")
        assert os.read(reader, 100) == b"told"
    finally:
        os.close(reader)
        os.close(writer)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="there is no /dev/fd")
def test_the_systems_link_to_a_file_stays(tmp_path: Path) -> None:
    """As that of ``/dev/stdout`` where it is redirected: the file itself is written."""
    with (tmp_path / "out").open("wb") as out:
        path = Path(f"/dev/fd/{out.fileno()}")
        assert is_stream(path)
        write_atomically(path, b"told")
        assert os.path.samestat(path.stat(), os.fstat(out.fileno()))
    assert (tmp_path / "out").read_bytes() == b"told"
    assert not is_stream(tmp_path / "out")
    (tmp_path / "link").symlink_to("out")
    assert not is_stream(tmp_path / "link")
