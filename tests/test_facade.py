"""The public names: one list, nothing by accident, nothing imported early."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import pytest_vdg


def test_nothing_is_public_by_accident() -> None:
    """``__all__`` is sorted, and is all that the facade hands out."""
    assert pytest_vdg.__all__ == sorted(pytest_vdg._HOME)
    assert set(pytest_vdg.__all__) <= set(dir(pytest_vdg))


@pytest.mark.parametrize("name", pytest_vdg.__all__)
def test_every_public_name_is_there(name: str) -> None:
    """Each name leads to the object of that name, in the module it says."""
    if name == "VdgCallback":
        pytest.importorskip("transformers")
    found = getattr(pytest_vdg, name)
    assert found.__name__ == name
    assert found.__doc__


def test_type_checkers_see_the_same_names() -> None:
    """The imports for type checkers are those of the list."""
    tree = ast.parse(Path(pytest_vdg.__file__).read_text(encoding="utf-8"))
    seen = {
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("pytest_vdg")
        for alias in node.names
    }
    assert seen == set(pytest_vdg.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    """Misspelt names fail as in any module."""
    with pytest.raises(AttributeError, match="assert_vdg_abov"):
        getattr(pytest_vdg, "assert_vdg_abov")  # noqa: B009 - it is not there
