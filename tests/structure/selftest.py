#!/usr/bin/env python3
"""Shows that every checker of this folder refuses a bad sample and accepts a good one."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
CMAKE = "hf_room(base)\nhf_room(net DEPENDS base)\nhf_room(mcp DEPENDS base net)\nhf_room(cli DEPENDS base net mcp LINK x)\n"


def run(checker, *arguments):
    done = subprocess.run([sys.executable, HERE / checker, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Results(unittest.TestCase):
    """scripts/count-results on what suites may have written."""

    def counted(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (pathlib.Path(folder) / name).write_text(text)
            done = subprocess.run([HERE.parents[1] / "scripts/count-results", folder], capture_output=True, text=True)
            return done.returncode, done.stdout.splitlines()[-1]

    def test_what_ran_is_counted_and_what_did_not_has_failed(self):
        def suite(*tests):
            return "<testsuite>" + "".join(f'<testcase name="t" status="{status}"><system-out>{said}</system-out></testcase>' for status, said in tests) + "</testsuite>"
        gtest = "[  PASSED  ] 3 tests.\n[  SKIPPED ] 1 test, listed below:\n"
        for files, expected in (
                ({"a.xml": suite(("run", gtest), ("run", ""))}, (0, "4 passed, 0 failed")),
                ({"a.xml": suite(("run", gtest)), "fuzz.txt": "2 passed, 1 failed\n"}, (1, "5 passed, 1 failed")),
                ({"a.xml": suite(("run", gtest)), "b.xml": suite()}, (1, "3 passed, 1 failed")),
                ({"a.xml": suite(("run", gtest), ("run", "[  PASSED  ] 0 tests.\n"))}, (1, "3 passed, 1 failed")),
                ({"a.xml": suite(("run", gtest), ("fail", gtest))}, (1, "6 passed, 1 failed")),
                ({}, (1, "0 passed, 0 failed"))):
            with self.subTest(files):
                self.assertEqual(self.counted(files), expected)


class Hardening(unittest.TestCase):
    def test_a_plain_program_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder) / "a.cpp", pathlib.Path(folder) / "a"
            source.write_text("int main() {}\n")
            subprocess.run(["g++", "-no-pie", "-Wl,-z,norelro,-z,lazy,-z,execstack", "-fcf-protection=none", source, "-o", program], check=True)
            status, output = run("check_hardening.py", program)
            self.assertEqual(status, 1)
            for name in ("PIE", "not code", "RELRO", "BIND_NOW", "stack protector", "FORTIFY", "GLIBCXX", "control-flow", "stack-clash"):
                self.assertIn(name, output)


class Reference(unittest.TestCase):
    def test_a_page_that_is_not_what_the_program_prints_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs/reference").mkdir(parents=True)
            program = root / "program"
            program.write_text("#!/bin/sh\necho \"# $2\"\n")
            program.chmod(0o755)
            page = root / "docs/reference/commands.md"
            (page.parent / "tools.md").write_text("# tools\n")
            self.assertEqual(run("check_reference.py", program, root)[0], 1)
            page.write_text("# other\n")
            status, output = run("check_reference.py", program, root)
            self.assertEqual(status, 1)
            self.assertIn("docs/reference/commands.md:1: is not what the program prints", output)
            self.assertIn("reference commands > docs/reference/commands.md", output)
            page.write_text("# commands\n")
            self.assertEqual(run("check_reference.py", program, root), (0, "reference: ok\n"))


class Operations(unittest.TestCase):
    TOLD = {"operations": ["clone", "sessions pin"], "commands": {"clone": "clone", "mcp": None}, "tools": {"clone_session": "clone", "session pin": "sessions pin"}}
    ROWS = 'constexpr Command kRows[] = {\n    of_operation("clone", clone_transcript, "4f2a  what for")};\n'
    CLONE = "Result<void> clone_transcript(Context& context) {\n  return show(context);\n}\n\nResult<void> show(Context& context) {\n  work->perform();\n}\n"

    def answer(self, told, surfaces, command=CLONE, page="int a;\n"):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {"tests/structure/surfaces.txt": surfaces, "src/cli/rows.cpp": self.ROWS, "src/cli/clone.cpp": command, "src/web/add_pages.cpp": page}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            (root / "told.json").write_text(json.dumps(told))
            program = root / "program"
            program.write_text(f"#!/bin/sh\ncat {root}/told.json\n")
            program.chmod(0o755)
            return run("check_operations.py", program, root)

    def test_what_is_no_view_of_an_operation_is_refused(self):
        mcp = "command mcp: starts a surface\n"
        self.assertEqual(self.answer(self.TOLD, mcp), (0, "operations: ok\n"))
        with_tool = {**self.TOLD, "tools": {**self.TOLD["tools"], "session stitch": None}}
        with_lie = {**self.TOLD, "tools": {"clone_session": "clones"}}
        post = '  pages.post(\n      "/notices/drop", drop);\n'
        for told, surfaces, files, said in (
                (self.TOLD, "", {}, "command mcp: is no view"),
                (self.TOLD, "command mcp\n", {}, "surfaces.txt:1: command mcp needs a reason"),
                (with_tool, mcp, {}, "tool session stitch: is no view"),
                (with_lie, mcp, {}, "tool clone_session: is no view"),
                (self.TOLD, mcp, {"page": post}, "page /notices/drop: is no view"),
                (self.TOLD, mcp + "command clone: so\n", {}, "surfaces.txt:2: command clone comes from the table"),
                (self.TOLD, mcp + "tool gone: so\n", {}, "surfaces.txt:2: there is no tool gone"),
                (self.TOLD, mcp + mcp, {}, "surfaces.txt:2: command mcp stands there twice"),
                (self.TOLD, mcp, {"command": self.CLONE.replace("work->perform", "work->clone")}, "command clone: clone_transcript runs no operation")):
            with self.subTest(said):
                status, output = self.answer(told, surfaces, **files)
                self.assertEqual((status, output.count("\n")), (1, 1), output)
                self.assertIn(said, output)
        later = mcp + "# Not yet\ntool session stitch\npage /notices/drop\n"
        self.assertEqual(self.answer(with_tool, later, page=post), (0, "operations: ok\n"))


class Repository(unittest.TestCase):
    """Checks made-up repositories of a few files."""

    def breaches(self, checker, files, cmake=CMAKE):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "CMakeLists.txt").write_text(cmake)
            (root / ".clang-format").write_text((HERE.parents[1] / ".clang-format").read_text())
            for name, text in files.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            status, output = run(checker, root)
            self.assertEqual(status, 1 if "ok" not in output else 0, output)
            return output

    def assert_rooms(self, expected, files, cmake=CMAKE):
        self.assertIn(expected, self.breaches("check_rooms.py", files, cmake))

    def test_rooms_accepts(self):
        self.assert_rooms("rooms: ok", {
            "src/main.cpp": '#include "cli/program/run.h"\n',
            "src/net/http.cpp": '#include "base/files/fd.h"\n#include <curl/curl.h>\n',
            "src/mcp/transport/transport_http_server.cpp": '#include "net/http/http_server.h"\n',
            "src/cli/arguments/command_line.cpp": '#include <CLI/CLI.hpp>\n#include "mcp/server/server.h"\n'})

    def test_include_upwards(self):
        self.assert_rooms("src/base/a.h:2: base must not include net/b.h",
                          {"src/base/a.h": '#pragma once\n#include "net/b.h"\n'})

    def test_include_sideways(self):
        self.assert_rooms("threads must not include research/a.h", {"src/kinds/threads/a.cpp": '#include "research/a.h"\n'})

    def test_hidden_header(self):
        self.assert_rooms("documents must not include net/http/http_server.h",
                          {"src/kinds/documents/a.cpp": '#include "net/http/http_server.h"\n'})

    def test_engine_without_network(self):
        self.assert_rooms("net/fetch.h is for mcp/transport/*", {"src/mcp/server/server.cpp": '#include "net/fetch.h"\n'})

    def test_include_without_room(self):
        self.assert_rooms('own headers are included as "room/file.h"', {"src/base/a.cpp": '#include "a.h"\n'})

    def test_unknown_room(self):
        self.assert_rooms("attic is not a room", {"src/attic/a.cpp": "\n"})

    def test_third_party_header_outside_its_room(self):
        for header in ("curl/curl.h", "simdjson.h", "sqlite3.h",
                       "libpq-fe.h", "CLI/CLI.hpp"):
            with self.subTest(header):
                self.assert_rooms(f"<{header}> is for", {"src/session/a.cpp": f"#include <{header}>\n"})
        self.assert_rooms("<simdjson.h> is for", {"src/jsonl/a.h": "#include <simdjson.h>\n"})

    def test_tests_may_include_more(self):
        cmake = CMAKE + "hf_room(reasoning DEPENDS session TEST_DEPENDS store LINK x)\n"
        self.assert_rooms("rooms: ok", {"src/kinds/reasoning/a_test.cpp": '#include "store/open.h"\n'}, cmake)
        self.assert_rooms("reasoning must not include store/open.h", {"src/kinds/reasoning/a.cpp": '#include "store/open.h"\n'}, cmake)

    def test_costly_header_twice(self):
        both = {f"src/cli/{name}.cpp": "#include <CLI/CLI.hpp>\n" for name in ("a", "b")}
        self.assert_rooms("one file may", both)

    def test_threads_that_the_sanitizer_does_not_see(self):
        for line in ("std::thread worker([] {});", "std::jthread worker;", "auto later = std::async(f);", "Pool pool;", "  Pool pool_{4};"):
            with self.subTest(line):
                self.assert_rooms("src/net/a.cpp:1: starts a thread, but", {"src/net/a.cpp": line + "\n"})
        quiet = {"src/net/a.cpp": "std::this_thread::yield();\nstd::thread::id id;\nPool& pool;\n"}
        self.assert_rooms("rooms: ok", quiet)
        self.assert_rooms("rooms: ok", {"src/net/a.cpp": "std::thread a;\n"}, CMAKE.replace("(net ", "(net THREADS "))

    def test_cmake_links_what_is_not_allowed(self):
        self.assert_rooms("room base must not link net", {}, "hf_room(base DEPENDS net)\n")
        self.assert_rooms("room attic is not in rooms.txt", {}, "hf_room(attic)\n")

    def test_include_of_a_room_that_is_not_linked(self):
        self.assert_rooms("does not link base to net", {"src/net/a.cpp": '#include "base/files/fd.h"\n'}, "hf_room(net)\n")

    def assert_tidiness(self, expected, files):
        self.assertIn(expected, self.breaches("check_tidiness.py", files))

    def test_tidiness(self):
        self.assert_tidiness("tidiness: ok", {"src/base/a.cpp": "int a;\n" * 600})
        self.assert_tidiness("src/base/a.cpp: 601 lines", {"src/base/a.cpp": "int a;\n" * 601})
        forty = {f"src/base/a{number}.cpp": "int a;\n" for number in range(40)}
        self.assert_tidiness("tidiness: ok", forty)
        self.assert_tidiness("src/base: 41 files", {**forty, "src/base/README.md": ""})
        self.assert_tidiness("src/base/a.cpp:2: unfinished", {"src/base/a.cpp": "int a;\n// TO" "DO later\n"})
        self.assert_tidiness("not formatted", {"src/base/a.cpp": "int   a ;\n"})
        self.assert_tidiness("the name does not say", {"src/base/string_utils.cpp": "int a;\n"})

    def test_types(self):
        def in_namespace(text, name="holdfast::base"):
            return f"namespace {name} {{\n\n{text}\n\n}}  // namespace {name}\n"
        hidden = "namespace {\n\nstruct A {\n  int a;\n};\n\n}  // namespace"
        one = {"src/base/a.cpp": in_namespace("struct A {\n  int a;\n};")}
        accepted = {**one, "src/base/b.cpp": in_namespace(hidden), "src/base/c.cpp": in_namespace("struct A;\nclass B : public A {\n};"),
                    "src/net/a.cpp": in_namespace("struct A {\n};", "holdfast::net")}
        self.assertIn("types: ok", self.breaches("check_types.py", accepted))
        for again in ("class A final : public B {", "struct A {", "enum class A { x };", "template <class T> struct A {"):
            with self.subTest(again):
                self.assertIn("src/base/b.h:3: holdfast::base::A is also the name of a type in src/base/a.cpp:3",
                              self.breaches("check_types.py", {**one, "src/base/b.h": in_namespace(again)}))

    def test_p3_identity(self):
        accepted = {"src/tools/a.cpp": "  session::StoreView store(stores, call.caller());\n  const session::SharedStore& stores_;\n",
                    "src/cli/server/serve_command.cpp": "  const session::SharedStore stores(*store);\n  f(stores.for_system(session::SystemWork::gateway));\n",
                    "src/web/a_test.cpp": "  session::Store& store_;\n"}
        self.assertIn("identity: ok", self.breaches("check_identity.py", accepted))
        twice = "  f(stores.for_system(session::SystemWork::gateway));\n" * 2
        self.assertIn("src/cli/server/serve_command.cpp:2: takes the whole store",
                      self.breaches("check_identity.py", {"src/cli/server/serve_command.cpp": twice}))
        for expected, name, line in (
                ("takes the whole store", "tools/a.cpp", "  auto& all = stores.for_system(session::SystemWork::sweep);"),
                ("takes the whole store", "cli/server/serve_command.cpp", "  f(stores.for_system(session::SystemWork::storage));"),
                ("takes the whole store", "web/a.cpp", "  f(stores.for_system(work));"),
                ("uses the whole store", "cli/server/serve_command.cpp", "  web::Added added(*store);"),
                ("uses the whole store", "cli/server/mcp_command.cpp", "  HF_CHECK(added.begin(store->last_sequence()));"),
                ("makes a SharedStore", "tools/a.cpp", "  const session::SharedStore all(*store);"),
                ("makes a SharedStore", "web/a.cpp", "  f(session::SharedStore(*store));"),
                ("keeps a store", "tools/a.h", "  session::Store& store_;"),
                ("keeps a store", "web/a.h", "  session::Store* store = nullptr;"),
                ("keeps a store", "web/a.h", "  std::unique_ptr<session::Store> store_;"),
                ("thread_local", "session/a.cpp", "thread_local const Identity* here = nullptr;")):
            with self.subTest(line):
                self.assertIn(f"src/{name}:1: {expected}", self.breaches("check_identity.py", {f"src/{name}": line + "\n"}))

    def test_p2_children(self):
        self.assertIn("children: ok", self.breaches("check_children.py", {
            "src/net/run/child.cpp": "  int error = ::posix_spawnp(&pid);\n", "src/tools/a.cpp": "  threads.fork(id); // run_child(call)\n",
            "src/net/a_test.cpp": "  run_child(call);\n"}))
        for line in ("net::run_child(call);", "net::ChildProcess::start(loop, start, {});", "::execvp(word, words);", "if (::fork() == 0) {",
                     "std::FILE* pipe = popen(word);", "return ::system(word);"):
            with self.subTest(line):
                self.assertIn("src/tools/a.cpp:2: starts a program", self.breaches("check_children.py", {"src/tools/a.cpp": "\n  " + line + "\n"}))

    def test_claims(self):
        def page(tests):
            return f"# S\n\n## Claims\n\n| claim | where | test |\n|---|---|---|\n| Safe | `x.h` | {tests} |\n"

        known = {"src/base/a_test.cpp": "TEST_F(Door, IsShut) {}\n", "tests/e2e/app/b.py": "class T:\n    def test_it(self):\n        pass\n"}
        for expected, tests in (("claims: ok", "`Door.IsShut`, `b.py:test_it`"), ("no test for: Safe", "none"),
                                ("there is no test Door.IsOpen", "`Door.IsOpen`"), ("there is no test b.py:test_that", "`b.py:test_that`")):
            self.assertIn(expected, self.breaches("check_claims.py", {**known, "docs/security.md": page(tests)}))
        self.assertIn("makes no claim", self.breaches("check_claims.py", {**known, "docs/security.md": "# S\n"}))

    CONTRACTS = {"docs/contracts/archive-room.md": "# archive-room\n\n## 4 Archives\n\n### 4.1 Versions\n\n### 4.2 Order\n\n### 4.3 Readers\n\n- **4.9** Modes.\n",
                 "docs/contracts/design.md": "# design\n\n## 4 Surfaces\n\n### 8.9 Deleting\n\n### 8.10 Who\n\n### 8.11 Where\n",
                 "docs/contracts/reasoning-sessions.md": "# reasoning-sessions\n\n- **A1** First.\n- **A2** Second.\n", "docs/contracts/README.md": "# Contracts\n"}

    def assert_contracts(self, expected, files):
        self.assertIn(expected, self.breaches("check_contracts.py", {**self.CONTRACTS, **files}))

    def test_contracts_accepts(self):
        self.assert_contracts("contracts: ok", {
            "src/base/a.h": "// archive-room §4, §4.1-4.3; design §4, design 8.9 to 8.11, of the order of §4.9 (RFC 9110 §99.9)\nint a = 8.99;  // see §4.2, 8.99\n",
            "src/base/a.cpp": "int a;  // of its header: §4.1\n", "src/base/a_test.cpp": 'EXPECT_TRUE(a) << "(§4.1)";\n',
            "src/kinds/reasoning/b.h": '// A1-A2, s3://a, @key:S12\nconst char* text = "see S77";\n', "src/base/c.h": "// S3 is a service; reasoning-sessions A1, A2\n// A2\n",
            "docs/a.md": "archive-room §4.1\n", "tests/structure/b.py": "# archive-room §77\n"})

    def test_clause_that_is_not_there(self):
        cited = {"archive-room §4.4": "archive-room 4.4", "archive-room §4, §4.4": "archive-room 4.4", "archive-room §4.3-4.4": "archive-room 4.4",
                 "archive-room §4–5": "archive-room 5", "archive-room §4, then §4.4": "archive-room 4.4", "design 8.10 to 8.12": "design 8.12", "design §5": "design 5",
                 "archive-room §4, design 8.9, 8.7": "design 8.7", "reasoning-sessions A1-A3": "reasoning-sessions A3"}
        output = self.breaches("check_contracts.py", {**self.CONTRACTS, **{f"src/base/a{index}.h": f"// {comment}\n" for index, comment in enumerate(cited)}})
        for index, clause in enumerate(cited.values()):
            self.assertIn(f"src/base/a{index}.h:1: cites {clause}, which is no clause of docs/contracts/", output)
        self.assertEqual(len(output.splitlines()), len(cited), output)
        self.assert_contracts("src/base/a.cpp:1: cites archive-room 9", {"src/base/a.h": "// archive-room §4\n", "src/base/a.cpp": "// §9\n"})
        self.assert_contracts("src/kinds/reasoning/a.h:1: cites reasoning-sessions A9", {"src/kinds/reasoning/a.h": "int a;  // A9\n"})
        self.assert_contracts("docs/a.md:1: cites archive-room 9", {"docs/a.md": "archive-room §9\n"})
        self.assert_contracts("there is no docs/contracts/attic-room.md", {"fuzz/a.cpp": "// attic-room §1\n"})
        self.assert_contracts("bench/a.cpp:1: cites 1, but not of which contract", {"bench/a.cpp": "int a;  // §1\n"})
        self.assertIn("there are no contracts", self.breaches("check_contracts.py", {"src/base/a.h": "int a;\n"}))

    def test_words(self):
        def glossary(rows):
            return {"docs/glossary.md": "# G\n\n| crew | x | y |\n\n## Words we do not use\n\n| not this | but | still in |\n|---|---|---|\n" + rows + "\n## Other\n\n| barn | x | |\n"}

        gone, left = glossary("| shelf, shelves | bucket | |\n| sign | character | not checked |\n"), glossary("| shelf, shelves | bucket | store, docs/a.md |\n")
        fine = {"src/a/b.h": "int sign; Bookshelf shelfish; crew barn;\n", "src/a/b.cpp": 'auto x = "shelf";  // fine\nauto y = R"sql(\nshelf)sql";\n',
                "docs/decisions/1.md": "shelf\n", "tests/structure/a.py": "shelf = 1\n"}
        self.assertIn("words: ok", self.breaches("check_words.py", {**gone, **fine}))
        self.assertIn("words: ok", self.breaches("check_words.py", {**left, "src/store/sqlite/shelf.h": "int a;\n", "docs/a.md": "shelves\n"}))
        lines = ("int kMaxShelves = 1;", "take_from_shelf();", "class Shelf;", "// a shelf", "int a;  // SHELF", '#include "a/shelf.h"', '// "a shelf"')
        files = {"src/a/shelf_walk.h": "int a;\n", **{name: "a shelf\n" for name in ("docs/b.md", "tests/e2e/a.py", "README.md")}}
        output = self.breaches("check_words.py", {**gone, **files, "src/a/b.h": "\n".join(lines) + "\n"})
        for place in [f"src/a/b.h:{number}" for number in range(1, len(lines) + 1)] + [f"{name}:1" for name in files]:
            self.assertRegex(output, rf"(?m)^{place}: shel(f|ves): say bucket")
        elsewhere = ("src/stores/a.h", "src/store.h", "docs/a.md.h")  # not in a place of the row
        output = self.breaches("check_words.py", {**left, **{name: "int shelf;\n" for name in ("src/store/a.h", "docs/a.md", *elsewhere)}})
        self.assertEqual(sorted(output.splitlines()), sorted(f"{name}:1: shelf: say bucket (docs/glossary.md)" for name in elsewhere))
        self.assertIn("docs/glossary.md:9: shelf is gone from docs/a.md: take it out of the row", self.breaches("check_words.py", {**left, "src/store/a.h": "int shelf;\n"}))
        self.assertIn("has no table", self.breaches("check_words.py", {"docs/glossary.md": "# G\n"}))

    def assert_links(self, expected, files):
        self.assertIn(expected, self.breaches("check_links.py", files))

    def test_links_accepts(self):
        self.assert_links("links: ok", {
            "README.md": "[a](docs/a.md#two-words) [b](https://x.test/y) [here](#top) <img src=\"docs/a.svg\">\n# Top\n"
                         "`src/base/a.h` `base/a.h` `a.h` `base/*.h` `src/base` `a.h:3` `build/x/y.h` `/mcp` `key/x.h` `base/list` `config.json`\n"
                         "```\n[no](link.md) `src/no.h`\n```\n",
            "docs/a.md": "## Two `words`!\n[up](../README.md) `a.svg`\n", "docs/a.svg": "<svg/>\n",
            "src/base/a.h": "// docs/a.md\n"})

    def test_link_to_nothing(self):
        self.assert_links("docs/a.md:2: ../b.md: there is no such file", {"docs/a.md": "\n[b](../b.md)\n"})
        self.assert_links("README.md:1: b.md: there is no such file", {"README.md": "[b]: b.md\n"})
        self.assert_links("README.md:1: docs/a.svg: there is no such file", {"README.md": '<img src="docs/a.svg">\n'})
        self.assert_links("outside of the repository", {"README.md": "[etc](../../../../../../../../../../etc/passwd)\n"})

    def test_link_to_a_missing_heading(self):
        self.assert_links("docs/a.md#three: there is no such heading",
                          {"README.md": "[a](docs/a.md#three)\n", "docs/a.md": "# Two\n"})

    def test_path_that_does_not_exist(self):
        files = {"src/base/a.h": "int a;\n"}
        for path in ("src/base/b.h", "base/b.h", "b.h", "src/base/b*.h", "src/attic/"):
            with self.subTest(path):
                self.assert_links(f"README.md:1: `{path}`: there is no such file", {**files, "README.md": f"see `{path}`\n"})

    def test_file_named_in_a_comment(self):
        files = {"src/base/json/a.h": "int a;\n", "docs/b.md": "# B\n", "tests/e2e/c.mjs": "let c;\n"}
        known = ("a.h", "base/json/a.h", "src/base/json/a.h", "json/a.h", "src/…/a.h", "docs/b.md", "tests/e2e/c.mjs", "notes/d.md", "build/d.cpp",
                 "llama.cpp", '"src/d.cpp"', "NAME.py", "<room>_test.cpp", "*_test.cpp", "https://x.test/d.py")
        self.assert_links("links: ok", {**files, "src/net/e.cpp": 'const char* e = "// d.h";\n' + "".join(f"int e;  // see {name}\n" for name in known),
                                        "tests/e2e/f.py": "".join(f"# see {name}\n" for name in known)})
        for comment, name in (("d.h", "d.h"), ("(base/a.h)", "base/a.h"), ("src/…/d.h.", "src/…/d.h"), ("docs/d.md", "docs/d.md"), ("net/json/a.h", "net/json/a.h"), ("d.mjs:", "d.mjs")):
            with self.subTest(comment):
                naming = {"src/net/e.cpp": f"int e;\n// see {comment}\n", "fuzz/e.cpp": f"/* see\n   {comment} */\n", "bench/e.h": f"int e;\nint f;  // {comment}\n",
                          "cmake/e.cmake": f"\n# see {comment}\n", "tests/e2e/e.py": f'"""see\n{comment}"""\n', "scripts/e": f"echo d.h\n# {comment}\n"}
                output = self.breaches("check_links.py", {**files, **naming})
                for file in naming:
                    self.assertRegex(output, rf"(?m)^{file}:2: .*names {name}, which does not exist$")

    def test_document_named_in_the_code(self):
        self.assert_links("src/base/a.h:1: names docs/b.md, which does not exist", {"src/base/a.h": "// docs/b.md\n"})


if __name__ == "__main__":
    unittest.main()
