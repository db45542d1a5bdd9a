"""``python -m opennki``: the command line."""

from opennki.cli import main

if __name__ == "__main__":
    main()
