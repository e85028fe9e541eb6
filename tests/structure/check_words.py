#!/usr/bin/env python3
"""usage: check_words.py [--count] [REPOSITORY]    words that the glossary has replaced do not come back

The table "Words we do not use" of docs/glossary.md has a row for each: the words, what to say instead, and where they still stand. They
are refused everywhere else: in names of files, in identifiers, in comments and in pages; not in texts that the program prints. A place
where none of a row's words is left has to leave the row. Rows that say "not checked" are for people.
Prints one line per breach, `file:line: what`, and exits 1 if there is any. --count prints in how many lines each word stands, and where.
"""
import collections
import pathlib
import re
import sys

import comments

PAGE = "docs/glossary.md"
HEADING = "## Words we do not use"
UNCHECKED = "not checked"
FOLDERS = ("src", "tests", "fuzz", "bench", "cmake", "docs", "examples", "scripts")
NAMED = ("README.md", "CONTRIBUTING.md", "CMakeLists.txt")
LEFT_OUT = ("tests/data/", "tests/npm/", "fuzz/corpus/", "tests/structure/", "docs/decisions/", PAGE)  # of others; the checkers; history; the table
STRING = re.compile(r'R"(?P<mark>\w*)\((?:.|\n)*?\)(?P=mark)"|(?<!#include )"(?:\\.|[^"\\\n])*"')
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # the parts of "kMaxShelves", "put_on_shelf", "Shelf"


def rows_of(text):
    """(line number, words, instead, places or None)"""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        inside = line == HEADING if line.startswith("## ") else inside
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if inside and line.startswith("|") and len(cells) == 3 and cells[0] != "not this" and not cells[0].startswith("-"):
            places = None if cells[2] == UNCHECKED else [place.strip() for place in cells[2].split(",") if place.strip()]
            yield number, [word.strip() for word in cells[0].split(",")], cells[1], places


def is_in(name, place):
    return name == place or name.startswith(place + "/") or "/" not in place and place in name.split("/")[:-1]


def lines_of(name, path):
    """(number, words) of every line that counts; line 1 has the words of the file's name, too."""
    suffix, text = path.suffix, path.read_text(errors="replace")
    if suffix in comments.C_LIKE:  # identifiers, comments and names of headers; the lines of a string stay, empty
        commented = {number for number, _ in comments.comments_of(suffix, text)}
        kept = STRING.sub(lambda found: "\n" * found[0].count("\n"), text).splitlines()
        text = "\n".join(whole if number in commented and whole.lstrip().startswith(("//", "*", "/*")) else line
                         for number, (whole, line) in enumerate(zip(text.splitlines(), kept), 1))
    for number, line in enumerate(text.splitlines(), 1):
        yield number, [part.lower() for part in WORD.findall(line)]
    yield 1, [part.lower() for part in WORD.findall(pathlib.PurePath(name).name)]


def files_of(repository):
    paths = [path for folder in FOLDERS for path in sorted((repository / folder).rglob("*"))] + [repository / name for name in NAMED]
    for path in paths:
        name = path.relative_to(repository).as_posix()
        if path.is_file() and path.suffix in (*comments.C_LIKE, *comments.SCRIPTS, ".md") and not name.startswith(LEFT_OUT) and "__pycache__" not in name:
            yield name, path


def found_in(repository, wanted):
    """(name, line number, word) of every wanted word."""
    for name, path in files_of(repository):
        for number, parts in lines_of(name, path):
            for word in wanted.intersection(parts):
                yield name, number, word


def check(repository):
    page = repository / PAGE
    rows = list(rows_of(page.read_text())) if page.exists() else []
    if not rows:
        return [f"{PAGE}:1: has no table of words we do not use"]
    row_of = {word: row for row in rows if row[3] is not None for word in row[1]}
    breaches, met = [], collections.defaultdict(set)
    for name, number, word in found_in(repository, set(row_of)):
        line, _, instead, places = row_of[word]
        where = [place for place in places if is_in(name, place)]
        met[line].update(where)
        if not where:
            breaches.append(f"{name}:{number}: {word}: say {instead} ({PAGE})")
    for line, words, _, places in rows:
        breaches += [f"{PAGE}:{line}: {words[0]} is gone from {place}: take it out of the row" for place in places or () if place not in met[line]]
    return breaches


def print_count(repository):
    words = {word for row in rows_of((repository / PAGE).read_text()) for word in row[1]}
    counted = collections.Counter((word, "/".join(name.split("/")[:2])) for name, _, word in found_in(repository, words))
    for (word, folder), times in sorted(counted.items()):
        print(f"{word} {folder}: {times}")


def main():
    words = [word for word in sys.argv[1:] if word != "--count"]
    repository = pathlib.Path(words[0] if words else pathlib.Path(__file__).parents[2]).resolve()
    if "--count" in sys.argv:
        print_count(repository)
        return 0
    breaches = check(repository)
    print("\n".join(breaches) if breaches else "words: ok")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
