#include "store/sqlite/search/words.h"

#include "base/text/text.h"

#include <algorithm>
#include <span>

namespace holdfast::store {

namespace {

enum class Character { separator, part_of_word, word_by_itself };

struct Decoded {
  char32_t character = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

Decoded decode_first(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t size = first < 0x80                    ? 1
                           : first >= 0xc2 && first < 0xe0 ? 2
                           : first >= 0xe0 && first < 0xf0 ? 3
                           : first >= 0xf0 && first < 0xf5 ? 4
                                                           : 0;
  if (size == 0 || size > text.size()) return {};
  if (size == 1) return {first, 1, true};
  char32_t character = first & (0x7f >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    character = character << 6 | (byte(i) & 0x3f);
  }
  return {character, size, true};
}

struct Range {
  char32_t first;
  char32_t last;
};

// Blanks, punctuation and symbols outside of ASCII. Not complete: a character that is missing here is merely
// taken for a letter, by the index and by the question alike.
constexpr Range kSeparators[] = {{0x80, 0xa9},     {0xab, 0xb1},     {0xb4, 0xb4},     {0xb6, 0xb8},     {0xbb, 0xbb},
                                 {0xbf, 0xbf},     {0xd7, 0xd7},     {0xf7, 0xf7},     {0x37e, 0x37e},   {0x1fef, 0x1fef},
                                 {0x2000, 0x206f}, {0x20a0, 0x20cf}, {0x2190, 0x245f}, {0x2500, 0x2bff}, {0x2e00, 0x2e7f},
                                 {0x3000, 0x3004}, {0x3008, 0x3020}, {0xfe10, 0xfe1f}, {0xfe30, 0xfe6f}, {0xff00, 0xff0f},
                                 {0xff1a, 0xff20}, {0xff3b, 0xff40}, {0xff5b, 0xff65}};

// Written without blanks between words.
constexpr Range kByThemselves[] = {{0x0e00, 0x0eff}, {0x1000, 0x109f}, {0x1780, 0x17ff},  {0x3005, 0x3007},
                                   {0x3021, 0x30ff}, {0x31f0, 0x31ff}, {0x3400, 0x4dbf},  {0x4e00, 0x9fff},
                                   {0xf900, 0xfaff}, {0xff66, 0xff9f}, {0x20000, 0x3ffff}};

bool is_in(char32_t character, std::span<const Range> ranges) {
  return std::ranges::any_of(ranges, [&](const Range& range) { return character >= range.first && character <= range.last; });
}

bool is_ascii_word(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

Character classify(char32_t character) {
  if (character < 0x80)
    return is_ascii_word(static_cast<unsigned char>(character)) ? Character::part_of_word : Character::separator;
  if (is_in(character, kByThemselves)) return Character::word_by_itself;
  return is_in(character, kSeparators) ? Character::separator : Character::part_of_word;
}

void put_word(std::string& out, std::string_view word, bool ascii) {
  word = utf8_prefix(word, kMaxWordBytes);
  out.push_back(' ');
  if (!ascii) {
    out += fold_case(word);
    return;
  }
  for (char c : word) out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c);
}

template <class OnWord>
void cut(std::string_view text, OnWord&& on_word) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = at;
    bool ascii = true;
    while (at < text.size()) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte < 0x80) {
        if (!is_ascii_word(byte)) break;
        ++at;
        continue;
      }
      const Decoded next = decode_first(text.substr(at));
      if (!next.valid || classify(next.character) != Character::part_of_word) break;
      ascii = false;
      at += next.bytes;
    }
    if (at > start) on_word(start, text.substr(start, at - start), ascii);
    if (at >= text.size()) return;
    const Decoded next = decode_first(text.substr(at));
    if (next.valid && classify(next.character) == Character::word_by_itself) on_word(at, text.substr(at, next.bytes), false);
    at += next.bytes;
  }
}

}  // namespace

std::string words_of(std::string_view text) {
  std::string words;
  words.reserve(text.size() + text.size() / 8 + 2);
  cut(text, [&](std::size_t, std::string_view word, bool ascii) { put_word(words, word, ascii); });
  if (!words.empty()) words.push_back(' ');
  return words;
}

std::string words_of(std::string_view text, std::vector<WordPlace>& places) {
  std::string words;
  cut(text, [&](std::size_t at, std::string_view word, bool ascii) {
    places.push_back({words.size() + 1, at});
    put_word(words, word, ascii);
  });
  if (!words.empty()) words.push_back(' ');
  return words;
}

WordQuery::WordQuery(std::string_view text) {
  while (!text.empty()) {
    if (text.front() == ' ' || text.front() == '\t' || text.front() == '\n' || text.front() == '\r') {
      text.remove_prefix(1);
    } else if (text.front() == '"') {
      text.remove_prefix(1);
      const std::size_t end = std::min(text.find('"'), text.size());
      add(text.substr(0, end), false);
      text.remove_prefix(std::min(end + 1, text.size()));
    } else {
      const std::size_t end = std::min(text.find_first_of(" \t\n\r\""), text.size());
      add(text.substr(0, end), end == text.size());
      text.remove_prefix(end);
    }
  }
}

void WordQuery::add(std::string_view text, bool may_be_prefix) {
  std::string words = words_of(text);
  if (words.empty()) return;
  // A prefix of one or two letters would unite the lists of half the dictionary.
  constexpr std::size_t kMinPrefixBytes = 3;
  const std::size_t last_word = words.size() - 1 - (words.rfind(' ', words.size() - 2) + 1);
  const bool prefix = may_be_prefix && last_word >= kMinPrefixBytes && last_word < kMaxWordBytes;
  if (prefix) words.pop_back();
  terms_.push_back({std::move(words), prefix});
}

bool WordQuery::matches(std::string_view words) const {
  return !terms_.empty() && std::ranges::all_of(terms_, [&](const Term& term) { return words.contains(term.words); });
}

std::size_t WordQuery::first_match(std::string_view words) const {
  std::size_t first = std::string_view::npos;
  for (const Term& term : terms_) first = std::min(first, words.find(term.words));
  return first;
}

std::string WordQuery::fts_expression() const {
  return store::fts_expression(terms_);
}

std::string fts_expression(const std::vector<WordQuery::Term>& terms) {
  std::string out;
  for (const WordQuery::Term& term : terms) {
    if (!out.empty()) out += ' ';
    out += '"';
    for (char c : term.words) out.append(c == '"' ? 2 : 1, c);
    out += '"';
    if (term.prefix) out += " *";
  }
  return out;
}

std::string snippet_of(std::string_view text, const WordQuery& query) {
  std::vector<WordPlace> places;
  const std::string words = words_of(text, places);
  std::size_t at = 0;
  if (const std::size_t match = query.first_match(words); match != std::string::npos) {
    // The match begins with the blank before its word.
    const auto place = std::ranges::lower_bound(places, match, {}, &WordPlace::in_words);
    if (place != places.end()) at = place->in_text;
  }
  // A third of the snippet stands before the match. One character has at most four bytes.
  constexpr std::size_t kBefore = kSnippetChars / 3;
  std::size_t begin = at;
  for (std::size_t characters = 0; begin > 0 && characters < kBefore; ++characters) {
    do --begin;
    while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80);
  }
  std::string window = to_valid_utf8(text.substr(begin, kSnippetChars * 4));
  std::string line = begin > 0 ? "…" : "";
  for (char c : window) {
    const bool blank = static_cast<unsigned char>(c) < 0x20 || c == ' ';
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  return shorten(line, kSnippetChars);
}

}  // namespace holdfast::store
