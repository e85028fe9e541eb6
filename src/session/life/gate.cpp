#include "session/life/gate.h"

#include "base/crypto/sealed.h"
#include "base/ids.h"
#include "base/json/json.h"
#include "session/kinds.h"
#include "session/query/display.h"

#include <fmt/format.h>

namespace holdfast::session {

namespace {

constexpr std::string_view kPurpose = "gate";
constexpr std::string_view kUsed = "gate.used";  // nonces, until their tokens are over anyway
constexpr std::int64_t kFormat = 1;
constexpr std::size_t kNamedOfMany = 20;  // of a bulk question; a person reads no more

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// Thoughts have many types. What they share is that they are numbered; audits and the like are not.
std::int64_t numbered_entries(const SessionRecord& record) {
  std::int64_t count = 0;
  for (const Tally& tally : record.tallies)
    if (tally.highest_number > 0) count += tally.count;
  return count;
}

JsonArray bound_records(const std::vector<SessionRecord>& records) {
  JsonArray bound;
  for (const SessionRecord& record : records) bound.push_back(JsonArray{record.id, record.rev});
  return bound;
}

std::string named(const SessionRecord& record) {
  return fmt::format("{} '{}' ({})", record.id, shown_title(record), contents_of(record));
}

// Whether the same sessions are meant, whatever their revisions.
bool names_same(const JsonArray& bound, const std::vector<SessionRecord>& records) {
  if (bound.size() != records.size()) return false;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const JsonArray* pair = bound[i].if_array();
    if (pair == nullptr || pair->size() != 2 || (*pair)[0] != Json(records[i].id)) return false;
  }
  return true;
}

std::unexpected<Error> not_valid(std::string_view why) {
  return fail(ErrorKind::refused, fmt::format("this confirmation does not count: {}; nothing was changed", why),
              "call without confirmation_token to be asked again", "CONFIRMATION_INVALID");
}

std::string consequence(GateAction action, const std::vector<SessionRecord>& records, const RetentionPolicy& policy, Millis now) {
  if (action == GateAction::purge) return "It is erased at once and cannot be brought back.";
  if (action == GateAction::redact) return "The text is replaced everywhere and cannot be brought back.";
  const std::string_view they = records.size() == 1 ? "It" : "They";
  if (!policy.purge_after) return fmt::format("{} can be restored later.", they);
  return fmt::format("{} can be restored until {}.", they, iso8601(now + *policy.purge_after));
}

}  // namespace

std::string_view name_of(GateAction action) {
  switch (action) {
    case GateAction::remove:
      return "delete";
    case GateAction::purge:
      return "purge";
    case GateAction::redact:
      return "redact";
  }
  return "delete";
}

std::string contents_of(const SessionRecord& record) {
  if (record.kind == kThread) return counted(record.count_of("message"), "message", "messages");
  if (record.kind == kReasoning) return counted(numbered_entries(record), "thought", "thoughts");
  if (record.kind == kResearch) return fmt::format("report and {}", counted(record.count_of("source"), "source", "sources"));
  return counted(record.entry_count(), "entry", "entries");
}

GateQuestion make_question(GateAction action, const std::vector<SessionRecord>& records, const RetentionPolicy& policy,
                           Millis now, std::string_view what) {
  GateQuestion question;
  question.action = action;
  if (!records.empty()) question.session = records.front().id;
  std::string verb(name_of(action));
  verb.front() = static_cast<char>(verb.front() - 'a' + 'A');
  if (!what.empty()) verb += fmt::format(" {} in", what);
  if (records.size() == 1) {
    question.prompt = fmt::format("{} {} {}? ", verb, records.front().kind, named(records.front()));
  } else {
    question.prompt = fmt::format("{} these {} sessions?\n", verb, records.size());
    for (std::size_t i = 0; i < records.size() && i < kNamedOfMany; ++i)
      question.prompt += fmt::format("- {}\n", named(records[i]));
    if (records.size() > kNamedOfMany) question.prompt += fmt::format("- and {} more\n", records.size() - kNamedOfMany);
  }
  question.prompt += consequence(action, records, policy, now);
  question.choices = {std::string(name_of(action)), "keep"};
  question.confirm_id = action == GateAction::purge;
  // Putting a thread aside is often what was meant.
  const bool can_archive =
      records.size() == 1 && records.front().kind == kThread && records.front().visibility == Visibility::live;
  if (action == GateAction::remove && can_archive) question.choices.emplace_back("archive");
  return question;
}

GateToken make_token(std::string_view secret, const GateBinding& binding, const std::vector<SessionRecord>& records, Millis now,
                     Millis ttl) {
  const Millis expires_at = now + ttl;
  const JsonObject payload{{"v", kFormat},
                           {"tool", binding.tool},
                           {"action", name_of(binding.action)},
                           {"principal", binding.principal},
                           {"what", binding.what},
                           {"records", bound_records(records)},
                           {"iat", now},
                           {"exp", expires_at},
                           {"nonce", make_handle()}};
  return {Sealer(std::string(secret)).seal(kPurpose, payload), expires_at};
}

Result<void> use_token(Transaction& transaction, std::string_view secret, std::string_view token, const GateBinding& binding,
                       const std::vector<SessionRecord>& records, Millis now) {
  const auto opened = Sealer(std::string(secret)).open(kPurpose, token);
  if (!opened) return not_valid("it is not one of ours, or was changed");
  const JsonObject& payload = *opened;
  const auto is = [&](std::string_view key, std::string_view expected) { return find_string(payload, key) == expected; };
  const Json* bound = payload.if_contains("records");
  if (find_int(payload, "v") != kFormat || bound == nullptr || !bound->is_array()) return not_valid("its format is unknown");
  if (!is("principal", binding.principal)) return not_valid("it was given to somebody else");
  if (!is("tool", binding.tool) || !is("action", name_of(binding.action)) || !is("what", binding.what))
    return not_valid("it was given for another action");
  if (!names_same(bound->get_array(), records)) return not_valid("it was given for another session");
  const Millis expires_at = find_int(payload, "exp").value_or(0);
  if (now >= expires_at)
    return fail(ErrorKind::refused, fmt::format("this confirmation ended at {}; nothing was changed", iso8601(expires_at)),
                "call without confirmation_token to be asked again", "CONFIRMATION_EXPIRED");
  // Before the revisions: what a token has done changes them, and using it again is no reason to ask again.
  const std::string nonce(find_string(payload, "nonce").value_or(""));
  HF_TRY(const auto used_before, transaction.value(kUsed, nonce));
  if (used_before) return not_valid("it has been used");
  if (bound->get_array() != bound_records(records))
    return fail(ErrorKind::conflict, "the session has changed since the question was put; nothing was changed",
                "look at the new question", "CONFIRMATION_CHANGED");
  auto used = transaction.put(kUsed, nonce, Json(true), Expect::absent(), expires_at);
  if (!used && used.error().kind == ErrorKind::conflict) return not_valid("it has been used");
  if (!used) return fail(std::move(used).error());
  return {};
}

}  // namespace holdfast::session
