#!/usr/bin/env python3
"""usage: check_links.py [REPOSITORY]    links and file names in the documents, and files named in the comments of the code

Every relative link of a page leads to a file, and to a heading when it names one. What stands in backticks and looks
like a file of the repository is one: below the root, below src, beside the page, or, for a bare source name, anywhere
(headers of libraries that some file of ours includes are known, too).
A comment of a source names files of ours, too: by their bare name, by a path from the root or from src, or by the end of such a path;
"…" stands for any folders. What stands there in quotes is an example, and may be anything.
Prints one line per breach, `file:line: what`, and exits 1 if there is any.
"""
import pathlib
import re
import sys

import comments

FENCE = re.compile(r"^\s*(```|~~~)")
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\s*\[[^\]]+\]:\s*(\S+)|\b(?:src|href)=\"([^\"]+)\"")
CODE = re.compile(r"`([^`]+)`")
PATH = re.compile(r"[\w.*-]+(?:/[\w.*-]+)*/?")
SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.I)
SOURCE = (".h", ".hpp", ".cpp", ".py", ".mjs", ".cmake")  # a bare name with one of these is a file of ours
NAMED_DOCUMENT = re.compile(r"\bdocs/[\w./-]+\.(?:md|svg)\b")
INCLUDED = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.M)
CODE_FILES = (".h", ".hpp", ".cpp", ".py", ".cmake", ".sh")
LEFT_OUT = ("build", "node_modules", "tests/data")  # what is made, fetched, or was written by others
COMMENTED = ("src", "tests", "fuzz", "bench", "cmake", "examples", "scripts")  # folders whose comments are read
QUOTED = re.compile(r'"[^"]*"|\'[^\'\s]*\'|<[^>\s]*>')
IN_COMMENT = re.compile(r"(?<![\w./:~$*{}…-])(?:[\w-]+/|…/)*[\w-]+\.(?:h|hpp|cpp|py|mjs|cmake|md|svg)\b(?![\w/*{(-])")
PRODUCTS = ("llama.cpp",)  # of others, whose names look like files
SAMPLES = "tests/structure/"  # documents that the checkers' own tests make up


def files_of(repository):
    """Every file that is ours, by its path below the repository."""
    found = {}
    for path in sorted(repository.rglob("*")):
        name = path.relative_to(repository).as_posix()
        left_out = any(name == folder or name.startswith(folder + "/") for folder in LEFT_OUT)
        if path.is_file() and not left_out and not name.startswith(".git/") and "__pycache__" not in name:
            found[name] = path
    return found


def prose(text):
    """(number, line) of the lines outside of fenced code."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors_of(text):
    """The names that GitHub gives to the headings of a page."""
    found = set()
    for _, line in prose(text):
        heading = re.match(r"#+\s+(.*)", line)
        if heading:
            words = re.sub(r"[^\w\s-]", "", heading[1].replace("`", "").lower()).strip()
            found.add(re.sub(r"\s", "-", words))
    return found


def exists_below(folder, pattern):
    pattern = pattern.rstrip("/")
    return any(folder.glob(pattern)) if "*" in pattern else (folder / pattern).exists()


def check_link(repository, page, target):
    if SCHEME.match(target):
        return
    name, _, anchor = target.partition("#")
    leads_to = (page.parent / name).resolve() if name else page
    if not leads_to.exists():
        yield f"{target}: there is no such file"
    elif not leads_to.is_relative_to(repository):
        yield f"{target}: outside of the repository"
    elif anchor and leads_to.suffix == ".md" and anchor not in anchors_of(leads_to.read_text()):
        yield f"{target}: there is no such heading"


def check_path(repository, page, names, text):
    text = re.sub(r":\d+$", "", text)
    if not PATH.fullmatch(text):
        return
    first = text.split("/")[0]
    if "/" not in text:
        looks_ours = text.endswith(SOURCE)
        known = looks_ours and ("*" in text or text in names)
    else:
        in_a_room = (repository / "src" / first).is_dir() and text.endswith(SOURCE)  # `tools/list` is a method
        looks_ours = first not in LEFT_OUT and ((repository / first).is_dir() or in_a_room)
        known = any(exists_below(folder, text) for folder in (repository, repository / "src", page.parent))
    if looks_ours and not known:
        yield f"`{text}`: there is no such file"


def check_comment(repository, page, files, names, text):
    """What a comment of a source names. A page (.md) is meant only where the path says where: "notes/a.md" is an example."""
    for name in IN_COMMENT.findall(QUOTED.sub("*", text)):
        first, stem = name.split("/")[0], name.split("/")[-1].split(".")[0]
        placeholder = stem.isupper() and not stem.startswith("README") or stem.startswith("_")  # NAME.py, anything_test.cpp
        page_elsewhere = name.endswith((".md", ".svg")) and not (repository / first).is_dir()
        if placeholder or page_elsewhere or name in PRODUCTS or name.startswith(tuple(folder + "/" for folder in LEFT_OUT)):
            continue
        wanted = re.compile("(?:^|.*/)" + re.escape(name).replace("…", ".*") + "$")
        beside = "/" in name and (page.parent / name).exists()
        if name not in names and not beside and not any(wanted.match(file) for file in files):
            yield f"the comment names {name}, which does not exist"


def check(repository):
    files = files_of(repository)
    names = {path.name for path in files.values()}
    for path in files.values():
        if path.suffix in (".h", ".hpp", ".cpp"):
            names.update(INCLUDED.findall(path.read_text()))
    for name, page in files.items():
        if page.suffix == ".md":
            for number, line in prose(page.read_text()):
                for link in LINK.finditer(CODE.sub("", line)):
                    for breach in check_link(repository, page, next(filter(None, link.groups()))):
                        yield f"{name}:{number}: {breach}"
                for code in CODE.findall(line):
                    for breach in check_path(repository, page, names, code):
                        yield f"{name}:{number}: {breach}"
        whole = (page.suffix in CODE_FILES or page.name == "CMakeLists.txt") and not name.startswith(SAMPLES)  # texts of the program, too
        if whole:
            for number, line in enumerate(page.read_text().splitlines(), 1):
                for document in NAMED_DOCUMENT.findall(line):
                    if not (repository / document).exists():
                        yield f"{name}:{number}: names {document}, which does not exist"
        commented = name.startswith(tuple(folder + "/" for folder in COMMENTED)) or page.name == "CMakeLists.txt"
        if commented and not name.startswith(SAMPLES) and page.suffix in (*comments.C_LIKE, *comments.SCRIPTS):
            for number, line in comments.comments_of(page.suffix, page.read_text(errors="replace")):
                for breach in check_comment(repository, page, files, names, NAMED_DOCUMENT.sub("", line) if whole else line):
                    yield f"{name}:{number}: {breach}"


def main():
    repository = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    breaches = list(check(repository))
    print("\n".join(breaches) if breaches else "links: ok")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
