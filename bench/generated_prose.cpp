#include "generated_prose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace holdfast::bench {
namespace {

constexpr std::size_t kWords = 40'000, kPhrases = 30'000, kChineseWords = 8'000, kRanks = 1 << 18;

constexpr const char* kCommon[] = {
    "the",    "to",      "a",          "is",     "in",     "of",      "and",     "that",    "it",      "this",     "for",
    "with",   "file",    "on",         "be",     "not",    "we",      "as",      "I",       "are",     "test",     "if",
    "from",   "error",   "function",   "line",   "use",    "by",      "code",    "an",      "when",    "value",    "or",
    "has",    "have",    "should",     "can",    "now",    "let",     "me",      "check",   "but",     "at",       "all",
    "was",    "will",    "run",        "so",     "need",   "the",     "new",     "data",    "type",    "return",   "server",
    "one",    "which",   "there",      "only",   "path",   "name",    "session", "build",   "request", "config",   "version",
    "output", "failed",  "string",     "first",  "would",  "no",      "result",  "change",  "add",     "do",       "its",
    "they",   "then",    "here",       "read",   "write",  "default", "case",    "message", "object",  "model",    "client",
    "key",    "set",     "list",       "index",  "user",   "process", "thread",  "after",   "before",  "because",  "cache",
    "retry",  "timeout", "connection", "module", "import", "class",   "public",  "static",  "const",   "database", "query",
    "table",  "column",  "token",      "header", "schema", "handler", "parser",  "buffer",  "stream",  "socket"};
constexpr const char* kSyllables[] = {"ta",  "re", "mo", "ni", "ka",  "lu",  "se",  "pro", "con", "ter",
                                      "ing", "al", "de", "st", "or",  "un",  "ver", "is",  "qua", "bi",
                                      "fe",  "go", "ha", "jo", "pen", "dra", "col", "mit", "sy",  "ent"};
constexpr const char* kLevels[] = {"INFO", "DEBUG", "WARN", "ERROR", "INFO", "DEBUG"};
constexpr const char* kErrors[] = {"ECONNRESET", "ETIMEDOUT", "ENOENT", "EACCES", "EPIPE", "SIGSEGV"};
constexpr const char* kEndings[] = {"cpp", "h", "py", "ts", "js", "md", "json", "go"};

std::string utf8_of(std::uint32_t code_point) {
  return {static_cast<char>(0xE0 | (code_point >> 12)), static_cast<char>(0x80 | ((code_point >> 6) & 0x3F)),
          static_cast<char>(0x80 | (code_point & 0x3F))};
}

}  // namespace

Prose::Prose(std::uint64_t seed) {
  Draw draw(seed);
  for (const char* common : kCommon) words_.emplace_back(common);
  while (words_.size() < kWords) {
    std::string word;
    for (std::uint64_t syllables = draw.between(2, 4); syllables > 0; --syllables)
      word += kSyllables[draw.below(std::size(kSyllables))];
    words_.push_back(std::move(word));
  }
  ranks_.reserve(kRanks);
  for (std::size_t i = 0; i < kRanks; ++i) {
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(kRanks);
    ranks_.push_back(static_cast<std::uint32_t>(std::pow(static_cast<double>(kWords), share)) - 1);
  }
  for (std::size_t i = 0; i < kPhrases; ++i) {
    std::string phrase;
    for (std::uint64_t count = draw.between(2, 7); count > 0; --count) (phrase += word(draw)) += ' ';
    phrase.pop_back();
    phrases_.push_back(std::move(phrase));
  }
  for (std::size_t i = 0; i < kChineseWords; ++i) {
    std::string word;
    for (std::uint64_t characters = draw.between(1, 3); characters > 0; --characters)
      word += utf8_of(static_cast<std::uint32_t>(0x4E00 + std::min(draw.below(0x51A0), draw.below(0x51A0))));
    chinese_words_.push_back(std::move(word));
  }
}

std::string_view Prose::word(Draw& draw) const {
  return words_[ranks_[draw.next() >> 46]];
}

void Prose::sentence(Draw& draw, std::string& to) const {
  for (std::uint64_t parts = draw.between(3, 9); parts > 0; --parts) {
    const std::uint64_t kind = draw.below(100);
    if (kind < 40)
      to += phrases_[ranks_[draw.next() >> 46] % phrases_.size()];
    else if (kind < 92)
      for (std::uint64_t count = draw.between(1, 4); count > 0; --count) {
        to += word(draw);
        if (count > 1) to += ' ';
      }
    else if (kind < 96)
      ((to += '`') += identifier(draw)) += '`';
    else if (kind < 98)
      to += path(draw);
    else
      to += std::to_string(draw.below(5000));
    to += parts == 1 ? ". " : draw.chance(12) ? ", " : " ";
  }
}

