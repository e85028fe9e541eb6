#include "kinds/reasoning/manifest.h"

#include "kinds/reasoning/thought.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::reasoning {

namespace {

JsonObject to_object(const std::map<std::string, std::int64_t, std::less<>>& counts) {
  JsonObject out;
  for (const auto& [name, count] : counts) out[name] = count;
  return out;
}

}  // namespace

void ManifestBuilder::add(const Thought& thought) {
  last_seq_ = std::max(last_seq_, thought.seq);
  if (!is_thought_type(thought.type)) return;
  ++total_;
  ++by_type_[thought.type];
  const std::string confidence(find_string(thought.payload, "confidence").value_or(""));
  if (!confidence.empty()) ++confidence_[confidence];

  std::vector<Decision>& waiting = waiting_[thought.branch];
  if (thought.type == "action_report") {
    waiting.clear();
  } else {
    for (Decision& decision : waiting)
      if (--decision.remaining == 0) gaps_.push_back({thought.branch, decision.number});
    std::erase_if(waiting, [](const Decision& decision) { return decision.remaining == 0; });
  }

  if (thought.type == "decision_frame") {
    ++decisions_by_confidence_[confidence];
    waiting.push_back({thought.number, kActionWithin});
  } else if (thought.type == "action_report") {
    if (const JsonObject* result = find_object(thought.payload, "actionResult")) {
      ++actions_;
      successful_ += find_bool(*result, "success").value_or(false) ? 1 : 0;
      const std::string_view reversible = find_string(*result, "reversible").value_or("");
      reversible_ += reversible == "yes" ? 1 : 0;
      irreversible_ += reversible == "no" ? 1 : 0;
      partial_ += reversible == "partial" ? 1 : 0;
    }
  } else if (thought.type == "assumption_update") {
    if (const JsonObject* change = find_object(thought.payload, "assumptionChange")) {
      const std::string_view before = find_string(*change, "oldStatus").value_or(""),
                             after = find_string(*change, "newStatus").value_or("");
      if ((before == "believed" && after == "refuted") || (before == "refuted" && after == "believed")) ++flips_;
    }
  }
}

JsonObject ManifestBuilder::manifest(std::string_view session_id, Millis now) const {
  std::vector<Gap> gaps = gaps_;
  for (const auto& [branch, waiting] : waiting_)
    for (const Decision& decision : waiting) gaps.push_back({branch, decision.number});
  std::ranges::sort(gaps, {}, [](const Gap& gap) { return std::pair(gap.branch, gap.number); });
  JsonArray listed;
  for (const Gap& gap : gaps) {
    JsonObject item{{"type", "decision_without_action"}, {"thoughtNumber", gap.number}};
    if (!gap.branch.empty()) item["branchId"] = gap.branch;
    item["description"] = fmt::format("no action_report among the {} thoughts after decision {}", kActionWithin, gap.number);
    listed.push_back(std::move(item));
  }
  JsonObject counts{{"total", total_}};
  for (const auto& [type, count] : by_type_) counts[type] = count;
  std::int64_t decisions = 0;
  for (const auto& [confidence, count] : decisions_by_confidence_) decisions += count;
  return {{"sessionId", session_id},
          {"generatedAt", iso8601(now)},
          {"thoughtCounts", std::move(counts)},
          {"confidence", to_object(confidence_)},
          {"decisions", JsonObject{{"total", decisions}, {"byConfidence", to_object(decisions_by_confidence_)}}},
          {"actions", JsonObject{{"total", actions_},
                                 {"successful", successful_},
                                 {"failed", actions_ - successful_},
                                 {"reversible", reversible_},
                                 {"irreversible", irreversible_},
                                 {"partiallyReversible", partial_}}},
          {"assumptionFlips", flips_},
          {"gaps", std::move(listed)}};
}

Result<void> read_into(ManifestBuilder& builder, session::Reader& reader, std::string_view session_id) {
  session::EntryQuery query;
  query.session = session_id;
  query.limit = session::kMaxEntryLimit;
  query.from = builder.last_seq() + 1;
  while (true) {
    HF_TRY(session::EntryPage page, reader.entries(query));
    for (const session::Entry& entry : page.entries) builder.add(to_thought(entry));
    if (!page.next) return {};
    query.from = *page.next;
  }
}

Result<std::optional<JsonObject>> stored_manifest(session::Reader& reader, const session::SessionRecord& record) {
  session::EntryQuery query;
  query.session = record.id;
  query.types = {std::string(kManifestEntry)};
  query.direction = session::Direction::backward;
  query.limit = 1;
  HF_TRY(const session::EntryPage page, reader.entries(query));
  if (page.entries.empty()) return std::nullopt;
  const session::Entry& last = page.entries.front();
  const bool stale = std::ranges::any_of(
      record.tallies, [&](const session::Tally& tally) { return is_thought_type(tally.type) && tally.last_seq > last.seq; });
  if (stale) return std::nullopt;
  auto manifest = parse_json(last.data);
  if (!manifest || !manifest->is_object()) return std::nullopt;  // damaged or redacted: it can be built anew
  return std::move(manifest->as_object());
}

Result<JsonObject> shown_manifest(session::Reader& reader, const session::SessionRecord& record, const ManifestBuilder& seen,
                                  Millis now) {
  if (record.status != "active") {
    HF_TRY(auto stored, stored_manifest(reader, record));
    if (stored) return *std::move(stored);
  }
  return seen.manifest(record.id, now);
}

}  // namespace holdfast::reasoning
