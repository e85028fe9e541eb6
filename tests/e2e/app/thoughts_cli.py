#!/usr/bin/env python3
"""usage: thoughts_cli.py HOLDFAST HOLDFAST-SEED    what the command line does with reasoning sessions"""
import json
import subprocess

from program import ENVELOPE, HOLDFAST, PATIENCE, ProgramTest, main


class Thoughts(ProgramTest):
    def think(self, *thoughts, root):
        """Sends thoughts through a stdio server of its own, and returns their results."""
        requests = "".join(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
            "name": "thought", "arguments": each, "_meta": ENVELOPE}}) + "\n" for number, each in enumerate(thoughts))
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


main()
