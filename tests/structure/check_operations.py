#!/usr/bin/env python3
"""usage: check_operations.py PROGRAM [REPOSITORY]    commands, tools and forms of pages are views of the table of operations

What the program itself says of its commands and tools (`reference surfaces`), and the routes that pages take forms at
(`post("...")` in src/web), must come from the table (src/operations) or stand in tests/structure/surfaces.txt with a reason. What
stands there and is a view meanwhile, or is gone, is refused too, so the list only shrinks. What does anything by way of the table
runs the row: a command that says it is a row, and never performs one, is refused.

Prints one line per breach and exits 1 if there is any.
"""
import json
import pathlib
import re
import subprocess
import sys

LIST = "tests/structure/surfaces.txt"
ROUTE = re.compile(r"\bpages?_?\.post\(\s*\"(/[^\"]*)\"")
# The row of a command, and the function that shows it.
ROW = re.compile(r"\bof_operation\(\s*\"([a-z ]+)\",\s*([a-z_]+)(?:<([a-z_]+)>)?")
PERFORMS = re.compile(r"\bperform\(|\bshow\(context,")
FUNCTION = re.compile(r"^\S[^\n;{}()]*?\b(\w+)\([^;{}]*\) (?:const )?\{\n(.*?)^\}", re.M | re.S)
CALL = re.compile(r"\b([a-z_]+)\(")


def surfaces(program, repository):
    """Each command, tool and route by its name, and whether it comes from the table."""
    told = json.loads(subprocess.run([program, "reference", "surfaces"], capture_output=True, text=True, check=True).stdout)
    known = {}
    for word, family in (("command", told["commands"]), ("tool", told["tools"])):
        for name, operation in family.items():
            known[f"{word} {name}"] = operation in told["operations"]
    for path in sorted((repository / "src/web").rglob("*.cpp")):
        if not path.name.endswith("_test.cpp"):
            known.update({f"page {route}": False for route in ROUTE.findall(path.read_text())})
    return known


def listed(repository):
    """Each line of the list: what it names, its reason, where it stands."""
    may_have_none = False
    for number, line in enumerate((repository / LIST).read_text().splitlines(), 1):
        if line.startswith("#") or not line.strip():
            may_have_none = may_have_none or line.lower().startswith("# not yet")
            continue
        name, _, reason = line.partition(": ")
        yield name.rstrip(":"), reason.strip() or may_have_none, f"{LIST}:{number}"


def performs(name, bodies, seen):
    """Whether that function runs an operation, itself or by way of others of its file."""
    body = bodies.get(name)
    if body is None or name in seen:
        return False
    seen.add(name)
    return bool(PERFORMS.search(body)) or any(performs(called, bodies, seen) for called in CALL.findall(body))


def idle_rows(repository):
    """Rows of commands whose function runs no operation."""
    texts = [path.read_text() for path in sorted((repository / "src/cli").rglob("*.cpp")) if not path.name.endswith("_test.cpp")]
    files = [{name: body for name, body in FUNCTION.findall(text)} for text in texts]
    for path, function, _ in (row for text in texts for row in ROW.findall(text) if not row[2]):
        if not any(performs(function, bodies, set()) for bodies in files):
            yield path, function


def check(program, repository):
    known = surfaces(program, repository)
    named = {}
    for name, reason, place in listed(repository):
        if name in named:
            yield f"{place}: {name} stands there twice"
        elif name not in known:
            yield f"{place}: there is no {name}; take the line away"
        elif known[name]:
            yield f"{place}: {name} comes from the table of operations; take the line away"
        elif not reason:
            yield f"{place}: {name} needs a reason (\"{name}: why\")"
        named[name] = True
    for name, is_view in known.items():
        if not is_view and name not in named:
            yield f"{name}: is no view of an operation (src/operations), nor in {LIST}"
    for path, function in idle_rows(repository):
        yield f"command {path}: {function} runs no operation, though its row says that it shows one"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    breaches = [*check(sys.argv[1], pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parents[2])]
    print("\n".join(breaches) or "operations: ok")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
