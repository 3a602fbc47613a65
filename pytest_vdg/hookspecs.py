"""Hooks that `pytest_vdg` offers to conftest files and other plugins.

Apart from ``plugin`` so that they can be read as one list. A hook of yours
that should also load where we are not installed is marked
``@pytest.hookimpl(optionalhook=True)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_vdg.backends.protocol import Backend
    from pytest_vdg.verdicts import Finding


@pytest.hookspec(firstresult=True)
def pytest_vdg_make_backend(
    config: pytest.Config, name: str, settings: Mapping[str, object]
) -> Backend | None:
    """Return the backend called *name*, or None to leave it to the registry.

    What its code raises is an error of the tests that ask it, ``pytest.skip`` too.
    """


@pytest.hookspec
def pytest_vdg_finding(item: pytest.Item, finding: Finding) -> None:
    """Hear of each claim judged in *item*, in the process that ran it."""
