#!/usr/bin/env python3
"""usage: again.py HOLDFAST    three nodes over PostgreSQL behind HAProxy: a node is killed in the middle of a call

The same call made again, at another node, is answered, and what it asked for is there once. The kill comes later with every step,
from the moment the call is sent until behind its answer.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from cluster import Cluster, die_with_parent
from wire import Modern, Refused, Unknown, tool_json

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from played import Model  # noqa: E402

HOLDFAST = str(pathlib.Path(sys.argv[1]).resolve())
STEPS = 9
BEHIND = 1.3  # of the time that a call takes: the last kills come behind its answer
PATIENCE = 60


class Nodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="holdfast-again-"))
        cls.addClassCleanup(subprocess.run, ["rm", "-rf", cls.home])
        cls.addCleanup = cls.addClassCleanup  # for what is played
        model = Model(cls)
        endpoint = json.dumps([{"name": "played", "base_url": model.url + "/v1", "model": "played"}])
        cls.documents, cls.corpus = cls.home / "documents", cls.home / "corpus"
        for folder in (cls.documents, cls.corpus):
            folder.mkdir()
        for name in ("retries", "backoff", "queues"):
            (cls.corpus / f"{name}.md").write_text(f"# {name}\n\n" + "\n\n".join(
                f"A request of {name} is tried {number} times before the {name} give up." for number in range(3, 9)))
        words = [HOLDFAST, "serve", "--tools", "reasoning,documents,research", "--documents", str(cls.documents)]
        cls.cluster = cls.enterClassContext(Cluster(lambda folder, url: [*words, "--store", url], environment={
            "HOLDFAST_LLM": endpoint, "HOLDFAST_RESEARCH_CORPUS": str(cls.corpus)}))
        cls.token = json.loads(cls.command("token", "add", "ann").stdout)["token"]

    @classmethod
    def command(cls, *words):
        """Of a person at a node."""
        done = subprocess.run([HOLDFAST, *words, "--store", cls.cluster.postgres.url, "--json"], capture_output=True, text=True,
                              env=cls.cluster.nodes[0].environment, timeout=PATIENCE)
        if done.returncode:
            raise AssertionError(f"{words}: {done.returncode} {done.stdout} {done.stderr}")
        return done

    def at(self, port, tool, arguments):
        return tool_json(Modern(port, self.token).call(tool, arguments, PATIENCE))

    def ask(self, tool, **arguments):
        """Through the balancer, which may not have heard yet that a node has died."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self.at(self.cluster.balancer.port, tool, arguments)
            except Unknown:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def again(self, step, takes, tool, arguments):
        """One call, its node killed meanwhile, and the call once more at the next: its answer, and whether the first was answered."""
        victim, other = self.cluster.nodes[step % 3], self.cluster.nodes[(step + 1) % 3]
        first = []

        def call():
            try:
                first.append(self.at(victim.port, tool, arguments))
            except Unknown:
                pass

        caller = threading.Thread(target=call)
        caller.start()
        caller.join(takes * BEHIND * step / (STEPS - 1))
        victim.kill()
        caller.join(PATIENCE)
        try:
            return self.at(other.port, tool, arguments), first
        finally:
            victim.start()

    def timed(self, tool, **arguments):
        began = time.monotonic()
        answer = self.at(self.cluster.nodes[0].port, tool, arguments)
        return time.monotonic() - began, answer

    def test_p13_a_thought(self):
        takes, begun = self.timed("thought", thought="begin", newSession=True, root="/projects/again")
        session, texts = begun["sessionId"], ["begin"]
        for step in range(STEPS):
            texts.append(f"thought of step {step}")
            answer, first = self.again(step, takes, "thought", {"thought": texts[-1], "sessionId": session,
                                                                 "idempotencyKey": f"thought-{step}"})
            self.assertEqual(answer["thoughtNumber"], len(texts))
            for each in first:
                self.assertEqual(each["thoughtNumber"], len(texts))
        got = self.ask("session", operation="get", sessionId=session)
        self.assertEqual([each["thought"] for each in got["thoughts"]], texts)

    def test_p13_a_new_session(self):
        takes, begun = self.timed("thought", thought="begin", newSession=True, root="/projects/new")
        sessions = {begun["sessionId"]}
        for step in range(STEPS):
            answer, first = self.again(step, takes, "thought", {"thought": f"begin {step}", "newSession": True, "root": "/projects/new",
                                                                "idempotencyKey": f"begin-{step}"})
            sessions.add(answer["sessionId"])
            self.assertLessEqual({each["sessionId"] for each in first}, sessions)
        listed = self.ask("session", operation="list", type="reasoning", root="/projects/new", limit=50)["sessions"]
        self.assertEqual({each["id"] for each in listed}, sessions)
        self.assertEqual(len(sessions), STEPS + 1)

    def messages(self, thread):
        return self.ask("research", action="thread-get", thread_id=thread, limit=100)["data"]["messages"]

    def test_p13_a_message(self):
        thread = self.ask("research", action="thread-create", title="again")["data"]["thread_id"]
        takes, _ = self.timed("research", action="thread-append", thread_id=thread, role="user", content="begin", client_msg_id="begin")
        texts = ["begin"]
        for step in range(STEPS):
            texts.append(f"message of step {step}")
            self.again(step, takes, "research", {"action": "thread-append", "thread_id": thread, "role": "user", "content": texts[-1],
                                                 "client_msg_id": f"message-{step}"})
        self.assertEqual([each["content"] for each in self.messages(thread)], texts)

    def test_p13_a_question_to_a_model(self):
        takes, begun = self.timed("research", action="chat", prompt="begin", client_msg_id="begin")
        thread, said = begun["data"]["thread_id"], [("user", "begin"), ("assistant", "echo: begin")]
        for step in range(STEPS):
            text = f"question of step {step}"
            said += [("user", text), ("assistant", f"echo: {text}")]
            self.again(step, takes, "research", {"action": "chat", "prompt": text, "thread_id": thread, "client_msg_id": f"chat-{step}"})
        self.assertEqual([(each["role"], each["content"]) for each in self.messages(thread)], said)

    def researched(self, id, port):
        """Followed at one node until it is over."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            status = self.at(port, "research", {"action": "deep-research-status", "research_id": id})["data"]
            if status["status"] in ("completed", "failed", "cancelled"):
                return status["status"]
            time.sleep(0.05)
        raise AssertionError(f"{id} does not end: {status}")

    def report_of(self, id):
        report = self.ask("research", action="deep-research-report", research_id=id)["data"]
        # The scripted model repeats what it was asked, with the mark that is new for every prompt.
        changing = r"research-\w+|\d{4}-\d\d-\d\d[T ][\d:.]+Z?|(?<=<<<DATA )\w+|(?<=<<<END )\w+"
        return re.sub(changing, "-", report.get("report") or json.dumps(report))

    def test_p13_research(self):
        """A run whose node dies goes on at another one when it is asked to, and what it says is what it would have said."""
        asked = {"action": "deep-research", "deep_research_action": "start", "query": "how often is a request tried?",
                 "max_iterations": 1, "max_sub_queries": 2}
        began = time.monotonic()
        whole = self.at(self.cluster.nodes[0].port, "research", asked)["data"]["research_id"]
        self.assertEqual(self.researched(whole, self.cluster.nodes[0].port), "completed")
        takes, expected = time.monotonic() - began, self.report_of(whole)
        self.assertIn("tried", expected)
        for step in range(STEPS):
            victim, other = self.cluster.nodes[step % 3], self.cluster.nodes[(step + 1) % 3]
            id = self.at(victim.port, "research", asked)["data"]["research_id"]
            time.sleep(takes * step / STEPS)
            victim.kill()
            try:
                self.at(other.port, "research", {"action": "deep-research", "deep_research_action": "resume", "research_id": id})
            except Refused as refused:
                self.assertIn("ALREADY_COMPLETED", str(refused))
            self.assertEqual(self.researched(id, other.port), "completed")
            victim.start()
            self.assertEqual(self.report_of(id), expected)

    def document(self, name, lines):
        path = self.documents / name
        path.write_text("# Lines\n\n" + "".join(f"line number {number}\n\n" for number in range(lines)))
        path.chmod(0o666)
        handle = re.search("s_[a-z2-7]{26}", json.dumps(self.ask("create_session", name="ann"))).group()
        return path, handle

    def test_p13_an_edit(self):
        path, handle = self.document("edit.md", STEPS + 1)

        def edit(number):
            return {"file_path": path.name, "session_id": handle, "old_string": f"line number {number}\n",
                    "new_string": f"line called {number}\n"}

        self.ask("read", file_path=path.name, session_id=handle)
        takes, _ = self.timed("edit", **edit(STEPS))
        for step in range(STEPS):
            self.ask("read", file_path=path.name, session_id=handle)
            self.again(step, takes, "edit", edit(step))
            self.assertEqual(path.read_text().count("called++}"), step + 2, path.read_text())

    def test_p13_an_acceptance(self):
        """By a person, whose command dies, and who types it again at another node."""
        path, handle = self.document("accept.md", STEPS + 1)
        for number in range(STEPS + 1):
            self.ask("read", file_path=path.name, session_id=handle)
            self.ask("edit", file_path=path.name, session_id=handle, old_string=f"line number {number}\n",
                     new_string=f"line called {number}\n")
        changes = [each["id"] for each in json.loads(self.command("review", "list", path.name, "--documents", str(self.documents)).stdout)
                   ["changes"]]
        began = time.monotonic()
        self.command("review", "accept", changes.pop(), "--documents", str(self.documents))
        takes = time.monotonic() - began
        for step in range(STEPS):
            words = ["review", "accept", changes[step], "--documents", str(self.documents)]
            first = subprocess.Popen([HOLDFAST, *words, "--store", self.cluster.postgres.url], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL, env=self.cluster.nodes[step % 3].environment,
                                     preexec_fn=die_with_parent)
            try:
                first.wait(takes * BEHIND * step / (STEPS - 1))
            except subprocess.TimeoutExpired:
                first.kill()
                first.wait()
            self.command(*words)
        text = path.read_text()
        self.assertNotIn("{", text)
        self.assertEqual(re.findall(r"line (\w+) (\d)", text), [("called", str(number)) for number in range(STEPS + 1)])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2, warnings="ignore")
