#include "kinds/reasoning/read/read.h"

#include "kinds/reasoning/manifest.h"
#include "kinds/reasoning/thought.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <unordered_map>

namespace holdfast::reasoning {
namespace {

std::unexpected<Error> bad_query(std::string message, std::string hint = {}) {
  return fail(ErrorKind::invalid, std::move(message), std::move(hint), "invalid_argument");
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool fits(const Thought& thought, const ReadRequest& request) {
  if (!request.type.empty() && thought.type != request.type) return false;
  return request.confidence.empty() || find_string(thought.payload, "confidence") == std::string_view(request.confidence);
}

Result<std::vector<Thought>> selected(session::Reader& reader, const session::SessionRecord& record, const ReadRequest& request,
                                      std::string& words) {
  const std::string branch = request.branch.value_or("");
  const std::string of_branch = branch.empty() ? "" : fmt::format(" of branch '{}'", branch);
  std::vector<Thought> thoughts;
  if (request.number) {
    words = fmt::format("number {}{}", *request.number, of_branch);
    HF_TRY(auto entry, reader.entry_at(record.id, branch, *request.number));
    if (entry && is_thought_type(entry->type)) thoughts.push_back(to_thought(*entry));
    return thoughts;
  }
  const bool whole = request.range || request.branch || !request.type.empty() || !request.confidence.empty();
  if (request.last && !request.branch) {
    words = fmt::format("last {}", *request.last);
    return last_thoughts(reader, record.id, static_cast<std::size_t>(*request.last));
  }
  if (!whole) {
    constexpr std::size_t kDefault = 5;
    words = fmt::format("last {}", kDefault);
    return last_thoughts(reader, record.id, kDefault);
  }
  words = request.range    ? fmt::format("numbers {} to {}{}", request.range->first, request.range->second, of_branch)
          : request.branch ? fmt::format("all{}", of_branch)
                           : "all";
  HF_CHECK(each_thought(reader, record.id, [&](Thought&& thought) {
    // A range and a branch name one chain; a filter alone looks at all of them.
    if ((request.range || request.branch) && thought.branch != branch) return true;
    if (request.range && (thought.number < request.range->first || thought.number > request.range->second)) return true;
    thoughts.push_back(std::move(thought));
    if (request.last && thoughts.size() > static_cast<std::size_t>(*request.last)) thoughts.erase(thoughts.begin());
    return true;
  }));
  if (request.range) std::ranges::sort(thoughts, {}, &Thought::number);
  return thoughts;
}

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

Result<void> each_thought(session::Reader& reader, const std::string& session, const std::function<bool(Thought&&)>& each) {
  session::EntryQuery query;
  query.session = session;
  query.limit = session::kMaxEntryLimit;
  while (true) {
    HF_TRY(session::EntryPage page, reader.entries(query));
    for (const session::Entry& entry : page.entries)
      if (is_thought_type(entry.type) && !each(to_thought(entry))) return {};
    if (!page.next) return {};
    query.from = *page.next;
  }
}

Result<ReadAnswer> read_thoughts(session::Reader& reader, const session::SessionRecord& record, const ReadRequest& request) {
  if (request.last && (*request.last < 1 || *request.last > static_cast<std::int64_t>(kMaxRead)))
    return bad_query(fmt::format("last must be from 1 to {}", kMaxRead));
  if (request.range && (request.range->first < 1 || request.range->first > request.range->second))
    return bad_query("range must be [from, to] with 1 <= from <= to");
  if (request.number && (request.last || request.range)) return bad_query("thoughtNumber, last and range exclude each other");
  ReadAnswer answer;
  HF_TRY(answer.thoughts, selected(reader, record, request, answer.query));
  if (!request.type.empty() || !request.confidence.empty()) {
    answer.unfiltered = static_cast<std::int64_t>(answer.thoughts.size());
    std::erase_if(answer.thoughts, [&](const Thought& thought) { return !fits(thought, request); });
  }
  if (answer.thoughts.size() > kMaxRead) {
    answer.query += fmt::format(", the first {} of {}", kMaxRead, answer.thoughts.size());
    answer.thoughts.resize(kMaxRead);
  }
  if (request.branch && record.count_in_lane(*request.branch) == 0) answer.available_branches = branches_of(record);
  return answer;
}

bool cites(std::string_view text, std::int64_t number) {
  for (std::size_t at = text.find('S'); at != std::string_view::npos; at = text.find('S', at + 1)) {
    if (at > 0 && is_word(text[at - 1])) continue;
    std::int64_t from = 0;
    auto parsed = std::from_chars(text.data() + at + 1, text.data() + text.size(), from);
    if (parsed.ec != std::errc{}) continue;
    std::int64_t to = from;
    const std::string_view rest(parsed.ptr, text.data() + text.size());
    if (rest.starts_with("-S")) {
      std::int64_t end = 0;
      const auto second = std::from_chars(rest.data() + 2, rest.data() + rest.size(), end);
      if (second.ec == std::errc{}) parsed = second, to = end;
    }
    if (parsed.ptr != text.data() + text.size() && is_word(*parsed.ptr)) continue;
    if (from <= number && number <= to) return true;
  }
  return false;
}

Result<std::vector<Thought>> query_thoughts(session::Reader& reader, const session::SessionRecord& record,
                                            const ThoughtQuery& query) {
  const int given =
      !query.type.empty() + (query.start || query.end) + query.references.has_value() + query.revisions_of.has_value();
  if (given != 1)
    return bad_query("give exactly one of type, start with end, referencesThought, revisionsOf",
                     "for example {\"type\":\"decision_frame\"} or {\"start\":3,\"end\":7}");
  if (!query.type.empty() && !is_thought_type(query.type))
    return bad_query(fmt::format("there is no thought type {}", query.type));
  if ((query.start || query.end) && (!query.start || !query.end || *query.start < 1 || *query.start > *query.end))
    return bad_query("start and end must both be given, with 1 <= start <= end");

  std::vector<Thought> found;
  // (branch, number) of the original and of everything that revises it; a target is always older than its revision.
  std::set<std::pair<std::string, std::int64_t>> family;
  if (query.revisions_of) family.insert({"", *query.revisions_of});
  HF_CHECK(each_thought(reader, record.id, [&](Thought&& thought) {
    bool wanted = false;
    if (!query.type.empty()) wanted = thought.type == query.type;
    if (query.start) wanted = thought.number >= *query.start && thought.number <= *query.end;
    if (query.references) wanted = cites(thought.text, *query.references);
    if (query.revisions_of) {
      const bool original = thought.branch.empty() && thought.number == *query.revisions_of;
      const std::string target_branch = thought.revises_main ? "" : thought.branch;
      wanted = original || (thought.revises && family.contains({target_branch, *thought.revises}));
      if (wanted) family.insert({thought.branch, thought.number});
    }
    if (wanted) found.push_back(std::move(thought));
    return true;
  }));
  return found;
}

bool turn_of_entry(const session::Entry& entry, const reading::ReadLimits& limits, reading::Turn& turn) {
  using reading::Part;
  if (entry.type == kManifestEntry || entry.type == kStitchEntry) {
    turn.role = reading::Role::system;
    turn.meta = true;
    add_part(turn, Part::Kind::notice, entry.text.empty() ? entry.data : entry.text, limits).name = entry.type;
    return true;
  }
  const Thought thought = to_thought(entry);
  turn.role = reading::Role::assistant;
  std::string about = fmt::format("thought {} of {}", thought.number, thought.total);
  if (!thought.type.empty()) about += fmt::format(", {}", thought.type);
  if (thought.branch_from) about += fmt::format(", branches from {}", *thought.branch_from);
  if (thought.revises) about += fmt::format(", revises {}{}", *thought.revises, thought.revises_main ? " of the main line" : "");
  if (!thought.next_needed) about += ", the last";
  add_part(turn, Part::Kind::notice, "", limits).name = std::move(about);
  add_part(turn, Part::Kind::text, thought.text, limits);
  if (!thought.payload.empty()) add_part(turn, Part::Kind::raw, to_json_pretty(thought.payload), limits).name = "with it";
  return true;
}

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
