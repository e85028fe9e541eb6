#!/usr/bin/env python3
"""usage: thoughts_cli.py HOLDFAST HOLDFAST-SEED    what the command line does with reasoning sessions"""
import json
import sqlite3
import subprocess

from program import ENVELOPE, HOLDFAST, PATIENCE, ProgramTest, Server, initialize, main


class Thoughts(ProgramTest):
    def think(self, *thoughts, root):
        """Sends thoughts through a stdio server of its own, and returns their results."""
        return self.call(*(("thought", each) for each in thoughts), root=root)

    def call(self, *calls, root):
        """Likewise calls of any tool: (name, arguments)."""
        requests = "".join(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
            "name": name, "arguments": arguments, "_meta": ENVELOPE}}) + "\n" for number, (name, arguments) in enumerate(calls))
        results = []
        with subprocess.Popen([HOLDFAST, "mcp", "--root", str(root)], env=self.environment(), text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            for line in requests.splitlines():
                process.stdin.write(line + "\n")
                process.stdin.flush()
                results.append(json.loads(process.stdout.readline())["result"]["structuredContent"])
            process.stdin.close()
            process.wait(PATIENCE)
        return results

    def setUp(self):
        super().setUp()
        self.project = self.home / "work/app"
        (self.project / "src").mkdir(parents=True)

    def some_thoughts(self):
        return self.think(
            {"thought": "Make retries safe. Then measure."},
            {"thought": "jitter", "thoughtType": "decision_frame", "confidence": "high",
             "options": [{"label": "full jitter", "selected": True}, {"label": "none", "selected": False}]},
            {"thought": "try the other", "branchId": "none", "branchFromThought": 1},
            {"thought": "equal jitter is better", "revisesThought": 2},
            {"thought": "what about \x1b[31mPOST?", "thoughtType": "question"}, root=self.project)

    def run_in(self, folder, *words, **environment):
        return subprocess.run([HOLDFAST, *words], env=self.environment(**environment), cwd=folder, text=True, capture_output=True, timeout=PATIENCE)

    def test_brief_of_the_project_around(self):
        self.some_thoughts()
        for folder in (self.project, self.project / "src"):
            done = self.run_in(folder, "brief")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout.startswith("# Goal: Make retries safe\n"), done.stdout)
            self.assertIn("POST?", done.stdout)
            self.assertNotIn("\x1b", done.stdout)
            self.assertNotIn("full jitter (high", done.stdout, "it was revised")
        short = self.run_in(self.home, "brief", "--max-chars", "300", CLAUDE_PROJECT_DIR=str(self.project))
        self.assertLessEqual(len(short.stdout), 300)
        state = json.loads(self.run_in(self.home, "brief", "--root", str(self.project), "--json").stdout)
        self.assertEqual(state["goal"], "Make retries safe")

    def test_nothing_to_brief_is_not_found_or_quiet(self):
        done = self.run_in(self.project, "brief")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.some_thoughts()
        self.assertEqual(self.run_in(self.home, "brief").returncode, 3)
        quiet = self.run_in(self.home, "brief", "--quiet")
        self.assertEqual((quiet.returncode, quiet.stdout, quiet.stderr), (0, "", ""))

    def test_graph(self):
        session = self.some_thoughts()[0]["sessionId"]
        drawn = self.run_program("sessions", "show", session, "--graph").stdout
        self.assertIn("● none:2 from 1 try the other", drawn)
        self.assertIn("3 revises 2 equal jitter", drawn)
        self.assertNotIn("\x1b", drawn)
        picture = self.run_program("sessions", "show", session[:13], "--svg").stdout
        self.assertTrue(picture.startswith("<svg "), picture[:80])
        self.seed([{"id": "thread-1", "kind": "thread", "title": "T"}])
        self.assertEqual(self.run_program("sessions", "show", "thread-1", "--graph").returncode, 2)

    def test_import_thoughtbox(self):
        box = self.home / ".thoughtbox/projects/app/sessions/2026-01/5c1e7c1a-1111-4222-8333-123456789abc"
        box.mkdir(parents=True)
        for number in (1, 2):
            (box / f"00{number}.json").write_text(json.dumps({"data": {"thought": f"old {number}", "thoughtNumber": number, "nextThoughtNeeded": True}}))
        (box / "manifest.json").write_text("{broken")
        report = self.json_of("import", "thoughtbox", str(self.home / ".thoughtbox"), "--root", str(self.project))
        self.assertEqual((report["sessions"], report["thoughts"], len(report["problems"])), (1, 2, 1))
        self.assertEqual(self.json_of("import", "thoughtbox", str(self.home / ".thoughtbox"))["known"], 1)
        self.assertIn("old 2", self.run_in(self.project, "brief").stdout)
        self.assertEqual(self.run_program("import", "thoughtbox", str(self.home / "none")).returncode, 3)

    def test_two_processes_share_a_session(self):
        first = self.some_thoughts()
        again = self.think({"thought": "from another process"}, root=self.project)[0]
        self.assertEqual((again["sessionId"], again["thoughtNumber"], again["attached"]), (first[0]["sessionId"], 5, "recovered"))

    def test_U2_T3_what_the_schema_refuses_is_an_error_like_any_other(self):
        for arguments in ({"thought": "x", "thoughtNumber": 1.5}, {"thought": "x", "thoughtType": "nonsense"}, {}):
            error = self.think(arguments, root=self.project)[0]
            self.assertEqual(error["error"], "invalid_argument")
            self.assertTrue(error["message"] and error["hint"])

    def test_fields_within_payloads_and_filters_come_in_all_spellings(self):
        thoughts = self.think(
            {"thought": "x", "thought_type": "assumption_update",
             "assumption_change": {"text": "t", "old_status": "believed", "new_status": "refuted", "downstream": ["1"]}},
            {"thought": "y", "thoughtType": "action_report",
             "actionResult": {"success": "true", "reversible": "yes", "tool": "t", "target": "x", "side_effects": []}},
            {"thought": "z", "sessionId": None, "branchId": None, "progressData": {"task": "t", "status": "done"}}, root=self.project)
        self.assertEqual([each.get("thoughtNumber") for each in thoughts], [1, 2, 3])
        self.assertEqual(thoughts[2]["ignoredFields"], ["progressData"], "a reasoning thought has no place for it")
        listed = self.call(("init", {"operation": "list_sessions", "filters": {"all_roots": "true", "project": "app"}}),
                           ("init", {"operation": "list_sessions", "project": "nothing"}),
                           ("session", {"operation": "read_thoughts", "sessionId": thoughts[0]["sessionId"], "range": ["1", "2"]}),
                           ("init", {"operation": "get_state", "root": "not/absolute"}), root=self.project)
        self.assertEqual([each.get("total") for each in listed[:2]], [1, 0])
        self.assertEqual(listed[2]["count"], 2)
        self.assertIn("not/absolute", listed[3]["notice"], "get_state never fails")
        self.assertEqual(listed[3]["rootSource"], "none")

    def test_S1_a_session_is_listed_by_the_status_that_is_shown(self):
        id = self.think({"thought": "x"}, root=self.project)[0]["sessionId"]
        listed = lambda status: ("session", {"operation": "list", "status": status})
        self.assertEqual([each.get("total", each.get("changed")) for each in self.call(
            ("session", {"operation": "update", "sessionId": id, "status": "archived"}), listed("archived"), listed("active"),
            ("session", {"operation": "update", "sessionId": id, "status": "active"}), listed("archived"), listed("active"),
            root=self.project)], [True, 1, 0, True, 0, 1])
        self.assertEqual(self.run_program("sessions", "delete", id, "--yes").returncode, 0)
        self.assertEqual([each["total"] for each in self.call(listed("deleted"), listed("active"), root=self.project)], [1, 0])

    def test_D2_a_long_title_does_not_make_long_replies(self):
        reply = self.think({"thought": "x", "sessionTitle": "word " * 100}, root=self.project)[0]
        self.assertLessEqual(len(json.dumps(reply)), 300)

    def test_failure_6_D3_D4_damage_is_found_listed_and_blocks_nobody(self):
        id = self.some_thoughts()[0]["sessionId"]
        other = self.think({"thought": "unharmed", "newSession": True}, root=self.project)[0]["sessionId"]
        with sqlite3.connect(self.data / "store.db") as store:
            store.execute("UPDATE entries SET text = substr(text, 1, 3) WHERE number = 2 AND lane = ''")
        store.close()
        verified, listed, summaries, got, next = self.call(
            ("session", {"operation": "verify", "sessionId": id}), ("session", {"operation": "list"}),
            ("init", {"operation": "list_sessions"}), ("session", {"operation": "get", "sessionId": id}),
            ("thought", {"thought": "goes on", "sessionId": id}), root=self.project)
        self.assertFalse(verified["ok"])
        self.assertEqual({each["id"]: "damage" in each for each in listed["sessions"]}, {id: True, other: False})
        self.assertEqual({each["sessionId"]: "damage" in each for each in summaries["sessions"]}, {id: True, other: False})
        self.assertIn("damage", got)
        self.assertEqual(next["thoughtNumber"], 5)

    def legacy(self, server):
        status, headers, _ = server.post(initialize(), token="none")
        self.assertEqual(status, 200)
        return headers["mcp-session-id"]

    def test_failure_7_a_header_is_no_path_and_a_run_is_no_transport_session(self):
        server = Server(self, "--no-auth", "--root", str(self.project))
        request = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "thought", "arguments": {"thought": "x"}}}
        self.assertEqual(server.post(request, session="../../../x", token="none")[0], 404)
        session = self.legacy(server)
        id = server.post(request, session=session, token="none")[2]["result"]["structuredContent"]["sessionId"]
        self.assertNotEqual(id, session)
        request["params"] = {"name": "session", "arguments": {"operation": "export", "sessionId": id, "format": "json"}}
        self.assertNotIn(session, json.dumps(server.post(request, session=session, token="none")[2]))
        self.assertFalse(list(self.home.rglob("x")))

    def test_failure_15_R5_over_http_every_root_has_its_own_sessions(self):
        server = Server(self, "--no-auth")
        ids = []
        for root in ("/a/app", "/b/app", "/a/app/"):
            request = {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                       "params": {"name": "thought", "arguments": {"thought": "x", "root": root}}}
            ids.append(server.post(request, session=self.legacy(server), token="none")[2]["result"]["structuredContent"]["sessionId"])
        self.assertNotEqual(ids[0], ids[1])
        self.assertEqual(ids[0], ids[2])


main()
