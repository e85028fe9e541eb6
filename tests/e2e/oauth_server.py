"""An MCP server that wants people to log in, and the authorization server it names, on one loopback port.

Both are as small as the protocols allow: one tool, one scope, tokens that last until the test takes them away. A test plays the
person by visiting the address that the program shows (`visit`).
"""
import base64
import hashlib
import http.server
import json
import secrets
import threading
import urllib.error
import urllib.parse
import urllib.request

PATIENCE = 30


def visit(address):
    """What a browser does with the address: follows the redirect back to the program."""
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return answer.status


class OAuthServer:
    def __init__(self, registers=True, client=None):
        self.registers = registers        # whether clients can register themselves
        self.clients = dict([client] if client else [])  # id: secret
        self.codes, self.good, self.refresh = {}, set(), set()
        self.asked_with = {}              # refresh token: what was asked for at the login
        self.registered, self.authorized, self.granted = [], [], []
        self.calls = []                   # methods that were let in
        self.refusals = 0
        self.on_call = None
        self.lock = threading.Lock()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *words):
                pass

            def do_GET(self):
                outer.handle(self, "")

            def do_POST(self):
                outer.handle(self, self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode())

            def do_DELETE(self):
                self.reply(204)

            def reply(self, status, body=None, **headers):
                data = b"" if body is None else json.dumps(body).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                if body is not None:
                    self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.origin = f"http://127.0.0.1:{self.http.server_address[1]}"
        self.url = self.origin + "/mcp"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    def forget_access(self, refresh_too=False):
        """Tokens that were given are not good any more."""
        with self.lock:
            self.good.clear()
            if refresh_too:
                self.refresh.clear()

    def handle(self, request, body):
        path, _, query = request.path.partition("?")
        with self.lock:
            if path == "/mcp":
                return self.mcp(request, body)
            if path == "/.well-known/oauth-protected-resource/mcp":
                return request.reply(200, {"resource": self.url, "authorization_servers": [self.origin], "scopes_supported": ["read"]})
            if path == "/.well-known/oauth-authorization-server":
                return request.reply(200, self.metadata())
            if path == "/register" and self.registers:
                return self.register(request, json.loads(body))
            if path == "/authorize":
                return self.authorize(request, dict(urllib.parse.parse_qsl(query)))
            if path == "/token":
                return self.token(request, dict(urllib.parse.parse_qsl(body)))
            request.reply(404)

    def metadata(self):
        metadata = {"issuer": self.origin, "authorization_endpoint": self.origin + "/authorize", "token_endpoint": self.origin + "/token",
                    "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
                    "token_endpoint_auth_methods_supported": ["none", "client_secret_post"],
                    "authorization_response_iss_parameter_supported": True}
        if self.registers:
            metadata["registration_endpoint"] = self.origin + "/register"
        return metadata

    def register(self, request, wanted):
        id = secrets.token_hex(4)
        self.clients[id] = None
        self.registered.append(wanted)
        request.reply(201, {**wanted, "client_id": id, "token_endpoint_auth_method": "none"})

    def authorize(self, request, asked):
        self.authorized.append(asked)
        if asked.get("client_id") not in self.clients or asked.get("code_challenge_method") != "S256":
            return request.reply(400, {"error": "invalid_request"})
        code = secrets.token_hex(8)
        self.codes[code] = asked
        given_back = {"state": asked["state"]} if "state" in asked else {}
        back = urllib.parse.urlencode({"code": code, **given_back, "iss": self.origin})
        request.reply(302, Location=f"{asked['redirect_uri']}?{back}")

    def token(self, request, form):
        self.granted.append(form)
        known = form.get("client_id") in self.clients and self.clients[form["client_id"]] == form.get("client_secret")
        if form["grant_type"] == "authorization_code":
            asked = self.codes.pop(form["code"], None)
            proof = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest()).rstrip(b"=").decode()
            known = known and asked and asked["code_challenge"] == proof and asked["redirect_uri"] == form["redirect_uri"]
        else:
            known = known and form["refresh_token"] in self.refresh
            asked = self.asked_with.get(form["refresh_token"], {})
            self.refresh.discard(form.get("refresh_token"))  # each may be used once
        if not known:
            return request.reply(400, {"error": "invalid_grant"})
        access, refresh = self.make_access(asked), secrets.token_hex(8)
        self.good.add(access)
        self.refresh.add(refresh)
        self.asked_with[refresh] = asked
        request.reply(200, {"access_token": access, "token_type": "Bearer", "expires_in": 3600, "refresh_token": refresh})

    def make_access(self, asked):
        return secrets.token_hex(8)

    def mcp(self, request, body):
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token not in self.good:
            self.refusals += 1
            where = f'Bearer resource_metadata="{self.origin}/.well-known/oauth-protected-resource/mcp"'
            return request.reply(401, None, WWW_Authenticate=where)
        if request.command != "POST":
            return request.reply(405)
        message = json.loads(body)
        self.calls.append(message["method"])
        if self.on_call:
            self.on_call(message)
        if "id" not in message:
            return request.reply(202)
        request.reply(200, {"jsonrpc": "2.0", "id": message["id"], **self.answer(message)})

    @staticmethod
    def answer(message):
        if message["method"] == "initialize":
            return {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "vault", "version": "1"}}}
        if message["method"] == "tools/list":
            return {"result": {"tools": [{"name": "open_vault", "description": "what is in it", "inputSchema": {"type": "object"}}]}}
        if message["method"] == "tools/call":
            return {"result": {"content": [{"type": "text", "text": "the vault holds 4711"}]}}
        return {"error": {"code": -32601, "message": "no such method"}}
