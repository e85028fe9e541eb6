#include "search/index/candidates.h"

#include "search/index/limits.h"
#include "search/index/segment/block_filter.h"
#include "search/index/segment/segment_builder.h"

#include <algorithm>

namespace holdfast::search {
namespace {

// A word's inside of fewer bytes than this is in most blocks; to find that out costs more than to verify.
constexpr std::size_t kShortestInside = 3;

class Narrowing {
 public:
  Narrowing(const Segment& segment, BlockSet among) : segment_(segment), left_(std::move(among)) {}

  BlockSet take() { return std::move(left_); }
  bool over() const { return left_.empty(); }

  void times(const QueryPlan& plan) {
    BlockSet in_time(left_.size());
    left_.each([&](std::size_t index) {
      const BlockEntry& block = segment_.block(index);
      if ((!plan.since || block.newest >= *plan.since) && (!plan.until || block.oldest < *plan.until)) in_time.add(index);
    });
    left_ = std::move(in_time);
  }
  void roles(const std::vector<std::string>& group) {
    BlockSet found(left_.size());
    for (const std::string& term : group)
      if (!segment_.attributes().find(term, found)) return;  // damaged: nothing is known
    left_.keep(found);
  }
  void attributes(const AttributeFilter& filter) {
    BlockSet found(left_.size());
    bool whole = true;
    whole = segment_.attributes().each_with_prefix(attribute_term(filter.name), [&](std::string_view term) {
      const std::string attribute = attribute_of_term(term);
      // Of one that was cut nobody knows how it ends.
      if (attribute.size() >= kMaxAttributeBytes || filter.admits(std::string_view(attribute).substr(filter.name.size())))
        whole = segment_.attributes().find(term, found) && whole;
      return true;
    }) && whole;
    if (whole) left_.keep(found);
  }
  void terms(const ClausePlan& clause) {
    for (const std::string& term : clause.terms) {
      BlockSet found(left_.size());
      if (segment_.words().find(term, found)) left_.keep(found);
    }
  }
  void prefixes(const ClausePlan& clause) {
    for (const std::string& prefix : clause.prefixes) {
      // A clause that is nothing else has to be looked up; beside others it is a way to read less.
      const bool alone = clause.terms.empty() && clause.keys.empty();
      if (!alone && (prefix.size() < kShortestInside || left_.count() <= kScanWordsAbove)) continue;
      BlockSet found(left_.size());
      bool too_many = false;
      if (segment_.words().find_prefix(prefix, kMaxPrefixWords, found, too_many) && !too_many) left_.keep(found);
    }
  }
  void keys(const ClausePlan& clause) {
    if (clause.keys.empty()) return;
    BlockSet found(left_.size());
    FilterProbe probe(clause.keys);
    const auto may_hold = [&](std::size_t block) { found.add(block); };
    left_.each([&](std::size_t block) { probe.ask(segment_.filter_of(block), block, may_hold); });
    probe.flush(may_hold);
    left_ = std::move(found);
  }
  void insides(const ClausePlan& clause) {
    for (const ClausePlan::Inside& inside : clause.insides) {
      if (inside.bytes.size() < kShortestInside || left_.count() <= kScanWordsAbove) continue;
      BlockSet found = segment_.long_words();
      bool common = false;
      if (inside.bytes.size() <= kMaxWordBytes &&
          !segment_.words().find_inside(inside.bytes, inside.at_end, left_, found, common))
        continue;
      if (!common) left_.keep(found);
    }
  }

 private:
  const Segment& segment_;
  BlockSet left_;
};

}  // namespace

BlockSet candidates(const Segment& segment, const QueryPlan& plan, BlockSet among) {
  Narrowing narrowing(segment, std::move(among));
  if (plan.since || plan.until) narrowing.times(plan);
  if (!plan.role_terms.empty() && !narrowing.over()) narrowing.roles(plan.role_terms);
  for (const AttributeFilter& filter : plan.filters)
    if (!narrowing.over()) narrowing.attributes(filter);
  for (const ClausePlan& clause : plan.clauses)
    if (!clause.excluded && !narrowing.over()) narrowing.terms(clause);
  for (const ClausePlan& clause : plan.clauses)
    if (!clause.excluded && !narrowing.over()) narrowing.keys(clause);
  for (const ClausePlan& clause : plan.clauses)
    if (!clause.excluded && !narrowing.over()) narrowing.prefixes(clause);
  for (const ClausePlan& clause : plan.clauses)
    if (!clause.excluded && !narrowing.over()) narrowing.insides(clause);
  return narrowing.take();
}

}  // namespace holdfast::search
