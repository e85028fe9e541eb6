#!/usr/bin/env python3
"""Research that meets strange questions, strange models and interruptions (threads-and-research §4, §10, §12)."""
import json
import pathlib
import subprocess
import sys
import urllib.parse

from program import HOLDFAST, PATIENCE, ProgramTest, Server, main

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from played import Played  # noqa: E402

QUESTION = "how often are jobs retried?"
QUOTED = "“The scheduler retries a failed job three times.” [1]"

# What models say instead of what they were asked for.
ANSWERS = {
    "prose": "Sure! I would love to help you. See https://nowhere.example [9].",
    "half an object": '{"sub_queries":[{"query":"retr',
    "a call": {"calls": [{"name": "rm", "arguments": {"path": "/"}}]},
    "a call and words": {"content": "I will call a tool.", "calls": [{"name": "rm", "arguments": {}}]},
    "a filter": {"finish_reason": "content_filter"},
    "half behind a filter": {"content": "half of", "finish_reason": "content_filter"},
    "a refusal": {"refusal": "I will not."},
    "nothing": "",
    "blanks": " \n\n ",
    "no end": {"content": "word " * 100_000, "finish_reason": "length"},
    "brackets": "[" * 100_000,
    "braces": '{"a":' * 20_000,
    "null": "null",
    "a list": "[]",
    "other types": '{"sub_queries":7,"findings":{"a":1},"gaps":"x","enough":"maybe","contradictions":[1,null],"follow_up_queries":null}',
    "no such source": '{"findings":[{"content":"Made up.","sources":[77,1e99,-5]}]}',
    "control characters": "\u0001\u001b[31mred\u0007 \ufffd",
    "thoughts": "<think>a secret plan</think>\nno idea",
    "useless questions": json.dumps({"sub_queries": [{"query": f"zebra{i}"} for i in range(500)]}),
}

LINKS = """# Retries

The scheduler retries a failed job three times [1]. <https://nowhere.example/b>, [9](https://nowhere.example/c),
![p](https://nowhere.example/d.png) [r][x] note[^1] www.nowhere.example/e (https://nowhere.example/f) nowhere.example/g //nowhere.example/h
<ada@nowhere.example> [![alt](https://nowhere.example/i.png)](https://nowhere.example/j) https://nowhere.example/k... `a[7]` stays.

    and[7] = here;

[x]: https://nowhere.example/l
[^1]: Invented, https://nowhere.example/m
"""


class ResearchRunsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.docs = self.home / "docs"
        self.docs.mkdir()
        (self.docs / "retries.md").write_text("# Retries\n\nThe scheduler retries a failed job three times.\n")

    def start(self, question=QUESTION, *words, docs=None):
        return self.run_program("research", "start", "--corpus", str(docs or self.docs), "--json", *words, "--", question)

    def report_of(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def model(self, **played):
        model = Played(self, "openai_api.py")
        config = self.home / ".config/holdfast"
        config.mkdir(parents=True, exist_ok=True)
        (config / "config.json").write_text(json.dumps({"llm": [{"name": "played", "base_url": model.url + "/v1", "model": "m"}]}))
        model.play(**played)
        return model

    def test_p20_whatever_a_model_says_at_every_step_the_report_is_no_worse_than_without_it(self):
        model = self.model()
        for name, answer in ANSWERS.items():
            with self.subTest(name):
                model.play(rules=[{"contains": "", "answer": answer}])
                report = self.report_of(self.start())
                self.assertEqual((report["status"], report["engine"], report["partial"]), ("completed", "extractive", False))
                self.assertIn(QUOTED, report["report"])
                self.assertNotIn("nowhere", report["report"])
                self.assertTrue(any("done without the model" in each for each in report["warnings"]), report["warnings"])

    def test_p20_an_object_between_fences_and_words_is_taken(self):
        answer = {"findings": [{"content": "Jobs are retried three times.", "sources": [1]}], "enough": True,
                  "sub_queries": [{"query": "retries of jobs"}]}
        self.model(rules=[{"contains": "", "answer": f"Here you go:\n```json\n{json.dumps(answer)}\n```\nHope it helps!"}])
        report = self.report_of(self.start())
        self.assertEqual([each["content"] for each in report["findings"]], ["Jobs are retried three times."])

    def test_p20_no_invented_address_is_left_in_any_form(self):
        self.model(rules=[{"contains": "", "answer": LINKS}])
        text = self.report_of(self.start())["report"]
        self.assertIn("three times [1]", text)
        self.assertNotIn("nowhere", text)
        self.assertNotIn("Invented", text)
        self.assertIn("`a[7]` stays", text)
        self.assertIn("    and[7] = here;", text)

    def test_p21_a_model_that_is_broken_fails_the_run_and_resume_goes_on(self):
        model = self.model(faults=["401"] * 20)
        done = self.start()
        self.assertEqual(done.returncode, 7, done.stderr)
        run = self.json_of("sessions", "list")["sessions"][0]
        self.assertEqual((run["status"], run["resumable"]), ("failed", True))
        model.play(faults=[], rules=[{"contains": "", "answer": "prose"}])
        self.assertEqual(self.run_program("research", "resume", run["id"]).returncode, 0)
        self.assertIn(QUOTED, self.run_program("research", "report", run["id"]).stdout)

    def test_p21_asked_twice_killed_and_resumed_twice_it_is_one_report(self):
        (self.docs / "many").mkdir()
        for i in range(1500):
            (self.docs / "many" / f"{i}.md").write_text(f"# Job {i}\n\n" + f"Job {i} is retried after a while.\n" * 100)
        process = subprocess.Popen([HOLDFAST, "research", "start", QUESTION, "--corpus", str(self.docs)], env=self.environment(),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not self.json_of("sessions", "list")["sessions"]:
            self.assertIsNone(process.poll(), "it ended before it was there")
        process.kill()
        process.wait(PATIENCE)
        killed = self.json_of("sessions", "list")["sessions"][0]
        again = self.report_of(self.start())
        if killed["status"] != "completed":  # it may have been faster than the signal
            resumed = [subprocess.Popen([HOLDFAST, "research", "resume", killed["id"], "--json"], env=self.environment(),
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
            said = [process.communicate(timeout=PATIENCE) for process in resumed]
            # Who comes too late hears that it is done.
            self.assertTrue(all(process.returncode == 0 or "completed" in err for process, (_, err) in zip(resumed, said)), said)
        first = json.loads(self.run_program("research", "report", killed["id"], "-f", "json").stdout)
        self.assertEqual(first["report"], again["report"])
        self.assertEqual(len(self.json_of("sessions", "list")["sessions"]), 2)

    def test_p21_cancelled_it_is_resumed_and_two_at_once_do_not_disturb_each_other(self):
        id = json.loads(self.run_program("research", "start", QUESTION, "--detach", "--json").stdout)["research_id"]
        for _ in range(2):
            self.assertEqual(self.run_program("research", "cancel", id).returncode, 0)
        self.assertEqual(self.json_of("research", "status", id)["status"], "cancelled")
        environment = {"HOLDFAST_RESEARCH_CORPUS": str(self.docs)}
        self.assertEqual(self.run_program("research", "resume", id, **environment).returncode, 0)
        both = [subprocess.Popen([HOLDFAST, "research", "start", QUESTION, "--json"], env=self.environment(**environment),
                                 stdout=subprocess.PIPE, text=True) for _ in range(2)]
        reports = [json.loads(process.communicate(timeout=PATIENCE)[0])["report"] for process in both]
        self.assertEqual(reports, [self.run_program("research", "report", id).stdout] * 2)

    def test_p19_questions_of_any_script_and_length(self):
        (self.docs / "scripts.md").write_text(
            "# Notes\n\nงานที่ล้มเหลวจะถูกลองใหม่สามครั้ง\n\n失败的任务会重试三次。\n\nتتم إعادة محاولة المهمة الفاشلة ثلاث مرات.\n\nΗ εργασία επαναλαμβάνεται τρεις φορές.\n")
        for question, answer in (("失败的任务重试几次?", "失败的任务会重试三次"), ("كم مرة تتم إعادة محاولة المهمة؟", "ثلاث مرات"),
                                 ("ลองใหม่กี่ครั้ง งานที่ล้มเหลวจะถูกลองใหม่สามครั้ง", "สามครั้ง"), ("πόσες φορές επαναλαμβάνεται;", "τρεις φορές"),
                                 ("retries", "three times"), ("HOW OFTEN ARE JOBS RETRIED???", "three times"),
                                 ("--delete retries?", "three times"), (QUESTION + " please" * 420, "three times")):
            with self.subTest(question[:40]):
                self.assertLessEqual(len(question), 3000)
                report = self.report_of(self.start(question))
                self.assertIn(answer, "\n".join(each["content"] for each in report["findings"][:3]))
        done = self.start("…?!")
        self.assertIn("NO_SOURCES", done.stderr + done.stdout)

    def test_p19_what_was_left_out_is_said_with_its_reason_on_every_surface(self):
        (self.docs / "blob.bin").write_bytes(b"\0\1\2")
        (self.docs / "old.txt").write_bytes("Прошлое".encode("cp1251"))
        (self.docs / "scan.pdf").write_bytes(b"%PDF-1.4\nbroken")
        (self.docs / "latin.txt").write_bytes("Das Café in München ist geöffnet.\n".encode("latin-1"))
        (self.docs / "windows.txt").write_bytes("“Quoted” – it costs 5 €.\n".encode("cp1252"))
        (self.docs / "utf16.txt").write_bytes("These lines were written by Notepad.\r\n".encode("utf-16"))
        done = self.run_program("research", "start", QUESTION, "--corpus", str(self.docs))
        self.assertEqual(done.returncode, 0, done.stderr)
        id = self.json_of("sessions", "list")["sessions"][0]["id"]
        server = Server(self)
        address = urllib.parse.urlsplit(self.json_of("login", "--port", str(server.port))["url"])
        _, headers, _ = server.ask("GET", f"{address.path}?{address.query}")
        cookie = headers["set-cookie"].split(";")[0]
        called = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "research", "arguments": {"action": "deep-research-report", "research_id": id},
            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}
        said = {
            "start": done.stderr,
            "report": self.run_program("research", "report", id).stderr,
            "report as JSON": json.dumps(self.json_of("research", "report", id)["warnings"]),
            "status": self.run_program("research", "status", id).stderr,
            "status as JSON": json.dumps(self.json_of("research", "status", id)["warnings"]),
            "page": server.ask("GET", f"/research/{id}", {"Cookie": cookie})[2],
            "tool": json.dumps(server.post(called, modern=True)[2]),
        }
        for surface, text in said.items():
            with self.subTest(surface):
                self.assertIn("3 files of the documents", text)
                for name, why in (("blob.bin", "binary"), ("old.txt", "neither UTF-8 nor Latin-1"), ("scan.pdf", "a PDF that cannot be read")):
                    self.assertRegex(text, f"{name} \\({why}")
                for name in ("latin.txt", "windows.txt", "utf16.txt"):
                    self.assertNotIn(name, text.split("3 files of")[1].split("warning:")[0][:400])
        for question, answer in (("what is in München?", "Das Café in München ist geöffnet."), ("what costs it?", "“Quoted” – it costs 5 €."),
                                 ("who wrote with Notepad?", "These lines were written by Notepad.")):
            self.assertIn(answer, [each["content"] for each in self.report_of(self.start(question))["findings"]])


main()
