#!/usr/bin/env python3
"""The checker finds what it is there for: forged histories and stores, each with one lie."""
import copy
import sys
import unittest

from checker import check

A, B, C, D = ("w-" + letter * 16 for letter in "abcd")


def entry(session, number, token, **more):
    kind = more.pop("kind", "reasoning")
    return {"session": session, "kind": kind, "principal": more.pop("principal", "ann"), "lane": "", "number": number,
            "seq": number, "type": "message" if kind == "thread" else "thought", "text": f"think {token}", "data": {}, **more}


STORE = {
    "sessions": {"s1": {"kind": "reasoning", "principal": "ann", "visibility": "live", "pinned": False},
                 "s2": {"kind": "reasoning", "principal": "bob", "visibility": "archived", "pinned": True},
                 "t1": {"kind": "thread", "principal": "bob", "visibility": "archived", "pinned": False},
                 "r1": {"kind": "research", "principal": "bob", "visibility": "live", "pinned": False}},
    "entries": [entry("s1", 1, A), entry("s1", 2, B), entry("s2", 1, C, principal="bob"),
                {**entry("t1", 1, "", kind="thread", principal="bob"), "type": "notice", "number": 0, "text": "soon"},
                {**entry("r1", 1, "", kind="research", principal="bob"), "type": "unit", "number": 0, "text": "",
                 "data": {"state": "done", "iteration": 1, "phase": "gather", "unit": "q1"}}],
    "files": {"doc.md": f"one {D} two"},
}
HISTORY = [
    {"what": "intent", "token": A, "principal": "ann", "kind": "thought"},
    {"what": "ack", "token": A, "session": "s1", "number": 1},
    {"what": "intent", "token": B, "principal": "ann", "kind": "thought"},
    {"what": "unknown", "token": B, "why": "cut"},
    {"what": "ack", "token": B, "session": "s1", "number": 2},
    {"what": "intent", "token": C, "principal": "bob", "kind": "thought"},
    {"what": "unknown", "token": C, "why": "cut"},
    {"what": "intent", "token": D, "principal": "ann", "kind": "edit", "file": "doc.md"},
    {"what": "ack", "token": D},
    {"what": "state", "session": "s2", "principal": "bob", "visibility": "archived", "pinned": True},
    {"what": "saw", "principal": "ann", "sessions": ["s1"]},
    {"what": "refused", "principal": "ann", "session": "s2"},
    {"what": "swept", "sessions": ["t1"]},
    {"what": "researched", "session": "r1"},
]


class Checker(unittest.TestCase):
    def setUp(self):
        self.history, self.store = copy.deepcopy(HISTORY), copy.deepcopy(STORE)

    def expect(self, words):
        complaints = check(self.history, self.store)
        self.assertTrue(any(words in complaint for complaint in complaints), complaints)

    def test_the_truth(self):
        self.assertEqual(check(self.history, self.store), [])

    def test_a_lost_write(self):
        del self.store["entries"][1]
        self.expect("lost: " + B)

    def test_a_doubled_write(self):
        self.store["entries"].insert(2, entry("s1", 3, B))
        self.expect("doubled: " + B)

    def test_a_write_in_a_session_of_somebody_else(self):
        self.store["entries"][0]["principal"] = "bob"
        self.expect("foreign: " + A)

    def test_a_write_that_nobody_made(self):
        self.store["entries"].insert(2, entry("s1", 3, "w-" + "0" * 16))
        self.expect("nobody wrote")

    def test_an_answer_with_another_number(self):
        self.history[1]["number"] = 7
        self.expect("misplaced: " + A)

    def test_a_gap_and_a_double_number(self):
        self.store["entries"][1]["number"] = 3
        self.expect("numbers of s1")
        self.store["entries"][1]["number"] = 1
        self.expect("numbers of s1")

    def test_a_missing_entry(self):
        self.store["entries"][1]["seq"] = 3
        self.expect("entries of s1")

    def test_a_list_that_shows_too_much(self):
        self.history.append({"what": "saw", "principal": "ann", "sessions": ["s2"]})
        self.expect("was shown s2")

    def test_a_session_given_to_a_stranger(self):
        self.history.append({"what": "given", "principal": "ann", "session": "s2"})
        self.expect("was given s2")

    def test_a_state_that_was_forgotten(self):
        self.store["sessions"]["s2"]["pinned"] = False
        self.expect("said to be pinned")

    def test_a_unit_done_twice(self):
        self.store["entries"].append({**self.store["entries"][4], "seq": 2})
        self.expect("was done 2 times")

    def test_a_sweep_made_twice_or_never(self):
        self.store["entries"].append({**self.store["entries"][3], "seq": 2})
        self.expect("has 2 notices")
        self.store["sessions"]["t1"]["visibility"] = "live"
        self.expect("not archived")

    def test_an_edit_lost_or_doubled(self):
        self.store["files"]["doc.md"] = "one two"
        self.expect(f"edit {D} is 0 times")
        self.store["files"]["doc.md"] = f"{D} {D}"
        self.expect(f"edit {D} is 2 times")


if __name__ == "__main__":
    result = unittest.main(exit=False, argv=sys.argv[:1]).result
    passed = result.testsRun - len(result.failures) - len(result.errors)
    print(f"{passed} passed, {result.testsRun - passed} failed")
    sys.exit(0 if result.wasSuccessful() else 1)
