#include "search/index/passage_match.h"

#include "search/index/tokens.h"
#include "search/words/bm25.h"

#include <algorithm>

namespace holdfast::search {
namespace {

// Further occurrences of a clause in a passage say nothing new.
constexpr std::size_t kMostOccurrences = 16;
constexpr double kUsualLength = 800;  // bytes of a passage
constexpr double kCloseBytes = 60;    // words of one thought stand within this
constexpr std::size_t kExcerptBefore = 100, kExcerptBehind = 320;

// What was said weighs more than what was printed.
double weight_of(PassageRole role) {
  switch (role) {
    case PassageRole::title:
      return 1.3;
    case PassageRole::user:
    case PassageRole::assistant:
      return 1;
    case PassageRole::thinking:
      return 0.7;
    case PassageRole::tool_call:
      return 0.6;
    case PassageRole::tool_result:
      return 0.45;
    case PassageRole::system:
      return 0.3;
  }
  return 0.3;
}

bool letter_before(std::string_view text, std::size_t at) {
  return at > 0 && kind_before(text, at) == CharacterKind::letter;
}
bool letter_at(std::string_view text, std::size_t at) {
  std::size_t length = 1;
  return at < text.size() && kind_at(text, at, length) == CharacterKind::letter;
}

// Up to so many bytes, of several blanks behind each other only the first; returns where it ends.
std::size_t copy_excerpt(std::string_view text, std::size_t at, std::size_t most, std::string& to) {
  const auto is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  to.reserve(std::min(text.size() - at, most + 4));
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (is_blank(c) && !to.empty() && is_blank(to.back())) continue;
    if (to.size() >= most && (static_cast<unsigned char>(c) & 0xC0) != 0x80) break;
    to += c;
  }
  return at;
}

}  // namespace

std::optional<Occurrence> find_clause(const ClausePlan& clause, std::string_view folded, std::size_t from) {
  const std::string& bytes = clause.bytes;
  while (from + bytes.size() <= folded.size()) {
    const std::size_t begin = find_bytes(folded, bytes, from);
    if (begin == std::string_view::npos) return std::nullopt;
    const std::size_t end = begin + bytes.size();
    const bool joined_before = clause.whole_begin && letter_at(bytes, 0) && letter_before(folded, begin);
    const bool joined_behind = clause.whole_end && letter_before(bytes, bytes.size()) && letter_at(folded, end);
    if (!joined_before && !joined_behind) return Occurrence{begin, end};
    from = begin + 1;
  }
  return std::nullopt;
}

Snippet make_snippet(const PassageMatch& match, const QueryPlan& plan) {
  return snippet_of_excerpt(match.excerpt, match.cut_before, match.cut_behind, [&](std::string_view folded) {
    Stretches places;
    for (const ClausePlan& clause : plan.clauses)
      for (std::optional<Occurrence> at; !clause.excluded && (at = find_clause(clause, folded, at ? at->end : 0));)
        places.emplace_back(at->begin, at->end);
    return places;
  });
}

PassageMatcher::PassageMatcher(const TextQuery& query, const QueryPlan& plan) : query_(query), plan_(plan) {
  const auto is_plain = [](const ClausePlan& clause) {
    return std::ranges::all_of(clause.bytes, [](char c) { return c > ' ' && c < '\x7F'; });
  };
  all_plain_ = std::ranges::all_of(plan.clauses, is_plain);
  for (const ClausePlan& clause : plan.clauses)
    if (!clause.excluded && is_plain(clause)) plain_.emplace_back(clause.bytes);
}

bool PassageMatcher::passes_filters(const Passage& passage) const {
  // Of what has no time nobody can say that it was then.
  if ((query_.since || query_.until) && passage.time == 0) return false;
  if (query_.since && passage.time < *query_.since) return false;
  if (query_.until && passage.time >= *query_.until) return false;
  if (!query_.roles.empty() && std::ranges::find(query_.roles, passage.role) == query_.roles.end()) return false;
  return std::ranges::all_of(query_.filters, [&](const AttributeFilter& filter) {
    return std::ranges::any_of(passage.attributes, [&](std::string_view attribute) {
      return attribute.starts_with(filter.name) && filter.admits(attribute.substr(filter.name.size()));
    });
  });
}

