#include "kinds/transcripts/rewrite/redact.h"

#include "kinds/transcripts/rewrite/secret_shapes.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <array>
#include <memory>

namespace holdfast::transcripts {
namespace {

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
    for (const SecretShape& shape : secret_shapes()) {
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
