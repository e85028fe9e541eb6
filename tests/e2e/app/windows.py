#!/usr/bin/env python3
"""usage: windows.py HOLDFAST HOLDFAST-SEED    several windows of one client on one project (reasoning-sessions A2)"""
import json
import random
import subprocess
import time

from program import ENVELOPE, HOLDFAST, PATIENCE, Lines, ProgramTest, Server, initialize, main


def begin_a_millisecond():
    """Who has called since another connection was opened is told by milliseconds."""
    now = time.time_ns() // 1_000_000
    while time.time_ns() // 1_000_000 == now:
        pass


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
        begin_a_millisecond()
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


class HttpWindow:
    """A client of a server that all windows share. Reconnecting begins another connection; nobody says goodbye to the old one."""

    def __init__(self, case, project, modern):
        self.case, self.project, self.modern, self.session = case, project, modern, None
        self.connect()

    def connect(self):
        if not self.modern:
            self.session = self.case.server.post(initialize())[1]["mcp-session-id"]
            begin_a_millisecond()

    def leave(self):
        if self.session:
            self.case.server.ask("DELETE", "/mcp", self.case.server.mcp_headers(self.session))
            self.session = None

    def call(self, tool, **arguments):
        message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": tool, "arguments": {"root": f"file://{self.project}", **arguments}, **({"_meta": ENVELOPE} if self.modern else {})}}
        return self.case.server.post(message, session=self.session, modern=self.modern)[2]["result"]["structuredContent"]

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


class AnyOrder(ProgramTest):
    """Windows open, think, are killed, reconnect, are compacted, close, in an order of chance. What a window thinks without saying where
    lands in its own session; or in one where nobody else is, and the answer says so."""

    RUNS, STEPS, WINDOWS = 8, 24, 3

    def setUp(self):
        super().setUp()
        self.server = None

    def begin(self, seed):
        self.dice, self.seed, self.story = random.Random(seed), seed, []
        self.project = self.home / f"work/app{seed}"
        self.project.mkdir(parents=True)
        self.windows, self.own, self.authors = {}, {}, {}  # own: the session a window was last told of; authors: who wrote where

    def expect(self, right, *what):
        self.assertTrue(right, (self.seed, *what, self.story[-12:]))

    def think(self, name, number):
        window, before = self.windows[name], self.own.get(name)
        answer = window.think(f"{name} thinks {number}")
        session = answer["sessionId"]
        self.story.append(f"{name} thinks: {session[-4:]} {answer.get('attached')} {answer.get('notice', '')[:60]}")
        strangers = self.authors.get(session, set()) - {name}
        if session != before and strangers and not self.alone(session, name):
            self.expect("notice" in answer, name, "landed in a session of", strangers, "without a notice", answer)
        # Where somebody else is at work nobody gets without asking.
        for other, used in self.own.items():
            if other != name and used == session and session != before:
                self.expect(not self.is_at_work(other, name), name, "landed where", other, "is at work", answer)
        self.own[name] = session
        self.authors.setdefault(session, set()).add(name)

    def alone(self, session, name):
        """The only open session of the project, taken by a window that has none of its own."""
        return name not in self.own and set(self.authors) == {session}

    def is_at_work(self, other, name):
        """As A2 has it: a living process; or a connection that has called since the other one was opened. Without connections never."""
        if other not in self.windows or self.thought_at.get(other, -1) < self.opened_at[other]:
            return False
        return self.kind == "stdio" or (self.kind == "legacy" and self.thought_at[other] > self.opened_at[name])

    def play(self, open_window, kind):
        self.kind, self.opened_at, self.thought_at = kind, {}, {}  # in steps
        names = [f"w{number}" for number in range(self.WINDOWS)]
        for step in range(self.STEPS):
            name = self.dice.choice(names)
            if name not in self.windows:
                self.windows[name], self.opened_at[name] = open_window(), step
                self.story.append(f"{name} opens")
                continue
            does = self.dice.choices(["think", "reconnect", "all", "compact", "close"], [10, 3, 2, 1, 1])[0]
            if does == "think":
                self.think(name, step)
                self.thought_at[name] = step
            elif does == "reconnect":
                self.windows[name].connect()
                self.opened_at[name] = step
                self.story.append(f"{name} reconnects")
            elif does == "all":
                self.story.append("all are killed")
                for each in self.windows:
                    self.windows[each].leave()
                for each in self.windows:
                    self.windows[each].connect()
                    self.opened_at[each] = step
            elif does == "compact":
                # After a compaction the client calls init again, and the window is where it was.
                loaded = self.windows[name].call("init", operation="get_state")
                self.story.append(f"{name} is compacted: {json.dumps(loaded)[:80]}")
            else:
                self.windows.pop(name).leave()
                self.story.append(f"{name} closes")
        for each in self.windows.values():
            each.leave()

    def test_p11_over_stdio(self):
        for seed in range(self.RUNS):
            self.begin(seed)
            self.play(lambda: Window(self, self.project), "stdio")

    def test_p11_over_http(self):
        self.server = Server(self)
        for kind in ("legacy", "modern"):
            for seed in range(self.RUNS):
                self.begin(f"{seed}-{kind}")
                self.play(lambda: HttpWindow(self, self.project, kind == "modern"), kind)

    def test_p11_over_http_with_restarts(self):
        """Connections outlive the server; so does who is where."""
        self.server = Server(self)
        for seed in range(2):
            self.begin(f"restart-{seed}")
            left, right = (HttpWindow(self, self.project, modern=False) for _ in range(2))
            first, second = left.think("left begins")["sessionId"], right.think("right begins")["sessionId"]
            self.assertNotEqual(first, second)
            port = self.server.port
            self.server.kill()
            self.server = Server(self, port=port)
            for window, session in ((right, second), (left, first)) if seed else ((left, first), (right, second)):
                answer = window.think("on with it")
                self.assertEqual((answer["sessionId"], "notice" in answer), (session, False))

    def test_p11_both_eras_on_one_project(self):
        self.server = Server(self)
        self.begin("eras")
        legacy = HttpWindow(self, self.project, modern=False)
        mine = legacy.think("legacy begins")["sessionId"]
        # It cannot be told from the same client with another connection, so it goes on there, and is told where it is.
        answer = HttpWindow(self, self.project, modern=True).think("modern begins")
        self.assertEqual((answer["sessionId"], answer["recovered"]["thoughtCount"]), (mine, 1))
        # A process is known to live, and a connection to have called since another was opened.
        stdio = Window(self, self.project)
        legacy.think("legacy goes on")
        answer = stdio.think("stdio begins")
        own = answer["sessionId"]
        self.assertNotEqual(own, mine)
        self.assertIn("in use", answer["notice"])
        answer = HttpWindow(self, self.project, modern=False).think("another begins")
        self.assertNotEqual(answer["sessionId"], own)
        self.assertIn("notice", answer)


main()
