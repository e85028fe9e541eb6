#!/usr/bin/env python3
"""Shows that the judge refuses runs that only look green."""
import json
import pathlib
import tempfile
import unittest

from judge import judge_run

HERE = pathlib.Path(__file__).resolve().parent


def check(status, name="a-check"):
    return {"id": name, "status": status, "description": "x"}


GOOD = [check("SUCCESS"), check("SUCCESS", "wire-schema-valid")]


class Judge(unittest.TestCase):
    def complaints(self, scenarios, required, least=0):
        with tempfile.TemporaryDirectory() as folder:
            for name, checks in scenarios.items():
                path = pathlib.Path(folder, f"server-{name}-2026-01-01T00-00-00-000Z")
                path.mkdir()
                (path / "checks.json").write_text(json.dumps(checks))
            rows = judge_run({"required": required, "unscored": [], "least_checks": least}, folder)
            return [f"{name}: {text}" for name, _, complaints in rows for text in complaints]

    def test_green(self):
        self.assertEqual(self.complaints({"ping": GOOD + [check("INFO")]}, ["ping"]), [])

    def test_failure_and_warning(self):
        self.assertIn("FAILURE", self.complaints({"ping": GOOD + [check("FAILURE")]}, ["ping"])[0])
        self.assertIn("WARNING", self.complaints({"ping": GOOD + [check("WARNING")]}, ["ping"])[0])

    def test_skipped(self):
        self.assertIn("SKIPPED", self.complaints({"ping": GOOD + [check("SKIPPED")]}, ["ping"])[0])
        self.assertEqual(self.complaints({"tasks-status-notifications": [check("SKIPPED")]}, ["tasks-status-notifications"]), [])

    def test_skipped_for_the_era(self):
        initialize = {**check("SKIPPED"), "name": "ClientMcpMethodHeader_initialize"}
        self.assertEqual(self.complaints({"http-standard-headers": GOOD + [initialize]}, ["http-standard-headers"]), [])
        self.assertIn("SKIPPED", self.complaints({"ping": GOOD + [initialize]}, ["ping"])[0])

    def test_empty_pass(self):
        self.assertIn("empty pass", self.complaints({"ping": []}, ["ping"])[0])
        self.assertIn("empty pass", self.complaints({"ping": [check("SUCCESS", "wire-schema-valid")]}, ["ping"])[0])
        self.assertIn("empty pass", self.complaints({"server-stateless": GOOD}, ["server-stateless"])[0])

    def test_scenarios_that_did_not_run_or_are_unknown(self):
        self.assertEqual(self.complaints({}, ["ping"]), ["ping: did not run"])
        self.assertIn("not in scenarios.json", self.complaints({"ping": GOOD, "new": GOOD}, ["ping"])[0])

    def test_too_few_checks_in_all(self):
        self.assertIn("at least 3", self.complaints({"ping": GOOD}, ["ping"], least=3)[0])

    def test_lists(self):
        lists = json.loads((HERE / "scenarios.json").read_text())
        self.assertEqual([(len(one["required"]), len(one["unscored"])) for one in lists], [(32, 0), (30, 3), (37, 13)])

    def test_client_lists(self):
        plan = json.loads((HERE / "client-scenarios.json").read_text())
        self.assertEqual([len(run["scenarios"]) for run in plan["runs"]], [4, 5, 8])
        run = {name for one in plan["runs"] for name in one["scenarios"]}
        waiting = [name for names in plan["not_run_yet"].values() for name in names]
        self.assertEqual(len(waiting), len(set(waiting)))
        self.assertFalse(run & set(waiting))


if __name__ == "__main__":
    unittest.main()
