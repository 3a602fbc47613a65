"""Tests of sessions: what is asked of which slice."""
