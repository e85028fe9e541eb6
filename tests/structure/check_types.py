#!/usr/bin/env python3
"""usage: check_types.py [REPOSITORY]    one type a name in every namespace

Two types of one name in one namespace, each in a file that does not see the other, break the one-definition rule: the linker
keeps the functions of one of them for both, and nothing warns. Types inside of an unnamed namespace are their file's own.
Prints one line per breach and exits 1 if there is any.
"""
import pathlib
import re
import sys

NAMESPACE = re.compile(r"^(?:inline )?namespace(?: (?P<name>[\w:]+))? \{")
END = re.compile(r"^\}  // namespace")
TYPE = re.compile(r"^(?:template <.*> )?(?:struct|class|union|enum class|enum) (?:alignas\(\w+\) )?(?P<name>\w+)(?: final)?(?: : [^;]*)?(?: \{.*|$)")


def definitions(path):
    """Types at the level of a namespace, as the formatter writes them: at the beginning of a line."""
    inside = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if begin := NAMESPACE.match(line):
            inside.append(begin["name"])
        elif END.match(line) and inside:
            inside.pop()
        elif (found := TYPE.match(line)) and None not in inside and (not line.endswith(";") or "{" in line):
            yield "::".join([*inside, found["name"]]), number


def check(repository):
    known = {}
    for path in sorted((repository / "src").rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        for name, number in definitions(path):
            place = f"{path.relative_to(repository)}:{number}"
            if name in known:
                yield f"{place}: {name} is also the name of a type in {known[name]}"
            known.setdefault(name, place)


def main():
    repository = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    breaches = list(check(repository))
    print("\n".join(breaches) if breaches else "types: ok")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
