#!/usr/bin/env python3
"""holdfast run when calls take too long, say too much or are too many: each call has its limits, and a server that says nothing is waited for once."""
import json
import sys

from run_program import HERE, RunnerTest, program


def calls(*names, **arguments):
    return {"calls": [{"name": name, "arguments": arguments} for name in names]}


class LimitsTest(RunnerTest):
    def setUp(self):
        super().setUp()
        self.a, self.b = self.folder("a"), self.folder("b")

    def bad(self, *words):
        return {"command": sys.executable, "args": [str(HERE / "bad_server.py"), *map(str, words)]}

    def results(self, request=-1):
        """What the model was told of its calls, in this request."""
        return [message["content"] for message in self.model.requests()[request]["body"]["messages"] if message["role"] == "tool"]

    def offered(self):
        return [[tool["function"]["name"] for tool in request["body"].get("tools", [])] for request in self.model.requests()]


class Silent(LimitsTest):
    CALL = 2  # seconds for a call

    def setUp(self):
        super().setUp()
        self.ice = self.home / "ice"
        self.ice.touch()
        self.servers(frozen=self.bad("freeze", self.ice), sun=self.bad("thaw", self.ice))

    def played(self, tasks, answers, **expected):
        self.model.play(reset=True, answers=answers)
        return self.run_tasks({"tasks": tasks, "call_timeout_s": self.CALL}, **expected)

    def test_p29_a_silent_server_costs_its_wait_once_and_is_taken_back_in_the_same_task(self):
        one = calls("frozen__misbehave")
        report = self.played([{"task": "do it", "working_directory": self.a}], [one, one, one, calls("sun__misbehave"), one, "done"])
        self.assertEqual(report["texts"], ["done"])
        waited, second, third, sun, back = self.results()
        self.assertIn("no answer within 2000 ms", waited)
        for passed in (second, third):
            self.assertIn("frozen did not answer a call of misbehave in time: it is passed over until it answers again", passed)
        self.assertEqual((sun, back), ("here again", "here again"))

    def test_p29_later_tasks_do_without_it_and_are_told_so_until_it_is_back(self):
        one, other = calls("frozen__misbehave"), calls("sun__misbehave")
        report = self.played([{"task": "one", "working_directory": self.a}, "two", "three"],
                             [one, "first", other, "second", one, "third"])
        self.assertEqual(report["texts"], ["first", "second", "third"])
        self.assertTrue(any("frozen did not answer" in problem for problem in report["problems"]), report["problems"])
        offered = self.offered()
        self.assertIn("frozen__misbehave", offered[0])
        self.assertEqual(offered[2], ["sun__misbehave"], "the second task")
        self.assertIn("frozen__misbehave", offered[4])
        self.assertEqual(self.results(5), ["here again"])

    def test_p29_another_folder_starts_it_anew_behind_the_work_of_the_others(self):
        report = self.played([{"task": "one", "working_directory": self.a}, {"task": "two", "working_directory": self.b}],
                             [calls("frozen__misbehave"), "first", "second"])
        self.assertEqual(report["texts"], ["first", "second"])
        self.assertLess(report["results"][1]["duration_ms"], 20_000, "less than a server is given beside others")

    def test_p29_the_only_server_that_is_silent_interrupts_the_run(self):
        self.servers(frozen=self.bad("freeze", self.ice))
        tasks = [{"task": "one", "working_directory": self.a}, {"task": "two", "timeout_s": 20}, {"task": "three", "timeout_s": 20}]
        report = self.played(tasks, [calls("misbehave"), "first", "never asked"], expect=7)
        self.assertEqual([result["status"] for result in report["results"]], ["ok", "skipped", "skipped"])
        self.assertIn("frozen did not answer", report["interrupted"])
        self.ice.unlink()
        self.model.play(reset=True, answers=["second", "third"])
        self.assertEqual(self.json_of("run", "--resume")["texts"], ["first", "second", "third"])

    def test_p29_a_tool_that_does_not_answer_costs_its_wait_once_though_its_server_lives(self):
        self.CALL = 10
        self.servers(mute=self.bad("mute", "tools/call", self.ice))
        one = calls("misbehave")
        report = self.played([{"task": "one", "working_directory": self.a}, "two"], [one, one, "first", one, one, "second"])
        self.assertEqual(report["texts"], ["first", "second"])
        self.assertIn("within 10000 ms", self.results(1)[0])
        self.assertIn("within 1000 ms", self.results(-1)[1])


