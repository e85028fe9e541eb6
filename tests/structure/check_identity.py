#!/usr/bin/env python3
"""usage: check_identity.py [REPOSITORY]    nobody reaches the store of a server without saying as whom

A server holds its store as a SharedStore (src/session/query/store_view.h), which has nothing to call. This holds the compiler's side of
that together: who makes one, who takes the whole store out of it and for which work, who keeps a store for longer than a call, and
that nothing about a call is a property of a thread. What is not in these tables is a breach, once more than they say, too; so is a
row that nothing fits any more. Where a server opens its store, nothing is done with it but to share it. That each tool, operation, page
and stream makes its view as its caller is tested from outside (tests/e2e/app/isolation.py), which names every one of them.
Prints one line per breach and exits 1 if there is any.
"""
import collections
import pathlib
import re
import sys

# Who gets the whole store, the work it names (SystemWork), and how often.
SYSTEM = {
    ("cli/services/mcp_service.cpp", "protocol"): 1,     # tasks, letters, streams: keyed values
    ("cli/services/mcp_service.cpp", "sweep"): 1,        # the clocks, and what has expired
    ("cli/services/mcp_service.cpp", "research"): 1,     # whose a run is that has to be worked
    ("cli/services/mcp_service.cpp", "gateway"): 1,      # whom a change is for
    ("cli/server/serve_command.cpp", "gateway"): 1,    # tokens, logins, health, live events
    ("kinds/documents/workspace/handles.h", "documents"): 1,    # what several owners know of one folder
    ("kinds/documents/workspace/workspace_state.h", "documents"): 1,
    ("tools/call_context.cpp", "sweep"): 1,     # a sweep that was asked for; it sees what its caller sees (SweepOptions::seen_by)
    ("web/pages/storage_page.cpp", "storage"): 1,     # an administrator's
}
# Who makes a SharedStore of a store that was opened.
SHARED = {"cli/arguments/reference_command.cpp", "cli/server/mcp_command.cpp", "cli/server/serve_command.cpp", "cli/transcripts/transcript_work.cpp", "cli/services/review_workspace.cpp"}
# What of a surface keeps a store: for one call, as its caller sees it, or for work that SYSTEM has.
KEPT = {
    "tools/session/session_operations.h", "tools/research/research_tool.h", "tools/call_context.h", "web/pages/actions.cpp", "web/pages/reader_page.h",
    "tools/mcp_state.h", "tools/session/session_news.h", "web/gateway/gateway.h", "web/gateway/health.h", "web/pages/live_events.h", "web/gateway/logins.h",
}
# Things of a thread that say nothing about a call: random numbers, buffers, the trace of a log.
THREAD_LOCAL = {"base/run/log.cpp", "base/files/zstd_block.cpp", "base/run/backoff.h", "net/run/child_process.cpp", "search/words/stems.cpp", "net/http/http_response_text.cpp"}

FOR_SYSTEM = re.compile(r"\bfor_system\((?:session::)?SystemWork::(\w+)\)")
ANY_SYSTEM = re.compile(r"\bfor_system\((?!SystemWork\))")
MADE = re.compile(r"\bSharedStore(?: \w+)?[({]\*|\bstores_?\.emplace\(")
MEMBER = re.compile(r"^ +(?:session::)?Store ?[&*] ?(?:const )?\w+_?(?: = nullptr)?;")
OWNED = re.compile(r"^ +std::(?:unique|shared)_ptr<(?:session::)?Store> \w+;")
WHOLE = re.compile(r"\*(?:\w+->)?store_?\b|\bstore_?(?:->|\.get\(\))")
WORK = re.compile(r"^  (\w+),? *//")


def sources(source):
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source).as_posix()
        if path.suffix in (".h", ".cpp") and not name.endswith("_test.cpp") and not path.name.startswith("test_"):
            yield name, path.read_text()


def works_of(source):
    """The enumerators of SystemWork."""
    header = source / "session/query/store_view.h"
    text = header.read_text() if header.exists() else ""
    body = re.search(r"enum class SystemWork.*?\{(.*?)\};", text, re.S)
    return {found[1] for line in (body[1].splitlines() if body else []) if (found := WORK.match(line))}


def check(repository):
    source = repository / "src"
    used, made, kept, local = collections.Counter(), set(), set(), set()
    for name, text in sources(source):
        room = name.split("/")[0]
        for number, line in enumerate(text.splitlines(), 1):
            place = f"src/{name}:{number}"
            if line.lstrip().startswith("//"):
                continue
            if ANY_SYSTEM.search(line) and name != "session/query/store_view.h":
                work = FOR_SYSTEM.search(line)
                row = (name, work[1] if work else "")
                used[row] += 1
                if used[row] > SYSTEM.get(row, 0):
                    yield f"{place}: takes the whole store of a server for work that is not its own"
            if MADE.search(line):
                made.add(name)
                if name not in SHARED:
                    yield f"{place}: makes a SharedStore; a call makes a StoreView of the one it was given"
            elif name in SHARED and WHOLE.search(line):
                yield f"{place}: uses the whole store of a server beside the SharedStore"
            if room in ("tools", "web") and (MEMBER.match(line) or OWNED.match(line)):
                kept.add(name)
                if name not in KEPT:
                    yield f"{place}: keeps a store; keep the SharedStore, and make a view in each call"
            if "thread_local" in line:
                local.add(name)
                if name not in THREAD_LOCAL:
                    yield f"{place}: thread_local: who asks, and what is theirs, is an argument"
    whole = (source / "session/query/store_view.h").exists()
    for work in sorted(works_of(source) - {work for _, work in used}) if whole else []:
        yield f"src/session/query/store_view.h: nobody does the work {work}"
    for row, times in sorted(SYSTEM.items()) if whole else []:
        if used[row] < times:
            yield f"tests/structure/check_identity.py: {row} is used {used[row]} times, not {times}"
    for table, found in ((SHARED, made), (KEPT, kept), (THREAD_LOCAL, local)):
        for row in sorted(table - found) if whole else []:
            yield f"tests/structure/check_identity.py: nothing fits {row}"


def main():
    repository = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    breaches = list(check(repository))
    print("\n".join(breaches) if breaches else "identity: ok")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
