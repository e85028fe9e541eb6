#!/usr/bin/env python3
"""Hostile input against the real server program, over stdio and HTTP.

  hostile.py SERVER [ARGUMENTS...]

After every case the server must be alive and answer a good request; what it can read must be answered with a
JSON-RPC error. Each case is one function; the last line counts them.
"""
import json
import random
import sys
import time
import traceback

from hostile_server import Broken, HttpServer, StdioServer

MEGABYTE = 1 << 20
LONGEST_LINE = 16 * MEGABYTE  # what the server promises to take on its standard input
# How long a silent connection may be kept (the server says 10 s); a slow client must not hold resources for free.
SLOW_SECONDS = 40

STDIO_CASES, HTTP_CASES = [], []


def stdio(case):
    STDIO_CASES.append(case)
    return case


def http(case):
    HTTP_CASES.append(case)
    return case


def expect(condition, text):
    if not condition:
        raise Broken(text)


def expect_error(message, *codes):
    """A JSON-RPC error without a result."""
    error = message.get("error") or {}
    expect("result" not in message and isinstance(error.get("code"), int) and isinstance(error.get("message"), str),
           f"not an error: {json.dumps(message)[:200]}")
    expect(not codes or error["code"] in codes, f"code {error['code']}, expected {codes}")


def refused(reply, *statuses):
    """The server closed, or refused with one of these statuses; a JSON body must be a JSON-RPC error."""
    if reply is None:
        return
    expect(reply.status in statuses, f"status {reply.status}, expected {statuses}: {reply.body[:200]!r}")
    if reply.headers.get("content-type", "").startswith("application/json"):
        expect_error(reply.json())


def call(arguments):
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "echo", "arguments": arguments}}


