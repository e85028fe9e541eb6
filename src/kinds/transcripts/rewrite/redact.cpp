#include "kinds/transcripts/rewrite/redact.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <array>
#include <memory>
#include <string_view>

namespace holdfast::transcripts {

namespace {

// The credentials we know by their looks. Only shapes that carry their own proof (a vendor's prefix and length, a name in front
// of the value) are here: a guess by entropy would mask hashes, ids and images, which transcripts are full of.
//
// A shape is added by adding a row.
struct SecretShape {
  std::string_view name;  // stands in the mask: "[redacted:github-token]"
  // How it begins: what the fast search looks for. Exactly these bytes, not inside a word; or, for a name that stands in front of
  // the value ("AWS_SECRET_ACCESS_KEY=..."), letters of either case anywhere.
  std::string_view begins;
  bool is_name = false;
  // RE2, matched from where `begins` was found. Group 1, when there is one, is what gets masked, else the whole match. No pattern
  // may read past the beginning of the next candidate without consuming it: that is what keeps the search linear.
  std::string_view pattern;
};

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

// The characters that keys are made of; '-' is one of them, so that a run of them holds one candidate and not many.
bool is_key_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// "task-..." is no "sk-...". But text inside a text has escapes: in "\nsk-..." the key does begin.
bool is_inside_word(std::string_view text, std::size_t at) {
  if (at == 0 || !is_key_byte(text[at]) || text[at] == '-' || !is_key_byte(text[at - 1])) return false;
  const char before = text[at - 1];
  return at < 2 || text[at - 2] != '\\' || (before != 'n' && before != 't' && before != 'r');
}

struct CompiledShape {
  const SecretShape* shape;
  std::unique_ptr<re2::RE2> pattern;
};

// Two searches: one automaton for the beginnings of all shapes runs over the text, and only where it stops are the shapes asked.
class ShapeSearch {
 public:
  ShapeSearch() {
    std::string beginnings;
    for (const SecretShape& shape : kShapes) {
      CompiledShape compiled{&shape, std::make_unique<re2::RE2>(re2::StringPiece(shape.pattern), options())};
      by_first_[index(shape.begins[0])].push_back(std::move(compiled));
      beginnings += fmt::format("{}(?{}:{})", beginnings.empty() ? "" : "|", shape.is_name ? "i" : "-i",
                                re2::RE2::QuoteMeta(re2::StringPiece(shape.begins)));
    }
    beginnings_ = std::make_unique<re2::RE2>(beginnings, options());
  }

  // The first candidate at or behind `from`; npos when there is none.
  std::size_t candidate(std::string_view text, std::size_t from) const {
    re2::StringPiece found;
    const bool any = beginnings_->Match(re2::StringPiece(text), from, text.size(), re2::RE2::UNANCHORED, &found, 1);
    return any ? static_cast<std::size_t>(found.data() - text.data()) : std::string_view::npos;
  }

  // The secret that begins at `at`; its `to` is 0 when there is none.
  Secret secret_at(std::string_view text, std::size_t at) const {
    const bool inside_word = is_inside_word(text, at);
    for (const CompiledShape& compiled : by_first_[index(text[at])]) {
      if (inside_word && !compiled.shape->is_name) continue;
      std::array<re2::StringPiece, 2> found;
      const int groups = 1 + compiled.pattern->NumberOfCapturingGroups();
      if (!compiled.pattern->Match(re2::StringPiece(text), at, text.size(), re2::RE2::ANCHOR_START, found.data(), groups))
        continue;
      const re2::StringPiece& secret = found[static_cast<std::size_t>(groups - 1)];
      const auto from = static_cast<std::size_t>(secret.data() - text.data());
      return {from, from + secret.size(), compiled.shape->name};
    }
    return {};
  }

 private:
  static re2::RE2::Options options() {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_encoding(re2::RE2::Options::EncodingLatin1);  // bytes: texts need not be UTF-8
    return options;
  }
  static std::size_t index(char c) { return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

  std::array<std::vector<CompiledShape>, 256> by_first_;
  std::unique_ptr<re2::RE2> beginnings_;
};

const ShapeSearch& search() {
  static const ShapeSearch search;
  return search;
}

}  // namespace

std::vector<Secret> find_secrets(std::string_view text) {
  std::vector<Secret> found;
  for (std::size_t at = search().candidate(text, 0); at != std::string_view::npos;) {
    const Secret secret = search().secret_at(text, at);
    if (secret.to > 0) found.push_back(secret);
    at = search().candidate(text, secret.to > 0 ? secret.to : at + 1);
  }
  return found;
}

std::string redact(std::string_view text, std::uint64_t* count) {
  const std::vector<Secret> secrets = find_secrets(text);
  if (count) *count += secrets.size();
  std::string out;
  std::size_t copied = 0;
  for (const Secret& secret : secrets) {
    out += text.substr(copied, secret.from - copied);
    out += fmt::format("[redacted:{}]", secret.shape);
    copied = secret.to;
  }
  out += text.substr(copied);
  return out;
}

}  // namespace holdfast::transcripts
