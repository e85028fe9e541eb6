#!/usr/bin/env python3
"""usage: search.py HOLDFAST HOLDFAST-SEED    finding sessions by what was said and done in them, from outside"""
import json
import os
import pathlib
import shutil
import subprocess

from program import ENVELOPE, HOLDFAST, PATIENCE, Lines, initialize, main
from transcripts_home import DEMO, TranscriptsTest, sid


def prompt(text, **more):
    return json.dumps({"type": "user", "timestamp": "2026-07-01T10:00:00.000Z", "cwd": DEMO,
                       "message": {"role": "user", "content": text}, **more}) + "\n"


class Searching(TranscriptsTest):
    def found(self, *words):
        return self.json_of("search", *words)["sessions"]

    def ids(self, *words):
        return {session["session_id"] for session in self.found(*words)}

    def append(self, short, text):
        with self.transcript(short).open("a") as file:
            file.write(text)

    def test_words_phrases_prefixes_and_code(self):
        self.assertEqual(self.ids("subagent", "reported"), {sid("a4")})
        self.assertEqual(self.ids('"second answer from"'), {sid("a3")})
        self.assertEqual(self.ids("subag*", "report*"), {sid("a4")})
        self.assertEqual(self.ids("nothingofthekind"), set())
        self.assertEqual(self.ids("from-sub1"), {sid("a4")}, "a subagent's words are its session's")
        self.assertEqual(self.ids("line-877-abcdefgh"), {sid("a6")}, "in a saved result")
        self.assertEqual(self.ids("*ubagen*"), self.ids("subagent"))
        self.assertEqual(self.ids("HELLO", "lab"), {sid("a1"), sid("b1")})
        self.assertEqual(self.ids("hello", "-second"), {sid("a1"), sid("b1")}, "without counts for one message")
        self.assertEqual(self.ids("chat", "-second", "--role", "user"), {sid("a1")})

    def test_what_is_found(self):
        [session] = self.found("subagent", "reported")
        self.assertEqual((session["kind"], session["product"], session["project"]), ("transcript", "claude", DEMO))
        self.assertEqual(session["resume_command"], f"cd {DEMO} && claude --resume {sid('a4')}")
        [match] = session["matches"]
        self.assertEqual(match["role"], "assistant")
        line = self.transcript("a4").read_text().splitlines()[match["line"] - 1]
        self.assertIn("The subagent reported.", line)
        begin, end = match["highlights"][0]
        self.assertEqual(match["snippet"].encode()[begin:end].decode().lower(), "subagent")
        text = self.run_program("search", "subagent", "reported").stdout
        self.assertIn("000000a4", text)
        self.assertIn(f"claude --resume {sid('a4')}", text)

    def test_filters(self):
        self.assertEqual(self.ids("hello", "lab", "--project", DEMO), {sid("a1")})
        self.assertEqual(self.ids("note.txt", "--tool", "Write"), {sid("a2"), sid("a5")})
        self.assertEqual(self.ids("note.txt", "--tool", "bash"), set())
        self.assertEqual(self.ids("lab", "--role", "user"), set())
        self.assertEqual(self.ids("task", "--role", "user"), {sid("a3")})
        self.assertEqual(self.ids("alpha", "--file", "demo/note.txt", "--tool", "Write"), {sid("a2"), sid("a5")})
        self.assertEqual(self.ids("hello", "--until", "2026-01-01"), set())
        self.assertEqual(self.ids("hello", "--kind", "reasoning"), set())
        self.assertEqual(self.ids("lab", "--session", "000000a1"), {sid("a1")})
        wrong = self.run_program("search", "x", "--role", "nobody")
        self.assertEqual(wrong.returncode, 2)
        self.assertEqual(self.run_program("search", '""').returncode, 2)
        self.assertEqual(self.run_program("search", "x", "--limt", "3").returncode, 2)

    def test_p31_times_count_before_the_limit(self):
        """However many later sessions have the words, those of the asked time are found."""
        clock = self.home / "clock"
        clock.write_text("2026-03-01T10:00:00Z")
        start = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "init", "arguments": {"operation": "start_new", "title": "zugzwang of old"}, "_meta": ENVELOPE}}
        done = self.run_program("mcp", "--clock-file", str(clock), input=json.dumps(start) + "\n")
        old = json.loads(done.stdout)["result"]["structuredContent"]["sessionId"]
        self.seed([{"id": f"thread-{number:012}", "kind": "thread", "title": f"zugzwang {number}"} for number in range(150)])
        for limit in ("1", "5"):
            self.assertEqual(self.ids("zugzwang", "--limit", limit, "--until", "2026-03-02"), {old})
            self.assertNotIn(old, self.ids("zugzwang", "--limit", limit, "--since", "2026-03-02"))
        self.assertEqual(self.ids("zugzwang", "--until", "2026-03-01"), set())

    def test_trace(self):
        traced = self.json_of("trace", "note.txt")["sessions"]
        self.assertEqual({session["session_id"] for session in traced}, {sid("a2"), sid("a5")})
        self.assertEqual({session["session_id"] for session in self.json_of("trace", DEMO + "/note.txt")["sessions"]},
                         {sid("a2"), sid("a5")})
        self.assertEqual(self.json_of("trace", "ote.txt")["sessions"], [], "not the end of a path, but of a name")

    def test_what_is_appended_is_found_at_once_with_and_without_an_index(self):
        self.json_of("index")
        self.assertEqual(self.ids("zweiundvierzig"), set())
        self.append("a1", prompt("zweiundvierzig Algen am Kai"))
        self.assertEqual(self.ids("zweiundvierzig"), {sid("a1")})
        self.append("a1", prompt("das Ende der Zeile ist noch ni")[:-8])
        self.assertEqual(self.ids("Ende", "Zeile"), set(), "a torn line")
        self.append("a1", 'cht"}}\n')
        self.json_of("index")
        self.assertEqual(self.ids("Algen"), {sid("a1")})
        shutil.rmtree(self.data / "index")
        self.assertEqual(self.ids("Algen", "--no-index"), {sid("a1")})

    def test_filters_know_what_is_not_indexed_yet(self):
        self.json_of("index")
        self.append("a1", json.dumps({"type": "assistant", "cwd": DEMO, "gitBranch": "Feature/X", "message": {
            "model": "claude-haiku-9", "content": [{"type": "tool_use", "id": "t", "name": "Edit",
                                                    "input": {"file_path": "src/new.cpp", "old_string": "walrus"}}]}}) + "\n")
        for words in (["--model", "haiku"], ["--branch", "feature/x"], ["--tool", "edit"], ["--file", "./src//new.cpp"]):
            self.assertEqual(self.ids("walrus", *words), {sid("a1")}, words)
        for path in ("src/new.cpp", "new.cpp", DEMO + "/src/new.cpp", DEMO + "/./src/new.cpp"):
            self.assertEqual([session["session_id"] for session in self.json_of("trace", path)["sessions"]], [sid("a1")], path)
        self.assertEqual(self.ids("walrus", "--tool", "dit"), set())

    def test_codex_as_it_was_said(self):
        folder = self.home / ".codex/sessions/2026/07/01"
        folder.mkdir(parents=True)
        name = "019a0000-0000-7000-8000-000000000001"
        call = {"cmd": "cd build\ncmake ..\tninja", "patch": "*** Update File: src/a.rs\n+x"}
        with (folder / f"rollout-2026-07-01T10-00-00-{name}.jsonl").open("w") as file:
            for payload in ({"type": "function_call", "name": "shell", "arguments": json.dumps(call)},
                            {"type": "function_call_output", "output": json.dumps({"output": "ok\nlinker failed"})}):
                file.write(json.dumps({"timestamp": "2026-07-01T10:00:00Z", "type": "response_item", "payload": payload}) + "\n")
        for words in (["cmake"], ["ninja"], ["linker", "failed"], ["cmake", "--tool", "shell"]):
            self.assertEqual(self.ids(*words), {name}, words)
        self.assertEqual([session["session_id"] for session in self.json_of("trace", "/work/src/a.rs")["sessions"]], [name])

    def test_options_leave_words_alone(self):
        self.assertEqual(self.ids("--role", "user", "second", "turn"), {sid("a3")})
        self.assertEqual(self.ids("--kind", "transcript", "subagent", "reported"), {sid("a4")})
        self.assertEqual(self.ids("subagent", "reported", "-python"), {sid("a4")})
        behind = self.run_program("search", "--json", "--", "subagent", "reported")
        self.assertEqual(len(json.loads(behind.stdout)["sessions"]), 1, behind.stderr)
        self.assertEqual(self.run_program("search", "x", "--kind", "nonsense").returncode, 2)

    def test_what_somebody_asked_stands_before_the_output_that_repeats_it(self):
        self.append("a1", prompt("why does the tidal gauge drift?"))
        lines = [json.dumps({"type": "user", "timestamp": "2026-07-02T10:00:00.000Z", "message": {"content": [
            {"type": "tool_result", "tool_use_id": "t", "content": f"{i} tidal gauge drift " + "word " * 80}]}}) for i in range(1500)]
        self.append("a1", "\n".join(lines) + "\n")
        for _ in range(2):
            [session] = self.found("tidal", "gauge", "drift")
            self.assertEqual(session["matches"][0]["role"], "user")
            self.json_of("index")

    def test_the_index_says_how_far_it_is_and_can_be_made_anew(self):
        before = self.json_of("index", "--status")
        self.assertEqual(before["indexed_bytes"], 0)
        after = self.json_of("index")
        self.assertEqual(after["indexed_bytes"], after["source_bytes"])
        self.assertGreater(after["source_bytes"], 100_000)
        again = self.json_of("index", "--rebuild")
        self.assertEqual(again["indexed_bytes"], after["indexed_bytes"])

    def test_damage_of_the_index_costs_nothing_but_time(self):
        self.json_of("index")
        for path in (self.data / "index").rglob("*"):
            if path.is_file():
                path.write_bytes(os.urandom(max(1, path.stat().st_size // 2)))
        self.assertEqual(self.ids("subagent", "reported"), {sid("a4")})
        self.json_of("index")
        self.assertEqual(self.ids("subagent", "reported"), {sid("a4")})

    def test_a_replaced_transcript_is_read_anew(self):
        self.json_of("index")
        other = self.transcript("a1").with_suffix(".new")
        other.write_text(prompt("something else entirely"))
        other.rename(self.transcript("a1"))
        self.assertEqual(self.ids("something", "entirely"), {sid("a1")})
        self.json_of("index")
        self.assertEqual(self.ids("something", "entirely"), {sid("a1")})
        self.assertEqual(self.ids("hello", "lab"), {sid("b1")})

    def test_hostile_text_is_shown_harmlessly(self):
        self.append("a1", prompt("\u001b[31mred\u001b]0;title\u0007 \u202egnp.exe kelpish"))
        text = self.run_program("search", "kelpish").stdout
        self.assertIn("kelpish", text)
        for bad in ("\u001b", "\u0007", "\u202e"):
            self.assertNotIn(bad, text)

    def test_other_scripts(self):
        self.append("a1", prompt("海藻はゆっくり育つ。Ärger mit Straße und ПРИВЕТ"))
        self.assertEqual(self.ids("ゆっくり"), {sid("a1")})
        self.assertEqual(self.ids("海藻"), {sid("a1")})
        self.assertEqual(self.ids("привет"), {sid("a1")})
        self.assertEqual(self.ids("STRASSE"), {sid("a1")})
        self.json_of("index")
        self.assertEqual(self.ids("くり育"), {sid("a1")})
        self.assertEqual(self.ids("ärger"), {sid("a1")})

    def test_sessions_of_the_store_are_found_too(self):
        self.run_program("research", "start", "what grows at the wharf?", "--corpus", str(self.elsewhere))
        self.assertIn("research", {session["kind"] for session in self.found("wharf")})
        self.assertEqual({session["kind"] for session in self.found("wharf", "--kind", "research")}, {"research"})
        self.assertEqual({session["kind"] for session in self.found("*harf*")}, {"research"}, "a part of a word")
        self.assertEqual({session["kind"] for session in self.found("at the wharf?")}, {"research"})
        self.assertEqual(self.found("wharf", "-grows"), [])
        self.assertRegex(self.run_program("search", "wharf").stdout, r"(?m)^research-\w{12}  research")


class RunningServer(TranscriptsTest):
    """A server keeps what it knows of the files; whatever happens to them, its next answer knows."""

    def setUp(self):
        super().setUp()
        self.server = subprocess.Popen([HOLDFAST, "mcp"], env=self.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(self.end)
        self.answers = Lines(self.server.stdout)
        self.number = 1
        self.send(initialize())
        self.answers.next()
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def end(self):
        self.server.stdin.close()
        try:
            self.server.wait(PATIENCE)
        finally:
            self.server.kill()

    def send(self, message):
        self.server.stdin.write(json.dumps(message) + "\n")
        self.server.stdin.flush()

    ids, append = Searching.ids, Searching.append

    def found(self, *words):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": "tools/call",
                   "params": {"name": "search_sessions", "arguments": {"query": " ".join(words)}}})
        while True:
            answer = json.loads(self.answers.next())
            if answer.get("id") == self.number:
                return answer["result"]["structuredContent"]["sessions"]

    def watched(self):
        """Files and folders, of all watchers of the process."""
        infos = pathlib.Path(f"/proc/{self.server.pid}/fdinfo")
        return [line for info in infos.iterdir() for line in info.read_text().splitlines() if line.startswith("inotify ")]

    def test_every_change_is_in_the_next_answer(self):
        self.assertEqual(self.ids("subagent", "reported"), {sid("a4")})
        self.assertGreater(len(self.watched()), len(list(self.claude.joinpath("projects").rglob("*.jsonl"))))
        for i in range(20):
            self.append("a1", prompt(f"appendedword{i}"))
            self.assertEqual(self.ids(f"appendedword{i}"), {sid("a1")})
        new = self.project("-new") / f"{sid('c1')}.jsonl"
        new.parent.mkdir()
        new.write_text(prompt("seagrass"))
        self.assertEqual(self.ids("seagrass"), {sid("c1")})
        link = self.elsewhere / "link"
        link.hardlink_to(new)
        with link.open("a") as file:
            file.write(prompt("through another name"))
        self.assertEqual(self.ids('"through another name"'), {sid("c1")})
        other = self.elsewhere / "other"
        other.write_text(prompt("put in its place"))
        other.rename(new)
        self.assertEqual((self.ids('"in its place"'), self.ids("seagrass")), ({sid("c1")}, set()))
        new.parent.rename(self.project("-renamed"))
        self.assertEqual(self.ids('"in its place"'), {sid("c1")})
        shutil.rmtree(self.project("-renamed"))
        self.assertEqual(self.ids('"in its place"'), set())
        folder = self.home / ".codex/sessions/2026/07/01"
        folder.mkdir(parents=True)
        name = "019a0000-0000-7000-8000-000000000001"
        rollout = folder / f"rollout-2026-07-01T10-00-00-{name}.jsonl"
        for word in ("limpet", "barnacle"):
            with rollout.open("a") as file:
                file.write(json.dumps({"timestamp": "2026-07-01T10:00:00Z", "type": "event_msg",
                                       "payload": {"type": "user_message", "message": word}}) + "\n")
            self.assertEqual(self.ids(word), {name})


if __name__ == "__main__":
    main()
