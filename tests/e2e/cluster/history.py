"""What the clients meant to do, and what they were told of it.

One line of JSON an event. `token` names one write and stands in its text, so that it can be found in the store.

  {"what": "intent",  "token", "principal", "kind", ...}   before the first attempt
  {"what": "ack",     "token", "session", "lane"?, "number"?}   answered; sent again with the same key it may be there more than once
  {"what": "unknown", "token", "why"}                      an attempt that nobody answered
  {"what": "state",   "session", "principal", "visibility", "pinned"}   what a session that one client alone changes must be like
  {"what": "saw",     "principal", "sessions": [...]}      ids that a list has shown
  {"what": "refused", "principal", "session"}              somebody else's session was asked for, and not given
  {"what": "given",   "principal", "session"}              ... and was given
  {"what": "swept",   "sessions": [...]}                   each was to be archived once by the clock
"""
import json
import threading
import time


class History:
    def __init__(self):
        self.events, self.lock, self.began = [], threading.Lock(), time.monotonic()

    def add(self, what, **fields):
        with self.lock:
            self.events.append({"what": what, "at": round(time.monotonic() - self.began, 3), **fields})

    def of(self, what):
        with self.lock:
            return [event for event in self.events if event["what"] == what]

    def write(self, path):
        with open(path, "w") as out:
            for event in self.events:
                out.write(json.dumps(event) + "\n")
