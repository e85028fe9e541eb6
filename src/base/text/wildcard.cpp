#include "base/text/wildcard.h"

#include <array>
#include <cctype>

namespace holdfast {
namespace {

std::size_t character_length(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
  return length;
}

struct NamedSet {
  std::string_view name;
  int (*has)(int);
};
constexpr std::array<NamedSet, 12> kNamedSets = {{{"alnum", std::isalnum},
                                                  {"alpha", std::isalpha},
                                                  {"blank", std::isblank},
                                                  {"cntrl", std::iscntrl},
                                                  {"digit", std::isdigit},
                                                  {"graph", std::isgraph},
                                                  {"lower", std::islower},
                                                  {"print", std::isprint},
                                                  {"punct", std::ispunct},
                                                  {"space", std::isspace},
                                                  {"upper", std::isupper},
                                                  {"xdigit", std::isxdigit}}};

// "[:digit:]" at the front of a set's inside: its length, 0 when there is none.
std::size_t match_named_set(std::string_view inside, std::string_view character, bool& fits) {
  for (const auto& [name, has] : kNamedSets) {
    if (!inside.starts_with("[:") || inside.substr(2, name.size()) != name || inside.substr(2 + name.size(), 2) != ":]") continue;
    if (character.size() == 1 && has(static_cast<unsigned char>(character[0])) != 0) fits = true;
    return name.size() + 4;
  }
  return 0;
}

// One character of a set, behind its '\' when it has one.
std::string_view take_member(std::string_view pattern, std::size_t& at) {
  if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
  const std::string_view member = pattern.substr(at, character_length(pattern.substr(at)));
  at += member.size();
  return member;
}

// The set at the front of the pattern, which begins with '[', against a character. Its length, 0 when it is not closed.
// Bytes of UTF-8 are ordered as its characters are.
std::size_t match_set(std::string_view pattern, std::string_view character, bool& fits) {
  std::size_t at = 1;
  const bool inverted = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (inverted) ++at;
  fits = false;
  for (const std::size_t first = at; at < pattern.size();) {
    if (pattern[at] == ']' && at != first) {
      fits = fits != inverted;
      return at + 1;
    }
    if (const std::size_t named = match_named_set(pattern.substr(at), character, fits); named != 0) {
      at += named;
      continue;
    }
    const std::string_view low = take_member(pattern, at);
    std::string_view high = low;
    if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') high = take_member(pattern, ++at);
    if (low <= character && character <= high) fits = true;
  }
  return 0;
}

// Whether the first character of the pattern takes the character; `length` gets what it is long.
bool match_one(std::string_view pattern, std::string_view character, std::size_t& length) {
  length = 1;
  if (pattern[0] == '?') return true;
  if (pattern[0] == '[') {
    bool fits = false;
    if (const std::size_t set = match_set(pattern, character, fits); set != 0) {
      length = set;
      return fits;
    }
  }
  const std::size_t escape = pattern[0] == '\\' && pattern.size() > 1 ? 1 : 0;
  length = escape + character.size();
  return pattern.substr(escape).starts_with(character);
}

bool matches_general(std::string_view pattern, std::string_view name) {
  std::size_t at = 0, in = 0;
  std::size_t star = pattern.npos, resume = 0;  // the last '*', and how far it had reached
  while (in < name.size()) {
    const std::string_view character = name.substr(in, character_length(name.substr(in)));
    std::size_t length = 0;
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      resume = in;
    } else if (at < pattern.size() && match_one(pattern.substr(at), character, length)) {
      at += length;
      in += character.size();
    } else if (star != pattern.npos) {
      at = star + 1;
      resume += character_length(name.substr(resume));
      in = resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == pattern.npos;
}

constexpr std::string_view kCharacters = "*?[\\";

// Without the first name, and without the '/' behind it.
std::string_view without_first(std::string_view path) {
  const std::size_t slash = path.find('/');
  return slash == path.npos ? std::string_view() : path.substr(slash + 1);
}

}  // namespace

Wildcard::Wildcard(std::string_view pattern) : text_(pattern) {
  const bool plain = pattern.find_first_of(kCharacters) == pattern.npos;
  if (pattern == "**") {
    kind_ = Kind::any_folders;
  } else if (plain) {
    kind_ = Kind::literal;
  } else if (pattern.starts_with('*') && pattern.find_first_of(kCharacters, 1) == pattern.npos) {
    kind_ = Kind::suffix;
    text_.erase(0, 1);
  } else if (pattern.ends_with('*') && pattern.find_first_of(kCharacters) == pattern.size() - 1) {
    kind_ = Kind::prefix;
    text_.pop_back();
  }
}

bool Wildcard::matches(std::string_view name) const {
  switch (kind_) {
    case Kind::literal:
      return name == text_;
    case Kind::prefix:
      return name.starts_with(text_);
    case Kind::suffix:
      return name.ends_with(text_);
    case Kind::any_folders:
      return true;
    case Kind::general:
      break;
  }
  return matches_general(text_, name);
}

std::vector<Wildcard> compile_path_wildcard(std::string_view pattern) {
  std::vector<Wildcard> names;
  for (; !pattern.empty(); pattern = without_first(pattern))
    if (const std::string_view name = pattern.substr(0, pattern.find('/')); !name.empty()) names.emplace_back(name);
  return names;
}

// The same idea as for one name: the last "**" is where we come back to, and it takes one name more each time.
bool matches_path(const std::vector<Wildcard>& pattern, std::string_view path) {
  std::size_t at = 0;
  std::size_t star = pattern.size();
  std::string_view resume;
  while (!path.empty()) {
    if (at < pattern.size() && pattern[at].is_any_folders()) {
      star = at++;
      resume = path;
    } else if (at < pattern.size() && pattern[at].matches(path.substr(0, path.find('/')))) {
      ++at;
      path = without_first(path);
    } else if (star != pattern.size()) {
      at = star + 1;
      path = resume = without_first(resume);
    } else {
      return false;
    }
  }
  return at == pattern.size();
}

bool matches_wildcard(std::string_view pattern, std::string_view name) {
  return matches_general(pattern, name);
}

}  // namespace holdfast