bool PassageMatcher::find_all(std::string_view folded) {
  places_.clear();
  counts_.assign(plan_.clauses.size(), 0);
  for (std::size_t i = 0; i < plan_.clauses.size(); ++i) {
    const ClausePlan& clause = plan_.clauses[i];
    std::size_t from = 0;
    while (counts_[i] < kMostOccurrences) {
      const auto place = find_clause(clause, folded, from);
      if (!place) break;
      if (clause.excluded) return false;
      places_.push_back({place->begin, place->end, i});
      ++counts_[i];
      from = place->end;
    }
    if (!clause.excluded && counts_[i] == 0) return false;
  }
  return true;
}

// The shortest stretch with every clause in it is the best place; how short it is, and how often each occurs, is the score.
double PassageMatcher::score(const Passage& passage, std::size_t length, std::size_t& best_begin) const {
  const double norm = length_norm(static_cast<double>(length), kUsualLength);
  double sum = 0;
  std::size_t wanted = 0, bytes = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (plan_.clauses[i].excluded) continue;
    ++wanted;
    bytes += plan_.clauses[i].bytes.size();
    sum += term_score(static_cast<double>(counts_[i]), norm);
  }
  best_begin = 0;
  if (wanted == 0) return weight_of(passage.role);
  double closeness = 1;
  if (wanted == 1) {
    best_begin = places_.front().begin;
  } else {
    std::vector<Place> places = places_;
    std::ranges::sort(places, {}, &Place::begin);
    std::vector<std::size_t> inside(counts_.size(), 0);
    std::size_t covered = 0, left = 0, shortest = length + 1;
    for (const Place& place : places) {
      if (inside[place.clause]++ == 0) ++covered;
      while (covered == wanted) {
        const std::size_t span = std::max(place.end, places[left].end) - places[left].begin;
        if (span < shortest) {
          shortest = span;
          best_begin = places[left].begin;
        }
        if (--inside[places[left++].clause] == 0) --covered;
      }
    }
    const double between = shortest > bytes ? static_cast<double>(shortest - bytes) : 0;
    closeness = 0.5 + 1 / (1 + between / kCloseBytes);
  }
  return weight_of(passage.role) * closeness * sum / static_cast<double>(wanted);
}

std::optional<PassageMatch> PassageMatcher::match(const Passage& passage) {
  if (!passes_filters(passage)) return std::nullopt;
  const std::string_view text = passage.text;
  PassageMatch match;
  // Most passages of a block hold nothing, and of ASCII text that shows without folding white space. Where no clause has any,
  // folding would only move the places.
  if (!plain_.empty() && lower_ascii(text, lowered_)) {
    const std::string_view lowered = std::string_view(lowered_).substr(0, text.size());
    const auto stands_there = [&](const ByteFinder& clause) { return clause.find(lowered) != std::string_view::npos; };
    if (!std::ranges::all_of(plain_, stands_there)) return std::nullopt;
    if (all_plain_) {
      if (!find_all(lowered)) return std::nullopt;
      match.score = score(passage, lowered.size(), match.place);
      return match;
    }
  }
  folded_.assign(text);
  const bool found = find_all(folded_.view());
  if (found) {
    std::size_t best = 0;
    match.score = score(passage, folded_.size(), best);
    match.place = folded_.original_offset(text, best);
  }
  folded_.shrink();
  return found ? std::optional(std::move(match)) : std::nullopt;
}

void PassageMatcher::add_excerpt(const Passage& passage, PassageMatch& match) {
  std::size_t begin = match.place > kExcerptBefore ? match.place - kExcerptBefore : 0;
  while (begin > 0 && (static_cast<unsigned char>(passage.text[begin]) & 0xC0) == 0x80) --begin;
  const std::size_t end = copy_excerpt(passage.text, begin, match.place - begin + kExcerptBehind, match.excerpt);
  match.cut_before = begin > 0;
  match.cut_behind = end < passage.text.size();
}

}  // namespace holdfast::search
