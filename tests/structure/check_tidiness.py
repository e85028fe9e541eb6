#!/usr/bin/env python3
"""usage: check_tidiness.py [REPOSITORY]    sizes of files and folders, left-over markers, formatting

Prints one line per breach, `file: what`, and exits 1 if there is any.
"""
import pathlib
import re
import subprocess
import sys

LONGEST_FILE = 600  # lines; nine of ten files are meant to stay below 500
MOST_FILES = 40  # in one folder of src; then it has found its sub-folders
MARKER = re.compile(r"\b(TODO|FIXME|XXX)\b")
FOLDERS = ("src", "tests", "fuzz", "bench")
VAGUE_NAMES = re.compile(r"(^|_)(utils?|helpers?|manager|common|misc)(_|\.|$)")


def cpp_files(repository, folders=FOLDERS):
    for folder in folders:
        for path in sorted((repository / folder).rglob("*")):
            if path.suffix in (".h", ".hpp", ".cpp"):
                yield path


def check_text(repository):
    for path in cpp_files(repository):
        name = path.relative_to(repository)
        lines = path.read_text().splitlines()
        if name.parts[0] == "src":
            if len(lines) > LONGEST_FILE:
                yield f"{name}: {len(lines)} lines, more than {LONGEST_FILE}"
            if any(VAGUE_NAMES.search(part) for part in name.parts):
                yield f"{name}: the name does not say what is inside"
        for number, line in enumerate(lines, 1):
            if MARKER.search(line):
                yield f"{name}:{number}: unfinished: {line.strip()}"


def check_folders(repository):
    source = repository / "src"
    for folder in sorted([source, *(path for path in source.rglob("*") if path.is_dir())]):
        count = sum(path.is_file() for path in folder.iterdir())
        if count > MOST_FILES:
            yield f"{folder.relative_to(repository)}: {count} files, more than {MOST_FILES}; move some into a folder of their own"


def check_format(repository):
    files = [str(path) for path in cpp_files(repository)]
    if not files:
        return
    done = subprocess.run(["clang-format-19", "--dry-run", "--Werror", *files], capture_output=True, text=True)
    for file in sorted(set(re.findall(r"^(\S+?):\d+:\d+: error: code should be", done.stderr, re.M))):
        yield f"{pathlib.Path(file).relative_to(repository)}: not formatted (scripts/format)"


def main():
    repository = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    breaches = [*check_text(repository), *check_folders(repository), *check_format(repository)]
    print("\n".join(breaches) if breaches else "tidiness: ok")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
