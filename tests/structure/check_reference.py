#!/usr/bin/env python3
"""usage: check_reference.py PROGRAM [REPOSITORY]    the pages of docs/reference are what the program prints

Prints one line per page that differs, with the command that renews it, and exits 1 if there is any.
"""
import itertools
import pathlib
import subprocess
import sys

PAGES = ("commands", "tools")


def check(program, repository):
    for page in PAGES:
        name = f"docs/reference/{page}.md"
        printed = subprocess.run([program, "reference", page], capture_output=True, text=True, check=True).stdout
        kept = (repository / name).read_text() if (repository / name).exists() else ""
        if printed == kept:
            continue
        lines = itertools.zip_longest(kept.splitlines(), printed.splitlines())
        line = next((number for number, (one, other) in enumerate(lines, 1) if one != other), 1)
        yield f"{name}:{line}: is not what the program prints; renew it: {program} reference {page} > {name}"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    breaches = [*check(sys.argv[1], pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parents[2])]
    print("\n".join(breaches) or "reference: ok")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
