"""The manager: hooks on a full screen, for reading, switching, adding, removing and trying them, and a live feed."""
