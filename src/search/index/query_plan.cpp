#include "search/index/query_plan.h"

#include "search/index/segment/segment_builder.h"
#include "search/index/tokens.h"

#include <algorithm>
#include <utility>

namespace holdfast::search {
namespace {

struct Asked {
  ClausePlan& plan;
  std::string_view text;
  std::size_t last_pair_end = 0;

  bool begins(std::size_t begin) const { return begin > 0 || plan.whole_begin; }
  bool ends(std::size_t end) const { return end < text.size() || plan.whole_end; }

  void word(std::size_t begin, std::size_t end, std::uint64_t) {
    const std::string_view whole = text.substr(begin, end - begin);
    if (begins(begin) && ends(end))
      plan.terms.emplace_back(whole.substr(0, kMaxWordBytes));
    else if (begins(begin))
      plan.prefixes.emplace_back(whole.substr(0, kMaxWordBytes));
    else
      plan.insides.push_back({std::string(whole), ends(end)});
  }
  void pair(std::size_t begin, std::size_t end, bool last) {
    const std::string_view characters = text.substr(begin, end - begin);
    if (!last) {
      plan.terms.emplace_back(characters);
      last_pair_end = end;
    } else if (last_pair_end != end) {
      // A character alone: a pair begins with it, or it ends a run, for sure when something else follows.
      (end < text.size() ? plan.terms : plan.prefixes).emplace_back(characters);
    }
  }
  void neighbours(std::size_t left_begin, std::size_t right_end, std::uint64_t key) {
    if (begins(left_begin) && ends(right_end)) plan.keys.push_back(key);
  }
  void edge(std::uint64_t key) { plan.keys.push_back(key); }
};

// The runs of characters that stand in a source as they do when folded: ASCII, and ideographs.
void add_pieces(std::string_view bytes, std::vector<std::string>& pieces) {
  std::string piece;
  const auto end_piece = [&] {
    if (!piece.empty()) pieces.push_back(std::exchange(piece, {}));
  };
  for (std::size_t at = 0; at < bytes.size();) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const bool ideograph = first >= 0xE5 && first <= 0xE9 && at + 3 <= bytes.size();
    if (first < 0x80 || ideograph)
      piece += bytes.substr(at, ideograph ? 3 : 1);
    else
      end_piece();
    at += ideograph ? 3 : 1;
  }
  end_piece();
}

}  // namespace

bool QueryPlan::is_costly() const {
  return std::ranges::any_of(clauses, [](const ClausePlan& clause) { return !clause.keys.empty() || !clause.insides.empty(); });
}

QueryPlan plan_query(const TextQuery& query, const KeyHash& hash) {
  QueryPlan plan;
  FoldedText folded;
  for (const TextClause& clause : query.clauses) {
    folded.assign(clause.text);
    if (folded.size() == 0) continue;  // nothing is everywhere
    ClausePlan compiled;
    compiled.bytes = folded.view();
    compiled.excluded = clause.excluded;
    compiled.whole_begin = clause.kind != TextClause::Kind::literal;
    compiled.whole_end = clause.kind == TextClause::Kind::word || clause.kind == TextClause::Kind::phrase;
    Asked asked{compiled, folded.view()};
    if (!clause.excluded) {
      scan_tokens(folded, hash, asked);
      add_pieces(folded.view(), plan.wanted.pieces);
    }
    plan.clauses.push_back(std::move(compiled));
  }
  plan.filters = query.filters;
  plan.since = query.since;
  plan.until = query.until;
  if (!query.roles.empty()) {
    for (const PassageRole role : query.roles) plan.role_terms.push_back(role_term(role));
  }
  return plan;
}

}  // namespace holdfast::search