UNREADABLE = {
    "not JSON": b"hello",
    "half an object": b'{"jsonrpc":"2.0","id":1,"method":"pi',
    "trailing comma": b'{"jsonrpc":"2.0","id":1,"method":"ping",}',
    "two values": b'{"jsonrpc":"2.0","id":1,"method":"ping"} {"x":1}',
    "single quotes": b"{'jsonrpc':'2.0','id':1,'method':'ping'}",
    "NaN": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}',
    "raw control character": b'{"jsonrpc":"2.0","id":1,"method":"pi\x01ng"}',
    "NUL bytes": b'{"jsonrpc":"2.0",\x00"id":1,"method":"ping"}',
    "only NUL bytes": b"\x00" * 64,
    "binary": bytes(b for b in range(256) if b not in (10, 13)) * 8,
    "invalid UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\xff\xfe"}}',
    "overlong UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\xc0\xaf"}}',
    "surrogate bytes": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\xed\xa0\x80"}}',
    "100,000 open arrays": b"[" * 100_000,
    "100,000 levels": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "100,000 objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
}
# Readable JSON that is no valid message: wrong types for every member, batches, odd ids.
INVALID = {
    "null": None, "true": True, "a number": 5, "a string": "ping", "an empty object": {}, "an empty array": [],
    "a batch": [{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 2, "method": "ping"}],
    "a batch of rubbish": [1, None, "x"],
    "no version": {"id": 1, "method": "ping"},
    "version 1.0": {"jsonrpc": "1.0", "id": 1, "method": "ping"},
    "version as a number": {"jsonrpc": 2.0, "id": 1, "method": "ping"},
    **{f"id {json.dumps(bad)}": {"jsonrpc": "2.0", "id": bad, "method": "ping"} for bad in (None, True, [], {}, 1.5, [1])},
    **{f"method {json.dumps(bad)}": {"jsonrpc": "2.0", "id": 1, "method": bad} for bad in (None, 1, [], {}, False)},
    **{f"params {json.dumps(bad)}": {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": bad} for bad in (1, "x", False, [1])},
    "no method": {"jsonrpc": "2.0", "id": 1},
}
# Valid messages with wrong insides: an error or an error result, never a crash.
WRONG_PARAMS = {
    "call without params": {"method": "tools/call"},
    "call without a name": {"method": "tools/call", "params": {}},
    "call with a numeric name": {"method": "tools/call", "params": {"name": 5}},
    "arguments as a list": {"method": "tools/call", "params": {"name": "echo", "arguments": [1]}},
    "arguments as a string": {"method": "tools/call", "params": {"name": "echo", "arguments": "x"}},
    "argument of a wrong type": {"method": "tools/call", "params": {"name": "echo", "arguments": {"message": {}}}},
    "uri as a number": {"method": "resources/read", "params": {"uri": 1}},
    "uri of rubbish": {"method": "resources/read", "params": {"uri": "test://\u0000/../../etc/passwd"}},
    "cursor of rubbish": {"method": "tools/list", "params": {"cursor": "zzzz"}},
    "cursor as a number": {"method": "tools/list", "params": {"cursor": 3}},
    "prompt arguments as a list": {"method": "prompts/get", "params": {"name": "test_simple_prompt", "arguments": [1]}},
    "level of rubbish": {"method": "logging/setLevel", "params": {"level": "loud"}},
    "completion of nothing": {"method": "completion/complete", "params": {}},
    "unknown method": {"method": "no/such/method"},
    "method of 64 KB": {"method": "x" * 65536},
}


@stdio
def unreadable_lines(server):
    for name, line in UNREADABLE.items():
        server.send(line + b"\n")
        answers = server.check_alive()
        expect(len(answers) == 1, f"{name}: {len(answers)} answers")
        expect_error(answers[0], -32700, -32600)


@stdio
def invalid_messages(server):
    for name, message in INVALID.items():
        server.send(json.dumps(message).encode() + b"\n")
        for answer in server.check_alive():
            try:
                expect_error(answer, -32600, -32602, -32601)
            except Broken as error:
                raise Broken(f"{name}: {error}") from None


@stdio
def invalid_requests_are_answered(server):
    """Where the id is readable, the error carries it."""
    for message in ({"id": "kept", "method": "ping"}, {"jsonrpc": "2.0", "id": "kept", "method": 5}):
        server.send(json.dumps(message).encode() + b"\n")
        answers = server.check_alive()
        expect(len(answers) == 1 and answers[0].get("id") in ("kept", None), f"{answers}")
        expect_error(answers[0], -32600)


@stdio
def wrong_params(server):
    for name, message in WRONG_PARAMS.items():
        _, answer = server.ask({"jsonrpc": "2.0", "id": name, **message})
        if not (answer.get("result") or {}).get("isError"):
            try:
                expect_error(answer, -32602, -32601, -32600, -32002)
            except Broken as error:
                raise Broken(f"{name}: {error}") from None
        server.check_alive()


@stdio
def strange_meta(server):
    """May be refused or ignored, in every member that the protocol reads."""
    for meta in ("x", 5, [], {"progressToken": {}}, {"progressToken": None}, {"progressToken": 1.5}, {"progressToken": "t" * 100_000}):
        server.ask({"jsonrpc": "2.0", "id": "meta", "method": "tools/call",
                    "params": {"name": "test_tool_with_progress", "arguments": {}, "_meta": meta}})
    server.check_alive()


@stdio
def answers_nobody_asked_for(server):
    for message in ({"jsonrpc": "2.0", "id": 99, "result": {}}, {"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "x"}},
                    {"jsonrpc": "2.0", "id": 99, "result": {}, "error": {}}, {"jsonrpc": "2.0", "method": "notifications/nothing"},
                    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "nobody"}},
                    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 5},
                    {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": "x"}}):
        server.send(json.dumps(message).encode() + b"\n")
        answers = server.check_alive()
        expect(not any("result" in answer for answer in answers), f"{message} was answered with {answers}")


@stdio
def line_that_is_too_long(server):
    server.send(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"'
                + b"x" * (17 * MEGABYTE) + b'"}}}\n')
    answers = server.check_alive()
    expect(len(answers) == 1, f"{len(answers)} answers")
    expect_error(answers[0])


@stdio
def longest_line_that_is_allowed(server):
    message = "x" * (LONGEST_LINE - 4096)
    _, answer = server.ask(call({"message": message}))
    expect(answer["result"]["content"][0]["text"] == message, "the echo differs")


@stdio
def line_without_end_in_small_pieces(server):
    for _ in range(17 * 16):
        server.send(b"y" * (MEGABYTE // 16))
    server.send(b"\n")
    answers = server.check_alive()
    expect(len(answers) == 1, f"{len(answers)} answers")
    expect_error(answers[0])


@stdio
def blank_lines_and_carriage_returns(server):
    server.send(b"\n\n\r\n   \n")
    server.send(b'{"jsonrpc":"2.0","id":"cr","method":"ping"}\r\n')
    answers = server.check_alive()
    expect(any(answer.get("id") == "cr" and answer.get("result") == {} for answer in answers), f"{answers}")


@stdio
def many_requests_in_one_write(server):
    count = 5000
    server.send(b"".join(json.dumps({**call({"message": str(i)}), "id": i}).encode() + b"\n" for i in range(count)))
    answers = [server.answer() for _ in range(count)]  # in any order
    expect(sorted(a["id"] for a in answers) == list(range(count)), "answers are missing or doubled")
    expect(all(a["result"]["content"][0]["text"] == str(a["id"]) for a in answers), "answers are mixed up")


@stdio
def random_bytes(server):
    source = random.Random(20260728)
    for _ in range(200):
        line = bytes(b for b in source.randbytes(source.randrange(1, 400)) if b != 10)
        server.send(line + b"\n")
    for answer in server.check_alive():
        expect_error(answer, -32700, -32600)


@stdio
def damaged_messages(server):
    source = random.Random(20251125)
    good = json.dumps(call({"message": "hello"})).encode()
    for _ in range(500):
        damaged = bytearray(good)
        for _ in range(source.randrange(1, 4)):
            damaged[source.randrange(len(damaged))] = source.choice(b'"{}[],:0x\\\x00\xff\x7f ')
        server.send(bytes(damaged) + b"\n")
    server.check_alive()


@http
def unreadable_bodies(server):
    for name, body in UNREADABLE.items():
        reply = server.post_in_session(body)
        expect(reply is not None and reply.status == 400, f"{name}: {reply and reply.status}")
        expect_error(reply.json(), -32700, -32600)
        server.check_alive()


@http
def invalid_bodies(server):
    for name, message in INVALID.items():
        reply = server.post_in_session(message)
        expect(reply is not None and reply.status in (200, 202, 400), f"{name}: {reply and reply.status}")
        if reply.status == 400 and reply.body:
            expect_error(reply.json())
        server.check_alive()


@http
def empty_body(server):
    refused(server.post_in_session(b""), 400)
    refused(server.exchange(server.head(None, *server.in_session())), 400, 411)


@http
def wrong_content_types(server):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    for kind in ("text/plain", "application/xml", "application/x-www-form-urlencoded", "rubbish", ";;;", "application/json-patch", None):
        reply = server.exchange(server.head(len(body), *server.in_session(), kind=kind) + body)
        refused(reply, 400, 415)
        server.check_alive()


@http
def wrong_methods_and_paths(server):
    for line in ("PUT /mcp", "PATCH /mcp", "TRACE /mcp", "CONNECT /mcp", "BREW /mcp", "POST /nowhere", "POST /mcp/../../etc/passwd",
                 "POST //mcp", "GET /mcp%00", "POST " + "/x" * 4000):
        reply = server.exchange(f"{line} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: 0\r\n\r\n".encode())
        refused(reply, 400, 403, 404, 405, 406, 414, 415, 431, 501)
        server.check_alive()


@http
def malformed_heads(server):
    host = f"Host: 127.0.0.1:{server.port}\r\n"
    body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    for head in ("rubbish\r\n\r\n", "POST\r\n\r\n", f"POST /mcp HTTP/9.9\r\n{host}\r\n", f"POST /mcp HTTP/1.1\r\n{host}Content-Length: -1\r\n\r\n",
                 f"POST /mcp HTTP/1.1\r\n{host}Content-Length: 99999999999999999999\r\n\r\n", f"POST /mcp HTTP/1.1\r\n{host}Content-Length: x\r\n\r\n",
                 f"POST /mcp HTTP/1.1\r\n{host}Content-Length: 5\r\nContent-Length: {len(body)}\r\n\r\n{body}",
                 f"POST /mcp HTTP/1.1\r\n{host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                 f"POST /mcp HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\nzz\r\nrubbish",
                 f"POST /mcp HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx",
                 f"POST /mcp HTTP/1.1\r\n{host}Bad Header: x\r\n\r\n", f"POST /mcp HTTP/1.1\r\n{host}X: a\x00b\r\n\r\n",
                 f"POST /mcp HTTP/1.1\r\n{host}no colon\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"):
        refused(server.exchange(head.encode("latin-1"), shutdown=True), 400, 403, 405, 408, 411, 413, 415, 431, 501, 505)
        server.check_alive()


@http
def duplicate_headers(server):
    """Of two hosts none is believed; other doubles may be refused or ignored."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    refused(server.exchange(server.head(len(body), *server.in_session("Host: evil.example.com")) + body), 400, 403)
    for line in ("Mcp-Session-Id: other", "Content-Type: text/plain", "MCP-Protocol-Version: 2024-01-01"):
        reply = server.exchange(server.head(len(body), *server.in_session(line)) + body)
        expect(reply is not None and reply.status < 500, f"{line}: {reply and reply.status}")
        server.check_alive()


@http
def other_hosts_and_origins(server):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    for origin in ("http://evil.example.com", "null", "http://127.0.0.1.evil.example.com", "https://localhost.evil.example.com", "rubbish"):
        refused(server.exchange(server.head(len(body), *server.in_session(f"Origin: {origin}")) + body), 400, 403)
    for host in ("evil.example.com", "127.0.0.1.evil.example.com", "", "localhost@evil.example.com"):
        head = server.head(len(body), *server.in_session()).replace(f"Host: 127.0.0.1:{server.port}".encode(), f"Host: {host}".encode())
        refused(server.exchange(head + body), 400, 403)
    server.check_alive()


@http
def header_floods(server):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    floods = ([f"X-{i}: {'y' * 64}" for i in range(20_000)], ["X: " + "y" * 4 * MEGABYTE], ["X" * MEGABYTE + ": y"])
    for more in floods:
        refused(server.exchange(server.head(len(body), *server.in_session(*more)) + body), 400, 413, 431)
        server.check_alive()


@http
def huge_bodies(server):
    """Refused from the announced length alone, or as soon as too much has come."""
    refused(server.exchange(server.head(10 ** 12, *server.in_session())), 413)
    server.check_alive()
    chunk = b"100000\r\n" + b"x" * MEGABYTE + b"\r\n"
    head = server.head(None, *server.in_session("Transfer-Encoding: chunked"))
    refused(server.exchange(head + chunk * 64), 413)
    server.check_alive()


@http
def pipelined_garbage(server):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    good = server.head(len(body), *server.in_session()) + body
    reply = server.exchange(good + b"\x00\xff garbage garbage\r\n\r\n" * 100)
    expect(reply is not None and reply.status == 200, "the good request before the garbage must be answered")
    server.check_alive()


@http
def half_closed_connections(server):
    body = json.dumps(call({"message": "half"})).encode()
    before = server.open_descriptors()
    for data in (b"", b"POST", server.head(len(body), *server.in_session()), server.head(len(body), *server.in_session()) + body[:10]):
        server.exchange(data, shutdown=True)
        server.check_alive()
    for _ in range(200):  # and without a word of farewell
        with server.connect() as connection:
            connection.sendall(server.head(len(body), *server.in_session()) + body[:20])
    deadline = time.monotonic() + SLOW_SECONDS
    while server.open_descriptors() > before + 8 and time.monotonic() < deadline:
        time.sleep(0.05)
    expect(server.open_descriptors() <= before + 8, f"{server.open_descriptors()} descriptors, {before} before")
    server.check_alive()


@http
def clients_that_leave_during_a_call(server):
    body = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "tools/call",
                       "params": {"name": "test_tool_with_progress", "arguments": {}, "_meta": {"progressToken": 1}}}).encode()
    for _ in range(100):
        with server.connect() as connection:
            connection.sendall(server.head(len(body), *server.in_session()) + body)
    server.check_alive()


@http
def slow_clients(server):
    """200 clients that never finish their request keep nobody else waiting, and are not kept for ever."""
    slow = [server.connect() for _ in range(200)]
    try:
        for connection in slow:
            connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        for _ in range(20):
            server.check_alive()
        slow[0].settimeout(SLOW_SECONDS)
        try:
            slow[0].recv(1024)  # a refusal or the end; a time-out here is the failure
        except ConnectionResetError:
            pass
        except TimeoutError:
            raise Broken(f"a silent client is kept for more than {SLOW_SECONDS} s") from None
    finally:
        for connection in slow:
            connection.close()
    server.check_alive()


@http
def foreign_sessions(server):
    for session in ("nobody", "x" * 4096, "../../etc/passwd", "%00", "'; drop table sessions; --"):
        reply = server.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, f"Mcp-Session-Id: {session}")
        refused(reply, 400, 404)
    refused(server.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}), 400, 404)
    reply = server.post_in_session({"jsonrpc": "2.0", "id": 1, "method": "ping"}, "Last-Event-ID: rubbish")
    expect(reply is not None and reply.status == 200, "a POST has no use for Last-Event-ID and ignores it")
    server.check_alive()


@http
def modern_envelopes(server):
    """Wrong types in every member of the modern envelope: 400 and a JSON-RPC error, never the legacy era."""
    version, capabilities = "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"
    headers = ("MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list")
    for meta in ({version: 5, capabilities: {}}, {version: None, capabilities: {}}, {version: "2026-07-28"}, {version: "2026-07-28", capabilities: []},
                 {version: "2026-07-28", capabilities: "x"}, {version: "v" * 100_000, capabilities: {}}, {version: "2026-07-28", capabilities: {},
                 "io.modelcontextprotocol/logLevel": "loud"}, {version: ["2026-07-28"], capabilities: {}}):
        reply = server.post({"jsonrpc": "2.0", "id": "e", "method": "tools/list", "params": {"_meta": meta}}, *headers)
        expect(reply is not None and reply.status == 400, f"{json.dumps(meta)[:100]}: {reply and reply.status}")
        expect_error(reply.json(), -32602, -32020, -32022)
        expect(reply.json().get("id") == "e", "the id is lost")
    server.check_alive()


def run(kind, server, cases):
    failed = 0
    for case in cases:
        began = time.monotonic()
        try:
            case(server)
            server.check_alive()
            print(f"ok     {kind} {case.__name__} ({(time.monotonic() - began) * 1000:.0f} ms)", flush=True)
        except Exception as error:  # a case must not take the others with it
            failed += 1
            print(f"FAILED {kind} {case.__name__}: {error}", flush=True)
            if not isinstance(error, Broken):
                traceback.print_exc()
            server = type(server)(sys.argv[1:])
    status = server.close()
    if status not in (0, -15):
        failed += 1
        print(f"FAILED {kind}: the server ended with {status}")
    return failed


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 2
    failed = run("stdio", StdioServer(sys.argv[1:]), STDIO_CASES) + run("http", HttpServer(sys.argv[1:]), HTTP_CASES)
    print(f"{max(len(STDIO_CASES) + len(HTTP_CASES) - failed, 0)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
