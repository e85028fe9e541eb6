#!/usr/bin/env python3
"""usage: check_claims.py [REPOSITORY]    every claim of docs/security.md names tests, and they exist

A test is `Suite.Name` of a unit test (TEST or TEST_F below src), or `file.py:test_name` of a black-box test below tests. Prints one
line per breach, `file:line: what`, and exits 1 if there is any.
"""
import pathlib
import re
import sys

PAGE = "docs/security.md"
UNIT = re.compile(r"\b(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+),\s*(\w+)")
SCRIPT = re.compile(r"^\s+def (test_\w+)\(", re.M)
NAMED = re.compile(r"`([^`]+)`")


def tests_of(repository):
    known = set()
    for file in (repository / "src").rglob("*_test.cpp"):
        known |= {f"{suite}.{name}" for suite, name in UNIT.findall(file.read_text())}
    for file in (repository / "tests").rglob("*.py"):
        known |= {f"{file.name}:{name}" for name in SCRIPT.findall(file.read_text())}
    return known


def claims_of(text):
    """(line number, claim, tests) of the table below the heading Claims."""
    in_table = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            in_table = line == "## Claims"
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if in_table and line.startswith("|") and len(cells) == 3 and cells[0] not in ("claim", "---"):
            yield number, cells[0], NAMED.findall(cells[2])


def check(repository):
    page = repository / PAGE
    if not page.exists():
        return [f"{PAGE}:1: is not there"]
    known, breaches, claims = tests_of(repository), [], list(claims_of(page.read_text()))
    if not claims:
        breaches.append(f"{PAGE}:1: makes no claim")
    for number, claim, tests in claims:
        if not tests:
            breaches.append(f"{PAGE}:{number}: no test for: {claim}")
        breaches += [f"{PAGE}:{number}: there is no test {test}" for test in tests if test not in known]
    return breaches


def main():
    repository = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    breaches = check(repository)
    print("\n".join(breaches) or "claims: ok")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
