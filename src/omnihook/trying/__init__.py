"""Trying hooks out: one hook on a sample event, and the cases that are kept beside hooks."""
