"""Hooks that come with omnihook."""
