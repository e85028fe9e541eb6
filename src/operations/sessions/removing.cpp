#include "operations/sessions/removing.h"

#include "base/crypto/hash.h"
#include "base/text/text.h"
#include "operations/sessions/record_changes.h"
#include "operations/sessions/session_parameters.h"
#include "operations/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

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

namespace {

// Before anybody is asked. Errors: INVALID_STATE_TRANSITION, those of check_redaction and check_named_entries.
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

constexpr Parameter kSessions{
    .name = "sessions", .type = Parameter::Type::texts, .help = "delete: several, with one question for all"};
constexpr std::array kRemovalParameters{kMaybeRecord, kSessions, kExpectedRev};
constexpr auto kRedactParameters =
    joined(kRemovalParameters,
           std::array{Parameter{.name = "message_ids", .type = Parameter::Type::texts, .help = "redact: what to take away"},
                      Parameter{.name = "source_ids", .type = Parameter::Type::texts, .help = "redact: what to take away"},
                      Parameter{.name = "pattern", .help = "redact: this text, wherever it stands"},
                      Parameter{.name = "regex", .type = Parameter::Type::choice, .help = "pattern is an RE2 expression"}});

Result<std::vector<SessionRecord>> named_records(Context& context, const Given& given, GateAction action) {
  std::vector<std::string> ids = given.texts("sessions");
  if (given.has("session")) ids.insert(ids.begin(), given.text("session"));
  std::vector<SessionRecord> records;
  std::set<std::string> seen;
  for (const std::string& id : ids) {
    HF_TRY(SessionRecord record, record_named(context, id));
    if (seen.insert(record.id).second) records.push_back(std::move(record));
  }
  if (records.empty())
    return fail(ErrorKind::invalid, fmt::format("{} needs a {{session}}", name_of(action)), "operation list shows the sessions",
                "invalid_argument");
  if (records.size() > 1 && action != GateAction::remove)
    return fail(ErrorKind::invalid, fmt::format("{} takes one session", name_of(action)), {}, "invalid_argument");
  return records;
}

template <GateAction kind>
Result<Facts> take_away(Context& context, const Given& given) {
  GatedAction action;
  action.action = kind;
  HF_TRY(action.records, named_records(context, given, kind));
  const std::int64_t rev = action.records.front().rev;
  if (const auto expected = given.number("expected_rev"); expected && *expected != rev)
    return fail(ErrorKind::conflict, fmt::format("the session is at rev {}, not {}", rev, *expected),
                "get it again and decide anew");
  for (const char* ids : {"message_ids", "source_ids"})
    for (std::string& id : given.texts(ids)) action.redaction.entry_ids.push_back(std::move(id));
  action.redaction.pattern = given.text("pattern");
  action.redaction.regex = given.flag("regex");
  HF_TRY(session::Store* const store, context.store(true));
  HF_CHECK(check_action(*store, action));
  return context.confirm(action);
}

constexpr std::array kRemovals{
    removes("sessions delete", "after asking; it can be restored", kRemovalParameters, take_away<GateAction::remove>),
    removes("sessions purge", "erase for good, after asking", kRemovalParameters, take_away<GateAction::purge>),
    removes("sessions redact", "take text out for good, after asking", kRedactParameters, take_away<GateAction::redact>),
};

}  // namespace

std::span<const Operation> removal_operations() {
  return kRemovals;
}

}  // namespace holdfast::operations
