"""Services that a test plays: a program beside this file that listens on loopback and is told what to answer by POST /_test."""
import json
import pathlib
import subprocess
import sys
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 30  # seconds; longer means hung


class Played:
    """openai_api.py or search_api.py; each says what it can be told."""

    def __init__(self, case, script):
        port_file = case.home / (script + "-port")
        self.process = subprocess.Popen([sys.executable, str(HERE / script), str(port_file)])
        case.addCleanup(self.stop)
        while not port_file.exists():
            if self.process.poll() is not None:
                raise AssertionError(script + " did not start")
            time.sleep(0.02)
        self.url = f"http://127.0.0.1:{port_file.read_text()}"

    def stop(self):
        self.process.kill()
        self.process.wait()

    def play(self, **wanted):
        request = urllib.request.Request(self.url + "/_test", json.dumps(wanted).encode(), {"Content-Type": "application/json"})
        urllib.request.urlopen(request, timeout=PATIENCE).read()

    def requests(self):
        return json.load(urllib.request.urlopen(self.url + "/_test", timeout=PATIENCE))


class Model(Played):
    """A played model; see openai_api.py for what it can be told."""

    def __init__(self, case):
        super().__init__(case, "openai_api.py")
