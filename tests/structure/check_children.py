#!/usr/bin/env python3
"""usage: check_children.py [REPOSITORY]    every place that starts a program is known, and who may lead there

A tool that starts programs needs a token always (src/tools/program_starters.h). Whether a tool does is not seen in its code: it calls
something that calls something. So the places that start programs are listed here with what leads to them; a new one is a breach until
somebody has decided. So is a row that nothing fits any more. Prints one line per breach and exits 1 if there is any.
"""
import pathlib
import re
import sys

STARTERS = {
    # The means.
    "net/run/child.cpp", "net/run/child_process.cpp",
    # Tools of program_starters.h, and commands.
    "mcp/transport/transport_child.cpp",      # MCP servers of a run
    "mcp/oauth/browser_prompt.cpp",  # the browser, for a login at such a server
    "kinds/transcripts/remote/gist_api.cpp",       # gh, for a gist
    "kinds/transcripts/remote/gist_download.cpp",  # git, for a gist
    # Pages, for a login only, and commands.
    "kinds/documents/workspace/git_commit.cpp",      # git, with a verdict
    # Whoever asks for research; on the operator's own files, and nothing of it is the caller's choice.
    "kinds/research/text/document_text.cpp",
    # Commands alone.
    "cli/program/launch.cpp", "cli/services/review_workspace.cpp", "cli/services/guard_unit.cpp",
}

STARTS = re.compile(r"\b(?:run_child|start_child|ChildProcess::start|popen)\(|(?<!\w)::(?:posix_spawnp?|v?fork|exec\w+|system)\(")


def check(repository):
    source, found = repository / "src", set()
    for path in sorted(source.rglob("*.cpp")):
        name = path.relative_to(source).as_posix()
        if name.endswith("_test.cpp"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not STARTS.search(line.split("//")[0]):
                continue
            found.add(name)
            if name not in STARTERS:
                yield f"src/{name}:{number}: starts a program; say in tests/structure/check_children.py what leads here"
    if (source / "tools/program_starters.cpp").exists():
        for name in sorted(STARTERS - found):
            yield f"tests/structure/check_children.py: {name} starts no program"


def main():
    repository = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    breaches = list(check(repository))
    print("\n".join(breaches) if breaches else "children: ok")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
