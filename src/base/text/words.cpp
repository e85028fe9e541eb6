#include "base/text/words.h"

#include "base/text/text.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace holdfast {
namespace {

enum Class : std::uint8_t { kSeparator = 0, kLower = 1, kUpper = 2, kDigit = 4, kUnderscore = 8, kBeyondAscii = 16 };

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<std::size_t>(c)] = kLower;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<std::size_t>(c)] = kUpper;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<std::size_t>(c)] = kDigit;
  classes['_'] = kUnderscore;
  for (std::size_t c = 128; c < 256; ++c) classes[c] = kBeyondAscii;
  return classes;
}();

std::uint8_t class_of(char c) {
  return kClasses[static_cast<unsigned char>(c)];
}

// A name in capitals, underscores or both. Parts begin after an underscore, at a capital after a small letter or digit, and at
// the last capital of several before a small letter: HTTPServer.
void give_identifier(std::string_view run, WordSink& sink) {
  std::array<char, kMaxWordBytes> joined;
  std::array<std::size_t, kMaxWordParts + 1> starts;
  std::size_t size = 0, parts = 0;
  std::uint8_t before = kUnderscore;
  for (std::size_t i = 0; i < run.size() && size < joined.size(); ++i) {
    const std::uint8_t now = class_of(run[i]);
    if (now != kUnderscore) {
      const bool last_capital = now == kUpper && before == kUpper && i + 1 < run.size() && class_of(run[i + 1]) == kLower;
      const bool begins = before == kUnderscore || (now == kUpper && before != kUpper) || last_capital;
      if (begins && parts <= kMaxWordParts) starts[parts] = size;
      if (begins) ++parts;
      joined[size++] = now == kUpper ? static_cast<char>(run[i] | 0x20) : run[i];
    }
    before = now;
  }
  if (size == 0) return;
  const std::string_view whole(joined.data(), size);
  sink.word(whole);
  if (parts < 2 || parts > kMaxWordParts) return;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t end = part + 1 < parts ? starts[part + 1] : size;
    if (end - starts[part] > 1) sink.word(whole.substr(starts[part], end - starts[part]));  // single letters say nothing
  }
}

void give_ascii(std::string_view run, std::uint8_t seen, WordSink& sink) {
  if (seen & (kUpper | kUnderscore))
    give_identifier(run, sink);
  else
    sink.word(run.substr(0, kMaxWordBytes));
}

enum class Character { none, word, pair };

Character character_of(utf8proc_int32_t c) {
  const bool without_blanks = (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) ||
                              (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF66 && c <= 0xFF9F) ||
                              (c >= 0x20000 && c <= 0x3FFFF);
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return without_blanks ? Character::pair : Character::word;
    default:
      return Character::none;
  }
}

std::size_t length_of_first(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  return std::min<std::size_t>(text.size(), lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4);
}

void give_pairs(std::string_view run, WordSink& sink) {
  const std::string folded = fold_case(run);
  std::string_view rest = folded;
  std::size_t first = length_of_first(rest);
  if (first == rest.size()) return sink.word(rest);
  while (first < rest.size()) {
    const std::size_t second = length_of_first(rest.substr(first));
    sink.word(rest.substr(0, first + second));
    rest.remove_prefix(first);
    first = second;
  }
}

void give_folded(std::string_view run, WordSink& sink) {
  std::uint8_t seen = 0;
  for (const char c : run) seen |= class_of(c);
  if (!(seen & kBeyondAscii)) return give_ascii(run, seen, sink);
  // Folding may lengthen a text, never to less than a third of the characters: what is cut away here would be cut away below.
  const std::string folded = fold_case(utf8_prefix(run, 4 * kMaxWordBytes));
  const std::string_view word = utf8_prefix(folded, kMaxWordBytes);
  if (!word.empty()) sink.word(word);
}

// A run that is not ASCII alone: letters and separators beyond it are told apart character by character.
void give_run(std::string_view run, WordSink& sink) {
  std::size_t begin = 0;
  Character kind = Character::none;
  const auto end_at = [&](std::size_t end) {
    if (kind == Character::word) give_folded(run.substr(begin, end - begin), sink);
    if (kind == Character::pair) give_pairs(run.substr(begin, end - begin), sink);
  };
  for (std::size_t at = 0; at < run.size();) {
    utf8proc_int32_t character = -1;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(run.data() + at),
                                         static_cast<utf8proc_ssize_t>(run.size() - at), &character);
    const Character now = length <= 0 ? Character::none : character_of(character);
    if (now != kind) {
      end_at(at);
      begin = at;
      kind = now;
    }
    at += length <= 0 ? 1 : static_cast<std::size_t>(length);
  }
  end_at(run.size());
}

class Collect final : public WordSink {
 public:
  void word(std::string_view folded) override { words.emplace_back(folded); }
  std::vector<std::string> words;
};

// Sorted.
constexpr auto kStopWords = std::to_array<std::string_view>(
    {"a",    "about",  "above", "after",  "again", "all",    "also",    "am",   "an",    "and",   "any",   "are",   "as",
     "at",   "be",     "been",  "before", "being", "below",  "between", "both", "but",   "by",    "can",   "could", "did",
     "do",   "does",   "doing", "don",    "down",  "during", "each",    "etc",  "few",   "for",   "from",  "had",   "has",
     "have", "having", "he",    "her",    "here",  "hers",   "him",     "his",  "how",   "i",     "if",    "in",    "into",
     "is",   "it",     "its",   "just",   "ll",    "me",     "might",   "more", "most",  "must",  "my",    "no",    "nor",
     "not",  "now",    "of",    "off",    "on",    "once",   "only",    "or",   "other", "our",   "ours",  "out",   "over",
     "own",  "re",     "s",     "same",   "shall", "she",    "should",  "so",   "some",  "such",  "t",     "than",  "that",
     "the",  "their",  "them",  "then",   "there", "these",  "they",    "this", "those", "to",    "too",   "under", "until",
     "up",   "us",     "ve",    "very",   "was",   "we",     "were",    "what", "when",  "where", "which", "while", "who",
     "whom", "why",    "will",  "with",   "would", "you",    "your",    "yours"});
static_assert(std::ranges::is_sorted(kStopWords));

}  // namespace

void scan_words(std::string_view text, WordSink& sink) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::uint8_t seen = class_of(*at);
    const char* const begin = at++;
    if (seen == kSeparator) continue;
    for (std::uint8_t now = 0; at != end && (now = class_of(*at)) != kSeparator; ++at) seen |= now;
    const std::string_view run(begin, static_cast<std::size_t>(at - begin));
    if (seen & kBeyondAscii)
      give_run(run, sink);
    else
      give_ascii(run, seen, sink);
  }
}

std::vector<std::string> words_of(std::string_view text) {
  Collect collect;
  scan_words(text, collect);
  return std::move(collect.words);
}

bool is_stop_word(std::string_view word) {
  return std::ranges::binary_search(kStopWords, word);
}

}  // namespace holdfast
