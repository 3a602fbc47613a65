"""Logs of other tools, read and joined. The logs are constructed, see ``made``."""
