"""Editing configuration files of any dialect in place: what is not edited stays byte for byte."""
