#!/usr/bin/env python3
"""Research, threads and the lifecycle from the command line (threads-and-research §1, §5, §7, §8)."""
import json
import os
import pty
import signal
import socket
import pathlib
import sqlite3
import subprocess
import sys

from program import ENVELOPE, HOLDFAST, PATIENCE, ProgramTest, Server, main

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from played import Played  # noqa: E402

QUESTION = "how often are jobs retried?"


class ResearchTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.docs = self.home / "docs"
        self.docs.mkdir()
        (self.docs / "retries.md").write_text("# Retries\n\nThe scheduler retries a failed job three times.\n")
        self.clock = self.home / "clock"
        self.set_clock("2026-03-01T00:00:00Z")

    def set_clock(self, text):
        self.clock.write_text(text)

    def program(self, *words, **environment):
        return self.run_program(*words, "--clock-file", str(self.clock), **environment)

    def program_reading(self, text, *words):
        return self.run_program(*words, "--clock-file", str(self.clock), input=text)

    def state(self, *words):
        done = self.program(*words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def thread(self, text="hello there"):
        done = self.program("research", "chat", text, "--json")
        self.assertEqual(json.loads(done.stderr)["error"]["code"], "NO_LLM_PROVIDER")
        return self.state("sessions", "list", "type=threads")["sessions"][0]["id"]

    def on_terminal(self, answer, *words):
        """What the program prints on a terminal where somebody types an answer."""
        leader, follower = pty.openpty()
        process = subprocess.Popen([HOLDFAST, *words, "--clock-file", str(self.clock)], env=self.environment(), stdin=follower,
                                   stdout=subprocess.PIPE, stderr=follower, text=True)
        os.write(leader, (answer + "\n").encode())
        out = process.communicate(timeout=PATIENCE)[0]
        os.close(follower)
        os.close(leader)
        return process.returncode, out

    def test_the_same_question_and_documents_give_the_same_report(self):
        reports = [self.program("research", "start", QUESTION, "--corpus", str(self.docs)) for _ in range(3)]
        for report in reports:
            self.assertEqual(report.returncode, 0, report.stderr)
        self.assertIn("“The scheduler retries a failed job three times.” [1]", reports[0].stdout)
        self.assertIn("## Sources", reports[0].stdout)
        self.assertEqual({report.stdout for report in reports}, {reports[0].stdout})

    def test_a_run_can_be_looked_at(self):
        report = self.state("research", "start", QUESTION, "--corpus", str(self.docs))
        id = report["research_id"]
        self.assertEqual(self.state("research", "status", id)["status"], "completed")
        self.assertEqual(self.program("research", "report", id).stdout, report["report"])
        self.assertEqual(self.program("sessions", "export", id).stdout, report["report"])
        line = f"{id}: '{QUESTION}' (completed, 1 source)\n"
        for words in (["sessions", "list"], ["sessions", "list", "type=research", "completed=true"],
                      ["sessions", "list", "--type", "research", "--completed"], ["research", "list"]):
            self.assertEqual(self.program(*words).stdout, line)
        self.assertIn("three times", self.program("research", id).stdout)
        done = self.program("research", "resume", id)
        self.assertIn("completed", done.stderr)
        self.assertNotEqual(done.returncode, 0)

    def test_a_folder_that_is_not_there(self):
        done = self.program("research", "start", QUESTION, "--corpus", str(self.home / "none"))
        self.assertEqual(done.returncode, 3)
        self.assertIn("none", done.stderr)
        self.assertEqual(self.program("research", "start", QUESTION, "--max-iterations", "11").returncode, 2)

    def test_a_detached_run_is_worked_by_a_server(self):
        environment = {"HOLDFAST_RESEARCH_CORPUS": str(self.docs)}
        server = Server(self, "--no-auth", **environment)
        id = json.loads(self.run_program("research", "start", QUESTION, "--detach", "--json").stdout)["research_id"]
        done = self.run_program("research", "resume", id, **environment)  # follows it, or does it when it is faster
        self.assertTrue(done.returncode == 0 or "completed" in done.stderr, done.stderr)
        self.assertEqual(self.json_of("research", "status", id)["status"], "completed")
        self.assertEqual(server.stop(), 0)

    def add_many_documents(self):
        """So many that somebody has to wait for the index."""
        (self.docs / "many").mkdir()
        for i in range(2000):
            (self.docs / "many" / f"{i}.md").write_text(f"# Job {i}\n\n" + f"Job {i} is retried after a while.\n" * 200)

    def test_S11_a_task_outlives_its_server(self):
        self.add_many_documents()
        environment = {"HOLDFAST_RESEARCH_CORPUS": str(self.docs)}
        meta = {**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}}

        def ask(server, method, **params):
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
            return server.post(message, token="none", modern=True)[2]["result"]

        server = Server(self, "--no-auth", **environment)
        task = ask(server, "tools/call", name="research",
                   arguments={"action": "deep-research", "query": QUESTION, "wait": True})
        self.assertEqual(task["resultType"], "task")
        id = task["_meta"]["holdfast/research_id"]
        self.assertIn(id, task["statusMessage"])
        server.kill()
        server = Server(self, "--no-auth", **environment)
        while (found := ask(server, "tasks/get", taskId=task["taskId"]))["status"] == "working":
            self.assertIn(id, found["statusMessage"])
        self.assertEqual(found["status"], "completed", found)
        self.assertTrue(found["result"]["structuredContent"]["success"])
        self.assertEqual(found["result"]["structuredContent"]["data"]["research_id"], id)

    def test_ctrl_c_loses_nothing(self):
        self.add_many_documents()
        process = subprocess.Popen([HOLDFAST, "research", "start", QUESTION, "--corpus", str(self.docs), "--clock-file", str(self.clock)],
                                   env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while "research-" not in self.program("sessions", "list").stdout:
            self.assertIsNone(process.poll(), "it ended before it was there")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
        id = self.state("sessions", "list")["sessions"][0]["id"]
        if process.returncode:  # it may have been faster than the signal
            self.assertIn(f"holdfast research resume {id}", said)
            self.assertEqual(self.program("research", "resume", id).returncode, 0)
        self.assertEqual(self.state("research", "status", id)["status"], "completed")

    def test_ctrl_c_while_the_model_thinks_keeps_the_message(self):
        model = socket.create_server(("127.0.0.1", 0))  # takes a question and never answers
        self.addCleanup(model.close)
        config = self.home / ".config/holdfast"
        config.mkdir(parents=True)
        address = f"http://127.0.0.1:{model.getsockname()[1]}/v1"
        (config / "config.json").write_text(json.dumps({"llm": [{"name": "here", "base_url": address, "model": "none"}]}))
        process = subprocess.Popen([HOLDFAST, "research", "chat", "hello there", "--clock-file", str(self.clock)],
                                   env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        model.settimeout(PATIENCE)
        asked = model.accept()[0]
        self.addCleanup(asked.close)
        self.assertTrue(asked.recv(1))
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, said)
        item = self.state("sessions", "list", "type=threads")["sessions"][0]
        self.assertEqual(item["message_count"], 1)
        self.assertIn(f"interrupted; what you wrote is kept in {item['id']}", said)
        self.assertIn(f"holdfast research {item['id']}", said)

    def test_a_store_of_a_newer_format_is_not_written_and_says_so(self):
        id = self.thread()
        store = sqlite3.connect(self.state("store", "info")["path"])
        store.execute("PRAGMA user_version=99")
        store.close()
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                 "params": {"name": "research", "_meta": ENVELOPE,
                            "arguments": {"action": "thread-append", "thread_id": id, "role": "user", "content": "more"}}}
        done = self.program_reading(json.dumps(asked) + "\n", "mcp")
        error = json.loads(done.stdout)["result"]["structuredContent"]["error"]
        self.assertEqual(error["code"], "REFUSED")
        self.assertIn("newer", error["message"])
        self.assertFalse(error["retryable"])
        self.assertEqual(self.state("sessions", "list")["sessions"][0]["message_count"], 1)

    def configure(self, **settings):
        config = self.home / ".config/holdfast"
        config.mkdir(parents=True, exist_ok=True)
        (config / "config.json").write_text(json.dumps(settings))

    def model(self):
        played = Played(self, "openai_api.py")
        self.configure(llm=[{"name": "played", "base_url": played.url + "/v1", "model": "m"}])
        return played

    def test_p21_without_a_source_it_fails_and_goes_on_when_there_are_files(self):
        (self.docs / "retries.md").unlink()
        done = self.program("research", "start", QUESTION, "--corpus", str(self.docs), "--json")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("NO_SOURCES", done.stdout + done.stderr)
        item = self.state("sessions", "list")["sessions"][0]
        self.assertEqual((item["status"], item["resumable"]), ("failed", True))
        self.assertIn("resume", self.state("research", "status", item["id"])["error"]["hint"])
        (self.docs / "late.md").write_text("# Late\n\nThe scheduler retries a failed job seven times.\n")
        self.assertEqual(self.program("research", "resume", item["id"]).returncode, 0)
        self.assertIn("seven times", self.program("research", "report", item["id"]).stdout)

    def test_p21_a_service_that_is_down_is_left_alone_by_the_next_run_and_program(self):
        service = Played(self, "search_api.py")
        service.play(faults=["500"] * 100)
        self.configure(search=[{"type": "searxng", "base_url": service.url}])
        asked = [0]
        while True:  # a second is too short for a pause and another try, and for more than three questions
            done = self.program("research", "start", QUESTION, "--corpus", str(self.docs), "--timeout-per-operation", "1")
            self.assertEqual(done.returncode, 0, done.stderr)
            asked.append(sum(each["service"] == "searxng" for each in service.requests()))
            if "left alone after 5 faults in a row" in done.stderr:
                break
        self.assertLess(max(later - earlier for earlier, later in zip(asked, asked[1:])), 5, "no run had so many faults of its own")
        self.assertGreaterEqual(asked[-1], 5)

    def test_p21_what_comes_instead_of_an_answer_is_told_and_not_kept(self):
        model = self.model()
        for answer, said in (({"calls": [{"name": "rm", "arguments": {}}]}, "called the tool rm"),
                             ({"refusal": "I will not."}, "refused to answer: I will not."),
                             ({"finish_reason": "content_filter"}, "content filter")):
            model.play(answers=[answer])
            done = self.program("research", "chat", "hello there", "--json")
            self.assertNotEqual(done.returncode, 0)
            error = json.loads(done.stderr)["error"]
            self.assertEqual(error["code"], "PROVIDER_ERROR")
            self.assertIn(said, error["message"])
        threads = self.state("sessions", "list", "type=threads")["sessions"]
        self.assertEqual([each["message_count"] for each in threads], [1, 1, 1], "the question alone is kept")
        model.play(answers=[{"content": "half of an", "finish_reason": "content_filter"}])
        done = self.program("research", "chat", "once more", "--thread", threads[0]["id"])
        self.assertIn("half of an", done.stdout)
        self.assertIn("content filter", done.stderr)

    def test_p20_a_model_that_answers_with_prose_is_no_worse_than_none(self):
        words = ["research", "start", QUESTION, "--corpus", str(self.docs), "--json"]
        alone = json.loads(self.program(*words).stdout)
        model = self.model()
        model.play(rules=[{"contains": "", "answer": "Sure! I would love to help you with that. See https://nowhere.example [9]."}])
        done = self.program(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual((report["status"], report["engine"], report["partial"]), ("completed", "extractive", False))
        self.assertEqual([each["content"] for each in report["findings"]], [each["content"] for each in alone["findings"]])
        self.assertIn("“The scheduler retries a failed job three times.” [1]", report["report"])
        self.assertNotIn("nowhere", report["report"])
        self.assertIn("The model's answers were of no use for: planning", report["report"])
        self.assertTrue(any("writing the report was done without the model" in each for each in report["warnings"]), report["warnings"])

    def test_a_search_provider_nobody_has_is_refused_at_once(self):
        done = self.program("research", "start", QUESTION, "--search", "nowhere")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("there is no search provider 'nowhere'", done.stderr)
        self.assertEqual(self.program("sessions", "list").stdout, "no sessions\n")

    def test_S8_threads_are_listed_as_agreed(self):
        id = self.thread()
        self.set_clock("2026-03-01T02:30:00Z")
        self.assertEqual(self.program("sessions", "list", "kind=chat").stdout, f"{id}: 'hello there' (chat, 1 message, 2h ago)\n")
        self.assertEqual(self.program("sessions", "list", "type=threads", "completed=true").returncode, 2)
        self.assertEqual(self.program("sessions", "list", "colour=red").returncode, 2)
        self.assertIn("hello there", self.program("sessions", "resume", id).stdout)

    def test_S7_deleting_asks_on_a_terminal_and_refuses_without_one(self):
        id = self.thread()
        refused = self.program("sessions", "delete", id)
        self.assertEqual(refused.returncode, 5)
        self.assertIn("--yes", refused.stderr)
        for answer, outcome in (("n", "kept"), ("", "kept"), ("a", "archived"), ("y", "deleted")):
            code, out = self.on_terminal(answer, "sessions", "delete", id)
            self.assertEqual((code, out.split(":")[0]), (0, outcome), answer)
        self.assertEqual(self.program("sessions", "list").stdout, "no sessions\n")
        self.assertIn(id, self.program("sessions", "list", "--deleted").stdout)
        self.assertEqual(self.program("sessions", "restore", id).returncode, 0)
        self.assertEqual(self.state("sessions", "delete", id, "--yes")["restorable_until"], "2026-03-31T00:00:00.000Z")
        self.assertTrue(self.on_terminal("thread", "sessions", "purge", id)[1].startswith("kept"))
        self.assertTrue(self.on_terminal(id, "sessions", "purge", id)[1].startswith("purged"))
        self.assertEqual(self.program("sessions", "show", id).returncode, 3)

    def test_S13_redaction_leaves_nothing(self):
        id = self.thread("the word is xyzzy42")
        self.assertEqual(self.state("sessions", "redact", id, "--pattern", "xyzzy42", "--yes")["outcome"], "redacted")
        for file in self.data.rglob("*"):
            if file.is_file():
                self.assertNotIn(b"xyzzy42", file.read_bytes(), file)

    def test_S5_cleanup_and_notices(self):
        id = self.thread()
        self.set_clock("2026-03-08T00:00:00Z")
        self.assertEqual(self.state("cleanup", "--dry-run")["notices_created"], 1)
        self.assertEqual(self.state("sessions", "notices")["count"], 0)
        self.assertEqual(self.state("cleanup")["notices_created"], 1)
        notice = self.state("sessions", "notices")["notices"][0]
        self.assertEqual((notice["session_id"], notice["action"], notice["effective_at"]), (id, "archive", "2026-03-09T00:00:00.000Z"))
        self.assertIn("hello there", self.program("sessions", "notices").stdout)
        self.set_clock("2026-03-08T23:59:59.999Z")
        self.assertEqual(self.state("cleanup")["archived"], [])
        self.set_clock("2026-03-09T00:00:00Z")
        self.assertEqual(self.state("cleanup")["archived"], [id])
        self.assertEqual(self.state("sessions", "pin", id)["session"]["pinned"], True)
        self.set_clock("2027-03-09T00:00:00Z")
        self.assertEqual(self.state("cleanup")["skipped_pinned"], 1)

    def test_retention_settings_take_fractions_and_models_are_json(self):
        self.thread()
        item = self.state("sessions", "list")["sessions"][0]
        self.assertEqual(item["next_action_at"], "2026-03-08T00:00:00.000Z")
        changed = json.loads(self.program("sessions", "list", "--json", HOLDFAST_RETENTION_THREAD_ARCHIVE_DAYS="0.5").stdout)
        self.assertEqual(changed["sessions"][0]["next_action_at"], "2026-03-01T12:00:00.000Z")
        config = self.home / ".config/holdfast"
        config.mkdir(parents=True)
        (config / "config.json").write_text(json.dumps({"llm": [{"name": "here", "base_url": "http://127.0.0.1:9/v1"}]}))
        self.assertEqual(self.state("research", "providers")["models"], ["here"])
        (config / "config.json").write_text(json.dumps({"llm": [{"name": "here"}]}))
        self.assertEqual(self.program("research", "providers").returncode, 2)

    def test_help_says_what_there_is(self):
        for words in (["research"], ["research", "start"], ["sessions"], ["sessions", "redact"], ["cleanup"]):
            done = self.program(*words, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("Usage", done.stdout)


main()
