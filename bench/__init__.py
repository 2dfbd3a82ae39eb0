"""Measurements of omnihook against bare baselines and a peer; `make bench` runs them, no test does."""