void Prose::paragraph(Draw& draw, std::size_t words, std::string& to) const {
  if (draw.chance(4)) return chinese(draw, words, to);
  const std::size_t end = to.size() + words * 6;
  while (to.size() < end) {
    sentence(draw, to);
    if (draw.chance(20)) to += draw.chance(30) ? "\n\n- " : "\n\n";
  }
}

void Prose::chinese(Draw& draw, std::size_t characters, std::string& to) const {
  const std::size_t end = to.size() + characters * 3;
  while (to.size() < end) {
    to += chinese_words_[ranks_[draw.next() >> 46] % chinese_words_.size()];
    if (draw.chance(8)) to += "，";
    if (draw.chance(4)) to += "。";
    if (draw.chance(2)) ((to += ' ') += identifier(draw)) += ' ';
  }
}

std::string Prose::identifier(Draw& draw) const {
  std::string name;
  const bool camel = draw.chance(40);
  for (std::uint64_t parts = draw.between(2, 3), i = 0; i < parts; ++i) {
    std::string part(word(draw));
    if (camel && part[0] >= 'a') part[0] = static_cast<char>(part[0] - 'a' + 'A');
    if (!camel && i > 0) name += '_';
    name += part;
  }
  return name;
}

std::string Prose::path(Draw& draw) const {
  std::string path = "src";
  for (std::uint64_t parts = draw.between(1, 3); parts > 0; --parts) (path += '/') += word(draw);
  return path + '_' + std::string(word(draw)) + '.' + kEndings[draw.below(std::size(kEndings))];
}

void Prose::code(Draw& draw, std::size_t lines, std::string& to) const {
  std::vector<std::string> names;
  for (int i = 0; i < 12; ++i) names.push_back(identifier(draw));
  const auto name = [&]() -> const std::string& { return names[draw.below(names.size())]; };
  for (; lines > 0; --lines) {
    to.append(draw.below(4) * 2, ' ');
    switch (draw.below(9)) {
      case 0:
        to += fmt::format("if ({}.{}() == {}) {{", name(), word(draw), draw.below(100));
        break;
      case 1:
        to += fmt::format("const auto {} = {}({}, \"{}\");", name(), name(), name(), word(draw));
        break;
      case 2:
        to += fmt::format("return {}->{}[{}];", name(), name(), word(draw));
        break;
      case 3:
        (to += "// ") += phrases_[draw.below(phrases_.size())];
        break;
      case 4:
        to += "}";
        break;
      case 5:
        to += fmt::format("#include \"{}\"", path(draw));
        break;
      case 6:
        to += fmt::format("{}::{}<{}> {};", word(draw), name(), word(draw), name());
        break;
      case 7:
        to += fmt::format("def {}(self, {}: {} = None):", name(), word(draw), word(draw));
        break;
      default:
        to += fmt::format("{} += {} * 0x{};", name(), name(), hex(draw, 4));
    }
    to += '\n';
  }
}

void Prose::log(Draw& draw, std::size_t lines, std::string& to) const {
  for (; lines > 0; --lines) {
    to += fmt::format("2026-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z {} [{}] ", draw.between(1, 12), draw.between(1, 28),
                      draw.below(24), draw.below(60), draw.below(60), draw.below(1000), kLevels[draw.below(std::size(kLevels))],
                      word(draw));
    switch (draw.below(4)) {
      case 0:
        to += fmt::format("{} took {} ms id={}\n", identifier(draw), draw.below(4000), hex(draw, 12));
        break;
      case 1:
        to += fmt::format("{}:{}: error E{:04}: {}\n", path(draw), draw.below(900), draw.below(900),
                          phrases_[draw.below(phrases_.size())]);
        break;
      case 2:
        to += fmt::format("{}: {} 10.0.{}.{}:{}\n", kErrors[draw.below(std::size(kErrors))], word(draw), draw.below(256),
                          draw.below(256), draw.below(65536));
        break;
      default:
        (to += phrases_[ranks_[draw.next() >> 46] % phrases_.size()]) += '\n';
    }
  }
}

std::string Prose::hex(Draw& draw, std::size_t digits) {
  std::string text(digits, '0');
  for (char& digit : text) digit = "0123456789abcdef"[draw.next() >> 60];
  return text;
}

std::string Prose::base64(Draw& draw, std::size_t bytes) {
  std::string text(bytes, 'A');
  for (char& character : text) character = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[draw.next() >> 58];
  return text;
}

}  // namespace holdfast::bench
