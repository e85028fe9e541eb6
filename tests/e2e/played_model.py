"""A played model for a test: openai_api.py in a process of its own."""
import json
import pathlib
import subprocess
import sys
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 30


class Model:
    """A played model; see openai_api.py for what it can be told."""

    def __init__(self, case):
        port_file = case.home / "model-port"
        self.process = subprocess.Popen([sys.executable, str(HERE / "openai_api.py"), str(port_file)])
        case.addCleanup(self.stop)
        while not port_file.exists():
            if self.process.poll() is not None:
                raise AssertionError("the played model did not start")
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
