#include "operations/sessions/gated_actions.h"

#include "base/crypto/hash.h"
#include "base/text/text.h"
#include "operations/sessions/moves.h"
#include "session/life/lifecycle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace holdfast::operations {

namespace {

using session::GateAction;
using session::SessionRecord;
using session::Visibility;

constexpr std::size_t kPatternShown = 60;  // characters; a question is read by a person
constexpr std::size_t kIdsShown = 5;

void add_ids(JsonObject& answer, const std::vector<std::string>& ids) {
  if (ids.size() == 1) {
    answer["id"] = ids.front();
    return;
  }
  JsonArray all;
  for (const std::string& id : ids) all.emplace_back(id);
  answer["ids"] = std::move(all);
}

// The earliest, when there are several: until then all of them can come back.
void add_restorable(JsonObject& answer, const std::vector<SessionRecord>& records, const session::RetentionPolicy& policy) {
  std::optional<Millis> earliest;
  for (const SessionRecord& record : records)
    if (auto until = session::restorable_until(record, policy)) earliest = earliest ? std::min(*earliest, *until) : *until;
  if (earliest) answer["restorable_until"] = iso8601(*earliest);
}

JsonObject answer_of(const GatedAction& action, std::string_view outcome, bool deleted) {
  JsonObject answer{{"outcome", outcome}, {"deleted", deleted}};
  add_ids(answer, action.ids());
  return answer;
}

Result<JsonObject> remove(session::Transaction& transaction, const GatedAction& action, const std::vector<SessionRecord>& fresh,
                          const session::RetentionPolicy& policy) {
  std::vector<SessionRecord> deleted;
  for (const SessionRecord& record : fresh) {
    HF_TRY(session::Moved moved, session::soft_delete(transaction, record));
    deleted.push_back(std::move(moved.record));
  }
  JsonObject answer = answer_of(action, "deleted", true);
  add_restorable(answer, deleted, policy);
  return answer;
}

Result<JsonObject> archive_all(session::Transaction& transaction, const GatedAction& action,
                               const std::vector<SessionRecord>& fresh) {
  for (const SessionRecord& record : fresh) HF_CHECK(session::archive(transaction, record));
  return answer_of(action, "archived", false);
}

Result<JsonObject> redact_all(session::Transaction& transaction, const GatedAction& action) {
  JsonObject counts;
  std::int64_t rev = 0;
  for (const std::string& id : action.ids()) {
    HF_TRY(session::Redacted redacted, session::redact(transaction, id, action.redaction));
    rev = redacted.rev;
    for (const auto& [kind, count] : redacted.counts)
      counts[kind] = find_int(counts, kind).value_or(0) + static_cast<std::int64_t>(count);
  }
  JsonObject answer = answer_of(action, "redacted", false);
  answer["counts"] = std::move(counts);
  if (action.records.size() == 1) answer["rev"] = rev;
  return answer;
}

}  // namespace

std::vector<std::string> GatedAction::ids() const {
  std::vector<std::string> all;
  for (const SessionRecord& record : records) all.push_back(record.id);
  return all;
}

std::string GatedAction::digest() const {
  if (action != GateAction::redact) return {};
  JsonArray parts;
  for (const std::string& id : redaction.entry_ids) parts.emplace_back(id);
  return to_hex(sha256(to_json(Json(JsonObject{{"ids", parts}, {"pattern", redaction.pattern}, {"regex", redaction.regex}}))));
}

std::string GatedAction::described() const {
  if (action != GateAction::redact) return {};
  std::string text;
  if (!redaction.entry_ids.empty()) {
    const std::size_t shown = std::min(redaction.entry_ids.size(), kIdsShown);
    text = fmt::format(
        "{}", fmt::join(redaction.entry_ids.begin(), redaction.entry_ids.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    if (redaction.entry_ids.size() > shown) text += fmt::format(" and {} more", redaction.entry_ids.size() - shown);
  }
  if (!redaction.pattern.empty())
    text += fmt::format("{}every {} \"{}\"", text.empty() ? "" : ", and ", redaction.regex ? "match of" : "occurrence of",
                        shorten(redaction.pattern, kPatternShown));
  return text;
}

Result<void> check_action(session::Reader& reader, const GatedAction& action) {
  if (action.action == GateAction::redact) {
    HF_CHECK(session::check_redaction(action.redaction));
    for (const SessionRecord& record : action.records)
      HF_CHECK(session::check_named_entries(reader, record.id, action.redaction));
    return {};
  }
  const std::string_view move = name_of(action.action);
  for (const SessionRecord& record : action.records) {
    if (action.action == GateAction::remove && record.visibility == Visibility::deleted) continue;
    HF_CHECK(check_move(record, move));
  }
  return {};
}

bool is_done_already(const GatedAction& action) {
  return action.action == GateAction::remove && std::ranges::all_of(action.records, [](const SessionRecord& record) {
           return record.visibility == Visibility::deleted;
         });
}

Result<JsonObject> perform(session::Transaction& transaction, const GatedAction& action, const std::vector<SessionRecord>& fresh,
                           std::string_view choice, const session::RetentionPolicy& policy) {
  if (choice == kKeep) return nothing_done(action, "kept");
  if (choice == kArchiveInstead) return archive_all(transaction, action, fresh);
  switch (action.action) {
    case GateAction::remove:
      return remove(transaction, action, fresh, policy);
    case GateAction::redact:
      return redact_all(transaction, action);
    case GateAction::purge:
      break;
  }
  for (const SessionRecord& record : fresh) HF_CHECK(session::purge(transaction, record.id, "requested"));
  return answer_of(action, "purged", true);
}

JsonObject nothing_done(const GatedAction& action, std::string_view outcome) {
  return answer_of(action, outcome, false);
}

JsonObject done_already(const GatedAction& action, const session::RetentionPolicy& policy) {
  JsonObject answer = answer_of(action, "deleted", true);
  answer["changed"] = false;
  add_restorable(answer, action.records, policy);
  return answer;
}

}  // namespace holdfast::operations
