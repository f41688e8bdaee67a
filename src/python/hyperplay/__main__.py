"""The program, with all its commands: `python -m hyperplay`."""

import sys

from hyperplay import main


def run():
    """Runs the command of the command line and ends with its exit code."""
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
