#!/usr/bin/env python3
"""usage: check_contracts.py [--list] [REPOSITORY]    clauses that the code cites stand in docs/contracts

A clause is cited as `NAME §4.1`, `design 8.26` or `reasoning-sessions A2`; a list or a range (`§4, §8.1-8.3`, `R1-R7`) cites each of
its clauses. A bare `§4` is of the contract that is named last above it in the file, else of the one that the header of the same name
begins with, else of the room's (ROOMS). A bare `A2` in a comment is of reasoning-sessions where that contract was named above it in
the file, or the path says reasoning.
A clause stands in docs/contracts/NAME.md as a heading (`## 4.1 Versions`) or as an item (`- **A2** ...`). One that nobody cites is fine.
Prints one line per breach, `file:line: what`, and exits 1 if there is any. --list prints each cited clause and how often instead.
"""
import collections
import pathlib
import re
import sys

import comments

PAGES = "docs/contracts"
FOLDERS = ("src", "tests", "fuzz", "bench", "cmake", "docs", "examples", "scripts")
NAMED = ("README.md", "CONTRIBUTING.md", "CMakeLists.txt")
LEFT_OUT = ("tests/data/", "tests/npm/", "tests/structure/", PAGES)  # of others; samples of the checkers; the clauses themselves
ALIASES = {"on-disk": "claude-code-on-disk"}  # how comments shorten a name
ROOMS = {"documents": "document-review", "threads": "threads-and-research", "research": "threads-and-research",
         "transcripts": "transcript-archive", "runner": "persistent-client", "reasoning": "reasoning-sessions"}
LETTERED = "reasoning-sessions"  # the contract whose clauses have letters, too

NUMBER = r"\d{1,2}(?:\.\d{1,2})*"
LETTER = r"[RSLATDXU]\d{1,2}"
SIGNS = rf"§{NUMBER}(?:(?:,|,? and|,? or| to|[-–]) ?§{NUMBER}|[-–]{NUMBER})*"
LETTERS = rf"{LETTER}(?:(?:,|,? and|,? or| to|[-–]) ?{LETTER})*"
TOKEN = re.compile(
    rf"RFC \d+,? §{NUMBER}"  # RFCs have paragraphs, too
    rf"|\bdesign(?:\.md)? (?P<design>{NUMBER}(?:(?:,|,? and| to|[-–]) ?\d{{1,2}}\.\d{{1,2}})*)(?![.\d]*\w)"
    rf"|(?P<name>\b[a-z][a-z-]*[a-z]\b)(?: (?P<of>{SIGNS}))?"
    rf"|(?P<bare>{SIGNS})"
    rf"|(?<![\w:#@=/.+-])(?P<letters>{LETTERS})(?![\w=/+]|[.:-]\w)")
CLAUSE = re.compile(rf"^#+ (?P<heading>{NUMBER}|{LETTER})\b|^- \*\*(?P<item>{NUMBER}|{LETTER})\*\*")


def clauses_of(text):
    return {found["heading"] or found["item"] for line in text.splitlines() if (found := CLAUSE.match(line))}


def contracts_of(repository):
    return {page.stem: clauses_of(page.read_text()) for page in sorted((repository / PAGES).glob("*.md")) if page.stem != "README"}


def sources(repository):
    """(name, text) of everything that may cite."""
    paths = [path for folder in FOLDERS for path in sorted((repository / folder).rglob("*"))] + [repository / name for name in NAMED]
    for path in paths:
        name = path.relative_to(repository).as_posix()
        if path.is_file() and path.suffix in (*comments.C_LIKE, *comments.SCRIPTS, ".md") and not name.startswith(LEFT_OUT) and "__pycache__" not in name:
            yield name, path.read_text(errors="replace")


def each_of(cited):
    """The clauses of a list: "§4, §8.1-8.3" is 4, 8.1, 8.2, 8.3."""
    for part in re.split(r",? and |,? or |, ?", cited.replace("§", "")):
        ends = re.split(r" ?[-–] ?| to ", part)
        yield ends[0]
        if len(ends) == 2:
            first, last = (re.fullmatch(r"(.*?)(\d+)", end) for end in ends)
            for number in range(int(first[2]) + 1, int(last[2]) + 1):
                yield (last[1] or first[1]) + str(number)


def first_named(text, contracts):
    for found in TOKEN.finditer(text):
        name = ALIASES.get(found["name"], found["name"])
        if name in contracts:
            return name
    return None


def of_the_room(name):
    return next((ROOMS[part] for part in reversed(name.split("/")[:-1]) if part in ROOMS), None)


def citations(repository, contracts):
    """(place, contract or None, clause): None where a bare number does not say of what it is."""
    texts = dict(sources(repository))
    for name, text in texts.items():
        header = re.sub(r"(_test)?\.cpp$", ".h", name)
        commented = collections.defaultdict(str)
        in_words = enumerate(text.splitlines(), 1) if name.endswith(".md") else comments.comments_of(pathlib.PurePath(name).suffix, text)
        for number, comment in in_words:
            commented[number] += comment
        last = None
        for number, line in enumerate(text.splitlines(), 1):
            for found in TOKEN.finditer(line):
                named = ALIASES.get(found["name"], found["name"])
                last = named if named in contracts and named != "design" else last
                place, cited, contract = f"{name}:{number}", "", None
                if found["design"]:
                    cited, contract = found["design"], "design"
                elif found["of"] or found["bare"]:
                    cited = found["of"] or found["bare"]
                    has_name = found["of"] and (named in contracts or "-" in named)  # but not "the order is that of §5"
                    contract = named if has_name else last or first_named(texts.get(header, ""), contracts) or of_the_room(name)
                elif found["letters"] and found["letters"] in commented[number] and (last == LETTERED or "reasoning" in name):
                    cited, contract = found["letters"], LETTERED
                for clause in each_of(cited) if cited else ():
                    yield place, contract, clause


def check(repository):
    contracts = contracts_of(repository)
    if not contracts:
        yield f"{PAGES}:1: there are no contracts"
    for place, contract, clause in citations(repository, contracts):
        if contract is None:
            yield f"{place}: cites {clause}, but not of which contract; write its name in front"
        elif contract not in contracts:
            yield f"{place}: cites {contract} {clause}, but there is no {PAGES}/{contract}.md"
        elif clause not in contracts[contract]:
            yield f"{place}: cites {contract} {clause}, which is no clause of {PAGES}/{contract}.md"


def print_list(repository):
    cited = collections.Counter((contract or "?", clause) for _, contract, clause in citations(repository, contracts_of(repository)))
    for (contract, clause), times in sorted(cited.items()):
        print(f"{contract} {clause}: {times}")


def main():
    words = [word for word in sys.argv[1:] if word != "--list"]
    repository = pathlib.Path(words[0] if words else pathlib.Path(__file__).parents[2]).resolve()
    if "--list" in sys.argv:
        print_list(repository)
        return 0
    breaches = list(check(repository))
    print("\n".join(breaches) if breaches else "contracts: ok")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
