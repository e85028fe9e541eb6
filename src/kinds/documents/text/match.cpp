#include "kinds/documents/text/match.h"

#include "kinds/documents/text/tokens.h"

#include <array>

namespace holdfast::documents {

namespace {

// A text in which alike spellings are one, and where each of its bytes came from.
struct Folded {
  std::string text;
  std::vector<std::size_t> origin;  // one more than text has bytes
};

struct Spelling {
  Likeness from;
  std::string_view written, means;
};
constexpr std::array kSpellings = {
    Spelling{Likeness::line_breaks, "\r\n", "\n"}, Spelling{Likeness::quotes, "\u2018", "'"},
    Spelling{Likeness::quotes, "\u2019", "'"},     Spelling{Likeness::quotes, "\u201C", "\""},
    Spelling{Likeness::quotes, "\u201D", "\""},    Spelling{Likeness::spaces, "\u00A0", " "},
};

Folded fold(std::string_view text, Likeness likeness) {
  Folded folded;
  folded.text.reserve(text.size());
  folded.origin.reserve(text.size() + 1);
  for (std::size_t at = 0; at < text.size();) {
    std::string_view means = text.substr(at, 1);
    std::size_t bytes = 1;
    for (const Spelling& spelling : kSpellings) {
      if (spelling.from > likeness || !text.substr(at).starts_with(spelling.written)) continue;
      means = spelling.means;
      bytes = spelling.written.size();
      break;
    }
    folded.text += means;
    folded.origin.push_back(at);
    at += bytes;
  }
  folded.origin.push_back(text.size());
  return folded;
}

}  // namespace

std::string like_key(std::string_view token, Likeness likeness) {
  return fold(token, likeness).text;
}

Matches find_matches(std::string_view text, std::string_view wanted, Occurrences occurrences) {
  Matches matches;
  const auto find_in = [&](std::string_view in, std::string_view what, auto&& origin) {
    const std::size_t step = occurrences == Occurrences::apart ? what.size() : 1;
    for (std::size_t at = in.find(what); at != std::string_view::npos; at = in.find(what, at + step)) {
      ++matches.total;
      if (matches.found.size() < kMaxMatches) matches.found.push_back({origin(at), origin(at + what.size())});
    }
  };
  find_in(text, wanted, [](std::size_t at) { return at; });
  for (const Likeness likeness : {Likeness::line_breaks, Likeness::quotes, Likeness::spaces}) {
    if (matches.total > 0) return matches;
    matches.likeness = likeness;
    const Folded in = fold(text, likeness), what = fold(wanted, likeness);
    find_in(in.text, what.text, [&](std::size_t at) { return in.origin[at]; });
  }
  return matches;
}

std::string_view line_break_at(std::string_view text, std::size_t position) {
  std::size_t newline = position == 0 ? std::string_view::npos : text.rfind('\n', position - 1);
  if (newline == std::string_view::npos) newline = text.find('\n', position);
  if (newline == std::string_view::npos || newline == 0 || text[newline - 1] != '\r') return "\n";
  return "\r\n";
}

std::string respelled(std::string_view text, std::size_t begin, std::size_t end, std::string_view new_text, Likeness likeness) {
  const std::vector<Token> before = tokens_of(text.substr(begin, end - begin)), after = tokens_of(new_text);
  const Likeness at_least = std::max(likeness, Likeness::line_breaks);
  const auto keys = [&](const std::vector<Token>& tokens) {
    std::vector<std::string> all;
    for (const Token& token : tokens) all.push_back(like_key(token.text, at_least));
    return all;
  };
  const std::string_view line_break = line_break_at(text, begin);
  std::string out;
  std::size_t kept = 0;
  const auto keep_up_to = [&](std::size_t index) {
    for (; kept < index; ++kept) out += before[kept].text;
  };
  for (const Difference& difference : differences(keys(before), keys(after))) {
    keep_up_to(difference.a_begin);
    kept = difference.a_end;
    for (std::size_t i = difference.b_begin; i < difference.b_end; ++i) out += after[i].text == "\n" ? line_break : after[i].text;
  }
  keep_up_to(before.size());
  return out;
}

}  // namespace holdfast::documents
