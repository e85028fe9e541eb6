#pragma once

// Whether a passage is what is asked for, how well, and where: the verifier. One thread.

#include "base/text/find_bytes.h"
#include "search/index/query_plan.h"
#include "search/index/text_index.h"
#include "search/query/snippet.h"
#include "search/words/fold.h"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::search {

// A place of a clause in folded text.
struct Occurrence {
  std::size_t begin = 0, end = 0;
};
// The first at or behind `from`.
std::optional<Occurrence> find_clause(const ClausePlan& clause, std::string_view folded, std::size_t from);

struct PassageMatch {
  double score = 0;
  std::size_t place = 0;  // the best, in the text
  std::string excerpt;    // of the text, around the best place; for the snippet
  bool cut_before = false, cut_behind = false;
};

// Of one with its excerpt.
Snippet make_snippet(const PassageMatch& match, const QueryPlan& plan);

class PassageMatcher {
 public:
  PassageMatcher(const TextQuery& query, const QueryPlan& plan);
  // Without its excerpt.
  std::optional<PassageMatch> match(const Passage& passage);
  // Adds the excerpt, of one that is kept.
  static void add_excerpt(const Passage& passage, PassageMatch& match);

 private:
  struct Place {
    std::size_t begin = 0, end = 0, clause = 0;
  };
  bool passes_filters(const Passage& passage) const;
  bool find_all(std::string_view folded);  // fills places_
  double score(const Passage& passage, std::size_t length, std::size_t& best_begin) const;

  const TextQuery& query_;
  const QueryPlan& plan_;
  std::vector<ByteFinder> plain_;  // clauses of ASCII without blanks, that must occur
  bool all_plain_ = false;         // there are no others
  std::string lowered_;
  FoldedText folded_;
  std::vector<Place> places_;
  std::vector<std::size_t> counts_;
};

}  // namespace holdfast::search
