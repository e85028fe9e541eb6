#include "kinds/reasoning/read/structure.h"

#include "kinds/reasoning/manifest.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace holdfast::reasoning {

namespace {

struct Chain {
  std::int64_t length = 0, head = 0, tail = 0, lowest = 0, highest = 0, forks = 0;
  bool completed = false;

  void add(const Thought& thought) {
    if (length++ == 0) {
      head = lowest = highest = thought.number;
      forks = thought.branch_from.value_or(0);
    }
    tail = thought.number;
    lowest = std::min(lowest, thought.number);
    highest = std::max(highest, thought.number);
    completed = !thought.next_needed;
  }
};

constexpr double kMinute = 60'000.0;

}  // namespace

Result<JsonObject> structure_of(session::Reader& reader, const session::SessionRecord& record) {
  std::map<std::string, Chain> chains;
  std::vector<std::string> order;
  JsonArray revisions;
  HF_CHECK(each_thought(reader, record.id, [&](Thought&& thought) {
    Chain& chain = chains[thought.branch];
    if (chain.length == 0 && !thought.branch.empty()) order.push_back(thought.branch);
    chain.add(thought);
    if (thought.revises) {
      JsonArray pair{thought.number, *thought.revises};
      if (!thought.branch.empty()) pair.emplace_back(thought.branch);
      revisions.push_back(std::move(pair));
    }
    return true;
  }));
  const Chain main = chains[""];
  JsonObject branches;
  for (const std::string& id : order) {
    const Chain& chain = chains[id];
    branches[id] = JsonObject{{"forks", chain.forks},
                              {"range", JsonArray{chain.lowest, chain.highest}},
                              {"length", chain.length},
                              {"status", chain.completed ? "completed" : "active"}};
  }
  const std::size_t branch_count = order.size(), revision_count = revisions.size();
  return JsonObject{{"sessionId", record.id},
                    {"totalThoughts", total_count(record)},
                    {"mainChain", JsonObject{{"length", main.length}, {"head", main.head}, {"tail", main.tail}}},
                    {"branches", std::move(branches)},
                    {"branchCount", branch_count},
                    {"revisions", std::move(revisions)},
                    {"revisionCount", revision_count}};
}

Result<JsonObject> analyse(session::Reader& reader, const session::SessionRecord& record, Millis now) {
  ManifestBuilder audit;
  std::int64_t all = 0, revisions = 0, on_branches = 0, last_branch_seq = 0, last_main_seq = 0;
  Millis first = 0, last = 0;
  std::map<std::string, std::int64_t> depth;  // of each chain: thoughts from the beginning of the main chain to its end
  std::unordered_map<std::int64_t, std::int64_t> place;  // of a main-chain thought, by its number; numbers may have gaps
  HF_CHECK(each_thought(reader, record.id, [&](Thought&& thought) {
    audit.add(thought);
    ++all;
    revisions += thought.is_revision() ? 1 : 0;
    on_branches += thought.branch.empty() ? 0 : 1;
    (thought.branch.empty() ? last_main_seq : last_branch_seq) = thought.seq;
    if (first == 0) first = thought.time;
    last = thought.time;
    std::int64_t& chain = depth[thought.branch];
    if (thought.branch_from) chain = place[*thought.branch_from];
    ++chain;
    if (thought.branch.empty()) place[thought.number] = chain;
    return true;
  }));
  HF_TRY(JsonObject manifest, shown_manifest(reader, record, audit, now));
  std::int64_t deepest = 0;
  for (const auto& [branch, length] : depth) deepest = std::max(deepest, length);
  const double count = static_cast<double>(std::max<std::int64_t>(all, 1));
  const double minutes = static_cast<double>(last - first) / kMinute;
  const std::size_t branch_count = branches_of(record).size();
  return JsonObject{
      {"sessionId", record.id},
      {"metadata", JsonObject{{"thoughtCount", all},
                              {"mainChainCount", all - on_branches},
                              {"branchCount", branch_count},
                              {"revisionCount", revisions},
                              {"duration", last - first},
                              {"startedAt", first == 0 ? Json(nullptr) : Json(iso8601(first))},
                              {"lastThoughtAt", last == 0 ? Json(nullptr) : Json(iso8601(last))}}},
      {"structure", JsonObject{{"linearityScore", std::max(0.0, 1.0 - static_cast<double>(revisions + on_branches) / count)},
                               {"revisionRate", static_cast<double>(revisions) / count},
                               {"branchCount", branch_count},
                               {"maxDepth", deepest},
                               {"thoughtDensity", minutes > 0 ? static_cast<double>(all) / minutes : static_cast<double>(all)}}},
      {"quality", JsonObject{{"hasConvergence", last_branch_seq != 0 && last_main_seq > last_branch_seq},
                             {"isComplete", record.status == "completed"}}},
      {"audit", std::move(manifest)},
      {"definitions",
       JsonObject{{"linearityScore", "max(0, 1 - (revisions + thoughts on branches) / all thoughts)"},
                  {"revisionRate", "revisions / all thoughts"},
                  {"maxDepth", "thoughts from the first of the main chain to the end of the longest line, through its fork"},
                  {"thoughtDensity", "thoughts per minute between the first and the last; their number when all came at once"},
                  {"duration", "milliseconds between the first and the last thought"},
                  {"hasConvergence", "a thought of the main chain follows the last thought of any branch"},
                  {"isComplete", "the session was closed as completed and not reopened"}}}};
}

}  // namespace holdfast::reasoning
