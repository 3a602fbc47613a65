"""Inputs for which the laws of `pytest_vdg.stats` must hold.

Apart from the tests so that every law is tried on the same corners: no
discordant question, all discordant, one question, one video.
"""

from __future__ import annotations

from hypothesis import strategies as st

Table = tuple[int, int, int]
"""Treated only, control only, n."""


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Draw the counts of a pair, corners included."""
    n = draw(st.integers(1, 500))
    treated_only = draw(st.integers(0, n))
    control_only = draw(st.integers(0, n - treated_only))
    return treated_only, control_only, n


levels = st.sampled_from([0.6, 0.8, 0.9, 0.95, 0.99, 0.999])

effects = st.floats(1, 20)


@st.composite
def alike(draw: st.DrawFn) -> Table:
    """Draw a pair in which so few answers differ that ten points are excluded.

    At most one in fifty changed either way, of a hundred questions or more.
    """
    n = draw(st.integers(100, 1000))
    return draw(st.integers(0, n // 50)), draw(st.integers(0, n // 50)), n


@st.composite
def clustered(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Draw scores in [-2, 2] and the video of each, rare changes included."""
    kinds = draw(st.sampled_from([(0,), (-1,), (2,), (0, -1), (0, 1), range(-2, 3)]))
    scores = draw(st.lists(st.sampled_from(list(kinds)), min_size=1, max_size=60))
    videos = draw(
        st.lists(st.integers(0, 12), min_size=len(scores), max_size=len(scores))
    )
    return scores, videos


@st.composite
def spread(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Draw as `clustered`, on two videos at least: one more question on another."""
    scores, videos = draw(clustered())
    return [draw(st.sampled_from(scores)), *scores], [videos[0] + 1, *videos]
