#!/usr/bin/env python3
"""A loopback server that plays SearXNG, Tavily and the pages they find, as far as research needs them.

  search_api.py PORT_FILE       serves until it is terminated; PORT_FILE gets the port, by rename, once it listens

As the real ones: GET /search?q=…&format=json (SearXNG; another format answers HTML, and with "json_off" JSON answers 403), POST /search
with the key as bearer token or as `api_key` in the body (Tavily; GOOD_KEY, any other gets 401; at most 20 results). The results are the
pages that share a word with the question, most words first. GET /page/NAME is such a page as HTML.

For tests, POST /_test with any of
  {"pages": {NAME: {"title", "text"}}}    replaces the pages (two exist from the start)
  {"json_off": true}                      SearXNG without its JSON format
  {"faults": [KIND, …]}                   the next searches fail, in order: "500", "429" (Retry-After: 1), "401", "403", "stall" (no
                                          answer until the client leaves), "cut" (half an answer), "garbage" (HTML instead of JSON),
                                          "pass" (let one through)
  {"redirects": {NAME: URL}}              /page/NAME answers 302 to URL
GET /_test lists the requests: [{"service": "searxng"|"tavily"|"page", "method", "path", "query", "authorized"}…].
"""
import html
import http.server
import json
import os
import re
import select
import sys
import threading
import urllib.parse

GOOD_KEY = "tvly-good-key-0123456789"
TAVILY_MOST = 20
LONGEST_BODY = 1 << 20

PAGES = {
    "retries": {"title": "Retries with jitter", "text": "A client retries three times. Jitter spreads the retries of many clients."},
    "leases": {"title": "Leases and epochs", "text": "A lease expires after sixty seconds. The epoch keeps an old worker from writing."},
}


class State:
    def __init__(self):
        self.lock = threading.Lock()
        self.pages, self.faults, self.redirects, self.requests = dict(PAGES), [], {}, []
        self.json_off = False


def words(text):
    return set(re.findall(r"\w+", text.lower()))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def state(self):
        return self.server.state

    def log_message(self, *_):
        pass

    def answer(self, status, body, kind="application/json", headers=(), cut=False):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)
        self.close_connection = self.close_connection or cut

    def note(self, service, query="", authorized=None):
        with self.state.lock:
            self.state.requests.append(
                {"service": service, "method": self.command, "path": self.path, "query": query, "authorized": authorized}
            )

    def found(self, question):
        """(share of the question's words, name, page), best first."""
        asked = words(question)
        scored = [
            (len(asked & words(page["title"] + " " + page["text"])) / max(1, len(asked)), name, page)
            for name, page in self.state.pages.items()
        ]
        return sorted((each for each in scored if each[0] > 0), key=lambda each: (-each[0], each[1]))

    def page_url(self, name):
        return f"http://127.0.0.1:{self.server.server_port}/page/{urllib.parse.quote(name)}"

    def fail_as_told(self):
        """True when a fault was due and has been played."""
        with self.state.lock:
            fault = self.state.faults.pop(0) if self.state.faults else "pass"
        if fault == "pass":
            return False
        if fault == "stall":
            select.select([self.connection], [], [], 120)
            self.close_connection = True
        elif fault == "cut":
            self.answer(200, {"results": [{"url": "http://cut.example/", "title": "cut"}]}, cut=True)
        elif fault == "garbage":
            self.answer(200, b"<html>sign in to this network</html>", "text/html")
        else:
            self.answer(int(fault), {"detail": {"error": "played"}}, headers=[("Retry-After", "1")] if fault == "429" else ())
        return True

    def searxng(self, query):
        question = query.get("q", [""])[0]
        self.note("searxng", question)
        if self.fail_as_told():
            return
        if query.get("format", ["html"])[0] != "json":
            return self.answer(200, b"<html>results</html>", "text/html")
        if self.state.json_off:
            return self.answer(403, b"<html>Forbidden</html>", "text/html")
        results = [
            {"url": self.page_url(name), "title": page["title"], "content": page["text"][:120], "score": 4 * share, "engine": "played"}
            for share, name, page in self.found(question)
        ]
        self.answer(200, {"query": question, "number_of_results": len(results), "results": results})

    def tavily(self, body):
        key = self.headers.get("Authorization", "").removeprefix("Bearer ") or body.get("api_key", "")
        question = body.get("query", "")
        self.note("tavily", question, key == GOOD_KEY)
        if self.fail_as_told():
            return
        if key != GOOD_KEY:
            return self.answer(401, {"detail": {"error": "Unauthorized: missing or invalid API key."}})
        most = body.get("max_results", 5)
        if not question or not 0 <= most <= TAVILY_MOST:
            return self.answer(400, {"detail": {"error": "invalid request"}})
        results = [
            {
                "url": self.page_url(name),
                "title": page["title"],
                "content": page["text"][:120],
                "score": share,
                "raw_content": page["text"] if body.get("include_raw_content") else None,
            }
            for share, name, page in self.found(question)[:most]
        ]
        self.answer(200, {"query": question, "results": results, "response_time": 0.01})

    def page(self, name):
        self.note("page")
        if name in self.state.redirects:
            return self.answer(302, b"", "text/plain", [("Location", self.state.redirects[name])])
        page = self.state.pages.get(name)
        if page is None:
            return self.answer(404, b"no such page", "text/plain")
        text = f"<!DOCTYPE html><title>{html.escape(page['title'])}</title><p>{html.escape(page['text'])}</p>"
        self.answer(200, text.encode(), "text/html; charset=utf-8")

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/search":
            self.searxng(urllib.parse.parse_qs(url.query))
        elif url.path.startswith("/page/"):
            self.page(urllib.parse.unquote(url.path.removeprefix("/page/")))
        elif url.path == "/_test":
            with self.state.lock:
                requests = list(self.state.requests)
            self.answer(200, requests)
        else:
            self.answer(404, {})

    def do_POST(self):
        size = int(self.headers.get("Content-Length", 0))
        if size > LONGEST_BODY:
            return self.answer(413, {})
        try:
            body = json.loads(self.rfile.read(size) or b"{}")
        except ValueError:
            return self.answer(400, {})
        if self.path == "/search":
            return self.tavily(body)
        if self.path != "/_test":
            return self.answer(404, {})
        with self.state.lock:
            for name in ("pages", "json_off", "faults", "redirects"):
                if name in body:
                    setattr(self.state, name, body[name])
        self.answer(200, {})


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.state = State()
    with open(sys.argv[1] + ".new", "w") as file:
        file.write(str(server.server_port))
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    server.serve_forever()


if __name__ == "__main__":
    main()
