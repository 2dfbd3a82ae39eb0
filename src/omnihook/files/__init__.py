"""Reading and replacing configuration files: the only way we touch them."""

from omnihook.files.reading import Refused, read_text
from omnihook.files.replacing import replace_text

__all__ = ["Refused", "read_text", "replace_text"]
