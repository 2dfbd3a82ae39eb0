"""`python -m omnihook` and the `omnihook` command."""

import sys

from omnihook.cli import main

if __name__ == "__main__":
    sys.exit(main())
