"""What a built-in raises when it cannot do its work; apart, since some need nothing else that is slow to import."""


class Trouble(Exception):
    """A built-in could not do its work; the text says what and why. The hook counts as broken."""
