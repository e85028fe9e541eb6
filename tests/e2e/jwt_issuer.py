"""An authorization server whose access tokens are signed (RFC 9068), for a server that checks them by its published keys.

Keys are made and used by the openssl program; what is wrong with a token is for the test to choose (`token`).
"""
import base64
import hashlib
import hmac
import json
import pathlib
import subprocess
import time

from oauth_server import OAuthServer


def encoded(data):
    return base64.urlsafe_b64encode(data if isinstance(data, bytes) else json.dumps(data).encode()).rstrip(b"=").decode()


def openssl(*words, input=b""):
    return subprocess.run(["openssl", *words], input=input, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, timeout=60).stdout


class Key:
    """One of RS256, ES256, EdDSA."""

    def __init__(self, folder, kid, algorithm):
        self.kid, self.algorithm = kid, algorithm
        self.file = str(pathlib.Path(folder) / f"{kid}.pem")
        kind = {"RS256": ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"], "ES256": ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
                "EdDSA": ["ED25519"]}[algorithm]
        openssl("genpkey", "-algorithm", *kind, "-out", self.file)
        self.public = openssl("pkey", "-in", self.file, "-pubout", "-outform", "DER")

    def jwk(self):
        own = {"kid": self.kid, "use": "sig", "alg": self.algorithm}
        if self.algorithm == "RS256":
            modulus = openssl("rsa", "-in", self.file, "-noout", "-modulus").decode().strip().split("=")[1]
            return {**own, "kty": "RSA", "n": encoded(bytes.fromhex(modulus)), "e": "AQAB"}
        if self.algorithm == "ES256":
            return {**own, "kty": "EC", "crv": "P-256", "x": encoded(self.public[-64:-32]), "y": encoded(self.public[-32:])}
        return {**own, "kty": "OKP", "crv": "Ed25519", "x": encoded(self.public[-32:])}

    def sign(self, data):
        if self.algorithm == "EdDSA":
            plain = pathlib.Path(self.file + ".data")
            plain.write_bytes(data)
            return openssl("pkeyutl", "-sign", "-inkey", self.file, "-rawin", "-in", str(plain))
        signature = openssl("dgst", "-sha256", "-sign", self.file, input=data)
        if self.algorithm == "RS256":
            return signature
        numbers, at = [], 2  # SEQUENCE of two INTEGERs, each with its length
        for _ in range(2):
            size = signature[at + 1]
            numbers.append(signature[at + 2:at + 2 + size].lstrip(b"\0").rjust(32, b"\0"))
            at += 2 + size
        return b"".join(numbers)


class JwtIssuer(OAuthServer):
    def __init__(self, folder, **options):
        self.keys = [Key(folder, f"key-{algorithm}", algorithm) for algorithm in ("RS256", "ES256", "EdDSA")]
        self.published = list(self.keys)
        self.stranger = Key(folder, "stranger", "RS256")
        self.subject = "ann"  # whose tokens are made
        self.grants = []      # the scopes that the next logins get at most; afterwards all that are asked for
        self.key_requests = 0
        super().__init__(**options)

    def metadata(self):
        return {**super().metadata(), "jwks_uri": self.origin + "/keys", "scopes_supported": ["read", "write", "review"]}

    def handle(self, request, body):
        if request.path == "/keys":
            self.key_requests += 1
            return request.reply(200, {"keys": [key.jwk() for key in self.published]})
        super().handle(request, body)

    def make_access(self, asked):
        wanted = (asked or {}).get("scope", "").split()
        most = self.grants.pop(0) if self.grants else wanted
        scopes = [scope for scope in wanted if scope in most]
        return self.token(audience=(asked or {}).get("resource"), scope=" ".join(scopes))

    def token(self, *request_and_form, audience=None, scope="read write", key=None, kid=None, header=None, **claims):
        """A request to /token, or a token with these claims; None leaves one out."""
        if request_and_form:
            return super().token(*request_and_form)
        key = key or self.keys[1]
        now = int(time.time())
        payload = {"iss": self.origin, "aud": audience, "sub": self.subject, "exp": now + 600, "iat": now, "scope": scope, **claims}
        head = {"alg": key.algorithm, "typ": "at+jwt", "kid": kid or key.kid, **(header or {})}
        text = encoded(head) + "." + encoded({name: value for name, value in payload.items() if value is not None})
        if head["alg"] == "none":
            return text + "."
        if head["alg"] == "HS256":  # the public key taken for a shared secret
            pem = openssl("pkey", "-in", key.file, "-pubout")
            return text + "." + encoded(hmac.new(pem, text.encode(), hashlib.sha256).digest())
        return text + "." + encoded(key.sign(text.encode()))
