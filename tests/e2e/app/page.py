#!/usr/bin/env python3
"""usage: page.py HOLDFAST HOLDFAST-SEED    the page in a real browser (Chromium, headless)

A picture of the page is left in $HOLDFAST_SCREENSHOTS when that names a folder.
"""
import http.server
import os
import pathlib
import shutil
import subprocess
import threading

from program import PATIENCE, ProgramTest, Server, main

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
TITLE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


class Proxy(http.server.BaseHTTPRequestHandler):
    """Every request that is not for the server under test ends here and is noted."""

    asked = []

    def note(self):
        self.asked.append(self.path)
        self.send_error(502)

    do_GET = do_POST = do_CONNECT = do_HEAD = note

    def log_message(self, *_):
        pass


class OtherServer(http.server.BaseHTTPRequestHandler):
    """A server of somebody else at another port, which notes what the browser shows it."""

    cookies = []

    def do_GET(self):
        self.cookies.append(self.headers.get("Cookie"))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


class Page(ProgramTest):
    def setUp(self):
        super().setUp()
        self.assertTrue(CHROMIUM, "there is no Chromium: run scripts/setup")
        self.seed([
            {"id": "0199c2ab-cdef-7abc-8def-0123456789ab", "kind": "thread", "title": TITLE, "status": "active",
             "root": "file:///home/me/handbook", "root_name": "handbook", "entries": ["one", "two"]},
            {"id": "research-4f2a", "kind": "research", "title": "What did we decide about retries?", "status": "completed",
             "entries": ["plan", "finding", "report"]},
            {"id": "0199c2ab-cdf0-7abc-8def-0123456789ab", "kind": "reasoning", "title": "A long line of thought about "
             "how the cache should forget, and when, and who notices first", "status": "active",
             "root": "file:///home/me/holdfast", "root_name": "holdfast", "entries": ["thought"] * 12},
            {"id": "doc-12345678", "kind": "document", "title": "", "status": "open"},
        ])
        self.server = Server(self)
        Proxy.asked.clear()
        self.proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        threading.Thread(target=self.proxy.serve_forever, daemon=True).start()
        self.addCleanup(self.proxy.server_close)
        self.addCleanup(self.proxy.shutdown)
        OtherServer.cookies.clear()
        self.other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OtherServer)
        threading.Thread(target=self.other.serve_forever, daemon=True).start()
        self.addCleanup(self.other.server_close)
        self.addCleanup(self.other.shutdown)

    def login(self):
        return self.json_of("login")["url"]

    def browse(self, *words, url):
        command = [CHROMIUM, "--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                   "--disable-component-update", "--disable-sync", "--disable-default-apps",
                   f"--user-data-dir={self.home}/browser", f"--proxy-server=127.0.0.1:{self.proxy.server_port}",
                   f"--proxy-bypass-list=127.0.0.1:{self.server.port};127.0.0.1:{self.other.server_port}", *words, url]
        if os.geteuid() == 0:  # the browser's sandbox refuses to work for root
            command.insert(1, "--no-sandbox")
        done = subprocess.run(command, env=self.environment(), capture_output=True, text=True, timeout=4 * PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_titles_are_text(self):
        page = self.browse("--dump-dom", url=self.login())
        self.assertIn("<title>Timeline · holdfast</title>", page)
        self.assertIn("&lt;script&gt;document.title='owned'&lt;/script&gt;", page)
        self.assertNotIn("<script>", page)
        self.assertNotIn("<img src=\"x", page)
        self.assertIn("untitled document", page)
        self.assertEqual([path for path in Proxy.asked if "holdfast" in path or "127.0.0.1" in path], [])

    def test_it_asks_nobody_else(self):
        page = self.browse("--dump-dom", url=self.login())
        for link in ("http://", "https://", "//"):
            self.assertNotIn(f'="{link}', page)

    def test_p5_a_login_under_the_private_name_is_shown_to_no_other_port(self):
        address = self.json_of("login")["private_url"]
        self.assertIn("Timeline", self.browse("--dump-dom", url=address))
        elsewhere = f"127.0.0.1:{self.other.server_port}"
        self.browse("--dump-dom", url=f"http://{elsewhere}/")
        self.assertIn("Timeline", self.browse("--dump-dom", url=address.split("?")[0]), "the browser is still logged in")
        self.assertEqual(set(OtherServer.cookies), {None})

    def test_without_login(self):
        page = self.browse("--dump-dom", url=f"http://127.0.0.1:{self.server.port}/")
        self.assertIn("holdfast login", page)
        self.assertNotIn("handbook", page)

    def test_pictures(self):
        folder = pathlib.Path(os.environ.get("HOLDFAST_SCREENSHOTS") or self.home)
        for name, size, more in (("wide", "1200,900", []), ("phone", "500,900", []),
                                 ("dark", "1200,900", ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"])):
            picture = folder / f"{name}.png"
            self.browse(f"--screenshot={picture}", f"--window-size={size}", *more, url=self.login())
            self.assertGreater(picture.stat().st_size, 5000, name)


main()
