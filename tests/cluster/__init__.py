"""Actors on a Ray cluster of two nodes, which the tests start on this machine."""
