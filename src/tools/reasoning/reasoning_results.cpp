#include "tools/reasoning/reasoning_results.h"

#include "base/text/text.h"
#include "session/query/display.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace holdfast::tools {

namespace {

using session::SessionRecord;

// A title may be longer than the reply to a thought, which is sent with every one and stays under 300 bytes (D2).
constexpr std::size_t kGoalLength = 80;

// In words, for the line that a model reads first (L4).
std::string spoken_age(Millis then, Millis now) {
  constexpr Millis kMinute = 60'000, kHour = 60 * kMinute, kDay = 24 * kHour;
  const Millis age = std::max<Millis>(0, now - then);
  const auto ago = [&](Millis unit, std::string_view name) {
    return fmt::format("{} {}{} ago", age / unit, name, age / unit == 1 ? "" : "s");
  };
  if (age < kMinute) return "just now";
  return age < kHour ? ago(kMinute, "minute") : age < kDay ? ago(kHour, "hour") : ago(kDay, "day");
}

}  // namespace

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

JsonObject session_summary(const SessionRecord& record, Millis now) {
  JsonObject item{{"sessionId", record.id},
                  {"title", session::shown_title(record)},
                  {"status", session::shown_status(record)},
                  {"thoughtCount", reasoning::thought_count(record)},
                  {"updatedAt", iso8601(record.updated_at)},
                  {"age", session::age(record.updated_at, now)}};
  if (record.pinned) item["pinned"] = true;
  if (!record.root_uri.empty()) item["rootUri"] = record.root_uri;
  if (record.damage) item["damage"] = *record.damage;
  return item;
}

JsonObject loaded_state(const reasoning::Loaded& loaded, std::optional<std::int64_t> max_chars, Millis now) {
  const SessionRecord& record = loaded.record;
  JsonObject state{{"sessionId", record.id}, {"autoRecovered", loaded.auto_recovered}, {"root", text_or_null(record.root_uri)}};
  if (loaded.root_mismatch) state["rootMismatch"] = true;
  state["title"] = session::shown_title(record);
  state["tags"] = to_json_array(record.tags);
  state["status"] = session::shown_status(record);
  state["thoughtCount"] = reasoning::thought_count(record);
  state["totalCount"] = reasoning::total_count(record);
  state["branchCount"] = loaded.branches.size();
  state["currentThoughtNumber"] = loaded.current_number;
  state["nextThoughtNumber"] = loaded.next_number;
  JsonArray branches, recent, alternatives;
  for (const reasoning::BranchState& branch : loaded.branches)
    branches.push_back(JsonObject{{"branchId", branch.id},
                                  {"forks", branch.forks},
                                  {"length", branch.length},
                                  {"last", branch.last},
                                  {"status", branch.completed ? "completed" : "active"}});
  // The newest keep their words longest: a budget is spent from the end.
  std::int64_t left = max_chars.value_or(0);
  for (auto each = loaded.recent.rbegin(); each != loaded.recent.rend(); ++each) {
    JsonObject item = reasoning::thought_item(*each);
    if (max_chars) {
      const std::string text = shorten(to_valid_utf8(each->text), static_cast<std::size_t>(std::max<std::int64_t>(left, 1)));
      left -= static_cast<std::int64_t>(utf8_length(text));
      if (text != to_valid_utf8(each->text)) item["truncated"] = true;
      item["thought"] = text;
    }
    recent.insert(recent.begin(), std::move(item));
  }
  for (const SessionRecord& other : loaded.alternatives) alternatives.push_back(session_summary(other, now));
  state["branches"] = std::move(branches);
  state["recentThoughts"] = std::move(recent);
  state["alternatives"] = std::move(alternatives);
  if (loaded.damage || record.damage) state["damage"] = loaded.damage ? *loaded.damage : *record.damage;
  std::vector<std::string> notices;
  if (!loaded.notice.empty()) notices.push_back(loaded.notice);
  if (loaded.in_use)
    notices.emplace_back(
        "another connection has this session open, too: its thoughts will stand between yours; to keep apart, load one of the "
        "alternatives by its sessionId, or begin one with start_new");
  if (!notices.empty()) state["notice"] = fmt::format("{}", fmt::join(notices, "; "));
  return state;
}

std::string loaded_line(const reasoning::Loaded& loaded, Millis now) {
  const std::int64_t count = reasoning::total_count(loaded.record);
  return fmt::format("{} session {}: {} {}, {}", loaded.auto_recovered ? "Recovered" : "Loaded", loaded.record.id, count,
                     count == 1 ? "thought" : "thoughts", spoken_age(loaded.record.updated_at, now));
}

JsonObject appended_state(const reasoning::AppendOutcome& outcome, bool verbose) {
  const reasoning::Thought& thought = outcome.thought;
  const std::vector<std::string> branches = reasoning::branches_of(outcome.record);
  JsonObject state{{"thoughtNumber", thought.number}};
  if (outcome.closed) {
    state["totalThoughts"] = thought.total;
    state["nextThoughtNeeded"] = false;
    state["branches"] = to_json_array(branches);
    state["thoughtHistoryLength"] = reasoning::total_count(outcome.record);
    state["sessionId"] = nullptr;
    state["sessionClosed"] = true;
    state["closedSessionId"] = outcome.record.id;
    if (outcome.manifest) state["auditManifest"] = *outcome.manifest;
  } else {
    state["sessionId"] = outcome.record.id;
  }
  state["goal"] = shorten(session::shown_title(outcome.record), kGoalLength);
  state["attached"] = name_of(outcome.attached);
  if (!thought.branch.empty()) state["branchId"] = thought.branch;
  if (outcome.branch_completed) state["branchCompleted"] = true;
  if (outcome.requested_number) state["requestedNumber"] = *outcome.requested_number;
  if (outcome.replayed) state["replayed"] = true;
  if (outcome.reopened) state["reopened"] = true;
  if (!outcome.previous_session.empty()) state["previousSessionId"] = outcome.previous_session;
  if (outcome.recovered)
    state["recovered"] =
        JsonObject{{"thoughtCount", outcome.recovered->thought_count}, {"ageSeconds", outcome.recovered->age_seconds}};
  if (!outcome.notices.empty()) state["notice"] = fmt::format("{}", fmt::join(outcome.notices, "; "));
  if (!verbose || outcome.closed) return state;
  state["totalThoughts"] = thought.total;
  state["nextThoughtNeeded"] = thought.next_needed;
  state["nextThoughtNumber"] = outcome.record.highest_number(thought.branch) + 1;
  state["thoughtType"] = thought.type;
  state["branches"] = to_json_array(branches);
  state["thoughtHistoryLength"] = reasoning::total_count(outcome.record);
  for (const auto& member : thought.payload) state.insert(member);
  return state;
}

}  // namespace holdfast::tools