class Limits(LimitsTest):
    def test_p29_limits_of_a_call_are_arguments_of_run_and_task(self):
        text = "x" * 9000
        (self.home / "log").touch()
        self.servers(steps=self.bad("steps", self.home / "log"))
        five = {"calls": [{"name": "look", "arguments": {"text": text}}] * 5}
        self.model.play(reset=True, answers=[five, "first", five, "second"])
        report = self.run_tasks({"tasks": [{"task": "one", "max_result_bytes": 2048, "max_calls": 2}, "two"]}, "--max-result", "4096", "--max-calls", "3")
        self.assertEqual(report["texts"], ["first", "second"])
        for request, most, made in ((1, 2048, 2), (3, 4096, 3)):
            results = self.results(request)
            self.assertEqual(["not called" in result for result in results], [i >= made for i in range(5)])
            self.assertTrue(all("bytes cut here" in result and len(result) < most + 200 for result in results[:made]), results)
            self.assertIn(f"one answer may make {made} calls", results[-1])
        self.assertEqual(len((self.home / "log").read_text().splitlines()), 5)
        kept = self.json_of("sessions", "show", report["run_id"])
        self.assertIn(text, json.dumps(kept), "the whole result is kept")

    def test_p29_no_request_is_larger_than_the_window(self):
        window = 6000
        (self.home / "log").touch()
        self.servers(steps=self.bad("steps", self.home / "log"))
        words = {"ascii": "kelp and pier " * 500, "chinese": "海藻在這裡長得很慢" * 400, "mixed": "const x = '漢字と仮名'; // 한국어\n" * 200}
        rounds = [{"calls": [{"name": "look", "arguments": {"text": f"{n} {text}"}}]} for n in range(3) for text in words.values()]
        self.model.play(reset=True, lmstudio="v0", answers=[*rounds, "done"],
                        models=[{"id": "played", "type": "llm", "state": "loaded", "max_context_length": window, "loaded_context_length": window}])
        report = self.run_tasks(["do it"])
        self.assertEqual(report["texts"], ["done"])
        bodies = [request["body"] for request in self.model.requests() if "messages" in (request["body"] or {})]
        self.assertEqual(len(bodies), len(rounds) + 1)
        for body in bodies:
            said = json.dumps([body["messages"], body.get("tools")], ensure_ascii=False)
            wide = sum(ord(c) > 0x2E80 for c in said)
            self.assertLessEqual(wide + (len(said) - wide) // 4 + body["max_tokens"], window)

    def test_p29_progress_gives_a_call_more_time(self):
        self.servers(slow=self.bad("slow"))
        self.model.play(reset=True, answers=[calls("misbehave"), "%TOOL%"])
        self.assertEqual(self.run_tasks(["do it"], "--call-timeout", "2")["texts"], ["slow and sure"])

    def test_p29_limits_beyond_their_bounds_are_refused_by_name(self):
        file = self.home / "tasks.json"
        file.write_text(json.dumps({"tasks": ["x"], "call_timeout_s": 0, "max_result_bytes": 10, "max_calls": 1001}))
        done = self.run_program("run", str(file))
        self.assertEqual(done.returncode, 2)
        error = done.stderr
        for name in ("call_timeout_s: must be a whole number from 1 to 604800", "max_result_bytes: must be a whole number from 1024 to 4194304",
                     "max_calls: must be a whole number from 1 to 1000"):
            self.assertIn(name, error)
        self.assertEqual(self.run_program("run", "--task", "x", "--max-calls", "0").returncode, 2)


if __name__ == "__main__":
    program.main()
