// get, verify: one session of the store, as it is.

#include "operations/sessions/list_filters.h"
#include "operations/sessions/notes.h"
#include "operations/sessions/record_changes.h"
#include "operations/sessions/session_item.h"
#include "operations/sessions/session_parameters.h"
#include "operations/table.h"
#include "session/query/known_damage.h"

#include <algorithm>

namespace holdfast::operations {

namespace {

using session::SessionRecord;

constexpr std::int64_t kEntryLimit = 50;
constexpr std::size_t kVerifyPage = 200;
constexpr std::int64_t kMostOfTheEnd = 5000;  // entries that a person scrolls through

constexpr std::array kGetParameters{kRecord, Parameter{.name = "limit", .type = Parameter::Type::number, .least = 1},
                                    Parameter{.name = "offset", .type = Parameter::Type::number},
                                    Parameter{.name = "last", .type = Parameter::Type::number, .least = kAnyNumber}};

// From {offset} on, or the {last} ones.
Result<Facts> get(Context& context, const Given& given) {
  HF_TRY(SessionRecord record, record_named(context, given.text("session")));
  HF_TRY(session::Store* const store, context.store(true));
  const auto last = given.number("last");
  session::EntryQuery query;
  query.session = record.id;
  query.from = given.number("offset", 0) + 1;
  HF_TRY(query.limit, limit_of(given, kEntryLimit, kMaxItems));
  if (last) {
    if (*last < 1 || *last > kMostOfTheEnd) return fail(ErrorKind::invalid, "{last} is a number from 1 to 5000");
    query.limit = static_cast<std::size_t>(*last);
    query.direction = session::Direction::backward;
    query.from = session::EntryQuery().from;
  }
  HF_TRY(session::EntryPage page, store->entries(query));
  if (last) std::ranges::reverse(page.entries);
  session::add_known_damage(*store, record);
  if (const auto damage = session::damage_among(page.entries); damage && !record.damage) {
    session::remember_damage(*store, record.id, damage);
    record.damage = damage;
  }
  JsonArray entries;
  for (const session::Entry& entry : page.entries) entries.push_back(entry_item(entry));
  Facts facts{{"session", session_item(record, context.now(), context.policy())},
              {"entries", std::move(entries)},
              {last ? "hasEarlier" : "hasMore", page.next.has_value()}};
  if (page.next && !last) facts["next_offset"] = *page.next - 1;
  return facts;
}

JsonObject to_json_object(const session::Verification& verification) {
  return {{"sessionId", verification.session},
          {"ok", verification.ok},
          {"records", verification.entries},
          {"redacted", verification.redacted},
          {"problems", to_json_array(verification.problems)}};
}

Result<session::Verification> check_chain(session::Store& store, const std::string& session) {
  HF_TRY(session::Verification verification, store.verify(session));
  const bool found = !verification.ok && !verification.problems.empty();
  session::remember_damage(store, session, found ? std::optional(verification.problems.front()) : std::nullopt);
  return verification;
}

constexpr std::array kVerifyParameters{kMaybeRecord};

// One session, or all of who asks: only those with problems are listed then.
Result<Facts> verify(Context& context, const Given& given) {
  if (given.has("session")) {
    HF_TRY(const SessionRecord record, record_named(context, given.text("session")));
    HF_TRY(session::Store* const store, context.store(true));
    HF_TRY(const session::Verification verification, check_chain(*store, record.id));
    return to_json_object(verification);
  }
  HF_TRY(session::Store* const store, context.store(true));
  session::Query query;
  query.principal = context.identity().principal;
  query.visibilities = {session::Visibility::live, session::Visibility::archived, session::Visibility::deleted};
  query.limit = kVerifyPage;
  JsonArray damaged;
  std::int64_t checked = 0, records = 0;
  const transcripts::Progress progress = context.progress();
  do {
    HF_TRY(session::Page page, store->list(query));
    for (const SessionRecord& record : page.items) {
      if (progress && !progress("verify", static_cast<std::uint64_t>(checked), static_cast<std::uint64_t>(page.total)))
        return fail(ErrorKind::cancelled, "cancelled");
      HF_TRY(const session::Verification verification, check_chain(*store, record.id));
      ++checked;
      records += verification.entries;
      if (!verification.ok) damaged.push_back(to_json_object(verification));
    }
    query.cursor = page.next_cursor;
  } while (!query.cursor.empty());
  const bool ok = damaged.empty();
  return Facts{{"ok", ok}, {"sessions", checked}, {"records", records}, {"damaged", std::move(damaged)}};
}

constexpr std::array kReading{
    reads("sessions get", "one session and its entries", kGetParameters, get),
    reads("sessions verify", "whether entries are as they were written", kVerifyParameters, verify),
};

}  // namespace

std::span<const Operation> reading_operations() {
  return kReading;
}

}  // namespace holdfast::operations
