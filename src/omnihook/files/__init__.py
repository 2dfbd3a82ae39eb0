"""Reading and replacing configuration files: the only way we touch them."""

from omnihook.files.expanding import expand
from omnihook.files.reading import Refused, read_text
from omnihook.files.replacing import replace_text

__all__ = ["Refused", "expand", "read_text", "replace_text"]
