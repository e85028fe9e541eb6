#!/usr/bin/env python3
"""usage: windows.py HOLDFAST HOLDFAST-SEED    several windows of one client on one project (reasoning-sessions A2)"""
import json
import subprocess

from program import HOLDFAST, PATIENCE, Lines, ProgramTest, initialize, main


class Window:
    """A client with a server process of its own, as an editor starts it; reconnecting starts another."""

    def __init__(self, case, project):
        self.case, self.project = case, project
        self.process = None
        case.addCleanup(self.leave)
        self.connect()

    def connect(self):
        self.leave()
        self.process = subprocess.Popen([HOLDFAST, "mcp"], env=self.case.environment(CLAUDE_PROJECT_DIR=str(self.project)), text=True,
                                        bufsize=1, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines, self.id = Lines(self.process.stdout), 1
        self.send(initialize())
        self.lines.next()
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def leave(self):
        if self.process:
            self.process.kill()
            self.process.wait(PATIENCE)
            self.process.stdin.close()

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")

    def call(self, tool, **arguments):
        self.id += 1
        self.send({"jsonrpc": "2.0", "id": self.id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        return json.loads(self.lines.next())["result"]["structuredContent"]

    def think(self, text, **more):
        return self.call("thought", thought=text, **more)


class Windows(ProgramTest):
    def setUp(self):
        super().setUp()
        self.project = self.home / "work/app"
        self.project.mkdir(parents=True)

    def window(self):
        return Window(self, self.project)

    def thoughts(self, window, session):
        got = window.call("session", operation="get", sessionId=session)
        return [each["thought"] for each in got["thoughts"]]

    def test_p11_after_both_reconnect_no_thought_lands_in_the_others_session(self):
        left, right = self.window(), self.window()
        first = left.think("left begins")["sessionId"]
        second = right.think("right begins")["sessionId"]
        self.assertNotEqual(first, second)
        left.leave()
        right.leave()
        left.connect()
        right.connect()
        answers = {"left": left.think("left again"), "right": right.think("right again")}
        for answer in answers.values():
            self.assertEqual(answer["attached"], "new")
            self.assertIn("give a sessionId", answer["notice"])
        self.assertNotEqual(answers["left"]["sessionId"], answers["right"]["sessionId"])
        self.assertEqual(self.thoughts(left, first), ["left begins"])
        self.assertEqual(self.thoughts(left, second), ["right begins"])
        # As the notice says.
        self.assertEqual(right.think("back", sessionId=second)["thoughtNumber"], 2)
        self.assertEqual(right.think("and on")["sessionId"], second)

    def test_p11_only_one_reconnects_and_goes_on_with_its_own(self):
        left, right = self.window(), self.window()
        first = left.think("left begins")["sessionId"]
        second = right.think("right begins")["sessionId"]
        right.connect()
        answer = right.think("right again")
        self.assertEqual((answer["sessionId"], answer["attached"]), (second, "recovered"))
        self.assertIn(first, answer["notice"])
        self.assertIn("in use by another connection", answer["notice"])
        self.assertNotIn("notice", right.think("and on"))

    def test_p11_who_loads_what_another_has_open_is_told(self):
        left, right = self.window(), self.window()
        first = left.think("left begins")["sessionId"]
        for tool, operation in (("init", {"operation": "load_context"}), ("session", {"operation": "resume", "sessionId": first}),
                                ("session", {"operation": "resume_latest"})):
            loaded = right.call(tool, **operation)
            self.assertEqual(loaded["sessionId"], first)
            self.assertIn("another connection has this session open", loaded["notice"])
        left.leave()
        self.assertNotIn("notice", right.call("init", operation="load_context"))


main()
