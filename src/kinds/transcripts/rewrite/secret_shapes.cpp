#include "kinds/transcripts/rewrite/secret_shapes.h"

namespace holdfast::transcripts {
namespace {

// Where several rows fit one place the first wins, so the narrow ones stand first.
constexpr SecretShape kShapes[] = {
    {"anthropic-key", "sk-ant-", false, R"(sk-ant-[A-Za-z0-9_-]{20,})"},
    {"openrouter-key", "sk-or-", false, R"(sk-or-(?:v[0-9]-)?[A-Za-z0-9_-]{32,})"},
    {"openai-key", "sk-", false, R"(sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,}\b))"},
    {"stripe-key", "sk_", false, R"(sk_(?:live|test)_[A-Za-z0-9]{16,})"},
    {"stripe-key", "rk_", false, R"(rk_(?:live|test)_[A-Za-z0-9]{16,})"},
    {"stripe-webhook-secret", "whsec_", false, R"(whsec_[A-Za-z0-9+/]{24,}={0,2})"},
    {"github-token", "ghp_", false, R"(ghp_[A-Za-z0-9]{36,})"},
    {"github-token", "gho_", false, R"(gho_[A-Za-z0-9]{36,})"},
    {"github-token", "ghu_", false, R"(ghu_[A-Za-z0-9]{36,})"},
    {"github-token", "ghs_", false, R"(ghs_[A-Za-z0-9]{36,})"},
    {"github-token", "ghr_", false, R"(ghr_[A-Za-z0-9]{36,})"},
    {"github-token", "github_pat_", false, R"(github_pat_[A-Za-z0-9_]{40,})"},
    {"gitlab-token", "glpat-", false, R"(glpat-[A-Za-z0-9_-]{20,})"},
    {"gitlab-token", "gldt-", false, R"(gldt-[A-Za-z0-9_-]{20,})"},
    {"gitlab-token", "glrt-", false, R"(glrt-[A-Za-z0-9_-]{20,})"},
    {"gitlab-token", "glcbt-", false, R"(glcbt-[A-Za-z0-9_-]{20,})"},
    {"gitlab-token", "glptt-", false, R"(glptt-[A-Za-z0-9_-]{20,})"},
    {"gitlab-token", "glsoat-", false, R"(glsoat-[A-Za-z0-9_-]{20,})"},
    {"gitlab-token", "glagent-", false, R"(glagent-[A-Za-z0-9_-]{20,})"},
    {"aws-key-id", "AKIA", false, R"(AKIA[A-Z2-7]{16}\b)"},
    {"aws-key-id", "ASIA", false, R"(ASIA[A-Z2-7]{16}\b)"},
    {"aws-secret", "secret", true,
     R"((?i:secret_?(?:access)?_?key)[\\"']{0,4}\s{0,4}[:=]>?\s{0,4}[\\"']{0,4}([A-Za-z0-9/+]{40})\b)"},
    {"google-key", "AIza", false, R"(AIza[A-Za-z0-9_-]{35}\b)"},
    {"google-oauth-secret", "GOCSPX-", false, R"(GOCSPX-[A-Za-z0-9_-]{28})"},
    {"google-access-token", "ya29.", false, R"(ya29\.[A-Za-z0-9_-]{30,})"},
    {"slack-token", "xox", false, R"(xox[abeoprs]-(?:[0-9]-)?[A-Za-z0-9-]{20,})"},
    {"slack-token", "xapp-", false, R"(xapp-[0-9]-[A-Za-z0-9-]{20,})"},
    {"slack-webhook", "hooks.slack.com/", false, R"(hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9+/]{30,}))"},
    {"npm-token", "npm_", false, R"(npm_[A-Za-z0-9]{36}\b)"},
    {"pypi-token", "pypi-", false, R"(pypi-AgE[A-Za-z0-9_-]{50,})"},
    {"huggingface-token", "hf_", false, R"(hf_[A-Za-z0-9]{30,}\b)"},
    {"sendgrid-key", "SG.", false, R"(SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})"},
    {"digitalocean-token", "doo_v1_", false, R"(doo_v1_[a-f0-9]{64}\b)"},
    {"digitalocean-token", "dop_v1_", false, R"(dop_v1_[a-f0-9]{64}\b)"},
    {"digitalocean-token", "dor_v1_", false, R"(dor_v1_[a-f0-9]{64}\b)"},
    {"jwt", "eyJ", false, R"(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,})"},
    // Whole blocks, and blocks whose end was cut off: header lines may precede a whole line of the body, and of a body that was
    // cut short the beginning stands right below. Code that merely names the first line has no such body. Line breaks may be
    // escaped ones, and a tool that shows a file puts a line number, a quotation mark or a bar in front of each line.
    {"private-key", "-----BEGIN ", false,
     R"(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[A-Za-z0-9:,.()\s\\|>+-]|\xE2\x86\x92){0,300}?[A-Za-z0-9+/]{40}|)"
     R"((?:\s|\\+[nrt])+(?:[0-9]{1,6}(?:\xE2\x86\x92|[:|\s])\s*|[|>+]\s*)?[A-Za-z0-9+/]{16}))"
     R"((?:[0-9]:|[A-Za-z0-9+/=\s\\|>]|\xE2\x86\x92)*(?:-----END [A-Z0-9 ]{0,40}-----)?)"},
    // The number of the bot in front of it is no secret.
    {"telegram-token", ":AA", false, R"(:(AA[A-Za-z0-9_-]{33})(?:[^A-Za-z0-9_-]|$))"},
    {"authorization", "authorization", true,
     R"((?i:authorization)[\\"']{0,4}\s{0,4}[:=]\s{0,4}[\\"']{0,4}(?i:bearer|token|basic)\s{1,4}([A-Za-z0-9._~+/=-]{16,}))"},
    // password=…, "passwd": "…": a value, not a call, a place for one, or a mask.
    {"password", "passw", true,
     R"((?i:passw(?:or)?d)[\\"']{0,4}\s{0,4}[:=]\s{0,4}[\\"']{0,4}([^\s"'`,;&<>(){}\[\]\\$*%][^\s"'`,;&<>(){}\[\]\\]{5,127}))"},
    // A name in braces or behind a dollar sign is a place for a password, not one.
    {"url-password", "://", false, R"(://[^\s/:@"'`<>\\]{0,256}:([^\s/:@"'`<>\\${\[*%][^\s/:@"'`<>\\]{2,255})@)"},
};

}  // namespace

std::span<const SecretShape> secret_shapes() {
  return kShapes;
}

}  // namespace holdfast::transcripts
